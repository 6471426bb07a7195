//! The answer of `qscope why` as JSON.

use serde::Serialize;

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::{Outcome, RefusalStage, Run, StopRule};
use qscope_engine::placement::PlacementPath;
use qscope_explain::decision::DecisionLine;
use qscope_explain::{
    Assumption, AwaitedEnd, Cause, ChunkOffer, Explanation, Forecast, Funnel, PartOnNode, Remedy, Tier,
    first_decided, is_likely, refused_by_server,
};
use qscope_session::{Generation, IntervalCoverage, StartPercentiles};
use qscope_source::as_read::SettingLocation;

/// Why a job waits, or where it starts.
#[derive(Default, Serialize)]
pub(super) struct WhyJson<'a> {
    /// The full id.
    job: &'a str,
    /// What the scheduler decided: `run`, `not_now`, `never` or `not_considered`, of an array at its first turn; null for a job that runs
    /// already. A `run` with `refused_by_server` does not run.
    verdict: Option<&'static str>,
    /// The actual outcome, in the same words, as in every other answer: `run` only if the server starts it; `never`
    /// also if the scheduler reports `not_now` to a job that can never run.
    final_verdict: Option<&'static str>,
    /// Why the server refuses a start that the scheduler decided on.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused_by_server: Option<String>,
    /// `not_eligible`, `stopped`, `never`, `limit`, `order`, `short`, `fragmented`, `calendar` or `not_considered`:
    /// the cause that would still hold the job if all the others were gone.
    tier: Option<Tier>,
    /// That cause as the console names it: `insufficient ncpus`, `fragmented`, `held`.
    reason_name: Option<String>,
    /// The limit, queue, resource, set, job, reservation or node that is the cause, by its PBS name.
    objects: &'a [String],
    /// The answer in one sentence.
    headline: &'a str,
    /// Whether it can never run as the cluster is, whatever the scheduler reports.
    never: bool,
    /// Whether the verdict could change with a fact that was not seen.
    likely: bool,
    /// The facts it rests on that were not seen.
    rests_on: &'a [Assumption],
    /// The other tiers that apply.
    also: Vec<Tier>,
    causes: &'a [Cause],
    /// What must be known before the answer.
    banners: &'a [String],
    /// The path entered: `bucket`, `node` or null.
    path: Option<&'static str>,
    /// The path that it would use.
    would_use: Option<&'static str>,
    /// The rule that decided that, in words.
    path_rule: Option<&'static str>,
    /// The id of that rule, as in the list of rules: `bucket-excl`.
    path_rule_id: Option<&'static str>,
    /// The same as `path_rule_id`.
    rule: Option<&'static str>,
    /// The id of the rule by which it does not start: `limits-check`, `node-until-end`; null if it starts.
    stopped_by_rule: Option<&'static str>,
    /// The id of the rule that decided, as the column and filter field `rule` have it: the one that stopped the job, or
    /// for one that starts the one that chose its path.
    decided_by_rule: Option<&'static str>,
    /// Why no path was entered.
    turned_away_by: Option<&'static str>,
    /// The nodes lost at each condition, chunk by chunk.
    funnel: &'a [Funnel],
    /// The decision, stage by stage.
    stages: Vec<StageJson<'a>>,
    /// What each bucket had for each chunk.
    chunks: &'a [ChunkOffer],
    /// The comment of the job in the dump.
    scheduler_said: Option<&'a str>,
    /// Whether the comment agrees with this cycle; null where that cannot be known.
    scheduler_agrees: Option<bool>,
    /// What the comment implies about the settings.
    scheduler_remark: Option<&'a str>,
    /// The jobs and reservations that end on nodes which the job could use.
    pub(super) blame: &'a [AwaitedEnd],
    /// When it starts if no job arrives; null with `--fast` or `--no-estimate`.
    pub(super) estimate: Option<EstimateJson<'a>>,
    /// The start over many runs, with `--past`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) distribution: Option<DistributionJson<'a>>,
    /// Changes that start it now, each proved by running the cycle.
    pub(super) remedies: &'a [Remedy],
    /// How many other queues would take it and were not tried.
    #[serde(skip_serializing_if = "is_none_left")]
    pub(super) queues_not_tried: usize,
    /// The settings that causes and banners name, and where they are set.
    pub(super) settings: &'a [SettingLocation],
    /// With `--node`: why this node does not take the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) node: Option<NodeRefusalJson<'a>>,
    /// The chain of jobs and events before its start, a sentence each.
    pub(super) chain: Vec<&'a str>,
}

/// Why a node does not take a job.
#[derive(Serialize)]
pub(super) struct NodeRefusalJson<'a> {
    pub(super) name: &'a str,
    /// The chunks of the select.
    pub(super) parts: &'a [PartOnNode],
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "asked for by serde")]
fn is_none_left(count: &usize) -> bool {
    *count == 0
}

