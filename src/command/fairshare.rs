//! `qscope fairshare`: the fair share tree with shares, usage and jobs, and the position of one entity.

use std::sync::Arc;

use clap::Args;
use color_eyre::eyre::{Result, eyre};
use serde::Serialize;

use qscope_engine::cluster::did_you_mean::question;
use qscope_engine::cluster::{Id, short_id};
use qscope_engine::cycle::Debugger;
use qscope_exits::Lines;
use qscope_explain::words::{count, folded_within};
use qscope_session::Generation;
use qscope_session::fairshare::{
    FairshareSnapshot, ShareEntity, ShareLevel, SharePosition, ShareRival, burden_words, percent_words,
    usage_words,
};

use super::arguments::ClusterArgs;
use super::plain::{self, NoVerdictsSubject};
use super::table::{COLUMNS, grid, paragraph};
use super::{open, output};

const EXAMPLE: &str = "Examples:
  qscope fairshare FOLDER             the whole tree before the first step
  qscope fairshare FOLDER --after 12  with what starts and top jobs were charged up to job 12
  qscope fairshare FOLDER --of ann    the numbers compared on ann's path, and who goes before

`used` is the part of an entity's share of all usage that it has used: with more than 100 % it is over its share.";

/// The arguments of `fairshare`.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLE)]
pub(super) struct FairshareArgs {
    /// The folder, the output form, and what to change first.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// Only this entity: its path, its jobs, and the entities before and after it.
    #[arg(long, value_name = "ENTITY")]
    pub of: Option<String>,
    /// Show the tree after the step that considers this job (the last one, if several do), with the usage charged up
    /// to then.
    #[arg(long, value_name = "JOB")]
    pub after: Option<String>,
}

/// Prints the tree, or the position of an entity in it.
///
/// # Errors
/// If the input is bad, there is no such entity, the job is not considered, or the output cannot be written.
pub(super) fn run(args: &FairshareArgs) -> Result<u8> {
    let as_json = args.cluster.as_json();
    let generation = open::what_if(&args.cluster)?;
    if let Some(code) = plain::print_if_no_verdicts(&generation, as_json, NoVerdictsSubject::Queue)? {
        return Ok(code);
    }
    let tree = tree(&generation, args.after.as_deref())?;
    let about = output::AnswerContext::as_a_whole(&generation);
    let Some(name) = &args.of else {
        output::answer(about, as_json, || &tree, || tree_text(&tree, &generation))?;
        return Ok(0);
    };
    let Some(entity) = tree.named(name) else {
        let hint = question(name, tree.entities.iter().map(|entity| &*entity.entity));
        return Err(eyre!("no entity `{name}` among {} of the tree{hint}", tree.entities.len()));
    };
    let standing = tree.position_of(entity);
    let json = || EntityJson::of(entity, &standing, &tree, &generation);
    output::answer(about, as_json, json, || entity_text(entity, &standing, &tree, &generation))?;
    Ok(0)
}

/// Returns the tree at the start of the cycle, or after the last step that considers a job.
fn tree(generation: &Generation, after: Option<&str>) -> Result<FairshareSnapshot> {
    let mut debugger = Debugger::new(Arc::clone(&generation.run));
    if let Some(name) = after {
        let (_, step) = open::step_after(generation, name)?;
        debugger.seek(step.ix() + 1);
    }
    Ok(FairshareSnapshot::at(&generation.run, debugger.state(), debugger.position()))
}

#[derive(Serialize)]
struct EntityJson<'a> {
    #[serde(flatten)]
    entity: &'a ShareEntity,
    after_step: usize,
    notes: &'a [String],
    #[serde(flatten)]
    standing: &'a SharePosition,
    /// The full ids of its jobs.
    jobs_waiting: Vec<&'a str>,
    jobs_running: Vec<&'a str>,
}

