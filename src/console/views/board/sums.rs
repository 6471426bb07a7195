//! All waiting jobs summed up in bars: how many were analysed, their kinds of reasons, their users and queues.
//!
//! ```text
//! analysed            ████▌···································  921
//! by first condition  ███████████████████████████████████▌····  7219
//! ```

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::lines::{CauseLine, JobLine};
use crate::layout::indented_inner_area;
use crate::theme::{Role, Theme};
use crate::views::cycle::overview::hours;
use crate::widgets::bar::bar;
use crate::widgets::frame;
use crate::widgets::text::{Align, clean, fit, width};
use crate::wording;

/// Columns: minimum and maximum for names, maximum for a bar, and for the number after it.
const NAME: usize = 20;
const MAX_NAME: usize = 30;
const BAR: usize = 56;
const NUMBER: usize = 20;

/// Maximum number of users or queues that have a bar.
const MAX_NAMED: usize = 10;

/// What the bars show.
#[derive(Debug, Default)]
pub(super) struct BoardSums {
    jobs: usize,
    analysed: JobTotals,
    guessed: JobTotals,
    kinds: Vec<(String, JobTotals)>,
    users: Vec<(String, JobTotals)>,
    queues: Vec<(String, JobTotals)>,
}

/// Jobs, and their core-hours.
#[derive(Debug, Clone, Copy, Default)]
struct JobTotals {
    jobs: usize,
    core_hours: f64,
}

impl JobTotals {
    fn add(&mut self, core_hours: f64) {
        self.jobs += 1;
        self.core_hours += core_hours;
    }
}

impl BoardSums {
    /// Sums up the jobs of all reasons.
    pub(super) fn of(reasons: &[CauseLine]) -> Self {
        let mut sums = Self::default();
        let [mut kinds, mut users, mut queues] = [const { BTreeMap::<&str, JobTotals>::new() }; 3];
        for line in reasons {
            // All insufficient resources are one kind; other reasons keep their name.
            let name = line.name.split(':').next().unwrap_or_default();
            let kind = if name.starts_with("insufficient") { "insufficient" } else { name };
            for job in line.jobs.iter().map(|job| &**job) {
                let JobLine { user, queue, core_hours, .. } = job;
                let how = if line.analysed { &mut sums.analysed } else { &mut sums.guessed };
                how.add(*core_hours);
                for (counts, name) in [(&mut kinds, kind), (&mut users, user), (&mut queues, queue)] {
                    counts.entry(name).or_default().add(*core_hours);
                }
            }
        }
        sums.jobs = sums.analysed.jobs + sums.guessed.jobs;
        [sums.kinds, sums.users, sums.queues] = [kinds, users, queues].map(sorted);
        sums
    }

    pub(super) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let title = wording::count(self.jobs, "job");
        frame::pane(area, buf, theme, "Waiting jobs by class", &title, false);
        let inner = indented_inner_area(area);
        let names = self.kinds.iter().chain(&self.users).chain(&self.queues).map(|(name, _)| width(name));
        // One more column for the space before the bar.
        let name = (names.max().unwrap_or(0) + 1).clamp(NAME, MAX_NAME);
        let mut rows = SumRows { rest: inner, name, columns: bar_columns(inner, name), buf, theme };
        let (jobs, core_hours) = (self.jobs as f64, self.analysed.core_hours + self.guessed.core_hours);
        rows.bar("analysed", (self.analysed.jobs as f64, jobs), &self.analysed.jobs.to_string());
        rows.bar("by first condition", (self.guessed.jobs as f64, jobs), &self.guessed.jobs.to_string());
        rows.heading("reason kinds");
        for (kind, count) in &self.kinds {
            rows.bar(kind, (count.jobs as f64, jobs), &count.jobs.to_string());
        }
        for (heading, named) in [("users", &self.users), ("queues", &self.queues)] {
            let of = if named.len() > MAX_NAMED {
                format!(", {MAX_NAMED} of {}", named.len())
            } else {
                String::new()
            };
            rows.heading(&format!("{heading} by core-hours{of}"));
            let lengths = named.iter().take(MAX_NAMED).map(|(_, count)| hours(count.core_hours).len());
            let hours = lengths.max().unwrap_or(0);
            for (name, count) in named.iter().take(MAX_NAMED) {
                let words = format!(
                    "{:>hours$}  {}",
                    self::hours(count.core_hours),
                    wording::count(count.jobs, "job")
                );
                rows.bar(name, (count.core_hours, core_hours), &words);
            }
        }
    }
}

