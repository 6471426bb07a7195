//! Rounding, overheads, smoothing, and wall times from history.

use serde_json::{Value, json};

use crate::capacity::estimate::{Fidelity, smooth as step};
use crate::capacity::overhead::{disk_overhead, memory_overhead};
use crate::capacity::rounding::round_half_away;
use crate::capacity::runtime::{Guess, Runtimes};

use super::read::{At, EntryError};
use super::write::number;

/// `[x, rounded]` from one or two numbers, an overhead from six.
pub(super) fn numbers(at: &At<'_>) -> Result<Value, EntryError> {
    match at.items()?.count() {
        1 | 2 => {
            let x = at.item(0)?.number()?;
            Ok(json!([x, round_half_away(x)]))
        }
        6 => overhead(at),
        len => Err(at.error(format!("{len} numbers are neither a rounding nor an overhead"))),
    }
}

/// A list of overheads, or one.
pub(super) fn overheads(at: &At<'_>) -> Result<Value, EntryError> {
    if at.item_if(0).is_some_and(|first| first.value.is_number()) {
        return overhead(at);
    }
    at.items()?.map(|item| overhead(&item)).collect::<Result<Vec<_>, _>>().map(Value::from)
}

/// `[memory, disk, memory overhead, disk overhead, memory left, disk left]`.
fn overhead(at: &At<'_>) -> Result<Value, EntryError> {
    let (memory, disk) = (amount(&at.item(0)?)?, amount(&at.item(1)?)?);
    let (of_memory, of_disk) = (memory_overhead(memory), disk_overhead(disk));
    Ok(json!([memory, disk, of_memory, of_disk, memory - of_memory, disk - of_disk]))
}

fn amount(at: &At<'_>) -> Result<i64, EntryError> {
    at.count().map(|count| i64::try_from(count).unwrap_or(i64::MAX))
}

/// `[estimate in, whole number out, average kept]` for each step.
pub(super) fn smooth(at: &At<'_>) -> Result<Value, EntryError> {
    let beta = at.field("beta")?;
    let inertia = beta.number()?;
    if !(0.0..=0.9).contains(&inertia) {
        return Err(beta.error(format!("must be between 0.0 and 0.9, found {inertia}")));
    }
    let mut kept = 0.0;
    let mut steps = Vec::new();
    let field = at.field("steps")?;
    for item in field.items()? {
        let need = match item.item_if(0) {
            Some(first) => first.number()?,
            None => item.number()?,
        };
        kept = step(inertia, need, kept);
        steps.push(json!([number(need), round_half_away(kept), kept]));
    }
    Ok(json!({ "steps": steps }))
}

/// The events, each question with its answer behind it.
pub(super) fn runtime(at: &At<'_>, fidelity: Fidelity) -> Result<Value, EntryError> {
    let target = at.field("target_time")?.seconds()?;
    let guess = match fidelity {
        Fidelity::Compat => Guess::OneSecond,
        Fidelity::Corrected => Guess::PastTarget,
    };
    let mut runtimes = Runtimes::default();
    let mut events = Vec::new();
    let field = at.field("events")?;
    for event in field.items()? {
        let kind = event.item(0)?;
        let name = event.item(1)?.text()?;
        match kind.text()? {
            "c" => {
                let seconds = event.item(2)?.seconds()?;
                runtimes.completed(name, seconds);
                events.push(json!(["c", name, number(seconds)]));
            }
            "q" => {
                let service = event.item(2)?.flag()?;
                let (seconds, source) = runtimes.wall_time(name, service, target, guess);
                let mut answer = vec![json!("q"), json!(name), json!(i32::from(service)), number(seconds)];
                if fidelity == Fidelity::Corrected {
                    answer.push(json!(source.word()));
                }
                events.push(Value::from(answer));
            }
            other => return Err(kind.error(format!("is neither c nor q: {other}"))),
        }
    }
    Ok(json!({ "events": events }))
}
