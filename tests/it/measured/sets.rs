//! Placement sets: those tried, what they count, and the order in which they are made.

use qscope::cluster::Epoch;
use qscope::universe::{CopyPurpose, PoolOwner, Semantics};

use super::{
    HOUR, NOW, RESOURCES, STRICT, comment, cycle, cycle_as, estimate, job, node, place, tries, with_sets,
};

/// M1: every examined set is listed, those passed over by their sums as too small; each subjob of an array
/// lists its own; and a job refused with its class lists none.
#[test]
fn m1_sets_tried_are_listed() {
    let nodes = node("n1", "ncpus = 1, a = \"x\"", "") + &node("n2", "ncpus = 2, a = \"y\"", "");
    let queue = job("1[]", "1:ncpus=1", "pack", "array = \"1-3\"")
        + &job("2", "1:ncpus=2", "pack", "")
        + &job("3", "1:ncpus=2", "pack", "");
    let run = cycle(&nodes, &queue, &with_sets("[sched_config]\nby_queue = false\n").replace(", \"b\"", ""));
    let (x, y) = ("a=x".to_owned(), "a=y".to_owned());
    assert_eq!(
        tries(&run, "1[]"),
        [(x.clone(), false), (x.clone(), true), (y.clone(), false), (x, true), (y, false)]
    );
    assert_eq!(tries(&run, "3"), []);
}

/// M2: a node that was taken twice (bug B1) is subtracted twice from the count of the one set it remembers,
/// and a negative count is not "no free node".
#[test]
fn m2_counts_of_free_nodes_fall_below_nothing() {
    let nodes =
        node("n1", "ncpus = 8, a = \"x\", b = \"z\"", "") + &node("n2", "ncpus = 8", "state = \"offline\"");
    let policy = with_sets("[scheduler]\nonly_explicit_psets = true\n");
    let takes = |ids: &[&str]| ids.iter().map(|id| job(id, "1:ncpus=1", "free:excl", "")).collect::<String>();
    let last = job("9", "1:ncpus=1", "free", "");
    let twice = cycle(&nodes, &(takes(&["1", "2"]) + &last), &policy);
    assert_eq!((place(&twice, "1"), place(&twice, "2")), (place(&twice, "2"), place(&twice, "1")));
    let set = twice.end.sets.iter().find(|set| &*set.shape.name == "b=z").unwrap();
    assert_eq!(set.free_nodes, -1);
    assert!(tries(&twice, "9").contains(&("b=z".to_owned(), false)));
    let once = cycle(&nodes, &(takes(&["1"]) + &last), &policy);
    assert!(tries(&once, "9").contains(&("b=z".to_owned(), true)));
}

/// M5: a single chunk does not try a node again that refused it in an earlier set, so that the last set
/// leaves no reason here and the first reason of all is reported; several chunks try it again.
#[test]
fn m5_a_lone_chunk_asks_each_node_once() {
    let nodes = node("n1", "ncpus = 8, a = [\"x\", \"y\"]", "") + &node("n2", "ncpus = 9, a = \"y\"", "");
    let queue = "[[reservation]]\nname = \"R1\"\nstart = \"+00:30:00\"\nduration = \"01:00:00\"\n\
        on = \"(n1:ncpus=8)\"\nselect = \"1:ncpus=8\"\nplace = \"excl\"\n"
        .to_owned()
        + &job("1", "1:ncpus=1", "free", "on = \"(n2:ncpus=1)\"\nstarted = \"-00:10:00\"");
    let policy =
        with_sets("[sched_config]\nnode_sort_key = [\"ncpus HIGH unused\"]\n").replace(", \"b\"", "");
    let lone = cycle(&nodes, &(queue.clone() + &job("2", "1:ncpus=2", "free:excl", "")), &policy);
    assert_eq!(comment(&lone, "2"), "Not Running: Job is requesting an exclusive node and node is in use");
    let two = cycle(&nodes, &(queue + &job("2", "2:ncpus=2", "free:excl", "")), &policy);
    assert_eq!(comment(&two, "2"), "Not Running: Job would conflict with reservation or top job");
}

