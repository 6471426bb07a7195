//! `qscope board`: alerts, and what keeps the whole queue waiting, cause by cause.

use color_eyre::eyre::Result;
use serde_json::{Value, json};

use qscope_exits::Lines;
use qscope_explain::{Alert, AlertItem, Board, BoardRow, board, words};
use qscope_session::Generation;

use super::cli::ListArgs;
use super::{open, output};

/// Prints the board; the answer is no (1) while jobs wait.
///
/// # Errors
/// Bad input, or an output that cannot be written.
pub(super) fn run(args: &ListArgs) -> Result<u8> {
    let generation = open::what_if(&args.at, &args.set)?;
    let found = board(&generation.run);
    if args.at.json {
        output::print_json_about(&generation, board_json(&generation, &found))?;
    } else {
        output::print_about(&generation, &board_text(&generation, &found))?;
    }
    Ok(u8::from(found.waiting > 0))
}

fn names(generation: &Generation, row: &BoardRow) -> Vec<String> {
    row.jobs.iter().map(|job| generation.snapshot.jobs[*job].name.to_string()).collect()
}

fn board_json(generation: &Generation, board: &Board) -> Value {
    let row = |row: &BoardRow| {
        json!({
            "looked_into": row.analysed, "tier": row.tier.word(), "kind": row.kind, "object": row.object, "example": row.example,
            "jobs": names(generation, row), "core_hours": tenth(row.core_hours), "nodes": row.nodes,
        })
    };
    json!({
        "waiting": board.waiting, "core_hours": tenth(board.core_hours),
        "kinds": board.kinds, "looked_into": board.analysed, "at_a_glance": board.at_a_glance,
        "alerts": generation.alerts.iter().map(alert_json).collect::<Vec<_>>(), "causes": board.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

/// One alert: its kind, how many nodes or queues, and what is said of each.
fn alert_json(alert: &Alert) -> Value {
    let item = |item: &AlertItem| json!({"objects": item.objects, "jobs": item.jobs, "what": item.sentence});
    json!({
        "kind": alert.kind.word(), "count": alert.count(),
        "objects": alert.objects().collect::<Vec<_>>(),
        "items": alert.items.iter().map(item).collect::<Vec<_>>(),
    })
}

fn tenth(hours: f64) -> f64 {
    (hours * 10.0).round() / 10.0
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
    const MOST: usize = 10;
    let mut text = Lines::new();
    for alert in &*generation.alerts {
        for item in alert.items.iter().take(MOST) {
            text.line(format_args!("! {}", item.sentence));
        }
        if let Some(more) = alert.items.len().checked_sub(MOST).filter(|more| *more > 0) {
            text.line(format_args!("! and {more} more {}", alert.kind.word()));
        }
    }
    if !text.is_blank() {
        text.blank();
    }
    text
}
