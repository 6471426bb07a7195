//! Taking the terminal, and restoring it.
//!
//! Whatever ends the program (quitting, an error, a panic of the interface, a signal), [`restore`] runs. It does
//! nothing if there is nothing to undo, so it may run twice.

mod answer;
mod output;

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste};
use crossterm::style::force_color_output;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{Command, execute};
use ratatui::Frame;
use ratatui::layout::{Rect, Size};

use super::display::{Display, SuspendScope};
use super::signals;
use answer::BackgroundQuery;
pub(crate) use answer::{AnswerFilter, FilteredInput};
pub use output::{EraseBackground, TerminalOutput};
use qscope_exits::ClipboardText;

/// Why there is no console.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// Input or output is a file or a pipe.
    #[error(
        "the console needs a terminal, and {0} is none; \
         these answer without one: qscope cycle, qscope why JOB, qscope pools, qscope buckets, qscope check"
    )]
    NotATerminal(&'static str),
    /// The terminal exists but cannot be used.
    #[error("cannot use the terminal: {0}")]
    Io(#[from] io::Error),
}

/// Returns the columns and rows of the terminal, for output without the console; `None` without a terminal.
pub fn size() -> Option<(u16, u16)> {
    crossterm::terminal::size().ok()
}

/// Whether input and output are a terminal, as the console requires.
pub fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

impl TerminalError {
    /// The exit code for this error.
    pub const EXIT_CODE: u8 = 2;
}

/// Settings of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalOptions {
    /// Whether clicks and the wheel are reported (with shift the terminal itself handles them).
    pub mouse: bool,
    /// Whether colours are sent.
    pub color: bool,
    /// Whether the terminal is asked for its background colour.
    pub queries_background: bool,
}

/// The thread that draws, while the console has the terminal.
static OWNER: Mutex<Option<ThreadId>> = Mutex::new(None);

fn owner() -> std::sync::MutexGuard<'static, Option<ThreadId>> {
    OWNER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the console has the terminal, and another thread draws on it.
pub(crate) fn is_owned_by_other_thread() -> bool {
    owner().is_some_and(|id| id != thread::current().id())
}

/// Restores the terminal, if the console has it.
pub fn restore() {
    if owner().take().is_none() {
        return;
    }
    // Each step is tried even if others fail; an error here cannot be reported.
    let mut out = io::stdout();
    drop(execute!(out, DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, Show));
    drop(disable_raw_mode());
}

/// Enables reports of clicks and the wheel with their place, but not of every movement: on a slow line those would be
/// most of the traffic.
struct EnableClicks;

impl Command for EnableClicks {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str("\x1b[?1000h\x1b[?1006h")
    }
}

/// A guard: the console has the terminal from [`Terminal::open`] until this is dropped.
#[derive(Debug)]
pub struct Terminal {
    inner: ratatui::Terminal<TerminalOutput<BufWriter<Stdout>>>,
    options: TerminalOptions,
}

impl Terminal {
    /// Takes the terminal for the calling thread.
    ///
    /// # Errors
    /// There is no terminal, or it cannot be set up; all changes are undone.
    pub fn open(options: TerminalOptions) -> Result<Self, TerminalError> {
        check()?;
        // A frame is one write, and one packet to a remote screen, not one per line.
        let out = BufWriter::with_capacity(1 << 16, io::stdout());
        let inner = ratatui::Terminal::new(TerminalOutput::new(out, EraseBackground::from_env()))?;
        let mut terminal = Self { inner, options };
        terminal.enter()?;
        // Requested once; the answer arrives among the keys.
        if options.queries_background {
            execute!(io::stdout(), BackgroundQuery)?;
        }
        Ok(terminal)
    }

    fn enter(&mut self) -> io::Result<()> {
        *owner() = Some(thread::current().id());
        force_color_output(self.options.color);
        enable_raw_mode()?;
        let mut out = io::stdout();
        execute!(out, EnterAlternateScreen, EnableBracketedPaste, Hide)?;
        if self.options.mouse {
            execute!(out, EnableClicks)?;
        }
        self.redraw()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

/// Keys may come from the controlling terminal if input is a pipe; frames must go to standard output.
fn check() -> Result<(), TerminalError> {
    if !io::stdout().is_terminal() {
        return Err(TerminalError::NotATerminal("standard output"));
    }
    if !io::stdin().is_terminal() && File::open("/dev/tty").is_err() {
        return Err(TerminalError::NotATerminal("standard input"));
    }
    Ok(())
}

impl Display for Terminal {
    type Error = io::Error;

    fn size(&self) -> io::Result<Size> {
        self.inner.size()
    }

    fn draw(&mut self, render: &dyn Fn(&mut Frame<'_>)) -> io::Result<()> {
        self.inner.draw(|frame| render(frame)).map(drop)
    }

    /// Does not use `clear`, which queries the cursor's position and would wait for an answer that the key-reading
    /// thread gets.
    fn redraw(&mut self) -> io::Result<()> {
        let size = self.inner.size()?;
        self.inner.resize(Rect::from((ratatui::layout::Position::ORIGIN, size)))
    }

    fn copy(&mut self, clip: &ClipboardText) -> io::Result<()> {
        execute!(self.inner.backend_mut(), CopyToClipboard::to_clipboard_from(clip.as_str()))?;
        Write::flush(self.inner.backend_mut())
    }

    fn suspend(&mut self, scope: SuspendScope) -> io::Result<()> {
        restore();
        signals::scope(scope)?;
        self.enter()
    }

    /// Another program may have set its own modes, so ours are reset before they are set again.
    fn reenter(&mut self) -> io::Result<()> {
        restore();
        self.enter()
    }
}
