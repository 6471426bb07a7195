//! The closed loop.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::capacity::closed_loop::{End, LoopJob, Moment, Outcome, Scenario, simulate};
use crate::capacity::estimate::Fidelity;
use crate::capacity::node_type;
use crate::capacity::packer::PackError;
use crate::capacity::services::check;
use crate::capacity::shape::{Shape, ShapeError};

use super::estimates::{Config, typed};
use super::read::{At, Count, EntryError, Flag, Named, Number, Seconds, Whole, repeated};
use super::write::number;

/// A problem of the closed loop.
#[derive(Deserialize)]
struct Problem {
    types: Vec<Named>,
    config: Config,
    jobs: LoopJobs,
}

/// `[submit, name, seconds or null, memory, cores, disk, preemptible]`, possibly with a repeat count behind it.
#[derive(Deserialize)]
struct Row(Seconds, String, Option<Seconds>, Whole, Number, Whole, Flag, #[serde(default)] Option<Count>);

/// A job, and how often it is submitted.
#[derive(Deserialize)]
#[serde(try_from = "Row")]
struct Repeated(LoopJob, u64);

impl TryFrom<Row> for Repeated {
    type Error = ShapeError;

    fn try_from(row: Row) -> Result<Self, ShapeError> {
        let Row(
            Seconds(submit),
            name,
            seconds,
            Whole(memory),
            Number(cores),
            Whole(disk),
            Flag(preemptible),
            count,
        ) = row;
        let shape = Shape { memory, cores, disk, preemptible, ..Shape::default() }.checked()?;
        let seconds = seconds.map(|Seconds(seconds)| seconds);
        let job = LoopJob { submit, name: name.as_str().into(), seconds, shape };
        Ok(Self(job, count.map_or(1, |Count(count)| count)))
    }
}

/// The jobs, each as often as it is repeated.
#[derive(Deserialize)]
#[serde(try_from = "Vec<Repeated>")]
struct LoopJobs(Vec<LoopJob>);

impl TryFrom<Vec<Repeated>> for LoopJobs {
    type Error = String;

    fn try_from(rows: Vec<Repeated>) -> Result<Self, String> {
        repeated(rows.into_iter().map(|Repeated(job, count)| (job, count))).map(Self)
    }
}

pub(super) fn answer(at: &At<'_>, fidelity: Fidelity) -> Result<Value, EntryError> {
    let problem: Problem = at.read()?;
    let options = problem.config.options(at, fidelity)?;
    let compat = fidelity == Fidelity::Compat;
    let or = |given: Option<Number>, otherwise| given.map_or(otherwise, |Number(seconds)| seconds);
    let (interval, boot) = (or(problem.config.interval, 60.0), or(problem.config.boot, 120.0));
    let types = problem.config.bounds.of(problem.types, at)?;
    let types = node_type::in_order(types, compat).map_err(|error| at.error(error))?;
    let scenario = Scenario { types, options, interval, boot, jobs: problem.jobs.0 };
    let outcome = simulate(&scenario, &|| false).map_err(|error| at.error_at("config", error))?;
    let mut answer = shown(&outcome);
    if let Some(object) = answer.as_object_mut() {
        object.insert("order".to_owned(), scenario.types.iter().map(typed).collect());
        if !compat {
            object.insert("service_check".to_owned(), services(&scenario).map_err(|error| at.error(error))?);
        }
        if outcome.lost_cycles > 0 {
            object.insert("lost_cycles".to_owned(), json!(outcome.lost_cycles));
        }
    }
    Ok(answer)
}

/// Whether the services alone can leave their clients without room.
fn services(scenario: &Scenario) -> Result<Value, PackError> {
    let (services, clients): (Vec<&LoopJob>, Vec<&LoopJob>) =
        scenario.jobs.iter().partition(|job| job.seconds.is_none());
    let shapes = |jobs: &[&LoopJob]| jobs.iter().map(|job| job.shape).collect::<Vec<_>>();
    let usable = node_type::usable_shapes(&scenario.types, scenario.options.zero_overhead);
    let found = check(&shapes(&services), &shapes(&clients), &scenario.types, &usable)?;
    Ok(json!({
        "services": found.services, "fit": found.fit, "kinds_of_clients": found.clients,
        "served": found.served, "can_deadlock": found.can_deadlock(), "finding": found.sentence(),
    }))
}

fn shown(outcome: &Outcome) -> Value {
    let end = match outcome.end {
        End::Done(time) => number(time),
        End::Deadlock(time) => json!(format!("service deadlock at {time}")),
        End::Stuck(time) => json!(format!("stuck at {time}")),
        End::GivenUp(time) => json!(format!("ended at {time}")),
    };
    json!({
        "makespan": outcome.makespan,
        "end": end,
        "node_seconds": outcome.node_seconds,
        "most_nodes": outcome.max_nodes,
        "killed": outcome.killed,
        "trace": outcome.trace.iter().map(moment).collect::<Value>(),
    })
}

fn moment(m: &Moment) -> Value {
    json!([number(m.time), m.queued, m.running, m.wanted, m.ready, m.held, m.ignored])
}
