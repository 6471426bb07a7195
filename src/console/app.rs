//! The interface between the event loop and the program on the screen: state, update, render.
//!
//! `update` changes the state and returns effects without executing any, so a test can drive a whole session with a
//! list of inputs. `render` only reads.

use std::time::Duration;

use crossterm::event::MouseEvent;
use ratatui::Frame;
use ratatui::layout::Size;

use super::action::{Action, Context};
use super::key::Key;
use super::keymap::Keymap;
use super::theme::Background;
use crate::views::Update;
use qscope_exits::drawable;

/// The program on the screen.
pub trait App {
    /// The messages from workers.
    type Message;

    /// Where keys go at present.
    fn context(&self) -> Context;

    /// The bindings of keys to actions.
    fn keymap(&self) -> &Keymap;

    /// Whether a message is a complete snapshot, which replaces all before it.
    fn is_whole(message: &Self::Message) -> bool {
        let _ = message;
        false
    }

    /// Handles an input.
    fn update(&mut self, input: AppInput<Self::Message>) -> Update;

    /// Draws the state. Called only after an update that changed something.
    fn render(&self, frame: &mut Frame<'_>);

    /// Draws the state, then replaces the content of cells that a terminal would interpret, whichever view drew it.
    fn draw(&self, frame: &mut Frame<'_>) {
        self.render(frame);
        for cell in &mut frame.buffer_mut().content {
            if let Some(instead) = drawable(cell.symbol()) {
                cell.set_symbol(instead);
            }
        }
    }

    /// Whether nothing could ever be read, so that the exit code is not 0.
    fn has_failed(&self) -> bool {
        false
    }

    /// Time until something changes by itself (the age in the header, playing); `None` if nothing will, so that nothing
    /// wakes the program.
    fn wake_in(&self) -> Option<Duration> {
        None
    }
}

/// An input of the program.
#[derive(Debug, Clone, PartialEq)]
pub enum AppInput<M> {
    /// A key that is bound to an action here.
    Action(Action),
    /// A key that is not bound here; the app reports it.
    Unbound(Key),
    /// A letter, while something is being typed.
    Letter(char),
    /// A pasted text. It is never interpreted as keys: unless a line is being typed, it is ignored with a message.
    Paste(String),
    /// A click, drag or turn of the wheel; never a mere movement.
    Mouse(MouseEvent),
    /// The screen's size, at the start and whenever it changes.
    Resize(Size),
    /// The terminal's background, once it has reported it.
    Background(Background),
    /// A worker's message.
    Message(M),
    /// A complete snapshot that a newer one has already followed: it is kept, but not shown.
    Superseded(M),
    /// A worker panicked; the interface continues.
    WorkerFailed {
        /// The name of the worker.
        name: String,
        /// Message and location of the panic.
        text: String,
    },
    /// The program was stopped and continues: the screen may be outdated.
    Resumed,
    /// The time of [`App::wake_in`] has passed.
    Tick,
}

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppExit {
    /// The user left.
    Quit,
    /// The user left, and nothing could ever be read.
    NothingRead,
    /// A signal ended it.
    Signal(i32),
}

impl AppExit {
    /// The exit code: 0, 2 for bad input, or 128 plus the signal number, as in shells.
    pub fn code(self) -> u8 {
        match self {
            Self::Quit => 0,
            Self::NothingRead => 2,
            Self::Signal(signal) => u8::try_from(128 + signal).unwrap_or(255),
        }
    }
}
