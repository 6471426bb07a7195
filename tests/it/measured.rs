//! Rules that no document has: they were found in the answers of the real scheduler (M1 and on of `tests/rules.toml`), each
//! on the smallest cluster that shows it.

use std::sync::Arc;

use qscope::cluster::{Epoch, Sharedness};
use qscope::cycle::{Debugger, Run, run_cycle};
use qscope::source::toml_form;
use qscope::universe::{Allocation, Bit, Occupant, Piece, PoolOwner, Quirks, Semantics};

const NOW: i64 = 1_763_700_000;
const HOUR: i64 = 3600;

const RESOURCES: &str = "[[resource]]\nname = \"a\"\ntype = \"string_array\"\nflag = \"h\"\n\
    [[resource]]\nname = \"b\"\ntype = \"string_array\"\nflag = \"h\"\n\
    [[resource]]\nname = \"fast\"\ntype = \"boolean\"\nflag = \"h\"\n";

/// Sets by both keys; anything else of the policy goes before.
fn with_sets(more: &str) -> String {
    format!("{more}\n[server]\nnode_group_enable = true\nnode_group_key = [\"a\", \"b\"]\n{RESOURCES}")
}

fn cycle_as(semantics: Semantics, nodes: &str, queue: &str, policy: &str) -> Arc<Run> {
    let queue = format!("now = {NOW}\n{queue}");
    let snap = toml_form::read(Some(nodes), Some(&queue), Some(policy), None, "measured").unwrap();
    Arc::new(run_cycle(Arc::new(snap), Quirks::of(semantics)))
}

fn cycle(nodes: &str, queue: &str, policy: &str) -> Arc<Run> {
    cycle_as(Semantics::Observed, nodes, queue, policy)
}

fn node(name: &str, has: &str, more: &str) -> String {
    format!("[[node]]\nname = \"{name}\"\navailable = {{ {has} }}\n{more}\n")
}

/// A job of one hour, unless more says otherwise.
fn job(id: &str, select: &str, place: &str, more: &str) -> String {
    let hour = if more.contains("walltime") { "" } else { "walltime = \"01:00:00\"\n" };
    format!("[[job]]\nid = \"{id}\"\nselect = \"{select}\"\nplace = \"{place}\"\n{hour}{more}\n")
}

fn place(run: &Run, name: &str) -> Option<String> {
    let outcome = run.outcome(run.plan.snap.job_named(name).unwrap())?;
    Some(outcome.placed.as_ref()?.allocation.exec_vnode(&run.plan))
}

fn comment(run: &Run, name: &str) -> String {
    let outcome = run.outcome(run.plan.snap.job_named(name).unwrap()).unwrap();
    outcome.rejection.as_ref().map(|no| no.comment(&run.plan.snap.catalogue)).unwrap_or_default()
}

/// The sets tried in all steps of a job.
fn tries(run: &Run, name: &str) -> Vec<(String, bool)> {
    let job = run.plan.snap.job_named(name).unwrap();
    let steps = run.steps.iter().filter(|step| step.outcome.job == job);
    let named = steps.flat_map(|step| step.outcome.tries.named(&run.end));
    named.map(|(name, too_small)| (name.to_string(), too_small)).collect()
}

fn estimate(run: &Run, name: &str) -> Option<(Epoch, String)> {
    let outcome = run.outcome(run.plan.snap.job_named(name).unwrap())?;
    outcome.estimate.as_ref().map(|top| (top.start, top.allocation.exec_vnode(&run.plan)))
}

const STRICT: &str = "[sched_config]\nstrict_ordering = true\n";

/// M1: every set that was looked at is listed, those passed over by their sums as too small; each subjob of an array
/// lists its own; and a job that is told what its class mate was told lists none.
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

/// M2: a node that was taken twice (bug B1) is taken off the count of the one set it remembers twice, and a count
/// below nothing is not "no free node".
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

