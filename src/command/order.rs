//! `qscope order`: the key that put each job of the queue before the next, and every key between two jobs.

use std::path::{Path, PathBuf};

use clap::Args;
use color_eyre::eyre::{Result, eyre};
use serde::Serialize;

use qscope_advice::order::{
    OrderChange, OrderComparison, OrderDecision, QueueOrder, between, moves_ahead, queue_order,
};
use qscope_engine::cluster::{JobId, short_id};
use qscope_exits::Lines;
use qscope_explain::words::{not_considered, verdict};
use qscope_session::Generation;

use super::arguments::{InputArgs, WhatIfArgs};
use super::plain::{self, NoVerdictsSubject};
use super::table::{grid, paragraph};
use super::{open, output};

const EXAMPLE: &str = "Examples:
  qscope order FOLDER              the whole queue, pair by pair
  qscope order 12 FOLDER           job 12 and the job directly ahead of it
  qscope order 12 9 FOLDER         every key between two jobs, and what would move the later one ahead";

/// The arguments of `order`.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLE)]
pub(super) struct OrderArgs {
    /// At most two jobs, then a folder, an archive, files, or - for standard input; by default the built-in sample. A
    /// word that begins with a digit and names no file is a job.
    #[arg(value_name = "JOB|FOLDER")]
    pub words: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Do not search for changes that would move the later job ahead.
    #[arg(long)]
    pub no_moves: bool,
    /// How to read the input.
    #[command(flatten)]
    pub reading: InputArgs,
    /// What to change first.
    #[command(flatten)]
    pub set: WhatIfArgs,
}

/// Explains the order; for two jobs, every key.
pub(super) fn run(args: &OrderArgs) -> Result<u8> {
    let (jobs, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        args.words.iter().cloned().partition(|word| is_job(word));
    if jobs.len() > 2 {
        return Err(eyre!("expected at most two jobs, found {}", jobs.len()));
    }
    let generation = open::changed_generation(&paths, &args.reading, &args.set)?;
    let named = jobs.iter().map(|name| open::job(&generation, &name.to_string_lossy()));
    let named: Vec<JobId> = named.collect::<Result<_>>()?;
    if let Some(code) = plain::print_if_no_verdicts(&generation, args.json, NoVerdictsSubject::Queue)? {
        return Ok(code);
    }
    match *named.as_slice() {
        [] => print_order(&generation, args.json)?,
        [job] => {
            let other = neighbour(&generation, job).ok_or_else(|| {
                eyre!("job {} is the only one considered", generation.snapshot.jobs[job].name)
            })?;
            pair(&generation, other, job, args)?;
        }
        [one, other, ..] => pair(&generation, one, other, args)?,
    }
    Ok(0)
}

/// Returns whether a word of the command line is a job.
fn is_job(word: &Path) -> bool {
    let begins = word.to_string_lossy().starts_with(|c: char| c.is_ascii_digit());
    begins && std::fs::symlink_metadata(word).is_err()
}

/// Returns the job considered directly before another one; for the first, the next one; for a job not considered, the
/// last one.
fn neighbour(generation: &Generation, job: JobId) -> Option<JobId> {
    let mut order: Vec<JobId> = generation.run.steps.iter().map(|step| step.outcome.job).collect();
    order.dedup();
    match order.iter().position(|have| *have == job) {
        Some(0) => order.get(1).copied(),
        Some(at) => order.get(at - 1).copied(),
        None => order.last().copied(),
    }
}

fn print_order(generation: &Generation, as_json: bool) -> Result<()> {
    let found = queue_order(&generation.run);
    let about = output::AnswerContext::as_a_whole(generation).with_scheduling();
    output::answer(about, as_json, || &found, || order_text(&found))
}

/// Two jobs, as JSON.
#[derive(Serialize)]
struct JobPairJson<'a> {
    #[serde(flatten)]
    keys: &'a OrderComparison,
    moves: &'a [OrderChange],
}

fn pair(generation: &Generation, one: JobId, other: JobId, args: &OrderArgs) -> Result<()> {
    let jobs = &generation.snapshot.jobs;
    if one == other {
        let name = &jobs[one].name;
        return Err(match jobs[one].is_array() {
            true => eyre!("expected two jobs; subjobs of {name} have one place, that of their array"),
            false => eyre!("expected two jobs, found {name} twice"),
        });
    }
    let keys = between(&generation.run, one, other).ok_or_else(|| {
        eyre!("neither {} nor {} is considered in this cycle", jobs[one].name, jobs[other].name)
    })?;
    let moves = if args.no_moves { Vec::new() } else { moves_ahead(&generation.run, &keys, &|| true) };
    let about = output::AnswerContext::as_a_whole(generation).with_scheduling();
    if args.json {
        return output::print_json_about(about, JobPairJson { keys: &keys, moves: &moves });
    }
    let mut text = between_text(&keys);
    if !args.no_moves {
        text.append(&moves_text(&keys, &moves));
    }
    output::print_about(about, &text)
}

