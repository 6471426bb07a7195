//! The built-in manual, and the help of the commands.

use clap::CommandFactory;
use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::did_you_mean::question;
use qscope_exits::Lines;

use super::cli::{Cli, HelpArgs};
use super::output;
use crate::manual::{TOPICS, topic};

pub(super) mod page;

/// Prints a page of the manual, the help of a command, or the list of topics.
///
/// # Errors
/// If there is no such topic or command.
pub(super) fn run(args: &HelpArgs) -> Result<u8> {
    let Some(name) = args.topic.as_deref() else {
        output::print(&list())?;
        return Ok(0);
    };
    if let Some(topic) = topic(name) {
        output::print(&page::lines(topic.text, output::takes_styles(), output::columns()))?;
        return Ok(0);
    }
    let mut cli = Cli::command();
    cli.build();
    let command = cli.find_subcommand_mut(name).ok_or_else(|| {
        let names: Vec<&str> = TOPICS.iter().map(|topic| topic.name).collect();
        let all = Cli::command();
        let commands = all.get_subcommands().map(clap::Command::get_name);
        let meant = question(name, names.iter().copied().chain(commands));
        eyre!("no topic or command named {name}{meant}; topics: {}", names.join(", "))
    })?;
    let text = command.render_long_help().to_string();
    output::print(&text.lines().collect())?;
    Ok(0)
}

fn list() -> Lines {
    let mut lines = Lines::new();
    lines.line("Topics of the manual:");
    for topic in TOPICS {
        lines.line(format_args!("  {:<12}{}", topic.name, topic.summary));
    }
    lines.blank();
    lines.line("qscope help TOPIC prints one; qscope COMMAND --help prints the options of a command.");
    lines
}
