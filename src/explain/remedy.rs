//! Changes that would let a job start now. They are found by search, and each is tried by running the whole cycle on
//! the edited cluster from its start, because an edited request changes signatures, classes and the order of all
//! jobs.

mod candidates;
mod costs;
mod offers;
mod queues;
mod release;
mod request;
mod trial;

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Serialize;

use qscope_engine::cluster::{Edit, Epoch, JobId, Name};
use qscope_engine::cycle::Run;

pub use self::queues::QueueMove;
use self::queues::QueueMoves;
use super::{Cause, JobTurn, Tier, after_cycle, causes};

/// A change that lets the job start in this cycle or, for a job that could never run, perhaps in a later one.
#[derive(Clone, Debug, Serialize)]
pub struct Remedy {
    pub change: String,
    pub effect: String,
    /// The costs for other jobs, and which of them start only with it.
    pub costs: String,
    /// Jobs that would have started in this cycle and no longer do.
    pub delayed: Vec<String>,
    /// Its start, if not in this cycle but found by running the cycle forward.
    pub start: Option<Epoch>,
    /// Whether the owner of the job can make the change alone.
    #[serde(skip)]
    pub is_own: bool,
    /// The queue that the job moves to, if that is the change.
    #[serde(skip)]
    pub to_queue: Option<Name>,
    /// Whether no other job loses by it.
    #[serde(skip)]
    pub is_harmless: bool,
    /// Whether nodes are assigned twice, to the job and to another one that the server also starts.
    #[serde(skip)]
    pub doubles: bool,
    /// The edits: the cycle over `snapshot.with(&edits)` starts the job.
    #[serde(skip)]
    pub edits: Vec<Edit>,
    /// Size of the change; smaller ones come first.
    pub size: u32,
    /// The first few nodes that it gets, and the jobs affected by the change.
    #[serde(skip)]
    pub about: Vec<String>,
}

/// Progress of a search.
#[derive(Clone, Copy, Debug)]
pub enum RemedySearchEvent<'e> {
    /// Number of changes tried so far.
    Tried(u32),
    /// A change that works.
    Found(&'e Remedy),
}

/// Receives the progress of a search, and may stop it.
pub type RemedyListener<'l> = &'l mut dyn FnMut(RemedySearchEvent<'_>) -> ControlFlow<()>;

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct TriedChanges {
    /// Changes that work, smallest first.
    pub working: Vec<Remedy>,
    /// Changes with which the job still waits, each once, without those that work in another attempt.
    pub without_effect: Vec<String>,
    /// Number of other queues that would accept the job but were not tried.
    pub queues_not_tried: usize,
}

/// Maximum number of cycles run forward for a change that only helps later.
const MAX_CYCLES: u32 = 300;

/// Maximum number of changes tried for one job.
const MAX_TRIALS: u32 = 120;

/// The costs of a change that affects no other job in this cycle.
const NO_COSTS: &str = "no other job changes";

/// Maximum width of a list of jobs or nodes, in columns; the rest is counted.
const MAX_NAMED: usize = 30;

/// Searches for changes that let a job start in this cycle, smallest first. For a job that can never run and that no
/// change starts now, searches for changes that let it start later. Returns nothing for jobs that start or run, or
/// are not waiting to run. `listener` receives every trial and every remedy found, and may stop the search.
pub fn remedies(run: &Arc<Run>, job: JobId, listener: RemedyListener<'_>) -> Vec<Remedy> {
    tried_changes(run, job, listener).working
}

/// Like [`remedies`], and also returns the changes that do not let the job start.
pub fn tried_changes(run: &Arc<Run>, job: JobId, listener: RemedyListener<'_>) -> TriedChanges {
    let Some(search) = RemedySearch::new(run, job, listener) else { return TriedChanges::default() };
    search.finish(RemedySearch::run)
}

/// Returns what the owner of a job can change alone so that it starts in this cycle. `queues` are the queues to try,
/// each with the job as it would be there. For an array, its first subjob must start.
pub fn own_changes(
    run: &Arc<Run>,
    job: JobId,
    queues: Vec<QueueMove>,
    listener: RemedyListener<'_>,
) -> TriedChanges {
    let Some(mut search) = RemedySearch::new(run, job, listener) else { return TriedChanges::default() };
    search.base = search.base.of_the_job();
    search.queues = QueueMoves::new(queues);
    search.judges_first_turn = true;
    search.finish(|search| {
        candidates::try_user_changes(search)?;
        candidates::of_another_shape(search)
    })
}

/// A change that works.
#[derive(Clone, Debug)]
struct WorkingChange {
    /// The cycle with the change.
    run: Arc<Run>,
    /// What is released in addition to the change.
    base: release::ReleaseEdits,
    /// The start of the job, if not in that cycle.
    start: Option<Epoch>,
    /// Why the next larger request fails, if not simply because it waits.
    next_failure: Option<String>,
}

/// Runs the cycle over all jobs that follows a cycle for a single job.
fn after_qrun(run: &Arc<Run>) -> Run {
    let mut snap = after_cycle(run.clone());
    snap.qrun = None;
    run.over(Arc::new(snap))
}

/// A search in progress.
struct RemedySearch<'l> {
    turn: JobTurn,
    causes: Vec<Cause>,
    /// What must be released in addition to any change of the request.
    base: release::ReleaseEdits,
    trials: u32,
    /// The other queues.
    queues: QueueMoves,
    /// Whether the first turn of an array counts, rather than its final state.
    judges_first_turn: bool,
    /// Whether starts after this cycle are searched for too.
    searches_later: bool,
    /// Whether the last change tried placed the job but the server refuses it.
    was_refused: bool,
    remedies: Vec<Remedy>,
    /// Changes without effect, each once: some are tried again with less released, or for a later start.
    without_effect: Vec<String>,
    listener: RemedyListener<'l>,
}

