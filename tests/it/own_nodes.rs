//! Jobs with exclusive nodes, and reservations that request some: rules 4.1, 6.9 and 11.22.

use std::sync::Arc;

use qscope::cycle::{Debugger, Run, Verdict, run_cycle};
use qscope::source::toml_form;
use qscope::universe::Quirks;

use super::measured::place;

const NODES: &str = "[[node]]\nname = \"n[1-3]\"\navailable = { ncpus = 8 }\n";

/// Runs the cycle over three nodes of eight cpus.
fn cycle(queue: &str) -> Arc<Run> {
    let queue = format!("now = 1763700000\n{queue}");
    let snap = toml_form::read(Some(NODES), Some(&queue), None, None, "test").unwrap();
    Arc::new(run_cycle(Arc::new(snap), Quirks::default()))
}

fn job(id: u32, select: &str, more: &str) -> String {
    format!("[[job]]\nid = {id}\nselect = \"{select}\"\nresources = {{ walltime = \"01:00:00\" }}\n{more}\n")
}

fn verdict(run: &Run, name: &str) -> Verdict {
    run.outcome(run.plan.snap.job_named(name).unwrap()).unwrap().verdict
}

/// Rule 4.1: the requested arrangement does not matter on the way back.
#[test]
fn a_suspended_job_goes_back_to_its_nodes() {
    let back = "state = \"S\"\nplace = \"scatter\"\non = \"(n2:ncpus=4)+(n3:ncpus=4)\"";
    let run = cycle(&job(1, "2:ncpus=4", back));
    assert_eq!(place(&run, "1").as_deref(), Some("(n2:ncpus=4)+(n3:ncpus=4)"));
}

/// Rule 4.1: the job uses no other node.
#[test]
fn a_suspended_job_waits_for_its_nodes() {
    let running = job(1, "1:ncpus=8", "on = \"(n2:ncpus=8)\"");
    let run = cycle(&(running + &job(2, "1:ncpus=4", "state = \"S\"\non = \"(n2:ncpus=4)\"")));
    assert_eq!(verdict(&run, "2"), Verdict::NotNow);
}

const RUNNING: &str = "[[reservation]]\nname = \"R1\"\nstart = \"-01:00\"\nduration = \"00:30:00\"\n\
    select = \"2:ncpus=4\"\non = \"(n2:ncpus=4)+(n3:ncpus=4)\"\nstate = \"RN\"\n";

/// Rule 6.9: jobs inside see what the reservation was granted, not what its nodes have; they come first.
#[test]
fn a_job_inside_sees_only_what_was_granted() {
    let jobs = [
        job(1, "1:ncpus=2", ""),
        job(2, "1:ncpus=5", "queue = \"R1\""),
        job(3, "2:ncpus=4", "queue = \"R1\""),
    ];
    let run = cycle(&(RUNNING.to_owned() + &jobs.concat()));
    assert_eq!(verdict(&run, "2"), Verdict::NotNow);
    assert_eq!(place(&run, "3").as_deref(), Some("(n2:ncpus=4)+(n3:ncpus=4)"));
    assert_eq!(place(&run, "1").as_deref(), Some("(n1:ncpus=2)"));
    let first: Vec<_> = run.steps.iter().map(|step| &*run.plan.job(step.outcome.job).name).collect();
    assert_eq!(first, ["2", "3", "1"]);
}

/// Rule 6.9: what is assigned inside is used up only inside, and stepping back returns it.
#[test]
fn nodes_inside_are_used_up_and_given_back() {
    let jobs = [job(1, "1:ncpus=4", "queue = \"R1\""), job(2, "2:ncpus=4", "queue = \"R1\"")];
    let run = cycle(&(RUNNING.to_owned() + &jobs.concat()));
    assert_eq!(place(&run, "1").as_deref(), Some("(n2:ncpus=4)"));
    assert_eq!(verdict(&run, "2"), Verdict::NotNow);
    let mut debugger = Debugger::new(run.clone());
    let assigned = |debugger: &Debugger| {
        let state = debugger.state();
        let inside = state.reservation_nodes.iter().flatten().next().unwrap();
        (format!("{:?}", state.occupancy.assigned), format!("{:?}", inside.occupancy.assigned))
    };
    let start = assigned(&debugger);
    debugger.seek(debugger.len());
    let end = assigned(&debugger);
    assert_eq!(start.0, end.0, "the nodes themselves");
    assert_ne!(start.1, end.1, "the nodes as seen inside");
    debugger.seek(0);
    assert_eq!(assigned(&debugger), start);
}

fn unconfirmed(name: &str, start: &str, select: &str) -> String {
    format!(
        "[[reservation]]\nname = \"{name}\"\nstart = \"{start}\"\nduration = \"01:00:00\"\n\
         select = \"{select}\"\nstate = \"UN\"\n"
    )
}

/// Rule 11.22: all reservations are tried, the confirmed one blocks the other, and no job is considered.
#[test]
fn a_confirmed_reservation_ends_the_cycle() {
    let text = unconfirmed("R1", "+01:00:00", "3:ncpus=8") + &unconfirmed("R2", "+01:30:00", "1:ncpus=1");
    let run = cycle(&(text + &job(1, "1:ncpus=1", "")));
    let confirmed: Vec<bool> =
        run.confirmations.iter().map(qscope::cycle::Confirmation::is_confirmed).collect();
    assert_eq!(confirmed, [true, false]);
    assert_eq!(verdict(&run, "1"), Verdict::NotConsidered);
    let mut debugger = Debugger::new(run.clone());
    assert!(debugger.state().node_events.iter().all(Option::is_none), "the start is before the confirmation");
    debugger.seek(usize::MAX);
    assert_eq!(debugger.position(), 0);
}

/// Rule 11.22: a denied one does not block the jobs.
#[test]
fn a_denied_reservation_lets_the_jobs_go_on() {
    let run = cycle(&(unconfirmed("R1", "+01:00:00", "4:ncpus=8") + &job(1, "1:ncpus=1", "")));
    assert!(run.confirmations.iter().all(|tried| !tried.is_confirmed()));
    assert_eq!(verdict(&run, "1"), Verdict::Run);
}

/// Rule 6.9: a reservation is placed by the node path at its start, when the job that now holds the nodes has ended.
#[test]
fn a_reservation_is_placed_at_its_start() {
    let holds = |id: u32, node: &str| {
        job(id, "1:ncpus=8", &format!("on = \"({node}:ncpus=8)\"\nstarted = \"-00:30:00\""))
    };
    let text = unconfirmed("R1", "+01:00:00", "3:ncpus=8") + &holds(1, "n1") + &holds(2, "n2");
    let run = cycle(&text);
    assert!(run.confirmations.iter().all(qscope::cycle::Confirmation::is_confirmed));
}
