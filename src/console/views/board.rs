//! The board: what keeps the whole queue waiting, cause by cause, and behind each cause its jobs.
//!
//! ```text
//! ┏ Why 24 jobs wait for 1204.5 core-hours ━━━━━━━━━━━━━━━ 40 of 71 job classes 1/7 ┓
//! ┃   jobs core-hours  nodes  cause        about     for example                ┃
//! ┃▸    12      803.2     25  insufficient ngpus     32 ngpus requested, 16 lef…┃
//! ┃─────────────────────────────────────────────────────────────────────────────┃
//! ┃ insufficient ngpus: 12 jobs, 803.2 core-hours, 25 nodes could serve         ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```
//! A worker analyses the queue slice by slice; what is known so far is on the screen meanwhile.

mod analysis;
mod lines;

use std::rc::Rc;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::list::{Listing, NO_MATCH};
use crate::action::Action;
use crate::filter::Filter;
use crate::layout::{cells, cut_rows};
use crate::story::{Paragraph, Piece, Story};
use crate::survey::Turn;
use crate::task::{News, Ticket};
use crate::theme::{Role, Theme};
use crate::views::ViewName;
use crate::views::effect::{Effect, Update};
use crate::views::object::Object;
use crate::views::view::View;
use crate::views::world::World;
use crate::widgets::bar::{FILLS, stacked};
use crate::widgets::frame;
use crate::widgets::table::{Table, TableState};
use crate::wording;
use qscope_engine::cycle::Run;
use qscope_exits::Clip;

use analysis::{Analysis, Slice};
use lines::{JobLine, Line, cause_columns, core_hours_of, job_columns};

/// Rows for what is under the cursor, where there is room.
const ABOUT: u16 = 7;

/// Columns for the bar of core-hours, from so many columns of the view on more.
const BAR: u16 = 16;
const WIDE: u16 = 160;
const WIDE_BAR: u16 = 48;

/// The view's state.
#[derive(Debug, Default)]
pub(crate) struct Board {
    /// The cycle that is analysed.
    run: Option<Arc<Run>>,
    analysis: Option<(Analysis, Ticket)>,
    /// Effects not handed over yet.
    requests: Vec<Effect>,
    slice: Slice,
    causes: Listing<Line>,
    /// The cause whose jobs are listed, and the jobs.
    jobs: Option<(String, Listing<Arc<JobLine>>)>,
    filter: Filter,
}

impl Board {
    /// Has a worker analyse the next slice; the first one has what is known without analysis.
    fn go_on(&mut self, analysis: Analysis, turn: Turn) -> Effect {
        let (task, ticket) = analysis.task(turn);
        self.analysis = Some((analysis, ticket));
        Effect::Compute(task)
    }

    fn refresh(&mut self) {
        let filter = &self.filter;
        self.causes.set(
            self.slice.lines.iter().cloned().map(Rc::new).collect(),
            |line| filter.keeps_text(&line.words()),
            |a, b| a.key == b.key,
        );
        if let Some((key, jobs)) = &mut self.jobs {
            let lines = self.slice.lines.iter().find(|line| line.key == *key);
            let lines =
                lines.map(|line| line.jobs.iter().cloned().map(Rc::new).collect()).unwrap_or_default();
            jobs.set(lines, |job| filter.keeps_text(&job.words()), |a, b| a.name == b.name);
        }
    }

    fn open(&mut self, key: &str) -> bool {
        if self.jobs.as_ref().is_some_and(|(open, _)| open == key) {
            return true;
        }
        if !self.slice.lines.iter().any(|line| line.key == key) {
            return false;
        }
        self.causes.put_on(|line| line.key == key);
        self.jobs = Some((key.to_owned(), Listing::default()));
        self.refresh();
        true
    }

    fn line(&self) -> Option<&Line> {
        match &self.jobs {
            Some((key, _)) => self.slice.lines.iter().find(|line| line.key == *key),
            None => self.causes.selected(),
        }
    }

    /// The list, as high as its rows, and the rest for what is under its cursor.
    fn areas(&self, area: Rect) -> [Rect; 2] {
        if area.height < 2 * ABOUT {
            return [area, Rect { y: area.bottom(), height: 0, ..area }];
        }
        let rows = self.jobs.as_ref().map_or(self.causes.len(), |(_, jobs)| jobs.len());
        let (list, about) = cut_rows(area, cells(rows + 3).clamp(5, area.height - ABOUT));
        [list, about]
    }

