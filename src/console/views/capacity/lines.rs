//! Lines of words in roles, and the panes that are only words.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::layout::cells;
use crate::theme::{Role, Theme};
use crate::widgets::text::{clean, truncate, width};
use qscope_engine::cluster::show_duration;
use qscope_planning::capacity::demand;
use qscope_planning::capacity::words;

use super::study::{Controls, Quick};

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line(Vec<(Role, String)>);

impl Line {
    pub(super) fn of(role: Role, text: &str) -> Self {
        Self(vec![(role, text.to_owned())])
    }

    pub(super) fn plain(text: &str) -> Self {
        Self::of(Role::Text, text)
    }

    pub(super) fn dim(text: &str) -> Self {
        Self::of(Role::TextDim, text)
    }

    /// The same with a word more.
    pub(super) fn and(mut self, role: Role, text: impl Into<String>) -> Self {
        self.0.push((role, text.into()));
        self
    }

    /// Only the words.
    pub(super) fn text(&self) -> String {
        self.0.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// The same over as many lines as it needs, broken between words.
    fn wrapped(self, columns: usize) -> Vec<Self> {
        if width(&self.text()) <= columns {
            return vec![self];
        }
        let (mut all, mut line, mut used) = (Vec::new(), Self(Vec::new()), 0);
        for (role, text) in self.0 {
            for word in text.split_inclusive(' ') {
                if used > 0 && used + width(word.trim_end()) > columns {
                    all.push(std::mem::replace(&mut line, Self(vec![(Role::Text, "    ".to_owned())])));
                    used = 4;
                }
                used += width(word);
                line.0.push((role, word.to_owned()));
            }
        }
        all.push(line);
        all
    }

    pub(super) fn render(&self, row: Rect, buf: &mut Buffer, theme: &Theme) {
        let (mut x, end) = (row.x, row.right());
        for (role, text) in &self.0 {
            let room = usize::from(end.saturating_sub(x));
            let text = clean(text);
            let shown = truncate(&text, room, theme.ellipsis());
            buf.set_stringn(x, row.y, &shown, room, theme.style(*role));
            x = x.saturating_add(cells(width(&shown)));
        }
    }
}

/// Nodes by type, and what else there is to know.
pub(super) fn need(quick: &Quick, controls: Controls, columns: usize) -> Vec<Line> {
    let report = &quick.report;
    let answer = &report.answer;
    let mut lines = vec![Line::of(Role::Heading, words::TYPES_HEADING)];
    for (ix, need) in answer.types.iter().enumerate() {
        let Some((text, beyond)) = words::type_line(report, ix) else { continue };
        let line = Line::of(if need.need == 0 { Role::TextDim } else { Role::Text }, &text);
        lines.push(match beyond {
            Some(beyond) => line.and(Role::Warning, beyond),
            None => line,
        });
    }
    let mut rest = vec![Line::plain("")];
    rest.push(Line::plain(&format!(
        "{} nodes, {:.1} node-hours; the last job ends after {}",
        answer.nodes(),
        answer.hours(),
        show_duration(answer.makespan)
    )));
    rest.push(Line::dim(&format!(
        "wanted = the scaler's first wish at beta {:.1}, between up and max; bound = by volume",
        controls.beta
    )));
    facts(quick, &mut rest);
    lines.extend(rest.into_iter().flat_map(|line| line.wrapped(columns)));
    lines
}

fn facts(quick: &Quick, lines: &mut Vec<Line>) {
    let report = &quick.report;
    if let Some(on_top) = &report.on_top {
        let (top, scratch) = (on_top.nodes(), report.scratch.nodes());
        lines.push(Line::plain(&format!(
            "fragmentation gap: {} ({top} on top of what runs, {scratch} from scratch)",
            top as i64 - scratch as i64
        )));
    }
    let sources: Vec<String> =
        demand::sources(&report.case.demands.all).iter().map(|(word, n)| format!("{n} {word}")).collect();
    lines.push(Line::plain(&format!(
        "wall times: {}",
        if sources.is_empty() { "no jobs".to_owned() } else { sources.join(", ") }
    )));
    let gangs: u64 = report.case.demands.all.iter().filter(|d| d.is_gang()).map(|d| d.copies).sum();
    if gangs > 0 {
        lines.push(
            Line::plain(&format!("gangs: {gangs} jobs of several chunks, which begin together"))
                .and(Role::TextDim, " (beyond the original)"),
        );
    }
    if report.case.demands.coming > 0 {
        lines.push(Line::plain(&format!(
            "may still come: {} held, waiting or stopped",
            report.case.demands.coming
        )));
    }
    let role = if quick.services.can_deadlock() { Role::Error } else { Role::Text };
    lines.push(Line::plain("services: ").and(role, quick.services.sentence()));
    for (defect, what) in report.differences() {
        lines.push(Line::of(Role::TextDim, &format!("the original ({defect}): {what}")));
    }
    for note in &report.case.notes {
        lines.push(Line::of(Role::Warning, note));
    }
}

/// What fits nowhere, type by type, and what would help.
pub(super) fn never(quick: &Quick, columns: usize) -> Vec<Line> {
    let report = &quick.report;
    if report.answer.never.is_empty() {
        return vec![Line::dim("Every job fits some type when it is empty.")];
    }
    let mut lines = Vec::new();
    for never in &report.answer.never {
        let example = report.snap.jobs[never.example].short_name();
        lines.push(
            Line::of(Role::VerdictNever, &format!("{} x {}", never.jobs, words::chunk(&never.shape)))
                .and(Role::TextDim, format!("  such as {example}")),
        );
        for ix in never.closest_first() {
            let (Some(stock), Some(lacks)) = (report.case.stocks.get(ix), never.lacks.get(ix)) else {
                continue;
            };
            let lacks: Vec<String> = lacks.iter().map(words::lack).collect();
            lines.push(Line::plain(&format!("    {}: ", stock.kind.name)).and(Role::Text, lacks.join("; ")));
            if never.closest == Some(ix)
                && let Some(change) = report.change(never)
            {
                lines.push(Line::of(Role::Heading, &format!("    smallest change: {change}")));
            }
        }
    }
    lines.into_iter().flat_map(|line| line.wrapped(columns)).collect()
}
