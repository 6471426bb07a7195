//! The designed order of placement sets (rules 5.6, 5.7): both tables of the document, each with both columns, and a
//! case for every branch of the rules.

use std::path::Path;
use std::sync::Arc;

use qscope::cluster::{ByPeriod, GroupSortKey, ResourceId, Snapshot};
use qscope::cycle::{Debugger, Run, run_cycle};
use qscope::source::{Files, LoadOptions, load, load_folder};
use qscope::universe::{PlacementSet, Quirk, Quirks, Semantics, State};

fn sample(name: &str) -> Arc<Snapshot> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
    Arc::new(load_folder(&folder, &LoadOptions::default()).unwrap())
}

/// A cluster in a few lines: nodes as `name {…}`, jobs as `select place`, keys, sort keys.
struct Cluster<'a> {
    nodes: &'a [(&'a str, &'a str)],
    jobs: &'a [(&'a str, &'a str)],
    keys: &'a [&'a str],
    sort: &'a [&'a str],
    more: &'a str,
}

const NOTHING: Cluster<'static> = Cluster { nodes: &[], jobs: &[], keys: &[], sort: &[], more: "" };

impl Cluster<'_> {
    fn policy(&self) -> String {
        let mut policy = format!(
            "{}\n[server]\nnode_group_enable = true\nnode_group_key = {:?}\n",
            if self.sort.is_empty() {
                String::new()
            } else {
                format!("[sched_config]\nnode_group_sort_key = {:?}", self.sort)
            },
            self.keys
        );
        for key in ["a", "b", "c"] {
            policy += &format!("[[resource]]\nname = \"{key}\"\ntype = \"string_array\"\nflag = \"h\"\n");
        }
        policy += "[[resource]]\nname = \"gpus\"\ntype = \"long\"\nflag = \"nh\"\n";
        policy + self.more
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        let mut files = Files::new("sets");
        let nodes = self
            .nodes
            .iter()
            .map(|(name, has)| format!("[[node]]\nname = \"{name}\"\navailable = {{ ncpus = 4, {has} }}\n"));
        files.insert("nodes.toml", nodes.collect::<String>(), None);
        let mut queue = "now = 1763700000\n".to_owned();
        for (at, (select, place)) in self.jobs.iter().enumerate() {
            queue += &format!(
                "[[job]]\nid = \"{}\"\nuser = \"u\"\nselect = \"{select}\"\nplace = \"{place}\"\nwalltime = \"01:00:00\"\n",
                at + 1
            );
        }
        files.insert("queue.toml", queue, None);
        files.insert("policy.toml", self.policy(), None);
        let snap = load(&files, &LoadOptions::default()).unwrap();
        let errors: Vec<_> = snap
            .diagnostics
            .iter()
            .filter(|said| said.severity == qscope::cluster::Severity::Error && said.code != "group-sort-key")
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
        Arc::new(snap)
    }

    /// Returns the sets in the order tried before the first job, without the bugs of the real scheduler.
    fn order(&self) -> Vec<String> {
        names(start(&self.snapshot()).state())
    }
}

fn start(snap: &Arc<Snapshot>) -> Debugger {
    Debugger::new(Arc::new(run_cycle(snap.clone(), Quirks::of(Semantics::Fixed))))
}

fn sets(state: &State) -> Vec<&PlacementSet> {
    let pool = &state.pools[state.server_pool.unwrap()];
    pool.order.iter().map(|set| &state.sets[*set]).collect()
}

fn names(state: &State) -> Vec<String> {
    sets(state).iter().map(|set| set.shape.short_name()).collect()
}

/// Formats sets as `name ncpus GB: nodes`, as in the document.
fn table(state: &State) -> Vec<String> {
    let plan = &state.plan;
    let row = |set: &&PlacementSet| {
        let sum = |resource| set.shape.available[plan.consumables.ix(resource).unwrap()];
        let nodes: Vec<&str> = set.shape.members.iter().map(|bit| &**plan.node_name(*bit)).collect();
        let gb = sum(ResourceId::mem()) / 1024.0 / 1024.0;
        format!("{} {} {gb}: {}", set.shape.short_name(), sum(ResourceId::ncpus()), nodes.join(" "))
    };
    sets(state).iter().map(row).collect()
}

