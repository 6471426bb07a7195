//! One question and what is known of its answer: the parts that workers compute, as they arrive.

mod part;
mod shown;
mod stop_map;
mod target;
mod tasks;

use std::sync::{Arc, Mutex};

use crate::effort::Effort;
use crate::survey::QueueSurvey;
use crate::task::{News, Task};
use crate::views::World;
use crate::views::timeline::FitWindow;
use crate::wording;
use qscope_engine::cluster::{Edit, JobId, Seconds, short_id};
use qscope_engine::cycle::{Run, Verdict};
use qscope_explain::{
    AnswerSection, AnswerTopic, Forecast, ForecastProgress, ForecastSource, LineStatement, Tier,
    TriedChanges, decided, is_starting_subjob, when,
};

use super::cursor::WhyCursor;
use super::named_line::NamedLine;
use part::WhyPart;
use qscope_session::{Generation, LogHistory, settings_of};
use qscope_source::as_read::SettingLocation;
use tasks::{
    FirstAnswer, RunCount, SpreadResult, TriedSoFar, behind_task, blockers_task, cause_task, remedies_task,
    settings_task, spread_task, start_task,
};

pub(super) use target::WhyTarget;

/// A question and its answer so far.
#[derive(Debug)]
pub(super) struct WhyPage {
    pub(super) target: WhyTarget,
    /// The job it is about, if the snapshot has it.
    job: Option<JobId>,
    pub(super) cursor: WhyCursor,
    pub(super) tier: Option<Tier>,
    /// The title, if it is more than the question.
    pub(super) title: Option<String>,
    run: Arc<Run>,
    /// The effort that its computations are counted for.
    effort: Effort,
    /// The survey of the queue that receives the results; `None` if it is for another cycle.
    survey: Option<QueueSurvey>,
    /// Whether the computations were stopped.
    stopped: bool,
    first: WhyPart<Vec<AnswerSection>>,
    /// Where the settings named in the answer are set.
    settings: WhyPart<Vec<SettingLocation>>,
    /// The snapshot whose files are read for that; `None` in a what-if, whose settings are not all in files.
    generation: Option<Arc<Generation>>,
    way: WhyPart<Option<AnswerSection>>,
    /// The forecast, and what the answer states of it.
    start: WhyPart<(Forecast, AnswerSection)>,
    help: WhyPart<TriedChanges>,
    /// The waiting jobs that name the job as a reason.
    behind: WhyPart<Option<AnswerSection>>,
    /// The distribution of the start over many runs, if logs of the past are given, and how accurate such statements
    /// were.
    spread: WhyPart<SpreadResult>,
    past: Option<Arc<LogHistory>>,
    /// The progress of these runs.
    runs: Arc<RunCount>,
    /// The progress of the forecast.
    ahead: Arc<Mutex<Option<ForecastProgress>>>,
    /// The changes tried so far.
    found: Arc<Mutex<TriedSoFar>>,
}

impl WhyPage {
    /// A question that no worker has yet.
    pub(super) fn new(target: WhyTarget, world: World<'_>) -> Self {
        let job = target.job().and_then(|job| world.job_meant(job));
        let run = world.run();
        let waits = |id| decided(run, id).is_some_and(|outcome| run.verdict(outcome) != Verdict::Run);
        let starts = target.job().is_some_and(|name| is_starting_subjob(run, name));
        let is_all_started = |id: JobId| run.plan.job(id).is_all_started();
        let is_job = target.is_job();
        let waits = is_job && !starts && job.is_some_and(|id| waits(id) && !is_all_started(id));
        let survey = Some(&world.screen.analysis.survey).filter(|survey| Arc::ptr_eq(run, survey.run()));
        fn later<T>(waits: bool) -> WhyPart<T> {
            if waits { WhyPart::Paused } else { WhyPart::Off }
        }
        Self {
            target,
            job,
            cursor: WhyCursor::default(),
            tier: None,
            title: None,
            run: world.run().clone(),
            effort: world.screen.analysis.effort.clone(),
            survey: survey.cloned(),
            stopped: false,
            first: WhyPart::Paused,
            settings: later(waits && world.live.is_none()),
            generation: world.live.is_none().then(|| world.generation().clone()),
            way: later(waits),
            start: later(waits),
            help: later(waits),
            // An answer about a node has nothing on what its job blocks.
            behind: if is_job { WhyPart::Paused } else { WhyPart::Off },
            spread: later(waits && world.past.is_some()),
            past: world.past.cloned(),
            runs: Arc::default(),
            ahead: Arc::default(),
            found: Arc::default(),
        }
    }

