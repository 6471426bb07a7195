//! A run in JSON: the job table, the order of starts, the series, and what follows from them.

use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};

use qscope_engine::cluster::Name;

use super::grid::grid_at;
use super::record::{FarmRecording, FarmSeries};
use super::{ClassNo, FarmRun, FarmWindow, JobNo, SufficientNodes, Workload};

/// A run in the form of the packing scenarios' answers.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RunAnswer {
    /// A row for each job.
    assign: Vec<AssignRow>,
    /// The names of the jobs in the order of their starts.
    order: Vec<String>,
    /// What happens from one second to the next.
    series: Vec<SeriesRow>,
    /// The mean fill factor from the first sample to the last arrival, to nine places; null without a slot or a second.
    mean_ff_arrivals: Option<f64>,
    /// Slots times seconds of all jobs that started.
    slot_seconds: u64,
    /// When the last job ended; null when none did.
    makespan: Option<i64>,
    /// The nodes at the first second with most slots in use; null when no slot was ever in use.
    grid_at_peak: Option<PeakJson>,
}

/// `[job, node, start, end]`; all but the name are null for a job that has not started.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct AssignRow(String, Option<Name>, Option<i64>, Option<i64>);

/// `[t, used, pending, busy, held, [slots, nodes, sufficient, mixed] per class]`: the five numbers are
/// followed by one cell for each class.
#[derive(Clone, PartialEq, Debug)]
struct SeriesRow {
    /// The second from which the row holds.
    t: i64,
    /// Slots in use.
    used: u64,
    /// Waiting jobs.
    pending: u64,
    /// Nodes with a job.
    busy: u32,
    /// Nodes held by a class.
    held: u32,
    classes: Vec<ClassCell>,
}

/// `[slots, nodes, sufficient, mixed]`: slots in use, nodes used, the fewest that would do, nodes shared.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct ClassCell(u32, u32, u32, u32);

impl Serialize for SeriesRow {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { t, used, pending, busy, held, classes } = self;
        let mut row = to.serialize_seq(Some(5 + classes.len()))?;
        row.serialize_element(t)?;
        row.serialize_element(used)?;
        row.serialize_element(pending)?;
        row.serialize_element(busy)?;
        row.serialize_element(held)?;
        for cell in classes {
            row.serialize_element(cell)?;
        }
        row.end()
    }
}

/// The nodes at one second.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct PeakJson {
    t: i64,
    nodes: Vec<FarmNodeRow>,
}

/// `[node, slots in use by class, classes that hold it]`.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct FarmNodeRow(Name, #[serde(serialize_with = "by_class")] Vec<(Name, u32)>, Vec<Name>);

impl RunAnswer {
    /// Returns the answer of a run; none when no record was kept.
    pub fn of(workload: &Workload, run: &FarmRun) -> Option<Self> {
        let recording = run.recording.as_ref()?;
        let jobs = workload.jobs.enumerate();
        let started =
            jobs.filter(|(job, _)| matches!(recording.assignment.starts.checked(*job), Some(Some(_))));
        Some(Self {
            assign: workload.jobs.ids().map(|job| assign(workload, recording, job)).collect(),
            order: recording.assignment.order.iter().map(|job| workload.job_name(*job)).collect(),
            series: series(workload, &recording.series),
            mean_ff_arrivals: mean_ff_arrivals(workload, &recording.series),
            slot_seconds: started
                .map(|(_, job)| u64::from(job.slots).saturating_mul(u64::from(job.run)))
                .sum(),
            makespan: run.summary.makespan,
            grid_at_peak: peak(workload, run, recording),
        })
    }
}

fn assign(workload: &Workload, recording: &FarmRecording, job: JobNo) -> AssignRow {
    let name = workload.job_name(job);
    match recording.assignment.starts.checked(job) {
        Some(Some(start)) => {
            let end = start.at.saturating_add(i64::from(workload.jobs[job].run));
            AssignRow(name, Some(workload.nodes[start.node].name.clone()), Some(start.at), Some(end))
        }
        _ => AssignRow(name, None, None, None),
    }
}

fn series(workload: &Workload, series: &FarmSeries) -> Vec<SeriesRow> {
    let sufficient = SufficientNodes::of(&workload.nodes);
    let rows = series.rows.iter().enumerate().map(|(at, row)| SeriesRow {
        t: row.t,
        used: row.used,
        pending: row.pending,
        busy: row.busy,
        held: row.held,
        classes: series
            .cells(at)
            .iter()
            .map(|cell| {
                ClassCell(cell.slots, cell.nodes, sufficient.nodes(u64::from(cell.slots)), cell.mixed)
            })
            .collect(),
    });
    rows.collect()
}

fn mean_ff_arrivals(workload: &Workload, series: &FarmSeries) -> Option<f64> {
    let window = FarmWindow { from: series.rows.first()?.t, to: workload.arrival_window()?.1 };
    let total = workload.total_slots();
    let mean = series.mean_used(window).filter(|_| total > 0)? / total as f64;
    format!("{mean:.9}").parse().ok()
}

fn peak(workload: &Workload, run: &FarmRun, recording: &FarmRecording) -> Option<PeakJson> {
    let (t, _) = run.summary.peak?;
    let ask = &run.options;
    let grid = grid_at(workload, &ask.policies, ask.options.anchor, &recording.assignment, t);
    let name = |class: &ClassNo| -> Name { workload.classes[*class].clone() };
    let nodes = grid.enumerate().map(|(node, view)| {
        let slots = view.slots.iter().map(|(class, slots)| (name(class), *slots)).collect();
        let holders = view.holders.iter().map(name).collect();
        FarmNodeRow(workload.nodes[node].name.clone(), slots, holders)
    });
    Some(PeakJson { t, nodes: nodes.collect() })
}

fn by_class<S: Serializer>(slots: &[(Name, u32)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(slots.iter().map(|(class, slots)| (class, slots)))
}
