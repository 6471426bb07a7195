//! The calendar, and simulations of the future.

use std::sync::Arc;

use qscope::cluster::{DayKind, DaySchedule, DedicatedSlot, Epoch, Holidays, PeriodStart, PlaceSharing};
use qscope::cycle::{Debugger, run_cycle};
use qscope::source::toml_form;
use qscope::universe::{Allocation, AllocationPiece, Bit, CopyPurpose, Occupant, Quirks, Semantics};

use super::{
    HOUR, NOW, RESOURCES, STRICT, comment, cycle, cycle_as, estimate, job, node, of_a_queue, place, with_sets,
};

/// M3: in a copy of the universe a start changes only the sums of the server's sets, and of a node's sets
/// only those before the first that is not the server's.
#[test]
fn m3_simulated_starts_change_the_sets_of_the_server_only() {
    let nodes = node("n1", "ncpus = 8, a = \"x\", b = \"z\"", "");
    let of_server = "[server]\nnode_group_enable = true\nnode_group_key = [\"a\"]\n".to_owned() + RESOURCES;
    let free_after = |queue: &str, simulated: bool| {
        let run = cycle(&nodes, queue, &of_server);
        let mut state = Debugger::new(run.clone()).state().clone();
        let shape = run.plan.request(run.plan.snap.job_named("1").unwrap(), None).unwrap().specs[0].shape;
        let gives = qscope::universe::PieceResources::Shape(shape);
        let allocation =
            Allocation { pieces: vec![AllocationPiece { bit: Bit(0), chunk: 0, times: 1, spec: 0, gives }] };
        let occupant = Occupant::Job(run.plan.snap.job_named("1").unwrap(), None);
        let begin = |state: &mut qscope::universe::State| {
            state.begin(occupant, PlaceSharing::Excl, &Arc::new(allocation));
        };
        if simulated {
            state.in_copy(CopyPurpose::Calendar, begin);
        } else {
            begin(&mut state);
        }
        state.pools.iter().map(|pool| state.sets[pool.sets[0]].free_nodes).collect::<Vec<_>>()
    };
    let never = job("1", "1:ncpus=9", "free:excl", "");
    assert_eq!(free_after(&never, true), [0]);
    // The queue's set is made last, so that it is the one the node remembers (bug B1).
    let with_queue = "[[queue]]\nname = \"q2\"\nnode_group_key = [\"b\"]\n".to_owned() + &never;
    assert_eq!(free_after(&with_queue, false), [1, 0]);
    assert_eq!(free_after(&with_queue, true), [1, 1]);
}

/// M9: a top job may be planned for a time that has passed, when a job that ran beyond its time gives it room
/// (rule 11 item 2); the node path does not wait for that.
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

/// Rule 11.2: while a reservation waits to be confirmed, a job beyond its walltime is planned to have ended
/// at that time.
#[test]
fn ends_stay_in_the_past_while_a_reservation_waits() {
    let nodes = node("n1", "ncpus = 8", "");
    let planned_for = |waiting: &str, length: &str| {
        let overdue = format!("on = \"(n1:ncpus=8)\"\nstarted = \"-02:00:00\"\nresources = {{ {length} }}");
        let jobs = job("1", "1:ncpus=8", "free", &overdue) + &job("2", "1:ncpus=8", "free", "");
        let run = cycle(&nodes, &(waiting.to_owned() + &jobs), STRICT);
        estimate(&run, "2").map(|(at, _)| at.0 - NOW)
    };
    let waiting = "[[reservation]]\nname = \"R1\"\nstart = \"+01:00:00\"\nduration = \"01:00:00\"\n\
        select = \"1:ncpus=9\"\nstate = \"UN\"\n";
    let (hard, soft) = ("walltime = \"01:00:00\"", "walltime = \"03:00:00\", soft_walltime = \"01:30:00\"");
    assert_eq!([planned_for("", hard), planned_for("", soft)], [Some(1), Some(HOUR)]);
    assert_eq!([planned_for(waiting, hard), planned_for(waiting, soft)], [Some(-HOUR), Some(HOUR)]);
}