/// M3: in a copy of the universe a start changes the sums of the server's sets only, and of a node's sets only those
/// before the first that is not the server's.
#[test]
fn m3_simulated_starts_change_the_sets_of_the_server_only() {
    let nodes = node("n1", "ncpus = 8, a = \"x\", b = \"z\"", "");
    let of_server = "[server]\nnode_group_enable = true\nnode_group_key = [\"a\"]\n".to_owned() + RESOURCES;
    let free_after = |queue: &str, simulated: bool| {
        let run = cycle(&nodes, queue, &of_server);
        let mut state = Debugger::new(run.clone()).state().clone();
        let shape = run.plan.request(run.plan.snap.job_named("1").unwrap(), false).unwrap().specs[0].shape;
        let gives = qscope::universe::Gives::Shape(shape);
        let allocation =
            Allocation { pieces: vec![Piece { bit: Bit(0), chunk: 0, times: 1, spec: 0, gives }] };
        let occupant = Occupant::Job(run.plan.snap.job_named("1").unwrap(), None);
        let begin = |state: &mut qscope::universe::State| {
            state.begin(occupant, Sharedness::Excl, &Arc::new(allocation));
        };
        if simulated {
            state.simulate(begin);
        } else {
            begin(&mut state);
        }
        state.pools.iter().map(|pool| state.sets[pool.sets[0]].free_nodes).collect::<Vec<_>>()
    };
    let never = job("1", "1:ncpus=9", "free:excl", "");
    assert_eq!(free_after(&never, true), [0]);
    // The queue's set is made last, so it is the one that the node remembers (bug B1).
    let with_queue = "[[queue]]\nname = \"q2\"\nnode_group_key = [\"b\"]\n".to_owned() + &never;
    assert_eq!(free_after(&with_queue, false), [1, 0]);
    assert_eq!(free_after(&with_queue, true), [1, 1]);
}

/// M4: an array that goes ahead of all queues comes up once more after its last subjob: its class has failed without a text,
/// and under a strict order those behind it are stopped. An array of a plain queue does not come up again.
#[test]
fn m4_an_array_that_started_whole_stops_a_strict_order() {
    let nodes = node("n1", "ncpus = 8", "");
    let queues = |priority: u32| format!("[[queue]]\nname = \"workq\"\npriority = {priority}\n");
    let by_queue = "[sched_config]\nby_queue = true\n";
    let strict = format!("{by_queue}strict_ordering = true\n[server]\nbackfill_depth = 0\n");
    let array = job("1[]", "1:ncpus=1", "free", "queue = \"workq\"\narray = \"1-2\"");
    let behind = job("2", "1:ncpus=1", "free", "queue = \"workq\"");
    let under = |policy: &str, priority| cycle(&nodes, &(queues(priority) + &array + &behind), policy);
    let stopped = under(&strict, 150);
    let two = stopped.others.iter().find(|outcome| Some(outcome.job) == stopped.plan.snap.job_named("2"));
    let why = two.and_then(|outcome| outcome.rejection.as_ref()).unwrap();
    assert_eq!(why.comment(&stopped.plan.snap.catalogue), "Not Running: Job would break strict sorted order");
    assert_eq!(comment(&under(by_queue, 150), "2"), "Not Running: ");
    assert_eq!(place(&under(&strict, 10), "2").as_deref(), Some("(n1:ncpus=1)"));
}

/// M5: a lone chunk does not ask a node again that said no in an earlier set, so the last set leaves no reason here
/// and the first one of all is told; several chunks ask it anew.
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

/// M6: host by host, a vnode that took the one chunk that vscatter allows has it for good, also when the set it was
/// in cannot hold the rest.
#[test]
fn m6_vscatter_keeps_what_it_took_from_set_to_set() {
    let on = |name: &str, host: &str, fast: bool, set: &str| {
        node(name, &format!("ncpus = 4, fast = {fast}, a = {set}, host = \"{host}\""), "")
    };
    let nodes = [
        on("v0", "h0", true, "[\"x\", \"y\"]"),
        on("v1", "h0", false, "[\"x\", \"y\"]"),
        on("v2", "h1", true, "\"y\""),
        on("v3", "h1", false, "\"y\""),
    ];
    let policy = with_sets("").replace(", \"b\"", "");
    let two = |place: &str| cycle(&nodes.concat(), &job("1", "2:ncpus=4:fast=true", place, ""), &policy);
    assert_eq!(place(&two("scatter"), "1").as_deref(), Some("(v0:ncpus=4)+(v2:ncpus=4)"));
    assert_eq!(place(&two("vscatter"), "1"), None);
}

