//! The order in which jobs come up, and preemption.

use std::sync::Arc;

use qscope::cluster::{DedicatedSlot, Epoch};
use qscope::cycle::{ServerAction, run_cycle};
use qscope::source::toml_form;
use qscope::universe::{PreemptMethod, Quirks, Semantics};

use super::{HOUR, NOW, RESOURCES, comment, cycle, estimate, job, node, place};

/// M4: an array that goes ahead of all queues comes up once more after its last subjob: its class has failed
/// without a text, and under a strict order the jobs after it are stopped. An array of a plain queue does not
/// come up again.
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
    let two =
        stopped.not_considered.iter().find(|outcome| Some(outcome.job) == stopped.plan.snap.job_named("2"));
    let why = two.and_then(|outcome| outcome.rejection.as_ref()).unwrap();
    assert_eq!(why.comment(&stopped.plan.snap.catalogue), "Not Running: Job would break strict sorted order");
    assert_eq!(comment(&under(by_queue, 150), "2"), "Not Running: ");
    assert_eq!(place(&under(&strict, 10), "2").as_deref(), Some("(n1:ncpus=1)"));
}

/// M32: a confirmed reservation ends the cycle before formula values are compared with the threshold.
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

/// M34: the estimate of a job that goes back includes resources that the scheduler does not check.
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

/// M41: a job that started and was suspended in this cycle goes back to both of its nodes, though one of them
/// could hold its whole select once the other job has ended.
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

/// Two express jobs of one level. A smaller job of the same group, taken first, lifts the job above the other
/// one, which is preempted; then the smaller one is given back. The two preempt each other forever. The cycle
/// is stopped, reports it, and gives it as the reason why the jobs after it were not considered.
#[test]
fn a_cycle_in_which_two_jobs_preempt_each_other_for_ever_is_stopped() {
    let policy = "[sched_config]\npreemptive_sched = true\n[server]\nmax_run_soft = \"[g:PBS_GENERIC=0]\"\n\
        [scheduler]\npreempt_order = \"R\"\npreempt_prio = \"express_queue, express_queue+server_softlimits, \
        normal_jobs, server_softlimits\"\n";
    let queues = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"express\"\npriority = 200\n";
    let nodes = ["n1", "n2", "n3"].map(|name| node(name, "ncpus = 8", "")).concat();
    let of = |queue: &str, group: &str| format!("queue = \"{queue}\"\ngroup = \"{group}\"\n");
    let runs = |on: &str, ago: u32| format!("on = \"({on})\"\nstarted = \"-00:{ago:02}:00\"\n");
    let half = |id: &str, queue: &str, group: &str, node: &str| {
        job(id, "1:ncpus=4", "free", &(of(queue, group) + &runs(&format!("{node}:ncpus=4"), 30)))
    };
    let queue = queues.to_owned()
        + &half("1", "workq", "red", "n2")
        + &half("2", "workq", "blue", "n3")
        + &half("3", "express", "green", "n2")
        + &half("4", "express", "grey", "n3")
        + &job("5", "1:ncpus=8", "free", &(of("express", "blue") + &runs("n1:ncpus=8", 5)))
        + &job("6", "1:ncpus=8", "free", &of("express", "red"))
        + &job("7", "1:ncpus=1", "free", &of("workq", "white"));
    let run = cycle(&nodes, &queue, policy);
    assert!((100..400).contains(&run.steps.len()), "{}", run.steps.len());
    assert!(run.warnings.iter().any(|warning| warning.contains("again and again")), "{:?}", run.warnings);
    let last = run.plan.snap.job_named("7").unwrap();
    assert!(run.excluded(last).unwrap().contains("has no end"), "{:?}", run.excluded(last));
}

