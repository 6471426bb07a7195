//! `qscope board`: alerts, and the causes that keep the whole queue waiting.

mod json;

use clap::Args;
use color_eyre::eyre::Result;

use qscope_engine::cluster::Diagnostic;
use qscope_exits::Lines;
use qscope_explain::{AddedNodesEffect, AlertItem, Board, BoardRow, added_nodes_effects, board, words};
use qscope_session::Generation;

use super::arguments::ClusterArgs;
use super::plain::{self, NoVerdictsSubject};
use super::table::paragraph_within;
use super::{open, output};

/// The arguments of `board`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: qscope board /var/spool/qscope --more-nodes")]
pub(super) struct BoardArgs {
    /// The folder, the output form, and what to change first.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// Compute what more nodes of one kind would start even on large clusters: one cycle for each number of nodes.
    #[arg(long)]
    pub more_nodes: bool,
}

/// Prints the board; the exit code is 1 ("no") while jobs wait.
///
/// # Errors
/// If the input is bad, or the output cannot be written.
pub(super) fn run(args: &BoardArgs) -> Result<u8> {
    let generation = open::what_if(&args.cluster)?;
    if let Some(code) =
        plain::print_if_no_verdicts(&generation, args.cluster.as_json(), NoVerdictsSubject::Causes)?
    {
        return Ok(code);
    }
    let found = board(&generation.run);
    let snap = &generation.snapshot;
    let tried = args.more_nodes || snap.nodes.len() + snap.jobs.len() <= TRIED_UNASKED;
    let more = if tried && found.waiting > 0 { added_nodes_effects(&generation.run) } else { Vec::new() };
    let json = || json::BoardJson::of(&generation, &found, tried.then_some(&more));
    let text = || {
        let mut text = board_text(&generation, &found);
        if found.waiting > 0 {
            text.blank();
            text.append(&more_text(&generation, tried, &more));
        }
        text
    };
    output::answer(output::AnswerContext::as_a_whole(&generation), args.cluster.as_json(), json, text)?;
    Ok(u8::from(found.waiting > 0))
}

/// Maximum number of nodes and of jobs for which the effect of more nodes is computed without `--more-nodes`.
const TRIED_UNASKED: usize = 1000;

/// Describes what more nodes would start.
fn more_text(generation: &Generation, tried: bool, more: &[AddedNodesEffect]) -> Lines {
    match (tried, more) {
        (false, _) => Lines::from_iter(["--more-nodes computes what more nodes would start"]),
        (true, []) => Lines::from_iter(["no job would start with up to 16 more nodes of one kind"]),
        (true, more) => {
            let mut text = Lines::new();
            for growth in more {
                let words = growth.words(&generation.snapshot);
                text.append(&paragraph_within("", &words, output::columns()));
            }
            text
        }
    }
}

fn names(generation: &Generation, row: &BoardRow) -> Vec<String> {
    row.jobs.iter().map(|job| generation.snapshot.jobs[*job].name.to_string()).collect()
}

fn board_text(generation: &Generation, board: &Board) -> Lines {
    let (snap, mut text) = (&generation.snapshot, alerts_text(generation));
    let columns = output::columns();
    let waiting = words::count(board.waiting, "job");
    let verb = if board.waiting == 1 { "waits" } else { "wait" };
    text.line(format_args!("{waiting} {verb} for {:.1} core-hours", board.core_hours));
    text.blank();
    text.line("  jobs  core-hours  nodes  cause");
    for row in &board.rows {
        // The sentence names the jobs that it is about.
        let about = Some(row.cause_object()).filter(|it| !it.is_empty() && snap.job_named(it).is_none());
        let about = about.map_or_else(String::new, |about| format!(" {about}"));
        let nodes = if row.analysed { row.nodes.to_string() } else { "-".to_owned() };
        let counts = format!("{:>6} {:>11.1} {nodes:>6}  ", row.jobs.len(), row.core_hours);
        let cause = format!("{}{about}: {}", row.title(), row.example);
        text.append(&paragraph_within(&counts, &cause, columns));
        let indent = " ".repeat(counts.len());
        let jobs = words::first_names(&names(generation, row), 8);
        text.append(&paragraph_within(&indent, &jobs, columns));
        if let Some(never) = row.never_besides() {
            text.append(&paragraph_within(&indent, &never.to_string(), columns));
        }
    }
    if let Some(sample) = board.sample() {
        text.blank();
        text.append(&paragraph_within("", &sample.to_string(), columns));
    }
    text
}

/// Returns what an operator must see, a line each, limited per kind. A truncated dump is left out: the heading of
/// every answer states it.
fn alerts_text(generation: &Generation) -> Lines {
    const MAX_ITEMS: usize = 10;
    let mut text = Lines::new();
    let cut: Vec<&Diagnostic> = generation.snapshot.truncation_findings().collect();
    let stands_above = |item: &&AlertItem| item.finding.as_deref().is_some_and(|found| cut.contains(&found));
    for alert in &*generation.alerts {
        let items: Vec<&AlertItem> = alert.items.iter().filter(|item| !stands_above(item)).collect();
        for item in items.iter().take(MAX_ITEMS) {
            text.append(&paragraph_within("! ", &item.sentence, output::columns()));
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
