//! Lists of names, folded like pdsh does: `cn[001-008,018] gpu1`, `66[1,3-5]`.

mod group;
mod name;

use std::fmt;

use group::NameGroup;
use name::FoldedName;

/// Folds names that have the same text around their number.
pub fn compact<'a>(names: impl Iterator<Item = &'a str>) -> String {
    groups(names, usize::MAX).iter().map(NameGroup::shown).collect::<Vec<_>>().join(" ")
}

/// Folds names like [`compact`], but keeps their order: `n[8,7,3-5]`.
pub fn compact_in_order<'a>(names: impl Iterator<Item = &'a str>) -> String {
    group_names(names, usize::MAX).iter().map(NameGroup::shown).collect::<Vec<_>>().join(" ")
}

/// Folds names to at most `columns` columns; the rest is counted, `cn[001-008] +6`. If the count leaves no room for a
/// name, the first names are cut and marked, because a count alone does not show what it counts.
pub fn folded_within<'a>(names: impl Iterator<Item = &'a str>, columns: usize) -> String {
    fold_names(names, columns).to_string()
}

/// Names folded to a limited width, with the number of names left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoldedNames {
    text: String,
    omitted: usize,
}

impl FoldedNames {
    /// Returns the count that follows the names, ` +16`; empty if all are named.
    pub fn count(&self) -> String {
        super::more(self.omitted)
    }
}

impl fmt::Display for FoldedNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.text, self.count())
    }
}

/// Like [`folded_within`], but returns names and count separately.
pub fn fold_names<'a>(names: impl Iterator<Item = &'a str>, columns: usize) -> FoldedNames {
    let groups = groups(names, usize::MAX);
    let all = groups.iter().map(|group| group.names).sum();
    folded_in_columns(&groups, all, columns)
}

/// Like [`fold_names`], for `all` different names; reads no more of them than can be named.
pub fn folded_of<'a>(names: impl Iterator<Item = &'a str>, all: usize, columns: usize) -> FoldedNames {
    folded_in_columns(&groups(names, columns), all, columns)
}

/// Folds a folded list again to fewer columns, adding to its count; `None` if not even one name fits, or if its names
/// are already cut.
pub fn folded_again(list: &str, columns: usize) -> Option<String> {
    let (shown, more) = match list.rsplit_once(" +") {
        Some((shown, more)) => (shown, more.parse().ok()?),
        None => (list, 0usize),
    };
    let groups: Vec<NameGroup<'_>> = shown.split(' ').map(NameGroup::parse).collect();
    let all = more + groups.iter().map(|group| group.names).sum::<usize>();
    let again = folded_in_columns(&groups, all, columns);
    (!again.text.contains('…')).then(|| again.to_string())
}

fn folded_in_columns(groups: &[NameGroup<'_>], all: usize, columns: usize) -> FoldedNames {
    // Each run takes at least one column, so a list of a hundred thousand names is not formatted in vain.
    if groups.iter().map(|group| group.runs.len()).sum::<usize>() <= columns {
        let whole = groups.iter().map(NameGroup::shown).collect::<Vec<_>>().join(" ");
        let counted: usize = groups.iter().map(|group| group.names).sum();
        let whole = FoldedNames { text: whole, omitted: all.saturating_sub(counted) };
        if whole.text.len() + whole.count().len() <= columns {
            return whole;
        }
    }
    let (mut shown, mut counted) = (String::new(), 0);
    for group in groups {
        let gap = if shown.is_empty() { "" } else { " " };
        let room = columns.saturating_sub(shown.len() + gap.len() + format!(" +{}", all - counted).len());
        let Some((text, names)) = group.shown_within(room) else { break };
        let all_of_it = names == group.names;
        shown = format!("{shown}{gap}{text}");
        counted += names;
        if !all_of_it {
            break;
        }
    }
    match groups.first().filter(|_| shown.is_empty()) {
        Some(first) => FoldedNames { text: first.cut_to(columns), omitted: 0 },
        None => FoldedNames { text: shown, omitted: all - counted },
    }
}

/// Groups names, those of a group in the order of their numbers.
fn groups<'a>(names: impl Iterator<Item = &'a str>, enough: usize) -> Vec<NameGroup<'a>> {
    let mut groups = group_names(names, enough);
    groups.iter_mut().for_each(NameGroup::sort);
    groups
}

