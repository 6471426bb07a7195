//! Analyses a queue kind by kind, with a partial result available at any time.

mod rows;
mod tally;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cause::refused::refused_with;
use crate::cause::undone::undone;
use crate::cause::{Cause, causes_with};
use crate::fit_analysis::FitAnalysis;
use crate::{Explainer, JobTurn, Tier, WaitReason};
use qscope_engine::cluster::{Column, JobId, LimitScope, Name};
use qscope_engine::cycle::{Outcome, Run, Verdict};
use qscope_engine::universe::{AmountBasis, Bit, NodeSet, Reason, entity_of};

use super::{Board, waiting, waiting_core_hours};
use rows::BoardRows;
pub use tally::ReasonTally;

/// Maximum number of kinds of jobs analysed; the rest is classified by the first condition met. If no more jobs than
/// this wait, each is analysed on its own, because jobs of one kind find different nodes at their turns.
const MAX_LOOKED_INTO: usize = 300;

/// A board in progress. It gets more precise as it continues, and the final result does not depend on pauses.
#[derive(Debug)]
pub struct BoardBuilder {
    run: Arc<Run>,
    groups: Column<GroupIx, JobGroup>,
    /// Number of kinds of waiting jobs.
    kinds: usize,
    /// Groups still to be analysed, in ascending order of core-hours.
    groups_left: Vec<GroupIx>,
    chosen: usize,
    /// Groups beyond the initial limit, in ascending order of core-hours.
    groups_past_limit: Vec<GroupIx>,
    /// Reused for all analyses, created when the first one begins.
    tools: Option<Explainer>,
}

/// The result of explaining one job, to be added to a survey.
#[derive(Clone, Debug)]
pub struct ExplainedJob {
    pub job: JobId,
    /// Its causes, deepest first.
    causes: Vec<Cause>,
    /// The nodes that could serve it.
    nodes: NodeSet,
}

impl ExplainedJob {
    /// Creates it from the causes of a job found at its turn; `None` if nothing keeps it waiting.
    pub fn new(run: &Run, job: JobId, causes: &[Cause], turn: Option<&JobTurn>) -> Option<Self> {
        let nodes = turn.map_or_else(|| NodeSet::new(run.plan.nodes.len()), could_serve);
        (!causes.is_empty()).then(|| Self { job, causes: causes.to_vec(), nodes })
    }

    /// Returns the reason as tables name it.
    pub fn reason(&self) -> Option<WaitReason> {
        WaitReason::of(&self.causes)
    }
}

qscope_engine::id!(
    /// A group of similar jobs.
    GroupIx
);

/// Similar jobs, or one of them alone.
#[derive(Clone, Debug)]
struct JobGroup {
    /// The number of their kind.
    kind_number: usize,
    jobs: Vec<JobId>,
    cause: Cause,
    /// The cause as tables name it.
    reason: Option<Arc<WaitReason>>,
    /// The nodes that could serve them, once analysed.
    nodes: Option<NodeSet>,
}

impl BoardBuilder {
    /// Groups all waiting jobs by kind, classified by the first condition that the scheduler hit.
    pub fn new(run: Arc<Run>) -> Self {
        let mut groups: Column<GroupIx, JobGroup> = groups(&run).into();
        let kinds = groups.len();
        if groups.iter().map(|group| group.jobs.len()).sum::<usize>() <= MAX_LOOKED_INTO {
            groups = groups.iter().flat_map(JobGroup::one_by_one).collect();
        }
        // The groups with the most core-hours are analysed; ties keep the order considered.
        let hours =
            |group: &JobGroup| group.jobs.iter().map(|job| waiting_core_hours(&run, *job)).sum::<f64>();
        let mut left: Vec<(GroupIx, f64)> =
            groups.enumerate().map(|(at, group)| (at, hours(group))).collect();
        left.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut groups_past_limit: Vec<GroupIx> = left.into_iter().rev().map(|(at, _)| at).collect();
        let left = groups_past_limit.split_off(groups_past_limit.len().saturating_sub(MAX_LOOKED_INTO));
        Self { run, groups, kinds, chosen: left.len(), groups_left: left, groups_past_limit, tools: None }
    }

    /// Returns how many groups have been analysed, and how many will be.
    pub fn progress(&self) -> (u64, u64) {
        ((self.chosen - self.groups_left.len()) as u64, self.chosen as u64)
    }

