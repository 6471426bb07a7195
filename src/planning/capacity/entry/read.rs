//! Reading the fields of a problem, each error with the path of its item.

use serde_json::Value;

use crate::capacity::node_type::{NodeType, TypesError};
use crate::capacity::shape::Shape;

/// What is wrong with a problem, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{path}: {what}")]
pub struct EntryError {
    /// The item, such as `jobs[0][3]`.
    pub path: String,
    /// What is wrong with it.
    pub what: String,
}

/// The most jobs that one problem may have, repeats counted.
pub(super) const MAX_JOBS: u64 = 5_000_000;

/// A value and where it stands.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub value: &'a Value,
    up: Option<&'a Self>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Field(&'a str),
    Item(usize),
}

impl<'a> At<'a> {
    pub(super) fn root(value: &'a Value) -> Self {
        At { value, up: None, step: Step::Root }
    }

    fn path(&self) -> String {
        let above = self.up.map(At::path).unwrap_or_default();
        match self.step {
            Step::Root => above,
            Step::Field(name) if above.is_empty() => name.to_owned(),
            Step::Field(name) => format!("{above}.{name}"),
            Step::Item(ix) => format!("{above}[{ix}]"),
        }
    }

    pub(super) fn error(&self, what: impl std::fmt::Display) -> EntryError {
        let path = self.path();
        let path = if path.is_empty() { "the problem".to_owned() } else { path };
        EntryError { path, what: what.to_string() }
    }

    pub(super) fn field(&'a self, name: &'a str) -> Result<Self, EntryError> {
        self.optional(name).ok_or_else(|| self.error(format!("has no `{name}`")))
    }

    /// A field that may be missing or null.
    pub(super) fn optional(&'a self, name: &'a str) -> Option<Self> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        Some(At { value, up: Some(self), step: Step::Field(name) })
    }

    pub(super) fn item(&'a self, ix: usize) -> Result<Self, EntryError> {
        self.item_if(ix).ok_or_else(|| self.error(format!("has no item {ix}")))
    }

    pub(super) fn item_if(&'a self, ix: usize) -> Option<Self> {
        let value = self.value.get(ix)?;
        Some(At { value, up: Some(self), step: Step::Item(ix) })
    }

    pub(super) fn items(&'a self) -> Result<impl Iterator<Item = Self>, EntryError> {
        let items = self.value.as_array().ok_or_else(|| self.error("is not a list"))?;
        Ok(items.iter().enumerate().map(|(ix, value)| At { value, up: Some(self), step: Step::Item(ix) }))
    }

    pub(super) fn number(&self) -> Result<f64, EntryError> {
        match self.value {
            Value::Number(number) => number.as_f64().ok_or_else(|| self.error("is not a number")),
            Value::String(text) if text.parse::<f64>().is_ok_and(|x| !x.is_finite()) => {
                Err(self.error(format!("is not a finite number: {text}")))
            }
            other => Err(self.error(format!("is not a number: {other}"))),
        }
    }

    pub(super) fn whole(&self) -> Result<i64, EntryError> {
        if let Some(whole) = self.value.as_i64() {
            return Ok(whole);
        }
        let number = self.number()?;
        if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0 {
            return Ok(number as i64);
        }
        Err(self.error(format!("is not a whole number: {number}")))
    }

    pub(super) fn count(&self) -> Result<u64, EntryError> {
        let whole = self.whole()?;
        u64::try_from(whole).map_err(|_| self.error(format!("is negative: {whole}")))
    }

    pub(super) fn text(&self) -> Result<&'a str, EntryError> {
        self.value.as_str().ok_or_else(|| self.error("is not a text"))
    }

    pub(super) fn flag(&self) -> Result<bool, EntryError> {
        match self.value {
            Value::Bool(flag) => Ok(*flag),
            _ => match self.whole()? {
                0 => Ok(false),
                1 => Ok(true),
                other => Err(self.error(format!("is neither 0 nor 1: {other}"))),
            },
        }
    }

    /// A time by which to begin, not below `least`.
    pub(super) fn seconds(&self) -> Result<f64, EntryError> {
        let seconds = self.number()?;
        if (0.0..=1e12).contains(&seconds) {
            Ok(seconds)
        } else {
            Err(self.error(format!("is not a time between 0 s and 1e12 s: {seconds}")))
        }
    }

    /// `[wallTime, memory, cores, disk, preemptible]`.
    pub(super) fn shape(&self) -> Result<Shape, EntryError> {
        let shape = Shape {
            wall_time: self.item(0)?.number()?,
            memory: self.item(1)?.whole()?,
            cores: self.item(2)?.number()?,
            disk: self.item(3)?.whole()?,
            preemptible: self.item(4)?.flag()?,
            ..Shape::default()
        };
        shape.checked().map_err(|error| self.error(error))
    }

    /// The shape of a node type, which must last longer than nothing.
    pub(super) fn node_shape(&self) -> Result<Shape, EntryError> {
        self.shape()?.checked_as_node().map_err(|error| self.error(error))
    }

    /// Job shapes, each possibly with a repeat count behind it.
    pub(super) fn jobs(&self) -> Result<Vec<Shape>, EntryError> {
        let mut all = Vec::new();
        for job in self.items()? {
            let shape = job.shape()?;
            let repeat = job.item_if(5).map_or(Ok(1), |at| at.count())?;
            if repeat.saturating_add(all.len() as u64) > MAX_JOBS {
                return Err(job.error(format!("there are more than {MAX_JOBS} jobs")));
            }
            all.extend(std::iter::repeat_n(shape, usize::try_from(repeat).unwrap_or(0)));
        }
        Ok(all)
    }

    /// `types` with the counts of `config`, as written: each with its name, the largest counts padded
    /// with the first, the smallest with 0.
    pub(super) fn types(&self) -> Result<Vec<NodeType>, EntryError> {
        let config = self.field("config")?;
        let types = self.field("types")?;
        let counts = |name| match config.optional(name) {
            Some(at) => at.items()?.map(|item| item.count()).collect::<Result<Vec<_>, _>>(),
            None => Ok(Vec::new()),
        };
        let (min, max) = (counts("min_nodes")?, counts("max_nodes")?);
        let len = types.items()?.count();
        let first = max.first().copied().unwrap_or(10);
        let max = crate::capacity::node_type::padded(&max, len, first);
        let min = crate::capacity::node_type::padded(&min, len, 0);
        let mut all = Vec::with_capacity(len);
        for ((kind, max), min) in types.items()?.zip(max).zip(min) {
            let shape = kind.item(0)?.node_shape()?;
            let name = kind.item(1)?.text()?.into();
            all.push(NodeType { name, shape, min, max, price: None });
        }
        if all.iter().all(|kind| kind.max == 0) {
            let at = config.optional("max_nodes").unwrap_or(config);
            return Err(EntryError { path: at.path(), what: TypesError::NoNodes.to_string() });
        }
        Ok(all)
    }
}