/// 11.14: the time a job used is what the dump shows, even for one that started anew in this cycle.
#[test]
fn the_range_of_a_job_that_began_anew_goes_by_what_the_dump_shows() {
    let policy = "[sched_config]\npreemptive_sched = true\n[server]\nmax_run_soft = \"[u:ann=0]\"\n\
        [scheduler]\npreempt_prio = \"normal_jobs, server_softlimits\"\npreempt_order = \"S 50 R\"\n";
    let method = |used: &str| {
        let ann = format!("user = \"ann\"\nwalltime = \"01:00:00\"\nused = {{ walltime = \"{used}\" }}");
        let queue = job("1", "1:ncpus=8", "free", &ann) + &job("2", "1:ncpus=8", "free", "user = \"bob\"");
        let run = cycle(&node("n1", "ncpus = 8", ""), &queue, policy);
        assert_eq!(place(&run, "2").as_deref(), Some("(n1:ncpus=8)"));
        run.actions.iter().find_map(|action| match action {
            ServerAction::Preempt(_, method) => Some(*method),
            _ => None,
        })
    };
    assert_eq!(method("00:20:00"), Some(PreemptMethod::Suspend));
    assert_eq!(method("00:40:00"), Some(PreemptMethod::Requeue));
}

/// M44: a node that a job inside a reservation closed is a reason of its own that concerns every victim,
/// including one taken in vain: the job that cannot resume at once, since a reservation begins there, is
/// preempted as well.
#[test]
fn m44_a_node_closed_behind_a_reservation_keeps_victims_taken_in_vain() {
    let nodes = ["n1", "n2", "n3"].map(|name| node(name, "ncpus = 8", "")).concat();
    let reservation = |name: &str, start: &str, on: &str| {
        format!(
            "[[reservation]]\nname = \"{name}\"\nstart = \"{start}\"\nduration = \"01:00:00\"\n\
             on = \"({on}:ncpus=8)\"\nusers = [\"ann\"]\n"
        )
    };
    let runs = |on: &str, ago: &str, more: &str| {
        format!("on = \"({on}:ncpus=4)\"\nstarted = \"-00:{ago}:00\"\n{more}")
    };
    let express = "queue = \"express\"\n";
    let victims = |inside: &str| {
        let queue = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"express\"\npriority = 200\n".to_owned()
            + &reservation("R1", "-00:10:00", "n1")
            + &reservation("R2", "+02:00:00", "n2")
            + &job("1", "1:ncpus=4", "free", &runs("n2", "05", "queue = \"workq\"\nwalltime = \"12:00:00\""))
            + &job("2", "1:ncpus=4", "free", &runs("n2", "10", express))
            + &job("3", "1:ncpus=4", "free", &runs("n3", "10", "queue = \"workq\""))
            + &job("4", "1:ncpus=1", inside, "user = \"ann\"\nqueue = \"R1\"")
            + &job("5", "1:ncpus=8", "free", express);
        let run = cycle(&nodes, &queue, "[sched_config]\npreemptive_sched = true\n");
        assert_eq!(place(&run, "5").as_deref(), Some("(n3:ncpus=8)"));
        let job = run.plan.snap.job_named("5").unwrap();
        run.outcome(job).unwrap().victims.iter().map(|(job, _)| job.0 + 1).collect::<Vec<_>>()
    };
    assert_eq!((victims("free"), victims("free:excl")), (vec![3], vec![3, 1]));
}

/// M30: victims that started in the same second are in the order of the queues as these are served, or
/// without turns as the server lists them.
#[test]
fn m30_victims_alike_stand_queue_after_queue() {
    let victim = |by_queue: bool| {
        let runs = |queue: &str, on: &str| {
            format!("queue = \"{queue}\"\non = \"({on}:ncpus=8)\"\nstarted = \"-00:10:00\"")
        };
        let queue = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"second\"\npriority = 80\n\
            [[queue]]\nname = \"express\"\npriority = 200\n"
            .to_owned()
            + &job("1", "1:ncpus=8", "free", &runs("workq", "n1"))
            + &job("2", "1:ncpus=8", "free", &runs("second", "n2"))
            + &job("3", "1:ncpus=8", "free", "queue = \"express\"");
        let nodes = ["n1", "n2"].map(|name| node(name, "ncpus = 8", "")).concat();
        let policy = format!("[sched_config]\npreemptive_sched = true\nby_queue = {by_queue}\n");
        place(&cycle(&nodes, &queue, &policy), "3")
    };
    assert_eq!(victim(true).as_deref(), Some("(n2:ncpus=8)"));
    assert_eq!(victim(false).as_deref(), Some("(n1:ncpus=8)"));
}