    /// Returns how many kinds were analysed and how many there are, if the analysis ended at its limit.
    pub fn stopped(&self) -> Option<(u64, u64)> {
        let at_limit = self.groups_left.is_empty() && !self.groups_past_limit.is_empty();
        at_limit.then(|| ((self.kinds - self.groups_past_limit.len()) as u64, self.kinds as u64))
    }

    /// Also schedules the kinds beyond the limit for analysis.
    pub fn continue_past_limit(&mut self) {
        let mut left = std::mem::take(&mut self.groups_past_limit);
        self.chosen += left.len();
        left.append(&mut self.groups_left);
        self.groups_left = left;
    }

    /// Adds the result for one job. Jobs of one kind find different nodes at their turns, so the other jobs of the
    /// kind keep their result.
    pub fn add_explained(&mut self, explained: &ExplainedJob) {
        let holds = |(_, group): &(GroupIx, &JobGroup)| group.jobs.contains(&explained.job);
        let Some((at, group)) = self.groups.enumerate().find(holds) else { return };
        let at = if group.jobs.len() == 1 {
            self.groups_left.retain(|left| *left != at);
            self.groups_past_limit.retain(|left| *left != at);
            at
        } else {
            let alone = JobGroup { jobs: vec![explained.job], ..group.clone() };
            self.groups[at].jobs.retain(|job| *job != explained.job);
            self.groups.push(alone)
        };
        self.groups[at].take(&explained.causes, explained.nodes.clone());
    }

    /// Whether nothing is left to analyse.
    pub fn is_done(&self) -> bool {
        self.groups_left.is_empty()
    }

    /// Analyses groups until `more`, which is called after each, returns false.
    pub fn analyse_groups(&mut self, more: &mut dyn FnMut() -> bool) {
        let Self { run, groups, groups_left, tools, .. } = self;
        if groups_left.is_empty() {
            return;
        }
        let tools = tools.get_or_insert_with(|| Explainer::new(run));
        while let Some(at) = groups_left.pop() {
            groups[at].analyse(tools, run);
            if !more() {
                return;
            }
        }
        self.tools = None;
    }

    /// Returns the reason of every waiting job, as far as known.
    pub fn reasons(&self) -> FxHashMap<JobId, Arc<WaitReason>> {
        let of_group = |group: &'_ JobGroup| {
            let reason = group.reason.clone();
            group.jobs.iter().filter_map(move |job| Some((*job, reason.clone()?))).collect::<Vec<_>>()
        };
        self.groups.iter().flat_map(of_group).collect()
    }

    /// Returns the board as far as known.
    pub fn board(&self) -> Board {
        let open = self.groups.iter().filter(|group| group.nodes.is_none());
        let open: FxHashSet<usize> = open.map(|group| group.kind_number).collect();
        let mut board = Board {
            kinds: self.kinds as u64,
            analysed: (self.kinds - open.len()) as u64,
            ..Board::default()
        };
        let mut rows = BoardRows::default();
        for group in &self.groups {
            let hours: f64 = group.jobs.iter().map(|job| waiting_core_hours(&self.run, *job)).sum();
            board.waiting += group.jobs.len() as u64;
            board.core_hours += hours;
            if group.nodes.is_none() {
                board.jobs_by_first_condition += group.jobs.len() as u64;
                board.hours_at_a_glance += hours;
            }
            let never =
                group.jobs.iter().filter(|job| self.run.impossible_jobs().contains(**job)).count() as u64;
            rows.add(&self.run, group, hours, never);
        }
        board.rows = rows.rows.into_all().into_iter().map(|(row, _)| row).collect();
        // The jobs of one cause may come from several kinds, so they are sorted again.
        let places: FxHashMap<JobId, usize> =
            waiting(&self.run).into_iter().enumerate().map(|(at, outcome)| (outcome.job, at)).collect();
        for row in &mut board.rows {
            row.jobs.sort_by_key(|job| places.get(job).copied());
        }
        board.rows.sort_by(|a, b| {
            let larger = b.core_hours.total_cmp(&a.core_hours).then_with(|| b.jobs.len().cmp(&a.jobs.len()));
            b.analysed.cmp(&a.analysed).then(larger)
        });
        board
    }
}

impl JobGroup {
    /// Analyses the first job, which represents all.
    fn analyse(&mut self, tools: &mut Explainer, run: &Arc<Run>) {
        let Some(first) = self.jobs.first() else { return };
        let (causes, nodes) = analyse(tools, run, *first);
        self.take(&causes, nodes);
    }

