//! Looking into a queue kind by kind, with an answer at every moment.

mod rows;
mod tally;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cause::refused::refused_with;
use crate::cause::{Cause, causes_with};
use crate::room::Room;
use crate::{Inquiry, Tier, Turn, WaitReason};
use qscope_engine::cluster::{Column, JobId, LimitScope, Name};
use qscope_engine::cycle::{Outcome, Run};
use qscope_engine::universe::{Against, NodeSet, Reason, entity_of};

use super::{Board, waiting, waiting_core_hours};
use rows::BoardRows;
pub use tally::ReasonTally;

/// At most so many kinds of jobs are analysed; the rest takes the first condition met. Where no more jobs than this wait,
/// each is analysed by itself: jobs of one kind find different nodes left when it is their turn.
const MAX_LOOKED_INTO: usize = 300;

/// A board in the making. It gets better as it goes on; the end is the same wherever it paused.
#[derive(Debug)]
pub struct Survey {
    run: Arc<Run>,
    groups: Column<GroupIx, JobGroup>,
    /// How many kinds of jobs wait.
    kinds: usize,
    /// Groups to be analysed, those that request the most cpu time last.
    left: Vec<GroupIx>,
    chosen: usize,
    /// Groups beyond the most that are analysed at first, those that request the most cpu time last.
    beyond: Vec<GroupIx>,
    /// What looking needs, made when it begins.
    tools: Option<Inquiry>,
}

/// What the explanation of one job found, for the survey of the queue.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The job.
    pub job: JobId,
    /// Its causes, the deepest first.
    causes: Vec<Cause>,
    /// The nodes that could serve it.
    nodes: NodeSet,
}

impl Explained {
    /// The causes of a job, found at its turn; none where nothing keeps it waiting.
    pub fn new(run: &Run, job: JobId, causes: &[Cause], turn: Option<&Turn>) -> Option<Self> {
        let nodes = turn.map_or_else(|| NodeSet::new(run.plan.nodes.len()), could_serve);
        (!causes.is_empty()).then(|| Self { job, causes: causes.to_vec(), nodes })
    }

    /// The reason in the words of a table.
    pub fn reason(&self) -> Option<WaitReason> {
        WaitReason::of(&self.causes)
    }
}

qscope_engine::id!(
    /// One group of jobs that are alike.
    GroupIx
);

/// Jobs that are alike, or one of them.
#[derive(Clone, Debug)]
struct JobGroup {
    /// The number of their kind.
    kind: usize,
    jobs: Vec<JobId>,
    cause: Cause,
    /// The same in the words of a table.
    reason: Option<Arc<WaitReason>>,
    /// Nodes that could serve them, once that was found out.
    nodes: Option<NodeSet>,
}

impl Survey {
    /// All waiting jobs, grouped by kind and classified at a glance: by what the scheduler hit first.
    pub fn new(run: Arc<Run>) -> Self {
        let mut groups: Column<GroupIx, JobGroup> = groups(&run).into();
        let kinds = groups.len();
        if groups.iter().map(|group| group.jobs.len()).sum::<usize>() <= MAX_LOOKED_INTO {
            groups = groups.iter().flat_map(JobGroup::one_by_one).collect();
        }
        // Those that request the most cpu time are analysed; equal ones in the order considered.
        let hours =
            |group: &JobGroup| group.jobs.iter().map(|job| waiting_core_hours(&run, *job)).sum::<f64>();
        let mut left: Vec<(GroupIx, f64)> =
            groups.enumerate().map(|(at, group)| (at, hours(group))).collect();
        left.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut beyond: Vec<GroupIx> = left.into_iter().rev().map(|(at, _)| at).collect();
        let left = beyond.split_off(beyond.len().saturating_sub(MAX_LOOKED_INTO));
        Self { run, groups, kinds, chosen: left.len(), left, beyond, tools: None }
    }

    /// How many kinds have been analysed, and how many will be.
    pub fn progress(&self) -> (u64, u64) {
        ((self.chosen - self.left.len()) as u64, self.chosen as u64)
    }

    /// How many kinds have been analysed, and how many there are, where the analysis has ended at its limit.
    pub fn stopped(&self) -> Option<(u64, u64)> {
        let at_limit = self.left.is_empty() && !self.beyond.is_empty();
        at_limit.then(|| ((self.kinds - self.beyond.len()) as u64, self.kinds as u64))
    }

    /// Has the kinds beyond the limit analysed too.
    pub fn go_beyond(&mut self) {
        let mut left = std::mem::take(&mut self.beyond);
        self.chosen += left.len();
        left.append(&mut self.left);
        self.left = left;
    }

    /// Takes in what the explanation of one job found: jobs of one kind find different nodes left when it is their turn. The
    /// others of its kind keep the answer that they have.
    pub fn learn(&mut self, found: &Explained) {
        let holds = |(_, group): &(GroupIx, &JobGroup)| group.jobs.contains(&found.job);
        let Some((at, group)) = self.groups.enumerate().find(holds) else { return };
        let at = if group.jobs.len() == 1 {
            self.left.retain(|left| *left != at);
            self.beyond.retain(|left| *left != at);
            at
        } else {
            let alone = JobGroup { jobs: vec![found.job], ..group.clone() };
            self.groups[at].jobs.retain(|job| *job != found.job);
            self.groups.push(alone)
        };
        self.groups[at].take(&found.causes, found.nodes.clone());
    }

    /// Whether there is nothing left to analyse.
    pub fn is_done(&self) -> bool {
        self.left.is_empty()
    }

