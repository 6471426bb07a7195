//! The reservations over time: one line for each node, showing its cores in use.

use crate::story::{Paragraph, TextPiece};
use crate::theme::{Role, Theme};
use crate::widgets::text::{Align, fit};
use qscope_engine::cluster::show_duration;

use super::study::{QuickAnswer, StudyNodeRow};

/// Columns for the name of a node.
const NAME: usize = 14;
/// Maximum number of nodes drawn; more are counted.
const MAX_NODES: usize = 2_000;

/// Number of lines.
pub(super) fn count(quick: &QuickAnswer) -> usize {
    let (nodes, has_note) = (quick.rows.len(), quick.rows.is_empty() || quick.rows.len() > MAX_NODES);
    nodes.min(MAX_NODES) + 2 + usize::from(has_note)
}

/// The scale, then the nodes.
pub(super) fn lines(quick: &QuickAnswer, width: usize, theme: &Theme) -> Vec<Paragraph> {
    let columns = width.saturating_sub(NAME + 1).max(8);
    let end = quick.report.answer.makespan.max(1.0);
    let mut all = vec![scale(quick, columns, end), legend(theme)];
    if quick.rows.is_empty() {
        all.push(dim("Nothing runs and nothing waits."));
    }
    all.extend(quick.rows.iter().take(MAX_NODES).map(|row| bar(quick, row, columns, end, theme)));
    if quick.rows.len() > MAX_NODES {
        all.push(dim(format!("and {} more", quick.rows.len() - MAX_NODES)));
    }
    all
}

fn dim(text: impl AsRef<str>) -> Paragraph {
    Paragraph::Line(vec![TextPiece::dim(text)])
}

/// The time axis; `T` marks the target time.
fn scale(quick: &QuickAnswer, columns: usize, end: f64) -> Paragraph {
    let mut text: Vec<char> = vec![' '; columns];
    let mut put = |at: usize, word: &str| {
        for (letter, slot) in word.chars().zip(text.iter_mut().skip(at)) {
            *slot = letter;
        }
    };
    for part in 0..4_u32 {
        let at = columns * part as usize / 4;
        put(at, &format!("|{}", show_duration(end * f64::from(part) / 4.0)));
    }
    let target = quick.report.answer.target / end;
    if target < 1.0 {
        put((target * columns as f64) as usize, "T");
    }
    dim(format!("{:NAME$} {}", "node", text.into_iter().collect::<String>()))
}

fn legend(theme: &Theme) -> Paragraph {
    let signs: Vec<&str> = (0..LOADS).map(|load| sign(load, theme)).collect();
    dim(format!("{:NAME$} cores taken: {} none to all; T = target time", "", signs.join(" ")))
}

/// Number of signs from empty to full.
const LOADS: usize = 5;

fn sign(load: usize, theme: &Theme) -> &'static str {
    match load {
        0 => theme.by_set("·", "."),
        1 => theme.by_set("░", "-"),
        2 => theme.by_set("▒", "="),
        3 => theme.by_set("▓", "+"),
        _ => theme.by_set("█", "#"),
    }
}

fn bar(quick: &QuickAnswer, row: &StudyNodeRow, columns: usize, end: f64, theme: &Theme) -> Paragraph {
    let case = &quick.report.case;
    let Some(kind) = case.shapes.get(row.kind) else { return Paragraph::Blank };
    let existing = case.existing_of(row.kind).nth(row.node as usize);
    let name = match existing {
        Some((id, _)) => quick.report.snap.nodes[id].name.to_string(),
        None => format!("type {} #{}", row.kind + 1, row.node + 1),
    };
    let seats = quick.seats.get(row.seats.0..row.seats.1).unwrap_or_default();
    let mut text = String::new();
    for column in 0..columns {
        let moment = end * (column as f64 + 0.5) / columns as f64;
        let mut cores = existing.map_or(0.0, |(_, slices)| taken_at(slices, kind.cores, moment));
        for seat in seats.iter().filter(|seat| seat.begin <= moment && moment < seat.begin + seat.wall) {
            let chunk = case.demands.all.get(seat.demand).and_then(|demand| demand.chunks.get(seat.chunk));
            cores += chunk.map_or(0.0, |(chunk, _)| if chunk.exclusive { kind.cores } else { chunk.cores });
        }
        let share = if kind.cores > 0.0 { (cores / kind.cores).clamp(0.0, 1.0) } else { 0.0 };
        let load = if share >= 0.999 { LOADS - 1 } else { (share * 3.0).ceil() as usize };
        text.push_str(sign(load, theme));
    }
    let name = fit(&name, NAME + 1, Align::Left, "");
    Paragraph::Line(vec![TextPiece::plain(name), TextPiece::of(Role::NodeTaken, text)])
}

/// Cores in use by running jobs at `moment`, in seconds from now.
fn taken_at(slices: &[(f64, qscope_planning::capacity::CapacityShape)], cores: f64, moment: f64) -> f64 {
    let mut start = 0.0;
    for (length, free) in slices {
        start += length;
        if moment < start {
            return (cores - free.cores).max(0.0);
        }
    }
    0.0
}
