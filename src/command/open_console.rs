//! Opens the console that the command line requests: on a folder that is followed, and filled on request, or on files
//! for the packing view; and the tour on the built-in sample.

use std::path::Path;

use color_eyre::eyre::{Result, eyre};

use qscope_console::{self as console, ConsoleOptions, DisplayOptions};
use qscope_exits::Message;
use qscope_session::{Opening, OpeningOrigin, read_files};
use qscope_source::collect::Collector;
use qscope_source::watch::WatchOptions;

use super::arguments::InputArgs;
use super::cli::{Cli, TourArgs};
use super::display_flags::watching;
use super::help::page;
use super::open::opening;
use super::planning_folder::PlanningAction;

/// The reason why a file or a recording is not recorded.
const RECORD_NEEDS: &str = "--record keeps what changes: it needs a folder of dumps";

/// Opens the console.
///
/// # Errors
/// If there is no terminal, a quirk is unknown, or the folder cannot be filled.
pub(super) fn run(cli: &Cli) -> Result<u8> {
    let config = cli.display.config();
    let watch = watching(&config);
    let looks = DisplayOptions::of(config);
    let planning = cli.folder.as_ref().filter(|path| path.is_dir() && !cli.collect);
    let files = match planning.and_then(|folder| PlanningAction::of(folder)) {
        Some(PlanningAction::Command(line)) => return Err(Message::from_iter([&*line]).into()),
        Some(PlanningAction::Open(files)) => Some(files),
        None => {
            let file = cli.folder.as_ref().filter(|path| console::is_for_files(path) && !is_cluster(path));
            file.map(|file| vec![file.clone()])
        }
    };
    if let Some(files) = files {
        if !cli.set.texts().is_empty() {
            return Err(eyre!("--set changes a cluster: it needs a folder of dumps"));
        }
        if cli.record.record.is_some() {
            return Err(eyre!("{RECORD_NEEDS}"));
        }
        return Ok(console::open_files(PlanningAction::wanted(files), None, &looks)?);
    }
    let opening = opening(cli.folder.as_slice(), &cli.reading)?;
    let intake = intake(cli, &opening, watch)?;
    Ok(console::open(opening, intake, &looks)?)
}

/// Returns whether a file or an archive holds dumps of a cluster.
fn is_cluster(path: &Path) -> bool {
    let files = path.is_file().then(|| read_files(&OpeningOrigin::Files(vec![path.to_owned()])));
    files.is_some_and(|files| files.is_ok_and(|files| files.holds_cluster()))
}

/// Returns how the folder is followed, and filled if requested.
fn intake(cli: &Cli, opening: &Opening, watch: WatchOptions) -> Result<ConsoleOptions> {
    if let Some(flag) = cli.how.unused_flag().filter(|_| !cli.collect) {
        return Err(eyre!("{flag} needs --collect"));
    }
    let folder = cli.folder.as_ref().filter(|_| cli.collect);
    let collector = folder.map(|folder| Collector::new(folder, cli.how.options())).transpose()?;
    let recorder = match &opening.origin {
        OpeningOrigin::Folder(folder) => cli.record.recorder(folder)?,
        _ if cli.record.record.is_some() => return Err(eyre!("{RECORD_NEEDS}")),
        _ => None,
    };
    Ok(ConsoleOptions {
        watch,
        collector,
        recorder,
        past: cli.past.clone(),
        settings: cli.set.texts(),
        manual: page::manual(),
        ..ConsoleOptions::default()
    })
}

/// Opens the console on the built-in sample and shows what to press.
///
/// # Errors
/// If there is no terminal.
pub(super) fn tour(args: &TourArgs) -> Result<u8> {
    let looks = DisplayOptions::of(args.display.config());
    let opening = opening(&[], &InputArgs::default())?;
    Ok(console::open(
        opening,
        ConsoleOptions { tour: true, manual: page::manual(), ..ConsoleOptions::default() },
        &looks,
    )?)
}
