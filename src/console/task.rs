//! Long computations: a view requests one, a worker computes, the answer comes back as a message.
//!
//! ```text
//! view ── Effect::Compute(task) ──▶ shell ── Work::Task ──▶ worker: task.run(…)
//!   ▲                                                    │
//!   └────────────── View::on_news(news) ◀── TaskNews ─────┘
//! ```
//! The closure owns what it needs (the `Arc`s of a snapshot) and does not depend on a terminal. Dropping or replacing
//! the [`Ticket`] cancels the computation.

mod workers;

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::effort::Effort;
pub use workers::{Workers, workers};

/// The result of a computation; the [`Ticket`] of the view that requested it knows the type.
pub type TaskAnswer = Arc<dyn Any + Send + Sync>;

type Compute = dyn Fn(&TaskProgress) -> Option<TaskAnswer> + Send + Sync;

/// A computation to be done.
#[derive(Clone)]
pub struct Task {
    number: u64,
    what: String,
    length: TaskLength,
    cancelled: Arc<AtomicBool>,
    compute: Arc<Compute>,
}

/// How long a task takes, which decides by whom it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TaskLength {
    /// Longer than a moment.
    Long,
    /// A moment, and what is typed depends on it.
    Short,
    /// A slice of time, and the next slice is another task.
    Slice,
}

/// What a view keeps of a task whose answer has the type `T`; dropping it cancels the task.
#[derive(Debug)]
pub struct Ticket<T> {
    number: u64,
    cancelled: Arc<AtomicBool>,
    answer: PhantomData<fn() -> T>,
}

/// A task, and the ticket for its answer.
#[derive(Debug)]
pub struct Computation<T> {
    pub(crate) task: Task,
    pub(crate) ticket: Ticket<T>,
}

/// Lets a running computation report its progress and check for cancellation.
pub struct TaskProgress<'a> {
    cancelled: &'a AtomicBool,
    report: &'a dyn Fn(u64, u64),
}

/// Progress or result of a task.
#[derive(Debug, Clone)]
pub enum News {
    /// Parts done, and total parts.
    Progress(u64, u64),
    /// The result.
    Answer(TaskAnswer),
}

/// News, and the task they are about.
#[derive(Debug, Clone)]
pub struct TaskNews {
    /// The task's number, the same as its ticket's.
    pub ticket: u64,
    /// What happened.
    pub news: News,
}

impl<T: Send + Sync + 'static> Computation<T> {
    /// A computation, with the name shown in the footer. It should call [`TaskProgress::at`] now and then, and return
    /// `None` when that is false.
    pub fn new(
        what: impl Into<String>,
        compute: impl Fn(&TaskProgress<'_>) -> Option<T> + Send + Sync + 'static,
    ) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let cancelled = Arc::new(AtomicBool::new(false));
        let compute =
            move |progress: &TaskProgress<'_>| compute(progress).map(|answer| Arc::new(answer) as TaskAnswer);
        let ticket = Ticket { number, cancelled: cancelled.clone(), answer: PhantomData };
        let (what, length) = (what.into(), TaskLength::Long);
        Self { task: Task { number, what, length, cancelled, compute: Arc::new(compute) }, ticket }
    }

    /// Makes it a short task, which never waits for a long one.
    #[must_use]
    pub fn into_short_task(mut self) -> Self {
        self.task.length = TaskLength::Short;
        self
    }

    /// The same as a slice of what goes on in further tasks: it waits for other slices only, so that what a key has go on
    /// does so at once, whatever long tasks are under way.
    #[must_use]
    pub fn into_slice_task(mut self) -> Self {
        self.task.length = TaskLength::Slice;
        self
    }

    /// Counts the task as part of an effort from now on.
    #[must_use]
    pub(crate) fn counted(self, effort: &Effort) -> Self {
        Self { task: self.task.counted(effort), ..self }
    }
}

impl Task {
    /// Counts the task as part of an effort from now on.
    #[must_use]
    pub(crate) fn counted(self, effort: &Effort) -> Self {
        let (work, compute) = (effort.order(), self.compute);
        let counted = move |progress: &TaskProgress<'_>| work.measure(|| compute(progress));
        Self { compute: Arc::new(counted), ..self }
    }

    /// The number, the same as its ticket's.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// What is computed, in words.
    pub fn description(&self) -> &str {
        &self.what
    }

    /// Computes on the calling thread; `report` gets progress and result.
    pub fn run(&self, report: &dyn Fn(TaskNews)) {
        let report_progress =
            |done, of| report(TaskNews { ticket: self.number, news: News::Progress(done, of) });
        let progress = TaskProgress { cancelled: &self.cancelled, report: &report_progress };
        if progress.is_cancelled() {
            return;
        }
        if let Some(answer) = (self.compute)(&progress) {
            report(TaskNews { ticket: self.number, news: News::Answer(answer) });
        }
    }
}

impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("number", &self.number).field("what", &self.what).finish_non_exhaustive()
    }
}

