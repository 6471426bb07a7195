//! A plain list of shapes, packed on the operator's own node types.

use std::collections::BTreeMap;

use color_eyre::eyre::{Result, eyre};
use serde::Serialize;

use qscope_engine::cluster::show_duration;
use qscope_exits::Lines;
use qscope_planning::capacity::entry::{self, PackingOutcome, ShapeRow};
use qscope_planning::capacity::fit::lacks;
use qscope_planning::capacity::{CapacityShape, EstimateOptions, Fidelity, ShapeList, TypeSupply, words};

use crate::command::capacity::CapacityArgs;
use crate::command::output;

/// The answer for a list.
#[derive(Serialize)]
struct ShapeListJson<'a> {
    /// Seconds within which every job should begin.
    target: f64,
    jobs: u64,
    types: Vec<ShapesTypeJson<'a>>,
    nodes: u64,
    /// Nodes by the original's rules, if their number differs by more than a fifth; else null.
    original: Option<BTreeMap<&'a str, u64>>,
    /// Jobs that fit no type.
    never: u64,
}

/// A type, and how many nodes of it are needed.
#[derive(Serialize)]
struct ShapesTypeJson<'a> {
    name: &'a str,
    need: u64,
    max: u64,
}

/// Packs a list and prints how many nodes it needs.
///
/// # Errors
/// If there are no node types, or the wall times cannot be packed.
pub(super) fn print(
    list: &ShapeList,
    types: Option<Vec<TypeSupply>>,
    args: &CapacityArgs,
    fidelity: Fidelity,
) -> Result<()> {
    let types = types.ok_or_else(|| eyre!("a list of shapes needs --types FILE, the nodes to be had"))?;
    let target = args.target.unwrap_or(EstimateOptions::default().target);
    let (needed, unfit) = packed(list, &types, target, fidelity)?;
    let other = match fidelity {
        Fidelity::Corrected => Some(packed(list, &types, target, Fidelity::Compat)?.0),
        Fidelity::Compat => None,
    };
    let sum = |needed: &[u64]| needed.iter().sum::<u64>();
    let far = |other: &Vec<u64>| {
        let (ours, theirs) = (sum(&needed) as f64, sum(other) as f64);
        (ours - theirs).abs() > ours.max(theirs) / 5.0
    };
    let by_name = |needed: &[u64]| {
        types
            .iter()
            .zip(needed)
            .map(|(stock, need)| (&*stock.node_type.name, *need))
            .collect::<BTreeMap<_, _>>()
    };
    let answer = ShapeListJson {
        target,
        jobs: list.jobs.iter().map(|(_, count)| count).sum(),
        types: types
            .iter()
            .zip(&needed)
            .map(|(stock, need)| ShapesTypeJson {
                name: &stock.node_type.name,
                need: *need,
                max: stock.node_type.max,
            })
            .collect(),
        nodes: sum(&needed),
        original: other.filter(far).map(|other| by_name(&other)),
        never: unfit,
    };
    if args.form.json { output::print_json(&answer) } else { output::print(&to_text(&answer, list, &types)) }
}

/// Returns how many nodes of each type are needed, and how many jobs fit none.
fn packed(
    list: &ShapeList,
    types: &[TypeSupply],
    target: f64,
    fidelity: Fidelity,
) -> Result<(Vec<u64>, u64)> {
    let shapes: Vec<CapacityShape> = types.iter().map(|stock| stock.node_type.shape).collect();
    // The packer treats types of one shape as one: the first of them gets the nodes.
    let mut left: Vec<(ShapeRow, u64)> = match entry::pack(&shapes, &list.jobs, target, fidelity)? {
        PackingOutcome::Packed(answer) => answer.order.into_iter().zip(answer.required).collect(),
        PackingOutcome::Failed { .. } => Vec::new(),
    };
    let take = |shape: &CapacityShape| {
        let row = ShapeRow::from(shape);
        let found = left.iter_mut().find(|(have, _)| *have == row);
        found.map_or(0, |(_, need)| std::mem::take(need))
    };
    let needed = shapes.iter().map(take).collect();
    let unfit = list.jobs.iter().filter(|(shape, _)| !fits_any(shape, types));
    Ok((needed, unfit.map(|(_, count)| count).sum()))
}

/// Returns whether an empty node of some type has room for a job.
fn fits_any(job: &CapacityShape, types: &[TypeSupply]) -> bool {
    types.iter().any(|stock| lacks(job, &stock.node_type.shape).is_empty())
}

fn to_text(answer: &ShapeListJson<'_>, list: &ShapeList, types: &[TypeSupply]) -> Lines {
    let mut text = Lines::new();
    let count = qscope_explain::words::count;
    text.line(match answer.jobs.saturating_sub(answer.never) {
        0 if answer.never > 0 => format!("none of {} fits a node of any type", count(answer.jobs, "job")),
        fitting => format!(
            "{} so that each of {} begins within {}",
            count(answer.nodes, "node"),
            count(fitting, "job"),
            show_duration(answer.target)
        ),
    });
    text.blank();
    text.line(" need   max  type");
    for (kind, stock) in answer.types.iter().zip(types) {
        let beyond = if kind.need > kind.max { "  more than can be had" } else { "" };
        let shape = words::chunk(&stock.node_type.shape);
        text.line(format_args!("{:>5} {:>5}  {}: {shape}{beyond}", kind.need, kind.max, kind.name));
    }
    if let Some(original) = &answer.original {
        let each: Vec<String> = original.iter().map(|(name, need)| format!("{need} {name}")).collect();
        text.line(format_args!("Toil would need {}: more than a fifth apart", each.join(", ")));
    }
    if answer.never > 0 {
        text.line(format_args!("never, whatever the number of nodes: {} of the jobs", answer.never));
        for (shape, count) in &list.jobs {
            if !fits_any(shape, types) {
                text.line(format_args!("  {count} × {}", words::chunk(shape)));
            }
        }
    }
    text
}