    fn in_jobs(&mut self, action: Action, area: Rect) -> Option<Update> {
        let (_, jobs) = self.jobs.as_mut()?;
        Some(match (action, jobs.selected()) {
            (Action::Select, Some(job)) => Update::request(Effect::GoTo(Object::Job(job.name.clone()))),
            (Action::Left, _) => {
                self.jobs = None;
                Update::changed()
            }
            _ => jobs.go(action, area),
        })
    }

    /// The row under the cursor in full, and that the analysis is a sample, if it is.
    fn about(&self) -> Vec<Paragraph> {
        let line = |role, text: String| Paragraph::words(0, [Piece::of(role, text)]);
        let mut text = Vec::new();
        if let Some(cause) = self.line() {
            text.push(line(Role::Heading, cause.title()));
            text.push(line(Role::Text, cause.example.clone()));
        }
        text.extend(self.slice.sample.clone().map(|sample| line(Role::Warning, sample)));
        text
    }

    /// The core-hours of all reasons in one bar, and below it which part is which.
    fn shares(&self, at: Rect, buf: &mut Buffer, theme: &Theme) {
        const NAMED: usize = 5;
        let mut parts: Vec<(String, f64)> = Vec::new();
        for line in &*self.slice.lines {
            match parts.iter_mut().find(|(name, _)| *name == line.name) {
                Some((_, hours)) => *hours += core_hours_of(line),
                None => parts.push((line.name.clone(), core_hours_of(line))),
            }
        }
        parts.sort_by(|a, b| b.1.total_cmp(&a.1));
        let whole: f64 = parts.iter().map(|(_, hours)| hours).sum();
        if at.height < 2 || whole <= 0.0 {
            return;
        }
        let rest: f64 = parts.iter().skip(NAMED).map(|(_, hours)| hours).sum();
        let mut hours: Vec<f64> = parts.iter().take(NAMED).map(|(_, hours)| *hours).collect();
        hours.push(rest);
        let bar = stacked(&hours, usize::from(at.width), theme);
        let share = |(name, hours): &(String, f64)| format!("{name} {:.0}%", hours / whole * 100.0);
        let words = parts
            .iter()
            .take(NAMED)
            .zip(FILLS)
            .map(|(part, (unicode, ascii))| format!("{} {}", theme.by_set(unicode, ascii), share(part)));
        let legend = words.collect::<Vec<_>>().join("  ");
        frame::lines(at, buf, theme, [(Role::VerdictWait, bar.concat()), (Role::TextDim, legend)]);
    }

    /// What is under the cursor in full, and its jobs where there is room for them.
    fn draw_reason(&self, at: Rect, buf: &mut Buffer, theme: &Theme) {
        let mut text = self.about();
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
                Story::new(text).render(words, buf, theme);
            }
            Some(line) => {
                let jobs = format!("jobs {}", line.some_jobs());
                text.push(Paragraph::words(0, [Piece::of(Role::TextDim, jobs)]));
                Story::new(text).render(at, buf, theme);
            }
            None => Story::new(text).render(at, buf, theme),
        }
    }

    fn title(&self) -> String {
        let Slice { waiting, core_hours, .. } = self.slice;
        let verb = if waiting == 1 { "waits" } else { "wait" };
        match &self.jobs {
            Some(_) => format!("Jobs: {}", self.line().map(Line::title).unwrap_or_default()),
            None => format!(
                "Why {} {verb} · {} core-hours",
                wording::count(waiting, "job"),
                super::cycle::pulse::hours(core_hours)
            ),
        }
    }

    fn note(&self) -> String {
        let at = match &self.jobs {
            Some((_, jobs)) => jobs.position(),
            None => self.causes.position(),
        };
        let (done, of) = self.slice.progress;
        if self.slice.done { at } else { format!("analysed {done} of {of} job classes {at}") }
    }

    fn why_empty(&self) -> &'static str {
        match (self.slice.done, self.slice.lines.is_empty()) {
            (false, true) => "analysing the queue ...",
            (true, true) => "No waiting jobs.",
            _ => NO_MATCH,
        }
    }
}

