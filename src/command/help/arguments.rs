//! The arguments of `help`.

use clap::Args;

/// What to print help on.
#[derive(Args, Debug)]
pub(in crate::command) struct HelpArgs {
    /// A topic of the manual, or a command; without one, the list of topics.
    pub topic: Option<String>,
}
