//! The answers, as text and as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use qscope_engine::cluster::{Epoch, Seconds};
use qscope_exits::Lines;
use qscope_session::wait_history::{
    InterruptedRun, NO_SCHEDULER_LOG, OvertakingJob, QueueExit, ReasonPeriod, WaitHistory, WaitTotals,
};
use qscope_source::civil_time;

/// One job; times are in seconds since 1970.
#[derive(Serialize)]
pub(super) struct WaitedJobJson<'a> {
    job: &'a str,
    user: &'a str,
    queue: &'a str,
    cores: u64,
    queued: Epoch,
    /// Whether its arrival is known; otherwise `queued` is when it was first seen.
    arrival_known: bool,
    until: Epoch,
    started: bool,
    seconds: i64,
    spans: &'a [ReasonPeriod],
    /// Seconds by reason; they sum to `seconds`.
    sums: BTreeMap<&'a str, i64>,
    promises: Vec<(i64, i64)>,
    /// For an array, how many of its subjobs the next cycle starts: the reasons are those of the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    starting: Vec<StartingJson>,
    passed: Vec<OvertakingJson<'a>>,
    /// Runs that ended in the queue again.
    runs: &'a [InterruptedRun],
    /// Its end, if it left the queue without an observed start; `last_seen` in it is the same as `until`.
    left: Option<&'a QueueExit>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct OvertakingJson<'a> {
    job: &'a str,
    at: i64,
    by: &'static str,
}

/// Subjobs of an array that the next cycle starts.
#[derive(Serialize)]
struct StartingJson {
    /// The time from which this holds.
    at: i64,
    subjobs: u64,
    /// Number of subjobs that wait.
    of: u64,
}

/// Many jobs.
#[derive(Serialize)]
pub(super) struct WaitSummaryJson<'a> {
    subject: &'a str,
    /// The start of the counted period, and the last observation.
    from: Option<i64>,
    to: Option<i64>,
    jobs: usize,
    /// Number of jobs that waited for some time, or still wait.
    waited: usize,
    seconds: i64,
    core_hours: f64,
    reasons: Vec<ReasonJson>,
    /// Time between two snapshots for which it is not known whether jobs waited, which is not counted above.
    not_counted: UncountedWaitsJson,
    /// Number of jobs of unknown size, which count as one core.
    unknown_cores: usize,
    notes: &'a [String],
}

/// Jobs that left the dumps between two snapshots.
#[derive(Default, Serialize)]
struct UncountedWaitsJson {
    jobs: usize,
    seconds: i64,
    core_hours: f64,
}

#[derive(Serialize)]
struct ReasonJson {
    reason: String,
    seconds: i64,
    core_hours: f64,
    /// The share of the core-hours of all reasons.
    share: f64,
}

impl<'a> WaitedJobJson<'a> {
    pub(super) fn of(waited: &'a WaitHistory, notes: &'a [String]) -> Self {
        Self {
            job: &waited.job,
            user: &waited.user,
            queue: &waited.queue,
            cores: waited.cores,
            queued: waited.queued,
            arrival_known: waited.is_arrival_known,
            until: waited.until,
            started: waited.is_started,
            seconds: waited.seconds(),
            spans: &waited.spans,
            sums: by_reason(waited),
            promises: waited.promises.iter().map(|one| (one.planned_at.0, one.start.0)).collect(),
            starting: waited
                .starting_subjobs()
                .map(|(at, subjobs, of)| StartingJson { at: at.0, subjobs, of })
                .collect(),
            passed: waited
                .overtaking_jobs
                .iter()
                .map(|one| OvertakingJson { job: &one.job, at: one.at.0, by: rule(one) })
                .collect(),
            runs: &waited.runs,
            left: waited.exit.as_ref(),
            notes,
        }
    }
}

fn by_reason(waited: &WaitHistory) -> BTreeMap<&str, i64> {
    let mut sums = BTreeMap::new();
    for span in &waited.spans {
        *sums.entry(&*span.reason).or_default() += span.seconds();
    }
    sums
}

fn rule(passed: &OvertakingJob) -> &'static str {
    match passed.is_ahead {
        Some(true) => "ahead in the order",
        Some(false) => "behind in the order, and fitted",
        None => "order not known",
    }
}

/// Maximum number of lines for jobs that passed this one.
const SHOWN: usize = 20;

