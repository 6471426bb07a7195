//! Metrics of a cluster for a monitoring system: gauges in the text format of OpenMetrics, which the text-file
//! collector of the Prometheus node exporter also accepts. There are at most 500 series, whatever the cluster.

use std::collections::BTreeMap;
use std::sync::Arc;

use qscope_engine::cluster::{Job, JobState, Name};
use qscope_engine::cycle::Debugger;
use qscope_exits::OpenMetrics;
use qscope_explain::{
    AlertKind, Board, BoardRow, Tier, fragmentation, scheduling_is_off, waiting_core_hours,
};
use qscope_session::Generation;
use qscope_session::agreement::Agreement;
use qscope_session::records::REFUSED;

/// Maximum number of queues that have their own series, those with the most waiting jobs; the others share one.
const MAX_QUEUES: usize = 20;
/// The label of the other queues.
const OTHER_QUEUES: &str = "(other)";

/// Returns the file: every family with its type, its help and its series.
pub fn metrics(generation: &Generation, board: &Board, clock: i64) -> OpenMetrics {
    let mut page = OpenMetrics::new();
    moments(&mut page, generation, clock);
    waiting(&mut page, generation, board);
    counts(&mut page, generation);
    add_free_amounts(&mut page, generation);
    alerts(&mut page, generation);
    agreement(&mut page, generation);
    page.end()
}

fn single_metric(page: &mut OpenMetrics, name: &'static str, help: &'static str, value: f64) {
    page.family(name, help, &[(Vec::new(), value)]);
}

fn moments(page: &mut OpenMetrics, generation: &Generation, clock: i64) {
    let now = generation.snapshot.now.0;
    single_metric(
        page,
        "snapshot_timestamp_seconds",
        "When the dumps were made, in seconds since 1970.",
        now as f64,
    );
    single_metric(
        page,
        "snapshot_age_seconds",
        "How old the dumps were when this was written.",
        (clock - now) as f64,
    );
    let took = generation.cycle_took.as_secs_f64();
    single_metric(page, "cycle_duration_seconds", "How long the modelled cycle took.", took);
    let off = scheduling_is_off(&generation.snapshot);
    single_metric(page, "scheduling_enabled", "Whether scheduling is on: 1 or 0.", f64::from(u8::from(!off)));
}

/// Adds the waiting jobs and core-hours, by kind of cause and queue.
fn waiting(page: &mut OpenMetrics, generation: &Generation, board: &Board) {
    let snap = &generation.snapshot;
    let mut by_queue: BTreeMap<&Name, u64> = BTreeMap::new();
    for job in board.rows.iter().flat_map(|row| &row.jobs) {
        *by_queue.entry(&snap.jobs[*job].queue).or_default() += 1;
    }
    let mut queues: Vec<(&Name, u64)> = by_queue.into_iter().collect();
    queues.sort_by_key(|(_, jobs)| std::cmp::Reverse(*jobs));
    let own: Vec<&str> = queues.iter().take(MAX_QUEUES).map(|(name, _)| &***name).collect();
    let label = |job: &Job| own.iter().copied().find(|name| *name == &*job.queue).unwrap_or(OTHER_QUEUES);
    let causes = cause_words();
    let mut sums: BTreeMap<(usize, &str), (u64, f64)> = BTreeMap::new();
    for at in 0..causes.len() {
        for queue in &own {
            sums.insert((at, queue), (0, 0.0));
        }
    }
    for row in &board.rows {
        let at = causes.iter().position(|word| *word == cause_word(row)).unwrap_or(causes.len());
        for id in &row.jobs {
            let sum = sums.entry((at, label(&snap.jobs[*id]))).or_default();
            *sum = (sum.0 + 1, sum.1 + waiting_core_hours(&generation.run, *id));
        }
    }
    let word = |at: usize| causes.get(at).copied().unwrap_or_default();
    let labels = |at: &usize, queue: &'_ str| vec![("cause", word(*at)), ("queue", queue_label(&own, queue))];
    let jobs: Vec<_> =
        sums.iter().map(|((at, queue), (jobs, _))| (labels(at, queue), *jobs as f64)).collect();
    page.family("waiting_jobs", "Jobs that wait, by kind of cause and queue.", &jobs);
    let hours: Vec<_> = sums.iter().map(|((at, queue), (_, hours))| (labels(at, queue), *hours)).collect();
    let help = "Core-hours that waiting jobs request, by kind of cause and queue.";
    page.family("waiting_core_hours", help, &hours);
    single_metric(
        page,
        "waiting_job_kinds",
        "Kinds of waiting jobs: jobs of one kind are alike.",
        board.kinds as f64,
    );
    let analysed = (board.waiting - board.jobs_by_first_condition) as f64;
    let help = "Waiting jobs whose cause was analysed, not taken at a glance.";
    single_metric(page, "waiting_jobs_analysed", help, analysed);
}

