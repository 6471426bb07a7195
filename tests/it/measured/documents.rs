//! Rules that the documents state and no case covers.

use qscope::cluster::Epoch;
use qscope::cycle::{Eligibility, Exclusion, ServerAction, Verdict};

use super::{HOUR, NOW, STRICT, comment, cycle, estimate, job, node, place, tries, with_sets};

/// Rule 6.3: `max_job_check` counts every consideration, an array's once for each subjob. The remaining jobs
/// are not considered and get no comment; a job that cannot run counts too.
#[test]
fn the_cycle_ends_after_so_many_considerations() {
    let nodes = node("n1", "ncpus = 8", "");
    let under = |line: &str| {
        let jobs = job("1", "1:ncpus=9", "free", "")
            + &job("2[]", "1:ncpus=1", "free", "array = \"1-3\"")
            + &job("3", "1:ncpus=1", "free", "");
        cycle(&nodes, &jobs, &format!("[sched_config]\n{line}\n"))
    };
    for unlimited in ["", "max_job_check = \"ALL_JOBS\""] {
        assert_eq!(under(unlimited).steps.len(), 5, "{unlimited}");
    }
    let run = under("max_job_check = 3");
    let steps: Vec<_> = run.steps.iter().map(|step| step.outcome.name(&run.plan.snap)).collect();
    assert_eq!(steps, ["1", "2[1]", "2[2]"]);
    let three = run.plan.snap.job_named("3").unwrap();
    assert_eq!(run.eligibility[three], Eligibility::Excluded(Exclusion::CheckLimit));
    assert_eq!(
        (run.outcome(three).unwrap().verdict, comment(&run, "3")),
        (Verdict::NotConsidered, String::new())
    );
    assert!(run.excluded(three).unwrap().contains("max_job_check"));
}

/// Rule 6.4.4: a subjob that is about to end is not one of the running ones, so that its end makes no room
/// under `max_run_subjobs`.
#[test]
fn the_end_of_an_exiting_subjob_is_not_counted() {
    let subjob = |index: u32, state: &str| {
        let of = format!("state = \"{state}\"\non = \"(n1:ncpus=1)\"\nstarted = \"-00:00:00\"");
        job(&format!("1[{index}]"), "1:ncpus=1", "free", &of)
    };
    let array = job("1[]", "1:ncpus=1", "free", "array = \"3-4\"\nstate = \"B\"\nmax_run_subjobs = 1");
    let run = cycle(&node("n1", "ncpus = 8", ""), &(array + &subjob(1, "E") + &subjob(2, "R")), STRICT);
    assert_eq!(estimate(&run, "1[]"), Some((Epoch(NOW + HOUR), "(n1:ncpus=1)".to_owned())));
}

/// Rule 4.2.1: inside a reservation for maintenance a job may have a node exclusively that others use.
#[test]
fn a_node_in_use_is_given_inside_maintenance() {
    let inside = |name: &str| {
        let reservation = format!(
            "[[reservation]]\nname = \"{name}\"\nstart = \"-00:10:00\"\nduration = \"04:00:00\"\n\
             on = \"(n1:ncpus=4)\"\nusers = [\"user\"]\n"
        );
        let of = format!("queue = \"{name}\"\n");
        let jobs =
            job("1", "1:ncpus=1", "free", &format!("{of}on = \"(n1:ncpus=1)\"\nstarted = \"-00:05:00\""))
                + &job("2", "1:ncpus=1", "free:excl", &of);
        let run = cycle(&node("n1", "ncpus = 8", ""), &(reservation + &jobs), "");
        (place(&run, "2"), comment(&run, "2"))
    };
    let in_use = "Not Running: Job is requesting an exclusive node and node is in use";
    assert_eq!(inside("R1"), (None, in_use.to_owned()));
    assert_eq!(inside("M1"), (Some("(n1:ncpus=1)".to_owned()), String::new()));
}

/// Rule 10.2: a reservation in conflict keeps no nodes for its future time.
#[test]
fn a_reservation_in_conflict_is_not_planned() {
    let placed = |state: &str| {
        let reservation = format!(
            "[[reservation]]\nname = \"R1\"\nstart = \"+00:30:00\"\nduration = \"04:00:00\"\n\
             on = \"(n1:ncpus=8)\"\nusers = [\"user\"]\nstate = \"{state}\"\n"
        );
        let run =
            cycle(&node("n1", "ncpus = 8", ""), &(reservation + &job("1", "1:ncpus=8", "free", "")), "");
        place(&run, "1").is_some()
    };
    let states = ["RESV_CONFIRMED", "RESV_DEGRADED", "RESV_BEING_ALTERED", "RESV_IN_CONFLICT"];
    assert_eq!(states.map(placed), [false, false, false, true]);
}

const PASSED_ON: &str = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"front\"\nqueue_type = \"Route\"\n";

