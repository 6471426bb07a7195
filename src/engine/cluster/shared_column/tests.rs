use proptest::prelude::*;

use super::*;
use crate::cluster::NodeId;

#[test]
fn a_copy_shares_its_rows_until_one_is_changed() {
    let first: SharedColumn<NodeId, String> = ["a", "b"].map(str::to_owned).into_iter().collect();
    let mut second = first.clone();
    second[NodeId(1)].push('!');

    let both = |id| (first.shared(id).unwrap(), second.shared(id).unwrap());
    let is_one = |(one, other): (&Arc<String>, &Arc<String>)| Arc::ptr_eq(one, other);
    assert!(is_one(both(NodeId(0))) && !is_one(both(NodeId(1))));
    assert_eq!((&*first[NodeId(1)], &*second[NodeId(1)]), ("b", "b!"));
}

#[test]
fn rows_are_found_where_they_were_before() {
    let before: SharedColumn<NodeId, &str> = ["a", "b", "c", "d", "e"].into_iter().collect();
    let mut after = before.clone();
    after.remove_at(1);
    after.insert_at(1, "new");
    after.insert_at(2, "newer");
    after.replace(NodeId(3), "c").unwrap();
    after.push("last");
    let places = |is_form: fn(&&str, &&str) -> bool| {
        let places = after.places_in(&before, is_form);
        places.iter().map(|place| place.map(|id| id.0)).collect::<Vec<_>>()
    };
    assert_eq!(places(|_, _| false), [Some(0), None, None, None, Some(3), Some(4), None]);
    assert_eq!(places(|one, other| one == other), [Some(0), None, None, Some(2), Some(3), Some(4), None]);
    assert_eq!(before.places_in(&SharedColumn::new(), |_, _| true)[NodeId(0)], None);
}

#[test]
fn a_row_is_replaced_where_there_is_one() {
    let mut column: SharedColumn<NodeId, u8> = [1, 2].into_iter().collect();
    column.replace(NodeId(0), 9).unwrap();
    assert_eq!(column.iter().copied().collect::<Vec<_>>(), [9, 2]);
    assert_eq!(*column.replace(NodeId(2), 7).unwrap_err(), 7);
}

/// One change of a table.
#[derive(Clone, Debug)]
enum Change {
    Push(u8),
    Insert(usize, u8),
    Remove(usize),
    Replace(usize, u8),
    Double(u8),
}

fn change() -> impl Strategy<Value = Change> {
    let at = 0..200_usize;
    prop_oneof![
        2 => any::<u8>().prop_map(Change::Push),
        1 => (at.clone(), any::<u8>()).prop_map(|(at, row)| Change::Insert(at, row)),
        1 => at.clone().prop_map(Change::Remove),
        1 => (at, any::<u8>()).prop_map(|(at, row)| Change::Replace(at, row)),
        1 => any::<u8>().prop_map(Change::Double),
    ]
}

fn apply(change: &Change, table: &mut SharedColumn<NodeId, u8>, rows: &mut Vec<u8>) {
    match *change {
        Change::Push(row) => {
            assert_eq!(table.push(row), NodeId::at(rows.len()));
            rows.push(row);
        }
        Change::Insert(at, row) => {
            table.insert_at(at, row);
            rows.insert(at.min(rows.len()), row);
        }
        Change::Remove(at) => {
            let removed = (at < rows.len()).then(|| rows.remove(at));
            assert_eq!(table.remove_at(at).map(|row| *row), removed);
        }
        Change::Replace(at, row) => {
            let is_there = table.replace(NodeId::at(at), row).is_ok();
            assert_eq!(is_there, at < rows.len());
            rows.iter_mut().skip(at).take(1).for_each(|have| *have = row);
        }
        Change::Double(which) => {
            table.change_where(|_, row| *row == which, |_, row| *row = row.wrapping_mul(2));
            rows.iter_mut().filter(|row| **row == which).for_each(|row| *row = row.wrapping_mul(2));
        }
    }
}

proptest! {
    /// A table reads like the rows from which it was created, and a clone keeps its contents.
    #[test]
    fn a_table_on_pages_reads_like_its_rows(
        first in prop::collection::vec(0..4_u8, 0..200),
        changes in prop::collection::vec(change(), 0..40),
    ) {
        let mut table: SharedColumn<NodeId, u8> = first.iter().copied().collect();
        let (copy, mut rows) = (table.clone(), first.clone());
        for change in changes {
            apply(&change, &mut table, &mut rows);
        }
        prop_assert!(copy.iter().eq(&first) && table.iter().eq(&rows));
        prop_assert!(table.iter().rev().eq(rows.iter().rev()));
        prop_assert_eq!((table.len(), table.iter().len()), (rows.len(), rows.len()));
        prop_assert!(table.ids().all(|id| table[id] == rows[id.ix()] && table.checked(id) == rows.get(id.ix())));
        prop_assert_eq!(table.checked(NodeId::at(rows.len())), None);
        prop_assert_eq!(table.iter().fold(0, |sum, row| sum + usize::from(*row)), rows.iter().map(|row| usize::from(*row)).sum());
        let (mut ends, mut of_rows) = (table.iter(), rows.iter());
        while let Some(row) = ends.next() {
            prop_assert_eq!(Some(row), of_rows.next());
            prop_assert_eq!(ends.next_back(), of_rows.next_back());
        }
        let differs = |id: &NodeId| table.shared(*id).zip(copy.shared(*id)).is_none_or(|(one, other)| !Arc::ptr_eq(one, other));
        prop_assert!(table.not_shared_with(&copy).eq(table.ids().filter(differs)));
        prop_assert!(table == rows.iter().copied().collect());
    }
}

#[test]
fn rows_that_stay_as_they_are_stay_shared() {
    let first: SharedColumn<NodeId, usize> = (0..PAGE + 2).collect();
    let mut second = first.clone();
    second.change_where(|_, row| *row == PAGE + 1, |_, row| *row = 0);
    assert!(second.pages()[0].is_same(&first.pages()[0]));
    assert!(second.not_shared_with(&first).eq([NodeId::at(PAGE + 1)]));
}

#[test]
fn rows_that_are_equal_become_shared() {
    let first: SharedColumn<NodeId, usize> = (0..2 * PAGE + 2).collect();
    let mut second: SharedColumn<NodeId, usize> = (0..2 * PAGE + 2).collect();
    let changed = [NodeId::at(1), NodeId::at(2 * PAGE)];
    changed.iter().for_each(|id| second[*id] = 7);
    second.share_equal(&first);
    assert!(second.not_shared_with(&first).eq(changed));
    assert!(
        second.pages()[1].is_same(&first.pages()[1]) && second[changed[0]] == 7 && first[changed[0]] == 1
    );
}

#[test]
fn a_page_is_held_by_two_tables_where_it_fits() {
    let first: SharedColumn<NodeId, usize> = (0..2 * PAGE + 1).collect();
    let mut second = SharedColumn::new();
    assert!(second.push_page(first.pages().get(1).unwrap()));
    second.push(0);
    assert!(!second.push_page(first.pages().first().unwrap()), "no row may stand before a page but on pages");
    assert!(first.pages().get(2).is_none());
    assert_eq!((second.len(), second[NodeId(0)], second[NodeId::at(PAGE)]), (PAGE + 1, PAGE, 0));
}
