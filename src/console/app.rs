//! What the event loop needs of the program on the screen: state, update, render.
//!
//! `update` changes the state and returns effects; it executes none itself, so a test can drive a whole session with a
//! list of inputs. `render` only reads.

use std::time::Duration;

use crossterm::event::MouseEvent;
use ratatui::Frame;
use ratatui::layout::Size;

use super::action::{Action, Context};
use super::key::Key;
use super::keymap::Keymap;
use super::theme::Ground;
use crate::views::Update;
use qscope_exits::drawable;

/// The program on the screen.
pub trait App {
    /// What workers send.
    type Message;

    /// Where the keyboard goes now.
    fn context(&self) -> Context;

    /// Which key does what.
    fn keymap(&self) -> &Keymap;

    /// Whether a message is a whole picture of what is watched, which takes the place of all before it.
    fn is_whole(message: &Self::Message) -> bool {
        let _ = message;
        false
    }

    /// Takes one input in.
    fn update(&mut self, input: Input<Self::Message>) -> Update;

    /// Draws the state. Called only after an update that changed something.
    fn render(&self, frame: &mut Frame<'_>);

    /// Draws the state, then replaces what a terminal would act on in any cell, whichever view drew it.
    fn draw(&self, frame: &mut Frame<'_>) {
        self.render(frame);
        for cell in &mut frame.buffer_mut().content {
            if let Some(instead) = drawable(cell.symbol()) {
                cell.set_symbol(instead);
            }
        }
    }

    /// Whether nothing could be read at all, so that leaving is no success.
    fn has_failed(&self) -> bool {
        false
    }

    /// How long until something changes by itself (the age in the header, playing); `None` when nothing will, and
    /// then nothing wakes the program.
    fn wake_in(&self) -> Option<Duration> {
        None
    }
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Input<M> {
    /// A key that does something here.
    Action(Action),
    /// A key that does nothing here; the app reports it.
    Unbound(Key),
    /// A letter, while something is being typed.
    Letter(char),
    /// A pasted text. Where nothing is being typed it is ignored with a message, since a paste is not a row of keys.
    Paste(String),
    /// A click or a turn of the wheel; never a mere movement.
    Mouse(MouseEvent),
    /// The screen's size, at the start and whenever it changes.
    Resize(Size),
    /// On what ground the terminal draws, once it answered that.
    Ground(Ground),
    /// A worker's message.
    Message(M),
    /// A whole picture after which another one came already: it is kept, not shown.
    Outdated(M),
    /// A worker panicked; the text has where and why. The interface goes on.
    WorkerFailed {
        /// Which worker.
        name: String,
        /// The panic's message and place.
        text: String,
    },
    /// The program was stopped and continues: what is on the screen may be old.
    Resumed,
    /// The time of [`App::wake_in`] is over.
    Tick,
}

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The user left.
    Quit,
    /// The user left, and nothing could ever be read.
    NothingRead,
    /// A signal ended it.
    Signal(i32),
}

impl Exit {
    /// The exit code: 0, 2 for bad input, or 128 and the signal's number, as shells have it.
    pub fn code(self) -> u8 {
        match self {
            Self::Quit => 0,
            Self::NothingRead => 2,
            Self::Signal(signal) => u8::try_from(128 + signal).unwrap_or(255),
        }
    }
}