    /// Whether the page may be shown for the world: it is about that cycle, or that cycle is not analysed yet.
    pub(super) fn is_of(&self, world: World<'_>) -> bool {
        Arc::ptr_eq(&self.run, world.run()) || world.screen.analysed_before().is_some()
    }

    /// The moment that the answer is about, in words, if another one is shown.
    pub(super) fn moment(&self, world: World<'_>) -> Option<String> {
        let snap = &self.run.plan.snap;
        (!Arc::ptr_eq(&self.run, world.run())).then(|| wording::analysed_at(snap, snap.now))
    }

    /// Whether workers compute parts of it.
    pub(super) fn is_working(&self) -> bool {
        matches!(self.first, WhyPart::Running(_))
            || matches!(self.way, WhyPart::Running(_))
            || matches!(self.start, WhyPart::Running(_))
            || matches!(self.help, WhyPart::Running(_))
            || matches!(self.behind, WhyPart::Running(_))
            || matches!(self.spread, WhyPart::Running(_))
    }

    /// Whether the first answer is there.
    pub(super) fn is_answered(&self) -> bool {
        self.first.done().is_some()
    }

    /// Cancels the computations; results are kept.
    pub(super) fn pause(&mut self) {
        self.first.pause();
        self.settings.pause();
        self.way.pause();
        self.start.pause();
        self.help.pause();
        self.behind.pause();
        self.spread.pause();
    }

    /// Stops the computations; false if there are none.
    pub(super) fn stop(&mut self) -> bool {
        let works = self.is_working();
        if works {
            self.stopped = true;
            self.pause();
        }
        works
    }

    /// Continues stopped computations; false if none was stopped.
    pub(super) fn go_on(&mut self) -> bool {
        std::mem::take(&mut self.stopped)
    }

    /// The tasks for all parts that are neither done nor under way.
    pub(super) fn resume(&mut self) -> Vec<Task> {
        let effort = self.effort.clone();
        self.paused().into_iter().map(|task| task.counted(&effort)).collect()
    }

    fn paused(&mut self) -> Vec<Task> {
        let mut tasks = Vec::new();
        if self.stopped {
            return tasks;
        }
        if matches!(self.first, WhyPart::Paused) {
            let (run, generation) = (self.run.clone(), self.generation.clone());
            let (task, ticket) = cause_task(run, self.target.clone(), self.survey.clone(), generation);
            self.first = WhyPart::Running(ticket);
            tasks.push(task);
        }
        let Some(job) = self.job else { return tasks };
        if let (WhyPart::Paused, Some(generation)) = (&self.settings, &self.generation) {
            let (task, ticket) = settings_task(generation.clone(), job);
            self.settings = WhyPart::Running(ticket);
            tasks.push(task);
        }
        if matches!(self.way, WhyPart::Paused) {
            let (task, ticket) = blockers_task(self.run.clone(), job);
            self.way = WhyPart::Running(ticket);
            tasks.push(task);
        }
        if matches!(self.start, WhyPart::Paused) {
            let (task, ticket) = start_task(self.run.clone(), job, self.ahead.clone());
            self.start = WhyPart::Running(ticket);
            tasks.push(task);
        }
        if matches!(self.help, WhyPart::Paused) {
            let (task, ticket) = remedies_task(self.run.clone(), job, self.found.clone());
            self.help = WhyPart::Running(ticket);
            tasks.push(task);
        }
        if matches!(self.behind, WhyPart::Paused) {
            let (task, ticket) = behind_task(self.run.clone(), job);
            self.behind = WhyPart::Running(ticket);
            tasks.push(task);
        }
        if let (WhyPart::Paused, Some(past)) = (&self.spread, &self.past) {
            let (task, ticket) = spread_task(self.run.clone(), job, past.clone(), self.runs.clone());
            self.spread = WhyPart::Running(ticket);
            tasks.push(task);
        }
        tasks
    }

