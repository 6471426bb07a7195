//! One question and what is known of its answer: the parts that workers compute, as they arrive.

mod part;
mod sections;
mod stop_map;
mod target;
mod tasks;

use std::sync::{Arc, Mutex};

use crate::effort::Effort;
use crate::survey::QueueSurvey;
use crate::task::{News, Task};
use crate::views::ViewContext;
use crate::views::timeline::FitWindow;
use crate::wording;
use qscope_engine::cluster::{Edit, JobId, Seconds, short_id};
use qscope_engine::cycle::{Run, Verdict};
use qscope_explain::{
    AnswerSection, AnswerTopic, Forecast, ForecastProgress, ForecastSource, LineStatement, Tier,
    TriedChanges, decided, estimate_section, is_starting_subjob,
};

use super::cursor::WhyCursor;
use super::named_line::NamedLine;
use part::WhyPart;
use qscope_session::{Generation, LogHistory, settings_of};
use qscope_source::as_read::SettingLocation;
use tasks::{
    FirstAnswer, RunCount, SpreadResult, TriedSoFar, blocked_jobs_task, blockers_task, cause_task,
    remedies_task, settings_task, spread_task, start_task,
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
    is_stopped: bool,
    first: WhyPart<Vec<AnswerSection>>,
    /// Where the settings named in the answer are set.
    settings: WhyPart<Vec<SettingLocation>>,
    /// The snapshot whose files are read for that; `None` in a what-if, whose settings are not all in files.
    generation: Option<Arc<Generation>>,
    obstacles: WhyPart<Option<AnswerSection>>,
    /// The forecast, and what the answer states of it.
    start: WhyPart<(Forecast, AnswerSection)>,
    help: WhyPart<TriedChanges>,
    /// The waiting jobs that name the job as a reason.
    blocked_jobs: WhyPart<Option<AnswerSection>>,
    /// The distribution of the start over many runs, if logs of the past are given, and how accurate such statements
    /// were.
    spread: WhyPart<SpreadResult>,
    past: Option<Arc<LogHistory>>,
    /// The progress of these runs.
    runs: Arc<RunCount>,
    /// The progress of the forecast.
    ahead: Arc<Mutex<Option<ForecastProgress>>>,
    /// The changes tried so far.
    tried: Arc<Mutex<TriedSoFar>>,
}

impl WhyPage {
    /// A question that no worker has yet.
    pub(super) fn new(target: WhyTarget, cx: ViewContext<'_>) -> Self {
        let job = target.job().and_then(|job| cx.job_meant(job));
        let run = cx.run();
        let waits = |id| decided(run, id).is_some_and(|outcome| run.verdict(outcome) != Verdict::Run);
        let starts = target.job().is_some_and(|name| is_starting_subjob(run, name));
        let is_all_started = |id: JobId| run.plan.job(id).is_all_started();
        let is_job = target.is_job();
        let waits = is_job && !starts && job.is_some_and(|id| waits(id) && !is_all_started(id));
        let survey = Some(&cx.screen.analysis.survey).filter(|survey| Arc::ptr_eq(run, survey.run()));
        fn later<T>(waits: bool) -> WhyPart<T> {
            if waits { WhyPart::Paused } else { WhyPart::NotApplicable }
        }
        Self {
            target,
            job,
            cursor: WhyCursor::default(),
            tier: None,
            title: None,
            run: cx.run().clone(),
            effort: cx.screen.analysis.effort.clone(),
            survey: survey.cloned(),
            is_stopped: false,
            first: WhyPart::Paused,
            settings: later(waits && cx.live.is_none()),
            generation: cx.live.is_none().then(|| cx.generation().clone()),
            obstacles: later(waits),
            start: later(waits),
            help: later(waits),
            // An answer about a node has nothing on what its job blocks.
            blocked_jobs: if is_job { WhyPart::Paused } else { WhyPart::NotApplicable },
            spread: later(waits && cx.past.is_some()),
            past: cx.past.cloned(),
            runs: Arc::default(),
            ahead: Arc::default(),
            tried: Arc::default(),
        }
    }

    /// Whether the page may be shown for the context: it is about that cycle, or that cycle is not analysed yet.
    pub(super) fn is_of(&self, cx: ViewContext<'_>) -> bool {
        Arc::ptr_eq(&self.run, cx.run()) || cx.screen.analysed_before().is_some()
    }

    /// The moment that the answer is about, in words, if another one is shown.
    pub(super) fn moment(&self, cx: ViewContext<'_>) -> Option<String> {
        let snap = &self.run.plan.snap;
        (!Arc::ptr_eq(&self.run, cx.run())).then(|| wording::analysed_at(snap, snap.now))
    }

    /// Whether workers compute parts of it.
    pub(super) fn is_working(&self) -> bool {
        matches!(self.first, WhyPart::Running(_))
            || matches!(self.obstacles, WhyPart::Running(_))
            || matches!(self.start, WhyPart::Running(_))
            || matches!(self.help, WhyPart::Running(_))
            || matches!(self.blocked_jobs, WhyPart::Running(_))
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
        self.obstacles.pause();
        self.start.pause();
        self.help.pause();
        self.blocked_jobs.pause();
        self.spread.pause();
    }

