//! The threads that compute what views request.

use std::io;

use crossbeam_channel::{SendError, Sender, unbounded};

use super::{Task, TaskNews};
use crate::worker::{Post, spawn};
use qscope_system::kernel;

/// Number of threads for long computations, so that one view's forecast does not keep another view waiting.
pub(super) const WORKERS: usize = 2;

/// The computing threads: several for long tasks, one for short ones.
#[derive(Debug, Clone)]
pub struct Workers {
    long: Sender<Task>,
    short: Sender<Task>,
}

impl Workers {
    /// Gives a task to a worker.
    ///
    /// # Errors
    /// All workers have ended.
    pub fn send(&self, task: Task) -> Result<(), SendError<Task>> {
        if task.short { self.short.send(task) } else { self.long.send(task) }
    }
}

/// Starts the computing threads. Tasks are run in order, short ones in parallel with long ones; long ones run at low
/// priority, so that keys are handled first. A panic in one computation is reported to the app and ends only that one.
///
/// # Errors
/// A thread cannot be started.
pub fn workers<M: From<TaskNews> + Send + 'static>(post: &Post<M>) -> io::Result<Workers> {
    let ((long, of_long), (short, of_short)) = (unbounded::<Task>(), unbounded::<Task>());
    let of_long = std::iter::repeat_n(of_long, WORKERS).map(|tasks| (tasks, true));
    for (tasks, is_long) in of_long.chain([(of_short, false)]) {
        let work = move |post: &Post<M>| {
            if is_long {
                kernel::let_others_first();
            }
            for task in &tasks {
                let report = |news: TaskNews| {
                    // A failed send means that the program is ending.
                    post.send(news.into());
                };
                post.guard(task.what(), || task.run(&report));
            }
        };
        spawn("tasks", post.clone(), work)?;
    }
    Ok(Workers { long, short })
}
