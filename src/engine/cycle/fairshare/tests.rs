use proptest::prelude::*;

use super::*;
use crate::cluster::{Job, ShareGroup, UsageRecord};

fn group(name: &str, parent: &str, shares: f64) -> ShareGroup {
    ShareGroup { name: name.into(), number: 0, parent: parent.into(), shares }
}

/// Three groups below the root, one of them with a group of its own.
fn groups() -> Vec<ShareGroup> {
    vec![
        group("grpA", "root", 40.0),
        group("grpB", "root", 30.0),
        group("grpC", "root", 20.0),
        group("grpD", "grpA", 50.0),
        group("user1", "grpA", 25.0),
        group("user2", "grpA", 25.0),
        group("user3", "grpB", 60.0),
        group("user4", "grpB", 40.0),
        group("user5", "grpC", 100.0),
        group("user6", "grpD", 100.0),
    ]
}

fn tree(unknown_shares: f64) -> FairshareTree {
    FairshareTree::new(&groups(), unknown_shares).0
}

fn record(name: &str, usage: f64) -> UsageRecord {
    UsageRecord { name: name.into(), usage, decayed: Some(Epoch(0)) }
}

fn used() -> FairshareTree {
    let mut tree = tree(0.0);
    tree.record_usage(&[
        record("user1", 5000.0),
        record("user2", 100.0),
        record("user3", 2000.0),
        record("user4", 9000.0),
        record("user5", 300.0),
        record("user6", 20.0),
    ]);
    tree
}

fn of(tree: &FairshareTree, name: &str) -> EntityId {
    tree.find(name).unwrap()
}

/// Users in the order the scheduler would take them.
fn ranking(tree: &FairshareTree) -> Vec<String> {
    let mut users: Vec<_> = (1..7).map(|n| format!("user{n}")).collect();
    users.sort_by(|a, b| tree.compare(of(tree, a), of(tree, b)));
    users
}

/// Rule 1.11: percentages of the whole tree, as `pbsfs` prints them.
#[test]
fn shares_divide_the_tree() {
    let known = tree(0.0);
    let percent = |tree: &FairshareTree, name| (tree.percentage(of(tree, name)) * 1e5).round() / 1e3;
    assert_eq!(percent(&known, "grpA"), 44.444);
    assert_eq!(percent(&known, "user6"), 22.222);
    assert_eq!(percent(&known, "user4"), 13.333);
    assert_eq!(percent(&known, "unknown"), 0.0);
    assert_eq!(percent(&tree(10.0), "user3"), 18.0);
    assert_eq!(percent(&tree(10.0), "unknown"), 10.0);
}

/// Rule 1.11: a group's usage is 1 plus all usage below it.
#[test]
fn usage_counts_for_every_ancestor() {
    let tree = used();
    for (name, usage) in
        [("root", 16421.0), ("grpA", 5121.0), ("grpB", 11001.0), ("grpD", 21.0), ("user6", 20.0)]
    {
        assert_eq!(tree.usage(of(&tree, name)), usage, "{name}");
    }
}

/// The output of `pbsfs` has lines for groups and the root, which must add nothing.
#[test]
fn usage_of_groups_is_not_counted_twice() {
    let mut tree = tree(0.0);
    tree.record_usage(&[
        record("TREEROOT", 301.0),
        record("grpC", 301.0),
        record("user5", 300.0),
        record("unknown", 1.0),
    ]);
    assert_eq!((tree.usage(FairshareTree::ROOT), tree.usage(of(&tree, "grpC"))), (301.0, 301.0));
}

/// Rule 6.5: at the first difference of the two paths, less usage per share goes first.
#[test]
fn paths_are_compared_where_they_part() {
    assert_eq!(ranking(&used()), ["user5", "user6", "user2", "user1", "user3", "user4"]);
}

/// Rule 6.5: the fair share names of the formula.
#[test]
fn the_formulas_terms_have_their_values() {
    let tree = used();
    let value = |name| {
        let user = of(&tree, name);
        tree.factor(user) * 100.0 + tree.percentage(user) * 10.0 + tree.tree_usage(user)
    };
    for (name, expected) in [
        ("user1", 16.2108),
        ("user2", 60.9521),
        ("user3", 23.4237),
        ("user4", 6.4233),
        ("user5", 96.6834),
        ("user6", 63.7420),
    ] {
        assert!((value(name) - expected).abs() < 1e-4, "{name}: {}", value(name));
    }
    assert_eq!(tree.tree_usage(FairshareTree::ROOT), 1.0);
}

