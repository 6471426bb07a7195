//! What would let a job start now: changes found by search, each tried by running the whole cycle over the
//! edited cluster from its start, since an edited request changes signatures, classes and order of all jobs.

mod candidates;
mod costs;
mod offering;
mod queues;
mod release;
mod request;

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Serialize;

use qscope_engine::cluster::{Edit, Epoch, JobId, Name};
use qscope_engine::cycle::{Outcome, Run};

pub use self::queues::QueueMove;
use self::queues::Queues;
use super::{Cause, Tier, Turn, after_cycle, causes, decided, fits_idle, forecast, starting};

/// One change that lets the job start in this cycle; for a job that could never run, perhaps a later one.
#[derive(Clone, Debug, Serialize)]
pub struct Remedy {
    pub change: String,
    /// What follows for the job.
    pub effect: String,
    /// What it costs others.
    pub costs: String,
    /// Jobs that would have started in this cycle and no longer do.
    pub delayed: Vec<String>,
    /// When it starts, if not in this cycle but by running the cycle forward.
    pub start: Option<Epoch>,
    /// Whether its owner can make the change alone.
    #[serde(skip)]
    pub is_own: bool,
    /// The queue that it goes to, where that is the change.
    #[serde(skip)]
    pub to_queue: Option<Name>,
    /// Whether it gives nodes away twice, to the job and to another one that the server starts as well.
    #[serde(skip)]
    pub doubles: bool,
    /// The change itself: the cycle over `snapshot.with(&edits)` starts the job.
    #[serde(skip)]
    pub edits: Vec<Edit>,
    /// How large the change is; smaller ones come first.
    pub size: u32,
    /// The nodes that it gets, the first few, and the jobs that it costs something.
    #[serde(skip)]
    pub about: Vec<String>,
}