/// Returns the history of one job as text.
pub(super) fn job(waited: &WaitHistory, notes: &[String], zone: &str) -> Lines {
    let mut text = Lines::new();
    let WaitHistory { queued, is_arrival_known, .. } = waited;
    let begin = if *is_arrival_known { "queued" } else { "first seen" };
    let length = Seconds(waited.seconds());
    let length =
        if *is_arrival_known { format!("{length} in the queue") } else { format!("seen for {length}") };
    text.line(format_args!(
        "{}: {begin} {}, {}, {length}",
        job_description(waited),
        civil_time(*queued, zone),
        end(waited, zone)
    ));
    for InterruptedRun { from, to, ended } in &waited.runs {
        let [from, to] = [from, to].map(|at| civil_time(*at, zone));
        text.line(format_args!("started {from}, {ended} {to}"));
    }
    if !waited.spans.is_empty() {
        text.append(&reasons_text(waited, zone));
    }
    let mut starting = waited.starting_subjobs().peekable();
    if starting.peek().is_some() {
        text.blank();
        text.line("subjobs that start in the next cycle; the reasons are those of the others:");
    }
    for (at, subjobs, of) in starting.take(SHOWN) {
        text.line(format_args!("  {}  {subjobs} of {of}", civil_time(at, zone)));
    }
    if !waited.promises.is_empty() {
        text.blank();
        text.line("top job; planned starts:");
        for one in &waited.promises {
            text.line(format_args!(
                "  {}  stated {}",
                civil_time(one.start, zone),
                civil_time(one.planned_at, zone)
            ));
        }
    }
    if !waited.overtaking_jobs.is_empty() {
        text.blank();
        let jobs = qscope_explain::words::count(waited.overtaking_jobs.len(), "job");
        text.line(format_args!("{jobs} arrived later and started sooner:"));
        for one in waited.overtaking_jobs.iter().take(SHOWN) {
            text.line(format_args!("  {}  {}: {}", civil_time(one.at, zone), one.job, rule(one)));
        }
        let more = waited.overtaking_jobs.len().saturating_sub(SHOWN);
        if more > 0 {
            text.line(format_args!("  … and {more} more: --json prints all"));
        }
    }
    add_notes(&mut text, notes);
    text
}

/// Returns how its time in the queue ended.
fn end(waited: &WaitHistory, zone: &str) -> String {
    let until = civil_time(waited.until, zone);
    match &waited.exit {
        _ if waited.is_started => format!("started {until}"),
        Some(left) if left.unknown() > 0 => {
            let at = civil_time(left.at, zone);
            format!("last seen waiting {until}, no longer in the dumps since {at} ({})", left.how)
        }
        Some(left) => format!("{} {until}", left.how),
        None => format!("not started by {until}"),
    }
}

/// Names the job with what is known of it.
fn job_description(waited: &WaitHistory) -> String {
    let WaitHistory { job, user, queue, cores, .. } = waited;
    let known = |word: &str, name: &str| if name == "-" { String::new() } else { format!(" {word} {name}") };
    let cores = if *cores > 0 {
        format!(", {}", qscope_explain::words::count(*cores, "core"))
    } else {
        String::new()
    };
    format!("{job}{}{}{cores}", known("of", user), known("in", queue))
}

/// Returns the reasons one after the other, and then each with its share.
fn reasons_text(waited: &WaitHistory, zone: &str) -> Lines {
    let mut text = Lines::new();
    text.blank();
    text.line(format_args!("{:<27}{:>12}  reason", "since", "for"));
    for span in &waited.spans {
        let length = Seconds(span.seconds()).to_string();
        text.line(format_args!("{:<27}{length:>12}  {}", civil_time(span.from, zone), span.reason));
    }
    // Shares of no time are undefined.
    if waited.seconds() == 0 {
        return text;
    }
    text.blank();
    text.line(format_args!("{:>12}{:>8}  reason", "in all", "share"));
    let mut sums: Vec<(&str, i64)> = by_reason(waited).into_iter().collect();
    sums.sort_by_key(|(reason, seconds)| (std::cmp::Reverse(*seconds), *reason));
    for (reason, seconds) in sums {
        let share = share(as_f64(seconds), as_f64(waited.seconds()));
        text.line(format_args!("{:>12}{:>6.1} %  {reason}", Seconds(seconds).to_string(), share * 100.0));
    }
    text
}

