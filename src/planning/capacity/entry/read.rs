//! Reads the parts of a problem by serde; every error has the path of its item.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::capacity::node_type::{NodeType, TypesError, padded};
use crate::capacity::shape::{CapacityShape, ShapeError};

/// What is wrong with a problem, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{path}: {what}")]
pub struct EntryError {
    /// The item, such as `jobs[0][3]`.
    pub path: String,
    /// What is wrong with it.
    pub what: String,
}

/// Maximum number of jobs of one problem, repeats included.
pub(super) const MAX_JOBS: u64 = 5_000_000;

/// A value and its path in the problem.
pub(super) struct PathValue<'a> {
    pub value: &'a Value,
    path: String,
}

impl<'a> PathValue<'a> {
    pub(super) fn root(value: &'a Value) -> Self {
        PathValue { value, path: String::new() }
    }

    /// Deserializes the value.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, EntryError> {
        serde_path_to_error::deserialize(self.value).map_err(|error| {
            let below = error.path().to_string();
            let path = if below == "." { String::new() } else { below };
            self.error_at(&path, error.into_inner())
        })
    }

    pub(super) fn error(&self, what: impl std::fmt::Display) -> EntryError {
        self.error_at("", what)
    }

    /// Returns an error in a part, such as `steps[0]`.
    pub(super) fn error_at(&self, part: &str, what: impl std::fmt::Display) -> EntryError {
        let path = match (self.path.is_empty(), part.is_empty()) {
            (true, true) => "the problem".to_owned(),
            (true, false) => part.to_owned(),
            (false, true) => self.path.clone(),
            (false, false) if part.starts_with('[') => format!("{}{part}", self.path),
            (false, false) => format!("{}.{part}", self.path),
        };
        EntryError { path, what: what.to_string() }
    }

    pub(super) fn member(&self, name: &str, value: &'a Value) -> Self {
        let path = if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        PathValue { value, path }
    }

    pub(super) fn items(&self, items: &'a [Value]) -> impl Iterator<Item = Self> {
        items.iter().enumerate().map(|(ix, value)| PathValue { value, path: format!("{}[{ix}]", self.path) })
    }
}

/// A finite number.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "Value")]
pub(super) struct FiniteNumber(pub f64);

impl TryFrom<Value> for FiniteNumber {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        match &value {
            Value::String(text) if text.parse::<f64>().is_ok_and(|x| !x.is_finite()) => {
                Err(format!("is not a finite number: {text}"))
            }
            _ => value.as_f64().map(Self).ok_or_else(|| format!("is not a number: {value}")),
        }
    }
}

/// A whole number, with or without a decimal point.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "Value")]
pub(super) struct WholeNumber(pub i64);

impl TryFrom<Value> for WholeNumber {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        if let Some(whole) = value.as_i64() {
            return Ok(Self(whole));
        }
        let FiniteNumber(number) = FiniteNumber::try_from(value)?;
        let is_whole = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
        is_whole.then_some(Self(number as i64)).ok_or_else(|| format!("is not a whole number: {number}"))
    }
}

/// A non-negative whole number.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "WholeNumber")]
pub(super) struct Count(pub u64);

impl TryFrom<WholeNumber> for Count {
    type Error = String;

    fn try_from(WholeNumber(whole): WholeNumber) -> Result<Self, String> {
        u64::try_from(whole).map(Self).map_err(|_| format!("is negative: {whole}"))
    }
}

/// True or false, or 1 or 0.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(try_from = "Value")]
pub(super) struct Flag(pub bool);

impl TryFrom<Value> for Flag {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        match value {
            Value::Bool(flag) => Ok(Self(flag)),
            value => match WholeNumber::try_from(value)? {
                WholeNumber(0) => Ok(Self(false)),
                WholeNumber(1) => Ok(Self(true)),
                WholeNumber(other) => Err(format!("is neither 0 nor 1: {other}")),
            },
        }
    }
}

/// A time in seconds.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "FiniteNumber")]
pub(super) struct EntrySeconds(pub f64);

impl TryFrom<FiniteNumber> for EntrySeconds {
    type Error = String;

    fn try_from(FiniteNumber(seconds): FiniteNumber) -> Result<Self, String> {
        let is_time = (0.0..=1e12).contains(&seconds);
        is_time
            .then_some(Self(seconds))
            .ok_or_else(|| format!("is not a time between 0 s and 1e12 s: {seconds}"))
    }
}