/// Rule 11.4: dedicated time that ends after prime time begins shortens a job of an exempt queue to the beginning of prime
/// time. Where nothing has to be crossed, exempt jobs run into prime time.
#[test]
fn exempt_jobs_that_are_shortened_end_at_the_prime_boundary() {
    let shortened = |queue: &str, dedicated: &[(i64, i64)]| {
        let policy = "[sched_config]\nbackfill_prime = true\nprime_exempt_anytime_queues = true\n\
            primetime_prefix = \"p_\"\nnonprimetime_prefix = \"np_\"\ndedicated_prefix = \"ded\"\n";
        let of = format!(
            "queue = \"{queue}\"\nresources = {{ min_walltime = \"00:30:00\", max_walltime = \"04:00:00\" }}"
        );
        let jobs =
            format!("now = {NOW}\n[[queue]]\nname = \"{queue}\"\n{}", job("1", "1:ncpus=1", "free", &of));
        let nodes = node("n1", "ncpus = 8", "");
        let mut snap = toml_form::read(Some(&nodes), Some(&jobs), Some(policy), None, "measured").unwrap();
        // Prime time starts 80 minutes after the time of the cycle.
        let days = vec![DaySchedule {
            days: DayKind::Weekday,
            prime: PeriodStart::At(360),
            non_prime: PeriodStart::At(1050),
        }];
        snap.holidays = Some(Holidays { year: Some(2025), days, holidays: Vec::new() });
        let slots =
            dedicated.iter().map(|(from, to)| DedicatedSlot { from: Epoch(NOW + from), to: Epoch(NOW + to) });
        snap.dedicated_time = slots.collect();
        let run = run_cycle(Arc::new(snap), Quirks::of(Semantics::Observed));
        run.outcome(run.plan.snap.job_named("1").unwrap()).unwrap().shrunk_to.map(|length| length.0)
    };
    assert_eq!(shortened("workq", &[]), Some(4 * HOUR));
    assert_eq!(shortened("ded1", &[(-HOUR, 2 * HOUR)]), Some(4800));
    assert_eq!(shortened("ded1", &[(-HOUR, HOUR)]), Some(HOUR));
    assert_eq!(shortened("workq", &[(2 * HOUR, 3 * HOUR)]), Some(4800));
}

/// M10: simulations do not know the sets of queues with nodes: a job of the bucket path that waits for its
/// set is planned as if no set could hold it, or never where it may not span.
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

/// M11: the start of a top job at the time of the cycle never happens in a later simulation.
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

/// M11: where a job ends at the time of the cycle, a start after it does hold its node.
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

/// M11: the end of a start that never happens lets two jobs of a user start together although the user may
/// run only one.
#[test]
fn m11_the_end_of_a_start_that_never_happens_counts_one_job_less() {
    let (nodes, _) = of_a_queue();
    let of = |more: &str| format!("queue = \"q2\"\n{more}");
    let long = of("user = \"bob\"\non = \"(n3:ncpus=8)\"\nstarted = \"-00:00:00\"\nwalltime = \"05:00:00\"");
    let queue = "[[queue]]\nname = \"q2\"\n".to_owned()
        + &job("1", "1:ncpus=8", "free:excl", &long)
        + &job("2", "2:ncpus=8", "scatter:excl", &of("user = \"ann\"\nwalltime = \"04:00:00\""))
        + &job("3", "1:ncpus=4:host=n3", "free", &of("user = \"ann\""))
        + &job("4", "1:ncpus=4:host=n3", "free", &of("user = \"ann\""));
    let server = "[server]\nbackfill_depth = 3\nmax_run = \"[u:PBS_GENERIC=1]\"";
    let policy = with_sets(STRICT).replace(", \"b\"", "").replace("[server]", server);
    let run = cycle_as(Semantics::Fixed, &nodes, &queue, &policy);
    let starts = ["2", "3", "4"].map(|name| estimate(&run, name).map(|(at, _)| at.0 - NOW));
    assert_eq!(starts, [Some(0), Some(5 * HOUR), Some(5 * HOUR)]);
}

/// M40: the time test of the node path and the limits consider only what comes after such a start.
#[test]
fn m40_a_start_at_once_delays_no_job_of_the_cycle() {
    let (nodes, queue) = of_a_queue();
    let limited = |limit: &str, hours: i64| {
        let more = format!("queue = \"q2\"\nuser = \"ann\"\nwalltime = \"0{hours}:00:00\"");
        let queue = queue.clone() + &job("3", "1:ncpus=8", "free", &more);
        let server = format!("[server]\nbackfill_depth = 2\n{limit}");
        let policy = with_sets(STRICT).replace(", \"b\"", "").replace("[server]", &server);
        cycle_as(Semantics::Fixed, &nodes, &queue, &policy)
    };
    for (limit, length) in [("", 1), ("", 5), ("max_run = \"[o:PBS_ALL=2]\"", 1)] {
        let run = limited(limit, length);
        assert_eq!(estimate(&run, "2"), Some((Epoch(NOW), "(n1:ncpus=8)+(n2:ncpus=8)".to_owned())));
        // Neither does its end delay a longer job.
        assert_eq!(place(&run, "3").as_deref(), Some("(n1:ncpus=8)"), "{limit} {length}");
    }
}

/// M31: a job that started inside a reservation frees server resources when it ends, though it took none.
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
