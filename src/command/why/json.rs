//! The answer of `qscope why` for programs.

use serde::Serialize;

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::Stage;
use qscope_engine::placement::Path;
use qscope_explain::decision::DecisionLine;
use qscope_explain::{
    ASSUMPTION, Cause, ChunkOffer, Ending, Forecast, Funnel, FunnelStep, NearMiss, Remedy, Tier, Why,
};
use qscope_session::Generation;

use super::super::json::Keyed;
use super::node_json::NodePartsJson;

/// Why a job waits, or where it starts.
#[derive(Serialize)]
pub(super) struct WhyJson<'a> {
    /// The full id.
    job: &'a str,
    /// `run`, `not_now`, `never` or `not_considered`; null for a job that runs already.
    verdict: Option<&'static str>,
    /// `not_eligible`, `stopped`, `never`, `limit`, `order`, `short`, `fragmented`, `calendar` or `not_considered`:
    /// the cause that would still hold the job if all the others were gone.
    tier: Option<&'static str>,
    /// The limit, queue, resource, set, job, reservation or node that is the cause, by its PBS name.
    objects: Vec<String>,
    /// The answer in one sentence.
    headline: &'a str,
    /// The other tiers that apply.
    also: Vec<&'static str>,
    causes: Vec<CauseJson<'a>>,
    /// What is to be known before the answer.
    banners: &'a [String],
    /// The path entered: `bucket`, `node` or null.
    path: Option<&'static str>,
    /// The path that it would use.
    would_use: Option<&'static str>,
    /// The rule that decided that.
    path_rule: Option<&'static str>,
    /// Why no path was entered.
    turned_away_by: Option<&'static str>,
    /// The nodes lost at each condition, chunk by chunk.
    funnel: Vec<FunnelJson<'a>>,
    /// The decision, stage by stage.
    stages: Vec<StageJson<'a>>,
    /// What each bucket had for each chunk.
    chunks: Vec<ChunkJson<'a>>,
    /// The comment of the job in the dump.
    scheduler_said: Option<&'a str>,
    /// Whether the comment agrees with this cycle; null where that cannot be known.
    scheduler_agrees: Option<bool>,
    /// What the comment implies about the settings.
    scheduler_remark: Option<&'a str>,
    /// The jobs and reservations that end on nodes which the job could use.
    pub(super) blame: Vec<EndingJson<'a>>,
    /// When it starts if no job arrives; null with `--fast` or `--no-estimate`.
    pub(super) estimate: Option<EstimateJson<'a>>,
    /// Changes that start it now, each proved by running the cycle.
    pub(super) remedies: Vec<RemedyJson<'a>>,
    /// With `--node`: why this node does not take the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) node: Option<NodePartsJson<'a>>,
    /// The chain of jobs and events before its start, a sentence each.
    pub(super) chain: Vec<&'a str>,
}

/// One cause.
#[derive(Serialize)]
struct CauseJson<'a> {
    tier: &'static str,
    /// The kind of cause within the tier.
    kind: &'static str,
    objects: &'a [String],
    /// The sentence for people.
    sentence: &'a str,
    /// The figures behind it, by name.
    numbers: Keyed<&'a str, &'a str>,
    notes: &'a [String],
}

/// The nodes lost at each condition for one chunk of the select.
#[derive(Serialize)]
struct FunnelJson<'a> {
    /// The chunk.
    part: &'a str,
    /// How many of it are requested.
    wanted: u32,
    /// How many nodes there are at first.
    nodes: u64,
    steps: Vec<StepJson<'a>>,
    /// How many nodes pass every condition.
    left: u64,
    /// The nodes that miss by one condition alone.
    nearest: Vec<MissJson<'a>>,
}

/// One condition of a funnel.
#[derive(Serialize)]
struct StepJson<'a> {
    condition: String,
    /// How many nodes come to it.
    before: u64,
    /// How many pass.
    after: u64,
    lost: u64,
    sample: Vec<NodeHas<'a>>,
}

/// Nodes that miss by one condition alone.
#[derive(Serialize)]
struct MissJson<'a> {
    lacks: &'a str,
    nodes: u64,
    sample: Vec<NodeHas<'a>>,
}

/// What a node has where the chunk requests something else.
#[derive(Serialize)]
struct NodeHas<'a> {
    node: &'a str,
    has: &'a str,
}

/// A stage of the decision.
#[derive(Serialize)]
struct StageJson<'a> {
    stage: &'a str,
    /// Null where there is nothing to pass, or the stage was not reached.
    passed: Option<bool>,
    text: String,
}

/// What a bucket had for a chunk.
#[derive(Serialize)]
struct ChunkJson<'a> {
    chunk: &'a str,
    wanted: u32,
    bucket: &'a str,
    /// How many chunks one node holds.
    fits: u32,
    total: u32,
    free: usize,
    busy_later: usize,
    busy: usize,
    /// Why the bucket does not match.
    mismatch: &'a Option<String>,
}

/// What ends on nodes that the job could use.
#[derive(Serialize)]
pub(super) struct EndingJson<'a> {
    who: &'a str,
    /// Seconds since 1970.
    at: i64,
    nodes: &'a [String],
    /// Whether it is in the way by a limit, not by nodes.
    limit: bool,
}

/// When a job starts if no job arrives.
#[derive(Serialize)]
pub(super) struct EstimateJson<'a> {
    /// Seconds since 1970; null if not before `until`.
    start: Option<i64>,
    exec_vnode: &'a Option<String>,
    /// How it was found.
    source: &'static str,
    /// How many cycles were run for it.
    cycles: u32,
    /// How far ahead was searched, in seconds since 1970.
    until: i64,
    /// What it assumes.
    assumption: &'static str,
}

