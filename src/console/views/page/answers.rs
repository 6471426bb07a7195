//! What workers find for a page: the attributes of its object; for a job its place in the order and what moves it
//! ahead; for a node its jobs and which jobs it refuses.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PageView;
use crate::task::Computation;
use crate::views::{Effect, Object, Pending, ViewContext};
use qscope_advice::order::{OrderChange, OrderComparison, between, moves_ahead};
use qscope_engine::cluster::{JobId, NodeId};
use qscope_engine::cycle::{Eligibility, Exclusion, Outcome, Run, Verdict};
use qscope_explain::decision::{NodeTest, node_test_after};
use qscope_explain::{ChunkFits, JobFate, JobTurn, NodeReport, causes, chunk_fits, same_request, why_node};
use qscope_session::as_read::{RawRecord, attributes, settings_named};
use qscope_session::{Generation, JobStatePeriod, kept_states};
use qscope_source::as_read::{RecordKind, SettingLocation};

/// What a worker found about the object.
#[derive(Debug)]
pub(super) struct ObjectAnswer {
    pub(super) attributes: Result<RawRecord, String>,
    /// For a job: the sort keys that decide its place in the order.
    pub(super) order: Option<OrderComparison>,
    pub(super) node: Option<NodeAnswer>,
    /// For a job: how many nodes hold its chunks.
    pub(super) chunks: Vec<ChunkFits>,
    /// For a job: the other jobs with the same request.
    pub(super) same: BTreeMap<JobFate, Vec<JobId>>,
    /// For a job that waits: where the settings and times are made that keep it waiting.
    pub(super) settings: Vec<SettingLocation>,
    /// For a job: its states in the kept snapshots, up to the one shown.
    pub(super) states: Vec<JobStatePeriod>,
}

/// What a worker found about a node.
#[derive(Debug)]
pub(super) struct NodeAnswer {
    /// The jobs on it, and the jobs it refuses.
    pub(super) story: NodeReport,
    /// The selected job, and the test of the node for its nearest chunk.
    pub(super) test: Option<(String, NodeTest)>,
}

/// Changes that would move a job ahead of the one considered before it.
#[derive(Debug, Default)]
pub(super) enum MoveSearch {
    /// Nothing is known, and nothing is being tried.
    #[default]
    Unknown,
    /// A worker tries changes.
    Running(Pending<Vec<OrderChange>>),
    /// The changes found.
    Known(Arc<Vec<OrderChange>>),
}

impl PageView {
    /// Requests the attributes, and what decides the job's place, from a worker.
    pub(super) fn ask(&mut self, cx: ViewContext<'_>) {
        let Some(subject) = self.subject.clone() else { return };
        let generation = cx.generation().clone();
        let waits = |outcome: &&Outcome| cx.run().verdict(outcome) != Verdict::Run;
        let job = cx.subject().filter(waits).map(|outcome| outcome.job);
        self.generation = Some(generation.clone());
        // The facts are fewer until the answer is there.
        if self.answer.take().is_some() {
            self.fact_before = self.facts.selected_row();
        }
        self.moves = MoveSearch::Unknown;
        // Sets and buckets exist only in the scheduler: no file has a record of them.
        if matches!(subject, Object::Set(_) | Object::Bucket(_)) {
            self.answering = Pending::default();
            return;
        }
        let kept = cx.following.history.iter().filter(|kept| kept.number < generation.number);
        let kept: Vec<_> = kept.cloned().chain([generation.clone()]).collect();
        let answer = Computation::new(format!("attributes of {}", subject.name()), move |_| {
            let thing = match &subject {
                Object::Node(_) => RecordKind::Node,
                Object::Queue(_) => RecordKind::Queue,
                Object::Reservation(_) => RecordKind::Reservation,
                _ => RecordKind::Job,
            };
            let order = matches!(thing, RecordKind::Job).then(|| neighbours(&generation.run, subject.name()));
            let chunks = matches!(thing, RecordKind::Job).then(|| chunks_of(&generation.run, subject.name()));
            let node = generation.run.plan.node_named(subject.name());
            let node = node.filter(|_| matches!(thing, RecordKind::Node));
            let node = node.map(|node| NodeAnswer {
                story: why_node(&generation.run, node),
                test: job.and_then(|job| tested(&generation.run, job, node)),
            });
            let attributes = attributes(&generation, thing, subject.name());
            let chunks = chunks.unwrap_or_default();
            let run = &generation.run;
            let id = run.plan.snap.job_named(subject.name()).filter(|_| matches!(thing, RecordKind::Job));
            let same = id.map(|id| same_request(run, id)).unwrap_or_default();
            let settings = id.map(|id| settings_of(&generation, id)).unwrap_or_default();
            let states = id.map(|_| kept_states(&kept, subject.name())).unwrap_or_default();
            Some(ObjectAnswer { attributes, order: order.flatten(), node, chunks, same, settings, states })
        });
        self.answering.begin(answer);
    }

    /// The task that tries what moves the job ahead of the one considered before it; `None` for the first job.
    pub(super) fn ask_moves(&mut self) -> Option<Effect> {
        let (about, found) = (self.generation.clone()?, self.answer.clone()?);
        let name = self.subject.as_ref()?.name();
        found.order.as_ref().filter(|pair| pair.second == *name)?;
        let moves = Computation::new(format!("what moves {name} ahead"), move |progress| {
            let moves = moves_ahead(&about.run, found.order.as_ref()?, &|| !progress.is_cancelled());
            (!progress.is_cancelled()).then_some(moves)
        });
        let mut running = Pending::default();
        let request = running.start(moves);
        self.moves = MoveSearch::Running(running);
        Some(request)
    }
}

/// The places of what keeps a job waiting.
fn settings_of(generation: &Generation, job: JobId) -> Vec<SettingLocation> {
    let queue = &generation.snapshot.jobs[job].queue;
    settings_named(generation, queue, &causes(&generation.run, job), &[])
}

/// How many nodes hold the chunks of a job that waits or starts.
fn chunks_of(run: &Arc<Run>, name: &str) -> Vec<ChunkFits> {
    let job = run.plan.snap.job_named(name).filter(|job| !run.runs_before(*job));
    job.and_then(|job| JobTurn::new(run, job)).map(|mut turn| chunk_fits(&mut turn)).unwrap_or_default()
}

/// The test of a node for the job that is selected in the other views.
fn tested(run: &Arc<Run>, job: JobId, node: NodeId) -> Option<(String, NodeTest)> {
    let bit = run.plan.bit_of[node]?;
    Some((run.plan.job(job).name.to_string(), node_test_after(run, job, bit)?))
}

/// The sort keys of a job and of the one considered before it; for the first job, of the one after it, and for one that
/// only its formula value keeps out, of the last one considered.
fn neighbours(run: &Arc<Run>, name: &str) -> Option<OrderComparison> {
    let job = run.plan.snap.job_named(name)?;
    let mut order: Vec<_> = run.steps.iter().map(|step| step.outcome.job).collect();
    order.dedup();
    let is_under = matches!(run.eligibility[job], Eligibility::Excluded(Exclusion::UnderThreshold { .. }));
    let other = match order.iter().position(|have| *have == job) {
        Some(0) => order.get(1),
        Some(at) => order.get(at - 1),
        None => order.last().filter(|_| is_under),
    };
    between(run, job, *other?)
}
