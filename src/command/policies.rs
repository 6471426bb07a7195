//! `qscope policies JOB`: the nodes that a job would get under each of Maui's allocation policies.

mod json;

use clap::Args;
use std::sync::Arc;

use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::{Epoch, JobId, Seconds, count};
use qscope_engine::cycle::Debugger;
use qscope_engine::universe::State;
use qscope_exits::Lines;
use qscope_planning::policies::{
    LocalHook, MauiOptions, MeasureBasis, PickedNode, Placement, PolicyComparison, PolicyMeasures,
    compare_policies,
};
use qscope_session::Generation;

use super::arguments::ClusterArgs;
use super::plain::{self, NoVerdictsSubject};
use super::{open, output};
use json::PoliciesJson;

/// The arguments of `policies`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: qscope policies 4711 /var/spool/qscope --measures")]
pub(super) struct PoliciesArgs {
    /// The job, with or without the server part.
    pub job: String,
    /// Add what each placement costs: fragmentation, and the later jobs whose start is lost or delayed.
    #[arg(long)]
    pub measures: bool,
    /// The folder, the output form, and what to change first.
    #[command(flatten)]
    pub cluster: ClusterArgs,
}

/// Maximum number of later jobs that are measured.
const MAX_BEHIND: usize = 64;

/// Compares the policies for one job; the exit code is 1 ("no") if it starts under none of them now.
///
/// # Errors
/// If the input is bad, there is no such job, or the output cannot be written.
pub(super) fn run(args: &PoliciesArgs) -> Result<u8> {
    let generation = open::what_if(&args.cluster)?;
    let job = open::job(&generation, &args.job)?;
    if let Some(code) =
        plain::answer_plain_of_nodes(&generation, args.cluster.as_json(), NoVerdictsSubject::Job(&args.job))?
    {
        return Ok(code);
    }
    let options = MauiOptions::read(&generation.snapshot);
    let start = Debugger::new(Arc::clone(&generation.run));
    let hook = generation.local_hook.as_ref().map(|hook| hook as &dyn LocalHook);
    let compared = compare_policies(start.state(), &options, job, hook)
        .map_err(|why| eyre!("job {}: {why}", generation.snapshot.jobs[job].name))?;
    let measures = args.measures.then(|| measure(&generation, start.state(), &options, &compared));
    let measures = measures.unwrap_or_default();
    let about = output::AnswerContext::as_a_whole(&generation);
    let json = || PoliciesJson::of(&generation, job, &compared, &measures);
    output::answer(about, args.cluster.as_json(), json, || to_text(&generation, job, &compared, &measures))?;
    Ok(u8::from(compared.answers.iter().all(|answer| answer.now.is_none())))
}

/// Measures the placements that start now, policy by policy, against the later jobs.
fn measure(
    generation: &Generation,
    state: &State,
    options: &MauiOptions,
    compared: &PolicyComparison,
) -> Vec<Option<PolicyMeasures>> {
    let behind: Vec<JobId> =
        generation.run.steps.iter().map(|step| step.outcome.job).take(MAX_BEHIND).collect();
    let yardstick = MeasureBasis::new(state, options, &compared.request, &behind);
    compared
        .answers
        .iter()
        .map(|answer| answer.now.as_ref().map(|placed| yardstick.measure(placed)))
        .collect()
}

fn measures_text(generation: &Generation, measures: &PolicyMeasures) -> Lines {
    let name = |job: &JobId| generation.snapshot.jobs[*job].short_name().to_owned();
    let mut text = Lines::new();
    text.line(format_args!(
        "{:<26} leaves {} on the largest node, {}; stranded {:.0} %",
        "",
        count(measures.largest.0.round(), "cpu"),
        count(measures.still_fits, "more such task"),
        measures.stranded * 100.0
    ));
    if !measures.regret.is_empty() {
        let jobs: Vec<String> = measures.regret.iter().map(name).collect();
        text.line(format_args!("{:<26} cannot start any more: {}", "", jobs.join(", ")));
    }
    let later = measures.delayed.iter().filter(|(job, _)| !measures.regret.contains(job));
    for (job, by) in later {
        let by = by.map_or("never".to_owned(), |by| format!("{by} later"));
        text.line(format_args!("{:<26} starts {by}: {}", "", name(job)));
    }
    text
}

fn to_text(
    generation: &Generation,
    job: JobId,
    compared: &PolicyComparison,
    measures: &[Option<PolicyMeasures>],
) -> Lines {
    let snap = &generation.snapshot;
    let tasks = compared.request.tasks();
    let feasible = compared.feasible.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + ");
    let nodes = if feasible == "1" { "node" } else { "nodes" };
    let mut head = format!(
        "{}: {} for {}; {feasible} {nodes} could serve now",
        snap.jobs[job].name,
        count(tasks, "task"),
        compared.request.walltime,
    );
    let dropped: Vec<&str> =
        compared.dropped.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    if !dropped.is_empty() {
        head.push_str(&format!(" (not: {})", dropped.join(" | ")));
    }
    let in_force = match &compared.in_force {
        Ok((policy, source)) => format!("{policy} ({source})"),
        Err(why) => why.clone(),
    };
    let mut text = Lines::from_iter([head, format!("policy in force: {in_force}"), String::new()]);
    for (at, answer) in compared.answers.iter().enumerate() {
        let (when, placement) = match (&answer.now, &answer.earliest) {
            (Some(placement), _) => ("now".to_owned(), Some(placement)),
            (None, Some(later)) => (after(snap.now, later.start), Some(later)),
            (None, None) => ("-".to_owned(), None),
        };
        let nodes =
            placement.map_or_else(|| answer.note.clone(), |placement| nodes_text(generation, placement));
        text.line(format_args!("{:<15} {when:<10} {nodes}", answer.policy.word()));
        if let Some(placement) = placement.filter(|placement| !placement.picks.is_empty()) {
            let keys: Vec<&str> = placement.picks.iter().map(|pick| pick.key.as_str()).take(4).collect();
            let by = answer.ordering_policy().prefers();
            let drawn = if answer.is_drawn() { "by the job's own reservation, then " } else { "" };
            text.line(format_args!("{:<26} {drawn}by {by}: {}", "", keys.join("; ")));
        }
        if let Some(measures) = measures.get(at).and_then(Option::as_ref) {
            text.append(&measures_text(generation, measures));
        }
        if placement.is_some() && !answer.note.is_empty() {
            let not_now = if answer.now.is_some() { "" } else { "not now: " };
            text.line(format_args!("{:<26} {not_now}{}", "", answer.note));
        }
        if let Some(would) = answer.policy.maui_deviation() {
            text.line(format_args!("{:<26} {would}", ""));
        }
    }
    for remark in &compared.remarks {
        text.line(format_args!("note: {remark}"));
    }
    text
}

fn after(now: Epoch, start: Epoch) -> String {
    format!("+{}", Seconds(start.0 - now.0))
}

fn nodes_text(generation: &Generation, placement: &Placement) -> String {
    const MAX_SHOWN: usize = 8;
    let nodes = &generation.snapshot.nodes;
    let name = |pick: &PickedNode| format!("{}x{}", nodes[pick.node].name, pick.tasks);
    let mut shown: Vec<String> = placement.picks.iter().take(MAX_SHOWN).map(name).collect();
    let more = placement.picks.len().saturating_sub(MAX_SHOWN);
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join(" ")
}