impl View for Board {
    fn refresh(&mut self, world: World<'_>) {
        let survey = &world.screen.analysis.survey;
        if !self.run.as_ref().is_some_and(|run| Arc::ptr_eq(run, survey.run())) {
            self.run = Some(survey.run().clone());
            let analysis = Analysis::new(survey.clone());
            let request = self.go_on(analysis, Turn::First);
            self.requests = vec![request];
        }
    }

    fn requests(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.requests)
    }

    fn act(&mut self, action: Action, area: Rect, _: World<'_>) -> Update {
        let [table, _] = self.areas(area);
        if let Some(update) = self.in_jobs(action, table) {
            return update;
        }
        match (action, self.causes.selected()) {
            (Action::Select | Action::Right, Some(line)) => {
                Update::request(Effect::GoToIn(ViewName::Board, Object::Cause(line.key.clone())))
            }
            (Action::Select, None) => Update::status("no cause under the cursor"),
            _ => self.causes.go(action, table),
        }
    }

    fn filter(&mut self, filter: &Filter, _: World<'_>) {
        self.filter = filter.clone();
        self.refresh();
    }

    fn show(&mut self, object: &Object, _: World<'_>) -> bool {
        match object {
            Object::Cause(key) => self.open(key),
            Object::View(ViewName::Board) => {
                self.jobs = None;
                true
            }
            Object::Job(name) => {
                let holds = |line: &&Line| line.jobs.iter().any(|job| job.name == *name);
                let Some(key) = self.slice.lines.iter().find(holds).map(|line| line.key.clone()) else {
                    return false;
                };
                self.open(&key)
                    && self.jobs.as_mut().is_some_and(|(_, jobs)| jobs.put_on(|job| job.name == *name))
            }
            _ => false,
        }
    }

    /// The way back leads to the list of causes, or into the jobs of the one that is open.
    fn here(&self, _: World<'_>) -> Option<Object> {
        Some(match &self.jobs {
            Some((key, _)) => Object::Cause(key.clone()),
            None => Object::View(ViewName::Board),
        })
    }

    fn click(&mut self, at: Position, area: Rect, _: World<'_>) -> Update {
        let [table, _] = self.areas(area);
        match &mut self.jobs {
            Some((_, jobs)) => jobs.click(at, table),
            None => self.causes.click(at, table),
        }
    }

    fn on_news(&mut self, ticket: u64, news: &News, _: World<'_>) -> Update {
        let News::Answer(answer) = news else { return Update::nothing() };
        let Some((analysis, _)) = self.analysis.take_if(|(_, have)| have.is(ticket)) else {
            return Update::nothing();
        };
        if let Some(slice) = answer.downcast_ref::<Slice>() {
            self.slice = slice.clone();
            self.refresh();
        }
        if self.slice.done {
            Update::changed()
        } else {
            Update::changed().with(self.go_on(analysis, Turn::Next))
        }
    }

    fn copy(&self, _: World<'_>) -> Option<(&'static str, Clip)> {
        let line = self.line()?;
        let names: Vec<&str> = line.jobs.iter().map(|job| job.short()).collect();
        let cause = format!("{}: {}", line.title(), line.example);
        Some(("cause and its jobs", [cause, names.join(" ")].into_iter().collect()))
    }

    fn render(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let [table, about] = self.areas(area);
        let note = match world.screen.analysed_at() {
            Some(moment) => format!("{moment} · {}", self.note()),
            None => self.note(),
        };
        let inner = frame::pane(table, buf, theme, &self.title(), &note, true);
        match &self.jobs {
            Some((_, jobs)) if !jobs.is_empty() => jobs.table(&job_columns(), theme).render(inner, buf),
            None if !self.causes.is_empty() => {
                let most = self.slice.lines.iter().map(core_hours_of).fold(0.0, f64::max);
                let bar = if area.width >= WIDE { WIDE_BAR } else { BAR };
                self.causes.table(&cause_columns(most, bar, theme), theme).render(inner, buf);
            }
            _ => frame::empty(inner, buf, theme, &[self.why_empty()]),
        }
        if about.height > 0 {
            let hint = if self.jobs.is_some() { "Enter: in the cycle" } else { "Enter: its jobs" };
            let inner = frame::pane(about, buf, theme, "Reason", hint, false);
            let shares = if self.jobs.is_some() { 0 } else { 2 };
            let (all, one) = cut_rows(inner, shares);
            self.shares(all, buf, theme);
            self.draw_reason(one, buf, theme);
        }
    }
}