/// M8: pools are made in the order in which queues are served, so that a node remembers the set of the one
/// served last.
#[test]
fn m8_pools_follow_the_order_of_queues() {
    let nodes = node("n1", "ncpus = 8, a = \"x\"", "");
    let queue = |name: &str, priority: i64| {
        format!("[[queue]]\nname = \"{name}\"\npriority = {priority}\nnode_group_key = [\"a\"]\n")
    };
    let queues = queue("low", 1) + &queue("high", 9);
    let owners = |by_queue: bool| {
        let policy =
            format!("[sched_config]\nby_queue = {by_queue}\n[server]\nnode_group_enable = true\n{RESOURCES}");
        let run = cycle(&nodes, &queues, &policy);
        let name = |owner: &PoolOwner| match owner {
            PoolOwner::Server => "server".to_owned(),
            PoolOwner::Queue(id) => run.plan.snap.queues[*id].name.to_string(),
        };
        run.end.pools.iter().map(|pool| name(&pool.owner)).collect::<Vec<_>>()
    };
    assert_eq!(owners(true), ["high", "low"]);
    assert_eq!(owners(false), ["low", "high"]);
}

/// M12: a set's buckets ignore the state of a node once anything has ended (rule 3.4 U); without the bug of
/// the calendar (B4) they do not.
#[test]
fn m12_without_b4_a_node_in_maintenance_stays_busy_in_its_sets() {
    let nodes = node("n1", "ncpus = 8, a = \"x\"", "state = \"maintenance\"")
        + &node("n2", "ncpus = 8, a = \"x\"", "");
    let queue = job("1", "1:ncpus=8", "free:excl", "on = \"(n2:ncpus=8)\"\nstarted = \"-00:00:00\"")
        + &job("2", "1:ncpus=8", "free:excl", "");
    let policy = with_sets(STRICT).replace(", \"b\"", "");
    let planned = |semantics| estimate(&cycle_as(semantics, &nodes, &queue, &policy), "2");
    let in_an_hour = |node: &str| Some((Epoch(NOW + HOUR), format!("({node}:ncpus=8)")));
    assert_eq!(planned(Semantics::Observed), in_an_hour("n1"));
    assert_eq!(planned(Semantics::Fixed), in_an_hour("n2"));
}

/// Rules 2.4.2 and 3.5: the bucket of a node that lacks a resource which may be unset holds any amount of it,
/// whatever the total of the other nodes of its set.
#[test]
fn a_set_holds_more_of_what_may_be_unset_than_its_nodes_sum_up_to() {
    let nodes = node("n1", "ncpus = 8, a = \"x\"", "") + &node("n2", "ncpus = 1, ngpus = 2, a = \"x\"", "");
    let policy = "[sched_config]\nresource_unset_infinite = [\"ngpus\"]\n\
        resources = [\"ncpus\", \"ngpus\", \"host\", \"vnode\"]\n\
        [[resource]]\nname = \"ngpus\"\ntype = \"long\"\nflag = \"nh\"\n";
    let run = cycle(
        &nodes,
        &job("1", "2:ncpus=4:ngpus=2", "free:excl", ""),
        &with_sets(policy).replace(", \"b\"", ""),
    );
    let found = run.outcome(run.plan.snap.job_named("1").unwrap()).unwrap().placed.as_ref().unwrap();
    assert_eq!(found.set.as_deref(), Some("a=x"));
    assert_eq!(found.allocation.exec_vnode(&run.plan), "(n1:ncpus=4:ngpus=2)+(n1:ncpus=4:ngpus=2)");
}

