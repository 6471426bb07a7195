//! The answer as text.

use qscope_engine::cluster::{Seconds, count};
use qscope_exits::Lines;
use qscope_simulate::{
    JobEnd, JobResult, Measures, PastAgreement, ScalingResult, SimulationCondition, SimulationResult,
};
use qscope_source::civil_time;

use super::sheet::{core_hours, run_seconds};

/// Returns the figures, then a line for each job; moments are in `zone`.
pub(super) fn answer(simulated: &SimulationResult, zone: &str) -> Lines {
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
    for (name, value) in figures(measures) {
        text.line(format_args!("  {name:<22}{value}"));
    }
    text.extend(lower_bound_note(measures));
    text
}

/// Returns the lower bound of the mean wait if so many jobs still wait that the mean over the others is too small.
pub(super) fn lower_bound_note(measures: &Measures) -> Option<String> {
    let least = Seconds(measures.wait_mean_least.map_or(0.0, f64::round) as i64);
    let censored = count(measures.censored, "job");
    (measures.censored * 100 > measures.arrived).then(|| {
        format!(
            "note: {censored} not started; waits are those of the others only; with their waits so far the mean is \
             at least {least}"
        )
    })
}

/// Returns the names and values of the figures that exist.
pub(super) fn figures(measures: &Measures) -> Vec<(&'static str, String)> {
    let time = |value: Option<i64>| value.map(|seconds| Seconds(seconds).to_string());
    let mean = measures.wait.mean.map(|seconds| seconds.round() as i64);
    let whole = |seconds: Option<f64>| time(seconds.map(|seconds| seconds.round() as i64));
    let (fair, estimated) = (measures.fairness.as_ref(), measures.estimates.as_ref());
    let percent = |part: Option<f64>| part.map(|part| format!("{:.1} %", part * 100.0));
    let all = [
        ("wait, mean", time(mean)),
        ("wait, median", time(measures.wait.median)),
        ("wait, 95 %", time(measures.wait.p95)),
        ("wait, longest", time(measures.wait.max)),
        ("slowdown, mean", measures.slowdown_mean.map(|value| format!("{value:.2}"))),
        ("utilisation", measures.utilisation.map(|part| format!("{:.1} %", part * 100.0))),
        ("jobs waiting, mean", measures.queue_mean.map(|value| format!("{value:.2}"))),
        ("last end after", time(measures.makespan)),
        ("wait, weighted", whole(measures.weighted_wait)),
        ("ends in an hour", measures.throughput.map(|value| format!("{value:.1}"))),
        ("fairness (Jain)", fair.map(|of| format!("{:.3}", of.index))),
        ("worst slowdown", fair.map(|of| format!("{} {:.2}", of.worst_user, of.worst))),
        ("backfilled", percent(measures.backfilled)),
        ("walltime used", percent(measures.walltime_accuracy)),
        ("start less estimate", estimated.and_then(|of| time(Some(of.median)))),
        ("  5 % of them", estimated.and_then(|of| time(Some(of.p5)))),
        ("  95 % of them", estimated.and_then(|of| time(Some(of.p95)))),
        ("  later than estimate", estimated.map(|of| format!("{} of {}", of.later, of.count))),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Maximum number of jobs that are listed.
const LISTED: usize = 500;

fn jobs(simulated: &SimulationResult) -> Lines {
    let mut text = Lines::new();
    let head = ["job", "user", "queue", "state", "wait", "run", "core-h", "path", "nodes"];
    text.line(row(&head.map(str::to_owned)));
    let all = || simulated.jobs.iter().filter(|job| !job.is_array);
    for job in all().take(LISTED) {
        text.line(row(&cells(job)));
    }
    let more = all().count().saturating_sub(LISTED);
    if more > 0 {
        text.line(format_args!("… and {more} more jobs: --csv, --swf or --json print all"));
    }
    text
}

fn cells(job: &JobResult) -> [String; 9] {
    let time = |value: Option<i64>| value.map_or("-".to_owned(), |seconds| Seconds(seconds).to_string());
    [
        job.name.to_string(),
        job.user.to_string(),
        job.queue.to_string(),
        job.state.word(),
        time(job.wait()),
        time(run_seconds(job)),
        core_hours(job).map_or("-".to_owned(), |hours| format!("{hours:.1}")),
        job.path.map_or("-", |path| path.word()).to_owned(),
        job.exec_vnode.as_deref().unwrap_or("-").to_owned(),
    ]
}

fn row(cells: &[String; 9]) -> String {
    let [name, user, queue, state, wait, run, hours, path, nodes] = cells;
    format!("{name:<16}{user:<12}{queue:<12}{state:<9}{wait:>10}{run:>10}{hours:>9}  {path:<7}{nodes}")
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
