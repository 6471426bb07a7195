//! The console put together: terminal, keys, signals, panics, workers, and the loop between them.

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::app::{App, AppExit};
use super::event_loop;
use super::incoming::IncomingEvent;
use super::panics;
use super::signals;
use super::terminal::{self, AnswerFilter, FilteredInput, Terminal, TerminalError, TerminalOptions};
use super::worker::WorkerSender;
use crate::views::Effect;
use qscope_exits::Lines;

/// Runs an app on the terminal until it ends. The calling thread becomes the interface.
///
/// `make` gets the post by which workers reach the app; it returns the app and the function that passes work to them.
///
/// # Errors
/// There is no terminal ([`TerminalError::EXIT_CODE`]), or it fails; it is restored in any case.
pub fn run<A, F, S>(options: TerminalOptions, make: F) -> Result<AppExit, TerminalError>
where
    A: App,
    A::Message: Send + 'static,
    F: FnOnce(WorkerSender<A::Message>) -> (A, S),
    S: FnMut(Effect),
{
    panics::install();
    let (sender, incoming) = unbounded();
    // Before the terminal is taken: otherwise a signal in between would leave it in disorder.
    signals::listen(sender.clone(), terminal::restore)?;
    let mut terminal = Terminal::open(options)?;
    let answer = if options.queries_background { AnswerFilter::awaiting() } else { AnswerFilter::default() };
    read_keys(sender.clone(), answer)?;
    let (mut app, mut start) = make(WorkerSender::new(sender));
    let ended = event_loop::run(&mut app, &mut terminal, &incoming, &mut start);
    drop(terminal);
    report_workers();
    ended.or_else(|error| signal_behind(&incoming).ok_or(error.into()))
}

/// Starts the thread that reads the terminal. It is never joined: it ends with the process.
fn read_keys<M: Send + 'static>(
    sender: Sender<IncomingEvent<M>>,
    mut answer: AnswerFilter,
) -> io::Result<()> {
    let mut pass_on = move |event| match answer.take(event) {
        FilteredInput::Input(events) => {
            events.into_iter().try_for_each(|event| sender.send(IncomingEvent::Terminal(event)))
        }
        FilteredInput::Background(ground) => {
            ground.map_or(Ok(()), |ground| sender.send(IncomingEvent::Background(ground)))
        }
    };
    let read = move || while crossterm::event::read().is_ok_and(|event| pass_on(event).is_ok()) {};
    thread::Builder::new().name("keys".to_owned()).spawn(read).map(drop)
}

/// Returns the signal that follows an error: a vanishing terminal makes drawing fail and sends a hang-up, and the
/// hang-up is the better reason.
fn signal_behind<M>(incoming: &Receiver<IncomingEvent<M>>) -> Option<AppExit> {
    while let Ok(one) = incoming.recv_timeout(Duration::from_millis(100)) {
        if let IncomingEvent::Terminate(signal) = one {
            return Some(AppExit::Signal(signal));
        }
    }
    None
}

fn report_workers() {
    for text in panics::take_recorded() {
        // Standard error may be closed; there is no other place to report.
        let line = Lines::from_iter([format!("qscope: a worker failed: {text}")]);
        drop(io::stderr().write_all(line.as_str().as_bytes()));
    }
}
