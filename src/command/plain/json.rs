//! What is known without verdicts, as JSON.

use serde::Serialize;

use super::{elapsed, nodes};
use qscope_engine::cluster::{Job, Snapshot};
use qscope_session::NoVerdictReason;

/// Facts about jobs, and why there are no verdicts.
#[derive(Serialize)]
pub(super) struct NoVerdictsJson<'a> {
    /// The title of the folder.
    case: &'a str,
    /// The moment of the snapshot, in seconds since 1970.
    now: i64,
    /// The order of the queue: `unknown`.
    order: &'static str,
    /// `torque`, or `no-nodes`.
    no_verdicts: &'static str,
    /// The reason in a sentence.
    why: String,
    jobs: Vec<DumpedJobJson<'a>>,
    /// What the batch system's own scheduler states about waiting jobs; only for `board`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments: Vec<CommentJson<'a>>,
}

/// A job as it was dumped.
#[derive(Serialize)]
struct DumpedJobJson<'a> {
    job: &'a str,
    /// The letter of its state.
    state: char,
    user: &'a str,
    queue: &'a str,
    /// For how long it has waited or run, in seconds; null where no time is known.
    seconds: Option<i64>,
    /// The vnodes it runs on.
    nodes: Vec<&'a str>,
    /// The comment of the batch system's own scheduler.
    comment: Option<&'a str>,
}

/// A comment, and the jobs that wait with it.
#[derive(Serialize)]
struct CommentJson<'a> {
    comment: Option<&'a str>,
    jobs: &'a [&'a str],
}

impl<'a> NoVerdictsJson<'a> {
    pub(super) fn of(
        snap: &'a Snapshot,
        (why, words): (NoVerdictReason, &str),
        jobs: &[&'a Job],
        causes: &'a [(Option<&'a str>, Vec<&'a str>)],
    ) -> Self {
        let job = |job: &&'a Job| DumpedJobJson {
            job: &job.name,
            state: job.state.letter(),
            user: &job.user,
            queue: &job.queue,
            seconds: elapsed(snap, job).map(|span| span.0),
            nodes: nodes(job),
            comment: job.comment.as_deref(),
        };
        let comment =
            |(comment, jobs): &'a (Option<&'a str>, Vec<&'a str>)| CommentJson { comment: *comment, jobs };
        Self {
            case: &snap.title,
            now: snap.now.0,
            order: "unknown",
            no_verdicts: why.word(),
            why: words.to_owned(),
            jobs: jobs.iter().map(job).collect(),
            comments: causes.iter().map(comment).collect(),
        }
    }
}