/// M45: a job that was checkpointed has released everything, whatever a suspended one would have kept, and
/// requests all of it again.
#[test]
fn m45_a_checkpointed_job_asks_for_all_that_it_had() {
    let policy = |order: &str| {
        format!(
            "[sched_config]\npreemptive_sched = true\nstrict_ordering = true\n[server]\n\
             restrict_res_to_release_on_suspend = [\"mem\"]\n[scheduler]\npreempt_order = \"{order}\"\n"
        )
    };
    let runs = "queue = \"workq\"\non = \"(n1:ncpus=8:mem=4gb)\"\nstarted = \"-00:10:00\"";
    let queue = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"express\"\npriority = 200\n".to_owned()
        + &job("1", "1:ncpus=8:mem=4gb", "free", runs)
        + &job("2", "1:ncpus=8", "free", "queue = \"express\"");
    let run = cycle(&node("n1", "ncpus = 8, mem = \"8gb\"", ""), &queue, &policy("C 50 S"));
    assert_eq!(place(&run, "2").as_deref(), Some("(n1:ncpus=8)"));
    assert_eq!(place(&run, "1"), None);
    assert_eq!(estimate(&run, "1").map(|(start, _)| start), Some(Epoch(NOW + HOUR)));
}

/// Rule 6.10: only the express queue limits users, so that the start there updates the level of the other job
/// of its user; the end of the victim does not.
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

/// Rules 4.1, 4.2: the reason of a job that goes back to its nodes is that of the first of these in the order
/// in which they are examined, whatever the reason.
#[test]
fn a_node_at_its_limit_is_the_reason_of_a_job_that_goes_back() {
    let nodes = node("n0", "ncpus = 8", "max_running = 1") + &node("n1", "ncpus = 8", "");
    let runs = "on = \"(n0:ncpus=1)\"\nstarted = \"-00:10:00\"";
    let suspended = "state = \"S\"\nsubstate = 45\non = \"(n0:ncpus=1)\"";
    let queue = job("1", "1:ncpus=1", "free", runs) + &job("2", "1:ncpus=1", "free", suspended);
    let run = cycle(&nodes, &queue, "");
    assert_eq!(comment(&run, "2"), "Not Running: Node has reached job run limit");
}

/// Rule 4.2: of the nodes refused beforehand, the first in the list as last sorted gives the reason.
#[test]
fn the_first_node_refused_is_the_first_of_the_list() {
    let nodes = node("n0", "ncpus = 9", "max_running = 1") + &node("n1", "ncpus = 8", "");
    let runs = |id: &str, on: &str| {
        job(id, "1:ncpus=1", "free", &format!("on = \"({on}:ncpus=1)\"\nstarted = \"-00:10:00\""))
    };
    let starts = job("3", "1:ncpus=4:vnode=n0", "free", "");
    let last = job("4", "1:ncpus=1", "free:excl", "");
    let policy = "[sched_config]\nnode_sort_key = [\"ncpus HIGH unused\"]\nby_queue = false\n";
    let run = cycle(&nodes, &(runs("2", "n1") + &starts + &last), policy);
    assert!(place(&run, "3").is_some());
    assert_eq!(comment(&run, "4"), "Not Running: Job is requesting an exclusive node and node is in use");
}

/// Rule 4.3: a resource that a node does not have is 0 for a sort key, whatever jobs took of it.
#[test]
fn a_node_without_a_resource_stays_where_it_is_when_jobs_take_some() {
    let nodes =
        node("n0", "ncpus = 8", "") + &node("n1", "ncpus = 8", "") + &node("n2", "ncpus = 8, bw = 9", "");
    let queue = job("1", "1:ncpus=1:bw=4:vnode=n1", "free", "") + &job("2", "1:ncpus=1", "free", "");
    let policy = "[sched_config]\nnode_sort_key = [\"bw LOW unused\"]\nresource_unset_infinite = \"bw\"\n\
        resources = [\"ncpus\", \"vnode\", \"bw\"]\n\
        [[resource]]\nname = \"bw\"\ntype = \"long\"\nflag = \"nh\"\n";
    let run = cycle(&nodes, &queue, policy);
    assert_eq!(place(&run, "1").as_deref(), Some("(n1:ncpus=1:bw=4)"));
    assert_eq!(place(&run, "2").as_deref(), Some("(n0:ncpus=1)"));
}

