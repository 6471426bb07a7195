//! How long a simulation runs, and when it runs cycles without a triggering event (days rule 1).

use qscope_engine::cluster::{Epoch, Seconds};
use serde::{Deserialize, Serialize};

use crate::SimulateError;

/// Settings of `options.json` and of flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SimulationOptions {
    /// Last time at which anything happens, in seconds since 1970; by default 30 days after the last arrival.
    pub until: Option<i64>,
    /// Seconds from a cycle to the next one without a triggering event; by default the server's
    /// `scheduler_iteration`.
    pub iteration: Option<i64>,
    /// Minimum number of seconds between two cycles; by default 0.
    pub min_interval: Option<i64>,
    /// Seconds without any progress after which a simulation ends; by default a day.
    pub patience: Option<i64>,
    /// Time of the last progress before the start, from which `patience` counts; by default the start. `--stop-at`
    /// writes it, so that the rest ends when the whole simulation does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_progress: Option<i64>,
}

/// Days after the last arrival at which a simulation ends.
pub(crate) const DAYS_AFTER: i64 = 30;

impl SimulationOptions {
    /// Parses `options.json`.
    ///
    /// # Errors
    /// It is not JSON, has an unknown key, or a negative time.
    pub fn read(text: &[u8], file: &str) -> Result<Self, SimulateError> {
        let mut json = serde_json::Deserializer::from_slice(text);
        let options: Self = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            SimulateError::form(file, &error.path().to_string(), error.inner().to_string())
        })?;
        for (key, value) in [
            ("iteration", options.iteration),
            ("min_interval", options.min_interval),
            ("patience", options.patience),
        ] {
            if value.is_some_and(|seconds| seconds < 0) {
                return Err(SimulateError::form(file, key, "a number of seconds is not negative"));
            }
        }
        Ok(options)
    }

    /// Returns these settings, completed from `others` where unset.
    #[must_use]
    pub fn completed_from(self, others: Self) -> Self {
        Self {
            until: self.until.or(others.until),
            iteration: self.iteration.or(others.iteration),
            min_interval: self.min_interval.or(others.min_interval),
            patience: self.patience.or(others.patience),
            last_progress: self.last_progress.or(others.last_progress),
        }
    }

    /// Returns the settings with all defaults applied.
    pub(crate) fn resolved(self, last_arrival: Epoch, server_iteration: Option<Seconds>) -> ResolvedOptions {
        let seconds = |given: Option<i64>, default: i64| Seconds(given.unwrap_or(default));
        let last = last_arrival + Seconds(DAYS_AFTER * 86_400);
        ResolvedOptions {
            until: self.until.map_or(last, Epoch),
            // An interval of 0 would never let time pass.
            iteration: Seconds(
                seconds(self.iteration, server_iteration.map_or(600, |given| given.0)).0.max(1),
            ),
            min_interval: seconds(self.min_interval, 0),
            patience: seconds(self.patience, 86_400),
        }
    }
}

impl From<ResolvedOptions> for SimulationOptions {
    fn from(settled: ResolvedOptions) -> Self {
        let ResolvedOptions { until, iteration, min_interval, patience } = settled;
        Self {
            until: Some(until.0),
            iteration: Some(iteration.0),
            min_interval: Some(min_interval.0),
            patience: Some(patience.0),
            last_progress: None,
        }
    }
}

/// The options of one simulation, all set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ResolvedOptions {
    /// Last time at which anything happens.
    pub(crate) until: Epoch,
    /// Time from a cycle to the next one without a triggering event.
    pub(crate) iteration: Seconds,
    /// Minimum time between two cycles.
    pub(crate) min_interval: Seconds,
    /// Time without progress after which the simulation ends.
    pub(crate) patience: Seconds,
}
