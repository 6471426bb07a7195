//! Draws the reasons: their shares of the core-hours, and the selected reason with its jobs.

use super::super::list::{NO_MATCH, of_finished_cycle};
use super::BoardView;
use super::analysis::CausesSoFar;
use super::grouped::JobGrouping;
use super::lines::{CauseLine, JobLine, core_hours_of, job_columns};
use crate::layout::{cells, cut_rows};
use crate::story::{Paragraph, Story, TextPiece};
use crate::theme::{Role, Theme};
use crate::views::ViewContext;
use crate::widgets::bar::{FILLS, stacked};
use crate::widgets::table::{Table, TableState};
use crate::widgets::{frame, legend};
use crate::wording;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::rc::Rc;
use std::sync::Arc;

/// Number of reasons with their own part of the bar; the others share one.
const NAMED: usize = 5;

/// The parts of the bar with their signs and words.
fn signs<'a>(words: &'a [String], theme: &Theme) -> Vec<(Role, &'a str, &'a str)> {
    let sign = |(word, (unicode, ascii)): (&'a String, (&'static str, &'static str))| {
        (Role::VerdictWait, theme.by_set(unicode, ascii), word.as_str())
    };
    words.iter().zip(FILLS).map(sign).collect()
}

impl BoardView {
    /// The selected row in full, and a note if the analysis is only a sample.
    pub(super) fn selected_row_text(&self) -> Vec<Paragraph> {
        let line = |role, text: String| Paragraph::words(0, [TextPiece::of(role, text)]);
        let mut text = Vec::new();
        if let Some(cause) = self.line() {
            text.push(line(Role::Heading, cause.title()));
            text.push(line(Role::Text, cause.example.clone()));
        }
        text.extend(self.slice.sample.clone().map(|sample| line(Role::Warning, sample)));
        text
    }

    /// The core-hours by reason, largest first, and their sum.
    fn hours(&self) -> (Vec<(String, f64)>, f64) {
        let mut parts: Vec<(String, f64)> = Vec::new();
        for line in &*self.lines {
            match parts.iter_mut().find(|(name, _)| *name == line.name) {
                Some((_, hours)) => *hours += core_hours_of(line),
                None => parts.push((line.name.clone(), core_hours_of(line))),
            }
        }
        parts.sort_by(|a, b| b.1.total_cmp(&a.1));
        let whole = parts.iter().map(|(_, hours)| hours).sum();
        (parts, whole)
    }

    /// The reasons that have their own part of the bar, with their shares.
    fn named_shares(&self) -> Vec<String> {
        let (parts, whole) = self.hours();
        let share = |(name, hours): &(String, f64)| match hours / whole * 100.0 {
            percent if percent > 0.0 && percent < 0.5 => format!("{name} <1%"),
            percent => format!("{name} {percent:.0}%"),
        };
        parts.iter().take(NAMED).map(share).collect()
    }

    /// Number of rows for the bar and its legend, at most `most`.
    pub(super) fn rows_of_shares(&self, columns: u16, most: u16, theme: &Theme) -> u16 {
        let words = self.named_shares();
        let rows = legend::in_rows(&signs(&words, theme), usize::from(columns), most.saturating_sub(1));
        cells(1 + rows.len())
    }

    /// Draws the core-hours of all reasons as one bar with a legend below it.
    pub(super) fn shares(&self, at: Rect, buf: &mut Buffer, theme: &Theme) {
        let (parts, whole) = self.hours();
        if at.height < 2 || whole <= 0.0 {
            return;
        }
        let rest: f64 = parts.iter().skip(NAMED).map(|(_, hours)| hours).sum();
        let mut hours: Vec<f64> = parts.iter().take(NAMED).map(|(_, hours)| *hours).collect();
        hours.push(rest);
        let bar = stacked(&hours, usize::from(at.width), theme);
        frame::lines(at, buf, theme, [(Role::VerdictWait, bar.concat())]);
        let (words, below) = (self.named_shares(), cut_rows(at, 1).1);
        let rows = legend::in_rows(&signs(&words, theme), usize::from(at.width), below.height);
        for (row, signs) in below.rows().zip(rows) {
            legend::draw(&signs, row, buf, theme);
        }
    }

    /// Draws the selected cause in full, and its jobs where there is room.
    pub(super) fn draw_reason(&self, at: Rect, buf: &mut Buffer, theme: &Theme) {
        let mut text = self.selected_row_text();
        let line = self.line().filter(|_| self.jobs.is_none());
        let mut story = Story::new(text.clone());
        story.fit(usize::from(at.width));
        let (words, jobs) = cut_rows(at, cells(story.lines().len() + 1));
        match line {
            Some(line) if jobs.height >= 3 => {
                let rows: Vec<Rc<Arc<JobLine>>> =
                    line.jobs.iter().take(usize::from(jobs.height - 1)).cloned().map(Rc::new).collect();
                let columns = job_columns();
                let table = Table::new(&columns, &rows, TableState::default(), theme);
                Table { has_cursor: false, ..table }.render(jobs, buf);
                frame::left_out(line.jobs.len().saturating_sub(rows.len()), at, buf, theme);
                Story::new(text).render(words, buf, theme);
            }
            Some(line) => {
                let jobs = format!("jobs {}", line.some_jobs());
                text.push(Paragraph::words(0, [TextPiece::of(Role::TextDim, jobs)]));
                Story::new(text).render(at, buf, theme);
            }
            None => Story::new(text).render(at, buf, theme),
        }
    }

    /// The title with the core-hours in `unit`. While the cycle is stepped through, it names the moment that all counts
    /// are of.
    pub(super) fn title(&self, unit: &str, cx: ViewContext<'_>) -> String {
        let CausesSoFar { waiting, core_hours, .. } = self.slice;
        let when = of_finished_cycle(cx.position());
        let verb = if waiting == 1 { "waits" } else { "wait" };
        match &self.jobs {
            Some(_) => format!("Jobs: {}", self.line().map(CauseLine::title).unwrap_or_default()),
            None if self.slice.is_done && waiting == 0 => wording::none_waits(cx.snapshot()).to_owned(),
            None => format!(
                "Why {} {verb}{when} · {} {unit}{}",
                wording::count(waiting, "job"),
                crate::views::cycle::overview::hours(core_hours),
                if self.grouping == JobGrouping::Reason {
                    String::new()
                } else {
                    format!(" · by {}", self.grouping.word())
                }
            ),
        }
    }

    pub(super) fn note(&self, theme: &Theme) -> String {
        let (at, kept, all) = match &self.jobs {
            Some((_, jobs)) => (jobs.position(), jobs.rows(), jobs.len()),
            None => (self.causes.position(), self.causes.rows(), self.causes.len()),
        };
        let at = if self.filter.is_empty() { at } else { self.filter.note(kept, all) };
        let at = at + &self.chosen.sort_note(theme);
        let CausesSoFar { progress, is_done, .. } = self.slice;
        match self.slice.stopped_at {
            Some(limit) => format!("{} · {at}", wording::limited_to(limit)),
            None if is_done => at,
            None if self.is_stopped() => format!("{} · {at}", wording::stopped_at(progress)),
            None => format!("{} · {} · {at}", wording::analysed_so_far(progress), wording::ESC_STOPS),
        }
    }

    pub(super) fn why_empty(&self, cx: ViewContext<'_>) -> &'static str {
        match (self.slice.is_done, self.lines.is_empty()) {
            (false, true) => "analysing the queue ...",
            (true, true) => wording::no_waiting_jobs(cx.snapshot(), "No waiting jobs."),
            _ => NO_MATCH,
        }
    }
}
