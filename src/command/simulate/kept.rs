//! The states of a simulation as folders: one before a cycle, or one before each cycle as a recording.

use std::path::Path;

use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::count;
use qscope_exits::Lines;
use qscope_record::{RecordLimits, RecordingWriter, SnapshotFile, SnapshotFiles, is_recording, moment};
use qscope_simulate::dump::DumpOrigin;
use qscope_simulate::{Simulation, SimulationFiles, SimulationInput, StopPoint};

use super::SimulateArgs;
use crate::command::meter::Meter;
use crate::command::{open, output};

/// Runs the simulation, and keeps the state before each cycle in a recording.
pub(super) fn record(
    input: SimulationInput,
    args: &SimulateArgs,
    folder: &Path,
    meter: &Meter,
    origin: DumpOrigin<'_>,
) -> Result<u8> {
    let quirks = open::quirks(&args.reading)?;
    if is_recording(folder) {
        // Its snapshots would be mixed with those of another simulation, or of a cluster.
        return Err(eyre!(
            "{}: is a recording; expected a new or an empty folder: remove it, or name another",
            folder.display()
        ));
    }
    let mut recorder = RecordingWriter::new(folder, RecordLimits::default())?;
    let mut simulation = Simulation::new(input, quirks);
    let mut cycle = 1;
    while meter.should_continue() && simulation.run_to(StopPoint::Cycle(cycle), &mut ()) {
        let kept = |(name, bytes): (&str, Vec<u8>)| (name.to_owned(), SnapshotFile { bytes, modified: None });
        let files = simulation.files(origin)?.into_iter().map(kept).collect();
        let written = recorder.append(simulation.now(), SnapshotFiles(files))?;
        meter.show(0.0, written.number, "snapshots");
        simulation = simulation.resumed();
        cycle += 1;
    }
    let is_cut = !meter.should_continue();
    meter.clear();
    let shots = count(cycle - 1, "snapshot");
    output::print_line(format_args!("{}: {shots}, one before each cycle", folder.display()))?;
    Ok(if is_cut { meter.exit_code() } else { 0 })
}

/// Returns the files it begins with, marked as changed if any settings were changed.
pub(super) fn origin<'b>(begin: &'b SimulationFiles, args: &SimulateArgs) -> DumpOrigin<'b> {
    DumpOrigin { files: begin.files(), is_changed: !args.set.texts().is_empty() }
}

/// The forms of a moment, for messages.
pub(super) const MOMENT_FORMS: &str = "expected seconds since 1970 or 2026-03-02T10:05[:12]";

/// Writes the state before a cycle as a folder.
pub(super) fn stop_at(
    input: SimulationInput,
    args: &SimulateArgs,
    at: &str,
    folder: &Path,
    origin: DumpOrigin<'_>,
) -> Result<u8> {
    let number = moment(at, || input.start.time_zone()).ok_or_else(|| {
        eyre!("--stop-at: `{at}` is neither a moment nor the number of a cycle; {MOMENT_FORMS}")
    })?;
    if !input.start.allocation.is_empty() {
        return Err(eyre!(
            "--stop-at: a folder cannot hold an allocation policy in place of node_sort_key, so it would go on otherwise: \
             leave out --policy and --set ….policy"
        ));
    }
    let from = input.start.now.0;
    let quirks = open::quirks(&args.reading)?;
    let mut simulation = Simulation::new(input, quirks);
    let stop = StopPoint::of(number.0, from);
    if !simulation.run_to(stop, &mut ()) {
        return Err(eyre!("--stop-at: the simulation is over before that"));
    }
    let written = simulation.write(origin, folder)?;
    let mut text = Lines::new();
    text.line(format_args!(
        "{}: {}, the state before the next cycle",
        folder.display(),
        qscope_explain::words::count(written, "file")
    ));
    let options = quirks.options();
    if !options.is_empty() {
        text.line(format_args!(
            "note: open it with {options}, as it was made; its file `semantics` names them"
        ));
    }
    output::print(&text)?;
    Ok(0)
}
