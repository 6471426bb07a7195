//! Every job: running, waiting, held; sortable by every column (console.md 3, Jobs).
//!
//! ```text
//! ┏ Jobs · 25 · 4 running 6 wait 2 not considered 13 start━━━━━━━━━━━━━━━━━━━━━━━ ▸ 5/25 ┓
//! ┃ job     user  S ncpus walltime verdict start   reason, or where    have of            ┃
//! ┃▸57      carol Q   200      30m ◷ wait          ncpus 200 requested 143 of 200 ncpus   ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

mod cells;

use std::borrow::Cow;
use std::rc::Rc;

use super::cycle::Reasons;
use super::likely::Judged;
use super::list::{GroupNames, ListModel};
use super::records::{ValueCount, job_values, key, on_request, show};
use crate::action::Action;
use crate::filter::Filter;
use crate::screen::{CycleRow, is_stood_for};
use crate::task::News;
use crate::theme::Theme;
use crate::views::{Effect, Object, QuickFilter, Update, World};
use crate::widgets::table::{Cell, SortKey, TableColumn, Width};
use crate::wording;
use cells::{asked, have_of, measured, reason, start, verdict};
use qscope_engine::cluster::{JobId, Name, short_id};
use qscope_engine::cycle::{Outcome, Run, Verdict};
use qscope_session::query::{Fields, Record};
use qscope_session::records::{JobRecord, job_fields};

/// A job by its place: what became of it has the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JobsLine {
    /// The full id; of a heading its text.
    name: Name,
    place: JobPlace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JobPlace {
    /// Considered, or left out of consideration.
    Row(CycleRow),
    /// It ran before the cycle.
    Runs(JobId),
    /// It is the heading of a group.
    Heading,
}

/// From this width on the two numbers compared have a column with a bar; below it they stand behind the reason.
const HAVE_OF: u16 = 100;

/// From this width on what a job asks has room for selects of two parts.
const VERY_ROOMY: u16 = 180;

/// How many jobs there are of each kind.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    runs: usize,
    starting: usize,
    waits: usize,
    skipped: usize,
    judged: Judged,
    reasons: Reasons,
    requests: Vec<Effect>,
}

impl JobsLine {
    /// Its short name; what is left of an array by the subjobs that the cycle leaves.
    fn shown(&self, run: &Run) -> String {
        match self.outcome(run) {
            Some(outcome) if outcome.subjob.is_none() && outcome.placed.is_none() => {
                wording::waiting_name(run, outcome.job)
            }
            _ => short_id(&self.name).to_owned(),
        }
    }

    fn outcome<'a>(&self, run: &'a Run) -> Option<&'a Outcome> {
        match self.place {
            JobPlace::Row(row) => row.outcome(run),
            JobPlace::Runs(_) | JobPlace::Heading => None,
        }
    }

    fn record<'a>(&self, run: &'a Run) -> JobRecord<'a> {
        match (self.place, self.outcome(run)) {
            (_, Some(outcome)) => JobRecord::of(run, outcome),
            (JobPlace::Runs(job), None) => JobRecord::running(run, job),
            // A row without an outcome is a gap, of which there is none here; a heading has no cells.
            (JobPlace::Row(_) | JobPlace::Heading, None) => JobRecord::running(run, JobId(0)),
        }
    }
}

/// The columns that are always there; every other field is a column on request.
const USUAL: [&str; 10] =
    ["job", "user", "queue", "state", "ncpus", "walltime", "verdict", "start", "reason", "select"];

impl ListModel for Jobs {
    type Line = JobsLine;

