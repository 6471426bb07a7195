//! The causes board: what keeps the whole queue waiting, cause by cause, with the jobs behind each.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::{Id, JobId, ResourceId};
use crate::cycle::{Debugger, Outcome, Run, Verdict};
use crate::universe::{Against, NodeSet};

use super::cause::{Cause, IdleCluster, causes_with};
use super::room::Room;
use super::tier::Tier;
use super::turn::Turn;

/// One cause and everybody it keeps.
#[derive(Clone, Debug)]
pub struct BoardRow {
    /// The kind of cause.
    pub tier: Tier,
    /// Which cause exactly.
    pub kind: &'static str,
    /// What it is about: the limit, the resource, the set, the job ahead.
    pub object: String,
    /// One of its sentences.
    pub example: String,
    /// The jobs, in the order considered.
    pub jobs: Vec<JobId>,
    /// The cpu time that they ask for, in hours.
    pub core_hours: f64,
    /// How many nodes could serve at least one of them.
    pub nodes: u64,
}

/// All causes, those that keep the most cpu time first.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// The rows.
    pub rows: Vec<BoardRow>,
    /// How many jobs wait.
    pub waiting: u64,
    /// The cpu time that they ask for, in hours.
    pub core_hours: f64,
    /// How many jobs were looked at only by what the scheduler hit first, because there are too many kinds.
    pub at_a_glance: u64,
}

/// At most so many different jobs are looked into; the rest is told at a glance.
const MOST_LOOKED_INTO: usize = 300;

/// Counts the causes over the whole queue. Jobs of one class are alike, so one of them speaks for all.
#[must_use]
pub fn board(run: &Arc<Run>) -> Board {
    let plan = &run.plan;
    // An array that starts some subjobs is considered several times; it waits when its first turn came to nothing.
    let mut seen = FxHashSet::default();
    let waits = |outcome: &&Outcome| {
        let first = run.step_of(outcome.job).map_or(outcome.verdict, |step| run.steps[step].outcome.verdict);
        first != Verdict::Run && !is_subjob(run, outcome.job)
    };
    let waiting: Vec<&Outcome> =
        run.outcomes().filter(waits).filter(|outcome| seen.insert(outcome.job)).collect();
    let mut groups: Vec<Vec<JobId>> = Vec::new();
    let mut known: FxHashMap<(u32, bool), usize> = FxHashMap::default();
    for outcome in &waiting {
        let considered = outcome.order.is_some();
        let class = run.setup.classes.of[outcome.job].filter(|_| considered);
        let fresh = |groups: &mut Vec<Vec<JobId>>| {
            groups.push(Vec::new());
            groups.len() - 1
        };
        let at = match class {
            Some(class) => *known.entry((class.0, considered)).or_insert_with(|| fresh(&mut groups)),
            None => fresh(&mut groups),
        };
        if let Some(group) = groups.get_mut(at) {
            group.push(outcome.job);
        }
    }
    // The largest groups are looked into; equal ones in the order considered.
    let mut by_size: Vec<usize> = (0..groups.len()).collect();
    by_size.sort_by_key(|at| std::cmp::Reverse(groups.get(*at).map_or(0, Vec::len)));
    let chosen: Vec<usize> = by_size.into_iter().take(MOST_LOOKED_INTO).collect();
    let mut counting = Counting::new(run);
    let mut board = Board { waiting: waiting.len() as u64, ..Board::default() };
    for (at, jobs) in groups.iter().enumerate() {
        let Some(first) = jobs.first().copied() else { continue };
        let found = if chosen.contains(&at) { counting.look_into(first) } else { None };
        let (cause, nodes) = found.unwrap_or_else(|| {
            board.at_a_glance += jobs.len() as u64;
            (at_a_glance(run, first), NodeSet::new(plan.nodes.len()))
        });
        counting.add(&cause, jobs, &nodes);
    }
    board.core_hours = waiting.iter().fold(0.0, |sum, outcome| sum + core_hours(run, outcome.job));
    board.rows = counting.rows.into_iter().map(|(row, _)| row).collect();
    board
        .rows
        .sort_by(|a, b| b.core_hours.total_cmp(&a.core_hours).then_with(|| b.jobs.len().cmp(&a.jobs.len())));
    board
}

