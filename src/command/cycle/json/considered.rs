//! The outcome of one job, as JSON.

use std::sync::Arc;

use serde::Serialize;

use qscope_engine::cycle::{RefusalStage, Run, StopRule};
use qscope_engine::placement::{ExaminedCounts, PlacementPath};
use qscope_explain::{Assumption, Assumptions, decided, is_likely};

use crate::command::cycle::JobFilter;
use crate::command::cycle::rows::{OutcomeRow, rows};

/// The outcome of one job.
#[derive(Serialize)]
pub(super) struct ConsideredJobJson {
    /// The full id; that of the subjob, if one was started.
    id: String,
    /// Its position in the order considered, from 1; null if it was not considered.
    order: Option<u32>,
    /// What the scheduler decided: `run`, `not_now`, `never` or `not_considered`; for an array, `run` if a subjob
    /// starts. A `run` with `refused_by_server` does not run: in text its verdict is `refused`.
    verdict: &'static str,
    /// The actual outcome, in the same words, as in every other answer: `run` only if the server starts the job, or
    /// all subjobs of an array, and the cycle does not preempt it again; `never` also if the scheduler reports
    /// `not_now` to a job that can never run.
    final_verdict: &'static str,
    /// Whether the job can never run as the cluster is, whatever the scheduler reports.
    never: bool,
    /// Why it can never run, in the scheduler's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    never_because: Option<String>,
    /// Whether the verdict could change with a fact that was not seen.
    likely: bool,
    /// The facts it rests on that were not seen.
    rests_on: Vec<Assumption>,
    /// The path entered: `bucket`, `node` or null.
    path: Option<&'static str>,
    /// The path by which it starts after a preemption.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_preempt: Option<&'static str>,
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
    /// Where it starts.
    exec_vnode: Option<String>,
    /// Why the server refuses to start it there: another job has one of the nodes exclusively.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused_by_server: Option<String>,
    /// The comment that the server gets if it does not start.
    comment: Option<String>,
    /// Whether its start is planned.
    topjob: bool,
    /// The planned start of a top job.
    estimated: Option<TopJobJson>,
    /// The placement set that holds it; for an array, the one tried last.
    pset: Option<String>,
    /// The sets that were tried; `too small:` and the name for those that can never hold it.
    psets_tried: Vec<String>,
    /// The numbers of sets, buckets and nodes examined for it.
    examined: ExaminedCounts,
    /// The attributes that change with the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    alters: Option<ShrunkAttributesJson>,
}

/// When and where a top job is planned.
#[derive(Serialize)]
struct TopJobJson {
    /// Seconds since 1970.
    start: i64,
    exec_vnode: String,
}

/// The attributes that change as a job is shrunk to fit.
#[derive(Serialize)]
struct ShrunkAttributesJson {
    #[serde(rename = "Resource_List.walltime")]
    walltime: String,
}

/// Returns the outcome of every job that matches the filter.
pub(super) fn jobs<'a>(
    run: &'a Arc<Run>,
    filter: &'a JobFilter,
) -> impl Iterator<Item = ConsideredJobJson> + use<'a> {
    let mut judge = Assumptions::new(run);
    let fitting = rows(run).into_iter().filter(|row| {
        // An array is filtered by its final outcome, as in the table and in every list of jobs.
        let of_array = || decided(run, row.outcome.job).filter(|_| run.plan.job(row.outcome.job).is_array());
        filter.fits(run, of_array().filter(|_| row.outcome.subjob.is_none()).unwrap_or(&row.outcome))
    });
    fitting.map(move |row| ConsideredJobJson::of(run, &row, judge.of_outcome(&row.outcome)))
}

impl ConsideredJobJson {
    fn of(run: &Run, OutcomeRow { outcome, set, stands }: &OutcomeRow, rests_on: Vec<Assumption>) -> Self {
        let (plan, snap) = (&run.plan, &run.plan.snap);
        let tried =
            |(name, too_small)| if too_small { format!("too small: {name}") } else { format!("{name}") };
        let estimate = outcome.estimate.as_ref();
        let never = run.impossible_jobs().reason(outcome.job);
        Self {
            id: outcome.name(snap),
            order: outcome.order,
            verdict: outcome.verdict.word(),
            final_verdict: stands.word(),
            never: never.is_some(),
            never_because: never.map(|reason| reason.text(&snap.catalogue)),
            likely: is_likely(&rests_on),
            rests_on,
            path: outcome.path.map(PlacementPath::word),
            path_preempt: outcome.by_preemption.then(|| PlacementPath::Node.word()),
            would_use: outcome.would_use.map(|choice| choice.path.word()),
            path_rule: outcome.would_use.map(|choice| choice.rule.name()),
            path_rule_id: outcome.would_use.map(|choice| choice.rule.id()),
            rule: outcome.would_use.map(|choice| choice.rule.id()),
            stopped_by_rule: run.stop_rule(outcome).map(StopRule::id),
            decided_by_rule: run.deciding_rule(outcome).map(|rule| rule.id),
            turned_away_by: outcome.refused_at.map(RefusalStage::word),
            exec_vnode: outcome.placed.as_ref().map(|placed| placed.allocation.exec_vnode(plan)),
            refused_by_server: qscope_explain::refused_by_server(run, outcome),
            comment: outcome.comment(snap),
            topjob: estimate.is_some() && !plan.job(outcome.job).is_array(),
            estimated: estimate
                .map(|top| TopJobJson { start: top.start.0, exec_vnode: top.allocation.merged(plan) }),
            pset: set.as_deref().map(str::to_owned),
            psets_tried: outcome.tries.named(&run.end).into_iter().map(tried).collect(),
            examined: outcome.examined,
            alters: outcome.shrunk_to.map(|length| ShrunkAttributesJson { walltime: length.to_string() }),
        }
    }
}