/// M7: a host whose sums still count vnodes that were taken (bug B1), and that has no free one left, is not asked for
/// the other parts of a select: what it would say of them is not heard.
#[test]
fn m7_a_host_without_a_free_vnode_is_left_at_once() {
    let on = |name: &str, host: &str, set: &str| {
        node(name, &format!("ncpus = 8, a = \"{set}\", host = \"{host}\""), "")
    };
    let nodes = [on("v0", "h0", "x"), on("v1", "h0", "x"), on("v2", "h1", "y"), on("v3", "h1", "y")].concat();
    let queue =
        job("1", "2:ncpus=8", "free:excl", "") + &job("2", "1:ncpus=1+1:ncpus=17:vnode=v2", "free", "");
    let run = cycle(&nodes, &queue, &with_sets("").replace(", \"b\"", ""));
    assert_eq!(place(&run, "1").as_deref(), Some("(v0:ncpus=8)+(v1:ncpus=8)"));
    assert_eq!(comment(&run, "2"), "Not Running: Insufficient amount of resource: ncpus ");
}

/// M8: pools are made in the order in which queues are served, so the one served last is what a node remembers.
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

/// M9: a top job may be planned for a moment that has passed, when a job that ran beyond its time gives it room
/// (rule 11 item 2); on the node path nobody waits for that.
#[test]
fn m9_what_was_planned_for_the_past_holds_no_job_up() {
    let nodes = node("n1", "ncpus = 8", "") + &node("n2", "ncpus = 4", "");
    let overdue = "on = \"(n1:ncpus=8)\"\nstarted = \"-02:00:00\"\n\
        resources = { walltime = \"01:00:00\", soft_walltime = \"00:30:00\" }";
    let queue = job("1", "1:ncpus=8", "free", overdue)
        + &job("2", "1:ncpus=8+1:ncpus=4", "scatter", "")
        + &job("3", "1:ncpus=4", "free", "");
    let run = cycle(&nodes, &queue, STRICT);
    let past = Epoch(NOW - HOUR);
    assert_eq!(estimate(&run, "2"), Some((past, "(n1:ncpus=8)+(n2:ncpus=4)".to_owned())));
    assert_eq!(place(&run, "3").as_deref(), Some("(n2:ncpus=4)"));
}

/// Three nodes of a queue, of which the second set's second is busy for an hour.
fn of_a_queue() -> (String, String) {
    let of = |name: &str, set: &str| node(name, &format!("ncpus = 8, a = \"{set}\""), "queue = \"q2\"");
    let nodes = [of("n1", "x"), of("n2", "y"), of("n3", "y")].concat();
    let busy = "queue = \"q2\"\non = \"(n3:ncpus=8)\"\nstarted = \"-00:00:00\"";
    let two = job("2", "2:ncpus=8", "scatter:excl", "queue = \"q2\"\nwalltime = \"04:00:00\"");
    (nodes, "[[queue]]\nname = \"q2\"\n".to_owned() + &job("1", "1:ncpus=8", "free:excl", busy) + &two)
}

/// M10: simulations do not know the sets of queues with nodes: a job of the bucket path that waits for its set is
/// planned as if none could hold it, or never where it may not span.
#[test]
fn m10_sets_of_queues_are_unknown_to_simulations() {
    let (nodes, queue) = of_a_queue();
    let plan = |spans: bool| {
        let more = format!("{STRICT}[scheduler]\ndo_not_span_psets = {}\n", !spans);
        cycle_as(Semantics::Fixed, &nodes, &queue, &with_sets(&more).replace(", \"b\"", ""))
    };
    let run = plan(true);
    assert_eq!(comment(&run, "2"), "Not Running: No available resources on nodes");
    assert_eq!(estimate(&run, "2"), Some((Epoch(NOW), "(n1:ncpus=8)+(n2:ncpus=8)".to_owned())));
    assert_eq!(estimate(&plan(false), "2"), None);
}

