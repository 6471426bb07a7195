//! The threads that compute what views request.

use std::io;

use crossbeam_channel::{SendError, Sender, unbounded};

use super::{Task, TaskLength, TaskNews};
use crate::worker::{WorkerSender, spawn};
use qscope_system::kernel;

/// Number of threads for long computations, so that one view's forecast does not keep another view waiting.
pub(super) const WORKERS: usize = 2;

/// The workers that compute: some for what takes long, one for what is short, one for what is done slice by slice.
#[derive(Debug, Clone)]
pub struct Workers {
    long: Sender<Task>,
    short: Sender<Task>,
    slices: Sender<Task>,
}

impl Workers {
    /// Gives a task to a worker.
    ///
    /// # Errors
    /// All workers have ended.
    pub fn send(&self, task: Task) -> Result<(), SendError<Task>> {
        let to = match task.length {
            TaskLength::Long => &self.long,
            TaskLength::Short => &self.short,
            TaskLength::Slice => &self.slices,
        };
        to.send(task)
    }
}

/// Starts the workers that compute; what is sent is done in order, short tasks and slices beside the long ones, and keys
/// before both. A panic in one computation is reported to the app and ends only that one.
///
/// # Errors
/// A thread cannot be started.
pub fn workers<M: From<TaskNews> + Send + 'static>(sender: &WorkerSender<M>) -> io::Result<Workers> {
    let ((long, of_long), (short, of_short)) = (unbounded::<Task>(), unbounded::<Task>());
    let (slices, of_slices) = unbounded::<Task>();
    let give_way = std::iter::repeat_n(of_long, WORKERS).chain([of_slices]).map(|tasks| (tasks, true));
    for (tasks, gives_way) in give_way.chain([(of_short, false)]) {
        let work = move |post: &WorkerSender<M>| {
            if gives_way {
                kernel::lower_priority();
            }
            for task in &tasks {
                let report = |news: TaskNews| {
                    // A failed send means that the program is ending.
                    post.send(news.into());
                };
                post.guard(task.description(), || task.run(&report));
            }
        };
        spawn("tasks", sender.clone(), work)?;
    }
    Ok(Workers { long, short, slices })
}