fn check(name: &str, table_of_the_document: &str) {
    let found = table(start(&sample(name)).state());
    let wanted: Vec<&str> = table_of_the_document.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    assert_eq!(found, wanted);
}

const SWITCHES: [&str; 8] = [
    "sw1 70 106: vn12 vn13 vn15 vn21 vn22 vn23 vn25 vn30 vn35 vn37 vn44 vn46 vn50 vn53",
    "sw2 80 122: vn11 vn14 vn20 vn22 vn24 vn25 vn27 vn30 vn32 vn35 vn40 vn41 vn42 vn44 vn45 vn51 vn52",
    "sw3 70 112: vn10 vn15 vn17 vn20 vn21 vn22 vn23 vn25 vn27 vn31 vn32 vn33 vn36 vn42 vn43 vn44",
    "sw4 110 136: vn12 vn16 vn17 vn20 vn22 vn23 vn24 vn25 vn26 vn30 vn32 vn33 vn34 vn35 vn42 vn43 vn44 vn45 vn47 vn50 vn53",
    "rt1 58 102: vn10 vn11 vn12 vn13 vn14 vn15 vn16 vn17 vn50 vn51 vn52 vn53",
    "rt2 28 42: vn20 vn21 vn22 vn23 vn24 vn25 vn26 vn27",
    "rt3 64 96: vn30 vn31 vn32 vn33 vn34 vn35 vn36 vn37 vn50 vn51 vn52 vn53",
    "rt4 46 58: vn40 vn41 vn42 vn43 vn44 vn45 vn46 vn47",
];

fn flat(order: [usize; 8]) -> String {
    order.map(|at| SWITCHES[at]).join("\n")
}

/// The document prints vn1, vn6 for sw5, but its own vnodes and totals imply vn0, vn6.
#[test]
fn rule_5_7_the_first_table_today() {
    check(
        "sets-8",
        "sw6 8 8: vn6
         sw2 10 24: vn1 vn4
         sw5 12 16: vn0 vn6
         sw3 12 28: vn0 vn5 vn7
         sw1 14 28: vn2 vn3 vn5
         sw4 20 20: vn2 vn6 vn7",
    );
}

#[test]
fn rule_5_7_the_first_table_as_designed() {
    check(
        "sets-8-sorted",
        "sw6 8 8: vn6
         sw5 12 16: vn0 vn6
         sw4 20 20: vn2 vn6 vn7
         sw3 12 28: vn0 vn5 vn7
         sw2 10 24: vn1 vn4
         sw1 14 28: vn2 vn3 vn5",
    );
}

#[test]
fn rule_5_7_the_second_table_today() {
    check("sets-36", &flat([5, 7, 4, 6, 0, 2, 1, 3]));
}

#[test]
fn rule_5_7_the_second_table_as_designed() {
    let combined = "rt4-sw1 16 16: vn44 vn46
        rt4-sw3 20 28: vn42 vn43 vn44
        rt4-sw2 26 38: vn40 vn41 vn42 vn44 vn45
        rt4-sw4 32 40: vn42 vn43 vn44 vn45 vn47
        rt3-sw3 20 24: vn31 vn32 vn33 vn36
        rt3-sw2 24 32: vn30 vn32 vn35 vn51 vn52
        rt3-sw1 26 38: vn30 vn35 vn37 vn50 vn53
        rt3-sw4 34 46: vn30 vn32 vn33 vn34 vn35 vn50 vn53
        rt2-sw1 14 24: vn21 vn22 vn23 vn25
        rt2-sw3 18 32: vn20 vn21 vn22 vn23 vn25 vn27
        rt2-sw2 20 28: vn20 vn22 vn24 vn25 vn27
        rt2-sw4 24 30: vn20 vn22 vn23 vn24 vn25 vn26
        rt1-sw3 12 28: vn10 vn15 vn17
        rt1-sw2 20 42: vn11 vn14 vn51 vn52
        rt1-sw1 22 40: vn12 vn13 vn15 vn50 vn53
        rt1-sw4 28 32: vn12 vn16 vn17 vn50 vn53\n";
    check("sets-36-sorted", &(combined.to_owned() + &flat([7, 6, 5, 4, 0, 2, 1, 3])));
}

