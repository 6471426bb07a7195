//! The board: what keeps the whole queue waiting, cause by cause, and the jobs of each cause.
//!
//! ```text
//! ┏ Why 24 jobs wait for 1204.5 core-hours ━━━━━━━━━━━━━━━ 40 of 71 job classes 1/7 ┓
//! ┃   jobs core-hours  nodes  cause        about     for example                ┃
//! ┃▸    12      803.2     25  insufficient ngpus     32 ngpus requested, 16 lef…┃
//! ┃─────────────────────────────────────────────────────────────────────────────┃
//! ┃ insufficient ngpus: 12 jobs, 803.2 core-hours, 25 nodes could serve         ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```
//! A worker analyses the queue in slices; the result so far is on the screen meanwhile.

mod analysis;
mod draw;
mod grouped;
mod lines;
mod panes;
mod sorting;
mod sums;
mod visible_lines;

use std::rc::Rc;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::list::FilteredList;
use super::table_choices::{TableChoices, TableShape, plain_theme};
use crate::action::Action;
use crate::filter::Filter;
use crate::survey::{QueueSurvey, SurveyTurn};
use crate::task::TaskNews;
use crate::views::{Effect, Grid, Object, Pending, Update, View, ViewContext, ViewName};
use crate::widgets::table::TableColumn;
use qscope_exits::ClipboardText;

use analysis::{BoardAnalysis, CausesSoFar};
use grouped::JobGrouping;
use lines::{CauseLine, JobLine};
use sums::BoardSums;

/// Rows for the details of the selected row, where there is room.
const ABOUT: u16 = 7;

/// Minimum columns and rows for the bars of all jobs to be drawn beside the selected cause.
const ROOMY: u16 = 180;
const TALL: u16 = 14;
/// Columns for these bars.
const SUMS: u16 = 64;

/// Columns for the bar of core-hours, and the wider bar used from `WIDE` columns on.
const BAR: u16 = 16;
const WIDE: u16 = 160;
const WIDE_BAR: u16 = 48;
/// Minimum columns of a reason.
const MIN_REASON: u16 = 26;
/// Columns for everything except the reason, the bar and the example.
const OTHERS: u16 = 28;
/// Below this width the bar is only as long as its title.
const MEDIUM: u16 = 100;
const NARROW_BAR: u16 = 10;

/// The view's state.
#[derive(Debug, Default)]
pub(crate) struct BoardView {
    /// The analysis shown.
    survey: Option<QueueSurvey>,
    analysis: Pending<CausesSoFar, BoardAnalysis>,
    /// The edition of the survey that was read last.
    edition: u64,
    /// Effects not yet requested.
    requests: Vec<Effect>,
    slice: CausesSoFar,
    grouping: JobGrouping,
    /// The lines grouped by `grouping`.
    lines: Arc<[CauseLine]>,
    /// All waiting jobs summed up in bars.
    sums: BoardSums,
    causes: FilteredList<CauseLine>,
    /// Columns and order of the causes, and of the jobs of one cause.
    chosen: TableChoices,
    /// The opened cause, and its jobs.
    jobs: Option<(String, FilteredList<Arc<JobLine>>)>,
    filter: Filter,
}

impl BoardView {
    /// Requests the analysis of the next slice from a worker; the first slice holds what is known without analysis.
    fn request_next_slice(&mut self, analysis: BoardAnalysis, turn: SurveyTurn) -> Effect {
        let slice = analysis.slice(turn);
        self.analysis.start_for(analysis, slice)
    }

    /// Whether the user stopped the analysis.
    fn is_stopped(&self) -> bool {
        self.survey.as_ref().is_some_and(QueueSurvey::is_stopped)
    }

    fn in_jobs(&mut self, action: Action, area: Rect) -> Option<Update> {
        let (_, jobs) = self.jobs.as_mut()?;
        Some(match (action, jobs.selected()) {
            (Action::Select, Some(job)) => Update::request(Effect::GoTo(Object::Job(job.name.clone()))),
            (Action::Left, _) => {
                self.jobs = None;
                Update::changed()
            }
            _ => jobs.move_cursor(action, area),
        })
    }
}