fn order_text(found: &QueueOrder) -> Lines {
    let how = match found.queues {
        "by_queue" => "queue after queue, by Priority; in a queue by ",
        "round_robin" => "queues of equal Priority in turn; in a queue by ",
        _ => "all queues in one list, by ",
    };
    let mut text = paragraph("", &format!("{how}{}", found.keys.join(", ")));
    text.blank();
    let rows: Vec<Vec<String>> = found
        .jobs
        .iter()
        .map(|job| {
            let decision = job.before_next.as_ref();
            let part = |part: fn(&OrderDecision) -> &String| decision.map(part).cloned().unwrap_or_default();
            vec![
                job.order.map_or_else(|| "-".to_owned(), |order| order.to_string()),
                short_id(&job.job).to_owned(),
                job.user.clone(),
                verdict(job.shown).to_owned(),
                decision.map_or_else(|| "-".to_owned(), |found| found.key.clone()),
                part(|found| &found.first),
                part(|found| &found.second),
            ]
        })
        .collect();
    text.append(&grid(
        &["order", "job", "user", "", "before the next by", "its own", "the next"],
        &rows,
        &[0],
    ));
    if found.not_considered + found.subjobs_of_arrays > 0 {
        text.blank();
        text.line(not_considered(found.not_considered, found.subjobs_of_arrays));
    }
    text
}

fn between_text(found: &OrderComparison) -> Lines {
    let [first, second] = [&found.first, &found.second].map(|name| short_id(name));
    let order = |at: Option<usize>| at.map_or_else(|| "not considered".to_owned(), |at| at.to_string());
    let decision = &found.decided_by;
    let values = match (&*decision.first, &*decision.second) {
        ("", "") => String::new(),
        (own, other) => format!(", {own} against {other}"),
    };
    let by = if decision.by == "not_ready" { ": " } else { " by " };
    let head = format!(
        "{first} comes before {second} (order {} and {}){by}{}{values}",
        order(found.orders[0]),
        order(found.orders[1]),
        decision.key
    );
    let mut text = paragraph("", &head);
    text.blank();
    let rows: Vec<Vec<String>> = found
        .keys
        .iter()
        .map(|row| {
            let ahead = match row.ahead {
                Some("first") => first,
                Some(_) => second,
                None => "equal",
            };
            let mark = if row.decides { "*" } else { "" };
            vec![mark.to_owned(), row.key.clone(), row.first.clone(), row.second.clone(), ahead.to_owned()]
        })
        .collect();
    text.append(&grid(&["", "key", first, second, "ahead"], &rows, &[]));
    text.append(&formula_text(found, first, second));
    text.append(&shares_text(found, first, second));
    text
}

fn formula_text(found: &OrderComparison, first: &str, second: &str) -> Lines {
    let Some(formula) = &found.formula else { return Lines::new() };
    let mut text = Lines::new();
    text.blank();
    text.append(&paragraph("job_sort_formula: ", &formula.text));
    let show = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    let mut rows: Vec<Vec<String>> = formula
        .terms
        .iter()
        .map(|term| vec![term.name.clone(), show(term.first), show(term.second)])
        .collect();
    let [own, other] = formula.value;
    // The value as stored, in the fewest digits that identify it.
    let single =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| (value as f32).to_string());
    rows.push(vec!["= value, single precision".to_owned(), single(own), single(other)]);
    text.append(&grid(&["name", first, second], &rows, &[1, 2]));
    text
}

fn shares_text(found: &OrderComparison, first: &str, second: &str) -> Lines {
    let mut text = Lines::new();
    if found.shares.is_empty() {
        return text;
    }
    let row = |row: &qscope_advice::order::ShareRow| {
        let job = if row.job == "first" { first } else { second };
        let name = format!("{}{}", "  ".repeat(row.depth - 1), row.entity);
        let percent = format!("{:.2} %", row.percentage * 100.0);
        vec![job.to_owned(), name, percent, format!("{:.0}", row.usage), row.burden_words()]
    };
    let rows: Vec<Vec<String>> = found.shares.iter().map(row).collect();
    text.blank();
    text.line("fair share, from the root down; where the paths part, less usage/share is ahead");
    text.append(&grid(&["job", "entity", "share", "usage", "usage/share"], &rows, &[2, 3, 4]));
    text
}

fn moves_text(comparison: &OrderComparison, moves: &[OrderChange]) -> Lines {
    let [first, second] = [&comparison.first, &comparison.second].map(|name| short_id(name));
    let mut text = Lines::new();
    text.blank();
    if moves.is_empty() {
        text.line(format_args!("No change of {second} alone was found that moves it ahead of {first}."));
        return text;
    }
    text.line(format_args!("Moves {second} ahead of {first} (each tried by running the cycle again):"));
    let rows: Vec<Vec<String>> =
        moves.iter().map(|found| vec![found.by.to_owned(), found.change.clone()]).collect();
    text.append(&grid(&["by", "change"], &rows, &[]));
    text
}