/// Example G: everything is idle, and sets are sorted by unused cpus.
#[test]
fn rule_5_6_example_g() {
    let mut snap = (*sample("sets-8-sorted")).clone();
    let key = GroupSortKey::parse("ncpus HIGH unused").unwrap();
    snap.policy.node_group_sort_key = ByPeriod::both(vec![key]);
    assert_eq!(names(start(&Arc::new(snap)).state()), ["sw4", "sw1", "sw5", "sw3", "sw2", "sw6"]);
}

/// The machine name states the key of each value; the short name is the document's.
#[test]
fn rule_5_6_combinations_have_two_names() {
    let cluster = Cluster {
        nodes: &[("n1", "a = \"x-y\", b = \"z\""), ("n2", "a = \"x\", b = \"y-z\"")],
        keys: &["a", "b"],
        sort: &["a LOW"],
        ..NOTHING
    };
    let debugger = start(&cluster.snapshot());
    let both: Vec<(String, &str)> =
        sets(debugger.state()).iter().map(|set| (set.shape.short_name(), &*set.shape.name)).take(2).collect();
    assert_eq!(both, [("x-y-z".to_owned(), "a=x,b=y-z"), ("x-y-z".to_owned(), "a=x-y,b=z")]);
}

const UNEVEN: &[(&str, &str)] = &[
    ("n1", "a = [\"a1\", \"a2\", \"a1\"], b = \"b1\""),
    ("n2", "a = \"a2,\", b = [\"b1\", \"b2\"]"),
    ("n3", "a = \"a1\""),
    ("n4", "b = \"b2\""),
    ("n5", "a = \",\", b = \"b1\""),
];

/// N1: combinations exist only for tuples that a node has; nodes without a key are in no combination, repeated values
/// of a list count once, and empty elements are dropped; the set of nodes that lack a key has no value to sort by.
#[test]
fn rule_5_6_n1_what_is_unset_or_repeated() {
    let cluster = Cluster { nodes: UNEVEN, keys: &["a", "b"], sort: &["b HIGH"], ..NOTHING };
    let debugger = start(&cluster.snapshot());
    let members = |name: &str| {
        let state = debugger.state();
        let found = sets(state).into_iter().find(|set| set.shape.short_name() == name);
        let bits = found.map(|set| set.shape.members.to_vec()).unwrap_or_default();
        bits.iter().map(|bit| state.plan.node_name(*bit).to_string()).collect::<Vec<_>>().join(" ")
    };
    // Combinations by b, largest first, ties as made; then the flat ones with a b; then those without, as made.
    assert_eq!(
        names(debugger.state()),
        ["a2-b2", "a1-b1", "a2-b1", "b2", "b1", "a1", "a2", "a=\"\"", "a=", "b=\"\""]
    );
    for (set, nodes) in [
        ("a1-b1", "n1"),
        ("a2-b1", "n1 n2"),
        ("a2-b2", "n2"),
        ("a1", "n1 n3"),
        ("b1", "n1 n2 n5"),
        ("b=\"\"", "n3"),
        ("a=\"\"", "n4"),
        ("a=", "n5"),
    ] {
        assert_eq!(members(set), nodes, "{set}");
    }
    let explicit = Cluster {
        nodes: UNEVEN,
        keys: &["a", "b"],
        sort: &["b LOW"],
        more: "[scheduler]\nonly_explicit_psets = true\n",
        ..NOTHING
    };
    // Without a value after all that have one, whichever way.
    assert_eq!(explicit.order(), ["a1-b1", "a2-b1", "a2-b2", "b1", "b2", "a1", "a2", "a="]);
}

const CUBE: &[(&str, &str)] = &[
    ("n1", "a = \"a1\", b = \"b1\", c = \"c1\""),
    ("n2", "a = \"a1\", b = \"b1\", c = \"c2\""),
    ("n3", "a = \"a2\", b = \"b1\", c = [\"c1\", \"c2\"]"),
];

/// N1: of three keys only full tuples are used, unless partial ones are requested; more keys come first.
#[test]
fn rule_5_6_n1_three_keys() {
    let cluster = Cluster { nodes: CUBE, keys: &["a", "b", "c"], sort: &["a HIGH", "c HIGH"], ..NOTHING };
    let full = ["a2-b1-c2", "a2-b1-c1", "a1-b1-c2", "a1-b1-c1"];
    let flat = ["a2", "a1", "c2", "c1", "b1"];
    assert_eq!(cluster.order(), [&full[..], &flat].concat());
    let mut snap = (*cluster.snapshot()).clone();
    snap.policy.node_group_sort_partial = true;
    let pairs = ["a2-c2", "a2-c1", "a2-b1", "a1-c2", "a1-c1", "a1-b1", "b1-c2", "b1-c1"];
    assert_eq!(names(start(&Arc::new(snap)).state()), [&full[..], &pairs, &flat].concat());
}