impl<'a> EntityJson<'a> {
    fn of(
        entity: &'a ShareEntity,
        standing: &'a SharePosition,
        tree: &'a FairshareSnapshot,
        generation: &'a Generation,
    ) -> Self {
        let jobs = &generation.snapshot.jobs;
        let [jobs_waiting, jobs_running] = [&standing.waiting, &standing.running]
            .map(|ids| ids.iter().map(|job| &*jobs[*job].name).collect::<Vec<_>>());
        Self { entity, after_step: tree.after_step, notes: &tree.notes, standing, jobs_waiting, jobs_running }
    }
}

fn heading(tree: &FairshareSnapshot, generation: &Generation) -> Lines {
    let moment = match tree.after_step {
        0 => "before the first step".to_owned(),
        step => format!("after step {step}"),
    };
    let mut text = paragraph("", &format!("{moment}: {}", tree.summary(&generation.snapshot)));
    text.blank();
    text
}

fn tree_text(tree: &FairshareSnapshot, generation: &Generation) -> Lines {
    let mut text = heading(tree, generation);
    let rows: Vec<Vec<String>> = tree.entities.iter().map(row).collect();
    text.append(&grid(
        &["entity", "shares", "of tree", "usage", "used", "", "run", "wait", "next"],
        &rows,
        &[1, 2, 3, 4, 6, 7],
    ));
    text
}

fn row(entity: &ShareEntity) -> Vec<String> {
    let of_members = |text: String| if entity.is_root() { String::new() } else { text };
    let used = entity.used().map_or_else(|| "-".to_owned(), percent_words);
    let state = if entity.state == "none" { "no share" } else { entity.state };
    vec![
        format!("{}{}", "  ".repeat(entity.depth), entity.entity),
        of_members(usage_words(entity.shares)),
        percent_words(entity.of_tree),
        usage_words(entity.usage),
        of_members(used),
        of_members(state.to_owned()),
        entity.running.to_string(),
        entity.waiting.to_string(),
        entity.next_job.as_deref().map_or("-", short_id).to_owned(),
    ]
}

fn entity_text(
    of: &ShareEntity,
    position: &SharePosition,
    tree: &FairshareSnapshot,
    generation: &Generation,
) -> Lines {
    let mut text = heading(tree, generation);
    let level = |found: &ShareLevel| {
        let place = format!("{} of {}", found.place, found.siblings.len());
        let (percent, usage) = (percent_words(found.of_tree), usage_words(found.usage));
        vec![found.depth.to_string(), found.entity.clone(), percent, usage, burden_words(found.burden), place]
    };
    let levels: Vec<Vec<String>> = position.levels.iter().map(level).collect();
    text.append(&grid(
        &["level", "entity", "of tree", "usage", "usage/share", "place"],
        &levels,
        &[0, 2, 3, 4],
    ));
    text.blank();
    for (word, ids) in [("waiting", &position.waiting), ("running", &position.running)] {
        let names: Vec<&str> = ids.iter().map(|job| generation.snapshot.jobs[*job].short_name()).collect();
        let listed = folded_within(names.iter().copied(), COLUMNS - 24);
        text.line(format_args!(
            "{} {word}{}{listed}",
            count(names.len(), "job"),
            if names.is_empty() { "" } else { ": " }
        ));
    }
    if position.rivals.is_empty() {
        return text;
    }
    text.blank();
    text.line(format_args!(
        "Entities with waiting jobs, by the first level where they differ from {}",
        of.entity
    ));
    let rival = |found: &ShareRival| {
        let of = |name: &str, burden| format!("{name} {}", burden_words(burden));
        vec![
            found.goes.to_owned(),
            found.entity.clone(),
            found.waiting.to_string(),
            found.next_job.as_deref().map_or("-", short_id).to_owned(),
            found.depth.to_string(),
            of(&found.other, found.other_burden),
            of(&found.own, found.own_burden),
        ]
    };
    let rows: Vec<Vec<String>> = position.rivals.iter().map(rival).collect();
    text.append(&grid(
        &["goes", "entity", "wait", "next", "level", "usage/share", "against"],
        &rows,
        &[2, 4],
    ));
    text
}
