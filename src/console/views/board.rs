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
mod draw;
mod grouped;
mod lines;
mod panes;
mod sorting;
mod sums;

use std::rc::Rc;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::chosen::{Chosen, TableShape, plain_theme};
use super::list::Listing;
use crate::action::Action;
use crate::filter::Filter;
use crate::survey::{QueueSurvey, SurveyTurn};
use crate::task::{News, Ticket};
use crate::theme::Theme;
use crate::views::{Effect, Grid, Object, Update, View, ViewName, World};
use crate::widgets::table::TableColumn;
use qscope_exits::Clip;

use analysis::{Analysis, Slice};
use grouped::By;
use lines::{CauseLine, JobLine};
use sums::BoardSums;

/// Rows for what is under the cursor, where there is room.
const ABOUT: u16 = 7;

/// From so many columns and rows on the bars of all jobs stand beside what is under the cursor.
const ROOMY: u16 = 180;
const TALL: u16 = 14;

/// Columns for the bar of core-hours, from so many columns of the view on more.
const BAR: u16 = 16;
const WIDE: u16 = 160;
const WIDE_BAR: u16 = 48;
/// Columns for all but the bar and the example.
const OTHERS: u16 = 54;
/// On narrower screens they are as long as their title.
const MEDIUM: u16 = 100;
const NARROW_BAR: u16 = 10;

/// The view's state.
#[derive(Debug, Default)]
pub(crate) struct Board {
    /// The analysis that it shows.
    survey: Option<QueueSurvey>,
    analysis: Option<(Analysis, Ticket)>,
    /// The edition of the analysis that was read last.
    edition: u64,
    /// Effects not handed over yet.
    requests: Vec<Effect>,
    slice: Slice,
    by: By,
    /// The lines by that criterion.
    shown: Arc<[CauseLine]>,
    /// All waiting jobs in a few bars.
    sums: BoardSums,
    causes: Listing<CauseLine>,
    /// The order of the causes, and of the jobs of one.
    chosen: Chosen,
    /// The cause whose jobs are listed, and the jobs.
    jobs: Option<(String, Listing<Arc<JobLine>>)>,
    filter: Filter,
}

impl Board {
    /// Has a worker analyse the next slice; the first one has what is known without analysis.
    fn go_on(&mut self, analysis: Analysis, turn: SurveyTurn) -> Effect {
        let (task, ticket) = analysis.task(turn);
        self.analysis = Some((analysis, ticket));
        Effect::Compute(task)
    }

    /// Groups the jobs anew; the lines of the old criterion are gone.
    fn group(&mut self, by: By) {
        if std::mem::replace(&mut self.by, by) != by {
            self.jobs = None;
            self.regroup();
        }
    }

    /// Makes the lines of the criterion from those of the reasons.
    fn regroup(&mut self) {
        self.shown = self.by.lines(&self.slice.lines);
        self.refresh();
    }

    fn refresh(&mut self) {
        let filter = &self.filter;
        self.causes.set(
            self.shown.iter().cloned().map(Rc::new).collect(),
            |line| filter.keeps_text(&line.words()),
            |a, b| a.key == b.key,
        );
        if let Some((key, jobs)) = &mut self.jobs {
            let lines = self.shown.iter().find(|line| line.key == *key);
            let lines =
                lines.map(|line| line.jobs.iter().cloned().map(Rc::new).collect()).unwrap_or_default();
            jobs.set(lines, |job| filter.keeps_text(&job.words()), |a, b| a.name == b.name);
        }
        self.arrange();
    }

    /// Whether the user stopped the analysis.
    fn is_stopped(&self) -> bool {
        self.survey.as_ref().is_some_and(QueueSurvey::is_stopped)
    }

    fn open(&mut self, key: &str) -> bool {
        if self.jobs.as_ref().is_some_and(|(open, _)| open == key) {
            return true;
        }
        if !self.shown.iter().any(|line| line.key == key) {
            return false;
        }
        self.causes.put_on(|line| line.key == key);
        self.jobs = Some((key.to_owned(), Listing::default()));
        self.refresh();
        true
    }