/// N1: an undefined key, or one named twice, combines with nothing.
#[test]
fn rule_5_6_n1_keys_that_are_none() {
    let unknown = Cluster { nodes: CUBE, keys: &["a", "nowhere"], sort: &["a HIGH"], ..NOTHING };
    assert_eq!(unknown.order(), ["a2", "a1"]);
    let twice = Cluster { nodes: CUBE, keys: &["a", "a"], sort: &["a HIGH"], ..NOTHING };
    assert_eq!(twice.order(), ["a2", "a2", "a1", "a1"]);
}

/// N2: sums of a consumable by each field; a missing value counts as zero; then the next key applies.
#[test]
fn rule_5_6_n2_consumable_keys() {
    let nodes = &[
        ("n1", "a = \"a1\", gpus = 2"),
        ("n2", "a = \"a2\""),
        ("n3", "a = \"a3\", gpus = 2"),
        ("n4", "a = \"a4\", gpus = 1"),
    ];
    let order = |sort: &[&str]| Cluster { nodes, keys: &["a"], sort, ..NOTHING }.order();
    // No job asks for gpus: what sets are sorted by is summed all the same. Ties in the order made.
    assert_eq!(order(&["gpus HIGH"]), ["a1", "a3", "a4", "a2"]);
    assert_eq!(order(&["gpus LOW total"]), ["a2", "a4", "a1", "a3"]);
    assert_eq!(order(&["gpus HIGH", "a HIGH"]), ["a3", "a1", "a4", "a2"]);
    assert_eq!(order(&["gpus HIGH unused", "a LOW"]), ["a1", "a3", "a4", "a2"]);
    assert_eq!(order(&["gpus HIGH assigned", "a HIGH"]), ["a4", "a3", "a2", "a1"]);
}

/// N2: booleans, and texts that are no group key, do not affect the order; ties are broken by today's sums, then by
/// the order of creation.
#[test]
fn rule_5_6_n2_keys_that_order_nothing() {
    let nodes = &[
        ("n1", "a = \"a1\", c = \"c1\", mem = \"2gb\""),
        ("n2", "a = \"a2\", c = \"c2\", mem = \"1gb\""),
        ("n3", "a = \"a3\", c = \"c3\", mem = \"2gb\""),
    ];
    let jobs = &[("1:ncpus=9:mem=1gb", "free")];
    let cluster = Cluster { nodes, jobs, keys: &["a"], sort: &["c HIGH", "nowhere LOW"], ..NOTHING };
    assert_eq!(cluster.order(), ["a2", "a1", "a3"]);
    let run = run_cycle(cluster.snapshot(), Quirks::default());
    let said = run.warnings.iter().filter(|said| said.contains("node_group_sort_key")).count();
    assert_eq!(said, 2, "{:?}", run.warnings);
}

/// N2: texts are in natural order if that is requested.
#[test]
fn rule_5_6_n2_texts_by_bytes_or_naturally() {
    let nodes = &[("n1", "a = \"sw9\""), ("n2", "a = \"sw10\""), ("n3", "a = \"sw1\"")];
    let cluster = Cluster { nodes, keys: &["a"], sort: &["a LOW"], ..NOTHING };
    assert_eq!(cluster.order(), ["sw1", "sw10", "sw9"]);
    let mut snap = (*cluster.snapshot()).clone();
    snap.policy.node_group_sort_natural = true;
    assert_eq!(names(start(&Arc::new(snap)).state()), ["sw1", "sw9", "sw10"]);
}