    /// Takes news of a worker; returns whether it was for this page.
    pub(super) fn on_news(&mut self, ticket: u64, news: &News) -> bool {
        let News::Answer(answer) = news else {
            return self.start.is(ticket) || self.help.is(ticket) || self.spread.is(ticket);
        };
        if self.first.is(ticket)
            && let Some(found) = answer.downcast_ref::<FirstAnswer>()
        {
            self.tier = found.tier;
            self.title.clone_from(&found.title);
            self.first = WhyPart::Done(found.sections.clone());
        } else if self.settings.is(ticket)
            && let Some(settings) = answer.downcast_ref::<Vec<SettingLocation>>()
        {
            self.settings = WhyPart::Done(settings.clone());
        } else if self.way.is(ticket)
            && let Some(way) = answer.downcast_ref::<Option<AnswerSection>>()
        {
            self.way = WhyPart::Done(way.clone());
        } else if self.start.is(ticket)
            && let Some(start) = answer.downcast_ref::<Forecast>()
        {
            self.start = WhyPart::Done((start.clone(), when(&self.run.plan.snap, start)));
        } else if self.help.is(ticket)
            && let Some(help) = answer.downcast_ref::<TriedChanges>()
        {
            self.help = WhyPart::Done(help.clone());
        } else if self.behind.is(ticket)
            && let Some(behind) = answer.downcast_ref::<Option<AnswerSection>>()
        {
            self.behind = WhyPart::Done(behind.clone());
        } else if self.spread.is(ticket)
            && let Some(spread) = answer.downcast_ref::<SpreadResult>()
        {
            self.spread = WhyPart::Done(spread.clone());
        } else {
            return false;
        }
        true
    }

    /// Where the job would fit according to the forecast; `None` if it starts now or is planned, as the calendar has
    /// that.
    pub(super) fn fit(&self, world: World<'_>) -> Option<FitWindow> {
        let (found, _) = self.start.done().filter(|(found, _)| found.source == ForecastSource::Forecast)?;
        let name = self.target.job()?;
        let (from, nodes) = (found.start?, found.exec_vnode.as_deref()?);
        let plan = world.plan();
        let length = plan.requests[world.job_meant(name)?].as_ref().ok()?.duration;
        let names = nodes.split(['(', '+', ')']).filter_map(|part| part.split(':').next());
        let nodes = names.filter_map(|name| plan.bit_named.get(name).copied()).collect();
        let to = (length < Seconds::UNLIMITED).then(|| from + length);
        Some(FitWindow::new(short_id(name).to_owned(), from, to, nodes))
    }

    /// The settings that make the change under the cursor; in a verdict about a limit those that raise it.
    pub(super) fn settings_here(&self) -> Vec<String> {
        let snap = &self.run.plan.snap;
        let remedies = self.help.done().map(|help| &*help.works).unwrap_or_default();
        let remedy = match self.cursor.key.topic() {
            AnswerTopic::Help => self.cursor.line.checked_sub(1).and_then(|at| remedies.get(at)),
            AnswerTopic::Verdict if self.tier == Some(Tier::Limit) => remedies.iter().find(|remedy| {
                remedy.edits.iter().any(|edit| matches!(edit, Edit::Server(_) | Edit::Queue(..)))
            }),
            _ => None,
        };
        remedy.map(|remedy| settings_of(snap, &remedy.edits)).unwrap_or_default()
    }

    /// Whether the change under the cursor is not one of settings, such as `qrun` of one job.
    pub(super) fn is_on_change_without_setting(&self) -> bool {
        let is_change = self.cursor.key.topic() == AnswerTopic::Help && self.cursor.line > 0;
        is_change && self.settings_here().is_empty()
    }

    /// The line under the cursor with its names, or the title of the section.
    pub(super) fn named(&self, world: World<'_>) -> NamedLine {
        let sections = self.sections();
        let Some(section) = self.cursor.key.of(&sections) else { return NamedLine::default() };
        match self.cursor.line.checked_sub(1).and_then(|at| section.lines.get(at)) {
            Some(line) => NamedLine::new(&line.about, &line.text, world),
            None => {
                let repeating = section.lines.iter().find(|line| line.states == LineStatement::InTitle);
                let about = repeating.map(|line| line.about.as_slice()).unwrap_or_default();
                NamedLine::new(about, &section.title, world)
            }
        }
    }
}