/// M11: the start of a top job at the very moment of the cycle never comes true in a later simulation.
#[test]
fn m11_a_start_at_once_holds_no_node_in_simulations() {
    let (nodes, queue) = of_a_queue();
    let queue = queue + &job("3", "3:ncpus=8", "scatter:excl", "queue = \"q2\"");
    let policy = with_sets(STRICT).replace(", \"b\"", "").replace("[server]", "[server]\nbackfill_depth = 2");
    let run = cycle_as(Semantics::Fixed, &nodes, &queue, &policy);
    assert_eq!(estimate(&run, "2").map(|found| found.0), Some(Epoch(NOW)));
    let in_an_hour = Epoch(NOW + HOUR);
    assert_eq!(estimate(&run, "3"), Some((in_an_hour, "(n1:ncpus=8)+(n2:ncpus=8)+(n3:ncpus=8)".to_owned())));
}

/// M11: where a job ends at the very moment of the cycle, what starts after it holds its node.
#[test]
fn m11_a_start_after_an_end_at_once_happens() {
    let nodes = node("n1", "ncpus = 8", "");
    let ends = "on = \"(n1:ncpus=8)\"\nstarted = \"-01:00:00\"";
    let queue = job("1", "1:ncpus=8", "free", ends)
        + &job("2", "1:ncpus=8", "free", "walltime = \"04:00:00\"")
        + &job("3", "1:ncpus=8", "free", "");
    let run = cycle(&nodes, &queue, &format!("{STRICT}[server]\nbackfill_depth = 2\n"));
    assert_eq!(estimate(&run, "2"), Some((Epoch(NOW), "(n1:ncpus=8)".to_owned())));
    assert_eq!(estimate(&run, "3"), Some((Epoch(NOW + 4 * HOUR), "(n1:ncpus=8)".to_owned())));
}

/// M40: what the time test of the node path and limits read ahead begins behind such a start.
#[test]
fn m40_a_start_at_once_delays_no_job_of_the_cycle() {
    let (nodes, queue) = of_a_queue();
    let limited = |limit: &str| {
        let queue = queue.clone() + &job("3", "1:ncpus=8", "free", "queue = \"q2\"\nuser = \"ann\"");
        let server = format!("[server]\nbackfill_depth = 2\n{limit}");
        let policy = with_sets(STRICT).replace(", \"b\"", "").replace("[server]", &server);
        cycle_as(Semantics::Fixed, &nodes, &queue, &policy)
    };
    for limit in ["", "max_run = \"[o:PBS_ALL=2]\""] {
        let run = limited(limit);
        assert_eq!(estimate(&run, "2"), Some((Epoch(NOW), "(n1:ncpus=8)+(n2:ncpus=8)".to_owned())));
        assert_eq!(place(&run, "3").as_deref(), Some("(n1:ncpus=8)"), "{limit}");
    }
}

/// M12: a set's buckets do not look at the state of a node once anything has ended (rule 3.4 U); without the
/// bug of the calendar (B4) they do.
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

