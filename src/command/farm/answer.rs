//! The answer as JSON.

use std::time::Duration;

use serde::Serialize;

use qscope_exits::json::OrderedObject;
use qscope_planning::farm::answer::RunAnswer;
use qscope_planning::farm::{ClassNo, FarmCase, FarmRun};

/// One run: its keys at the top level. Several: a list of such objects under `runs`.
#[derive(Serialize)]
pub(super) struct FarmJson<'a> {
    #[serde(flatten)]
    runs: FarmRunsJson<'a>,
    /// The classes of jobs.
    classes: Vec<&'a str>,
    /// Those that pack.
    packing: Vec<&'a str>,
    /// The classes in the order of the series' cells; null where no series was kept.
    series_classes: Option<Vec<&'a str>>,
    /// What really ran, if the file states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    real: Option<SummaryJson>,
    total_slots: u64,
    seed: Option<u64>,
    /// Records that could not be read.
    broken_records: u64,
    problems: &'a [String],
    notes: &'a [String],
    /// With `--timing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    timing_ms: Option<FarmTiming>,
}

/// The simulated runs.
#[derive(Serialize)]
#[serde(untagged)]
enum FarmRunsJson<'a> {
    One(Box<FarmRunJson<'a>>),
    Several { runs: Vec<FarmRunJson<'a>> },
}

/// One run under one policy.
#[derive(Serialize)]
struct FarmRunJson<'a> {
    policy: &'a str,
    /// The keys of the packing scenarios' answers; absent when no record was kept.
    #[serde(flatten)]
    answer: Option<RunAnswer>,
    summary: SummaryJson,
}

/// How long the work took, in milliseconds.
#[derive(Serialize)]
struct FarmTiming {
    read: u64,
    simulate: u64,
}

/// The figures of a run; means are over the window.
#[derive(Serialize)]
struct SummaryJson {
    /// The window of all means, in seconds.
    window: [i64; 2],
    /// The mean fill factor.
    mean_ff: Option<f64>,
    /// Slots lost against the relaxed policy.
    cost_slots: Option<f64>,
    /// CPU time over the window in hours; a slot in use counts as one cpu at work.
    cpu_hours: f64,
    /// CPU hours left undone in the window against the relaxed policy.
    cost_cpu_hours: Option<f64>,
    /// The packing index of all packing classes.
    pi_classes: Option<f64>,
    held_nodes: f64,
    blocked_slots: f64,
    busy_nodes: f64,
    pending_jobs: f64,
    makespan: Option<i64>,
    events: u64,
    classes: OrderedObject<String, FarmClassJson>,
}

/// The figures of a class.
#[derive(Serialize)]
struct FarmClassJson {
    policy: String,
    /// The packing index.
    pi: Option<f64>,
    slots: f64,
    /// Its CPU time over the window in hours.
    cpu_hours: f64,
    nodes: f64,
    /// The fewest nodes that would suffice.
    sufficient: f64,
    /// Nodes beyond those.
    dispersion: f64,
    mixed_nodes: f64,
    jobs_at_risk: f64,
    jobs: u64,
    never_fits: u64,
    slot_seconds: f64,
    wait_seconds: WaitsJson,
}

/// How long jobs waited, in seconds.
#[derive(Serialize)]
struct WaitsJson {
    mean: Option<f64>,
    median: Option<u64>,
    p95: Option<u64>,
    longest: u64,
    total: f64,
}

impl<'a> FarmJson<'a> {
    /// Returns the answer for the simulated runs among all runs.
    pub(super) fn of(
        case: &'a FarmCase,
        runs: &'a [FarmRun],
        simulated: &[&'a FarmRun],
        timing: Option<(Duration, Duration)>,
    ) -> Self {
        let run = |run: &'a FarmRun| FarmRunJson {
            policy: &run.options.name,
            answer: RunAnswer::of(&case.workload, run),
            summary: SummaryJson::of(case, run, runs),
        };
        let name = |class: &ClassNo| &*case.workload.classes[*class];
        let ms = |took: Duration| took.as_millis() as u64;
        let recording = simulated.iter().find_map(|run| run.recording.as_ref());
        let real = runs.iter().find(|run| run.options.name == "real");
        Self {
            runs: match simulated {
                [only] => FarmRunsJson::One(Box::new(run(only))),
                several => FarmRunsJson::Several { runs: several.iter().map(|one| run(one)).collect() },
            },
            classes: case.workload.classes.iter().map(|name| &**name).collect(),
            packing: case.packing.iter().map(name).collect(),
            series_classes: recording.map(|kept| kept.series.classes.iter().map(name).collect()),
            real: real.map(|real| SummaryJson::of(case, real, runs)),
            total_slots: case.workload.total_slots(),
            seed: case.seed,
            broken_records: case.broken,
            problems: &case.problems,
            notes: &case.notes,
            timing_ms: timing.map(|(read, simulate)| FarmTiming { read: ms(read), simulate: ms(simulate) }),
        }
    }
}

impl SummaryJson {
    fn of(case: &FarmCase, run: &FarmRun, runs: &[FarmRun]) -> Self {
        let summary = &run.summary;
        // Costs compare simulations with each other, not with what really ran.
        let relaxed =
            runs.iter().find(|other| other.options.name == "relaxed").filter(|_| run.options.name != "real");
        let classes = case.workload.classes.enumerate();
        Self {
            window: [summary.window.from, summary.window.to],
            mean_ff: summary.mean_ff(),
            cost_slots: relaxed.and_then(|relaxed| summary.cost_against(&relaxed.summary)),
            cpu_hours: summary.cpu_hours(),
            cost_cpu_hours: relaxed.map(|relaxed| summary.cpu_hours_against(&relaxed.summary)),
            pi_classes: summary.index_of_all(&case.packing),
            held_nodes: summary.mean_held(),
            blocked_slots: summary.mean_blocked(),
            busy_nodes: summary.mean_busy(),
            pending_jobs: summary.mean_pending(),
            makespan: summary.makespan,
            events: summary.events,
            classes: OrderedObject(
                classes.map(|(no, name)| (name.to_string(), FarmClassJson::of(run, no))).collect(),
            ),
        }
    }
}

impl FarmClassJson {
    fn of(run: &FarmRun, class: ClassNo) -> Self {
        let summary = &run.summary;
        let means = summary.class_means(class);
        let own = &summary.classes[class];
        let waits = &own.waits;
        Self {
            policy: run.options.policies[class].to_string(),
            pi: summary.index(class),
            slots: means.slots,
            cpu_hours: summary.class_cpu_hours(class),
            nodes: means.nodes,
            sufficient: means.sufficient,
            dispersion: means.nodes - means.sufficient,
            mixed_nodes: means.mixed,
            jobs_at_risk: means.at_risk,
            jobs: waits.jobs(),
            never_fits: own.never_fits,
            slot_seconds: own.slot_seconds as f64,
            wait_seconds: WaitsJson {
                mean: waits.mean(),
                median: waits.percentile(50),
                p95: waits.percentile(95),
                longest: waits.longest(),
                total: waits.total() as f64,
            },
        }
    }
}
