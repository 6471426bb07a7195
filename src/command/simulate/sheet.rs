//! The jobs as a table for other programs: CSV and the Standard Workload Format.

use qscope_engine::cluster::Epoch;
use qscope_engine::placement::PlacementPath;
use qscope_exits::{Lines, csv_cell};
use qscope_simulate::{JobEnd, JobResult, SimulationResult};

const COLUMNS: &str =
    "id,user,queue,at,start,end,state,wait,run,slowdown,cores,core_hours,walltime,path,pset,exec_vnode";

/// Returns a line for each job, without arrays.
pub(super) fn csv(simulated: &SimulationResult) -> Lines {
    let mut text = Lines::new();
    text.line(COLUMNS);
    for job in simulated.jobs.iter().filter(|job| !job.is_array) {
        let number = |value: Option<i64>| value.map(|value| value.to_string()).unwrap_or_default();
        let run = run_seconds(job);
        let cells = [
            csv_cell(&job.name),
            csv_cell(&job.user),
            csv_cell(&job.queue),
            job.at.0.to_string(),
            number(job.start.map(|at| at.0)),
            number(job.end.map(|at| at.0)),
            job.state.word(),
            number(job.wait()),
            number(run),
            qscope_simulate::measures::slowdown(job).map(|value| format!("{value:.3}")).unwrap_or_default(),
            format!("{}", job.cores),
            core_hours(job).map(|hours| format!("{hours:.3}")).unwrap_or_default(),
            number(job.walltime),
            job.path.map(PlacementPath::word).unwrap_or_default().to_owned(),
            job.pset.as_deref().map(csv_cell).unwrap_or_default(),
            job.exec_vnode.as_deref().map(csv_cell).unwrap_or_default(),
        ];
        text.line(cells.join(","));
    }
    text
}

/// Returns the seconds from its first start to its end.
pub(super) fn run_seconds(job: &JobResult) -> Option<i64> {
    Some((job.end? - job.start?).0)
}

/// Returns the cores times the hours from its first start to its end.
pub(super) fn core_hours(job: &JobResult) -> Option<f64> {
    Some(run_seconds(job)? as f64 * job.cores / 3600.0)
}

/// Returns a trace of the simulation; users and queues are numbered in order of appearance.
pub(super) fn swf(simulated: &SimulationResult) -> Lines {
    let jobs: Vec<&JobResult> =
        simulated.jobs.iter().filter(|job| !job.is_array && job.state != JobEnd::Rejected).collect();
    let origin = jobs.iter().map(|job| job.at).min().unwrap_or(simulated.from);
    let (mut users, mut queues) = (NameNumbering::default(), NameNumbering::default());
    let mut text = Lines::new();
    text.line("; Version: 2.2");
    text.line(format_args!("; UnixStartTime: {}", origin.0));
    text.line(format_args!("; MaxProcs: {:.0}", simulated.series.cores));
    text.line("; Note: simulated; waits and run times are those of the simulation");
    for (job, number) in jobs.into_iter().zip(1..) {
        text.line(swf_line(job, number, origin, users.of(&job.user), queues.of(&job.queue)));
    }
    text
}

fn swf_line(job: &JobResult, number: usize, origin: Epoch, user: usize, queue: usize) -> String {
    let known = |value: Option<i64>| value.unwrap_or(-1);
    let status = match job.state {
        JobEnd::Done => 1,
        JobEnd::Killed => 0,
        JobEnd::Deleted => 5,
        _ => -1,
    };
    let given = job.start.map(|_| job.cores as i64);
    format!(
        "{number} {} {} {} {} -1 -1 {} {} -1 {status} {user} -1 -1 {queue} -1 -1 -1",
        (job.at - origin).0,
        known(job.wait()),
        known(run_seconds(job)),
        known(given),
        known(given.or(job.requested)),
        known(job.walltime),
    )
}

/// Numbers names in order of appearance, from 1.
#[derive(Default)]
struct NameNumbering(Vec<String>);

impl NameNumbering {
    fn of(&mut self, name: &str) -> usize {
        let at = self.0.iter().position(|have| have == name);
        at.map_or_else(
            || {
                self.0.push(name.to_owned());
                self.0.len()
            },
            |at| at + 1,
        )
    }
}