impl<'a> WaitSummaryJson<'a> {
    pub(super) fn of(
        subject: &'a str,
        all: &[WaitHistory],
        span: Option<(Epoch, Epoch)>,
        notes: &'a [String],
    ) -> Self {
        let sums = WaitTotals::of(all, |_| true);
        let core_seconds: i128 = sums.0.values().map(|(_, cores)| cores).sum();
        let mut reasons: Vec<ReasonJson> = sums
            .0
            .iter()
            .map(|(reason, (seconds, cores))| ReasonJson {
                reason: reason.to_string(),
                seconds: *seconds,
                core_hours: hours(*cores),
                share: share(hours(*cores), hours(core_seconds)),
            })
            .collect();
        reasons.sort_by(|a, b| b.core_hours.total_cmp(&a.core_hours).then_with(|| a.reason.cmp(&b.reason)));
        Self {
            subject,
            from: span.map(|(from, _)| from.0),
            to: span.map(|(_, to)| to.0),
            jobs: all.len(),
            seconds: sums.0.values().map(|(seconds, _)| seconds).sum(),
            core_hours: hours(core_seconds),
            reasons,
            waited: all.iter().filter(|waited| waited.has_waited()).count(),
            not_counted: UncountedWaitsJson::of(all),
            unknown_cores: all.iter().filter(|waited| waited.demand.is_empty()).count(),
            notes,
        }
    }
}

impl UncountedWaitsJson {
    fn of(all: &[WaitHistory]) -> Self {
        let mut found = Self::default();
        let mut core_seconds = 0;
        for waited in all {
            let Some(left) = waited.exit.as_ref().filter(|left| left.unknown() > 0) else { continue };
            found.jobs += 1;
            found.seconds += left.unknown();
            core_seconds += waited.core_seconds(left.last_seen, left.at);
        }
        found.core_hours = hours(core_seconds);
        found
    }
}

/// Returns the sums of many jobs as text.
pub(super) fn sums(found: &WaitSummaryJson<'_>, zone: &str) -> Lines {
    let mut text = Lines::new();
    if let Some((from, to)) = found.from.zip(found.to) {
        let [from, to] = [from, to].map(|at| civil_time(Epoch(at), zone));
        text.line(format_args!("{}, {from} to {to}:", found.subject));
    }
    let all = qscope_explain::words::count(found.jobs, "job");
    let waited = if found.waited == found.jobs { all } else { format!("{} of {all}", found.waited) };
    text.line(format_args!(
        "{waited} waited {} in all, {:.1} core-hours{}",
        Seconds(found.seconds),
        found.core_hours,
        main_reason(found)
    ));
    text.blank();
    text.line(format_args!("{:>8}{:>14}{:>14}  reason", "share", "core-hours", "time"));
    for ReasonJson { reason, seconds, core_hours, share } in &found.reasons {
        let time = Seconds(*seconds).to_string();
        text.line(format_args!("{:>6.1} %{core_hours:>14.1}{time:>14}  {reason}", share * 100.0));
    }
    add_notes(&mut text, found.notes);
    let UncountedWaitsJson { jobs, seconds, core_hours } = &found.not_counted;
    if *jobs > 0 {
        let (jobs, time) = (qscope_explain::words::count(*jobs, "job"), Seconds(*seconds));
        text.line(format_args!(
            "note: not counted: {time}, {core_hours:.1} core-hours, in which {jobs} left the dumps between two snapshots: started and ended, or deleted"
        ));
    }
    if found.unknown_cores > 0 {
        let jobs = qscope_explain::words::count(found.unknown_cores, "job");
        text.line(format_args!("note: {jobs} of unknown size, counted as one core each"));
    }
    text
}

/// Returns the reason that most of the time was waited for.
fn main_reason(found: &WaitSummaryJson<'_>) -> String {
    match found.reasons.first().filter(|first| first.share > 0.0 && first.reason != NO_SCHEDULER_LOG) {
        Some(first) => format!(", {:.0} % of them for: {}", first.share * 100.0, first.reason),
        None => String::new(),
    }
}

fn add_notes(text: &mut Lines, notes: &[String]) {
    text.blank();
    notes.iter().for_each(|note| text.line(format_args!("note: {note}")));
}

fn hours(core_seconds: i128) -> f64 {
    (core_seconds as f64 / 3.6).round() / 1000.0
}

fn share(part: f64, all: f64) -> f64 {
    if all > 0.0 { part / all } else { 0.0 }
}

fn as_f64(seconds: i64) -> f64 {
    seconds as f64
}
