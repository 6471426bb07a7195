//! Several schedulers, each with its partition: the view is that of one of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use qscope::cycle::run_cycle;
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;

/// Returns two vnodes, two queues and a job in each, half of them in partition `p1`.
fn files() -> Files {
    let node = |name: &str, rest: &str| {
        format!(
            "{name}\n     Mom = {name}\n     state = free\n     license = l\n     resources_available.ncpus = 8\n{rest}\n"
        )
    };
    let queue = |name: &str, rest: &str| {
        format!("Queue: {name}\n    queue_type = Execution\n    enabled = True\n    started = True\n{rest}\n")
    };
    let job = |id: u32, queue: &str| {
        format!(
            "Job Id: {id}.s\n    Job_Name = a\n    Job_Owner = u@h\n    job_state = Q\n    queue = {queue}\n    \
             Resource_List.select = 1:ncpus=4\n    Resource_List.place = free\n\n"
        )
    };
    let mut files = Files::new("partitions");
    files.insert("nodes.txt", node("n1", "") + &node("n2", "     partition = p1\n"), None);
    files.insert("queues.txt", queue("workq", "") + &queue("q1", "    partition = p1\n"), None);
    files.insert("jobs.txt", job(1, "workq") + &job(2, "q1"), None);
    let sched = "Sched default\n    partition = pbs-default\n    scheduling = True\n\nSched multi\n    partition = p1\n    scheduling = True\n\n";
    files.insert("sched.txt", sched, None);
    files.insert("now", "1763700000\n", None);
    files
}

/// Returns where each job runs in the view of a scheduler, and what was reported about schedulers.
fn view(scheduler: Option<&str>) -> (BTreeMap<String, Option<String>>, Vec<&'static str>) {
    let options = LoadOptions { scheduler: scheduler.map(ToOwned::to_owned), ..LoadOptions::default() };
    let snapshot = Arc::new(load(&files(), &options).unwrap());
    let said = snapshot.diagnostics.iter().map(|said| said.code).filter(|code| code.contains("scheduler"));
    let said = said.collect();
    let run = run_cycle(snapshot.clone(), Quirks::default());
    let placed = run.outcomes().map(|outcome| {
        let first = outcome.placed.as_ref().map(|placed| {
            let piece = placed.allocation.pieces.first().unwrap();
            run.plan.node_name(piece.bit).to_string()
        });
        (snapshot.jobs[outcome.job].name.to_string(), first)
    });
    (placed.collect(), said)
}

#[test]
fn each_scheduler_has_its_own_nodes_and_queues() {
    let on = |node: &str| Some(node.to_owned());
    let (placed, said) = view(None);
    assert_eq!(placed, [("1.s".to_owned(), on("n1")), ("2.s".to_owned(), None)].into());
    assert_eq!(said, ["several-schedulers"]);
    let (placed, said) = view(Some("multi"));
    assert_eq!(placed, [("1.s".to_owned(), None), ("2.s".to_owned(), on("n2"))].into());
    assert_eq!(said, ["several-schedulers"]);
    let wanted = LoadOptions { scheduler: Some("nobody".to_owned()), ..LoadOptions::default() };
    let error = load(&files(), &wanted).unwrap_err().to_string();
    assert_eq!(error, "no scheduler `nobody`; known are default, multi");
}
