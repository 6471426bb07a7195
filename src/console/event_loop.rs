//! The loop: wait for an event, handle all that have arrived, draw once.
//!
//! All events come through one channel (keys, signals, workers), so they are handled in order, and a test can play
//! every part. Nothing is drawn unless an update changed something.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use crossterm::event::{Event, KeyEvent, MouseEventKind};
use ratatui::layout::Size;

use super::action::Context;
use super::app::{App, Exit, Input};
use super::display::{Display, Stop};
use super::incoming::Incoming;
use super::key::Key;
use crate::views::Effect;

/// Maximum number of further inputs handled before a frame is drawn, so that a worker that floods the channel cannot
/// freeze the screen.
const BATCH: usize = 4096;

/// Runs the app until it quits, a signal ends it, or every sender is gone.
///
/// `start` passes [`Effect::Compute`] and [`Effect::Reload`] to workers; it must not block.
///
/// # Errors
/// Those of the screen.
pub(crate) fn run<A: App, S: Display>(
    app: &mut A,
    screen: &mut S,
    incoming: &Receiver<Incoming<A::Message>>,
    start: &mut dyn FnMut(Effect),
) -> Result<Exit, S::Error> {
    let mut turn = LoopTurn { app, screen, start, dirty: true };
    let size = turn.screen.size()?;
    if let ControlFlow::Break(exit) = turn.feed(Input::Resize(size))? {
        return Ok(exit);
    }
    loop {
        turn.draw()?;
        match wait(incoming, turn.app.wake_in()) {
            Wait::Got(first) => {
                let all = std::iter::once(first).chain(incoming.try_iter().take(BATCH)).collect();
                if let ControlFlow::Break(exit) = turn.take_all(all)? {
                    return Ok(exit);
                }
            }
            Wait::TimedOut => {
                if let ControlFlow::Break(exit) = turn.feed(Input::Tick)? {
                    return Ok(exit);
                }
            }
            Wait::Disconnected => return Ok(Exit::Quit),
        }
    }
}

enum Wait<M> {
    Got(Incoming<M>),
    TimedOut,
    Disconnected,
}

fn wait<M>(incoming: &Receiver<Incoming<M>>, limit: Option<Duration>) -> Wait<M> {
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    let received = match deadline {
        Some(deadline) => incoming.recv_deadline(deadline),
        None => incoming.recv().map_err(RecvTimeoutError::from),
    };
    match received {
        Ok(first) => Wait::Got(first),
        Err(RecvTimeoutError::Timeout) => Wait::TimedOut,
        Err(RecvTimeoutError::Disconnected) => Wait::Disconnected,
    }
}

struct LoopTurn<'a, A: App, S> {
    app: &'a mut A,
    screen: &'a mut S,
    start: &'a mut dyn FnMut(Effect),
    dirty: bool,
}

type Flow<E> = Result<ControlFlow<Exit>, E>;

impl<A: App, S: Display> LoopTurn<'_, A, S> {
    fn draw(&mut self) -> Result<(), S::Error> {
        if std::mem::take(&mut self.dirty) {
            let app = &*self.app;
            self.screen.draw(&|frame| app.draw(frame))?;
        }
        Ok(())
    }

    /// Handles all events that have arrived, in order. Of several whole snapshots only the last counts: if they arrive
    /// faster than they can be drawn, no queue of them builds up.
    fn take_all(&mut self, all: Vec<Incoming<A::Message>>) -> Flow<S::Error> {
        let is_whole = |one: &Incoming<A::Message>| matches!(one, Incoming::Message(m) if A::is_whole(m));
        let last = all.iter().rposition(is_whole);
        for (at, one) in all.into_iter().enumerate() {
            let flow = match one {
                Incoming::Message(message) if last.is_some_and(|last| at < last) && A::is_whole(&message) => {
                    self.feed(Input::Outdated(message))?
                }
                one => self.take(one)?,
            };
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn take(&mut self, incoming: Incoming<A::Message>) -> Flow<S::Error> {
        match incoming {
            Incoming::Terminal(event) => self.terminal(event),
            Incoming::Ground(ground) => self.feed(Input::Ground(ground)),
            Incoming::End(signal) => Ok(ControlFlow::Break(Exit::Signal(signal))),
            Incoming::Stop => self.suspend(Stop::Process),
            Incoming::Continued => {
                self.screen.reenter()?;
                self.resumed()
            }
            Incoming::Message(message) => self.feed(Input::Message(message)),
            Incoming::WorkerFailed { name, text } => self.feed(Input::WorkerFailed { name, text }),
        }
    }

    fn terminal(&mut self, event: Event) -> Flow<S::Error> {
        match event {
            Event::Key(key) => match self.input(key) {
                Some(input) => self.feed(input),
                None => Ok(ControlFlow::Continue(())),
            },
            Event::Paste(text) => self.feed(Input::Paste(text)),
            Event::Mouse(mouse) if mouse.kind != MouseEventKind::Moved => self.feed(Input::Mouse(mouse)),
            Event::Resize(width, height) => {
                self.dirty = true;
                self.feed(Input::Resize(Size { width, height }))
            }
            _ => Ok(ControlFlow::Continue(())),
        }
    }

    /// Translates a key. At a prompt, unbound letters are text and other unbound keys do nothing.
    fn input(&self, event: KeyEvent) -> Option<Input<A::Message>> {
        let context = self.app.context();
        if let Some(action) = self.app.keymap().resolve(context, event) {
            return Some(Input::Action(action));
        }
        if event.is_release() {
            return None;
        }
        let key = Key::from(event);
        match context {
            Context::Prompt => key.letter().map(Input::Letter),
            _ => Some(Input::Unbound(key)),
        }
    }

    fn feed(&mut self, input: Input<A::Message>) -> Flow<S::Error> {
        let update = self.app.update(input);
        self.dirty |= update.changed;
        for effect in update.effects {
            if let ControlFlow::Break(exit) = self.run(effect)? {
                return Ok(ControlFlow::Break(exit));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn run(&mut self, effect: Effect) -> Flow<S::Error> {
        match effect {
            Effect::Copy(_, clip) => self.screen.copy(&clip)?,
            Effect::Redraw => {
                self.screen.redraw()?;
                self.dirty = true;
            }
            Effect::Suspend => return self.suspend(Stop::Job),
            Effect::Quit => {
                let exit = if self.app.has_failed() { Exit::NothingRead } else { Exit::Quit };
                return Ok(ControlFlow::Break(exit));
            }
            other => (self.start)(other),
        }
        Ok(ControlFlow::Continue(()))
    }

    fn suspend(&mut self, stop: Stop) -> Flow<S::Error> {
        self.screen.suspend(stop)?;
        self.resumed()
    }

    /// Redraws; the terminal may have a different size now.
    fn resumed(&mut self) -> Flow<S::Error> {
        self.dirty = true;
        let size = self.screen.size()?;
        match self.feed(Input::Resize(size))? {
            ControlFlow::Continue(()) => self.feed(Input::Resumed),
            exit @ ControlFlow::Break(_) => Ok(exit),
        }
    }
}

#[cfg(test)]
mod tests;