    const GROUPS: &'static [&'static str] = &["reason", "user", "queue"];

    const HAS_PAGE: bool = true;

    const PAGE_BELOW: bool = true;

    fn lines(&mut self, world: World<'_>) -> Vec<Rc<JobsLine>> {
        let run = world.run();
        (self.runs, self.starting, self.waits, self.skipped) = (0, 0, 0, 0);
        self.requests.extend(self.judged.take(&world.screen.analysis.survey));
        self.requests.extend(self.reasons.take(&world.screen.analysis.survey));
        self.requests.extend(world.screen.analysis.starts.ask());
        let mut lines: Vec<Rc<JobsLine>> = Vec::new();
        for (id, job) in run.plan.snap.jobs.enumerate().filter(|(id, _)| run.runs_before(*id)) {
            self.runs += 1;
            lines.push(Rc::new(JobsLine { name: job.name.clone(), place: JobPlace::Runs(id) }));
        }
        // A job that was preempted and came up again stands here once, with what became of it in the end.
        let is_last = |at, job| run.plan.job(job).is_array() || run.last_step_of(job) == Some(at);
        let turns = run.steps.enumerate().filter(|(at, step)| is_last(*at, step.outcome.job));
        let considered = turns.map(|(at, _)| CycleRow::Step(at));
        let others = (0..run.others.len()).map(CycleRow::Other).filter(|row| !is_stood_for(run, *row));
        for row in considered.chain(others) {
            let Some(outcome) = row.outcome(run) else { continue };
            match run.verdict(outcome) {
                Verdict::Run => self.starting += 1,
                Verdict::NotNow | Verdict::Never => self.waits += 1,
                Verdict::NotConsidered => self.skipped += 1,
            }
            let job = run.plan.job(outcome.job);
            // Only a subjob has a name that no job of the dump has.
            let name = match outcome.subjob {
                Some(_) => outcome.name(&run.plan.snap).as_str().into(),
                None => job.name.clone(),
            };
            lines.push(Rc::new(JobsLine { name, place: JobPlace::Row(row) }));
        }
        lines
    }

    fn is_same(a: &JobsLine, b: &JobsLine) -> bool {
        a.name == b.name
    }

    fn heading(line: &JobsLine) -> Option<Cow<'_, str>> {
        (line.place == JobPlace::Heading).then(|| Cow::Borrowed(&*line.name))
    }

    fn group_names<'a>(&'a self, by: &'static str, world: World<'a>) -> GroupNames<'a, JobsLine> {
        Box::new(move |line| cells::group_name(world, line, by))
    }

    fn group_heading(name: &str, rows: usize) -> Option<JobsLine> {
        let text = format!("{} · {name}", wording::count(rows, "job"));
        Some(JobsLine { name: text.into(), place: JobPlace::Heading })
    }

    fn keeps(filter: &Filter, line: &JobsLine, world: World<'_>) -> bool {
        let known = line.outcome(world.run()).and_then(|outcome| world.screen.known_reason(outcome.job));
        filter.keeps(&line.record(world.run()).knowing(known.as_deref()))
    }

    fn fields(world: World<'_>) -> Fields {
        job_fields(&world.snapshot().catalogue)
    }

    fn values(field: &str, world: World<'_>) -> Vec<ValueCount> {
        job_values(world.run(), field)
    }

    fn title(&self, _: World<'_>) -> String {
        let Self { runs, starting, waits, skipped, .. } = self;
        let all = runs + starting + waits + skipped;
        format!("Jobs · {all} · {runs} running {waits} wait {skipped} not considered {starting} start")
    }

    fn quick_filters() -> &'static [QuickFilter] {
        &[
            ("waiting", "verdict=not_now or verdict=never"),
            ("starting", "verdict=run"),
            ("running", "verdict=running"),
            ("held", "state=H"),
        ]
    }

    fn columns<'a>(
        &'a self,
        world: World<'a>,
        theme: &'a Theme,
        width: u16,
    ) -> Vec<TableColumn<'a, Rc<JobsLine>>> {
        let run = &**world.run();
        let record = move |line: &'a Rc<JobsLine>| line.record(run);
        let text = move |field: &'static str| {
            move |line: &'a Rc<JobsLine>| match record(line).fact(field) {
                Some(fact) => Cell::new(show(&fact, &run.plan.snap)),
                None => Cell::new(""),
            }
        };
        let by = move |field: &'static str| move |line: &'a Rc<JobsLine>| key(record(line).fact(field));
        let mut columns = vec![
            TableColumn::words("job", Width::Between(5, 14), 98, |line: &Rc<JobsLine>| {
                Cell::new(line.shown(run))
            }),
            TableColumn::words("user", Width::Between(4, 10), 90, text("user")),
        ];
        // In a narrow table there on request.
        let roomy = width >= 120;
        columns.push(on_request_unless(
            roomy,
            TableColumn::words("queue", Width::Between(7, 10), 40, text("queue")),
        ));
        columns.push(TableColumn::words("S", Width::Fixed(2), 88, text("state")));
        let asks = move |line: &'a Rc<JobsLine>| asked(record(line), theme);
        let most = if width >= VERY_ROOMY { 48 } else { 28 };
        columns
            .push(on_request_unless(roomy, TableColumn::words("asks", Width::Between(16, most), 45, asks)));
        columns.extend([
            TableColumn::numbers("ncpus", 6, 70, text("ncpus")).valued_by(by("ncpus")),
            TableColumn::numbers("walltime", 8, 60, text("walltime")).valued_by(by("walltime")),
            TableColumn::words("verdict", Width::Fixed(8), 95, move |line: &'a Rc<JobsLine>| {
                verdict(line, world, theme)
            }),
            TableColumn::words("start", Width::Between(6, 12), 85, move |line: &'a Rc<JobsLine>| {
                start(world, line, theme)
            })
            .valued_by(move |line: &'a Rc<JobsLine>| {
                let outcome = line.outcome(run);
                if outcome.is_some_and(|outcome| run.verdict(outcome) == Verdict::Never) {
                    return SortKey::Nothing;
                }
                let guess = outcome.and_then(|outcome| world.screen.start_of(outcome.job));
                match (key(record(line).fact("start")), guess) {
                    (SortKey::Nothing, Some(at)) => SortKey::Number(at.0 as f64),
                    (known, _) => known,
                }
            }),
            TableColumn::words("reason, or where", Width::Fill(18), 80, move |line: &'a Rc<JobsLine>| {
                reason(world, line, width < HAVE_OF)
            }),
            have_of_column(world, theme, width),
        ]);
        columns.extend(on_request(&Self::fields(world), &USUAL, record));
        columns
    }

    fn requests(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.requests)
    }

    fn on_news(&mut self, ticket: u64, news: &News, world: World<'_>) -> Update {
        if let Some(next) = self.reasons.on_news(ticket, news) {
            return next.map_or_else(Update::changed, |next| Update::changed().with(next));
        }
        let starts = world.screen.analysis.starts.came_with(ticket, news);
        Update::changed_if(starts || self.judged.on_news(ticket, news))
    }

    fn why_empty(&self, _: World<'_>) -> Vec<String> {
        vec!["No jobs in the dump.".to_owned(), "r reads the files again.".to_owned()]
    }

    fn act(&mut self, action: Action, line: Option<&JobsLine>, world: World<'_>) -> Option<Update> {
        // A subjob that no dump lists by itself has the page of its array.
        let page = |line: &JobsLine| match line.outcome(world.run()) {
            Some(outcome) => Object::of_job(outcome.job, world.snapshot()),
            None => Object::Job(line.name.to_string()),
        };
        let line = line.filter(|line| line.place != JobPlace::Heading);
        (action == Action::Select).then(|| match line.map(page) {
            Some(job) => Update::request(Effect::GoToPage(job)),
            None => Update::status("no job under the cursor"),
        })
    }

    fn object(line: &JobsLine) -> Option<Object> {
        (line.place != JobPlace::Heading).then(|| Object::Job(line.name.to_string()))
    }

    fn shows(line: &JobsLine, object: &Object) -> bool {
        line.place != JobPlace::Heading && matches!(object, Object::Job(name) if **name == *line.name)
    }
}

/// The two numbers compared with a bar, where they do not stand behind the reason.
fn have_of_column<'a>(world: World<'a>, theme: &'a Theme, width: u16) -> TableColumn<'a, Rc<JobsLine>> {
    let bar: u16 = if width >= 160 { 14 } else { 7 };
    let cell = move |line: &'a Rc<JobsLine>| have_of(world, line, theme, usize::from(bar));
    let column = TableColumn::words("have of", Width::Between(bar + 13, bar + 26), 50, cell);
    let share = move |line: &'a Rc<JobsLine>| {
        SortKey::number(measured(world, line).map(|found| found.have / found.want))
    };
    on_request_unless(width >= HAVE_OF, column.sorted_by(share))
}

/// A column that is shown where there is room, and else when it is chosen.
fn on_request_unless<T>(roomy: bool, column: TableColumn<'_, T>) -> TableColumn<'_, T> {
    if roomy { column } else { column.on_request() }
}
