//! Jobs that start later because of jobs that arrive after them, as text and as JSON.

use color_eyre::eyre::{Result, eyre};
use serde::Serialize;

use qscope_engine::cluster::{Epoch, Seconds, count};
use qscope_exits::Lines;
use qscope_simulate::unfair::{NamedJob, UnfairStart, unfair_starts};
use qscope_simulate::{SimulationInput, SimulationResult};
use qscope_source::civil_time;

use super::SimulateArgs;
use crate::command::meter::Meter;
use crate::command::{open, when};

/// The named jobs, and the input to simulate again for each.
pub(super) struct UnfairQuestion {
    input: SimulationInput,
    jobs: Vec<NamedJob>,
}

impl UnfairQuestion {
    /// Finds the jobs that `--unfair` names; `None` without the option.
    ///
    /// # Errors
    /// If neither the cluster nor the arrivals have such a job.
    pub(super) fn of(args: &SimulateArgs, input: &SimulationInput) -> Result<Option<Self>> {
        if args.unfair.is_empty() {
            return Ok(None);
        }
        let find = |id: &String| {
            NamedJob::find(input, id)
                .ok_or_else(|| eyre!("--unfair: no job `{id}`, neither at the start nor among the arrivals"))
        };
        let jobs = args.unfair.iter().map(find).collect::<Result<_>>()?;
        Ok(Some(Self { input: input.clone(), jobs }))
    }

    /// Simulates once for each job.
    ///
    /// # Errors
    /// If a quirk is unknown.
    pub(super) fn answer(
        &self,
        whole: &SimulationResult,
        args: &SimulateArgs,
        meter: &Meter,
    ) -> Result<Vec<UnfairStart>> {
        let quirks = open::quirks(&args.reading)?;
        let all = self.jobs.len() as f64;
        Ok(unfair_starts(&self.input, whole, &self.jobs, quirks, when::threads(args.threads), &|done| {
            meter.show(done as f64 / all, done, "jobs");
            meter.should_continue()
        }))
    }
}

/// A named job.
#[derive(Serialize)]
pub(super) struct UnfairJson<'a> {
    id: &'a str,
    /// Its start; null if it has not started by the end.
    start: Option<i64>,
    /// Its start in a simulation without the jobs that arrive after it.
    without_later: Option<i64>,
    /// By how many seconds it starts later than that, negative if earlier; a lower bound if it has not started.
    late: Option<i64>,
    /// Whether it starts later.
    unfair: bool,
}

/// Returns the jobs for programs.
pub(super) fn to_json(starts: &[UnfairStart]) -> Vec<UnfairJson<'_>> {
    let seconds = |at: Option<Epoch>| at.map(|at| at.0);
    let mut all = Vec::new();
    for start in starts {
        all.push(UnfairJson {
            id: &start.name,
            start: seconds(start.start),
            without_later: seconds(start.without_later),
            late: start.late(),
            unfair: start.is_unfair(),
        });
    }
    all
}

/// Returns the jobs as a table; times are in `zone`.
pub(super) fn to_text(starts: &[UnfairStart], zone: &str) -> Lines {
    let mut text = Lines::new();
    let unfair = starts.iter().filter(|start| start.is_unfair()).count();
    text.line(format_args!(
        "unfair starts: {unfair} of {}, each simulated once more without the jobs that arrive after it",
        count(starts.len(), "named job")
    ));
    let time = |at: Option<Epoch>| at.map_or("not started".to_owned(), |at| civil_time(at, zone));
    text.line(format_args!(
        "  {:<16}{:<28}{:<28}{:>12}",
        "job", "start", "without later arrivals", "later by"
    ));
    for start in starts {
        let late = match (start.start, start.late()) {
            (_, None) => "-".to_owned(),
            (None, Some(late)) => format!("{} or more", Seconds(late)),
            (Some(_), Some(late)) => Seconds(late).to_string(),
        };
        let (whole, alone) = (time(start.start), time(start.without_later));
        text.line(format_args!("  {:<16}{whole:<28}{alone:<28}{late:>12}", start.name));
    }
    text.blank();
    text
}
