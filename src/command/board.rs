//! `qscope board`: alerts, and what keeps the whole queue waiting, cause by cause.

mod json;

use color_eyre::eyre::Result;

use qscope_exits::Lines;
use qscope_explain::{Board, BoardRow, board, words};
use qscope_session::Generation;

use super::cli::ListArgs;
use super::plain::{self, Subject};
use super::{open, output};

/// Prints the board; the answer is no (1) while jobs wait.
///
/// # Errors
/// Bad input, or an output that cannot be written.
pub(super) fn run(args: &ListArgs) -> Result<u8> {
    let generation = open::what_if(&args.at, &args.set)?;
    if let Some(code) = plain::instead(&generation, args.at.json, Subject::Causes)? {
        return Ok(code);
    }
    let found = board(&generation.run);
    if args.at.json {
        output::print_json_about(
            output::About::as_a_whole(&generation),
            json::BoardJson::of(&generation, &found),
        )?;
    } else {
        output::print_about(output::About::as_a_whole(&generation), &board_text(&generation, &found))?;
    }
    Ok(u8::from(found.waiting > 0))
}

fn names(generation: &Generation, row: &BoardRow) -> Vec<String> {
    row.jobs.iter().map(|job| generation.snapshot.jobs[*job].name.to_string()).collect()
}

fn board_text(generation: &Generation, board: &Board) -> Lines {
    let mut text = alerts_text(generation);
    let waiting = words::count(board.waiting, "job");
    let verb = if board.waiting == 1 { "waits" } else { "wait" };
    text.line(format_args!("{waiting} {verb} for {:.1} core-hours", board.core_hours));
    text.blank();
    text.line("  jobs  core-hours  nodes  cause");
    for row in &board.rows {
        let about = if row.object.is_empty() { String::new() } else { format!(" {}", row.object) };
        let nodes = if row.analysed { row.nodes.to_string() } else { "-".to_owned() };
        text.line(format_args!(
            "{:>6} {:>11.1} {nodes:>6}  {}{about}: {}",
            row.jobs.len(),
            row.core_hours,
            row.title(),
            row.example
        ));
        text.line(format_args!("{:>27}{}", "", words::some(&names(generation, row), 8)));
    }
    if let Some(sample) = board.sample() {
        text.blank();
        text.line(format_args!("{sample}"));
    }
    text
}

/// What an operator must see, a line each; of a kind the first few.
fn alerts_text(generation: &Generation) -> Lines {
    const MAX_ITEMS: usize = 10;
    let mut text = Lines::new();
    for alert in &*generation.alerts {
        for item in alert.items.iter().take(MAX_ITEMS) {
            text.line(format_args!("! {}", item.sentence));
        }
        if let Some(more) = alert.items.len().checked_sub(MAX_ITEMS).filter(|more| *more > 0) {
            text.line(format_args!("! and {more} more {}", alert.kind.word()));
        }
    }
    if !text.is_blank() {
        text.blank();
    }
    text
}