/// Sorts counts by core-hours, largest first.
fn sorted(counts: BTreeMap<&str, JobTotals>) -> Vec<(String, JobTotals)> {
    let mut all: Vec<(String, JobTotals)> =
        counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    all.sort_by(|a, b| b.1.core_hours.total_cmp(&a.1.core_hours));
    all
}

fn bar_columns(area: Rect, name: usize) -> usize {
    usize::from(area.width).saturating_sub(name + 2 + NUMBER).min(BAR)
}

/// The rows that are still free, filled from top to bottom.
struct SumRows<'a> {
    rest: Rect,
    /// Columns for names.
    name: usize,
    columns: usize,
    buf: &'a mut Buffer,
    theme: &'a Theme,
}

impl SumRows<'_> {
    fn next(&mut self) -> Option<Rect> {
        let (row, rest) = crate::layout::cut_rows(self.rest, 1);
        self.rest = rest;
        (!row.is_empty()).then_some(row)
    }

    /// Adds a heading below a blank row, unless no row would fit below it.
    fn heading(&mut self, text: &str) {
        if self.rest.height < 3 {
            self.rest.height = 0;
        }
        self.next();
        if let Some(row) = self.next() {
            let style = self.theme.style(Role::TextDim);
            self.buf.set_stringn(row.x, row.y, text, usize::from(row.width), style);
        }
    }

    fn bar(&mut self, name: &str, (have, of): (f64, f64), words: &str) {
        let Some(row) = self.next() else { return };
        let name = fit(&clean(name), self.name - 1, Align::Left, self.theme.ellipsis()) + " ";
        let (filled, rest) = bar(have, of, self.columns, self.theme);
        let style = |role| self.theme.style(role);
        let parts = [
            (name, Role::Text),
            (filled, Role::VerdictWait),
            (rest, Role::TextDim),
            (format!("  {words}"), Role::Text),
        ];
        let mut x = row.x;
        for (text, role) in parts {
            let room = usize::from(row.right().saturating_sub(x));
            (x, _) = self.buf.set_stringn(x, row.y, text, room, style(role));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::GlyphSet;

    #[test]
    fn a_long_name_stands_whole_before_its_bar() {
        let theme = Theme::mono(GlyphSet::Unicode);
        let one = JobTotals { jobs: 1, core_hours: 2.0 };
        let named = |name: &str| vec![(name.to_owned(), one)];
        let kinds = named("limit max_run_res.ncpus");
        let users = named("a-user-whose-name-is-too-long-for-any-bar");
        let sums = BoardSums { jobs: 2, analysed: one, guessed: one, kinds, users, queues: named("workq") };
        let area = Rect::new(0, 0, 77, 14);
        let mut buf = Buffer::empty(area);
        sums.render(area, &mut buf, &theme);
        let seen: String = buf.content().iter().map(ratatui::buffer::Cell::symbol).collect();
        let before = |name: &str, bar: &str| seen.contains(&format!("{name:<30}{bar}"));
        assert!(before("limit max_run_res.ncpus", "███████████···········  1 "), "{seen}");
        assert!(before("a-user-whose-name-is-too-lon…", "███"), "{seen}");
        assert!(before("analysed", "███"), "{seen}");
    }
}
