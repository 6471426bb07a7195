//! Every job: running, waiting, held; sortable by every column (console.md 3, Jobs).
//!
//! ```text
//! ┏ Jobs · 25 · 4 running 6 wait 2 not considered 13 start━━━━━━━━━━━━━━━━━━━━━━━ ▸ 5/25 ┓
//! ┃ job     user  S ncpus walltime verdict start   reason, or where    have of            ┃
//! ┃▸57      carol Q   200      30m ◷ wait          ncpus 200 requested 143 of 200 ncpus   ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

mod cells;
mod columns;
mod line;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::analysed::AnalysisRequests;
use super::list::{GroupNameFn, ListModel, ListStamp, of_finished_cycle};
use super::place_words::PlaceWords;
use super::records::{ValueCount, job_values};
use crate::action::Action;
use crate::filter::Filter;
use crate::screen::{CycleLine, CycleRow, QueueSection, RowSign, is_shown_by_array, with_left};
use crate::task::TaskNews;
use crate::views::{Effect, Object, QuickFilter, Update, ViewContext};
use crate::widgets::table::TableColumn;
use crate::wording;
pub(crate) use line::JobListLine;
use qscope_engine::cluster::{JobId, Name};
use qscope_engine::cycle::Verdict;
use qscope_session::query::QueryFields;
use qscope_session::records::job_fields;

/// The table of jobs, with the number of jobs of each kind.
#[derive(Debug, Default)]
pub(crate) struct JobListModel {
    runs: usize,
    starting: usize,
    waits: usize,
    skipped: usize,
    analysed: AnalysisRequests,
    places: PlaceWords,
}

impl ListModel for JobListModel {
    type Line = JobListLine;

    const HAS_PAGE: bool = true;

    const PAGE_BELOW: bool = true;

    fn lines(&mut self, cx: ViewContext<'_>) -> Vec<Rc<JobListLine>> {
        let run = cx.run();
        self.places.take(run);
        (self.runs, self.starting, self.waits, self.skipped) = (0, 0, 0, 0);
        self.analysed.take(cx);
        let snap = &run.plan.snap;
        // In the order of the dump.
        let runs: BTreeSet<JobId> = cx.screen.ready.queue().running().collect();
        self.runs = runs.len();
        // A job that was preempted and considered again has one row, with its final outcome.
        let is_last = |at, job| run.plan.job(job).is_array() || run.last_step_of(job) == Some(at);
        let turns = run.steps.enumerate().filter(|(at, step)| is_last(*at, step.outcome.job));
        let considered = turns.map(|(at, _)| CycleRow::Step(at));
        let others = (0..run.not_considered.len())
            .map(CycleRow::NotConsidered)
            .filter(|row| !is_shown_by_array(run, *row));
        let mut rows: Vec<CycleRow> = considered.chain(others).collect();
        for outcome in rows.iter().filter_map(|row| row.outcome(run)) {
            match run.verdict(outcome) {
                Verdict::Run => self.starting += 1,
                Verdict::NotNow | Verdict::Never => self.waits += 1,
                Verdict::NotConsidered => self.skipped += 1,
            }
        }
        rows.extend(runs.into_iter().map(CycleRow::Running));
        let left = cx.screen.row_marks.departed();
        let rows = with_left(&rows, left, |row| row.job(run).map(|job| &run.plan.job(job).name));
        // Running jobs first.
        let (mut lines, waiting): (Vec<CycleLine>, Vec<CycleLine>) =
            rows.into_iter().partition(|line| line.section() == QueueSection::Running);
        lines.extend(waiting);
        let line = |line: CycleLine| match line {
            CycleLine::Heading(_) => None,
            CycleLine::Departed(_, at) => left.get(at).cloned().map(JobListLine::Departed),
            CycleLine::Job(row @ CycleRow::Running(job)) => {
                Some(JobListLine::Job(snap.jobs[job].name.clone(), row))
            }
            CycleLine::Job(row) => row.outcome(run).map(|outcome| {
                // Only a subjob has a name that no job of the dump has.
                let name = match outcome.subjob {
                    Some(_) => outcome.name(snap).as_str().into(),
                    None => run.plan.job(outcome.job).name.clone(),
                };
                JobListLine::Job(name, row)
            }),
        };
        lines.into_iter().filter_map(line).map(Rc::new).collect()
    }

    fn made_of(cx: ViewContext<'_>) -> Option<ListStamp> {
        Some(ListStamp::Cycle(cx.cycle_stamp()))
    }

    fn is_same(a: &JobListLine, b: &JobListLine) -> bool {
        a.name() == b.name() && Self::is_live(a) == Self::is_live(b)
    }

