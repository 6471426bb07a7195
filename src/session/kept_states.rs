//! Returns what the kept snapshots state about one job: its state in each, and why it waited.

use std::sync::Arc;

use qscope_engine::cluster::{Epoch, Job, JobState};
use qscope_explain::decided_with_array;

use super::Generation;
use super::wait_history::{reason_in, without_amounts};

/// What some consecutive snapshots state about a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobStatePeriod {
    /// The time of the first snapshot.
    pub from: Epoch,
    /// The time of the last snapshot.
    pub to: Epoch,
    /// Number of snapshots.
    pub snapshots: usize,
    /// Their statement in words.
    pub words: String,
}

/// Returns what snapshots in the order of time state about a job; consecutive equal statements are merged. The reason
/// is that of the dump's comment, else of the cycle if it is held: no cycle is run again for this.
pub fn kept_states<'g>(
    kept: impl IntoIterator<Item = &'g Arc<Generation>>,
    name: &str,
) -> Vec<JobStatePeriod> {
    let mut states: Vec<JobStatePeriod> = Vec::new();
    for generation in kept {
        let (at, words) = (generation.snapshot.now, words_in(generation, name));
        match states.last_mut().filter(|last| last.words == words) {
            Some(last) => (last.to, last.snapshots) = (at, last.snapshots + 1),
            None => states.push(JobStatePeriod { from: at, to: at, snapshots: 1, words }),
        }
    }
    states
}

fn words_in(generation: &Generation, name: &str) -> String {
    let snap = &generation.snapshot;
    let Some(id) = snap.job_named(name) else { return "not in the dump".to_owned() };
    let job = &snap.jobs[id];
    if let Some(word) = state_word(job) {
        return word.to_owned();
    }
    let comment = job.comment.as_deref().map(without_amounts).filter(|text| !text.is_empty());
    let by_cycle = || {
        let run = generation.run.is_held().then(|| &*generation.run)?;
        decided_with_array(run, id).map(|outcome| match run.is_start(outcome) {
            true => "starts in this cycle".to_owned(),
            false => format!("waits: {}", reason_in(run, outcome)),
        })
    };
    let by_comment = comment.map(|reason| format!("waits: {reason}"));
    by_comment.or_else(by_cycle).unwrap_or_else(|| "waits".to_owned())
}

/// Returns the state of a job that is not queued, in a word.
fn state_word(job: &Job) -> Option<&'static str> {
    match job.state {
        JobState::Queued | JobState::Begun | JobState::Transit => None,
        JobState::Running => Some("runs"),
        JobState::Exiting => Some("exits"),
        JobState::Held => Some("held"),
        JobState::Waiting => Some("waits for its execution time"),
        JobState::Suspended | JobState::UserSuspended => Some("suspended"),
        JobState::Expired | JobState::Finished => Some("over"),
        JobState::Moved => Some("moved to another server"),
    }
}
