//! The keys of a scenario file.

use std::collections::BTreeMap;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};

use qscope_engine::cluster::Name;

use crate::farm::LATEST;

/// Unknown keys, which are reported: a misspelt key would otherwise be ignored silently.
type UnknownKeys = BTreeMap<String, IgnoredAny>;

/// The keys of a scenario; expected answers may be in the same file. Jobs are read one by one, since a broken
/// one is left out.
#[derive(Deserialize)]
pub(super) struct ScenarioFile {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) name: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) why: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) nodes: Vec<NodeEntry>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) jobs: Vec<Value>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) initial: Vec<Value>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) packing: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) mixed: Map<String, Value>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) classes: Vec<String>,
    pub(super) t0: Option<FarmInteger>,
    #[serde(rename = "total_slots")]
    _total_slots: Option<IgnoredAny>,
    #[serde(rename = "expected")]
    _expected: Option<IgnoredAny>,
    #[serde(flatten)]
    pub(super) unknown: UnknownKeys,
}

#[derive(Deserialize)]
pub(super) struct NodeEntry {
    pub(super) name: String,
    pub(super) slots: FarmInteger,
    pub(super) mem: Option<FarmInteger>,
    #[serde(flatten)]
    pub(super) unknown: UnknownKeys,
}

/// Reads null as a missing key.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(reader: D) -> Result<T, D::Error> {
    Option::deserialize(reader).map(Option::unwrap_or_default)
}

/// A job that arrives.
#[derive(Deserialize)]
pub(super) struct JobEntry {
    pub(super) id: ScenarioJobId,
    pub(super) class: String,
    pub(super) submit: FarmInteger,
    pub(super) run: FarmInteger,
    pub(super) slots: Option<FarmInteger>,
    pub(super) mem: Option<FarmInteger>,
    pub(super) prio: Option<FarmInteger>,
}

/// A job that is running at the start.
#[derive(Deserialize)]
pub(super) struct ResidentEntry {
    pub(super) id: Option<ScenarioJobId>,
    pub(super) class: String,
    pub(super) node: String,
    pub(super) start: FarmInteger,
    pub(super) end: FarmInteger,
    pub(super) slots: Option<FarmInteger>,
    pub(super) mem: Option<FarmInteger>,
}

pub(super) const JOB_KEYS: [&str; 7] = ["id", "class", "submit", "run", "slots", "mem", "prio"];
/// The keys of a job that is running at the start.
pub(super) const RESIDENT_KEYS: [&str; 8] = ["id", "class", "node", "start", "end", "slots", "mem", "prio"];

/// An id, written as text or as a number.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum ScenarioJobId {
    Text(String),
    Number(Number),
}

impl From<ScenarioJobId> for Name {
    fn from(id: ScenarioJobId) -> Self {
        match id {
            ScenarioJobId::Text(text) => text.into(),
            ScenarioJobId::Number(number) => number.to_string().into(),
        }
    }
}

/// A whole number within the range of a farm's times; `1.0` is accepted as one.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "Value")]
pub(super) struct FarmInteger(pub(super) i64);

impl TryFrom<Value> for FarmInteger {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let float = || value.as_f64().filter(|number| number.fract() == 0.0);
        let number = value.as_i64().or_else(|| float().map(|number| number as i64));
        let number = number.filter(|number| number.unsigned_abs() <= LATEST.unsigned_abs());
        number.map(Self).ok_or_else(|| format!("expected a whole number, found {value}"))
    }
}

impl FarmInteger {
    /// Converts to a narrower type; `key` names the value in messages.
    pub(super) fn narrow<T: TryFrom<i64>>(self, key: &str) -> Result<T, String> {
        T::try_from(self.0).map_err(|_| format!("{key}: {} is out of range", self.0))
    }
}

/// Reads a value; an error message begins with the path of the faulty item.
pub(super) fn entry<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| match error.path().to_string().as_str() {
        "." => error.into_inner().to_string(),
        path => format!("{path}: {}", error.inner()),
    })
}
