//! Events that reach the event loop from outside: the terminal, signals, workers.

use crossterm::event::Event;

use crate::theme::Background;

/// An event for the loop.
#[derive(Debug)]
pub enum IncomingEvent<M> {
    Terminal(Event),
    /// The terminal's answer to the question for its background colour.
    Background(Background),
    /// A signal that ends the program.
    Terminate(i32),
    /// SIGTSTP from another process.
    Suspend,
    /// SIGCONT after a stop that the console did not cause itself.
    Continued,
    /// A message of a worker.
    Message(M),
    /// A worker panicked.
    WorkerFailed {
        /// The worker's name.
        name: String,
        /// The panic's message and source location.
        text: String,
    },
}