/// A stage of the decision.
#[derive(Serialize)]
struct StageJson<'a> {
    stage: &'a str,
    /// Null where there is nothing to pass, or the stage was not reached.
    passed: Option<bool>,
    text: String,
    /// The id of its rule: where the job was stopped, the rule that did.
    rule: Option<&'static str>,
}

/// When a job starts over many runs, and how well such statements held in the past.
#[derive(Serialize)]
pub(super) struct DistributionJson<'a> {
    #[serde(flatten)]
    pub(super) spread: &'a StartPercentiles,
    pub(super) back_test: Option<IntervalCoverage>,
}

/// When a job starts if no job arrives.
#[derive(Serialize)]
pub(super) struct EstimateJson<'a> {
    #[serde(flatten)]
    pub(super) found: &'a Forecast,
    /// What it assumes.
    pub(super) assumption: &'static str,
}

impl<'a> WhyJson<'a> {
    /// Returns the answer without what takes longer.
    pub(super) fn of(
        generation: &'a Generation,
        job: JobId,
        explanation: &'a Explanation,
        funnels: &'a [Funnel],
    ) -> Self {
        let outcome = explanation.outcome.as_ref();
        let run = &generation.run;
        let decided = as_in_cycle(run, job, outcome);
        let decided = decided.as_ref();
        let choice = decided.and_then(|outcome| outcome.would_use);
        let comment = explanation.comment.as_ref();
        Self {
            job: &generation.snapshot.jobs[job].name,
            verdict: first_decided(&generation.run, job).map(|outcome| outcome.verdict.word()),
            final_verdict: outcome.map(|outcome| generation.run.verdict(outcome).word()),
            refused_by_server: outcome.and_then(|outcome| refused_by_server(&generation.run, outcome)),
            tier: explanation.tier(),
            reason_name: explanation.causes.first().map(Cause::name),
            objects: explanation.objects(),
            headline: &explanation.headline,
            never: generation.run.impossible_jobs().contains(job),
            likely: is_likely(&explanation.rests_on),
            rests_on: &explanation.rests_on,
            also: explanation.also(),
            causes: &explanation.causes,
            banners: &explanation.banners,
            path: decided.and_then(|outcome| outcome.path).map(PlacementPath::word),
            would_use: choice.map(|choice| choice.path.word()),
            path_rule: choice.map(|choice| choice.rule.name()),
            path_rule_id: choice.map(|choice| choice.rule.id()),
            rule: choice.map(|choice| choice.rule.id()),
            stopped_by_rule: decided.and_then(|outcome| run.stop_rule(outcome)).map(StopRule::id),
            decided_by_rule: decided.and_then(|outcome| run.deciding_rule(outcome)).map(|rule| rule.id),
            turned_away_by: decided.and_then(|outcome| outcome.refused_at).map(RefusalStage::word),
            funnel: funnels,
            stages: explanation.decision.iter().filter_map(StageJson::of).collect(),
            chunks: &explanation.chunks,
            scheduler_said: comment.map(|comment| &*comment.text),
            scheduler_agrees: comment.and_then(|comment| comment.agrees),
            scheduler_remark: comment.and_then(|comment| comment.remark.as_deref()),
            ..Self::default()
        }
    }
}

/// Returns the decision as the answer about the cycle has it: of an array, that of its first turn, with the path entered
/// last.
fn as_in_cycle(run: &Run, job: JobId, outcome: Option<&Outcome>) -> Option<Outcome> {
    let is_array = run.plan.job(job).is_array() && outcome.is_none_or(|outcome| outcome.subjob.is_none());
    let Some(first) = first_decided(run, job).filter(|_| is_array) else { return outcome.cloned() };
    let turns = run.steps.iter().map(|step| &step.outcome).filter(|turn| turn.job == job);
    let path = turns.filter_map(|turn| turn.path).next_back().or(first.path);
    Some(Outcome { path, subjob: None, placed: None, ..first.clone() })
}

impl<'a> StageJson<'a> {
    /// Converts a line of the decision; `None` for the buckets that a chunk was offered, which are listed under
    /// `chunks`.
    fn of(line: &'a DecisionLine) -> Option<Self> {
        let passed_over = |text| Some(Self { stage: "passed over", passed: None, text, rule: None });
        match line {
            DecisionLine::Stage { passed, label, text, result_name, rule, .. } => {
                let text =
                    if result_name.is_empty() { text.clone() } else { format!("{text}: {result_name}") };
                Some(Self { stage: label, passed: *passed, text, rule: *rule })
            }
            DecisionLine::SkippedNode(node, why) => passed_over(format!("{node}: {why}")),
            DecisionLine::MorePassedOver(more) => passed_over(format!("and {more} more nodes")),
            DecisionLine::Offers(_) => None,
        }
    }
}