impl<'l> RemedySearch<'l> {
    /// Returns `None` for a job that nothing keeps waiting.
    fn new(run: &Arc<Run>, job: JobId, listener: RemedyListener<'l>) -> Option<Self> {
        let causes = causes(run, job);
        let turn = JobTurn::new(run, job).filter(|_| !causes.is_empty())?;
        Some(Self {
            base: release::release(&turn, &causes, &[]),
            queues: QueueMoves::of(&turn),
            turn,
            causes,
            trials: 0,
            judges_first_turn: false,
            searches_later: false,
            was_refused: false,
            remedies: Vec::new(),
            without_effect: Vec::new(),
            listener,
        })
    }

    /// Searches and returns the results, including those found before an early stop.
    fn finish(mut self, search: impl FnOnce(&mut Self) -> ControlFlow<()>) -> TriedChanges {
        let _ended = search(&mut self);
        self.remedies.sort_by_key(|remedy| remedy.size);
        TriedChanges {
            working: self.remedies,
            without_effect: self.without_effect,
            queues_not_tried: self.queues.not_tried(self.trials > MAX_TRIALS),
        }
    }
}

impl RemedySearch<'_> {
    fn run(&mut self) -> ControlFlow<()> {
        self.try_candidates()?;
        let never = self.causes.iter().any(|cause| cause.tier == Tier::Never);
        if never && self.remedies.is_empty() {
            self.searches_later = true;
            candidates::try_user_changes(self)?;
            candidates::of_another_shape(self)?;
        }
        self.searches_later = false;
        if never { candidates::of_larger_nodes(self) } else { ControlFlow::Continue(()) }
    }

    fn try_candidates(&mut self) -> ControlFlow<()> {
        if self.base.edits.is_empty() {
            return candidates::try_all_families(self);
        }
        let held = self.base.of_the_job();
        let has_more = held.edits.len() < self.base.edits.len();
        // A limit that is full at the end of the cycle may not have been at the turn of a job that was held.
        if has_more && !held.edits.is_empty() && self.offer_with(&held, String::new(), &[], 0)? {
            return ControlFlow::Continue(());
        }
        let released = self.offer(String::new(), &[], 0)?;
        // A queue or limit that holds the job may let another request pass, with only the hold on the job itself
        // released.
        if has_more {
            let base = std::mem::replace(&mut self.base, held);
            candidates::try_user_changes(self)?;
            self.base = base;
        }
        if released { ControlFlow::Continue(()) } else { candidates::try_all_families(self) }
    }
}
