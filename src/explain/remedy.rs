//! Changes that would let a job start now. They are found by search, and each is tried by running the whole cycle on
//! the edited cluster from its start, because an edited request changes signatures, classes and the order of all
//! jobs.

mod candidates;
mod costs;
mod offers;
mod queues;
mod release;
mod request;

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Serialize;

use qscope_engine::cluster::{Edit, Epoch, JobId, Name};
use qscope_engine::cycle::{Outcome, Run};

pub use self::queues::QueueMove;
use self::queues::QueueMoves;
use super::{Cause, JobTurn, Tier, after_cycle, causes, decided, fits_idle, forecast, starting};

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

    /// Tries a change together with what must be released.
    fn tries(&mut self, edits: &[Edit]) -> ControlFlow<(), Option<WorkingChange>> {
        self.tries_without(edits, &[])
    }

    /// Tries a change that works with less released or raised, part by part: a limit may be full at the turn of the job
    /// only because of a start that the rest of the change prevents.
    fn minimal(&mut self, edits: &[Edit], tried: &WorkingChange) -> ControlFlow<(), WorkingChange> {
        let mut least = tried.clone();
        let count = if self.base.follows_request { tried.base.part_count } else { 0 };
        if tried.start.is_some() || count + usize::from(!edits.is_empty()) < 2 {
            return ControlFlow::Continue(least);
        }
        let mut left_out = Vec::new();
        for part in 0..count {
            left_out.push(part);
            let is_all = edits.is_empty() && left_out.len() == count;
            match if is_all { None } else { self.tries_without(edits, &left_out)? } {
                Some(fewer) => least = WorkingChange { next_failure: least.next_failure, ..fewer },
                None => drop(left_out.pop()),
            }
        }
        ControlFlow::Continue(least)
    }

    /// Tries a change together with what must be released, but for some of its parts.
    fn tries_without(
        &mut self,
        edits: &[Edit],
        left_out: &[usize],
    ) -> ControlFlow<(), Option<WorkingChange>> {
        self.trials += 1;
        if self.trials > MAX_TRIALS {
            return ControlFlow::Break(());
        }
        (self.listener)(RemedySearchEvent::Tried(self.trials))?;
        let base = self.base_for(edits, left_out);
        let all = with_base(&base, edits);
        let plan = &self.turn.run.plan;
        let run = Arc::new(self.turn.run.over(Arc::new(plan.snap.with(&all))));
        let outcome = self.outcome(&run);
        let starts = outcome.is_some_and(|outcome| run.is_start(outcome));
        self.was_refused = outcome.is_some_and(|outcome| run.is_refused(outcome));
        if starts || !self.searches_later {
            let now = WorkingChange { run, base, start: None, next_failure: None };
            return ControlFlow::Continue(starts.then_some(now));
        }
        let later = self.starts_later(&run);
        let working = |at| WorkingChange { run, base, start: Some(at), next_failure: None };
        ControlFlow::Continue(later.map(working))
    }

    /// Returns what must be released in addition to a change: with another request or queue, limits are raised as far
    /// as that needs.
    fn base_for(&self, edits: &[Edit], left_out: &[usize]) -> release::ReleaseEdits {
        let own = self.turn.plan().job(self.turn.job);
        let is_other_request = |edit: &Edit| match edit {
            Edit::Job(id, job) => {
                *id == self.turn.job && (job.requested != own.requested || job.queue != own.queue)
            }
            _ => false,
        };
        if !self.base.follows_request {
            return self.base.clone();
        }
        if !edits.iter().any(is_other_request) {
            let is_whole = left_out.is_empty();
            return if is_whole {
                self.base.clone()
            } else {
                release::release(&self.turn, &self.causes, left_out)
            };
        }
        let run = Arc::new(self.turn.run.over(Arc::new(self.turn.plan().snap.with(edits))));
        let changed = JobTurn::new(&run, self.turn.job);
        changed.map_or_else(|| self.base.clone(), |turn| release::release(&turn, &self.causes, left_out))
    }

    /// Returns the outcome of the job in a cycle.
    fn outcome<'r>(&self, run: &'r Run) -> Option<&'r Outcome> {
        match self.judges_first_turn {
            true => starting(run, self.turn.job),
            false => decided(run, self.turn.job),
        }
    }

    /// Returns when the job starts after the cycle, if it fits on the idle cluster at all.
    fn starts_later(&mut self, run: &Arc<Run>) -> Option<Epoch> {
        if !fits_idle(&run.plan, self.turn.job) {
            return None;
        }
        let (listener, trials) = (&mut self.listener, self.trials);
        let found = forecast(run, self.turn.job, &mut |progress| {
            if progress.cycles >= MAX_CYCLES {
                return ControlFlow::Break(());
            }
            listener(RemedySearchEvent::Tried(trials))
        });
        found.and_then(|found| found.start)
    }
}

/// Returns the edits that release, followed by those of a change. A change of the job itself keeps what releases it.
fn with_base(base: &release::ReleaseEdits, edits: &[Edit]) -> Vec<Edit> {
    let mut all = base.edits.clone();
    for edit in edits {
        let freed = all.iter().find_map(|base| match (base, edit) {
            (Edit::Job(a, freed), Edit::Job(b, _)) if a == b => Some(freed.clone()),
            _ => None,
        });
        all.push(match (edit, freed) {
            (Edit::Job(id, job), Some(freed)) => {
                let mut job = job.clone();
                job.state = freed.state;
                job.holds = freed.holds;
                job.execution_time = freed.execution_time;
                job.array = freed.array;
                Edit::Job(*id, job)
            }
            _ => edit.clone(),
        });
    }
    all
}