    fn heading(line: &JobListLine) -> Option<Cow<'_, str>> {
        match line {
            JobListLine::Heading(text) => Some(Cow::Borrowed(text)),
            JobListLine::Job(..) | JobListLine::Departed(_) => None,
        }
    }

    fn is_live(line: &JobListLine) -> bool {
        matches!(line, JobListLine::Job(..))
    }

    fn mark(&self, line: &JobListLine, cx: ViewContext<'_>) -> Option<RowSign> {
        match line {
            // The steps made are not marked, as this list is not in the order considered.
            JobListLine::Job(_, row) => cx.screen.sign_of(*row).filter(|sign| *sign != RowSign::StepDone),
            JobListLine::Departed(_) => Some(RowSign::Departed),
            JobListLine::Heading(_) => None,
        }
    }

    fn groups(_: ViewContext<'_>) -> Vec<Name> {
        ["reason", "user", "queue"].map(Name::from).into()
    }

    fn group_names<'a>(&'a self, by: &'a str, cx: ViewContext<'a>) -> GroupNameFn<'a, JobListLine> {
        Box::new(move |line| cells::group_name(cx, line, by))
    }

    fn group_heading(name: &str, rows: &[&JobListLine], cx: ViewContext<'_>) -> Option<JobListLine> {
        let subjobs = rows.iter().filter(|line| line.is_subjob(cx.run())).count();
        let rows = wording::jobs_and_subjobs(rows.len() - subjobs, subjobs);
        Some(JobListLine::Heading(format!("{rows} · {name}")))
    }

    fn matches_filter(filter: &Filter, line: &JobListLine, cx: ViewContext<'_>) -> bool {
        let run = cx.run();
        let known = line.outcome(run).and_then(|outcome| cx.screen.known_reason(outcome.job));
        match line.job_record(run) {
            Some(record) => filter.matches(&record.with_reason(known.as_deref())),
            None => filter.matches(&line.record(cx)),
        }
    }

    fn fields(cx: ViewContext<'_>) -> QueryFields {
        job_fields(&cx.snapshot().catalogue).by_clock_of(cx.snapshot())
    }

    fn values(field: &str, cx: ViewContext<'_>) -> Vec<ValueCount> {
        job_values(cx, field)
    }

    fn title(&self, cx: ViewContext<'_>) -> String {
        let Self { runs, starting, waits, skipped, .. } = self;
        let all = runs + starting + waits + skipped;
        let when = of_finished_cycle(cx.position());
        format!("Jobs{when} · {all} · {runs} running {waits} wait {skipped} not considered {starting} start")
    }

    fn quick_filters() -> &'static [QuickFilter] {
        &[
            ("waiting", "verdict=wait or verdict=never"),
            ("starting", "verdict=run"),
            ("running", "verdict=running"),
            ("held", "state=H"),
        ]
    }

    fn columns<'a>(&'a self, cx: ViewContext<'a>, width: u16) -> Vec<TableColumn<'a, Rc<JobListLine>>> {
        columns::columns(self, cx, cx.theme, width)
    }

    fn has_keys(&mut self, column: &str, rows: usize, cx: ViewContext<'_>) -> bool {
        column != columns::REASON || self.places.are_there(rows, cx.run())
    }

    fn awaits_keys(&self) -> bool {
        self.places.are_awaited()
    }

    fn requests(&mut self) -> Vec<Effect> {
        let mut requests = self.analysed.requests();
        requests.extend(self.places.request());
        requests
    }

    fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        let analysed = self.analysed.on_news(news, cx);
        analysed.unwrap_or_else(|| Update::changed_if(self.places.on_news(news)))
    }

    fn why_empty(&self, _: ViewContext<'_>) -> Vec<String> {
        vec!["No jobs in the dump.".to_owned(), "r reads the files again.".to_owned()]
    }

    fn act(&mut self, action: Action, line: Option<&JobListLine>, cx: ViewContext<'_>) -> Option<Update> {
        // A subjob that is not in the dump has the page of its array.
        let page = |line: &JobListLine| match line.outcome(cx.run()) {
            Some(outcome) => Object::of_job(outcome.job, cx.snapshot()),
            None => Object::Job(line.name().to_owned()),
        };
        let line = line.filter(|line| Self::is_live(line));
        (action == Action::Select).then(|| match line.map(page) {
            Some(job) => Update::request(Effect::GoToPage(job)),
            None => Update::status("no job under the cursor"),
        })
    }

    fn object(line: &JobListLine, _: ViewContext<'_>) -> Option<Object> {
        Self::is_live(line).then(|| Object::Job(line.name().to_owned()))
    }

    fn shows(line: &JobListLine, object: &Object, _: ViewContext<'_>) -> bool {
        Self::is_live(line) && matches!(object, Object::Job(name) if **name == *line.name())
    }
}