/// Rules 6.2 and 7: jobs that are never read (in a routing queue, finished, or a waiting subjob) are not
/// refused for having no shares.
#[test]
fn jobs_that_are_not_read_do_not_lack_shares() {
    let policy = "[sched_config]\nfair_share = true\n";
    let jobs = job("1", "1:ncpus=1", "free", "queue = \"workq\"")
        + &job("2", "1:ncpus=1", "free", "queue = \"front\"")
        + &job("3", "1:ncpus=1", "free", "queue = \"front\"\nstate = \"H\"")
        + &job("4", "1:ncpus=1", "free", "queue = \"workq\"\nstate = \"F\"")
        + &job("5[1]", "1:ncpus=1", "free", "queue = \"workq\"\nstate = \"X\"")
        + &job("6", "1:ncpus=1", "free", "queue = \"workq\"\nstate = \"H\"");
    let run = cycle(&node("n1", "ncpus = 8", ""), &(PASSED_ON.to_owned() + &jobs), policy);
    let never = "Can Never Run: Job has zero shares for fairshare";
    assert_eq!(["1", "2", "3", "6"].map(|name| comment(&run, name)), [never, "", "", never]);
    // Jobs that have ended are no part of the cycle.
    assert!(["4", "5[1]"].iter().all(|name| run.outcome(run.plan.snap.job_named(name).unwrap()).is_none()));
}

/// Rule 6.2: a user who has only jobs that are not read takes no part of the shares of others.
#[test]
fn owners_of_jobs_that_are_not_read_have_no_shares() {
    let considered = |queue: &str| {
        let policy = "[sched_config]\nunknown_shares = 10\n[server]\njob_sort_formula = \"fairshare_perc\"\n\
            [scheduler]\njob_sort_formula_threshold = 0.75\n";
        let jobs = job("1", "1:ncpus=1", "free", "queue = \"workq\"\nuser = \"ann\"")
            + &job("2", "1:ncpus=1", "free", &format!("queue = \"{queue}\"\nuser = \"bob\"\nstate = \"H\""));
        let run = cycle(&node("n1", "ncpus = 8", ""), &(PASSED_ON.to_owned() + &jobs), policy);
        place(&run, "1").is_some()
    };
    assert_eq!((considered("front"), considered("workq")), (true, false));
}

/// Rule 3.2: a resource that only unread jobs request does not split nodes into buckets; on the idle cluster
/// it counts for the job in question.
#[test]
fn requests_of_jobs_that_are_not_read_make_no_buckets() {
    let nodes = node("n1", "ncpus = 8, color = \"red\"", "") + &node("n2", "ncpus = 8, color = \"blue\"", "");
    let policy = "[[resource]]\nname = \"color\"\ntype = \"string\"\nflag = \"h\"\n\
        [sched_config]\nresources = [\"ncpus\", \"host\", \"vnode\", \"color\"]\n";
    let run = |of: &str, color: &str| {
        let select = format!("1:ncpus=1:color={color}");
        let jobs =
            job("1", "1:ncpus=1", "free:excl", "queue = \"workq\"") + &job("2", &select, "free:excl", of);
        cycle(&nodes, &(PASSED_ON.to_owned() + &jobs), policy)
    };
    let buckets = |of: &str| run(of, "red").end.buckets.len();
    let held = "queue = \"workq\"\nstate = \"H\"";
    assert_eq!([buckets(held), buckets("queue = \"front\"")], [2, 1]);
    let can_never = |color: &str| {
        let run = run("queue = \"front\"", color);
        let job = run.plan.snap.job_named("2").unwrap();
        qscope::cycle::ImpossibleJobs::new(&run).contains(job)
    };
    assert_eq!([can_never("red"), can_never("green")], [false, true]);
}

/// Rules 3.7 and 7: the bucket path passes over a node that would have to be provisioned, and that is the
/// reason where too few nodes are left, as on the node path.
#[test]
fn a_node_that_is_not_provisioned_is_a_reason_of_buckets() {
    let nodes = [("n1", "a"), ("n2", "b")]
        .map(|(name, aoe)| node(name, "ncpus = 8, aoe = \"a,b\"", &format!("current_aoe = \"{aoe}\"")));
    let run = |place: &str, second: &str| {
        let jobs = job("1", "1:ncpus=1:aoe=a", place, "") + &job("2", second, place, "");
        cycle(&nodes.concat(), &jobs, "")
    };
    let off = "Not Running: Cannot provision, provisioning disabled on server";
    for path in ["free:excl", "free"] {
        let more = if path == "free" { "1:ncpus=8:aoe=a" } else { "1:ncpus=1:aoe=a" };
        let run = run(path, more);
        assert_eq!(
            (place(&run, "1").as_deref(), &*comment(&run, "2")),
            (Some("(n1:ncpus=1)"), off),
            "{path}"
        );
    }
    let two = cycle(&nodes.concat(), &job("1", "2:ncpus=1:aoe=b", "scatter:excl", ""), "");
    assert_eq!(comment(&two, "1"), off);
}

