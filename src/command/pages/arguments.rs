//! The arguments of `completions` and `man`.

use std::path::PathBuf;

use clap::Args;

/// The arguments of `completions`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  qscope completions bash > /etc/bash_completion.d/qscope
  qscope completions zsh > /usr/share/zsh/site-functions/_qscope
  qscope completions fish > /usr/share/fish/vendor_completions.d/qscope.fish")]
pub(in crate::command) struct CompletionsArgs {
    /// bash, zsh or fish.
    #[arg(value_parser = ["bash", "zsh", "fish"], hide_possible_values = true)]
    pub shell: String,
}

/// The arguments of `man`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  qscope man /usr/share/man/man1           a page of each command, qscope-why.1 and so on
  qscope man --print why | man -l -        the page of one command")]
pub(in crate::command) struct ManArgs {
    /// The folder to write the pages into.
    #[arg(required_unless_present = "print")]
    pub folder: Option<PathBuf>,
    /// Print the page of this command instead, or of qscope itself.
    #[arg(long, value_name = "COMMAND", conflicts_with = "folder")]
    pub print: Option<String>,
}
