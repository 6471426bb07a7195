//! How long a simulation goes on, and when it runs a cycle without being asked for one (days rule 1).

use qscope_engine::cluster::{Epoch, Seconds};
use serde::{Deserialize, Serialize};

use crate::SimulateError;

/// What `options.json` and the flags set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Nothing happens after this moment, in seconds since 1970; without it 30 days after the last arrival.
    pub until: Option<i64>,
    /// Seconds between a cycle and the next one that nothing asked for; without it the server's
    /// `scheduler_iteration`.
    pub iteration: Option<i64>,
    /// Seconds that lie at least between two cycles; without it none.
    pub min_interval: Option<i64>,
    /// Seconds for which a simulation goes on in which nothing happens any more; without it a day.
    pub patience: Option<i64>,
}

/// Days after the last arrival after which a simulation is over.
const DAYS_AFTER: i64 = 30;

impl Options {
    /// Reads `options.json`.
    ///
    /// # Errors
    /// It is no JSON, has a key that is none of the four, or a time that is negative.
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

    /// These, and what they leave open from others.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            until: self.until.or(others.until),
            iteration: self.iteration.or(others.iteration),
            min_interval: self.min_interval.or(others.min_interval),
            patience: self.patience.or(others.patience),
        }
    }

    /// With every default filled in.
    pub(crate) fn settled(self, last_arrival: Epoch, server_iteration: Option<Seconds>) -> Settled {
        let seconds = |given: Option<i64>, default: i64| Seconds(given.unwrap_or(default));
        let last = last_arrival + Seconds(DAYS_AFTER * 86_400);
        Settled {
            until: self.until.map_or(last, Epoch),
            // A timer of no length would never let time pass.
            iteration: Seconds(
                seconds(self.iteration, server_iteration.map_or(600, |given| given.0)).0.max(1),
            ),
            min_interval: seconds(self.min_interval, 0),
            patience: seconds(self.patience, 86_400),
        }
    }
}

impl From<Settled> for Options {
    fn from(settled: Settled) -> Self {
        let Settled { until, iteration, min_interval, patience } = settled;
        Self {
            until: Some(until.0),
            iteration: Some(iteration.0),
            min_interval: Some(min_interval.0),
            patience: Some(patience.0),
        }
    }
}

/// The options of one simulation, none of them open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Settled {
    /// Nothing happens later.
    pub(crate) until: Epoch,
    /// From one cycle to the next that nothing asked for.
    pub(crate) iteration: Seconds,
    /// The least time between two cycles.
    pub(crate) min_interval: Seconds,
    /// How long nothing may happen.
    pub(crate) patience: Seconds,
}
