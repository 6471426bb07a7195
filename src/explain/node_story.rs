//! Answers about one node: why it accepts no job, or not this one.

use std::sync::Arc;

use qscope_exits::json::texts;
use rustc_hash::FxHashSet;
use serde::Serialize;

use qscope_engine::cluster::{GhostKind, JobId, NodeId, Snapshot, deduplicated, ghosts_on};
use qscope_engine::cycle::{Outcome, Run, Step, Verdict};
use qscope_engine::placement::PlacementPath;
use qscope_engine::universe::{NodeUse, Occupant, Spec, State};

use super::equal_specs::merge_equal_specs;
use super::node_check::{Condition, FailedCondition, NodeCheck, SetCheckMode, checked};
use super::turn::{JobTurn, decided, nodes_open_to};
use super::{Alert, AlertKind, alerts, standing_starts, words};

/// What one node lacks for one chunk spec of a select.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PartOnNode {
    /// The chunk spec as written.
    pub part: String,
    /// Every condition that the node fails; empty if it is suitable.
    #[serde(rename = "fails")]
    pub failures: Vec<FailedCondition>,
    /// Every condition that it fails after the cycle.
    #[serde(rename = "fails_after_cycle")]
    pub after: Vec<FailedCondition>,
    /// What would have to be different for the node to be suitable; `None` if neither the job nor time could change
    /// that.
    #[serde(skip)]
    pub would_pass: Option<String>,
    /// Where it starts, for a job that starts in this cycle.
    #[serde(skip)]
    pub starts: Option<StartLocation>,
}

/// Whether a chunk spec of a job that starts in this cycle starts on this node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartLocation {
    OnThisNode,
    /// On others, while another chunk spec of the job starts here.
    ChunkOnOthers,
    /// On others, like the whole job.
    OnOthers,
}

/// Returns why a node does not accept a job: for every chunk spec of its select, what the node fails at the job's
/// turn and, if the job does not start in this cycle, after the cycle.
pub fn why_not_here(turn: &mut JobTurn, node: NodeId) -> Vec<PartOnNode> {
    let (run, job) = (turn.run.clone(), turn.job);
    let mut end = run.end_at_server().without_journal();
    let list = nodes_open_to(&end, job);
    let here = parts_starting(&run, job, node);
    checked(turn, |_, request, check| {
        let on_end = |state: &State| {
            let later =
                NodeCheck::new(state, job, request, &list, PlacementPath::Node, SetCheckMode::Unchecked);
            let part = |spec: &Spec| {
                let failures = check.failures(spec, node);
                let would_pass = check.would_pass(spec, node, &failures);
                let part = spec.chunk_text();
                let starts = here.as_ref().map(|here| match here.iter().any(|one| &**one == part) {
                    true => StartLocation::OnThisNode,
                    false if here.is_empty() => StartLocation::OnOthers,
                    false => StartLocation::ChunkOnOthers,
                });
                let after = if starts.is_none() { later.failures(spec, node) } else { Vec::new() };
                PartOnNode { part: part.to_owned(), failures, after, would_pass, starts }
            };
            request.specs.iter().map(part).collect()
        };
        match end.reservation_of(Occupant::Job(job, None)) {
            Some(inside) => end.in_reservation(inside, |state| on_end(state)),
            None => on_end(&end),
        }
    })
}

/// Returns the chunk specs of a job's select that start on a node in this cycle, as written; `None` if the job does
/// not start, or is already running.
fn parts_starting(run: &Run, job: JobId, node: NodeId) -> Option<Vec<String>> {
    let of = run.plan.job(job);
    let own: Vec<&Outcome> = match of.is_array() {
        true => run.starts().filter(|outcome| outcome.job == job).collect(),
        false => decided(run, job).filter(|one| run.verdict(one) == Verdict::Run).into_iter().collect(),
    };
    let (first, bit) = (own.first()?, run.plan.bit_of[node]?);
    let request = run.plan.request(first.job, None).ok()?;
    let pieces = own.iter().filter_map(|outcome| outcome.placed.as_ref());
    let there = pieces.flat_map(|placed| placed.allocation.pieces.iter()).filter(|piece| piece.bit == bit);
    let specs = deduplicated(there.map(|piece| piece.spec as usize));
    let written = |at: usize| request.specs.get(at).map(|spec| spec.chunk_text().to_owned());
    Some(specs.into_iter().filter_map(written).collect())
}

