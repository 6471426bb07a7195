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
use super::app::{App, AppExit, AppInput};
use super::display::{Display, SuspendScope, drawn};
use super::incoming::IncomingEvent;
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
    incoming: &Receiver<IncomingEvent<A::Message>>,
    start: &mut dyn FnMut(Effect),
) -> Result<AppExit, S::Error> {
    let mut turn = EventDispatcher { app, screen, start, dirty: true };
    let size = turn.screen.size()?;
    if let ControlFlow::Break(exit) = turn.feed(AppInput::Resize(size))? {
        return Ok(exit);
    }
    loop {
        turn.draw()?;
        match wait(incoming, turn.app.wake_in()) {
            WaitResult::Event(first) => {
                let all = std::iter::once(first).chain(incoming.try_iter().take(BATCH)).collect();
                if let ControlFlow::Break(exit) = turn.take_all(all)? {
                    return Ok(exit);
                }
            }
            WaitResult::TimedOut => {
                if let ControlFlow::Break(exit) = turn.feed(AppInput::Tick)? {
                    return Ok(exit);
                }
            }
            WaitResult::Disconnected => return Ok(AppExit::Quit),
        }
    }
}

enum WaitResult<M> {
    Event(IncomingEvent<M>),
    TimedOut,
    Disconnected,
}

fn wait<M>(incoming: &Receiver<IncomingEvent<M>>, limit: Option<Duration>) -> WaitResult<M> {
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    let received = match deadline {
        Some(deadline) => incoming.recv_deadline(deadline),
        None => incoming.recv().map_err(RecvTimeoutError::from),
    };
    match received {
        Ok(first) => WaitResult::Event(first),
        Err(RecvTimeoutError::Timeout) => WaitResult::TimedOut,
        Err(RecvTimeoutError::Disconnected) => WaitResult::Disconnected,
    }
}

struct EventDispatcher<'a, A: App, S> {
    app: &'a mut A,
    screen: &'a mut S,
    start: &'a mut dyn FnMut(Effect),
    dirty: bool,
}

type Flow<E> = Result<ControlFlow<AppExit>, E>;

impl<A: App, S: Display> EventDispatcher<'_, A, S> {
    fn draw(&mut self) -> Result<(), S::Error> {
        if std::mem::take(&mut self.dirty) {
            let app = &*self.app;
            self.screen.draw(&|frame| app.draw(frame))?;
        }
        Ok(())
    }

    /// Handles all events that have arrived, in order. Of several whole snapshots only the last counts: if they arrive
    /// faster than they can be drawn, no queue of them builds up.
    fn take_all(&mut self, all: Vec<IncomingEvent<A::Message>>) -> Flow<S::Error> {
        let is_whole =
            |one: &IncomingEvent<A::Message>| matches!(one, IncomingEvent::Message(m) if A::is_whole(m));
        let last = all.iter().rposition(is_whole);
        for (at, one) in all.into_iter().enumerate() {
            let flow = match one {
                IncomingEvent::Message(message)
                    if last.is_some_and(|last| at < last) && A::is_whole(&message) =>
                {
                    self.feed(AppInput::Superseded(message))?
                }
                one => self.take(one)?,
            };
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn take(&mut self, incoming: IncomingEvent<A::Message>) -> Flow<S::Error> {
        match incoming {
            IncomingEvent::Terminal(event) => self.terminal(event),
            IncomingEvent::Background(ground) => self.feed(AppInput::Background(ground)),
            IncomingEvent::Terminate(signal) => Ok(ControlFlow::Break(AppExit::Signal(signal))),
            IncomingEvent::Suspend => self.suspend(SuspendScope::Process),
            IncomingEvent::Continued => {
                self.screen.reenter()?;
                self.resumed()
            }
            IncomingEvent::Message(message) => self.feed(AppInput::Message(message)),
            IncomingEvent::WorkerFailed { name, text } => self.feed(AppInput::WorkerFailed { name, text }),
        }
    }

    fn terminal(&mut self, event: Event) -> Flow<S::Error> {
        match event {
            Event::Key(key) => match self.input(key) {
                Some(input) => self.feed(input),
                None => Ok(ControlFlow::Continue(())),
            },
            Event::Paste(text) => self.feed(AppInput::Paste(text)),
            Event::Mouse(mouse) if mouse.kind != MouseEventKind::Moved => self.feed(AppInput::Mouse(mouse)),
            Event::Resize(width, height) => {
                self.dirty = true;
                self.feed(AppInput::Resize(drawn(Size { width, height })))
            }
            _ => Ok(ControlFlow::Continue(())),
        }
    }

    /// Translates a key. At a prompt, unbound letters are text and other unbound keys do nothing.
    fn input(&self, event: KeyEvent) -> Option<AppInput<A::Message>> {
        let context = self.app.context();
        if let Some(action) = self.app.keymap().resolve(context, event) {
            return Some(AppInput::Action(action));
        }
        if event.is_release() {
            return None;
        }
        let key = Key::from(event);
        match context {
            Context::Prompt => key.letter().map(AppInput::Letter),
            _ => Some(AppInput::Unbound(key)),
        }
    }

    fn feed(&mut self, input: AppInput<A::Message>) -> Flow<S::Error> {
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
            Effect::Suspend => return self.suspend(SuspendScope::Job),
            Effect::Quit => {
                let exit = if self.app.has_failed() { AppExit::NothingRead } else { AppExit::Quit };
                return Ok(ControlFlow::Break(exit));
            }
            other => (self.start)(other),
        }
        Ok(ControlFlow::Continue(()))
    }

    fn suspend(&mut self, scope: SuspendScope) -> Flow<S::Error> {
        self.screen.suspend(scope)?;
        self.resumed()
    }

    /// Redraws; the terminal may have a different size now.
    fn resumed(&mut self) -> Flow<S::Error> {
        self.dirty = true;
        let size = self.screen.size()?;
        match self.feed(AppInput::Resize(size))? {
            ControlFlow::Continue(()) => self.feed(AppInput::Resumed),
            exit @ ControlFlow::Break(_) => Ok(exit),
        }
    }
}

#[cfg(test)]
mod tests;
