//! The state of a simulation as files or as an input, from which it goes on or is opened like any other cluster.

use std::path::Path;

use super::{Simulation, policies_of_jobs};
use crate::dump::{self, DumpOrigin, SimulatedState};
use crate::{SimulateError, SimulationInput, SimulationOptions, remaining};

impl Simulation {
    /// Writes the state as a folder of dumps with the future arrivals. Files that do not change are copied from the
    /// start folder. Returns the number of files written.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn write(&self, from: DumpOrigin<'_>, to: &Path) -> Result<usize, SimulateError> {
        dump::write(self.state_to_dump(), self.later_options(), from, to)
    }

    /// Returns the rest of the simulation as an input of its own, from which it continues in the same way.
    pub fn remaining(&self) -> SimulationInput {
        let mut rest = remaining::input(&self.server, self.shares.as_ref(), self.later_options());
        rest.start.allocation.jobs = policies_of_jobs(&self.job_policies, &rest.start);
        rest.ranking.clone_from(&self.ranking);
        rest
    }

    /// Returns the options with which the rest goes on as this simulation would.
    fn later_options(&self) -> SimulationOptions {
        SimulationOptions { last_progress: Some(self.last.life.0), ..self.options.into() }
    }

    /// Returns the current state of the server as the files that clients would print; files that do not change are
    /// taken from the start folder.
    ///
    /// # Errors
    /// A file of the start cannot be read.
    pub fn files(&self, from: DumpOrigin<'_>) -> Result<Vec<(&'static str, Vec<u8>)>, SimulateError> {
        dump::files(self.state_to_dump(), from)
    }

    fn state_to_dump(&self) -> SimulatedState<'_> {
        SimulatedState { server: &self.server, shares: self.shares.as_ref(), quirks: self.quirks }
    }
}