/// Rule 4.3: a key that no job changes orders nodes after a start as before.
#[test]
fn a_boolean_key_counts_after_a_start_too() {
    let nodes = node("n0", "ncpus = 8, fast = false", "") + &node("n1", "ncpus = 8, fast = true", "");
    let queue = job("1", "1:ncpus=1", "free", "") + &job("2", "1:ncpus=1", "free", "");
    let policy =
        format!("[sched_config]\nnode_sort_key = [\"fast HIGH\", \"ncpus HIGH unused\"]\n{RESOURCES}");
    let run = cycle(&nodes, &queue, &policy);
    assert_eq!(place(&run, "1").as_deref(), Some("(n1:ncpus=1)"));
    assert_eq!(place(&run, "2").as_deref(), Some("(n1:ncpus=1)"));
}

/// M49: a suspended job resumes with its chunk over two nodes, and with the resources in the order of its
/// placement.
#[test]
fn m49_a_suspended_job_goes_on_with_what_it_had() {
    let nodes = node("n1", "ncpus = 8, mem = \"8gb\"", "") + &node("n2", "ncpus = 8", "");
    let had = "(n1:mem=2097152kb:ncpus=2+n2:ncpus=2)+(n2:ncpus=1)";
    let suspended = format!("state = \"S\"\nsubstate = 45\non = \"{had}\"");
    let run = cycle(&nodes, &job("1", "1:ncpus=4:mem=2gb+1:ncpus=1", "free", &suspended), "");
    assert_eq!(place(&run, "1").as_deref(), Some(had));
}

/// M50: job 2 would have ended before the reservation begins; given back it starts for its whole length,
/// still runs when the reservation begins, and leaves no room there for job 1, which was taken before it.
#[test]
fn m50_a_victim_that_is_given_back_starts_for_its_whole_length() {
    let victims = |length: &str| {
        let runs = |id: &str, mem: &str, started: &str, length: &str| {
            let more = format!("queue = \"workq\"\nstarted = \"{started}\"\nwalltime = \"{length}\"\n");
            job(
                id,
                &format!("1:ncpus=1:mem={mem}"),
                "free",
                &format!("{more}on = \"(n1:ncpus=1:mem={mem})\""),
            )
        };
        let queue = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"express\"\npriority = 200\n\
            [[reservation]]\nname = \"R1\"\nstart = \"+00:30:00\"\nduration = \"01:00:00\"\non = \"(n1:ncpus=2)\"\n"
            .to_owned()
            + &runs("1", "1gb", "-00:10:00", "02:00:00")
            + &runs("2", "1gb", "-00:20:00", length)
            + &runs("3", "6gb", "-00:30:00", "00:50:00")
            + &job("4", "1:ncpus=1:mem=4gb", "free", "queue = \"express\"\nwalltime = \"02:00:00\"");
        let policy = "[sched_config]\npreemptive_sched = true\n[scheduler]\npreempt_order = \"R\"\n";
        let run = cycle(&node("n1", "ncpus = 4, mem = \"8gb\"", ""), &queue, policy);
        let outcome = run.outcome(run.plan.snap.job_named("4").unwrap()).unwrap();
        outcome.victims.iter().map(|(job, _)| job.0 + 1).collect::<Vec<_>>()
    };
    assert_eq!((victims("00:25:00"), victims("00:40:00")), (vec![3], vec![3, 1]));
}

