//! Job tables, series and the summary as files, each written completely or not at all.
//!
//! Job tables come in the columns of Evalys and as SWF; a resource is a slot, numbered across all nodes in order.

pub(in crate::command) mod draft;

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeSet, BinaryHeap};
use std::io::Write;
use std::path::Path;

use color_eyre::eyre::Result;

use qscope_engine::cluster::Column;
use qscope_exits::{csv_cell, file_name, visible};
use qscope_planning::farm::record::{FarmCell, FarmRecording};
use qscope_planning::farm::{FarmCase, FarmRun, JobNo, NodeNo, SufficientNodes};
use qscope_system::folder::Folder;

use draft::write_atomically;

/// Writes all files of all runs into a folder.
///
/// # Errors
/// If the folder or a file cannot be written; files written before it are complete.
pub(super) fn write_all(folder: &Path, case: &FarmCase, runs: &[FarmRun]) -> Result<()> {
    let folder = Folder::shared(folder)?;
    for run in runs {
        let Some(recording) = &run.recording else { continue };
        let name = file_name(&run.options.name);
        // What really ran has a different kind of table: rows of the log, not jobs of the simulation.
        if name != "real" {
            let table = FarmTable::of(case, recording);
            write_atomically(&folder, &format!("jobs-{name}.csv"), |out| table.csv(out))?;
            write_atomically(&folder, &format!("jobs-{name}.swf"), |out| table.swf(out, run))?;
        }
        write_atomically(&folder, &format!("series-{name}.csv"), |out| series(out, case, recording))?;
    }
    write_atomically(&folder, "summary.csv", |out| summary(out, case, runs))
}

struct FarmTable<'a> {
    case: &'a FarmCase,
    recording: &'a FarmRecording,
    /// The first slot of each node, numbered across all nodes.
    offsets: Column<NodeNo, u64>,
    /// The slots of each job, on its node.
    slots: Column<JobNo, String>,
}

impl<'a> FarmTable<'a> {
    fn of(case: &'a FarmCase, recording: &'a FarmRecording) -> Self {
        let sums = case.workload.nodes.iter().scan(0u64, |sum, node| {
            let first = *sum;
            *sum += u64::from(node.slots);
            Some(first)
        });
        let mut table = Self { case, recording, offsets: sums.collect(), slots: Column::new() };
        table.slots = table.allocate();
        table
    }

    /// Assigns each job the lowest slots of its node that are free when it starts.
    fn allocate(&self) -> Column<JobNo, String> {
        let farm = &self.case.workload;
        let mut free: Column<NodeNo, BTreeSet<u32>> =
            farm.nodes.iter().map(|node| (0..node.slots).collect()).collect();
        let mut ends: BinaryHeap<Reverse<(i64, NodeNo, Vec<u32>)>> = BinaryHeap::new();
        for resident in &farm.residents {
            let taken = take(&mut free[resident.node], resident.slots);
            ends.push(Reverse((resident.end, resident.node, taken)));
        }
        let mut slots = Column::filled(farm.jobs.len(), String::new());
        for job in &self.recording.assignment.order {
            let (Some(Some(start)), Some(what)) =
                (self.recording.assignment.starts.checked(*job), farm.jobs.checked(*job))
            else {
                continue;
            };
            while let Some(next) = ends.peek_mut().filter(|next| next.0.0 <= start.at) {
                let Reverse((_, node, taken)) = PeekMut::pop(next);
                free[node].extend(taken);
            }
            let taken = take(&mut free[start.node], what.slots);
            slots[*job] = intervals(&taken, self.offsets[start.node]);
            ends.push(Reverse((start.at.saturating_add(i64::from(what.run)), start.node, taken)));
        }
        slots
    }

    fn csv(&self, out: &mut dyn Write) -> std::io::Result<()> {
        writeln!(
            out,
            "job_id,workload_name,submission_time,requested_number_of_resources,requested_time,success,final_state,\
             starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,class,node"
        )?;
        let farm = &self.case.workload;
        for (job, what) in farm.jobs.enumerate() {
            let (id, class) = (csv_cell(&farm.job_name(job)), csv_cell(&farm.classes[what.class]));
            let title = csv_cell(&self.case.title);
            let (submit, slots, run) = (what.submit, what.slots, what.run);
            match self.recording.assignment.starts.checked(job) {
                Some(Some(start)) => {
                    let end = start.at.saturating_add(i64::from(run));
                    let (wait, turnaround) = (start.at.saturating_sub(submit), end.saturating_sub(submit));
                    let stretch = if run == 0 {
                        String::new()
                    } else {
                        format!("{:.6}", turnaround as f64 / f64::from(run))
                    };
                    let node = csv_cell(&farm.nodes[start.node].name);
                    let allocated = &self.slots[job];
                    writeln!(
                        out,
                        "{id},{title},{submit},{slots},{run},1,COMPLETED_SUCCESSFULLY,{},{run},{end},{wait},{turnaround},{stretch},{allocated},{class},{node}",
                        start.at
                    )?;
                }
                _ => writeln!(out, "{id},{title},{submit},{slots},{run},0,REJECTED,,,,,,,,{class},")?,
            }
        }
        Ok(())
    }

