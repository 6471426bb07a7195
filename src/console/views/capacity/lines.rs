//! The panes that are only text.

use crate::story::{Paragraph, TextPiece};
use crate::theme::Role;
use qscope_engine::cluster::{count, show_duration};
use qscope_planning::capacity::demand;
use qscope_planning::capacity::{Fidelity, words};

use super::study::{Controls, QuickAnswer};

/// The types with their nodes, then sums and notes.
pub(super) fn need(quick: &QuickAnswer, controls: Controls) -> Vec<Paragraph> {
    let report = &quick.report;
    let answer = &report.answer;
    let heading = format!("   #{}", words::TYPES_HEADING);
    let mut lines = vec![Paragraph::Line(vec![TextPiece::of(Role::Heading, heading)])];
    for (ix, need) in answer.types.iter().enumerate() {
        let Some((text, beyond)) = report.type_line(ix) else { continue };
        let role = if need.need == 0 { Role::TextDim } else { Role::Text };
        let beyond = beyond.map(|beyond| TextPiece::of(Role::Warning, beyond));
        // The timeline names types by their numbers.
        let text = TextPiece::of(role, format!("{:>4}{text}", ix + 1));
        lines.push(Paragraph::Line(std::iter::once(text).chain(beyond).collect()));
    }
    lines.push(Paragraph::Blank);
    let (nodes, hours, makespan) = (answer.nodes(), answer.hours(), show_duration(answer.makespan));
    lines.push(text(format!(
        "{}, {hours:.1} node-hours; the last job ends after {makespan}",
        count(nodes, "node")
    )));
    lines.push(words_of([TextPiece::dim(format!(
        "wanted = the scaler's first request with inertia {:.1}, between up and max; bound = by volume",
        controls.beta
    ))]));
    facts(quick, &mut lines);
    lines
}

fn words_of(pieces: impl Into<Vec<TextPiece>>) -> Paragraph {
    Paragraph::words(4, pieces)
}

fn text(text: impl AsRef<str>) -> Paragraph {
    words_of([TextPiece::plain(text)])
}

fn facts(quick: &QuickAnswer, lines: &mut Vec<Paragraph>) {
    let report = &quick.report;
    if let Some(on_top) = &report.on_top {
        let (top, scratch) = (on_top.nodes(), report.scratch.nodes());
        let gap = top as i64 - scratch as i64;
        lines.push(text(format!(
            "fragmentation gap: {gap} {} ({top} on top of what runs, {scratch} from scratch)",
            if gap.abs() == 1 { "node" } else { "nodes" }
        )));
    }
    let sources: Vec<String> =
        demand::sources(&report.case.demands.all).iter().map(|(word, n)| format!("{n} {word}")).collect();
    lines.push(text(format!(
        "walltimes: {}",
        if sources.is_empty() { "no jobs".to_owned() } else { sources.join(", ") }
    )));
    let gangs: u64 = report.case.demands.all.iter().filter(|d| d.is_gang()).map(|d| d.copies).sum();
    if gangs > 0 {
        let gangs = count(gangs, "job");
        lines.push(match report.case.options.fidelity {
            Fidelity::Compat => text(format!(
                "gangs: {gangs} of several chunks, each chunk packed by itself, as Toil's scaler does"
            )),
            Fidelity::Corrected => words_of([
                TextPiece::plain(format!("gangs: {gangs} of several chunks, all begun together")),
                TextPiece::dim(" (Toil's scaler packs each chunk by itself)"),
            ]),
        });
    }
    if report.case.demands.coming > 0 {
        lines.push(text(format!("may still come: {} held, waiting or stopped", report.case.demands.coming)));
    }
    if quick.services.services > 0 {
        let role = if quick.services.can_deadlock() { Role::Error } else { Role::Text };
        lines
            .push(words_of([TextPiece::plain("services: "), TextPiece::of(role, quick.services.sentence())]));
    }
    for (_, what) in report.differences() {
        lines.push(words_of([TextPiece::dim(format!("Toil's scaler: {what}"))]));
    }
    for note in &report.case.notes {
        lines.push(words_of([TextPiece::of(Role::Warning, note)]));
    }
}

/// Groups of types listed for a shape that fits none.
const MAX_GROUPS: usize = 3;

/// Jobs that fit no type, and what would help.
pub(super) fn never(quick: &QuickAnswer) -> Vec<Paragraph> {
    let report = &quick.report;
    if report.answer.unplaceable.is_empty() {
        return vec![words_of([TextPiece::dim("Every job fits some type when it is empty.")])];
    }
    let mut lines = Vec::new();
    for never in &report.answer.unplaceable {
        let example = report.snap.jobs[never.example].short_name();
        let what = format!("{} x {}", never.jobs, words::chunk(&never.shape));
        lines.push(words_of([
            TextPiece::of(Role::VerdictNever, what),
            TextPiece::dim(format!("  such as {example}")),
        ]));
        let groups = report.lacking_by_type(never);
        for (types, lacks) in groups.iter().take(MAX_GROUPS) {
            let Some(stock) = types.first().and_then(|ix| report.case.stocks.get(*ix)) else { continue };
            let more = match types.len() {
                1 => String::new(),
                all => format!(" and {} more", count(all - 1, "type")),
            };
            lines.push(text(format!("    {}{more}: {lacks}", stock.node_type.name)));
        }
        let left: usize = groups.iter().skip(MAX_GROUPS).map(|(types, _)| types.len()).sum();
        if left > 0 {
            lines.push(text(format!("    and no better on {} more", count(left, "type"))));
        }
        if let Some(change) = report.change(never) {
            lines.push(words_of([TextPiece::of(Role::Heading, format!("    smallest change: {change}"))]));
        }
    }
    lines
}