/// M23: the soft walltime of a requeued job stays extended, so that it would cross dedicated time that the
/// requested one would not reach.
#[test]
fn m23_a_requeued_job_keeps_its_extended_soft_walltime() {
    let found = |started: &str| {
        let runs = format!("started = \"{started}\"\non = \"(n1:ncpus=8)\"\nqueue = \"workq\"\n");
        let walltimes = "walltime = \"02:00:00\"\nsoft_walltime = \"00:10:00\"";
        let queue = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"express\"\npriority = 200\n".to_owned()
            + &job("1", "1:ncpus=8", "free", &(runs + walltimes))
            + &job("2", "1:ncpus=8:host=n1", "free", "queue = \"express\"\nwalltime = \"00:05:00\"");
        let policy = "[sched_config]\npreemptive_sched = true\n[scheduler]\npreempt_order = \"R\"\n";
        let queue = format!("now = {NOW}\n{queue}");
        let nodes = node("n1", "ncpus = 8", "") + &node("n2", "ncpus = 8", "");
        let mut snap = toml_form::read(Some(&nodes), Some(&queue), Some(policy), None, "measured").unwrap();
        snap.dedicated_time = vec![DedicatedSlot { from: Epoch(NOW + 1800), to: Epoch(NOW + 3600) }];
        let run = run_cycle(Arc::new(snap), Quirks::of(Semantics::Observed));
        assert_eq!(place(&run, "2").as_deref(), Some("(n1:ncpus=8)"));
        (place(&run, "1"), comment(&run, "1"))
    };
    assert_eq!(found("-00:05:00"), (Some("(n2:ncpus=8)".to_owned()), String::new()));
    assert_eq!(found("-00:40:00"), (None, "Not Running: Job would cross dedicated time boundary".to_owned()));
}

/// M23: a job that was requeued after its walltime had passed lasts until it was expected to end.
#[test]
fn m23_a_requeued_job_that_was_overdue_lasts_as_long_as_it_ran() {
    let found = |started: &str| {
        let runs = format!("started = \"{started}\"\non = \"(n1:ncpus=8)\"\nqueue = \"workq\"\n");
        let queue = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"express\"\npriority = 200\n".to_owned()
            + &job("1", "1:ncpus=8", "free", &(runs + "walltime = \"00:10:00\""))
            + &job("2", "1:ncpus=8:host=n1", "free", "queue = \"express\"\nwalltime = \"00:05:00\"")
            + "[[reservation]]\nname = \"R1\"\nstart = \"+00:30:00\"\nduration = \"04:00:00\"\n\
               on = \"(n2:ncpus=8)\"\nusers = [\"ann\"]\n";
        let policy = "[sched_config]\npreemptive_sched = true\n[scheduler]\npreempt_order = \"R\"\n";
        let run = cycle(&(node("n1", "ncpus = 8", "") + &node("n2", "ncpus = 8", "")), &queue, policy);
        assert_eq!(place(&run, "2").as_deref(), Some("(n1:ncpus=8)"));
        place(&run, "1")
    };
    assert_eq!(found("-00:05:00").as_deref(), Some("(n2:ncpus=8)"));
    assert_eq!(found("-00:20:00").as_deref(), Some("(n2:ncpus=8)"), "20 minutes end before the reservation");
    assert_eq!(found("-00:40:00"), None);
}

/// M52: of two jobs that were preempted the first starts again, and so the other waits for its queue.
#[test]
fn m52_a_preempted_job_that_starts_again_ends_the_pass_of_those_ahead() {
    let queues = "[[queue]]\nname = \"workq\"\npriority = 10\n[[queue]]\nname = \"front\"\npriority = 100\n\
        [[queue]]\nname = \"express\"\npriority = 200\n";
    let runs = |on: &str| format!("queue = \"workq\"\nstarted = \"-00:10:00\"\non = \"({on}:ncpus=8)\"");
    let jobs = [
        job("1", "1:ncpus=8", "free", &runs("n1")),
        job("2", "1:ncpus=8", "free", &runs("n2")),
        job("3", "1:ncpus=8:host=n1+1:ncpus=8:host=n2", "free", "queue = \"express\""),
        job("4", "1:ncpus=8", "free", "queue = \"front\""),
    ];
    let nodes = ["n1", "n2", "n3", "n4"].map(|name| node(name, "ncpus = 8", "")).concat();
    let policy = "[sched_config]\npreemptive_sched = true\nby_queue = true\n\
        [scheduler]\npreempt_order = \"R\"\n";
    let run = cycle(&nodes, &(queues.to_owned() + &jobs.concat()), policy);
    let places = ["3", "1", "4", "2"].map(|name| place(&run, name));
    let [express, back, front, last] = places.each_ref().map(Option::as_deref);
    assert_eq!((express, back), (Some("(n1:ncpus=8)+(n2:ncpus=8)"), Some("(n3:ncpus=8)")));
    assert_eq!((front, last), (Some("(n4:ncpus=8)"), None));
}