/// Groups names, those of a group in the order given; stops as soon as the first group has more than `enough` runs.
fn group_names<'a>(names: impl Iterator<Item = &'a str>, enough: usize) -> Vec<NameGroup<'a>> {
    let mut groups: Vec<NameGroup<'_>> = Vec::new();
    let mut known: rustc_hash::FxHashMap<(&str, &str, bool), usize> = rustc_hash::FxHashMap::default();
    // The group of the previous name, if that has a number: most names belong to the same one.
    let mut before: Option<usize> = None;
    for name in names {
        let like_before = before.and_then(|at| groups.get(at)).and_then(|group| group.next_of(name));
        let is_like_before = like_before.is_some();
        let FoldedName { stem, number, suffix, bracketed } =
            like_before.unwrap_or_else(|| FoldedName::of(name));
        let alike = before.filter(|at| {
            let is_in = |group: &NameGroup<'_>| {
                (group.stem, group.suffix, group.bracketed) == (stem, suffix, bracketed)
            };
            is_like_before || groups.get(*at).is_some_and(is_in)
        });
        // Names without a number are never grouped.
        let at = match alike {
            _ if number.is_empty() => groups.len(),
            Some(at) => at,
            None => *known.entry((stem, suffix, bracketed)).or_insert(groups.len()),
        };
        match groups.get_mut(at) {
            Some(group) => group.add(number),
            None => groups.push(NameGroup::new((stem, suffix), bracketed, number)),
        }
        before = (!number.is_empty()).then_some(at);
        // The first group already fills all columns.
        if groups.first().is_some_and(|first| first.runs.len() > enough) {
            break;
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folded_by_what_stands_before_the_number() {
        for (names, shown) in [
            (&["n1", "n2", "n3"][..], "n[1-3]"),
            (&["n1", "n3"], "n[1,3]"),
            (&["cn001", "cn002", "cn018"], "cn[001-002,018]"),
            (&["n09", "n10", "m11"], "n[09-10] m11"),
            (&["n1", "m1", "n2"], "n[1-2] m1"),
            (&["n10", "n3", "n1", "n2", "n4"], "n[1-4,10]"),
            (&["n2", "n1", "n2"], "n[1-2]"),
            (&["n01", "n1", "n02"], "n[01,1,02]"),
            (&["login", "login"], "login login"),
            (&["n9", "n10"], "n[9-10]"),
            (&["66[1]", "66[3]", "66[4]", "67[0]"], "66[1,3-4] 67[0]"),
            (&["7", "8"], "7 8"),
            (&["login", "login1", "login2"], "login login[1-2]"),
            (&["n1", "login", "n2"], "n[1-2] login"),
            (&["nü9", "nü10"], "nü[9-10]"),
            (&["rack1-n01.cl", "rack1-n02.cl", "rack2-n01.cl"], "rack1-n[01-02].cl rack2-n01.cl"),
            (&["a1.x2", "a2.x2", "a2.x3"], "a[1-2].x2 a2.x3"),
            (&["gpu.1", "gpu.2"], "gpu.[1-2]"),
            (&["10.0.0.1", "10.0.0.2"], "10.0.0.[1-2]"),
            (&["66[1].head1", "66[2].head1"], "66[1-2].head1"),
            (&["n1-ib", "n2-ib", "n1"], "n[1-2]-ib n1"),
            (&["7.head1", "8.head1"], "7.head1 8.head1"),
            (&["66[1].h", "66[2].h"], "66[1-2].h"),
            (&["h1[a]", "h2[a]"], "h1[a] h2[a]"),
        ] {
            assert_eq!(compact(names.iter().copied()), shown);
        }
    }

    /// A name is parsed from the group of the previous name just as on its own.
    #[test]
    fn a_name_is_folded_alike_after_whichever_other() {
        let names = [
            "n1",
            "n02",
            "gpu.1",
            "gpu.22",
            "10.0.0.1",
            "10.0.0.12",
            "rack1-n01",
            "rack1-n2",
            "n1-ib",
            "66[3]",
        ];
        let alone = |name| {
            let FoldedName { stem, number, suffix, bracketed } = FoldedName::of(name);
            (stem, number, suffix, bracketed)
        };
        for before in names {
            for name in names.into_iter().chain(["7", "gpu.1.2", "login"]) {
                let found = groups([before].into_iter(), usize::MAX).first().and_then(|group| {
                    let next = group.next_of(name)?;
                    Some((next.stem, next.number, next.suffix, next.bracketed))
                });
                assert!(found.is_none_or(|found| found == alone(name)), "{before} {name}");
            }
        }
    }

    #[test]
    fn an_order_that_means_something_is_kept() {
        assert_eq!(compact_in_order(["n8", "n7", "n3", "n4", "m1"].into_iter()), "n[8,7,3-4] m1");
    }

    #[test]
    fn of_very_many_names_the_same_are_named() {
        let names: Vec<String> = (0..500).map(|n| format!("{}{}", ["n", "gpu"][n % 7 / 6], n * 2)).collect();
        let all = || names.iter().map(String::as_str);
        for columns in 12..60 {
            assert_eq!(folded_of(all(), 500, columns).to_string(), folded_within(all(), columns));
        }
        assert_eq!(folded_of(all().take(4), 4, 30).to_string(), compact(all().take(4)));
    }

    #[test]
    fn a_folded_list_is_folded_again_with_its_count() {
        let again = |list, columns| folded_again(list, columns);
        assert_eq!(again("n[001-011,013-020,025-032]", 40).as_deref(), Some("n[001-011,013-020,025-032]"));
        assert_eq!(again("n[001-011,013-020,025-032]", 22).as_deref(), Some("n[001-011,013-020] +8"));
        assert_eq!(again("cn[001-003] gpu7 +16", 18).as_deref(), Some("cn[001-003] +17"));
        assert_eq!(again("cn[001-003] gpu7 +16", 9), None, "the first names alone need 11 columns");
        assert_eq!(again("66[1,3-5] 67[2]", 10).as_deref(), Some("66[1] +4"));
        assert_eq!(again("login mgmt", 8).as_deref(), Some("login +1"));
        assert_eq!(again("cn[001-003].cl gpu7.cl +16", 21).as_deref(), Some("cn[001-003].cl +17"));
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let names: Vec<String> = (0..20).map(|n| format!("n{}", n * 2)).collect();
        let fold = |columns| folded_within(names.iter().map(String::as_str), columns);
        assert_eq!(fold(15), "n[0,2,4,6] +16");
        assert_eq!((fold(8).as_str(), fold(5).as_str()), ("n0 +19", "n[0,…"));
        assert_eq!(fold(4), "n[0…");
        assert_eq!(folded_within(["a-long-name", "b"].into_iter(), 7), "a-long…");
        assert_eq!(folded_within(["a-name", "b"].into_iter(), 7), "a-name…");
        let left: Vec<String> = (0..620).map(|n| format!("181[{}]", 400 + n * 3)).collect();
        assert_eq!(folded_within(left.iter().map(String::as_str), 12), "181[400,…]");
        assert_eq!(folded_within(["cn001", "cn002", "login"].into_iter(), 14), "cn[001-002] +1");
        assert_eq!(folded_within(["a", "b"].into_iter(), 9), "a b");
        let many: Vec<String> = (0..40_000).map(|n| format!("n{}", n * 2)).collect();
        assert_eq!(folded_within(many.iter().map(String::as_str), 15), "n[0,2,4] +39997");
    }
}
