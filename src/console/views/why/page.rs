//! One question and what is known of its answer: the parts that workers give, each as it comes.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cluster::JobId;
use crate::console::task::{News, Task, Ticket};
use crate::console::view::Object;
use crate::console::world::World;
use crate::cycle::Run;
use crate::explain::{
    Forecast, Progress, Remedy, SearchEvent, Section, Tier, Topic, Turn, blame, causes, forecast, funnels,
    in_the_way, node_sections, on_node, remedies, running_forward, sections, what_would_help, when, why,
    why_node, why_not_here,
};

use super::cursor::Cursor;

/// What is asked about, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Why a job waits.
    Job(String),
    /// Why a node takes nothing, or not this job.
    Node { node: String, job: Option<String> },
}

/// What a worker found out first.
struct Told {
    sections: Vec<Section>,
    tier: Option<Tier>,
}

/// A part of the answer.
#[derive(Debug)]
enum Part<T> {
    /// It is not asked for.
    Off,
    /// Nobody works on it, and it is not done.
    Paused,
    /// A worker is at it.
    Running(Ticket),
    /// Here it is.
    Done(T),
}

/// A question and its answer so far.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) target: Target,
    pub(super) cursor: Cursor,
    pub(super) tier: Option<Tier>,
    run: Arc<Run>,
    /// Somebody has ended the computations.
    stopped: bool,
    told: Part<Vec<Section>>,
    way: Part<Option<Section>>,
    start: Part<Forecast>,
    help: Part<Vec<Remedy>>,
    /// How far the look ahead has come.
    ahead: Arc<Mutex<Option<Progress>>>,
    /// How many changes were tried, and those that work.
    found: Arc<Mutex<(u32, Vec<Remedy>)>>,
}

impl Target {
    /// The object that stands for it in the back stack.
    pub(super) fn object(&self) -> Object {
        match self {
            Self::Job(job) => Object::Job(job.clone()),
            Self::Node { node, .. } => Object::Node(node.clone()),
        }
    }

    /// The job that it is about.
    pub(super) fn job(&self) -> Option<&String> {
        match self {
            Self::Job(job) => Some(job),
            Self::Node { job, .. } => job.as_ref(),
        }
    }

    /// Whether the world has it.
    pub(super) fn exists(&self, world: World<'_>) -> bool {
        match self {
            Self::Job(job) => world.snapshot().job_named(job).is_some(),
            Self::Node { node, .. } => world.snapshot().node_named(node).is_some(),
        }
    }
}

impl<T> Part<T> {
    fn pause(&mut self) {
        if matches!(self, Self::Running(_)) {
            *self = Self::Paused;
        }
    }

    fn is(&self, number: u64) -> bool {
        matches!(self, Self::Running(ticket) if ticket.is(number))
    }

    fn done(&self) -> Option<&T> {
        match self {
            Self::Done(value) => Some(value),
            _ => None,
        }
    }
}