/// A reason why a node does not accept jobs, with their number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NodeRefusal {
    /// The first condition that they fail there.
    pub reason: String,
    /// Number of jobs.
    pub jobs: u64,
    /// Some of these.
    pub sample: Vec<String>,
}

/// What is left of a resource on a node, in its own unit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RemainingResource {
    pub resource: String,
    /// What is left after the cycle.
    pub left: String,
    /// What the node has in total.
    pub total: String,
}

/// An occupant planned on a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedOccupant {
    /// The job or reservation.
    pub occupant: String,
    /// The planned start, in words.
    pub from: String,
}

impl std::fmt::Display for PlannedOccupant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} from {}", self.occupant, self.from)
    }
}

/// A node in relation to the queue.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct NodeReport {
    /// Name of the vnode.
    pub node: String,
    /// Its state after the cycle.
    pub state: String,
    /// Its use after the cycle, as in the counts of nodes; `None` for a node of another partition.
    #[serde(skip)]
    pub node_use: Option<NodeUse>,
    /// Whether the cycle changes its state from that in the dump.
    #[serde(skip)]
    pub is_changed: bool,
    /// Since when it has been in the state of the dump, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    pub comment: Option<String>,
    /// Its problems according to alerts, one sentence each, gravest first.
    pub alerts: Vec<String>,
    /// The gravest of them, or its state down or offline, in a few words.
    #[serde(skip)]
    pub problem: Option<String>,
    /// Commands that solve its problems; left to the caller, who knows the files.
    #[serde(skip)]
    pub fixes: Vec<String>,
    /// The placement sets that contain it.
    pub sets: Vec<String>,
    /// Jobs on it in the dump.
    pub jobs: Vec<String>,
    /// Those of them that are dead although the node keeps their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept_by: Vec<String>,
    pub starting: Vec<String>,
    /// Jobs that the cycle starts on it and that the server refuses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// What is left after the cycle.
    pub left: Vec<RemainingResource>,
    /// What is planned on it: `JOB from TIME`.
    #[serde(serialize_with = "texts")]
    pub planned: Vec<PlannedOccupant>,
    /// Why it does not accept the waiting jobs, most frequent reason first.
    #[serde(rename = "turned_away")]
    pub refusals: Vec<NodeRefusal>,
    /// Waiting jobs of which it could hold a chunk; they wait for other reasons.
    #[serde(rename = "could_take")]
    pub could: Vec<String>,
}

/// Returns the dead jobs that a node keeps.
fn dead_jobs_on(snap: &Snapshot, node: NodeId) -> Vec<String> {
    let ghosts = ghosts_on(snap, std::iter::once((node, &snap.nodes[node])));
    let dead = ghosts.into_iter().filter(|ghost| ghost.kind == GhostKind::Dead);
    dead.map(|ghost| ghost.job.to_string()).collect()
}