/// M31: a job that started inside a reservation gives back server resources as it ends, though it took none.
#[test]
fn m31_an_end_inside_a_reservation_frees_server_resources() {
    let nodes = node("n1", "ncpus = 8", "") + &node("n2", "ncpus = 8", "");
    let reservation = "[[reservation]]\nname = \"R1\"\nstart = \"-00:10:00\"\nduration = \"04:00:00\"\n\
        on = \"(n1:ncpus=8)\"\nusers = [\"ann\"]\n";
    let inside = "user = \"ann\"\nqueue = \"R1\"\nwalltime = \"00:30:00\"";
    let runs = "user = \"bob\"\nstarted = \"-00:30:00\"\non = \"(n2:ncpus=4)\"\nwalltime = \"02:00:00\"";
    let queue = reservation.to_owned()
        + &job("1", "1:ncpus=4", "free", runs)
        + &job("2", "1:ncpus=4", "free", inside)
        + &job("3", "1:ncpus=4", "free", "user = \"bob\"");
    let policy = format!("{STRICT}[server]\nbackfill_depth = 1\nresources_available = {{ ncpus = 6 }}\n");
    let run = cycle(&nodes, &queue, &policy);
    assert_eq!(place(&run, "2").as_deref(), Some("(n1:ncpus=4)"));
    assert_eq!(
        comment(&run, "3"),
        "Not Running: Insufficient amount of server resource: ncpus (R: 4 A: 2 T: 6)"
    );
    assert_eq!(estimate(&run, "3"), Some((Epoch(NOW + HOUR / 2), "(n2:ncpus=4)".to_owned())));
}

/// M32: a reservation that is confirmed ends the cycle before formula values are compared with the threshold.
#[test]
fn m32_a_confirmed_reservation_leaves_jobs_under_the_threshold_without_a_comment() {
    let nodes = node("n1", "ncpus = 8", "");
    let policy = "[server]\njob_sort_formula = \"ncpus\"\n[scheduler]\njob_sort_formula_threshold = 5\n";
    let jobs = job("1", "1:ncpus=4", "free", "") + &job("2", "1:ncpus=8", "free", "");
    let under = "Not Running: Job is under job_sort_formula threshold value";
    assert_eq!(comment(&cycle(&nodes, &jobs, policy), "1"), under);
    let reservation = "[[reservation]]\nname = \"R1\"\nstart = \"+04:00:00\"\nduration = \"01:00:00\"\n\
        select = \"1:ncpus=8\"\nusers = [\"ann\"]\n";
    let run = cycle(&nodes, &(reservation.to_owned() + &jobs), policy);
    assert!(run.confirmations.iter().any(qscope::cycle::Confirmation::is_confirmed));
    assert_eq!((comment(&run, "1"), comment(&run, "2")), (String::new(), String::new()));
}

/// M33: of an amount that vnodes of a host share, a broken chunk gets no more than there is.
#[test]
fn m33_vnodes_give_a_shared_amount_to_a_broken_chunk_once() {
    let nodes = node("a", "host = \"h\", ncpus = 2, shared = 10", "")
        + &node("b", "host = \"h\", ncpus = 2, shared = \"@a\"", "")
        + &node("c", "ncpus = 2, shared = 10", "");
    let policy = "[[resource]]\nname = \"shared\"\ntype = \"long\"\nflag = \"nh\"\n\
        [sched_config]\nresources = [\"ncpus\", \"host\", \"vnode\", \"shared\"]\n";
    let run = cycle(&nodes, &job("1", "2:ncpus=2:shared=6", "free", ""), policy);
    assert_eq!(place(&run, "1").as_deref(), Some("(a:ncpus=2:shared=6)+(c:ncpus=2:shared=6)"));
}

/// M34: what the scheduler does not check stands in the estimate of a job that goes back.
#[test]
fn m34_the_estimate_of_a_return_names_what_is_not_checked() {
    let nodes = node("n1", "ncpus = 8, ngpus = 2", "");
    let policy = "[[resource]]\nname = \"ngpus\"\ntype = \"long\"\nflag = \"nh\"\n\
        [sched_config]\nstrict_ordering = true\npreemptive_sched = true\nresources = [\"ncpus\", \"host\", \"vnode\"]\n\
        [scheduler]\npreempt_order = \"S\"\n";
    let runs = "on = \"(n1:ncpus=8:ngpus=1)\"\nstarted = \"-00:10:00\"";
    let queue = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"express\"\npriority = 200\n".to_owned()
        + &job("1", "1:ncpus=8:ngpus=1", "free", &format!("queue = \"workq\"\n{runs}"))
        + &job("2", "1:ncpus=8", "free", "queue = \"express\"");
    let run = cycle(&nodes, &queue, policy);
    assert_eq!(place(&run, "2").as_deref(), Some("(n1:ncpus=8)"));
    assert_eq!(estimate(&run, "1"), Some((Epoch(NOW + HOUR), "(n1:ngpus=1:ncpus=8)".to_owned())));
}

