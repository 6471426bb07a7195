//! The headless commands, and the way into the console.
//!
//! Exit codes: 0 done, 1 the answer is no, 2 bad input. Nothing half-written reaches the output: every
//! command makes its whole text first.

mod agree;
mod arguments;
mod board;
mod buckets;
mod bundle;
mod capacity;
mod check;
mod cli;
mod collect;
mod compare;
mod config;
mod cycle;
mod cycle_policy;
mod cycle_qrun;
mod display_flags;
mod doctor;
mod elim;
mod esub;
mod fairshare;
mod farm;
mod fits;
mod follow;
mod help;
mod history;
mod lint;
mod long_lines;
mod meter;
mod metrics;
mod misspelt;
mod open;
mod open_console;
mod option_order;
mod order;
mod output;
mod pages;
mod plain;
mod planning_folder;
mod policies;
mod pools;
mod publish;
mod quirks;
mod qwhy;
mod record;
mod replay;
mod report;
mod simulate;
mod snapshots;
mod stop;
mod table;
mod try_request;
mod watch;
mod when;
mod why;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use color_eyre::eyre::Report;

use cli::{Cli, Command};
use qscope_exits::{Lines, Message, visible};
use qscope_source::SourceError;
use qwhy::QwhyCli;

/// Runs the program.
///
/// # Errors
/// None at present: what went wrong is written to the error stream and becomes the exit code.
pub fn main() -> color_eyre::Result<ExitCode> {
    qscope_console::panics::install();
    if let Some(words) = qwhy_words() {
        let args = parsed::<QwhyCli>(&words).args;
        return Ok(ExitCode::from(qwhy::run(&args).unwrap_or_else(|report| bad_input(&report))));
    }
    let cli = arguments();
    let answer = match &cli.command {
        None => open_console::run(&cli),
        Some(Command::Cycle(args)) => cycle::run(args),
        Some(Command::Collect(args)) => collect::run(args),
        Some(Command::Why(args)) => why::run(args),
        Some(Command::Policies(args)) => policies::run(args),
        Some(Command::WhyNode(args)) => why::run_node(args),
        Some(Command::Board(args)) => board::run(args),
        Some(Command::Pools(args)) => pools::run(args),
        Some(Command::Buckets(args)) => buckets::run(args),
        Some(Command::Agree(args)) => agree::run(args),
        Some(Command::Quirks(args)) => quirks::run(args),
        Some(Command::Order(args)) => order::run(args),
        Some(Command::Fairshare(args)) => fairshare::run(args),
        Some(Command::Try(args)) => try_request::run(args),
        Some(Command::Fits(args)) => fits::run(args),
        Some(Command::Config(args)) => config::run(args),
        Some(Command::Doctor(args)) => doctor::run(args),
        Some(Command::Tour(args)) => open_console::tour(args),
        Some(Command::Lint(args)) => lint::run(args),
        Some(Command::Compare(args)) => compare::run(args),
        Some(Command::Capacity(args)) => capacity::run(args),
        Some(Command::Check(args)) => check::run(args),
        Some(Command::Farm(args)) => farm::run_farm(args),
        Some(Command::Simulate(args)) => simulate::run(args),
        Some(Command::When(args)) => when::run(args),
        Some(Command::Record(args)) => record::run(args),
        Some(Command::Replay(args)) => replay::run(args),
        Some(Command::History(args)) => history::run(args),
        Some(Command::Elim(args)) => elim::run(args),
        Some(Command::Esub(args)) => esub::run(args),
        Some(Command::Publish(args)) => publish::run(args),
        Some(Command::Metrics(args)) => metrics::run(args),
        Some(Command::Events(args)) => metrics::run_events(args),
        Some(Command::Report(args)) => report::run(args),
        Some(Command::Bundle(args)) => bundle::run(args),
        Some(Command::Watch(args)) => watch::run(args),
        Some(Command::Help(args)) => help::run(args),
        Some(Command::Completions(args)) => pages::run_completions(args),
        Some(Command::Man(args)) => pages::run_man(args),
    };
    Ok(ExitCode::from(answer.unwrap_or_else(|report| bad_input(&report))))
}

/// The words of a `qwhy`: the program under that name, or `qscope why --published`.
fn qwhy_words() -> Option<Vec<OsString>> {
    let given: Vec<OsString> = std::env::args_os().collect();
    let name = given.first().and_then(|name| Path::new(name).file_name()?.to_str());
    if name == Some("qwhy") {
        return Some(qwhy::with_file_joined(given));
    }
    let is_why =
        given.get(1).is_some_and(|word| word == "why") && given.iter().any(|word| qwhy::is_published(word));
    // The first word is the program's name in its usage.
    let named = || std::iter::once(OsString::from("qscope why")).chain(given.into_iter().skip(2));
    is_why.then(|| qwhy::with_file_joined(named()))
}

/// The arguments of the program.
fn arguments() -> Cli {
    let given: Vec<OsString> = std::env::args_os().collect();
    let wrong = |text: String| -> ! {
        output::print_note(text);
        std::process::exit(2)
    };
    let given = option_order::ordered(given).unwrap_or_else(|text| wrong(text));
    if let Some(text) = misspelt::report(&given, output::is_terminal()) {
        wrong(text)
    }
    let cli: Cli = parsed(&given);
    note_hidden_folder(&given, &cli);
    cli
}

/// Notes that a folder has the name of the command that is run without one.
fn note_hidden_folder(given: &[OsString], cli: &Cli) {
    if let ([_, word], true) = (given, cli.command.is_some())
        && Path::new(word).is_dir()
    {
        let word = visible(&word.to_string_lossy()).into_owned();
        output::print_note(format!("{word} is run as a command; ./{word} is the folder"));
    }
}

/// Arguments. Of wrong ones the reports are made again from words that are visible: they quote them.
fn parsed<T: Parser>(given: &[OsString]) -> T {
    T::try_parse_from(given).unwrap_or_else(|error| {
        let shown = given.iter().map(|word| visible(&word.to_string_lossy()).into_owned());
        match T::try_parse_from(shown) {
            Err(error) => error.exit(),
            // Visible they would do: then it is what acts in them that is wrong.
            Ok(_) => {
                output::print_note(error);
                std::process::exit(2)
            }
        }
    })
}

/// Reports what was wrong with the input, on the error stream, and nothing else.
fn bad_input(report: &Report) -> u8 {
    output::print_notes(&message(report));
    2
}

/// A report in lines: one, but for errors that are made of several.
fn message(report: &Report) -> Lines {
    if let Some(Message(lines)) = report.downcast_ref() {
        return lines.clone();
    }
    match report.downcast_ref() {
        Some(SourceError::HandWritten(found)) => found.iter().collect(),
        _ => Lines::from_iter([format!("{report:#}")]),
    }
}