/// Returns every kind of cause that has series, in their order.
fn cause_words() -> Vec<&'static str> {
    Tier::ALL.iter().map(|tier| tier.word()).chain([REFUSED]).collect()
}

/// Returns the kind of cause that the jobs of a row are counted under: its tier. A start that the server refuses
/// waits for no job ahead and has its own word.
fn cause_word(row: &BoardRow) -> &'static str {
    if row.is_refused() { REFUSED } else { row.tier.word() }
}

/// Returns the label of a queue: its own, or that of all others.
fn queue_label<'q>(own: &[&'q str], queue: &str) -> &'q str {
    own.iter().copied().find(|name| *name == queue).unwrap_or(OTHER_QUEUES)
}

fn counts(page: &mut OpenMetrics, generation: &Generation) {
    let snap = &generation.snapshot;
    let count = |is: &dyn Fn(&Job) -> bool| snap.jobs.iter().filter(|job| is(job)).count() as f64;
    // An array of which every subjob has started is not in the queue any more.
    let is_queued = |job: &Job| job.state.is_queued() && job.waits();
    let states = [
        ("running", count(&|job| job.state == JobState::Running)),
        ("queued", count(&is_queued)),
        ("held", count(&|job| job.state == JobState::Held)),
        ("waiting", count(&|job| job.state == JobState::Waiting)),
        ("suspended", count(&|job| job.state.is_suspended())),
        ("exiting", count(&|job| job.state == JobState::Exiting)),
        ("transit", count(&|job| job.state == JobState::Transit)),
    ];
    let series: Vec<_> = states.iter().map(|(state, jobs)| (vec![("state", *state)], *jobs)).collect();
    let help = "Jobs by their state in the dumps, waiting for their execution time being state W; an array is queued, \
                as one job, while a subjob is left to start.";
    page.family("jobs", help, &series);
    let starts = generation.run.starts().count();
    single_metric(page, "startable_jobs", "Jobs that start in this cycle.", starts as f64);
    let oldest = snap
        .jobs
        .iter()
        .filter(|job| is_queued(job))
        .filter_map(Job::waits_since)
        .min()
        .map_or(0, |at| (snap.now - at).0.max(0));
    single_metric(page, "oldest_wait_seconds", "How long the oldest queued job has waited.", oldest as f64);
}

/// Adds what is free before the cycle starts anything.
fn add_free_amounts(page: &mut OpenMetrics, generation: &Generation) {
    let mut debugger = Debugger::new(Arc::clone(&generation.run));
    debugger.seek(0);
    let state = debugger.snapshot_state();
    let free = state.node_counts().free;
    single_metric(page, "vnodes", "Vnodes.", generation.snapshot.nodes.len() as f64);
    single_metric(
        page,
        "free_vnodes",
        "Vnodes that are up, have cpus and have nothing on them.",
        free as f64,
    );
    let pools = fragmentation(&state, &[1]);
    let largest = pools.iter().filter_map(|pool| pool.largest.as_ref()).map(|set| set.nodes).max();
    let help = "Wholly free vnodes of the placement set that has the most; without sets all of them.";
    single_metric(page, "largest_free_set_vnodes", help, largest.unwrap_or(free) as f64);
}

fn alerts(page: &mut OpenMetrics, generation: &Generation) {
    const KINDS: [AlertKind; 9] = [
        AlertKind::SchedulingOff,
        AlertKind::DoubleBooking,
        AlertKind::Oversubscribed,
        AlertKind::StoppedQueue,
        AlertKind::Ghost,
        AlertKind::Down,
        AlertKind::Offline,
        AlertKind::NotOnNodes,
        AlertKind::NotInDump,
    ];
    let count = |kind| {
        generation.alerts.iter().filter(|alert| alert.kind == kind).map(|alert| alert.items.len()).sum()
    };
    let of_kind = |kind: &AlertKind| {
        let items: usize = count(*kind);
        (vec![("kind", kind.word())], items as f64)
    };
    let series: Vec<_> = KINDS.iter().map(of_kind).collect();
    page.family("alerts", "What an operator must see, by kind.", &series);
}

/// Adds how the model agrees with what the scheduler wrote.
fn agreement(page: &mut OpenMetrics, generation: &Generation) {
    // A folder that is read only once has not been compared yet.
    let once = || Arc::new(Agreement::new(&generation.run, &generation.sched_log, 0));
    let tally = generation.agreement.clone().unwrap_or_else(once).recorded();
    let series = [
        ("equal", tally.equal),
        ("other_numbers", tally.other_numbers),
        ("different", tally.different),
        ("no_evidence", tally.no_evidence),
    ];
    let series: Vec<_> = series.iter().map(|(class, jobs)| (vec![("class", *class)], *jobs as f64)).collect();
    let help = "Waiting jobs by how the model agrees with the scheduler's comment.";
    page.family("agreement_jobs", help, &series);
}