    /// Stops the computations; false if there are none.
    pub(super) fn stop(&mut self) -> bool {
        let works = self.is_working();
        if works {
            self.is_stopped = true;
            self.pause();
        }
        works
    }

    /// Continues stopped computations; false if none was stopped.
    pub(super) fn continue_computing(&mut self) -> bool {
        std::mem::take(&mut self.is_stopped)
    }

    /// The tasks for all parts that are neither done nor under way.
    pub(super) fn resume(&mut self) -> Vec<Task> {
        let effort = self.effort.clone();
        self.paused().into_iter().map(|task| task.counted(&effort)).collect()
    }

    fn paused(&mut self) -> Vec<Task> {
        let mut tasks = Vec::new();
        if self.is_stopped {
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
        if matches!(self.obstacles, WhyPart::Paused) {
            let (task, ticket) = blockers_task(self.run.clone(), job);
            self.obstacles = WhyPart::Running(ticket);
            tasks.push(task);
        }
        if matches!(self.start, WhyPart::Paused) {
            let (task, ticket) = start_task(self.run.clone(), job, self.ahead.clone());
            self.start = WhyPart::Running(ticket);
            tasks.push(task);
        }
        if matches!(self.help, WhyPart::Paused) {
            let (task, ticket) = remedies_task(self.run.clone(), job, self.tried.clone());
            self.help = WhyPart::Running(ticket);
            tasks.push(task);
        }
        if matches!(self.blocked_jobs, WhyPart::Paused) {
            let (task, ticket) = blocked_jobs_task(self.run.clone(), job);
            self.blocked_jobs = WhyPart::Running(ticket);
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
            return self.start.has_number(ticket)
                || self.help.has_number(ticket)
                || self.spread.has_number(ticket);
        };
        if self.first.has_number(ticket)
            && let Some(found) = answer.downcast_ref::<FirstAnswer>()
        {
            self.tier = found.tier;
            self.title.clone_from(&found.title);
            self.first = WhyPart::Done(found.sections.clone());
        } else if self.settings.has_number(ticket)
            && let Some(settings) = answer.downcast_ref::<Vec<SettingLocation>>()
        {
            self.settings = WhyPart::Done(settings.clone());
        } else if self.obstacles.has_number(ticket)
            && let Some(way) = answer.downcast_ref::<Option<AnswerSection>>()
        {
            self.obstacles = WhyPart::Done(way.clone());
        } else if self.start.has_number(ticket)
            && let Some(start) = answer.downcast_ref::<Forecast>()
        {
            self.start = WhyPart::Done((start.clone(), estimate_section(&self.run.plan.snap, start)));
        } else if self.help.has_number(ticket)
            && let Some(help) = answer.downcast_ref::<TriedChanges>()
        {
            self.help = WhyPart::Done(help.clone());
        } else if self.blocked_jobs.has_number(ticket)
            && let Some(behind) = answer.downcast_ref::<Option<AnswerSection>>()
        {
            self.blocked_jobs = WhyPart::Done(behind.clone());
        } else if self.spread.has_number(ticket)
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
    pub(super) fn fit(&self, cx: ViewContext<'_>) -> Option<FitWindow> {
        let (found, _) = self.start.done().filter(|(found, _)| found.source == ForecastSource::Forecast)?;
        let name = self.target.job()?;
        let (from, nodes) = (found.start?, found.exec_vnode.as_deref()?);
        let plan = cx.plan();
        let length = plan.requests[cx.job_meant(name)?].as_ref().ok()?.duration;
        let names = nodes.split(['(', '+', ')']).filter_map(|part| part.split(':').next());
        let nodes = names.filter_map(|name| plan.bit_named.get(name).copied()).collect();
        let to = (length < Seconds::UNLIMITED).then(|| from + length);
        Some(FitWindow::new(short_id(name).to_owned(), from, to, nodes))
    }

    /// The settings that make the change under the cursor; in a verdict about a limit those that raise it.
    pub(super) fn settings_here(&self) -> Vec<String> {
        let snap = &self.run.plan.snap;
        let remedies = self.help.done().map(|help| &*help.working).unwrap_or_default();
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
    pub(super) fn named(&self, cx: ViewContext<'_>) -> NamedLine {
        let sections = self.sections();
        let Some(section) = self.cursor.key.of(&sections) else { return NamedLine::default() };
        match self.cursor.line.checked_sub(1).and_then(|at| section.lines.get(at)) {
            Some(line) => NamedLine::new(&line.object_names, &line.text, cx),
            None => {
                let repeating = section.lines.iter().find(|line| line.statement == LineStatement::InTitle);
                let about = repeating.map(|line| line.object_names.as_slice()).unwrap_or_default();
                NamedLine::new(about, &section.title, cx)
            }
        }
    }
}