/// Returns a suspended job of 8 cpus and 12 gb, which with `RELEASED` has released only its cpus.
fn suspended(more: &str) -> String {
    let of = "state = \"S\"\non = \"(n0:ncpus=8:mem=12gb)\"\n";
    job("1", "1:ncpus=8:mem=12gb", "free", &format!("{of}{more}\n"))
}

const RELEASED: &str = "resources_released = \"(n0:ncpus=8)\"";

/// Rule 6.10: a job that was suspended before the cycle requests what it released, and what it kept is not
/// counted again.
#[test]
fn a_suspended_job_asks_for_what_it_released() {
    let nodes = node("n0", "ncpus = 8, mem = \"16gb\"", "assigned = { mem = \"12gb\" }")
        + &node("n1", "ncpus = 8, mem = \"16gb\"", "");
    let policy = "[server]\nrestrict_res_to_release_on_suspend = [\"ncpus\"]\n\
        resources_available = { mem = \"16gb\" }\n";
    let run = |more: &str| {
        let other = job("2", "1:ncpus=1:mem=16gb", "free", "");
        cycle(&nodes, &(suspended(more) + &other), policy)
    };
    assert_eq!(place(&run(""), "1"), None);
    let resumed = run(RELEASED);
    assert_eq!(place(&resumed, "1").as_deref(), Some("(n0:ncpus=8)"));
    assert!(resumed.actions.iter().any(|action| matches!(action, ServerAction::Resume(_))));
    assert_eq!(place(&resumed, "2").as_deref(), Some("(n1:ncpus=1:mem=16777216kb)"));
}

/// Rule 6.10: as a top job it is shown with all that it had, and its end releases all of it.
#[test]
fn a_suspended_job_is_shown_with_all_that_it_had() {
    let nodes = node("n0", "ncpus = 8, mem = \"16gb\"", "assigned = { mem = \"12gb\" }");
    let policy = format!("{STRICT}[server]\nbackfill_depth = 2\n");
    let runs = job("2", "1:ncpus=8", "free", "on = \"(n0:ncpus=8)\"\nstarted = \"-00:00:00\"");
    let large = job("3", "1:ncpus=1:mem=16gb", "free", "");
    let run = cycle(&nodes, &(suspended(RELEASED) + &runs + &large), &policy);
    let whole = "(n0:mem=12582912kb:ncpus=8)".to_owned();
    assert_eq!(estimate(&run, "1"), Some((Epoch(NOW + HOUR), whole)));
    assert_eq!(estimate(&run, "3").map(|(at, _)| at), Some(Epoch(NOW + 2 * HOUR)));
}

/// Rule 4.1: `node_set` restricts a job to those nodes, in the order of their list, and to no placement sets.
#[test]
fn a_job_with_a_node_set_uses_those_nodes_and_no_sets() {
    let of = |name: &str, a: &str| node(name, &format!("ncpus = 8, a = \"{a}\""), "");
    let nodes = of("n1", "x") + &of("n2", "y") + &of("n3", "y");
    let policy = with_sets("[scheduler]\ndo_not_span_psets = true");
    let run = |more: &str| {
        let jobs = job("1", "2:ncpus=8", "scatter", more);
        cycle(&nodes, &jobs, &policy)
    };
    let named = run("node_set = [\"n3\", \"n1\", \"none\"]");
    assert_eq!(place(&named, "1").as_deref(), Some("(n1:ncpus=8)+(n3:ncpus=8)"));
    assert!(tries(&named, "1").is_empty());
    assert_eq!(place(&run(""), "1").as_deref(), Some("(n2:ncpus=8)+(n3:ncpus=8)"));
    assert_eq!(place(&run("node_set = \"n2\""), "1"), None);
}

/// Rules 5.2 and M46: for a job inside a reservation, a set has what the reservation got of its nodes, so
/// that the smallest set differs from that outside.
#[test]
fn sets_inside_a_reservation_have_what_that_got() {
    let of = |name: &str, rack: &str| node(name, &format!("ncpus = 8, a = \"{rack}\""), "");
    let nodes = of("n1", "x") + &of("n2", "x") + &of("n3", "y");
    let reservation = "[[reservation]]\nname = \"R1\"\nstart = \"-00:10:00\"\nduration = \"04:00:00\"\n\
        on = \"(n1:ncpus=1)+(n2:ncpus=1)+(n3:ncpus=4)\"\nusers = [\"user\"]\n";
    let run = |queue: &str| {
        let jobs = job("1", "2:ncpus=1", "free:group=a", queue);
        cycle(&nodes, &(reservation.to_owned() + &jobs), &with_sets(""))
    };
    let [inside, outside] = ["queue = \"R1\"", ""].map(run);
    assert_eq!(tries(&inside, "1"), [("a=x".to_owned(), false)]);
    assert_eq!(place(&inside, "1").as_deref(), Some("(n1:ncpus=1)+(n2:ncpus=1)"));
    assert_eq!(tries(&outside, "1"), [("a=y".to_owned(), false)]);
}