const NO_CPUS: &str = "Not Running: Insufficient amount of resource: ncpus ";

/// M35: what a node of a reservation lacked for one chunk is no reason for the next.
#[test]
fn m35_a_node_of_a_reservation_is_asked_once_for_a_part() {
    let nodes = node("n1", "ncpus = 2", "") + &node("n2", "ncpus = 8", "") + &node("n3", "ncpus = 8", "");
    let reservation = "[[reservation]]\nname = \"R1\"\nstart = \"-00:10:00\"\nduration = \"04:00:00\"\n\
        on = \"(n1:ncpus=2)+(n2:ncpus=8)\"\nusers = [\"ann\"]\n";
    let inside = "user = \"ann\"\nqueue = \"R1\"";
    let jobs = |place| reservation.to_owned() + &job("1", "2:ncpus=4", place, inside);
    let none = "Not Running: No available resources on nodes";
    assert_eq!(comment(&cycle(&nodes, &jobs("scatter"), ""), "1"), none);
    let one = reservation.to_owned() + &job("1", "1:ncpus=9", "scatter", inside);
    assert_eq!(comment(&cycle(&nodes, &one, ""), "1"), NO_CPUS);
}

const BY_USE: &str = "[sched_config]\nnode_sort_key = [\"ncpus HIGH unused\"]\n";

/// Two vnodes of one host.
fn host(of: &str, more: &str) -> String {
    let has = |cpus: &str| format!("host = \"{of}\", ncpus = {cpus}{more}");
    node(&format!("{of}0"), &has("8"), "") + &node(&format!("{of}1"), &has("6"), "")
}

/// M36: packed chunks go to the vnode that has most left each time; free ones take the vnodes as they lie.
#[test]
fn m36_vnodes_are_sorted_anew_after_every_packed_chunk() {
    let placed = |place| {
        let run = cycle(&host("h", ""), &job("1", "2:ncpus=3", place, ""), BY_USE);
        self::place(&run, "1")
    };
    assert_eq!(placed("pack").as_deref(), Some("(h0:ncpus=3)+(h1:ncpus=3)"));
    assert_eq!(placed("free").as_deref(), Some("(h0:ncpus=3)+(h0:ncpus=3)"));
}

/// M37: after a job of several free chunks the next one finds the set's vnodes sorted; after one of a single chunk not.
#[test]
fn m37_free_chunks_leave_the_list_of_their_set_sorted() {
    let policy = format!("{BY_USE}[server]\nnode_group_enable = true\nnode_group_key = [\"a\"]\n{RESOURCES}");
    let second = |select| {
        let jobs = job("1", select, "free", "") + &job("2", "1:ncpus=1", "free", "");
        place(&cycle(&host("h", ", a = \"x\""), &jobs, &policy), "2")
    };
    assert_eq!(second("2:ncpus=2").as_deref(), Some("(h1:ncpus=1)"));
    assert_eq!(second("1:ncpus=4").as_deref(), Some("(h0:ncpus=1)"));
}

/// M38: a vnode that would hold the whole chunk if it were free keeps the chunk from being broken over the others.
#[test]
fn m38_a_chunk_that_a_closed_vnode_could_hold_is_not_broken() {
    let vnodes = |state| {
        let vnode = |name: &str, more: &str| node(name, "host = \"h\", ncpus = 4", more);
        vnode("h0", "") + &vnode("h1", "") + &node("h2", "host = \"h\", ncpus = 8", state)
    };
    let run = |state| cycle(&vnodes(state), &job("1", "1:ncpus=6", "free", ""), "");
    assert_eq!(place(&run("state = \"busy\""), "1"), None);
    assert_eq!(comment(&run("state = \"busy\""), "1"), NO_CPUS);
    assert_eq!(place(&run(""), "1").as_deref(), Some("(h2:ncpus=6)"));
}