/// Describes a node: why it accepts no job, or which jobs it accepts.
pub fn why_node(run: &Arc<Run>, node: NodeId) -> NodeReport {
    let plan = &run.plan;
    let snap = &plan.snap;
    let state = run.end_at_server();
    let of = &snap.nodes[node];
    let bit = plan.bit_of[node];
    let alerts = alerts(run);
    let mut story = NodeReport {
        node: of.name.to_string(),
        state: bit.map_or(of.states, |bit| state.occupancy.states[bit]).to_string(),
        node_use: bit.map(|bit| state.node_use(bit)),
        since: of.state_since.map(|at| words::since_text(snap, at)),
        comment: of.comment.clone(),
        alerts: alerts_about(&alerts, &of.name),
        problem: problem_of(&alerts, &of.name),
        jobs: of.jobs.iter().map(ToString::to_string).collect(),
        kept_by: dead_jobs_on(snap, node),
        ..NodeReport::default()
    };
    // The time in the dump is that of its own state, not of one that this cycle sets.
    if story.state != of.states.to_string() {
        (story.is_changed, story.since) = (true, None);
    }
    if let Some(bit) = bit {
        story.sets = state.set_names(bit).iter().map(ToString::to_string).collect();
        let starts_here = |step: &&Step| {
            step.outcome.placed.as_ref().is_some_and(|placed| placed.allocation.nodes().contains(&bit))
        };
        for outcome in standing_starts(run, usize::MAX).filter(starts_here).map(|step| &step.outcome) {
            let list = if run.is_refused(outcome) { &mut story.refused } else { &mut story.starting };
            list.push(outcome.name(snap));
        }
        for ix in plan.consumables.ids().filter(|ix| !plan.capacity.available(*ix, bit).is_nan()) {
            let resource = plan.consumables.resource(ix);
            let show = |value: f64| words::amount(&snap.catalogue, resource, value);
            let (left, total) = (state.occupancy.left(plan, ix, bit), plan.capacity.available(ix, bit));
            let resource = snap.catalogue.name(resource).to_string();
            story.left.push(RemainingResource { resource, left: show(left), total: show(total) });
        }
        for event in state.node_events[bit].iter().flat_map(|events| events.iter()) {
            let who = plan.occupant_name(event.occupant);
            story
                .planned
                .push(PlannedOccupant { occupant: who.to_string(), from: words::moment(snap, event.at) });
        }
    }
    // An array counts once; its waiting subjobs are considered with it.
    let is_counted = |outcome: &&Outcome| {
        run.verdict(outcome) != Verdict::Run && !plan.job(outcome.job).is_represented_by_array()
    };
    let (mut seen, mut within) = (FxHashSet::default(), None);
    for outcome in run.outcomes().filter(is_counted).filter(|outcome| seen.insert(outcome.job)) {
        let job = outcome.job;
        match state.reservation_of(Occupant::Job(job, None)) {
            // For the jobs of a running reservation the node has what is left of the reservation there.
            Some(inside) => within
                .get_or_insert_with(|| state.without_journal())
                .in_reservation(inside, |state| add_job(&mut story, state, run, job, node)),
            None => add_job(&mut story, state, run, job, node),
        }
    }
    story.refusals.sort_by_key(|refusals| std::cmp::Reverse(refusals.jobs));
    story
}

/// Returns the alerts about a node, gravest first, except those about its state down or offline.
fn alerts_about(alerts: &[Alert], node: &str) -> Vec<String> {
    let is_state = |alert: &&Alert| matches!(alert.kind, AlertKind::Down | AlertKind::Offline);
    let items = alerts.iter().filter(|alert| !is_state(alert)).flat_map(|alert| &alert.items);
    let about = items.filter(|item| item.is_about(node));
    about.map(|item| item.sentence.clone()).collect()
}

/// Returns the gravest problem of a node in a few words.
fn problem_of(alerts: &[Alert], node: &str) -> Option<String> {
    let mut items = alerts.iter().flat_map(|alert| alert.items.iter().map(|item| (alert.kind, item)));
    let (kind, item) = items.find(|(_, item)| item.is_about(node))?;
    Some(match kind {
        AlertKind::Ghost => format!("kept by job {}, not in the dump", item.brief),
        AlertKind::Down => "down".to_owned(),
        AlertKind::Offline => "offline".to_owned(),
        AlertKind::DoubleBooking => "given twice".to_owned(),
        AlertKind::Oversubscribed => "oversubscribed".to_owned(),
        _ => item.brief.clone(),
    })
}

fn add_job(report: &mut NodeReport, state: &State, run: &Run, job: JobId, node: NodeId) {
    let plan = &run.plan;
    let Ok(request) = plan.request(job, None) else { return };
    let request = &*merge_equal_specs(request);
    let list = nodes_open_to(state, job);
    // Sets concern whole jobs, not single nodes, and are left to the answer about the job.
    let check = NodeCheck::new(state, job, request, &list, PlacementPath::Node, SetCheckMode::Unchecked);
    let name = plan.job(job).name.to_string();
    let parts = request.specs.iter().map(|spec| check.failures(spec, node));
    let best = parts.min_by_key(Vec::len).unwrap_or_default();
    match best.first() {
        None => report.could.push(name),
        Some(failure) => {
            let condition = &failure.condition;
            let is_value = matches!(condition, Condition::Resource { is_amount: false, .. });
            let has = if is_value { "has " } else { "" };
            let reason = format!("{}: {has}{}", condition.label(), failure.has);
            match report.refusals.iter_mut().find(|refusals| refusals.reason == reason) {
                Some(refusals) => {
                    refusals.jobs += 1;
                    if refusals.sample.len() < 5 {
                        refusals.sample.push(name);
                    }
                }
                None => report.refusals.push(NodeRefusal { reason, jobs: 1, sample: vec![name] }),
            }
        }
    }
}