    fn line(&self) -> Option<&CauseLine> {
        match &self.jobs {
            Some((key, _)) => self.shown.iter().find(|line| line.key == *key),
            None => self.causes.selected(),
        }
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
}

impl View for Board {
    /// The jobs of a reason are of one group.
    fn idle(&self, _: World<'_>) -> &'static [Action] {
        match self.jobs {
            _ if self.causes.is_empty() => {
                &[Action::Select, Action::Sort, Action::ToggleMap, Action::Filter, Action::AskWhy]
            }
            Some(_) => &[Action::ToggleMap],
            None => &[],
        }
    }

    fn words(&self, _: World<'_>) -> &'static [(Action, &'static str)] {
        if self.jobs.is_some() { &[(Action::Select, "its step")] } else { &[] }
    }

    fn refresh(&mut self, world: World<'_>) {
        let survey = &world.screen.analysis.survey;
        let is_same = self.survey.as_ref().is_some_and(|have| have.is(survey));
        if is_same && (self.analysis.is_some() || self.edition == survey.edition()) {
            return;
        }
        self.survey = Some(survey.clone());
        self.edition = survey.edition();
        let analysis = Analysis::new(survey.clone());
        let turn = if is_same { SurveyTurn::Again } else { SurveyTurn::First };
        let request = self.go_on(analysis, turn);
        self.requests = vec![request];
    }

    fn stop(&mut self) -> bool {
        self.survey.as_ref().is_some_and(QueueSurvey::stop)
    }

    fn resume(&mut self) -> bool {
        if self.survey.as_ref().is_some_and(QueueSurvey::resume) {
            return true;
        }
        let survey = self.survey.as_ref().filter(|_| self.slice.stopped.is_some() && self.analysis.is_none());
        survey.inspect(|survey| survey.go_beyond()).is_some()
    }

    fn requests(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.requests)
    }

    fn act(&mut self, action: Action, area: Rect, _: World<'_>) -> Update {
        let [table, _] = self.areas(area);
        match action {
            Action::Sort => return self.sort_by_next(),
            Action::SortReverse => return self.reverse(),
            _ => {}
        }
        if let Some(update) = self.in_jobs(action, table) {
            return update;
        }
        match (action, self.causes.selected()) {
            (Action::ToggleMap, _) => {
                self.group(self.by.next());
                Update::changed()
            }
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

    fn group_by(&mut self, by: &str, _: World<'_>) -> bool {
        let by = By::named(by);
        by.into_iter().for_each(|by| self.group(by));
        by.is_some()
    }

    fn table(&self, _: World<'_>) -> Option<TableShape> {
        Some(self.shape())
    }

    fn set_table(&mut self, chosen: &Chosen, _: World<'_>) {
        self.chosen = chosen.clone();
        self.refresh();
    }

    fn grid(&self, _: World<'_>) -> Option<Grid> {
        Some(match &self.jobs {
            Some((_, jobs)) => grid(&self.shown_job_columns(), jobs.kept(), ""),
            // The bar of core-hours has its number beside it.
            None => {
                let columns = self.shown_cause_columns(1.0, BAR, plain_theme());
                grid(&columns, self.causes.kept(), "core-hours")
            }
        })
    }

    fn show(&mut self, object: &Object, _: World<'_>) -> bool {
        match object {
            Object::Cause(key) => self.open(key),
            Object::View(ViewName::Board) => {
                self.jobs = None;
                true
            }
            Object::Job(name) => {
                let holds = |line: &&CauseLine| line.jobs.iter().any(|job| job.name == *name);
                let Some(key) = self.shown.iter().find(holds).map(|line| line.key.clone()) else {
                    return false;
                };
                self.open(&key)
                    && self.jobs.as_mut().is_some_and(|(_, jobs)| jobs.put_on(|job| job.name == *name))
            }
            _ => false,
        }
    }

    /// The job under the cursor, or the first one of the reason there.
    fn why_object(&self, _: World<'_>) -> Option<Object> {
        let job = match &self.jobs {
            Some((_, jobs)) => jobs.selected(),
            None => self.causes.selected().and_then(|line| line.jobs.first()),
        };
        job.map(|job| Object::Job(job.name.clone()))
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
            self.sums = BoardSums::of(&self.slice.lines);
            self.regroup();
        }
        if self.slice.done || self.is_stopped() {
            Update::changed()
        } else {
            Update::changed().with(self.go_on(analysis, SurveyTurn::Next))
        }
    }

    fn copy(&self, _: World<'_>) -> Option<(&'static str, Clip)> {
        let line = self.line()?;
        let names: Vec<&str> = line.jobs.iter().map(|job| job.short()).collect();
        let cause = format!("{}: {}", line.title(), line.example);
        Some(("cause and its jobs", [cause, names.join(" ")].into_iter().collect()))
    }

    fn render(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        self.draw_panes(area, buf, world, theme);
    }
}

/// The cells of a table as they are exported, without the column of one title.
fn grid<'a, T>(columns: &[TableColumn<'a, Rc<T>>], rows: &'a [Rc<T>], without: &str) -> Grid {
    Grid::of(columns.iter().filter(|column| column.title != without), rows.iter())
}
