//! The answer as text.

use qscope_engine::cluster::{Seconds, count};
use qscope_exits::Lines;
use qscope_simulate::unfair::UnfairStart;
use qscope_simulate::{
    JobEnd, JobResult, Measures, PastAgreement, ScalingResult, SimulationCondition, SimulationResult,
};
use qscope_source::civil_time;

use super::figures::{NamedFigure, figures};
use super::sheet::{core_hours, run_seconds};
use super::{unfair, waited};

/// Returns the figures, then a line for each job; moments are in `zone`.
pub(super) fn answer(
    simulated: &SimulationResult,
    unfair_starts: Option<&[UnfairStart]>,
    zone: &str,
) -> Lines {
    let mut text = Lines::new();
    let counters = &simulated.counters;
    text.line(format_args!(
        "simulated {} to {}: {}, {} more with nothing to decide, {} refused by the server",
        civil_time(simulated.from, zone),
        civil_time(simulated.to, zone),
        count(counters.cycles, "cycle"),
        counters.empty_cycles,
        count(counters.refused, "start"),
    ));
    if simulated.is_cut {
        text.line("ended early: figures are those of the time up to here");
    }
    text.append(&at_start(&simulated.jobs));
    let is_rejected = simulated.jobs.iter().any(|job| job.state == JobEnd::Rejected);
    text.append(&measures(&simulated.measures, is_rejected, zone));
    if let Some(past) = PastAgreement::of(simulated) {
        text.line(format_args!(
            "held against the past: {} of {} starts within a minute; half within {} s, 95 % within {} s (what the model \
             leaves out is part of that)",
            past.within, past.count, past.median, past.p95,
        ));
    }
    text.extend(simulated.scaled.iter().map(ordered));
    for warning in &simulated.warnings {
        text.line(format_args!("warning: {warning}"));
    }
    text.blank();
    text.append(&super::picture::picture(simulated));
    if let Some(starts) = unfair_starts {
        text.append(&unfair::to_text(starts, zone));
    }
    if let Some(waited) = &simulated.waited {
        text.append(&waited::to_text(waited));
    }
    text.append(&jobs(simulated));
    text
}

/// Returns what became of the vnodes of a kind that come and go.
pub(super) fn ordered(scaled: &ScalingResult) -> String {
    let ScalingResult { kind, orders, most, seconds } = scaled;
    let (nodes, hours) = (count(*orders, "node"), *seconds as f64 / 3600.0);
    format!("{kind}: {nodes} ordered, at most {most} at once, {hours:.1} node-hours from order to return")
}

/// Returns the outcome of the jobs that were there when it began; the figures leave them out.
fn at_start(jobs: &[JobResult]) -> Lines {
    let of_start = || jobs.iter().filter(|job| job.was_present && !job.is_array);
    let (all, ended) = (of_start().count(), of_start().filter(|job| job.end.is_some()).count());
    let waiting = of_start().filter(|job| job.start.is_none() && job.end.is_none()).count();
    let text = || {
        format!(
            "there at the start: {}, {ended} ended, {waiting} never started; not in the figures",
            count(all, "job")
        )
    };
    (all > 0).then(text).into_iter().collect()
}

/// Returns the figures, with the window they are about.
fn measures(measures: &Measures, is_rejected: bool, zone: &str) -> Lines {
    let mut text = Lines::new();
    let Measures { arrived, started, finished, censored, deleted, window: (from, to), .. } = measures;
    if *arrived == 0 {
        text.line(match is_rejected {
            true => "every job that arrives is rejected: figures are those of jobs that are taken",
            false => "no job arrives: figures are those of jobs that do",
        });
        return text;
    }
    text.line(format_args!("window {} to {}", civil_time(*from, zone), civil_time(*to, zone)));
    let deleted = if *deleted > 0 { format!(", {deleted} deleted before that") } else { String::new() };
    text.line(format_args!(
        "jobs: {arrived} arrived, {started} started{deleted}, {censored} not started by the end; {finished} finished"
    ));
    for NamedFigure { name, value } in figures(measures) {
        text.line(format_args!("  {name:<22}{value}"));
    }
    text.extend(lower_bound_note(measures));
    text
}

/// Returns the lower bounds of the waits if so many jobs still wait that the mean over the others is too small.
pub(super) fn lower_bound_note(measures: &Measures) -> Option<String> {
    let mean = Seconds(measures.wait_mean_least.map_or(0.0, f64::round) as i64);
    let p95 = Seconds(measures.wait_p95_least.unwrap_or(0));
    let censored = count(measures.censored, "job");
    (measures.censored * 100 > measures.arrived).then(|| {
        format!(
            "note: {censored} not started; waits are those of the others only; with their waits so far the mean is \
             at least {mean}, and 95 % at least {p95}"
        )
    })
}

/// Maximum number of jobs that are listed.
const LISTED: usize = 500;

fn jobs(simulated: &SimulationResult) -> Lines {
    let mut text = Lines::new();
    let names = simulated.jobs.iter().filter_map(|job| job.last_reason.as_deref());
    let widest = names.map(|reason| reason.chars().count()).max().unwrap_or(0).max("last reason".len());
    let reasons = simulated.waited.as_ref().map(|_| widest + 2);
    let head = ["job", "user", "queue", "state", "wait", "run", "core-h", "last reason", "path", "nodes"];
    text.line(row(&head.map(str::to_owned), reasons));
    let all = || simulated.jobs.iter().filter(|job| !job.is_array);
    for job in all().take(LISTED) {
        text.line(row(&cells(job), reasons));
    }
    let more = all().count().saturating_sub(LISTED);
    if more > 0 {
        text.line(format_args!("… and {more} more jobs: --csv, --swf or --json print all"));
    }
    text
}

fn cells(job: &JobResult) -> [String; 10] {
    let time = |value: Option<i64>| value.map_or("-".to_owned(), |seconds| Seconds(seconds).to_string());
    [
        job.name.to_string(),
        job.user.to_string(),
        job.queue.to_string(),
        job.state.word(),
        time(job.wait()),
        time(run_seconds(job)),
        core_hours(job).map_or("-".to_owned(), |hours| format!("{hours:.1}")),
        job.last_reason.as_deref().unwrap_or("-").to_owned(),
        job.path.map_or("-", |path| path.word()).to_owned(),
        job.exec_vnode.as_deref().unwrap_or("-").to_owned(),
    ]
}

/// Returns a line of the table of jobs, with the last reason in a column of this width if reasons are known.
fn row(cells: &[String; 10], reasons: Option<usize>) -> String {
    let [name, user, queue, state, wait, run, hours, reason, path, nodes] = cells;
    let reason = reasons.map_or_else(String::new, |wide| format!("{reason:<wide$}"));
    format!(
        "{name:<16}{user:<12}{queue:<12}{state:<9}{wait:>10}{run:>10}{hours:>9}  {reason}{path:<7}{nodes}"
    )
}

/// Returns which of the conditions hold.
pub(super) fn conditions(conditions: &[SimulationCondition], simulated: &SimulationResult) -> Lines {
    let mut text = Lines::new();
    for condition in conditions {
        let value = condition.value_text(simulated);
        let value = value.map_or("no job has it".to_owned(), |value| format!("it is {value}"));
        let holds = if condition.holds(simulated) { "holds" } else { "does not hold" };
        text.line(format_args!("{} {holds}: {value}", condition.text()));
    }
    text
}