/// Rule 6.5: a started job counts immediately.
#[test]
fn charges_change_the_order() {
    let mut tree = tree(0.0);
    assert_eq!(ranking(&tree)[0], "user6");
    let user = of(&tree, "user6");
    tree.charge(user, 28_800.0);
    assert_eq!(tree.usage(of(&tree, "grpA")), 28_801.0);
    assert_eq!(ranking(&tree)[0], "user3");
}

/// Rule 0: usage is multiplied by the factor once per whole period, and stays at least 1.
#[test]
fn usage_decays() {
    let mut tree = used();
    assert_eq!(tree.decay(Epoch(49 * 3600), Seconds(86_400), 0.5), 2);
    assert_eq!(tree.usage(of(&tree, "user1")), 1250.0);
    assert_eq!(tree.usage(of(&tree, "unknown")), 1.0);
    assert_eq!(tree.decayed(), Some(Epoch(48 * 3600)));
    assert_eq!(tree.decay(Epoch(49 * 3600), Seconds(86_400), 0.5), 0);
    assert_eq!(
        super::FairshareTree::new(&[], 0.0).0.decay(Epoch(1 << 40), Seconds(1), 0.5),
        0,
        "last decay unknown"
    );
}

/// Rule 1.11: names missing from the file share the group `unknown`.
#[test]
fn unknown_entities_share_one_group() {
    let mut tree = tree(10.0);
    let first = tree.entity(&"user7".into());
    let alone = tree.percentage(first);
    assert!((alone - 0.1).abs() < 1e-6);
    let second = tree.entity(&"user8".into());
    assert_eq!((tree.percentage(first), tree.percentage(second)), (alone / 2.0, alone / 2.0));
    assert_eq!(tree.entity(&"user7".into()), first);
    assert_eq!(tree.compare(first, second), Ordering::Equal);
    let user = of(&tree, "user5");
    assert_eq!(tree.compare(first, user), Ordering::Greater, "1 used of 10 shares, 1 of 20");
}

/// Rule 6.5: fractions are kept in single precision, which decides between usages in proportion to the shares: 0.1 is
/// then slightly more than a tenth, ½ exactly a half.
#[test]
fn proportional_usage_is_parted_by_rounding() {
    let lines = [group("workq", "root", 50.0), group("q2", "root", 10.0), group("q3", "root", 40.0)];
    let mut tree = FairshareTree::new(&lines, 0.0).0;
    tree.record_usage(&[record("workq", 500.0), record("q2", 100.0)]);
    assert_eq!(tree.compare(of(&tree, "q2"), of(&tree, "workq")), Ordering::Less);
}

/// Rules 6.2, 6.5: an entity without a share, itself or through a group, goes last.
#[test]
fn zero_shares_go_last() {
    let mut groups = groups();
    groups[2].shares = 0.0;
    groups[7].shares = 0.0;
    let mut tree = FairshareTree::new(&groups, 0.0).0;
    let unknown = tree.entity(&"user7".into());
    let [user3, user4, user5] = ["user3", "user4", "user5"].map(|name| of(&tree, name));
    assert!([unknown, user4, user5].iter().all(|user| tree.has_zero_shares(*user)));
    assert_eq!(tree.compare(user4, user3), Ordering::Greater);
    assert_eq!(tree.compare(user5, user4), Ordering::Greater, "no share above is decided higher up");
    assert_eq!(tree.compare(user5, unknown), Ordering::Equal);
    assert_eq!(tree.factor(user5), 0.0);
}

/// Rule 6.10: usage above the share of all usage.
#[test]
fn some_are_over_their_share() {
    let tree = used();
    assert!(tree.is_over_share(of(&tree, "user4")));
    assert!(!tree.is_over_share(of(&tree, "user6")));
}

#[test]
fn lines_without_a_place_are_returned() {
    let lines =
        [group("b", "a", 1.0), group("a", "root", 1.0), group("a", "root", 2.0), group("x", "y", 1.0)];
    let (tree, faults) = FairshareTree::new(&lines, 0.0);
    assert_eq!(tree.percentage(of(&tree, "b")), 1.0);
    assert_eq!(
        faults,
        [TreeFault::Twice("a".into()), TreeFault::NoParent { name: "x".into(), parent: "y".into() }]
    );
}