impl<T: Send + Sync + 'static> Ticket<T> {
    /// Whether the news is about this task.
    pub fn is_of(&self, news: &TaskNews) -> bool {
        self.number == news.ticket
    }

    /// The answer, if the news is that of this task.
    pub fn answer(&self, news: &TaskNews) -> Option<Arc<T>> {
        match &news.news {
            News::Answer(answer) if self.is_of(news) => answer.clone().downcast().ok(),
            _ => None,
        }
    }
}

impl<T> Drop for Ticket<T> {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl TaskProgress<'_> {
    /// Reports progress; returns false if the computation was cancelled.
    pub fn at(&self, done: u64, of: u64) -> bool {
        (self.report)(done, of);
        !self.is_cancelled()
    }

    /// Whether the computation was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for TaskProgress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("cancelled", &self.is_cancelled()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::incoming::IncomingEvent;
    use crate::worker::WorkerSender;
    use crossbeam_channel::unbounded;
    use workers::WORKERS;

    fn count(to: u64) -> Computation<u64> {
        Computation::new("counting", move |progress| (0..to).all(|at| progress.at(at, to)).then_some(to))
    }

    fn news_of(task: &Task) -> Vec<String> {
        let texts = RefCell::new(Vec::new());
        task.run(&|news| {
            texts.borrow_mut().push(match news.news {
                News::Progress(done, of) => format!("{done}/{of}"),
                News::Answer(answer) => format!("{:?}", answer.downcast_ref::<u64>()),
            });
        });
        texts.into_inner()
    }

    #[test]
    fn an_answer_comes_after_its_progress() {
        let Computation { task, ticket } = count(2);
        assert_eq!(news_of(&task), ["0/2", "1/2", "Some(2)"]);
        assert_eq!(ticket.number, task.number);
    }

    #[test]
    fn a_dropped_ticket_cancels_the_task() {
        let Computation { task, ticket } = count(2);
        drop(ticket);
        assert_eq!(news_of(&task), Vec::<String>::new());
        let Computation { task, ticket } =
            Computation::new("dropped midway", |progress| progress.at(1, 2).then_some(()));
        let kept = RefCell::new(Some(ticket));
        task.run(&|news| {
            assert!(matches!(news.news, News::Progress(1, 2)));
            kept.borrow_mut().take();
        });
    }

    /// Endless tasks occupy all workers for long tasks.
    #[test]
    fn a_short_task_never_waits_for_long_ones() {
        let (sender, receiver) = unbounded::<IncomingEvent<TaskNews>>();
        let tasks = workers(&WorkerSender::new(sender)).unwrap();
        let endless = || Computation::new("endless", |progress| while_not_cancelled(progress).then_some(()));
        let kept: Vec<Computation<()>> = (0..WORKERS).map(|_| endless()).collect();
        kept.iter().for_each(|one| tasks.send(one.task.clone()).unwrap());
        let Computation { task, ticket } = Computation::new("short", |_| Some(7_u64)).into_short_task();
        tasks.send(task).unwrap();
        let answer = receiver.iter().find_map(|one| match one {
            IncomingEvent::Message(news) => ticket.answer(&news),
            _ => None,
        });
        assert_eq!(answer.as_deref(), Some(&7));
    }

    /// What a key has go on is not behind the long tasks of an answer that is not even on the screen.
    #[test]
    fn a_slice_never_waits_for_long_ones() {
        let (sender, receiver) = unbounded::<IncomingEvent<TaskNews>>();
        let tasks = workers(&WorkerSender::new(sender)).unwrap();
        let endless = || Computation::new("endless", |progress| while_not_cancelled(progress).then_some(()));
        let kept: Vec<Computation<()>> = (0..=WORKERS).map(|_| endless()).collect();
        kept.iter().for_each(|one| tasks.send(one.task.clone()).unwrap());
        let Computation { task, ticket } = Computation::new("slice", |_| Some(())).into_slice_task();
        tasks.send(task).unwrap();
        let wait = std::time::Duration::from_secs(30);
        let answered = std::iter::from_fn(|| receiver.recv_timeout(wait).ok())
            .any(|one| matches!(one, IncomingEvent::Message(news) if ticket.is_of(&news)));
        assert!(answered, "it waits behind the long tasks");
    }

    fn while_not_cancelled(progress: &TaskProgress<'_>) -> bool {
        while !progress.is_cancelled() {
            std::thread::yield_now();
        }
        false
    }

    #[test]
    fn workers_survive_a_task_that_panics() {
        let (sender, receiver) = unbounded::<IncomingEvent<TaskNews>>();
        let tasks = workers(&WorkerSender::new(sender)).unwrap();
        let Computation { task: bad, ticket: _kept } =
            Computation::new("bad", |_| -> Option<()> { panic!("line 7") });
        let Computation { task: good, ticket: _kept_too } = count(1);
        for _ in 0..WORKERS + 1 {
            tasks.send(bad.clone()).unwrap();
        }
        tasks.send(good).unwrap();
        let answered = receiver
            .iter()
            .any(|one| matches!(one, IncomingEvent::Message(TaskNews { news: News::Answer(_), .. })));
        assert!(answered);
    }
}
