//! The sweep of target times and intervals, and the scaler over time, as bars.

use crate::story::{Paragraph, TextPiece};
use crate::theme::{Role, Theme};
use qscope_engine::cluster::short_id;
use qscope_engine::cluster::{count, show_duration};
use qscope_planning::capacity::closed_loop::{LoopEnd, LoopOutcome, LoopState};

use super::study::{QuickAnswer, SlowAnswer};

/// A bar of `columns` columns, filled by `part / whole`.
fn bar(part: f64, whole: f64, columns: usize, theme: &Theme) -> String {
    let filled = if whole > 0.0 { (part / whole).clamp(0.0, 1.0) * columns as f64 } else { 0.0 };
    let full = filled.round() as usize;
    let sign = theme.by_set("█", "#");
    format!("{}{}", sign.repeat(full), " ".repeat(columns.saturating_sub(full)))
}

fn line(pieces: impl Into<Vec<TextPiece>>) -> Paragraph {
    Paragraph::Line(pieces.into())
}

/// Target time against nodes, node-hours, cost and makespan.
pub(super) fn sweep(slow: &SlowAnswer, quick: &QuickAnswer, width: usize, theme: &Theme) -> Vec<Paragraph> {
    let priced = slow.sweep.iter().any(|point| point.cost.is_some());
    let columns = (width.saturating_sub(44) / 2).clamp(4, 60);
    let max_nodes = slow.sweep.iter().map(|point| point.nodes).max().unwrap_or(0) as f64;
    let max_hours = slow.sweep.iter().map(|point| point.hours).fold(0.0, f64::max);
    let cost = if priced { "     cost" } else { "" };
    let heading = format!("  target  nodes {:columns$} node-hours {:columns$} makespan{cost}", "", "");
    let mut lines = vec![line([TextPiece::of(Role::Heading, heading)])];
    for point in &slow.sweep {
        let here = (point.target - quick.report.answer.target).abs() < 0.5;
        let mark = if here { theme.by_set("▸", ">") } else { " " };
        let role = if here { Role::Cursor } else { Role::Text };
        let cost = point.cost.map_or_else(String::new, |cost| format!(" {cost:>8.2}"));
        lines.push(line([
            TextPiece::of(role, format!("{mark} {:>6} {:>6} ", show_duration(point.target), point.nodes)),
            TextPiece::of(Role::Gauge, bar(point.nodes as f64, max_nodes, columns, theme)),
            TextPiece::plain(format!(" {:>10.1} ", point.hours)),
            TextPiece::of(Role::Gauge, bar(point.hours, max_hours, columns, theme)),
            TextPiece::plain(format!(" {:>8}{cost}", show_duration(point.makespan))),
        ]));
    }
    lines.push(line([TextPiece::dim("node-hours with 2m of boot for each node")]));
    if !slow.intervals.is_empty() {
        let heading = "interval  most nodes  node-hours  makespan  the scaler's way there";
        lines.extend([Paragraph::Blank, line([TextPiece::of(Role::Heading, heading)])]);
    }
    for (interval, outcome) in &slow.intervals {
        let makespan = outcome.makespan.map_or("never".to_owned(), show_duration);
        let (interval, hours) = (show_duration(*interval), outcome.node_seconds / 3600.0);
        let numbers = format!("{interval:>8} {:>11} {hours:>11.1} {makespan:>9}", outcome.max_nodes);
        lines.push(line([TextPiece::plain(numbers)]));
    }
    lines
}

/// The scaler over time: number of nodes wanted, held, idle, draining and booting.
pub(super) fn scaler(slow: &SlowAnswer, quick: &QuickAnswer, width: usize, theme: &Theme) -> Vec<Paragraph> {
    let mut lines = drained_next(quick);
    let outcome = match &slow.scaler {
        Ok(outcome) => outcome,
        Err(why) => {
            lines.push(line([TextPiece::of(Role::Warning, why)]));
            return lines;
        }
    };
    lines.push(summary(outcome));
    let most = outcome.trace.iter().map(|moment| moment.held).max().unwrap_or(0) as f64;
    let columns = width.saturating_sub(72).clamp(6, 40);
    let heading =
        format!("    time queued running wanted have {:columns$} booting idle drain  idle because", "");
    lines.push(line([TextPiece::of(Role::Heading, heading)]));
    for moment in &outcome.trace {
        let wanted: i64 = moment.wanted.iter().sum();
        let (time, booting) = (show_duration(moment.time), moment.held - moment.ready);
        let jobs =
            format!("{time:>8} {:>6} {:>7} {wanted:>6} {:>4} ", moment.queued, moment.running, moment.ready);
        let rest = format!(" {booting:>7} {:>4} {:>5}  ", moment.idle, moment.ignored);
        let held = bar(moment.held as f64, most, columns, theme);
        let why = TextPiece::dim(why_idle(moment, wanted));
        lines.push(line([
            TextPiece::plain(jobs),
            TextPiece::of(Role::Gauge, held),
            TextPiece::plain(rest),
            why,
        ]));
    }
    lines
}

fn summary(outcome: &LoopOutcome) -> Paragraph {
    let hours = outcome.node_seconds / 3600.0;
    let most = count(outcome.max_nodes, "node");
    let cost = TextPiece::plain(format!("; {hours:.1} node-hours, at most {most}"));
    let line = |role, text: String| Paragraph::words(4, [TextPiece::of(role, text), cost]);
    match outcome.end {
        LoopEnd::Done(_) => {
            let makespan = outcome.makespan.map_or_else(String::new, show_duration);
            line(Role::Text, format!("from nothing, a cycle each minute, 2m boot: done after {makespan}"))
        }
        LoopEnd::Deadlock(at) => line(Role::Error, format!("service deadlock after {}", show_duration(at))),
        LoopEnd::Stuck(at) => {
            line(Role::Error, format!("stuck after {}: nothing can change", show_duration(at)))
        }
        LoopEnd::CycleLimit(at) => line(Role::Error, format!("given up after {}", show_duration(at))),
    }
}

/// Why nodes without jobs are kept.
fn why_idle(moment: &LoopState, wanted: i64) -> &'static str {
    if moment.idle == 0 {
        ""
    } else if moment.queued > 0 {
        "no room for what waits"
    } else if wanted >= i64::try_from(moment.held).unwrap_or(i64::MAX) {
        "still in the average"
    } else {
        "to be drained next"
    }
}

/// The nodes that would be drained first, and the jobs at risk on them.
fn drained_next(quick: &QuickAnswer) -> Vec<Paragraph> {
    let snap = &quick.report.snap;
    if quick.victims.is_empty() {
        return vec![line([TextPiece::dim("No node that is up would be drained.")])];
    }
    let names: Vec<String> = quick
        .victims
        .iter()
        .take(6)
        .map(|victim| {
            let node = &snap.nodes[victim.node];
            if victim.jobs == 0 {
                return format!("{} idle", node.name);
            }
            let jobs: Vec<&str> = node.jobs.iter().take(3).map(|job| short_id(job)).collect();
            format!("{} at risk: {}", node.name, jobs.join(" "))
        })
        .collect();
    vec![line([TextPiece::plain("would drain next: "), TextPiece::of(Role::Warning, names.join(", "))])]
}