/// A change that starts the job now.
#[derive(Serialize)]
pub(super) struct RemedyJson<'a> {
    change: &'a str,
    effect: &'a str,
    costs: &'a str,
    /// Jobs that then start later or not, by short id.
    delayed: &'a [String],
    /// Seconds since 1970.
    start: Option<i64>,
    /// How large the change is; the smallest come first.
    size: u32,
}

impl<'a> WhyJson<'a> {
    /// The answer without what takes longer.
    pub(super) fn of(generation: &'a Generation, job: JobId, why: &'a Why, funnels: &'a [Funnel]) -> Self {
        let outcome = why.outcome.as_ref();
        let choice = outcome.and_then(|outcome| outcome.would_use);
        let comment = why.comment.as_ref();
        Self {
            job: &generation.snapshot.jobs[job].name,
            verdict: outcome.map(|outcome| outcome.verdict.word()),
            tier: why.tier().map(Tier::word),
            objects: why.objects().iter().map(ToString::to_string).collect(),
            headline: &why.headline,
            also: why.also().into_iter().map(Tier::word).collect(),
            causes: why.causes.iter().map(CauseJson::of).collect(),
            banners: &why.banners,
            path: outcome.and_then(|outcome| outcome.path).map(Path::word),
            would_use: choice.map(|choice| choice.path.word()),
            path_rule: choice.map(|choice| choice.rule.name()),
            turned_away_by: outcome.and_then(|outcome| outcome.refused_at).map(Stage::word),
            funnel: funnels.iter().map(FunnelJson::of).collect(),
            stages: why.decision.iter().filter_map(StageJson::of).collect(),
            chunks: why.chunks.iter().map(ChunkJson::of).collect(),
            scheduler_said: comment.map(|comment| &*comment.text),
            scheduler_agrees: comment.and_then(|comment| comment.agrees),
            scheduler_remark: comment.and_then(|comment| comment.remark.as_deref()),
            blame: Vec::new(),
            estimate: None,
            remedies: Vec::new(),
            node: None,
            chain: Vec::new(),
        }
    }
}

impl<'a> CauseJson<'a> {
    fn of(cause: &'a Cause) -> Self {
        Self {
            tier: cause.tier.word(),
            kind: cause.kind,
            objects: &cause.objects,
            sentence: &cause.sentence,
            numbers: Keyed(cause.numbers.iter().map(|(name, value)| (*name, &**value)).collect()),
            notes: &cause.notes,
        }
    }
}

impl<'a> FunnelJson<'a> {
    fn of(funnel: &'a Funnel) -> Self {
        Self {
            part: &funnel.part,
            wanted: funnel.requested,
            nodes: funnel.nodes,
            steps: funnel.steps.iter().map(StepJson::of).collect(),
            left: funnel.left,
            nearest: funnel.near.iter().map(MissJson::of).collect(),
        }
    }
}

impl<'a> StepJson<'a> {
    fn of(step: &'a FunnelStep) -> Self {
        Self {
            condition: step.condition.words().to_string(),
            before: step.before,
            after: step.after,
            lost: step.before - step.after,
            sample: NodeHas::all(&step.lost),
        }
    }
}

impl<'a> MissJson<'a> {
    fn of(miss: &'a NearMiss) -> Self {
        Self { lacks: &miss.lacks, nodes: miss.nodes, sample: NodeHas::all(&miss.sample) }
    }
}

impl<'a> NodeHas<'a> {
    fn all(sample: &'a [(String, String)]) -> Vec<Self> {
        sample.iter().map(|(node, has)| Self { node, has }).collect()
    }
}

impl<'a> StageJson<'a> {
    /// A line of the decision; none for the buckets that a chunk was offered, which stand under `chunks`.
    fn of(line: &'a DecisionLine) -> Option<Self> {
        let passed_over = |text| Some(Self { stage: "passed over", passed: None, text });
        match line {
            DecisionLine::Stage { passed, label, text, aside } => {
                let text = if aside.is_empty() { text.clone() } else { format!("{text}: {aside}") };
                Some(Self { stage: label, passed: *passed, text })
            }
            DecisionLine::PassedOver(node, why) => passed_over(format!("{node}: {why}")),
            DecisionLine::MorePassedOver(more) => passed_over(format!("and {more} more nodes")),
            DecisionLine::Offers(_) => None,
        }
    }
}

impl<'a> ChunkJson<'a> {
    fn of(offer: &'a ChunkOffer) -> Self {
        Self {
            chunk: &offer.chunk,
            wanted: offer.requested,
            bucket: &offer.bucket,
            fits: offer.fits,
            total: offer.total,
            free: offer.free,
            busy_later: offer.later,
            busy: offer.busy,
            mismatch: &offer.mismatch,
        }
    }
}

impl<'a> EndingJson<'a> {
    pub(super) fn of(end: &'a Ending) -> Self {
        Self { who: &end.who, at: end.at.0, nodes: &end.nodes, limit: end.limit }
    }
}

impl<'a> EstimateJson<'a> {
    pub(super) fn of(found: &'a Forecast) -> Self {
        Self {
            start: found.start.map(|at| at.0),
            exec_vnode: &found.exec_vnode,
            source: found.source.word(),
            cycles: found.cycles,
            until: found.until.0,
            assumption: ASSUMPTION,
        }
    }
}

impl<'a> RemedyJson<'a> {
    pub(super) fn of(remedy: &'a Remedy) -> Self {
        Self {
            change: &remedy.change,
            effect: &remedy.effect,
            costs: &remedy.costs,
            delayed: &remedy.delayed,
            start: remedy.start.map(|at| at.0),
            size: remedy.size,
        }
    }
}
