//! The answers as text.

use color_eyre::eyre::Result;

use qscope_engine::cluster::{count, show_duration};
use qscope_exits::{Lines, json};
use qscope_planning::capacity::entry::{
    AnswerByKind, EntryDifference, LoopAnswer, LoopStateRow, PackingAnswer, PackingOutcome, PlainNumber,
    ScalerAnswer, UnfitRow,
};
use qscope_planning::capacity::{CapacityReport, Fidelity, LoopEnd, TypeNeed, TypeSupply, demand, words};

use crate::command::table::paragraph;

/// Names the scaler that the estimates follow.
const TOIL: &str =
    "Toil is the workflow engine whose scaler these estimates follow; --compat answers as it does";

/// Returns the answer for a cluster.
pub(super) fn report(report: &CapacityReport) -> Lines {
    let mut out = Lines::new();
    write_report(&mut out, report);
    out
}

fn write_report(out: &mut Lines, report: &CapacityReport) {
    let CapacityReport { case, answer, .. } = report;
    let how = if case.on_top { "on top of what runs" } else { "from scratch" };
    let truth = if case.options.fidelity == Fidelity::Compat { ", as Toil answers" } else { "" };
    out.line(format_args!(
        "{} {how} so that every job begins within {}{truth}; the last ends after {}.",
        count(answer.nodes(), "node"),
        show_duration(answer.target),
        show_duration(answer.makespan)
    ));
    out.blank();
    out.line(words::TYPES_HEADING);
    let mut types: Vec<usize> = (0..case.stocks.len()).collect();
    let price = |ix: &usize| case.stocks.get(*ix).and_then(|stock| stock.node_type.price);
    types.sort_by(|a, b| price(a).unwrap_or(0.0).total_cmp(&price(b).unwrap_or(0.0)));
    for ix in types {
        let (Some((line, beyond)), Some(need)) = (report.type_line(ix), answer.types.get(ix)) else {
            continue;
        };
        let price = price(&ix).map_or(String::new(), |p| format!("  {p}/h, {:.2}", p * need.hours));
        out.line(format_args!("{line}{price}{}", beyond.unwrap_or_default()));
    }
    for words in (0..case.stocks.len()).filter_map(|ix| report.wanted_words(ix)) {
        out.line(format_args!("  {words}"));
    }
    if let Some(original) = report.differing_original() {
        let need_text =
            |(stock, need): (&TypeSupply, &TypeNeed)| format!("{} {}", need.need, stock.node_type.name);
        let needed = case.stocks.iter().zip(&original.types).filter(|(_, need)| need.need > 0);
        let each: Vec<String> = needed.map(need_text).collect();
        let (nodes, each) = (count(original.nodes(), "node"), each.join(", "));
        let apart = format!("Toil needs {nodes} ({each}): more than a fifth apart, see below");
        out.append(&paragraph("", &apart));
    }
    if let Some(cost) = answer.cost() {
        let order = if answer.by_price { "cheapest first is cheaper" } else { "smallest first is as cheap" };
        out.line(format_args!("cost: {cost:.2} ({order})"));
    }
    write_facts(out, report);
    write_never(out, report);
    if !report.differences().is_empty() {
        out.append(&paragraph("", TOIL));
    }
    for (defect, what) in report.differences() {
        out.append(&paragraph("", &format!("differs from Toil ({defect}): {what}")));
    }
    for note in &case.notes {
        out.append(&paragraph("note: ", note));
    }
}

fn write_facts(out: &mut Lines, report: &CapacityReport) {
    let CapacityReport { case, .. } = report;
    let sources: Vec<String> =
        demand::sources(&case.demands.all).iter().map(|(word, n)| format!("{n} {word}")).collect();
    let sources = if sources.is_empty() { "no jobs".to_owned() } else { sources.join(", ") };
    out.blank();
    out.line(format_args!("walltimes: {sources}"));
    let gangs: u64 = case.demands.all.iter().filter(|d| d.is_gang()).map(|d| d.copies).sum();
    if gangs > 0 {
        let how = match case.options.fidelity {
            Fidelity::Compat => "each chunk packed by itself, as Toil would",
            Fidelity::Corrected => "their chunks begin together (beyond Toil)",
        };
        out.line(format_args!("jobs of several chunks: {gangs}; {how}"));
    }
    if case.demands.coming > 0 {
        out.line(format_args!(
            "may still come (held, waiting, or in a stopped queue): {}",
            case.demands.coming
        ));
    }
    if let Some(on_top) = &report.on_top {
        out.line(format_args!(
            "fragmentation gap: {} ({} on top of what runs, {} from scratch)",
            on_top.nodes() as i64 - report.scratch.nodes() as i64,
            count(on_top.nodes(), "node"),
            report.scratch.nodes()
        ));
    }
    out.line(format_args!("services: {}", report.services().sentence()));
}