/// The value of a lock; a worker that panicked has left nothing half-done in it.
fn value<T: Clone>(lock: &Mutex<T>) -> T {
    lock.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

impl Page {
    /// A question that nobody works on yet.
    pub(super) fn new(target: Target, world: World<'_>) -> Self {
        let waits = matches!(&target, Target::Job(job) if {
            let id = world.snapshot().job_named(job);
            id.and_then(|id| world.run().outcome(id)).is_some_and(|outcome| outcome.verdict != crate::cycle::Verdict::Run)
        });
        fn later<T>(waits: bool) -> Part<T> {
            if waits { Part::Paused } else { Part::Off }
        }
        Self {
            target,
            cursor: Cursor::default(),
            tier: None,
            run: world.run().clone(),
            stopped: false,
            told: Part::Paused,
            way: later(waits),
            start: later(waits),
            help: later(waits),
            ahead: Arc::default(),
            found: Arc::default(),
        }
    }

    /// Whether it is about the cycle that the world shows.
    pub(super) fn is_of(&self, world: World<'_>) -> bool {
        Arc::ptr_eq(&self.run, world.run())
    }

    /// Whether workers are at it.
    pub(super) fn is_working(&self) -> bool {
        matches!(self.told, Part::Running(_))
            || matches!(self.way, Part::Running(_))
            || matches!(self.start, Part::Running(_))
            || matches!(self.help, Part::Running(_))
    }

    /// Whether the first answer is there.
    pub(super) fn is_told(&self) -> bool {
        self.told.done().is_some()
    }

    /// Calls off what workers are at; what was found stays.
    pub(super) fn pause(&mut self) {
        self.told.pause();
        self.way.pause();
        self.start.pause();
        self.help.pause();
    }

    /// Ends the computations, or lets them go on; whether they are ended now. None when all is done.
    pub(super) fn stop_or_go_on(&mut self) -> Option<bool> {
        if !self.is_working() && !self.stopped {
            return None;
        }
        self.stopped = !self.stopped;
        self.pause();
        Some(self.stopped)
    }

    /// The tasks for all that is not done and that nobody works on.
    pub(super) fn resume(&mut self) -> Vec<Task> {
        let mut tasks = Vec::new();
        if self.stopped {
            return tasks;
        }
        if matches!(self.told, Part::Paused) {
            let (task, ticket) = self.ask_cause();
            self.told = Part::Running(ticket);
            tasks.push(task);
        }
        let job = self.target.job().and_then(|job| self.run.plan.snap.job_named(job));
        let Some(job) = job else { return tasks };
        if matches!(self.way, Part::Paused) {
            let (task, ticket) = ask_way(self.run.clone(), job);
            self.way = Part::Running(ticket);
            tasks.push(task);
        }
        if matches!(self.start, Part::Paused) {
            let (task, ticket) = ask_start(self.run.clone(), job, self.ahead.clone());
            self.start = Part::Running(ticket);
            tasks.push(task);
        }
        if matches!(self.help, Part::Paused) {
            let (task, ticket) = ask_help(self.run.clone(), job, self.found.clone());
            self.help = Part::Running(ticket);
            tasks.push(task);
        }
        tasks
    }

    fn ask_cause(&self) -> (Task, Ticket) {
        let (run, target) = (self.run.clone(), self.target.clone());
        Task::new("why", move |_| {
            Some(match &target {
                Target::Job(job) => about_job(&run, run.plan.snap.job_named(job)?),
                Target::Node { node, job } => about_node(&run, node, job.as_deref()),
            })
        })
    }

    /// Takes in what a worker says; whether it was for this page.
    pub(super) fn hear(&mut self, ticket: u64, news: &News) -> bool {
        let News::Answer(answer) = news else { return self.start.is(ticket) || self.help.is(ticket) };
        if self.told.is(ticket)
            && let Some(told) = answer.downcast_ref::<Told>()
        {
            self.tier = told.tier;
            self.told = Part::Done(told.sections.clone());
        } else if self.way.is(ticket)
            && let Some(way) = answer.downcast_ref::<Option<Section>>()
        {
            self.way = Part::Done(way.clone());
        } else if self.start.is(ticket)
            && let Some(start) = answer.downcast_ref::<Forecast>()
        {
            self.start = Part::Done(start.clone());
        } else if self.help.is(ticket)
            && let Some(help) = answer.downcast_ref::<Vec<Remedy>>()
        {
            self.help = Part::Done(help.clone());
        } else {
            return false;
        }
        true
    }

    /// All sections as far as they are known, in the order of reading.
    pub(super) fn sections(&self) -> Vec<Section> {
        let now = self.told.done().map(Vec::as_slice).unwrap_or_default();
        let first =
            |section: &&Section| !matches!(section.topic, Topic::Said | Topic::Decision | Topic::Buckets);
        let mut all: Vec<Section> = now.iter().filter(first).cloned().collect();
        all.extend(self.later());
        all.extend(now.iter().filter(|section| !first(section)).cloned());
        all
    }

    /// The sections about what lies ahead.
    fn later(&self) -> Vec<Section> {
        let snap = &self.run.plan.snap;
        let mut found = Vec::new();
        let note = |topic, title: &str, text: &str| {
            let mut section = Section::new(topic, title);
            section.say(text);
            section
        };
        match &self.way {
            Part::Done(way) => found.extend(way.clone()),
            Part::Running(_) => found.push(note(Topic::InTheWay, "In its way", "looking ...")),
            Part::Off | Part::Paused => {}
        }
        let ahead = || {
            value(&self.ahead).map_or("no cycle run forward yet".to_owned(), |at| running_forward(snap, at))
        };
        match &self.start {
            Part::Done(start) => found.push(when(snap, start)),
            Part::Running(_) => {
                found.push(note(Topic::When, "When", &format!("{}; x ends it", ahead())));
            }
            Part::Paused if self.is_told() => {
                found.push(note(Topic::When, "When", &format!("{}; ended, x goes on", ahead())));
            }
            Part::Off | Part::Paused => {}
        }
        let (tried, works) = value(&self.found);
        let state = match &self.help {
            Part::Off => return found,
            Part::Done(help) => {
                found.push(what_would_help(help));
                return found;
            }
            Part::Running(_) => "x ends it",
            Part::Paused => "ended, x goes on",
        };
        let mut section = what_would_help(&works);
        if works.is_empty() {
            section.lines.clear();
        }
        section.say(format!("{tried} changes tried so far; {state}"));
        found.push(section);
        found
    }

    /// The line under the cursor.
    pub(super) fn line(&self) -> Option<crate::explain::Line> {
        let sections = self.sections();
        let section = self.cursor.key.of(&sections)?;
        self.cursor.line.checked_sub(1).and_then(|at| section.lines.get(at)).cloned()
    }
}

fn about_job(run: &Arc<Run>, job: JobId) -> Told {
    let answer = why(run, job);
    let turn = answer.tier().and_then(|_| Turn::new(run, job));
    let funnels = turn.map(|mut turn| funnels(&mut turn)).unwrap_or_default();
    Told { sections: sections(&answer, &funnels), tier: answer.tier() }
}

fn about_node(run: &Arc<Run>, node: &str, job: Option<&str>) -> Told {
    let snap = &run.plan.snap;
    let mut sections = Vec::new();
    let Some(id) = snap.node_named(node) else { return Told { sections, tier: None } };
    if let Some(job) = job.and_then(|job| snap.job_named(job))
        && let Some(mut turn) = Turn::new(run, job)
    {
        sections.push(on_node(run.plan.job(job).short_name(), node, &why_not_here(&mut turn, id)));
    }
    sections.extend(node_sections(&why_node(run, id)));
    Told { sections, tier: None }
}

fn ask_way(run: Arc<Run>, job: JobId) -> (Task, Ticket) {
    Task::new("who is in the way", move |_| {
        let way = Turn::new(&run, job).map(|turn| blame(&turn, &causes(&run, job)));
        Some(way.and_then(|blame| in_the_way(&run.plan.snap, &blame)))
    })
}

fn ask_start(run: Arc<Run>, job: JobId, ahead: Arc<Mutex<Option<Progress>>>) -> (Task, Ticket) {
    Task::new("when it starts", move |progress| {
        let found = forecast(&run, job, &mut |at| {
            *ahead.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
            go_on(progress.at(u64::from(at.cycles), 0))
        });
        // Ended halfway it says no more than its progress does.
        found.filter(|_| !progress.is_cancelled())
    })
}

fn ask_help(run: Arc<Run>, job: JobId, found: Arc<Mutex<(u32, Vec<Remedy>)>>) -> (Task, Ticket) {
    Task::new("what would help", move |progress| {
        *found.lock().unwrap_or_else(PoisonError::into_inner) = (0, Vec::new());
        let help = remedies(&run, job, &mut |event| {
            let tried = {
                let mut known = found.lock().unwrap_or_else(PoisonError::into_inner);
                match event {
                    SearchEvent::Tried(tried) => known.0 = tried,
                    SearchEvent::Found(remedy) => known.1.push(remedy.clone()),
                }
                known.0
            };
            go_on(progress.at(u64::from(tried), 0))
        });
        (!progress.is_cancelled()).then_some(help)
    })
}

fn go_on(wanted: bool) -> ControlFlow<()> {
    if wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}
