//! The format of `arrivals.json`.

use std::collections::BTreeMap;

use qscope_engine::cluster::Epoch;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{JobBehaviour, NodeLifecycleEvent, SimulateError};

/// The whole file.
#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ArrivalsFile {
    /// Always `arrivals 1`.
    pub format: String,
    /// Jobs of the start state, by id.
    #[serde(default)]
    pub start: BTreeMap<String, StartRow>,
    #[serde(default)]
    pub jobs: Vec<ArrivalRow>,
    /// Vnodes that are added or removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeLifecycleRow>,
}

/// Changes of one vnode of the start state; a vnode to be added is down or offline there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NodeLifecycleRow {
    /// Name of the vnode.
    pub node: String,
    /// When it was ordered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordered: Option<i64>,
    /// Seconds from the order until it is ready; 0 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<i64>,
}

impl NodeLifecycleRow {
    /// Returns its changes in order.
    pub(super) fn changes(&self) -> Vec<NodeLifecycleEvent> {
        let change = |at: i64, is_ready| NodeLifecycleEvent {
            node: self.node.as_str().into(),
            at: Epoch(at),
            is_ready,
        };
        let ready = self.ordered.map(|at| change(at.saturating_add(self.boot.unwrap_or(0).into()), true));
        ready.into_iter().chain(self.removed.map(|at| change(at, false))).collect()
    }
}

/// What happens to a job of the start state.
#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct StartRow {
    /// Seconds from its first start, including what it has run already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<i64>,
    /// The same by index of an array.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub runtimes: BTreeMap<u32, i64>,
    /// Exit status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// When its hold is released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<i64>,
    /// When its owner deletes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel: Option<i64>,
}

/// A job that arrives.
#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ArrivalRow {
    pub id: String,
    pub at: i64,
    /// Run time in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<i64>,
    /// The same by index of an array.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub runtimes: BTreeMap<u32, i64>,
    /// Exit status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// When its hold is released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<i64>,
    /// When its owner deletes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel: Option<i64>,
    /// When it really started, if the arrivals are a history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<i64>,
    /// Attributes as in `jobs.json`.
    #[serde(default)]
    pub job: Map<String, Value>,
}

/// Last second at which a job may arrive: that of the year 9999. Later ones are times in smaller units.
pub(super) const LAST: i64 = 253_402_300_799;

impl ArrivalsFile {
    /// Name of the format.
    pub const FORMAT: &str = "arrivals 1";

    /// Parses the file.
    ///
    /// # Errors
    /// It is not JSON of this format, a key is unknown, a run time is negative, or an arrival is no time in seconds.
    pub fn read(text: &[u8], file: &str) -> Result<Self, SimulateError> {
        let mut json = serde_json::Deserializer::from_slice(text);
        let read: Self = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            SimulateError::form(file, &error.path().to_string(), error.inner().to_string())
        })?;
        if read.format != Self::FORMAT {
            let what = format!("found `{}`; expected `{}`", read.format, Self::FORMAT);
            return Err(SimulateError::form(file, "format", what));
        }
        let is_negative = |row: &&ArrivalRow| {
            row.runtime.is_some_and(|seconds| seconds < 0)
                || row.runtimes.values().any(|seconds| *seconds < 0)
        };
        if let Some(row) = read.jobs.iter().find(is_negative) {
            return Err(SimulateError::form(file, &row.id, "a run time is not negative"));
        }
        if let Some(row) = read.jobs.iter().find(|row| row.at > LAST) {
            let what = format!("it arrives at {}; expected seconds since 1970", row.at);
            return Err(SimulateError::form(file, &row.id, what));
        }
        Ok(read)
    }
}

impl StartRow {
    /// Converts to typed values.
    pub(super) fn fate(self) -> JobBehaviour {
        JobBehaviour {
            runtime: self.runtime,
            runtimes: self.runtimes,
            exit: self.exit.unwrap_or(0),
            release: self.release.map(Epoch),
            cancel: self.cancel.map(Epoch),
            run_seconds: None,
        }
    }
}

impl ArrivalRow {
    /// Converts to typed values.
    pub(super) fn fate(self) -> JobBehaviour {
        let Self { runtime, runtimes, exit, release, cancel, .. } = self;
        StartRow { runtime, runtimes, exit, release, cancel }.fate()
    }
}