/// Rule 1.11: `fairshare_entity`.
#[test]
fn entities_of_jobs() {
    let job = Job { user: "ann".into(), group: "phys".into(), queue: "workq".into(), ..Job::default() };
    let name = |option| entity_of(&job, option);
    assert_eq!(name("euser"), Some("ann".into()));
    assert_eq!(name("egroup:euser"), Some("phys:ann".into()));
    assert_eq!(name("queue"), Some("workq".into()));
    assert_eq!((name("Account_Name"), name("colour")), (None, None));
}

proptest! {
    /// The order of two entities does not depend on which is compared first.
    #[test]
    fn comparing_is_antisymmetric(usage in prop::collection::vec(0.0f64..1e6, 6), x in 0u32..12, y in 0u32..12) {
        let mut tree = tree(0.0);
        let records: Vec<_> = usage.iter().enumerate().map(|(n, usage)| record(&format!("user{}", n + 1), *usage)).collect();
        tree.record_usage(&records);
        prop_assert_eq!(tree.compare(EntityId(x), EntityId(y)), tree.compare(EntityId(y), EntityId(x)).reverse());
    }
}

/// Rule 6.5: the fork is at the first difference of the paths from the root; a group and its members have none.
#[test]
fn paths_part_where_they_first_differ() {
    let tree = used();
    for (left, _) in tree.entities().enumerate() {
        for (right, _) in tree.entities().enumerate() {
            let (ours, theirs) = (tree.path(left), tree.path(right));
            let by_paths = ours.into_iter().zip(theirs).find(|(x, y)| x != y);
            assert_eq!(tree.fork(left, right), by_paths, "{left:?} {right:?}");
        }
    }
    let [deep, flat] = ["user6", "user3"].map(|name| of(&tree, name));
    assert_eq!(tree.fork(deep, flat), Some((of(&tree, "grpA"), of(&tree, "grpB"))));
    assert_eq!(tree.fork(deep, of(&tree, "grpD")), None);
}

/// A tree of up to 12 entities, each below an earlier one or the root, with few distinct shares and usages.
fn any_tree() -> impl Strategy<Value = (FairshareTree, Vec<EntityId>)> {
    prop::collection::vec((any::<prop::sample::Index>(), 1u8..3, 1u8..4), 1..12).prop_map(|lines| {
        let name = |at: usize| if at == 0 { "root".to_owned() } else { format!("entity{at}") };
        let line = |(at, (parent, shares, _)): (usize, &(prop::sample::Index, u8, u8))| {
            group(&name(at + 1), &name(parent.index(at + 1)), f64::from(*shares))
        };
        let groups: Vec<_> = lines.iter().enumerate().map(line).collect();
        let (mut tree, _) = FairshareTree::new(&groups, 1.0);
        let entities: Vec<EntityId> = (1..=lines.len()).map(|at| of(&tree, &name(at))).collect();
        for (entity, (.., usage)) in entities.iter().zip(&lines) {
            tree.charge(*entity, f64::from(*usage));
        }
        (tree, entities)
    })
}

proptest! {
    /// Ranks order any subset of entities as the comparison along their paths does.
    #[test]
    fn places_order_as_paths_do((tree, entities) in any_tree(), asked in prop::collection::vec(any::<bool>(), 12)) {
        let asked: Vec<_> = entities.iter().zip(asked).filter(|(_, asked)| *asked).map(|(id, _)| *id).collect();
        if let Some(places) = tree.places(asked.iter().copied()) {
            for (left, right) in asked.iter().flat_map(|left| asked.iter().map(move |right| (*left, *right))) {
                prop_assert_eq!(places[left].cmp(&places[right]), tree.compare(left, right));
            }
        }
    }
}

/// Users of groups with different burdens can be ranked; a group together with one of its users cannot, nor can users
/// of two groups with the same burden.
#[test]
fn places_stand_for_paths_only_where_they_can() {
    let tree = used();
    let users: Vec<_> = (1..7).map(|n| of(&tree, &format!("user{n}"))).collect();
    assert!(tree.places(users.iter().copied()).is_some());
    assert!(tree.places([of(&tree, "user3"), of(&tree, "grpB")]).is_none());
    let (alike, _) = FairshareTree::new(
        &[
            group("left", "root", 1.0),
            group("right", "root", 1.0),
            group("ann", "left", 1.0),
            group("bob", "left", 2.0),
            group("cara", "right", 1.0),
        ],
        0.0,
    );
    let [ann, bob, cara] = ["ann", "bob", "cara"].map(|name| of(&alike, name));
    assert!(alike.places([ann, bob, cara]).is_none());
    assert!(alike.places([ann, cara]).is_some(), "one user of each group");
}
