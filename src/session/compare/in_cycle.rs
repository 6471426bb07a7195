//! The changes that one cycle makes: the cluster as it was read on the left, as the modelled cycle leaves it on the
//! right.
//!
//! ```text
//! start in this cycle: 2
//!  58            waits             starts on cn[018-019]       bucket path
//! nodes: what is free: 1
//!  cn[018-019]   free, 16 ncpus    job-exclusive, 12 ncpus
//! ```

mod nodes;

use std::sync::Arc;

use qscope_engine::cluster::{JobId, JobState, short_id};
use qscope_engine::cycle::{Outcome, Run};
use qscope_engine::universe::PreemptMethod;
use qscope_explain::{refused_by_server, standing_starts, words};
use rustc_hash::FxHashSet;

use super::changes::{ChangeLine, ChangeSide, ChangeSides, ChangeSubject, SideStyle, job_counts};

const STARTS: &str = "start in this cycle";
const REFUSED: &str = "refused by the server";
const PREEMPTED: &str = "preempted in this cycle";
const PLANNED: &str = "planned for later";
const NODES: &str = "nodes: what is left";

/// Returns the number of changes of each kind, in words, and the changes. Copies the state, so it is meant for a
/// worker thread.
pub fn changes(run: &Arc<Run>) -> (String, Vec<ChangeLine>) {
    let starts = starts(run);
    let preempted: Vec<ChangeLine> = victims(run);
    let planned: Vec<ChangeLine> = run.steps.iter().filter_map(|step| planned(run, &step.outcome)).collect();
    let nodes = nodes::nodes(run);
    let refused: Vec<ChangeLine> = run.steps.iter().filter_map(|step| refused(run, &step.outcome)).collect();
    let started = started(run).count();
    let counts = [
        (started, "start"),
        (refused.len(), "refused"),
        (preempted.len(), "preempted"),
        (planned.len(), "planned"),
    ];
    let mut parts = job_counts(&counts);
    let touched: usize = nodes.iter().map(|line| line.nodes().len()).sum();
    parts.extend((touched > 0).then(|| words::count(touched, "node")));
    let title = if parts.is_empty() { "this cycle changes nothing".to_owned() } else { parts.join(", ") };
    (title, [starts, refused, preempted, planned, nodes].concat())
}

/// Returns the starts that last: not refused by the server, and not undone in the cycle.
fn started(run: &Run) -> impl Iterator<Item = &Outcome> {
    standing_starts(run, usize::MAX).map(|step| &step.outcome).filter(|outcome| !run.is_refused(outcome))
}

/// Returns the starts: consecutive subjobs of one array on the same nodes are one line.
fn starts(run: &Run) -> Vec<ChangeLine> {
    let placed = started(run).filter_map(|outcome| Some((outcome, start_vnodes(run, outcome)?)));
    let placed: Vec<(&Outcome, String)> = placed.collect();
    let alike = placed.chunk_by(|(one, nodes), (next, others)| {
        one.subjob.is_some() && one.job == next.job && nodes == others && one.path == next.path
    });
    alike.filter_map(|same| start(run, same)).collect()
}

fn start(run: &Run, same: &[(&Outcome, String)]) -> Option<ChangeLine> {
    let (first, nodes) = same.first()?;
    let snap = &run.plan.snap;
    let names: Vec<String> = same.iter().map(|(outcome, _)| outcome.name(snap)).collect();
    let left = match snap.jobs[first.job].state {
        JobState::Suspended => "suspended",
        _ => "waits",
    };
    let path = first.entered().map(|path| format!("{} path", path.word()));
    let victims = first.victims.len();
    let preempts = (victims > 0).then(|| format!("preempts {victims}"));
    let shrunk = first.shrunk_to.map(|length| format!("shrunk to {}", words::duration(length)));
    let note: Vec<String> = path.into_iter().chain(preempts).chain(shrunk).collect();
    let right = format!("starts on {nodes}");
    Some(ChangeLine {
        group: STARTS,
        // The first subjob itself, since its array is the part that still waits.
        subject: ChangeSubject::Job(first.name(snap)),
        name: words::compact(names.iter().map(|name| short_id(name))),
        count: names.len(),
        text: right.clone(),
        sides: ChangeSides {
            left: ChangeSide::new(SideStyle::Waiting, left),
            right: ChangeSide::new(SideStyle::Running, right.clone()),
            note: note.join(", "),
        },
    })
}

/// Returns the vnodes where a job starts, folded.
fn start_vnodes(run: &Run, outcome: &Outcome) -> Option<String> {
    let mut nodes = outcome.placed.as_ref()?.allocation.nodes();
    nodes.sort_unstable();
    Some(words::node_list(&run.plan, &nodes))
}

/// Returns the jobs that ran before the cycle and are preempted in it, each once, by its last preemption; jobs that
/// the cycle itself started are unchanged.
fn victims(run: &Run) -> Vec<ChangeLine> {
    let mut known = FxHashSet::default();
    let mut found = Vec::new();
    for outcome in run.steps.iter().map(|step| &step.outcome).rev() {
        for (job, method) in outcome.victims.iter().rev() {
            if run.plan.job(*job).state.has_nodes() && known.insert(*job) {
                found.push(victim(run, outcome, *job, *method));
            }
        }
    }
    found.reverse();
    found
}

fn victim(run: &Run, by: &Outcome, job: JobId, method: PreemptMethod) -> ChangeLine {
    let note = format!("for {}", short_id(&by.name(&run.plan.snap)));
    let sides =
        (ChangeSide::new(SideStyle::Running, "runs"), ChangeSide::new(SideStyle::Waiting, method.word()));
    of_job(run, job, PREEMPTED, sides, note)
}

/// Returns a start that the server refuses: the job continues to wait.
fn refused(run: &Run, outcome: &Outcome) -> Option<ChangeLine> {
    let nodes = start_vnodes(run, outcome).filter(|_| run.is_refused(outcome))?;
    let note = refused_by_server(run, outcome).unwrap_or_default();
    let sides = (
        ChangeSide::new(SideStyle::Waiting, "waits"),
        ChangeSide::new(SideStyle::Waiting, format!("refused on {nodes}")),
    );
    Some(of_job(run, outcome.job, REFUSED, sides, note))
}

fn planned(run: &Run, outcome: &Outcome) -> Option<ChangeLine> {
    let estimate = outcome.estimate.as_ref().filter(|_| outcome.placed.is_none())?;
    let start = words::clock(&run.plan.snap, estimate.start);
    let nodes = words::node_list(&run.plan, &estimate.allocation.nodes());
    let sides = (
        ChangeSide::new(SideStyle::Waiting, "waits"),
        ChangeSide::new(SideStyle::Waiting, format!("planned at {start} on {nodes}")),
    );
    Some(of_job(run, outcome.job, PLANNED, sides, "top job".to_owned()))
}

fn of_job(
    run: &Run,
    job: JobId,
    group: &'static str,
    sides: (ChangeSide, ChangeSide),
    note: String,
) -> ChangeLine {
    let name = &run.plan.snap.jobs[job].name;
    let (left, right) = sides;
    ChangeLine {
        group,
        subject: ChangeSubject::Job(name.to_string()),
        name: short_id(name).to_owned(),
        count: 1,
        text: format!("{} -> {}", left.text, right.text),
        sides: ChangeSides { left, right, note },
    }
}