/// N4: unused and assigned amounts change with every start, and the order follows; stepping back undoes it.
#[test]
fn rule_5_6_n4_the_order_follows_every_start() {
    let nodes = &[
        ("n1", "a = \"a1\""),
        ("n2", "a = \"a1\""),
        ("n3", "a = \"a2\""),
        ("n4", "a = \"a2\""),
        ("n5", "a = [\"a3\", \"a1\"]"),
    ];
    let jobs = &[("1:ncpus=3", "free"), ("1:ncpus=4", "free"), ("2:ncpus=1", "free")];
    let orders = |sort: &[&str]| {
        let mut debugger = start(&Cluster { nodes, jobs, keys: &["a"], sort, ..NOTHING }.snapshot());
        let forward: Vec<Vec<String>> = (0..=debugger.len())
            .map(|at| {
                debugger.seek(at);
                names(debugger.state())
            })
            .collect();
        for (at, order) in forward.iter().enumerate().rev() {
            debugger.seek(at);
            assert_eq!(names(debugger.state()), *order, "back at {at}");
        }
        forward
    };
    // 12, 8 and 4 idle cpus; 9, 8, 4; 5, 8, 4; 5, 6, 4.
    assert_eq!(
        orders(&["ncpus HIGH unused"]),
        [["a1", "a2", "a3"], ["a1", "a2", "a3"], ["a2", "a1", "a3"], ["a2", "a1", "a3"]]
    );
    // Nothing assigned: by today's sums; then 3 in a3 and a1; 4 in a2; 5 in a1.
    assert_eq!(
        orders(&["ncpus LOW assigned"]),
        [["a3", "a2", "a1"], ["a2", "a3", "a1"], ["a3", "a1", "a2"], ["a3", "a2", "a1"]]
    );
    // A value does not change.
    assert!(orders(&["a HIGH"]).iter().all(|order| *order == ["a3", "a2", "a1"]));
}

/// Queues with their own keys combine and sort by these; `place=group=` sorts by the same keys.
#[test]
fn rule_5_6_queue_keys_and_group_requests() {
    let cluster = Cluster {
        nodes: CUBE,
        jobs: &[("1:ncpus=1", "free:group=c"), ("2:ncpus=1", "scatter")],
        keys: &["a"],
        sort: &["a HIGH", "c HIGH"],
        ..NOTHING
    };
    let mut snap = (*cluster.snapshot()).clone();
    for queue in snap.queues.iter_mut() {
        queue.node_group_key = ["b".into(), "c".into()].to_vec();
    }
    let run = Arc::new(run_cycle(Arc::new(snap), Quirks::of(Semantics::Fixed)));
    let sets: Vec<_> =
        run.outcomes().map(|o| o.placed.as_ref().and_then(|placed| placed.set.clone())).collect();
    assert_eq!(sets, [Some("c=c2".into()), Some("b=b1,c=c2".into())]);
    let debugger = Debugger::new(run);
    assert_eq!(names(debugger.state()), ["a2", "a1"]);
}

/// Off as observed; on if the design is followed, the quirk is off, or policy.toml requests it.
#[test]
fn d12_node_group_sort_key_of_a_sched_config() {
    let mut snap = (*sample("sets-36-sorted")).clone();
    snap.policy.node_group_sort_requested = false;
    let snap = Arc::new(snap);
    let count = |quirks| sets(Debugger::new(Arc::new(run_cycle(snap.clone(), quirks))).state()).len();
    assert_eq!((count(Quirks::default()), count(Quirks::of(Semantics::Fixed))), (8, 8));
    assert_eq!(count(Quirks::of(Semantics::Design)), 24);
    let mut known = Quirks::default();
    known.set(Quirk::NoGroupSort, false);
    assert_eq!(count(known), 24);
}

/// With one key and no sort key nothing changes, whichever behaviour is followed.
#[test]
fn one_key_and_no_sort_key_is_today() {
    let without = (*sample("sets-8")).clone();
    let mut asked = without.clone();
    asked.policy.node_group_sort_requested = true;
    let tables = [without, asked].map(|snap| {
        let run: Run = run_cycle(Arc::new(snap), Quirks::default());
        assert!(run.plan.group_order.is_none());
        table(Debugger::new(Arc::new(run)).state())
    });
    assert_eq!(tables[0], tables[1]);
}

/// One key and a sort key: the same sets as today, in another order.
#[test]
fn one_key_makes_the_same_sets() {
    let mut today = table(start(&sample("sets-8")).state());
    let mut sorted = table(start(&sample("sets-8-sorted")).state());
    today.sort();
    sorted.sort();
    assert_eq!(today, sorted);
}
