//! The screen as the event loop sees it; tests provide their own.

use ratatui::Frame;
use ratatui::layout::Size;

use qscope_exits::ClipboardText;

/// Which processes a suspension stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SuspendScope {
    /// The whole job, as the terminal's own Ctrl-Z would: a wrapper script around the program must stop too, or the
    /// shell would wait for it for ever.
    Job,
    /// Only this process, because only it got the signal.
    Process,
}

/// Most columns and rows that are drawn: a terminal can state any size, and every cell takes memory.
const LARGEST: Size = Size { width: 1000, height: 500 };

/// Returns the part of a terminal that is drawn on.
pub(crate) fn drawn(size: Size) -> Size {
    Size { width: size.width.min(LARGEST.width), height: size.height.min(LARGEST.height) }
}

/// The screen that the loop draws on.
pub(crate) trait Display {
    /// The error when the terminal cannot be used.
    type Error;

    /// Returns the size in cells.
    ///
    /// # Errors
    /// The terminal is gone.
    fn size(&self) -> Result<Size, Self::Error>;

    /// Draws one frame; only what differs from the previous one is sent.
    ///
    /// # Errors
    /// The terminal is gone.
    fn draw(&mut self, render: &dyn Fn(&mut Frame<'_>)) -> Result<(), Self::Error>;

    /// Forgets what is on the screen and clears it, so that the next frame is sent completely.
    ///
    /// # Errors
    /// The terminal is gone.
    fn redraw(&mut self) -> Result<(), Self::Error>;

    /// Sends a text to the terminal's clipboard.
    ///
    /// # Errors
    /// The terminal is gone.
    fn copy(&mut self, clip: &ClipboardText) -> Result<(), Self::Error>;

    /// Gives the terminal back, stops, and takes it again when continued.
    ///
    /// # Errors
    /// The terminal is gone.
    fn suspend(&mut self, scope: SuspendScope) -> Result<(), Self::Error>;

    /// Takes the terminal again after another program had it.
    ///
    /// # Errors
    /// The terminal is gone.
    fn reenter(&mut self) -> Result<(), Self::Error>;
}
