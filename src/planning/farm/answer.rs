//! A run in JSON: the job table, the order of starts, the series, and what follows from them.

use serde_json::{Map, Value, json};

use qscope_engine::cluster::Name;

use super::grid::grid_at;
use super::record::{Recording, Series};
use super::run::FarmRun;
use super::sufficient::Sufficient;
use super::summary::Window;
use super::workload::{ClassNo, JobNo, Workload};

/// The run in the form of the packing scenarios' answers. Empty when no record was kept.
pub fn answer(workload: &Workload, run: &FarmRun) -> Map<String, Value> {
    let mut answer = Map::new();
    let Some(recording) = &run.recording else { return answer };
    let starts = &recording.assignment.starts;
    let assign = workload.jobs.ids().map(|job| assign(workload, recording, job)).collect();
    answer.insert("assign".into(), Value::Array(assign));
    let order = recording.assignment.order.iter().map(|job| json!(workload.job_name(*job))).collect();
    answer.insert("order".into(), Value::Array(order));
    answer.insert("series".into(), series(workload, &recording.series));
    answer.insert("mean_ff_arrivals".into(), json!(mean_ff_arrivals(workload, &recording.series)));
    let slot_seconds =
        workload.jobs.enumerate().filter(|(job, _)| matches!(starts.checked(*job), Some(Some(_))));
    let slot_seconds: u64 =
        slot_seconds.map(|(_, job)| u64::from(job.slots).saturating_mul(u64::from(job.run))).sum();
    answer.insert("slot_seconds".into(), json!(slot_seconds));
    answer.insert("makespan".into(), json!(run.summary.makespan));
    answer.insert("grid_at_peak".into(), peak(workload, run, recording));
    answer
}

fn assign(workload: &Workload, recording: &Recording, job: JobNo) -> Value {
    let name = workload.job_name(job);
    match recording.assignment.starts.checked(job) {
        Some(Some(start)) => {
            let end = start.at.saturating_add(i64::from(workload.jobs[job].run));
            json!([name, &*workload.nodes[start.node].name, start.at, end])
        }
        _ => json!([name, null, null, null]),
    }
}

/// Rows `[t, used, pending, busy, held, [slots, nodes, sufficient, mixed] per class]`.
fn series(workload: &Workload, series: &Series) -> Value {
    let sufficient = Sufficient::of(&workload.nodes);
    let row = |at: usize| -> Option<Value> {
        let row = series.rows.get(at)?;
        let mut values =
            vec![json!(row.t), json!(row.used), json!(row.pending), json!(row.busy), json!(row.held)];
        values.extend(series.cells(at).iter().map(|cell| {
            json!([cell.slots, cell.nodes, sufficient.nodes(u64::from(cell.slots)), cell.mixed])
        }));
        Some(Value::Array(values))
    };
    (0..series.rows.len()).filter_map(row).collect()
}

/// The mean fill factor from the first sample to the last arrival, to nine places.
fn mean_ff_arrivals(workload: &Workload, series: &Series) -> Option<f64> {
    let window = Window { from: series.rows.first()?.t, to: workload.arrival_window()?.1 };
    let total = workload.total_slots();
    let mean = series.mean_used(window).filter(|_| total > 0)? / total as f64;
    format!("{mean:.9}").parse().ok()
}

/// The nodes at the first second with most slots in use.
fn peak(workload: &Workload, run: &FarmRun, recording: &Recording) -> Value {
    let Some((t, _)) = run.summary.peak else { return Value::Null };
    let ask = &run.ask;
    let grid = grid_at(workload, &ask.policies, ask.options.anchor, &recording.assignment, t);
    let name = |class: &ClassNo| -> Name { workload.classes[*class].clone() };
    let nodes = grid.enumerate().map(|(node, view)| {
        let slots: Map<String, Value> =
            view.slots.iter().map(|(class, slots)| (name(class).to_string(), json!(slots))).collect();
        let holders: Vec<Value> = view.holders.iter().map(|class| json!(&*name(class))).collect();
        json!([&*workload.nodes[node].name, slots, holders])
    });
    json!({"t": t, "nodes": nodes.collect::<Vec<_>>()})
}