/// Rule 5.1: the pool of `place=group=` stays as it is until a job starts or ends, so that a node planned for
/// a top job in between is free in it (bug B4); where sets follow all that is planned it is not.
#[test]
fn the_pool_of_a_group_stays_when_a_top_job_is_planned() {
    let of = |name: &str, has: &str| node(name, has, "");
    let nodes = of("n0", "ncpus = 8, a = \"x\", fast = true")
        + &of("n1", "ncpus = 8, a = \"x\", fast = true")
        + &of("n2", "ncpus = 16, a = \"y\", fast = false");
    let two = "walltime = \"02:00:00\"";
    let queue = job("1", "1:ncpus=8", "free:excl", "on = \"(n0:ncpus=8)\"\nstarted = \"-00:00:00\"")
        + &job("2", "2:ncpus=8:fast=True", "scatter:excl:group=a", two)
        + &job("3", "1:ncpus=8", "scatter:excl:group=a", two);
    let placed = |semantics| {
        let run = cycle_as(semantics, &nodes, &queue, &format!("{STRICT}{RESOURCES}"));
        assert_eq!(estimate(&run, "2").map(|(at, _)| at), Some(Epoch(NOW + HOUR)));
        place(&run, "3")
    };
    assert_eq!(placed(Semantics::Observed).as_deref(), Some("(n1:ncpus=8)"));
    assert_eq!(placed(Semantics::Fixed).as_deref(), Some("(n2:ncpus=8)"));
}

/// M3 without bug B1: a node remembers all its sets, and in a copy of the universe a start changes those of the server.
#[test]
fn a_simulated_start_changes_all_sets_of_the_server_that_a_node_remembers() {
    let nodes = node("n1", "ncpus = 8, a = \"x\", b = \"z\"", "");
    let run = cycle_as(Semantics::Fixed, &nodes, &job("1", "1:ncpus=8", "free:excl", ""), &with_sets(""));
    let mut state = qscope::cycle::Debugger::new(run.clone()).state().clone();
    let (at, outcome) =
        (run.plan.snap.job_named("1").unwrap(), run.outcome(run.plan.snap.job_named("1").unwrap()));
    let allocation = outcome.unwrap().placed.as_ref().unwrap().allocation.clone();
    let occupant = qscope::universe::Occupant::Job(at, None);
    state.in_copy(CopyPurpose::Calendar, |state| {
        state.begin(occupant, qscope::cluster::PlaceSharing::Excl, &allocation);
    });
    let free = |name: &str| state.sets.iter().find(|set| &*set.shape.name == name).unwrap().free_nodes;
    assert_eq!((free("a=x"), free("b=z")), (0, 0));
}

/// M27: a start makes a resource that no node of a set has: once sets are summed again the set has it, and nothing of it, so
/// that a job that asks for some waits for the other set.
#[test]
fn m27_a_resource_made_by_a_start_is_used_up_for_good() {
    let of = |name: &str, set: &str, gpus: &str| node(name, &format!("ncpus = 8, a = \"{set}\"{gpus}"), "");
    let nodes = of("n1", "x", "") + &of("n2", "x", "") + &of("n3", "y", ", ngpus = 4");
    let runs = |on: &str, walltime: &str| {
        format!("started = \"-00:00:00\"\non = \"({on}:ncpus=8)\"\nwalltime = \"{walltime}\"")
    };
    let found = |first: &str| {
        let jobs = [
            job("8", "1:ncpus=8", "free", &runs("n2", "00:10:00")),
            job("9", "1:ncpus=8", "free", &runs("n3", "02:00:00")),
            job("1", first, "free", "walltime = \"08:00:00\""),
            job("2", "1:ncpus=8:ngpus=1", "free", ""),
        ];
        let policy = "[sched_config]\nstrict_ordering = true\nresource_unset_infinite = [\"ngpus\"]\n\
            resources = [\"ncpus\", \"ngpus\", \"host\", \"vnode\"]\n\
            [[resource]]\nname = \"ngpus\"\ntype = \"long\"\nflag = \"nh\"\n";
        let run = cycle(&nodes, &jobs.concat(), &with_sets(policy).replace(", \"b\"", ""));
        assert!(place(&run, "1").is_some_and(|on| on.starts_with("(n1:")));
        estimate(&run, "2").map(|(start, _)| start.0 - NOW)
    };
    assert_eq!(found("1:ncpus=8"), Some(600));
    assert_eq!(found("1:ncpus=8:ngpus=1"), Some(2 * HOUR));
}
