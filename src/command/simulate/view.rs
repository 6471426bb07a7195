//! `qscope simulate --view`: the simulation in the console, where every cycle can be stepped through.

use std::sync::Arc;

use color_eyre::eyre::Result;

use qscope_console::{self as console, ConsoleOptions, DisplayOptions};
use qscope_session::{Opening, OpeningOrigin, SimulationHistory};
use qscope_simulate::SimulationInput;
use qscope_source::config::Config;

use super::SimulateArgs;
use crate::command::meter::Meter;
use crate::command::open;

/// Simulates until the end or Ctrl-C, and opens the console on the result.
///
/// # Errors
/// If there is nothing to decide in the simulation, or no terminal.
pub(super) fn run(input: SimulationInput, args: &SimulateArgs, meter: &Meter) -> Result<u8> {
    let opening = open::opening(&args.paths, &args.reading)?;
    let from = input.start.now;
    let last = input.arrivals.last().unwrap_or(from).max(from);
    let all = (last - from).0.max(1) as f64;
    let title = input.start.title.to_string();
    let simulated = SimulationHistory::run(title, input, opening.quirks, &mut |at, cycles| {
        meter.show((at - from).0 as f64 / all, cycles, "cycles");
        meter.should_continue()
    });
    meter.clear();
    if simulated.levels().is_empty() {
        return Err(color_eyre::eyre::eyre!("no cycle of the simulation had anything to decide"));
    }
    let origin = OpeningOrigin::Simulation { simulated: Arc::new(simulated), nth: 0 };
    let looks = DisplayOptions::of(Config::read(&qscope_source::config::files()));
    let intake = ConsoleOptions {
        begins_with_time: true,
        manual: crate::command::help::page::manual(),
        ..ConsoleOptions::default()
    };
    Ok(console::open(Opening { origin, ..opening }, intake, &looks)?)
}
