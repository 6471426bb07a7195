//! What reaches the event loop from outside: the terminal, signals, workers.

use crossterm::event::Event;

use crate::theme::Ground;

/// An event for the loop.
#[derive(Debug)]
pub enum Incoming<M> {
    /// From the terminal.
    Terminal(Event),
    /// The terminal's answer, on what ground it draws.
    Ground(Ground),
    /// A signal that ends the program.
    End(i32),
    /// SIGTSTP from another process.
    Stop,
    /// SIGCONT after a stop that the console did not start itself.
    Continued,
    /// From a worker.
    Message(M),
    /// A worker panicked.
    WorkerFailed {
        /// The worker's name.
        name: String,
        /// The panic's message and place.
        text: String,
    },
}