/// M39: before a reservation a broken chunk of an exclusive job lacks the resource, that of another job has a conflict.
#[test]
fn m39_a_broken_chunk_of_an_exclusive_job_is_short_of_what_is_planned() {
    let vnode = |name: &str| node(name, "host = \"h\", ncpus = 4", "");
    let reservation = "[[reservation]]\nname = \"R1\"\nstart = \"+00:30:00\"\nduration = \"04:00:00\"\n\
        on = \"(h0:ncpus=4)+(h1:ncpus=4)\"\nusers = [\"ann\"]\n";
    let run = |place| {
        cycle(
            &(vnode("h0") + &vnode("h1")),
            &(reservation.to_owned() + &job("1", "1:ncpus=6", place, "")),
            "",
        )
    };
    assert_eq!(comment(&run("free:excl"), "1"), NO_CPUS);
    assert_eq!(comment(&run("free"), "1"), "Not Running: Job would conflict with reservation or top job");
}

/// M41: a job that started in this cycle and was suspended in it goes back to both of its nodes, though one of them could
/// hold all of its select once the other job has gone.
#[test]
fn m41_a_job_that_started_in_the_cycle_goes_back_vnode_by_vnode() {
    let nodes = node("n1", "ncpus = 8", "") + &node("n2", "ncpus = 8", "");
    let policy = "[sched_config]\npreemptive_sched = true\nstrict_ordering = true\n[server]\n\
        max_run_soft = \"[u:ann=0]\"\n[scheduler]\npreempt_prio = \"normal_jobs, server_softlimits\"\n";
    let queue =
        job("1", "2:ncpus=4", "scatter", "user = \"ann\"") + &job("2", "1:ncpus=8", "free", "user = \"bob\"");
    let run = cycle(&nodes, &queue, policy);
    assert_eq!(place(&run, "2").as_deref(), Some("(n1:ncpus=8)"));
    let again = run.steps.iter().last().unwrap().outcome.estimate.as_ref().unwrap();
    let back = "(n1:ncpus=4)+(n2:ncpus=4)";
    assert_eq!((again.start.0, &*again.allocation.exec_vnode(&run.plan)), (NOW + HOUR, back));
}

/// Rule 6.10: only the express queue limits users, so that it is the start there that has the other job of its user read
/// anew; the end of the victim has not.
#[test]
fn levels_are_read_in_the_queue_of_the_job_that_starts() {
    let policy = "[sched_config]\npreemptive_sched = true\n[scheduler]\n\
        preempt_prio = \"express_queue, normal_jobs, queue_softlimits\"\n";
    let queues = "[[queue]]\nname = \"workq\"\nmax_run_soft = \"[o:PBS_ALL=0]\"\n\
        [[queue]]\nname = \"express\"\npriority = 200\nmax_run = \"[u:PBS_GENERIC=9]\"\n";
    let of = |user: &str, queue: &str, more: &str| format!("user = \"{user}\"\nqueue = \"{queue}\"\n{more}");
    let runs = "on = \"(n1:ncpus=8)\"\nstarted = \"-00:10:00\"";
    let jobs = [
        job("1", "1:ncpus=8", "free", &of("ann", "workq", runs)),
        job("2", "1:ncpus=8", "free", &of("bob", "express", "")),
        job("3", "1:ncpus=8", "free", &of("cid", "workq", "")),
        job("4", "1:ncpus=8", "free", &of("bob", "workq", "")),
    ];
    let run = cycle(&node("n1", "ncpus = 8", ""), &(queues.to_owned() + &jobs.concat()), policy);
    let order =
        ["2", "4", "1", "3"].map(|name| run.outcome(run.plan.snap.job_named(name).unwrap()).unwrap().order);
    assert_eq!(order, [1, 2, 3, 4].map(Some));
}

/// Rules 2.4.2 and 3.5: the bucket of a node that lacks what may be unset holds any amount of it, whatever the other nodes
/// of its set have in all.
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
