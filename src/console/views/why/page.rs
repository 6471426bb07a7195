//! One question and what is known of its answer: the parts that workers compute, as they arrive.

mod part;
mod sections;
mod stop_map;
mod target;
mod tasks;

use std::sync::{Arc, Mutex};

use crate::effort::Effort;
use crate::survey::QueueSurvey;
use crate::task::{News, Task, TaskNews};
use crate::views::ViewContext;
use crate::views::timeline::FitWindow;
use crate::wording;
use qscope_engine::cluster::{Edit, JobId, Seconds, short_id};
use qscope_engine::cycle::{Run, Verdict};
use qscope_explain::{
    AnswerSection, AnswerTopic, Forecast, ForecastProgress, ForecastSource, LineStatement, Tier,
    TriedChanges, decided, is_starting_subjob,
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
    run: Arc<Run>,
    /// The effort that its computations are counted for.
    effort: Effort,
    /// The survey of the queue that receives the results; `None` if it is for another cycle.
    survey: Option<QueueSurvey>,
    /// Whether the computations were stopped.
    is_stopped: bool,
    first: WhyPart<FirstAnswer>,
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
            run: cx.run().clone(),
            effort: cx.screen.analysis.effort.clone(),
            survey: survey.cloned(),
            is_stopped: false,
            first: WhyPart::Paused,
            settings: later(waits && cx.following.live.is_none()),
            generation: cx.following.live.is_none().then(|| cx.generation().clone()),
            obstacles: later(waits),
            start: later(waits),
            help: later(waits),
            // An answer about a node has nothing on what its job blocks.
            blocked_jobs: if is_job { WhyPart::Paused } else { WhyPart::NotApplicable },
            spread: later(waits && cx.following.past.is_some()),
            past: cx.following.past.clone(),
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
        self.first.is_running()
            || self.obstacles.is_running()
            || self.start.is_running()
            || self.help.is_running()
            || self.blocked_jobs.is_running()
            || self.spread.is_running()
    }

    /// The tier of the first answer.
    pub(super) fn tier(&self) -> Option<Tier> {
        self.first.done()?.tier
    }

    /// The title, if it is more than the question.
    pub(super) fn title(&self) -> Option<&str> {
        self.first.done()?.title.as_deref()
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
        if self.is_stopped {
            return Vec::new();
        }
        let Self { run, generation, target, survey, ahead, tried, runs, .. } = self;
        let run = || run.clone();
        let first =
            self.first.resume(|| cause_task(run(), target.clone(), survey.clone(), generation.clone()));
        let Some(job) = self.job else { return first.into_iter().collect() };
        let settings =
            generation.clone().and_then(|generation| self.settings.resume(|| settings_task(generation, job)));
        let spread = self
            .past
            .clone()
            .and_then(|past| self.spread.resume(|| spread_task(run(), job, past, runs.clone())));
        let others = [
            settings,
            self.obstacles.resume(|| blockers_task(run(), job)),
            self.start.resume(|| start_task(run(), job, ahead.clone())),
            self.help.resume(|| remedies_task(run(), job, tried.clone())),
            self.blocked_jobs.resume(|| blocked_jobs_task(run(), job)),
            spread,
        ];
        first.into_iter().chain(others.into_iter().flatten()).collect()
    }

    /// Takes news of a worker; returns whether it was for this page.
    pub(super) fn on_news(&mut self, news: &TaskNews) -> bool {
        if matches!(news.news, News::Progress(..)) {
            return self.start.is_about(news) || self.help.is_about(news) || self.spread.is_about(news);
        }
        self.first.take(news)
            || self.settings.take(news)
            || self.obstacles.take(news)
            || self.start.take(news)
            || self.help.take(news)
            || self.blocked_jobs.take(news)
            || self.spread.take(news)
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
            AnswerTopic::Verdict if self.tier() == Some(Tier::Limit) => remedies.iter().find(|remedy| {
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
