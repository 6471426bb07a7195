//! The closed loop.

use serde_json::{Value, json};

use crate::capacity::closed_loop::{End, LoopJob, Moment, Outcome, Scenario, simulate};
use crate::capacity::estimate::Fidelity;
use crate::capacity::node_type;
use crate::capacity::packer::PackError;
use crate::capacity::services::check;
use crate::capacity::shape::Shape;

use super::estimates::{options, typed};
use super::read::{At, EntryError, MAX_JOBS};
use super::write::number;

pub(super) fn answer(at: &At<'_>, fidelity: Fidelity) -> Result<Value, EntryError> {
    let options = options(at, fidelity)?;
    let compat = fidelity == Fidelity::Compat;
    let types = node_type::in_order(at.types()?, compat).map_err(|error| at.error(error))?;
    let config = at.field("config")?;
    let time = |name, otherwise| config.optional(name).map_or(Ok(otherwise), |at| at.number());
    let scenario = Scenario {
        types,
        options,
        interval: time("interval", 60.0)?,
        boot: time("boot", 120.0)?,
        jobs: jobs(&at.field("jobs")?)?,
    };
    let outcome = simulate(&scenario, &|| false).map_err(|error| config.error(error))?;
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

/// `[submit, name, seconds or null, memory, cores, disk, preemptible]` and a repeat count.
fn jobs(at: &At<'_>) -> Result<Vec<LoopJob>, EntryError> {
    let mut all = Vec::new();
    for job in at.items()? {
        let seconds = job.item(2)?;
        let seconds = if seconds.value.is_null() { None } else { Some(seconds.seconds()?) };
        let shape = Shape {
            memory: job.item(3)?.whole()?,
            cores: job.item(4)?.number()?,
            disk: job.item(5)?.whole()?,
            preemptible: job.item(6)?.flag()?,
            ..Shape::default()
        };
        let shape = shape.checked().map_err(|error| job.error(error))?;
        let submit = job.item(0)?.seconds()?;
        let one = LoopJob { submit, name: job.item(1)?.text()?.into(), seconds, shape };
        let repeat = job.item_if(7).map_or(Ok(1), |at| at.count())?;
        if repeat.saturating_add(all.len() as u64) > MAX_JOBS {
            return Err(job.error(format!("there are more than {MAX_JOBS} jobs")));
        }
        all.extend(std::iter::repeat_n(one, usize::try_from(repeat).unwrap_or(0)));
    }
    Ok(all)
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
