//! Rounding, overheads, smoothing, and wall times from history.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::capacity::estimate::{Fidelity, smooth as step};
use crate::capacity::overhead::{disk_overhead, memory_overhead};
use crate::capacity::rounding::round_half_away;
use crate::capacity::runtime::{Runtimes, WallTimeGuess};

use super::read::{EntryError, EntrySeconds, FiniteNumber, Flag, PathValue, WholeNumber};
use super::write::PlainNumber;

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum NumbersAnswer {
    /// `[x, rounded]`.
    Rounding(f64, i64),
    Overhead(OverheadRow),
}

/// `[memory, disk, memory overhead, disk overhead, memory left, disk left]`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OverheadRow(i64, i64, i64, i64, i64, i64);

/// Reads a rounding from one or two numbers, or an overhead from six.
pub(super) fn numbers(at: &PathValue<'_>) -> Result<NumbersAnswer, EntryError> {
    match at.read::<Vec<FiniteNumber>>()?.as_slice() {
        [FiniteNumber(x)] | [FiniteNumber(x), _] => Ok(NumbersAnswer::Rounding(*x, round_half_away(*x))),
        [_, _, _, _, _, _] => overhead(at).map(NumbersAnswer::Overhead),
        other => Err(at.error(format!("{} numbers are neither a rounding nor an overhead", other.len()))),
    }
}

/// Overheads as they were given.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum OverheadsAnswer {
    One(OverheadRow),
    Several(Vec<OverheadRow>),
}

/// Answers a list of overheads, or a single one.
pub(super) fn overheads(at: &PathValue<'_>) -> Result<OverheadsAnswer, EntryError> {
    let items: &[Value] = at.value.as_array().map_or(&[], Vec::as_slice);
    if !items.first().is_some_and(Value::is_array) {
        return overhead(at).map(OverheadsAnswer::One);
    }
    let each = at.items(items).map(|item| overhead(&item));
    each.collect::<Result<_, _>>().map(OverheadsAnswer::Several)
}

fn overhead(at: &PathValue<'_>) -> Result<OverheadRow, EntryError> {
    let given: Vec<WholeNumber> = at.read()?;
    let amount = |ix| match given.get(ix) {
        Some(WholeNumber(amount)) if *amount >= 0 => Ok(*amount),
        Some(WholeNumber(amount)) => Err(at.error_at(&format!("[{ix}]"), format!("is negative: {amount}"))),
        None => Err(at.error(format!("has no item {ix}"))),
    };
    let (memory, disk) = (amount(0)?, amount(1)?);
    let (of_memory, of_disk) = (memory_overhead(memory), disk_overhead(disk));
    Ok(OverheadRow(memory, disk, of_memory, of_disk, memory - of_memory, disk - of_disk))
}

#[derive(Deserialize)]
struct SmoothingProblem {
    beta: FiniteNumber,
    steps: Vec<SmoothingStep>,
}

/// The estimate of one step, possibly followed by its answer.
#[derive(Deserialize)]
#[serde(untagged)]
enum SmoothingStep {
    Row(Vec<FiniteNumber>),
    Alone(FiniteNumber),
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SmoothingAnswer {
    /// `[estimate in, whole number out, average kept]` for each step.
    steps: Vec<(PlainNumber, i64, f64)>,
}

/// Answers a problem of smoothing.
pub(super) fn smooth(at: &PathValue<'_>) -> Result<SmoothingAnswer, EntryError> {
    let SmoothingProblem { beta: FiniteNumber(inertia), steps: given } = at.read()?;
    if !(0.0..=0.9).contains(&inertia) {
        return Err(at.error_at("beta", format!("must be between 0.0 and 0.9, found {inertia}")));
    }
    let mut kept = 0.0;
    let mut steps = Vec::new();
    for (ix, given) in given.into_iter().enumerate() {
        let need = match given {
            SmoothingStep::Alone(need) => Some(need),
            SmoothingStep::Row(row) => row.first().copied(),
        };
        let FiniteNumber(need) = need.ok_or_else(|| at.error_at(&format!("steps[{ix}]"), "is empty"))?;
        kept = step(inertia, need, kept);
        steps.push((PlainNumber(need), round_half_away(kept), kept));
    }
    Ok(SmoothingAnswer { steps })
}

/// A problem of wall times from history.
#[derive(Deserialize)]
struct HistoryProblem {
    target_time: EntrySeconds,
    events: Vec<HistoryEvent>,
}

/// An event of jobs of one name: `["c", name, seconds]`, or `["q", name, service]`, possibly followed by the
/// answer.
#[derive(Deserialize)]
#[serde(try_from = "Vec<Value>")]
enum HistoryEvent {
    /// A job ended after this run time.
    Completed(String, EntrySeconds),
    /// A job is queued, perhaps as a service.
    Queued(String, Flag),
}

impl TryFrom<Vec<Value>> for HistoryEvent {
    type Error = String;

    fn try_from(row: Vec<Value>) -> Result<Self, String> {
        let mut row = row.into_iter();
        let (kind, name, value) = (row.next(), row.next(), row.next().ok_or("has no item 2")?);
        let Some(Value::String(name)) = name else { return Err("has no name".to_owned()) };
        match kind.as_ref().and_then(Value::as_str) {
            Some("c") => Ok(Self::Completed(name, FiniteNumber::try_from(value)?.try_into()?)),
            Some("q") => Ok(Self::Queued(name, value.try_into()?)),
            _ => Err(format!("is neither c nor q: {}", kind.unwrap_or_default())),
        }
    }
}

/// The answer to a problem of wall times from history.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HistoryAnswer {
    /// The events, each question with its answer behind it.
    events: Vec<HistoryRow>,
}

/// An event as an answer has it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
enum HistoryRow {
    /// `["c", name, seconds]`.
    Completed(&'static str, String, PlainNumber),
    /// `["q", name, service, seconds]`.
    Queued(&'static str, String, u8, PlainNumber),
    /// The same, and where the seconds come from.
    QueuedFrom(&'static str, String, u8, PlainNumber, &'static str),
}

/// Answers a problem of wall times from history.
pub(super) fn runtime(at: &PathValue<'_>, fidelity: Fidelity) -> Result<HistoryAnswer, EntryError> {
    let HistoryProblem { target_time: EntrySeconds(target), events: given } = at.read()?;
    let guess = match fidelity {
        Fidelity::Compat => WallTimeGuess::OneSecond,
        Fidelity::Corrected => WallTimeGuess::PastTarget,
    };
    let mut runtimes = Runtimes::default();
    let mut events = Vec::new();
    for event in given {
        match event {
            HistoryEvent::Completed(name, EntrySeconds(seconds)) => {
                runtimes.completed(&name, seconds);
                events.push(HistoryRow::Completed("c", name, PlainNumber(seconds)));
            }
            HistoryEvent::Queued(name, Flag(service)) => {
                let (seconds, source) = runtimes.wall_time(&name, service, target, guess);
                let (service, seconds) = (u8::from(service), PlainNumber(seconds));
                events.push(match fidelity {
                    Fidelity::Compat => HistoryRow::Queued("q", name, service, seconds),
                    Fidelity::Corrected => HistoryRow::QueuedFrom("q", name, service, seconds, source.word()),
                });
            }
        }
    }
    Ok(HistoryAnswer { events })
}