impl View for BoardView {
    /// The jobs of one cause cannot be grouped.
    fn inactive_actions(&self, _: ViewContext<'_>) -> &'static [Action] {
        match self.jobs {
            _ if self.causes.is_empty() => {
                &[Action::Select, Action::Sort, Action::ToggleMap, Action::Filter, Action::AskWhy]
            }
            Some(_) => &[Action::ToggleMap],
            None => &[],
        }
    }

    fn words(&self, _: ViewContext<'_>) -> &'static [(Action, &'static str)] {
        if self.jobs.is_some() { &[(Action::Select, "its step")] } else { &[] }
    }

    fn refresh(&mut self, cx: ViewContext<'_>) {
        let survey = &cx.screen.analysis.survey;
        let is_same = self.survey.as_ref().is_some_and(|have| have.is_same_analysis(survey));
        if is_same && (self.analysis.is_waiting() || self.edition == survey.edition()) {
            return;
        }
        self.survey = Some(survey.clone());
        self.edition = survey.edition();
        let analysis = BoardAnalysis::new(survey.clone());
        let turn = if is_same { SurveyTurn::Later } else { SurveyTurn::First };
        let request = self.request_next_slice(analysis, turn);
        self.requests = vec![request];
    }

    fn stop(&mut self) -> bool {
        self.survey.as_ref().is_some_and(QueueSurvey::stop)
    }

    fn resume(&mut self) -> bool {
        if self.survey.as_ref().is_some_and(QueueSurvey::resume) {
            return true;
        }
        let survey =
            self.survey.as_ref().filter(|_| self.slice.stopped_at.is_some() && !self.analysis.is_waiting());
        survey.inspect(|survey| survey.continue_past_limit()).is_some()
    }

    fn requests(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.requests)
    }

    fn act(&mut self, action: Action, area: Rect, _: ViewContext<'_>) -> Update {
        let [table, _] = self.areas(area);
        if matches!(action, Action::Sort | Action::SortReverse) {
            return self.sort(action);
        }
        if let Some(update) = self.in_jobs(action, table) {
            return update;
        }
        match (action, self.causes.selected()) {
            (Action::ToggleMap, _) => {
                self.group(self.grouping.next());
                Update::changed()
            }
            (Action::Select | Action::Right, Some(line)) => {
                Update::request(Effect::GoToIn(ViewName::Board, Object::Cause(line.key.clone())))
            }
            (Action::Select, None) => Update::status("no cause under the cursor"),
            _ => self.causes.move_cursor(action, table),
        }
    }

    fn filter(&mut self, filter: &Filter, _: ViewContext<'_>) {
        self.filter = filter.clone();
        self.refresh();
    }

    fn find(&mut self, filter: &Filter, forward: bool, _: ViewContext<'_>) -> Option<bool> {
        Some(match &mut self.jobs {
            Some((_, jobs)) => jobs.next_match(forward, |job| filter.keeps_text(&job.words())),
            None => self.causes.next_match(forward, |line| filter.keeps_text(&line.words())),
        })
    }

    fn group_by(&mut self, by: &str, _: ViewContext<'_>) -> bool {
        let by = JobGrouping::named(by);
        by.into_iter().for_each(|by| self.group(by));
        by.is_some()
    }

    fn table(&self, _: ViewContext<'_>) -> Option<TableShape> {
        Some(self.shape())
    }

    fn set_table(&mut self, choices: &TableChoices, _: ViewContext<'_>) {
        self.chosen = choices.clone();
        self.refresh();
    }

    fn grid(&self, _: ViewContext<'_>) -> Option<Grid> {
        Some(match &self.jobs {
            Some((_, jobs)) => grid(&self.shown_job_columns(), jobs.matching_rows(), ""),
            // The bar of core-hours is left out: a column of its own has the number.
            None => {
                let columns = self.shown_cause_columns(1.0, BAR, plain_theme());
                grid(&columns, self.causes.matching_rows(), "core-hours")
            }
        })
    }

    fn show(&mut self, object: &Object, _: ViewContext<'_>) -> bool {
        match object {
            Object::Cause(key) => self.open(key),
            Object::View(ViewName::Board) => {
                self.jobs = None;
                true
            }
            Object::Job(name) => {
                let holds = |line: &&CauseLine| line.jobs.iter().any(|job| job.name == *name);
                let Some(key) = self.lines.iter().find(holds).map(|line| line.key.clone()) else {
                    return false;
                };
                self.open(&key)
                    && self.jobs.as_mut().is_some_and(|(_, jobs)| jobs.put_on(|job| job.name == *name))
            }
            _ => false,
        }
    }

    /// The selected job, or the first job of the selected cause.
    fn object_to_explain(&self, _: ViewContext<'_>) -> Option<Object> {
        let job = match &self.jobs {
            Some((_, jobs)) => jobs.selected(),
            None => self.causes.selected().and_then(|line| line.jobs.first()),
        };
        job.map(|job| Object::Job(job.name.clone()))
    }

    /// Going back leads to the list of causes, or to the jobs of the opened cause.
    fn object_at_cursor(&self, _: ViewContext<'_>) -> Option<Object> {
        Some(match &self.jobs {
            Some((key, _)) => Object::Cause(key.clone()),
            None => Object::View(ViewName::Board),
        })
    }

    fn click(&mut self, at: Position, area: Rect, _: ViewContext<'_>) -> Update {
        let [table, _] = self.areas(area);
        match &mut self.jobs {
            Some((_, jobs)) => jobs.click(at, table),
            None => self.causes.click(at, table),
        }
    }

    fn on_news(&mut self, news: &TaskNews, _: ViewContext<'_>) -> Update {
        let Some((analysis, slice)) = self.analysis.take_with_key(news) else { return Update::unchanged() };
        self.slice = (*slice).clone();
        self.sums = BoardSums::of(&self.slice.lines);
        self.regroup();
        if self.slice.is_done || self.is_stopped() {
            Update::changed()
        } else {
            Update::changed().with(self.request_next_slice(analysis, SurveyTurn::Next))
        }
    }

    fn copy(&self, _: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        let line = self.line()?;
        let names: Vec<&str> = line.jobs.iter().map(|job| job.short()).collect();
        let cause = format!("{}: {}", line.title(), line.example);
        Some(("cause and its jobs", [cause, names.join(" ")].into_iter().collect()))
    }

    fn render(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        self.draw_panes(area, buf, cx);
    }
}

/// The exported cells of a table, without the column titled `without`.
fn grid<'a, T>(columns: &[TableColumn<'a, Rc<T>>], rows: &'a [Rc<T>], without: &str) -> Grid {
    Grid::of(columns.iter().filter(|column| column.title != without), rows.iter())
}