    /// Stores the causes of one of the jobs, and the nodes that could serve it.
    fn take(&mut self, causes: &[Cause], nodes: NodeSet) {
        self.reason = WaitReason::of(causes).map(Arc::new).or_else(|| self.reason.take());
        self.cause = causes.first().unwrap_or(&self.cause).clone();
        self.nodes = Some(nodes);
    }

    /// Splits the group into single jobs.
    fn one_by_one(&self) -> impl Iterator<Item = Self> {
        self.jobs.iter().map(|job| Self { jobs: vec![*job], ..self.clone() })
    }
}

/// Groups waiting jobs by kind: of one class and one verdict, and excluded for the same reason if they are not
/// considered.
fn groups(run: &Run) -> Vec<JobGroup> {
    let mut groups: Vec<JobGroup> = Vec::new();
    let mut known: FxHashMap<JobKindKey, usize> = FxHashMap::default();
    for outcome in waiting(run) {
        let cause = at_a_glance(run, outcome);
        let out = outcome.order.is_none().then(|| (cause.tier, distinct_text(run, outcome.job, &cause)));
        let never = run.verdict(outcome) == Verdict::Never;
        let class = run.setup.classes.by_job[outcome.job];
        let fresh = groups.len();
        let at = match class {
            Some(class) => *known.entry((class.0, never, out, limited_as(run, outcome))).or_insert(fresh),
            None => fresh,
        };
        match groups.get_mut(at) {
            Some(group) => group.jobs.push(outcome.job),
            None => {
                let reason = WaitReason::at_a_glance(run, outcome).map(Arc::new);
                groups.push(JobGroup {
                    kind_number: fresh,
                    jobs: vec![outcome.job],
                    cause,
                    reason,
                    nodes: None,
                });
            }
        }
    }
    groups
}

/// Common properties of the jobs of a kind: the class, whether they can never run, why they were not considered, and the
/// entity of the limit they hit. A class ignores resources that the scheduler does not compare, so one of its jobs may be
/// impossible and another one not.
type JobKindKey = (u32, bool, Option<(Tier, String)>, Option<LimitEntity>);

/// The entity that a limit counts a job under: its user, group or project, or all jobs.
type LimitEntity = (LimitScope, Name);

/// Returns the entity of the limit that stops a job. Jobs of one class counted under different entities wait for
/// different jobs.
fn limited_as(run: &Run, outcome: &Outcome) -> Option<LimitEntity> {
    let Reason::Limit(hit) = &outcome.rejection.as_ref()?.reason else { return None };
    Some((hit.scope, entity_of(run.plan.job(outcome.job), hit.scope)))
}

/// Returns text that distinguishes jobs that were not considered: the queue, the state, the holds and dependencies.
fn distinct_text(run: &Run, job: JobId, cause: &Cause) -> String {
    let job = run.plan.job(job);
    let depend = job.depend.as_deref().unwrap_or_default();
    format!("{} {} {} {depend} {}", job.queue, job.state.letter(), job.holds, cause.kind)
}

/// Returns the first condition that the scheduler hit, for jobs that are not analysed.
fn at_a_glance(run: &Run, outcome: &Outcome) -> Cause {
    if let Some(undone) = refused_with(run, outcome).or_else(|| undone(run, outcome.job)) {
        return undone;
    }
    let tier = Tier::of(run, outcome).unwrap_or(Tier::NotConsidered);
    let text = outcome.rejection.as_ref().map(|r| r.reason.text(&run.plan.snap.catalogue));
    Cause::new(tier, "scheduler", text.unwrap_or_else(|| "not considered".to_owned()).trim_end().to_owned())
}

/// Returns the causes of a job, deepest first, and the nodes that could serve it.
fn analyse(explainer: &mut Explainer, run: &Arc<Run>, job: JobId) -> (Vec<Cause>, NodeSet) {
    let found = explainer.at_turn(job, |turn, idle| (causes_with(turn, Some(idle)), could_serve(turn)));
    found.unwrap_or_else(|| (crate::causes(run, job), NodeSet::new(run.plan.nodes.len())))
}

/// Returns the nodes that could serve a job when free.
fn could_serve(turn: &JobTurn) -> NodeSet {
    let room = FitAnalysis::new(turn.state(), &turn.request, &turn.list, AmountBasis::Total);
    let is_up = |bit: &Bit| !turn.state().occupancy.states[*bit].is_out_of_service();
    NodeSet::of(turn.list.capacity(), room.could_serve().iter().copied().filter(is_up))
}