/// Maximum number of types listed for a shape that fits none.
const MAX_TYPES: usize = 3;

fn write_never(out: &mut Lines, report: &CapacityReport) {
    if report.answer.unplaceable.is_empty() {
        return;
    }
    out.blank();
    out.line("never, whatever the number of nodes:");
    for never in &report.answer.unplaceable {
        let example = report.snap.jobs[never.example].short_name();
        out.line(format_args!("  {} × {} (such as {example})", never.jobs, words::chunk(&never.shape)));
        let types: Vec<usize> = never.closest_first();
        for ix in types.iter().take(MAX_TYPES) {
            let Some(stock) = report.case.stocks.get(*ix) else { continue };
            out.line(format_args!("      {}: {}", stock.node_type.name, report.lacking(never, *ix)));
        }
        if types.len() > MAX_TYPES {
            out.line(format_args!("      and no better on {} more types", types.len() - MAX_TYPES));
        }
        if let Some(change) = report.change(never) {
            out.line(format_args!("    smallest change: {change}"));
        }
    }
}

/// Returns the answer to a problem from a file.
pub(super) fn problem(answer: &ScalerAnswer<'_>) -> Result<Lines> {
    let mut out = Lines::new();
    let by_kind = if let ScalerAnswer::Problem(problem) = answer { Some(&problem.answer) } else { None };
    match by_kind {
        Some(AnswerByKind::Packing(PackingOutcome::Packed(packed))) => packing(&mut out, packed)?,
        Some(AnswerByKind::Loop(outcome)) => trace(&mut out, outcome)?,
        _ => out.extend(json::pretty(answer)?.lines()),
    }
    Ok(out)
}

fn packing(out: &mut Lines, answer: &PackingAnswer) -> Result<()> {
    out.line("nodes  type [slice s, memory, cores, disk, preemptible]");
    for (need, shape) in answer.required.iter().zip(&answer.order) {
        out.line(format_args!("{need:>5}  {}", json::compact(shape)?));
    }
    for UnfitRow(shape, limits) in &answer.unfit {
        let (shape, limits) = (json::compact(shape)?, json::compact(limits)?);
        out.line(format_args!("never: {shape} is above {limits}"));
    }
    for EntryDifference { defect, what } in answer.differs.iter().flatten() {
        out.line(format_args!("differs from Toil ({defect}): {what}"));
    }
    Ok(())
}

/// Describes how a simulation ended, such as `service deadlock after 4m`; empty if it completed.
fn ending(end: LoopEnd) -> String {
    let (how, at) = match end {
        LoopEnd::Done(_) => return String::new(),
        LoopEnd::Deadlock(at) => ("service deadlock", at),
        LoopEnd::Stuck(at) => ("stuck", at),
        LoopEnd::CycleLimit(at) => ("ended", at),
    };
    format!("{how} after {}", show_duration(at))
}

fn trace(out: &mut Lines, answer: &LoopAnswer) -> Result<()> {
    out.line("     time  queued running  wanted  ready   held draining");
    for moment in &answer.trace {
        let LoopStateRow(PlainNumber(time), queued, running, wanted, ready, held, draining) = moment;
        let (time, wanted) = (show_duration(*time), json::compact(wanted)?);
        out.line(format_args!(
            "{time:>9} {queued:>7} {running:>7} {wanted:>7} {ready:>6} {held:>6} {draining:>8}"
        ));
    }
    out.line(format_args!("end: {}", ending(answer.end)));
    let last = answer.makespan.map_or("some jobs never ended".to_owned(), |seconds| {
        format!("the last job ended after {}", show_duration(seconds))
    });
    let hours = answer.node_seconds / 3600.0;
    out.line(format_args!("{last}; {hours:.1} node-hours, at most {} held", answer.most_nodes));
    if let Some(check) = &answer.service_check {
        out.line(format_args!("services: {}", check.finding));
    }
    Ok(())
}
