//! Workers: threads that read, parse and run cycles, so that the interface never does.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{self, JoinHandle};

use crossbeam_channel::Sender;

use super::incoming::IncomingEvent;
use super::panics;
use qscope_system::background::lower_priority;

/// The sender of a worker's messages.
#[derive(Debug)]
pub struct WorkerSender<M>(Sender<IncomingEvent<M>>);

impl<M> Clone for WorkerSender<M> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<M> WorkerSender<M> {
    /// A post to the loop at the other end of the channel.
    pub fn new(sender: Sender<IncomingEvent<M>>) -> Self {
        Self(sender)
    }

    /// Sends a message; returns false if the loop has ended, so that the worker can stop.
    pub fn send(&self, message: M) -> bool {
        self.0.send(IncomingEvent::Message(message)).is_ok()
    }

    /// Runs one piece of work. After a panic the app gets its name and text, and the caller `None`.
    pub fn guard<T>(&self, name: &str, work: impl FnOnce() -> T) -> Option<T> {
        // A worker's state after a panic is dropped or replaced by its next message, never read half-changed.
        let done = catch_unwind(AssertUnwindSafe(work));
        if done.is_err() {
            let text = panics::take_last().unwrap_or_else(|| "panicked".to_owned());
            // A failed send means that the program is ending.
            drop(self.0.send(IncomingEvent::WorkerFailed { name: name.to_owned(), text }));
        }
        done.ok()
    }
}

/// Starts a worker with its own post; a panic in it is reported to the app.
///
/// # Errors
/// The thread cannot be started.
pub fn spawn<M: Send + 'static>(
    name: &str,
    sender: WorkerSender<M>,
    work: impl FnOnce(&WorkerSender<M>) + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let label = name.to_owned();
    let run = move || {
        lower_priority();
        sender.guard(&label, || work(&sender));
    };
    thread::Builder::new().name(name.to_owned()).spawn(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_panics_is_reported_by_name() {
        let (sender, receiver) = crossbeam_channel::unbounded::<IncomingEvent<u8>>();
        let worker = spawn("reader", WorkerSender::new(sender), |post| {
            assert!(post.send(1));
            panic!("line 7");
        });
        worker.unwrap().join().unwrap();
        assert!(matches!(receiver.recv(), Ok(IncomingEvent::Message(1))));
        assert!(matches!(receiver.recv(), Ok(IncomingEvent::WorkerFailed { name, .. }) if name == "reader"));
        assert!(receiver.recv().is_err());
    }

    #[test]
    fn a_worker_learns_that_the_loop_is_gone() {
        let (sender, receiver) = crossbeam_channel::unbounded::<IncomingEvent<u8>>();
        drop(receiver);
        assert!(!WorkerSender::new(sender).send(1));
    }
}
