//! `qscope board`: alerts, and the causes that keep the whole queue waiting.

use clap::Args;
use color_eyre::eyre::Result;
use serde_json::{Value, json};

use qscope_engine::cluster::Diagnostic;
use qscope_exits::Lines;
use qscope_explain::{Alert, AlertItem, Board, BoardRow, Growth, board, growth, words};
use qscope_session::Generation;

use super::arguments::ClusterArgs;
use super::plain::{self, PlainSubject};
use super::{open, output};

/// The arguments of `board`.
#[derive(Args, Clone, Debug)]
pub(super) struct BoardArgs {
    /// The folder, the output form, and what to change first.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// Compute what more nodes of one kind would start even on large clusters: one cycle for each number of nodes.
    #[arg(long)]
    pub more_nodes: bool,
}

/// Prints the board; the exit code is 1 ("no") while jobs wait.
pub(super) fn run(args: &BoardArgs) -> Result<u8> {
    let generation = open::what_if(&args.cluster)?;
    if let Some(code) = plain::instead(&generation, args.cluster.at.form.json, PlainSubject::Causes)? {
        return Ok(code);
    }
    let found = board(&generation.run);
    let snap = &generation.snapshot;
    let tried = args.more_nodes || snap.nodes.len() + snap.jobs.len() <= TRIED_UNASKED;
    let more = if tried && found.waiting > 0 { growth(&generation.run) } else { Vec::new() };
    let json = || board_json(&generation, &found, tried.then_some(&more));
    let text = || {
        let mut text = board_text(&generation, &found);
        if found.waiting > 0 {
            text.blank();
            text.append(&more_text(&generation, tried, &more));
        }
        text
    };
    output::answer(output::About::as_a_whole(&generation), args.cluster.at.form.json, json, text)?;
    Ok(u8::from(found.waiting > 0))
}

/// Maximum number of nodes and of jobs for which the effect of more nodes is computed without `--more-nodes`.
const TRIED_UNASKED: usize = 1000;

/// Describes what more nodes would start.
fn more_text(generation: &Generation, tried: bool, more: &[Growth]) -> Lines {
    match (tried, more) {
        (false, _) => Lines::from_iter(["--more-nodes computes what more nodes would start"]),
        (true, []) => Lines::from_iter(["no job would start with up to 16 more nodes of one kind"]),
        (true, more) => more.iter().map(|growth| growth.words(&generation.snapshot)).collect(),
    }
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
        let about = if row.about().is_empty() { String::new() } else { format!(" {}", row.about()) };
        let nodes = if row.analysed { row.nodes.to_string() } else { "-".to_owned() };
        text.line(format_args!(
            "{:>6} {:>11.1} {nodes:>6}  {}{about}: {}",
            row.jobs.len(),
            row.core_hours,
            row.title(),
            row.example
        ));
        text.line(format_args!("{:>27}{}", "", words::some(&names(generation, row), 8)));
        if let Some(never) = row.never_besides() {
            text.line(format_args!("{:>27}{never}", ""));
        }
    }
    if let Some(sample) = board.sample() {
        text.blank();
        text.line(format_args!("{sample}"));
    }
    text
}

/// Returns what an operator must see, a line each, limited per kind. A truncated dump is left out: the heading of
/// every answer states it.
fn alerts_text(generation: &Generation) -> Lines {
    const MAX_ITEMS: usize = 10;
    let mut text = Lines::new();
    let cut: Vec<&Diagnostic> = generation.snapshot.cut().collect();
    let stands_above = |item: &&AlertItem| item.finding.as_deref().is_some_and(|found| cut.contains(&found));
    for alert in &*generation.alerts {
        let items: Vec<&AlertItem> = alert.items.iter().filter(|item| !stands_above(item)).collect();
        for item in items.iter().take(MAX_ITEMS) {
            text.line(format_args!("! {}", item.sentence));
        }
        if let Some(more) = items.len().checked_sub(MAX_ITEMS).filter(|more| *more > 0) {
            text.line(format_args!("! and {more} more {}", alert.kind.word()));
        }
    }
    if !text.is_blank() {
        text.blank();
    }
    text
}

/// Alerts, and the causes why jobs wait.
fn board_json(generation: &Generation, board: &Board, more_nodes: Option<&Vec<Growth>>) -> Value {
    let more = |growth: &Growth| {
        json!({
            "like": generation.snapshot.nodes[growth.model].name,
            "nodes": growth.nodes,
            // How many of the waiting jobs start; an array counts once, however many of its subjobs start.
            "starts": growth.starts,
            "subjobs": growth.subjobs,
            // The share of the waiting core-hours that these request, rounded to a thousandth.
            "share": (growth.share * 1000.0).round() / 1000.0,
            // The jobs that start without the nodes and wait with them, by full id.
            "waits": growth.waits,
        })
    };
    json!({
        "waiting": board.waiting,
        // The core-hours they request, rounded to a tenth.
        "core_hours": tenth(board.core_hours),
        "kinds": board.kinds,
        "looked_into": board.analysed,
        "at_a_glance": board.at_a_glance,
        "alerts": generation.alerts.iter().map(alert_json).collect::<Vec<_>>(),
        "causes": board.rows.iter().map(|row| cause_json(generation, row)).collect::<Vec<_>>(),
        // What more nodes of one kind would start; null where that was not computed.
        "more_nodes": more_nodes.map(|all| all.iter().map(more).collect::<Vec<_>>()),
    })
}

/// One alert: its kind, and how many nodes or queues it is about.
fn alert_json(alert: &Alert) -> Value {
    json!({
        "kind": alert.kind.word(),
        "count": alert.count(),
        "objects": alert.objects().collect::<Vec<_>>(),
        "items": alert.items,
    })
}

/// A cause and the jobs that wait for it.
fn cause_json(generation: &Generation, row: &BoardRow) -> Value {
    json!({
        "looked_into": row.analysed,
        "tier": row.tier,
        // The cause as the console names it: `insufficient ncpus`, `fragmented`, `held`.
        "reason_name": row.name,
        "kind": row.kind,
        "object": row.object,
        "example": row.example,
        // The jobs by full id.
        "jobs": names(generation, row),
        // The core-hours they request, rounded to a tenth.
        "core_hours": tenth(row.core_hours),
        "nodes": row.nodes,
        "never": row.never,
    })
}

fn tenth(hours: f64) -> f64 {
    // Rounded as in the text: a quarter is 0.2 in both.
    format!("{hours:.1}").parse().unwrap_or(hours)
}
