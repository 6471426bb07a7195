//! Rules that no document states: they were found in the answers of the real scheduler (M1 and on of
//! `tests/rules.toml`), each on the smallest cluster that shows it; and rules of the documents that no answer shows.

mod calendar;
mod documents;
mod hosts;
mod order;
mod sets;

use std::sync::Arc;

use qscope::cluster::Epoch;
use qscope::cycle::{Run, run_cycle};
use qscope::source::toml_form;
use qscope::universe::{Quirks, Semantics};

const NOW: i64 = 1_763_700_000;

const HOUR: i64 = 3600;

const RESOURCES: &str = "[[resource]]\nname = \"a\"\ntype = \"string_array\"\nflag = \"h\"\n\
    [[resource]]\nname = \"b\"\ntype = \"string_array\"\nflag = \"h\"\n\
    [[resource]]\nname = \"fast\"\ntype = \"boolean\"\nflag = \"h\"\n";

/// Returns a policy with sets by both keys, preceded by further lines.
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

/// Returns a job of one hour, unless `more` states another walltime.
fn job(id: &str, select: &str, place: &str, more: &str) -> String {
    let hour = if more.contains("walltime") { "" } else { "walltime = \"01:00:00\"\n" };
    format!("[[job]]\nid = \"{id}\"\nselect = \"{select}\"\nplace = \"{place}\"\n{hour}{more}\n")
}

/// Returns where a job starts.
pub(crate) fn place(run: &Run, name: &str) -> Option<String> {
    let outcome = run.outcome(run.plan.snap.job_named(name).unwrap())?;
    Some(outcome.placed.as_ref()?.allocation.exec_vnode(&run.plan))
}

fn comment(run: &Run, name: &str) -> String {
    let outcome = run.outcome(run.plan.snap.job_named(name).unwrap()).unwrap();
    outcome.rejection.as_ref().map(|no| no.comment(&run.plan.snap.catalogue)).unwrap_or_default()
}

/// Returns the sets tried in all steps of a job.
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

/// Returns three nodes of a queue, where the second node of the second set is busy for an hour.
fn of_a_queue() -> (String, String) {
    let of = |name: &str, set: &str| node(name, &format!("ncpus = 8, a = \"{set}\""), "queue = \"q2\"");
    let nodes = [of("n1", "x"), of("n2", "y"), of("n3", "y")].concat();
    let busy = "queue = \"q2\"\non = \"(n3:ncpus=8)\"\nstarted = \"-00:00:00\"";
    let two = job("2", "2:ncpus=8", "scatter:excl", "queue = \"q2\"\nwalltime = \"04:00:00\"");
    (nodes, "[[queue]]\nname = \"q2\"\n".to_owned() + &job("1", "1:ncpus=8", "free:excl", busy) + &two)
}