/// What a search reports.
#[derive(Clone, Copy, Debug)]
pub enum SearchEvent<'e> {
    /// So many changes were tried.
    Tried(u32),
    /// One works.
    Found(&'e Remedy),
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct TriedChanges {
    /// Changes that work, the smallest first.
    pub works: Vec<Remedy>,
    /// Changes with which the job still waits, each once and none that works at another try.
    pub without_effect: Vec<String>,
    /// How many other queues would take the job and were not tried.
    pub queues_not_tried: usize,
}

/// The most cycles run forward for one change that helps later only.
const MAX_CYCLES: u32 = 300;

/// The most changes tried for one job.
const MAX_TRIALS: u32 = 120;

/// What it costs, where it costs nothing.
pub(crate) const NO_COSTS: &str = "no other job changes";

/// In so many columns jobs and nodes are named; the rest is counted.
const MAX_NAMED: usize = 30;

/// Searches for changes that let a job start in this cycle, the smallest first; for a job that can never run as it
/// is, and that no change starts now, for those that let it start at all. None for jobs that start, run, or are
/// not there to run. `listener` receives every trial and every remedy as it is found, and may end the search.
pub fn remedies(
    run: &Arc<Run>,
    job: JobId,
    listener: &mut dyn FnMut(SearchEvent<'_>) -> ControlFlow<()>,
) -> Vec<Remedy> {
    tried_changes(run, job, listener).works
}

/// The same with the changes that were tried and do not let the job start.
pub fn tried_changes(
    run: &Arc<Run>,
    job: JobId,
    listener: &mut dyn FnMut(SearchEvent<'_>) -> ControlFlow<()>,
) -> TriedChanges {
    let Some(search) = Search::new(run, job, listener) else { return TriedChanges::default() };
    search.finish(Search::run)
}

/// What the owner of a job can change alone so that it starts in this cycle, other queues among it: those that are passed,
/// each with the job that it would be there. Of an array its first subjob has to start.
pub fn own_changes(
    run: &Arc<Run>,
    job: JobId,
    queues: Vec<QueueMove>,
    listener: &mut dyn FnMut(SearchEvent<'_>) -> ControlFlow<()>,
) -> TriedChanges {
    let Some(mut search) = Search::new(run, job, listener) else { return TriedChanges::default() };
    search.base = search.base.of_the_job();
    search.queues = Queues::new(queues);
    search.by_first_turn = true;
    search.finish(|search| {
        candidates::by_the_job_alone(search)?;
        candidates::of_another_shape(search)
    })
}

/// A change that works.
#[derive(Clone, Debug)]
struct Tried {
    /// The cycle with it.
    run: Arc<Run>,
    /// When the job starts, if not in that cycle.
    start: Option<Epoch>,
    /// What the next larger request meets, where that is not simply that it waits.
    beyond: Option<String>,
}

/// The cycle over all jobs that follows one for a single job.
fn after_qrun(run: &Arc<Run>) -> Run {
    let mut snap = after_cycle(run.clone());
    snap.qrun = None;
    run.over(Arc::new(snap))
}

/// A search under way.
struct Search<'l> {
    turn: Turn,
    causes: Vec<Cause>,
    /// What has to be released besides any change of the request.
    base: release::Release,
    trials: u32,
    /// The other queues.
    queues: Queues,
    /// Whether an array's first turn counts, and not what is left of it in the end.
    by_first_turn: bool,
    /// Whether a start later than in this cycle is searched for too.
    later: bool,
    /// Whether the cycle places the job with the change tried last, and the server refuses it.
    was_refused: bool,
    found: Vec<Remedy>,
    /// What did not work, each change once: families are tried again with less released, and for a later start.
    without: Vec<String>,
    listener: &'l mut dyn FnMut(SearchEvent<'_>) -> ControlFlow<()>,
}

impl<'l> Search<'l> {
    /// None of a job that nothing keeps waiting.
    fn new(
        run: &Arc<Run>,
        job: JobId,
        listener: &'l mut dyn FnMut(SearchEvent<'_>) -> ControlFlow<()>,
    ) -> Option<Self> {
        let causes = causes(run, job);
        let turn = Turn::new(run, job).filter(|_| !causes.is_empty())?;
        Some(Self {
            base: release::release(&turn, &causes),
            queues: Queues::of(&turn),
            turn,
            causes,
            trials: 0,
            by_first_turn: false,
            later: false,
            was_refused: false,
            found: Vec::new(),
            without: Vec::new(),
            listener,
        })
    }

    /// Searches, and hands over what was found; ended early, it still has what was found by then.
    fn finish(mut self, search: impl FnOnce(&mut Self) -> ControlFlow<()>) -> TriedChanges {
        let _ended = search(&mut self);
        self.found.sort_by_key(|remedy| remedy.size);
        TriedChanges {
            works: self.found,
            without_effect: self.without,
            queues_not_tried: self.queues.not_tried(self.trials > MAX_TRIALS),
        }
    }
}

impl Search<'_> {
    fn run(&mut self) -> ControlFlow<()> {
        self.families()?;
        let never = self.causes.iter().any(|cause| cause.tier == Tier::Never);
        if never && self.found.is_empty() {
            self.later = true;
            candidates::by_the_job_alone(self)?;
            candidates::of_another_shape(self)?;
        }
        self.later = false;
        if never { candidates::of_larger_nodes(self) } else { ControlFlow::Continue(()) }
    }

    fn families(&mut self) -> ControlFlow<()> {
        if self.base.edits.is_empty() {
            return candidates::all(self);
        }
        let released = self.offer(String::new(), &[], 0)?;
        // What keeps a job in its queue or at a limit may let another request pass, with nothing released but what holds
        // the job itself.
        let held = self.base.of_the_job();
        if held.edits.len() < self.base.edits.len() {
            let base = std::mem::replace(&mut self.base, held);
            candidates::by_the_job_alone(self)?;
            self.base = base;
        }
        if released { ControlFlow::Continue(()) } else { candidates::all(self) }
    }

    /// Tries a change together with what has to be released.
    fn tries(&mut self, edits: &[Edit]) -> ControlFlow<(), Option<Tried>> {
        self.trials += 1;
        if self.trials > MAX_TRIALS {
            return ControlFlow::Break(());
        }
        (self.listener)(SearchEvent::Tried(self.trials))?;
        let all = self.with_base(edits);
        let plan = &self.turn.run.plan;
        let run = Arc::new(self.turn.run.over(Arc::new(plan.snap.with(&all))));
        let outcome = self.outcome(&run);
        let starts = outcome.is_some_and(|outcome| run.is_start(outcome));
        self.was_refused = outcome.is_some_and(|outcome| run.is_refused(outcome));
        if starts || !self.later {
            return ControlFlow::Continue(starts.then_some(Tried { run, start: None, beyond: None }));
        }
        let later = self.starts_later(&run);
        ControlFlow::Continue(later.map(|at| Tried { run, start: Some(at), beyond: None }))
    }

    /// What becomes of the job in a cycle.
    fn outcome<'r>(&self, run: &'r Run) -> Option<&'r Outcome> {
        match self.by_first_turn {
            true => starting(run, self.turn.job),
            false => decided(run, self.turn.job),
        }
    }

    /// When the job starts after the cycle, if the idle cluster holds it at all.
    fn starts_later(&mut self, run: &Arc<Run>) -> Option<Epoch> {
        if !fits_idle(&run.plan, self.turn.job) {
            return None;
        }
        let (listener, trials) = (&mut self.listener, self.trials);
        let found = forecast(run, self.turn.job, &mut |progress| {
            if progress.cycles >= MAX_CYCLES {
                return ControlFlow::Break(());
            }
            listener(SearchEvent::Tried(trials))
        });
        found.and_then(|found| found.start)
    }

    /// The edits of a change after those that release. A change of the job itself keeps what releases it.
    fn with_base(&self, edits: &[Edit]) -> Vec<Edit> {
        let mut all = self.base.edits.clone();
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
}
