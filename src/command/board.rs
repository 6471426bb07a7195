//! `qscope board`: what keeps the whole queue waiting, cause by cause.

use color_eyre::eyre::Result;
use serde_json::{Value, json};

use crate::explain::{Board, BoardRow, board};
use crate::session::Generation;

use super::cli::FolderArgs;
use super::{open, output};

/// Prints the board; the answer is no (1) while jobs wait.
///
/// # Errors
/// Bad input, or an output that cannot be written.
pub(super) fn run(args: &FolderArgs) -> Result<u8> {
    let generation = open::generation(args)?;
    let found = board(&generation.run);
    if args.json {
        output::print_json(&board_json(&generation, &found))?;
    } else {
        output::print(&crate::console::widgets::text::clean_lines(&board_text(&generation, &found)))?;
    }
    Ok(u8::from(found.waiting > 0))
}

fn names(generation: &Generation, row: &BoardRow) -> Vec<String> {
    row.jobs.iter().map(|job| generation.snapshot.jobs[*job].name.to_string()).collect()
}

fn board_json(generation: &Generation, board: &Board) -> Value {
    let row = |row: &BoardRow| {
        json!({
            "tier": row.tier.word(), "kind": row.kind, "object": row.object, "example": row.example,
            "jobs": names(generation, row), "core_hours": tenth(row.core_hours), "nodes": row.nodes,
        })
    };
    json!({
        "waiting": board.waiting, "core_hours": tenth(board.core_hours),
        "at_a_glance": board.at_a_glance, "causes": board.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn tenth(hours: f64) -> f64 {
    (hours * 10.0).round() / 10.0
}

fn board_text(generation: &Generation, board: &Board) -> String {
    let mut text = format!("{} jobs wait for {:.1} core-hours\n\n", board.waiting, board.core_hours);
    text.push_str("  jobs  core-hours  nodes  cause\n");
    for row in &board.rows {
        let about = if row.object.is_empty() { String::new() } else { format!(" {}", row.object) };
        text.push_str(&format!(
            "{:>6} {:>11.1} {:>6}  {}{about}: {}\n",
            row.jobs.len(),
            row.core_hours,
            row.nodes,
            row.tier.title(),
            row.example
        ));
        text.push_str(&format!("{:>27}{}\n", "", crate::explain::words::some(&names(generation, row), 8)));
    }
    if board.at_a_glance > 0 {
        text.push_str(&format!("\n{} jobs by what the scheduler hit first only\n", board.at_a_glance));
    }
    text
}