    /// Analyses kinds until `more` returns false, called after each.
    pub fn go_on(&mut self, more: &mut dyn FnMut() -> bool) {
        let Self { run, groups, left, tools, .. } = self;
        if left.is_empty() {
            return;
        }
        let tools = tools.get_or_insert_with(|| Inquiry::new(run));
        while let Some(at) = left.pop() {
            groups[at].analyse(tools, run);
            if !more() {
                return;
            }
        }
        self.tools = None;
    }

    /// The reason of every waiting job as far as it is known now.
    pub fn reasons(&self) -> FxHashMap<JobId, Arc<WaitReason>> {
        let of_group = |group: &'_ JobGroup| {
            let reason = group.reason.clone();
            group.jobs.iter().filter_map(move |job| Some((*job, reason.clone()?))).collect::<Vec<_>>()
        };
        self.groups.iter().flat_map(of_group).collect()
    }

    /// What is known now.
    pub fn board(&self) -> Board {
        let open = self.groups.iter().filter(|group| group.nodes.is_none());
        let open: FxHashSet<usize> = open.map(|group| group.kind).collect();
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
                board.at_a_glance += group.jobs.len() as u64;
                board.hours_at_a_glance += hours;
            }
            let never = group.jobs.iter().filter(|job| self.run.impossible().contains(**job)).count() as u64;
            rows.add(group, hours, never);
        }
        board.rows = rows.rows.into_all().into_iter().map(|(row, _)| row).collect();
        // Jobs of one cause may be of several kinds, which came one after the other.
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
    /// Analyses the first job, which speaks for all.
    fn analyse(&mut self, tools: &mut Inquiry, run: &Arc<Run>) {
        let Some(first) = self.jobs.first() else { return };
        let (causes, nodes) = analyse(tools, run, *first);
        self.take(&causes, nodes);
    }

    /// Takes in the causes of one of them, and the nodes that could serve it.
    fn take(&mut self, causes: &[Cause], nodes: NodeSet) {
        self.reason = WaitReason::of(causes).map(Arc::new).or_else(|| self.reason.take());
        self.cause = causes.first().unwrap_or(&self.cause).clone();
        self.nodes = Some(nodes);
    }

    /// Each job by itself.
    fn one_by_one(&self) -> impl Iterator<Item = Self> {
        self.jobs.iter().map(|job| Self { jobs: vec![*job], ..self.clone() })
    }
}

/// Waiting jobs by kind: of one class, and out for the same reason if they are not considered.
fn groups(run: &Run) -> Vec<JobGroup> {
    let mut groups: Vec<JobGroup> = Vec::new();
    let mut known: FxHashMap<Alike, usize> = FxHashMap::default();
    for outcome in waiting(run) {
        let cause = at_a_glance(run, outcome);
        let out = outcome.order.is_none().then(|| (cause.tier, distinct_text(run, outcome.job, &cause)));
        let class = run.setup.classes.of[outcome.job];
        let fresh = groups.len();
        let at = match class {
            Some(class) => *known.entry((class.0, out, limited_as(run, outcome))).or_insert(fresh),
            None => fresh,
        };
        match groups.get_mut(at) {
            Some(group) => group.jobs.push(outcome.job),
            None => {
                let reason = WaitReason::at_a_glance(run, outcome).map(Arc::new);
                groups.push(JobGroup { kind: fresh, jobs: vec![outcome.job], cause, reason, nodes: None });
            }
        }
    }
    groups
}

/// What jobs of one kind have in common: the class, why they were not considered, whom the limit counts them with.
type Alike = (u32, Option<(Tier, String)>, Option<Entity>);

/// Whom a limit counts a job with: its user, group or project, or all jobs.
type Entity = (LimitScope, Name);

/// The same of a job that a limit stops: jobs of a class whose limit counts them apart wait for different ones.
fn limited_as(run: &Run, outcome: &Outcome) -> Option<Entity> {
    let Reason::Limit(hit) = &outcome.rejection.as_ref()?.reason else { return None };
    Some((hit.scope, entity_of(run.plan.job(outcome.job), hit.scope)))
}

/// What distinguishes jobs that were not considered: the queue, the state and the holds.
fn distinct_text(run: &Run, job: JobId, cause: &Cause) -> String {
    let job = run.plan.job(job);
    let depend = job.depend.as_deref().unwrap_or_default();
    format!("{} {} {} {depend} {}", job.queue, job.state.letter(), job.holds, cause.kind)
}

/// What the scheduler hit first, for jobs that are not analysed.
fn at_a_glance(run: &Run, outcome: &Outcome) -> Cause {
    if let Some(refused) = refused_with(run, outcome) {
        return refused;
    }
    let tier = Tier::of(run, outcome).unwrap_or(Tier::NotConsidered);
    let text = outcome.rejection.as_ref().map(|r| r.reason.text(&run.plan.snap.catalogue));
    Cause::new(tier, "scheduler", text.unwrap_or_else(|| "not considered".to_owned()).trim_end().to_owned())
}

/// The causes of a job, the deepest first, and the nodes that could serve it.
fn analyse(inquiry: &mut Inquiry, run: &Arc<Run>, job: JobId) -> (Vec<Cause>, NodeSet) {
    let found = inquiry.at_turn(job, |turn, idle| (causes_with(turn, Some(idle)), could_serve(turn)));
    found.unwrap_or_else(|| (crate::causes(run, job), NodeSet::new(run.plan.nodes.len())))
}

/// The nodes that could serve a job when they are free.
fn could_serve(turn: &Turn) -> NodeSet {
    let room = Room::new(turn.state(), &turn.request, &turn.list, Against::Total);
    NodeSet::of(turn.list.capacity(), room.could_serve().iter().copied())
}
