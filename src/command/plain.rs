//! The answer if no verdicts can be given: the vnodes of each running job, how long each waiting job has waited, and
//! what the batch system's own scheduler states about it.

mod json;

use std::collections::BTreeMap;

use color_eyre::eyre::Result;

use qscope_engine::cluster::{Job, Snapshot};
use qscope_exits::Lines;
use qscope_explain::words;
use qscope_session::plain_facts::{elapsed, job_line, vnodes_of as nodes, waits};
use qscope_session::{Generation, NoVerdictReason};

use super::{open, output};
use json::NoVerdictsJson;

/// The flag that runs the cycle of PBS over dumps of Torque, and its name in commands whose `--as` names a user.
const AS: &str = "--as";
const TORQUE_AS: &str = "--torque-as";

/// The subject of a command.
#[derive(Clone, Copy)]
pub(super) enum NoVerdictsSubject<'a> {
    /// All jobs.
    Queue,
    /// All causes that keep jobs waiting.
    Causes,
    /// One job.
    Job(&'a str),
    /// The jobs on one node.
    Node(&'a str),
}

/// Prints what is known if no verdict can be given; the exit code is then 1 ("no"). Returns `None` if verdicts can be
/// given.
///
/// # Errors
/// If there is no such job, or the output cannot be written.
pub(super) fn print_if_no_verdicts(
    generation: &Generation,
    as_json: bool,
    asked: NoVerdictsSubject<'_>,
) -> Result<Option<u8>> {
    answer(generation, generation.as_pbs, as_json, (asked, AS))
}

/// Does the same for commands whose `--as` names a user.
pub(super) fn answer_plain_for_user(generation: &Generation, as_json: bool) -> Result<Option<u8>> {
    answer(generation, generation.as_pbs, as_json, (NoVerdictsSubject::Queue, TORQUE_AS))
}

/// Does the same for answers about a snapshot over which no cycle was run.
pub(super) fn answer_plain_of_snapshot(
    snapshot: &Snapshot,
    as_pbs: bool,
    as_json: bool,
    asked: NoVerdictsSubject<'_>,
) -> Result<Option<u8>> {
    answer(snapshot, as_pbs, as_json, (asked, AS))
}

/// Does the same for answers that need nodes but not the order of the queue.
pub(super) fn answer_plain_of_nodes(
    generation: &Generation,
    as_json: bool,
    asked: NoVerdictsSubject<'_>,
) -> Result<Option<u8>> {
    answer(generation, true, as_json, (asked, AS))
}

/// Does the same for a subject and the flag that the command takes.
fn answer<'a>(
    about: impl Into<output::AnswerContext<'a>>,
    as_pbs: bool,
    as_json: bool,
    (subject, flag): (NoVerdictsSubject<'_>, &str),
) -> Result<Option<u8>> {
    let about = about.into();
    let snap = about.snapshot();
    let Some(why) = NoVerdictReason::of(snap, as_pbs) else { return Ok(None) };
    let words = why.with_flag(flag);
    let jobs: Vec<&Job> = match subject {
        NoVerdictsSubject::Queue | NoVerdictsSubject::Causes => snap.jobs.iter().collect(),
        NoVerdictsSubject::Job(name) => vec![&snap.jobs[open::job_of(snap, name)?]],
        NoVerdictsSubject::Node(name) => snap.jobs.iter().filter(|job| nodes(job).contains(&name)).collect(),
    };
    let causes = if matches!(subject, NoVerdictsSubject::Causes) { causes(&jobs) } else { Vec::new() };
    let json = || NoVerdictsJson::of(snap, (why, &words), &jobs, &causes);
    output::answer(about, as_json, json, || text(snap, &words, &jobs, &causes))?;
    Ok(Some(1))
}

/// Returns the comments of the batch system's scheduler on waiting jobs, the most frequent first, each with its jobs.
fn causes<'s>(jobs: &[&'s Job]) -> Vec<(Option<&'s str>, Vec<&'s str>)> {
    let mut found: BTreeMap<Option<&str>, Vec<&str>> = BTreeMap::new();
    for job in jobs.iter().filter(|job| waits(job)) {
        found.entry(job.comment.as_deref()).or_default().push(&job.name);
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(_, jobs)| std::cmp::Reverse(jobs.len()));
    found
}

fn text(snap: &Snapshot, why: &str, jobs: &[&Job], causes: &[(Option<&str>, Vec<&str>)]) -> Lines {
    let mut text = Lines::new();
    text.line(format_args!("{}: {why}", snap.title));
    text.blank();
    for (comment, jobs) in causes {
        let comment = comment.unwrap_or("not known: no comment of the scheduler");
        text.line(format_args!("{:>6}  {comment}", jobs.len()));
        text.line(format_args!("        {}", words::first_names(jobs, 8)));
    }
    if !causes.is_empty() {
        return text;
    }
    for job in jobs {
        text.line(format_args!("  {}", job_line(snap, job)));
    }
    text
}