/// `[wallTime, memory, cores, disk, preemptible]`; for jobs possibly followed by a repeat count.
#[derive(Deserialize)]
struct ShapeNumbers(
    FiniteNumber,
    WholeNumber,
    FiniteNumber,
    WholeNumber,
    Flag,
    #[serde(default)] Option<Count>,
);

impl ShapeNumbers {
    fn shape(&self) -> Result<CapacityShape, ShapeError> {
        let Self(
            FiniteNumber(wall_time),
            WholeNumber(memory),
            FiniteNumber(cores),
            WholeNumber(disk),
            Flag(preemptible),
            _,
        ) = *self;
        CapacityShape { wall_time, memory, cores, disk, preemptible, ..CapacityShape::default() }.checked()
    }
}

/// The shape of a node type, whose slice must be longer than 0 s.
#[derive(Deserialize)]
#[serde(try_from = "ShapeNumbers")]
pub(super) struct NodeShape(pub CapacityShape);

impl TryFrom<ShapeNumbers> for NodeShape {
    type Error = ShapeError;

    fn try_from(row: ShapeNumbers) -> Result<Self, ShapeError> {
        row.shape()?.checked_as_node().map(Self)
    }
}

/// The shape of a job and its repeat count.
#[derive(Deserialize)]
#[serde(try_from = "ShapeNumbers")]
struct RepeatedShape(CapacityShape, u64);

impl TryFrom<ShapeNumbers> for RepeatedShape {
    type Error = ShapeError;

    fn try_from(row: ShapeNumbers) -> Result<Self, ShapeError> {
        Ok(Self(row.shape()?, row.5.map_or(1, |Count(count)| count)))
    }
}

/// The shapes of jobs, repeats expanded.
#[derive(Deserialize)]
#[serde(try_from = "Vec<RepeatedShape>")]
pub(super) struct EntryJobs(pub Vec<CapacityShape>);

impl TryFrom<Vec<RepeatedShape>> for EntryJobs {
    type Error = String;

    fn try_from(rows: Vec<RepeatedShape>) -> Result<Self, String> {
        repeated(rows.into_iter().map(|RepeatedShape(shape, count)| (shape, count))).map(Self)
    }
}

/// Expands each item by its repeat count.
pub(super) fn repeated<T: Clone>(items: impl Iterator<Item = (T, u64)>) -> Result<Vec<T>, String> {
    let mut all = Vec::new();
    for (item, count) in items {
        if count.saturating_add(all.len() as u64) > MAX_JOBS {
            return Err(format!("there are more than {MAX_JOBS} jobs"));
        }
        all.extend(std::iter::repeat_n(item, usize::try_from(count).unwrap_or(0)));
    }
    Ok(all)
}

/// The types of a problem as written: `[shape, name]`.
#[derive(Deserialize)]
pub(super) struct NamedNodeShape(pub NodeShape, pub String);

/// The minimum and maximum counts of the types, in the order of the types.
#[derive(Deserialize)]
pub(super) struct NodeCountBounds {
    min_nodes: Option<Vec<Count>>,
    max_nodes: Option<Vec<Count>>,
}

impl NodeCountBounds {
    /// Adds the counts to the types: missing maximums are padded with the first one, missing minimums with 0.
    pub(super) fn of(
        self,
        types: Vec<NamedNodeShape>,
        at: &PathValue<'_>,
    ) -> Result<Vec<NodeType>, EntryError> {
        let is_given = self.max_nodes.is_some();
        let counts = |list: Option<Vec<Count>>| -> Vec<u64> {
            list.unwrap_or_default().into_iter().map(|Count(count)| count).collect()
        };
        let (min, max) = (counts(self.min_nodes), counts(self.max_nodes));
        let max = padded(&max, types.len(), max.first().copied().unwrap_or(10));
        let min = padded(&min, types.len(), 0);
        let all: Vec<NodeType> = types
            .into_iter()
            .zip(max)
            .zip(min)
            .map(|((NamedNodeShape(NodeShape(shape), name), max), min)| NodeType {
                name: name.as_str().into(),
                shape,
                min,
                max,
                price: None,
            })
            .collect();
        if all.iter().all(|kind| kind.max == 0) {
            let part = if is_given { "config.max_nodes" } else { "config" };
            return Err(at.error_at(part, TypesError::NoNodes));
        }
        Ok(all)
    }
}