fn is_subjob(run: &Run, job: JobId) -> bool {
    run.plan.job(job).is_subjob()
}

/// The cpu time that a job asks for, in hours; what has no walltime counts as an hour.
fn core_hours(run: &Run, job: JobId) -> f64 {
    let requested = &run.plan.job(job).requested;
    let amount = |id| requested.amount(id).map(|amount| amount.0);
    let cpus = amount(ResourceId::ncpus()).unwrap_or(1.0);
    let array = run.plan.job(job).array.as_ref().map_or(1, |array| array.remaining.len().max(1));
    cpus * amount(ResourceId::walltime()).unwrap_or(3600.0) / 3600.0 * array as f64
}

/// What the scheduler hit first, for jobs that are not looked into.
fn at_a_glance(run: &Run, job: JobId) -> Cause {
    let outcome = run.outcome(job);
    let tier = outcome.and_then(Tier::of).unwrap_or(Tier::NotConsidered);
    let text = outcome
        .and_then(|outcome| outcome.rejection.as_ref())
        .map(|r| r.reason.text(&run.plan.snap.catalogue));
    Cause::new(tier, "scheduler", text.unwrap_or_else(|| "not considered".to_owned()).trim_end().to_owned())
}

/// A board in the making.
struct Counting<'r> {
    run: &'r Arc<Run>,
    debugger: Debugger,
    start: Arc<crate::universe::State>,
    idle: IdleCluster,
    rows: Vec<(BoardRow, NodeSet)>,
}

impl<'r> Counting<'r> {
    fn new(run: &'r Arc<Run>) -> Self {
        let debugger = Debugger::new(run.clone());
        let start = Arc::new(Turn::state_of(&debugger));
        Self { run, debugger, start, idle: IdleCluster::of_all(&run.plan), rows: Vec::new() }
    }

    /// The deepest cause of a job, and the nodes that could serve it.
    fn look_into(&mut self, job: JobId) -> Option<(Cause, NodeSet)> {
        self.debugger.seek(self.run.step_of(job).map_or(usize::MAX, Id::ix));
        let mut turn = Turn::at(&self.debugger, self.start.clone(), job)?;
        let cause = causes_with(&mut turn, Some(&mut self.idle)).into_iter().next()?;
        let room = Room::new(&turn.state, &turn.request, &turn.list, Against::Total);
        let nodes = NodeSet::of(turn.list.capacity(), room.could_serve());
        Some((cause, nodes))
    }

    fn add(&mut self, cause: &Cause, jobs: &[JobId], nodes: &NodeSet) {
        let object = cause.objects.first().cloned().unwrap_or_default();
        let same = |row: &(BoardRow, NodeSet)| {
            row.0.tier == cause.tier && row.0.kind == cause.kind && row.0.object == object
        };
        let at = self.rows.iter().position(same).unwrap_or_else(|| {
            let row = BoardRow {
                tier: cause.tier,
                kind: cause.kind,
                object,
                example: cause.sentence.clone(),
                jobs: Vec::new(),
                core_hours: 0.0,
                nodes: 0,
            };
            self.rows.push((row, NodeSet::new(nodes.capacity())));
            self.rows.len() - 1
        });
        let run = self.run;
        if let Some((row, all)) = self.rows.get_mut(at) {
            row.jobs.extend_from_slice(jobs);
            row.core_hours += jobs.iter().map(|job| core_hours(run, *job)).sum::<f64>();
            all.unite(nodes);
            row.nodes = all.count() as u64;
        }
    }
}
