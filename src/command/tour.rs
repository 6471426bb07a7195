//! `qscope tour`: the console on the built-in sample, with a line of guidance at each step.

use clap::Args;
use color_eyre::eyre::Result;

use qscope_console::{self as console, DisplayOptions, Intake};

use super::arguments::Reading;
use super::display_flags::DisplayFlags;
use super::open::opening;

/// The arguments of `tour`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Ten keys, two minutes; the last line names the next one. `qscope help tour` prints the same as a page."
)]
pub(super) struct TourArgs {
    /// How the console is displayed.
    #[command(flatten)]
    pub display: DisplayFlags,
}

/// Opens the console on the built-in sample and shows what to press.
///
/// # Errors
/// If there is no terminal.
pub(super) fn run(args: &TourArgs) -> Result<u8> {
    let looks = DisplayOptions::of(args.display.config());
    let opening = opening(&[], &Reading::default())?;
    Ok(console::open(
        opening,
        Intake { tour: true, manual: super::console_manual::manual(), ..Intake::default() },
        &looks,
    )?)
}