    fn swf(&self, out: &mut dyn Write, run: &FarmRun) -> std::io::Result<()> {
        let farm = &self.case.workload;
        writeln!(out, "; Version: 2.2")?;
        writeln!(out, "; Computer: {}", visible(&self.case.title))?;
        writeln!(out, "; Note: simulated by qscope farm, policy {}", visible(&run.options.name))?;
        writeln!(out, "; MaxJobs: {}", farm.jobs.len())?;
        writeln!(out, "; MaxNodes: {}", farm.nodes.len())?;
        writeln!(out, "; MaxProcs: {}", farm.total_slots())?;
        for (class, name) in farm.classes.enumerate() {
            writeln!(out, "; Queue: {} {}", class.0 + 1, visible(name))?;
        }
        for job in &self.case.arrivals {
            let Some(what) = farm.jobs.checked(*job) else { continue };
            let number = u64::from(job.0) + 1;
            let (wait, run, status, node) = match self.recording.assignment.starts.checked(*job) {
                Some(Some(start)) => (
                    start.at.saturating_sub(what.submit),
                    i64::from(what.run),
                    1,
                    i64::from(start.node.0) + 1,
                ),
                _ => (-1, -1, 5, -1),
            };
            let slots = if run < 0 { -1 } else { i64::from(what.slots) };
            writeln!(
                out,
                "{number} {} {wait} {run} {slots} -1 -1 {} {} -1 {status} -1 {class} -1 {class} {node} -1 -1",
                what.submit,
                what.slots,
                what.run,
                class = what.class.0 + 1
            )?;
        }
        Ok(())
    }
}

fn take(free: &mut BTreeSet<u32>, count: u32) -> Vec<u32> {
    (0..count).map_while(|_| free.pop_first()).collect()
}

/// Formats slots as intervals: `8-10 12` for the slots 8, 9, 10 and 12.
fn intervals(slots: &[u32], offset: u64) -> String {
    let runs = slots.chunk_by(|a, b| a + 1 == *b).filter_map(|run| {
        let (first, last) = (u64::from(*run.first()?) + offset, u64::from(*run.last()?) + offset);
        Some(if first == last { first.to_string() } else { format!("{first}-{last}") })
    });
    runs.collect::<Vec<_>>().join(" ")
}

/// Writes one line per sample, in the columns of the scenarios' answers, followed by the derived columns: fill factor
/// and packing indices.
fn series(out: &mut dyn Write, case: &FarmCase, recording: &FarmRecording) -> std::io::Result<()> {
    let (farm, series) = (&case.workload, &recording.series);
    let (sufficient, total) = (SufficientNodes::of(&farm.nodes), farm.total_slots().max(1) as f64);
    let names: Vec<String> = series.classes.iter().map(|class| farm.classes[*class].to_string()).collect();
    write!(out, "t,used_slots,pending_jobs,busy_nodes,reserved_nodes")?;
    for name in &names {
        for what in ["slots", "nodes", "sufficient_nodes", "mixed_nodes"] {
            write!(out, ",{}", csv_cell(&format!("{name}_{what}")))?;
        }
    }
    write!(out, ",fill_factor")?;
    for name in &names {
        write!(out, ",{}", csv_cell(&format!("{name}_pi")))?;
    }
    writeln!(out)?;
    for (at, row) in series.rows.iter().enumerate() {
        write!(out, "{},{},{},{},{}", row.t, row.used, row.pending, row.busy, row.held)?;
        let least = |cell: &FarmCell| sufficient.nodes(u64::from(cell.slots));
        for cell in series.cells(at) {
            write!(out, ",{},{},{},{}", cell.slots, cell.nodes, least(cell), cell.mixed)?;
        }
        write!(out, ",{:.6}", row.used as f64 / total)?;
        for cell in series.cells(at) {
            if cell.nodes == 0 {
                write!(out, ",")?;
            } else {
                write!(out, ",{:.6}", f64::from(least(cell)) / f64::from(cell.nodes))?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes one line per policy and class.
fn summary(out: &mut dyn Write, case: &FarmCase, runs: &[FarmRun]) -> std::io::Result<()> {
    writeln!(
        out,
        "policy,window_from,window_to,mean_ff,cost_slots,cpu_hours,held_nodes,blocked_slots,makespan,events,seed,class,class_policy,pi,\
         slots,nodes,sufficient_nodes,mixed_nodes,jobs_at_risk,jobs,never_fits,slot_seconds,wait_mean,wait_median,wait_p95,wait_total"
    )?;
    let relaxed = runs.iter().find(|run| run.options.name == "relaxed").map(|run| &run.summary);
    let real = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.6}"));
    let whole = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
    for run in runs {
        let sum = &run.summary;
        let cost = relaxed.filter(|_| run.options.name != "real");
        let cost = real(cost.and_then(|relaxed| sum.cost_against(relaxed)));
        let makespan = sum.makespan.map_or(String::new(), |end| end.to_string());
        for (class, name) in case.workload.classes.enumerate() {
            let (means, of) = (sum.class_means(class), &sum.classes[class]);
            writeln!(
                out,
                "{},{},{},{},{cost},{:.3},{:.3},{:.3},{makespan},{},{},{},{},{},{:.3},{:.3},{:.3},{:.3},{:.3},{},{},{},{},{},{},{}",
                run.options.name,
                sum.window.from,
                sum.window.to,
                real(sum.mean_ff()),
                sum.cpu_hours(),
                sum.mean_held(),
                sum.mean_blocked(),
                sum.events,
                whole(case.seed),
                csv_cell(name),
                run.options.policies[class],
                real(sum.index(class)),
                means.slots,
                means.nodes,
                means.sufficient,
                means.mixed,
                means.at_risk,
                of.waits.jobs(),
                of.never_fits,
                of.slot_seconds,
                real(of.waits.mean()),
                whole(of.waits.percentile(50)),
                whole(of.waits.percentile(95)),
                of.waits.total()
            )?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_printed_as_intervals() {
        assert_eq!(intervals(&[0, 1, 2, 4], 8), "8-10 12");
        assert_eq!(csv_cell("a,\"b"), "\"a,\"\"b\"");
        assert_eq!((csv_cell("=cmd\n"), csv_cell("-1,2")), ("'=cmd␊".to_owned(), "\"'-1,2\"".to_owned()));
    }
}
