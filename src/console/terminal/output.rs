//! The output of a frame in few bytes, because on a slow line the user waits for them (console.md 6, Slow links).
//!
//! Only colours that change are sent; a blank needs no foreground colour, and long runs of blanks are erased; the
//! cursor is moved by the shorter of two sequences; cells of one style are drawn together where that is shorter; a
//! frame that changes nothing sends nothing. Terminals that support synchronized output (`CSI ? 2026`) show each frame
//! only when it is complete.

mod cell_runs;
mod erasing;
mod pen;

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

use crate::display::drawn;
use cell_runs::CellRuns;
pub use erasing::EraseBackground;

/// Begin and end of a frame (synchronized output); terminals without support ignore them.
const HOLD: &str = "\x1b[?2026h";
const SHOW: &str = "\x1b[?2026l";

/// Writes frames.
#[derive(Debug)]
pub struct TerminalOutput<W: Write> {
    inner: CrosstermBackend<W>,
    /// Whether the cursor is visible; `None` before the first frame.
    cursor: Option<bool>,
    /// Whether a frame has begun, which the terminal holds back.
    is_held: bool,
    erasing: EraseBackground,
}

impl<W: Write> TerminalOutput<W> {
    /// Writes frames to `writer`, for a terminal that erases this way.
    pub fn new(writer: W, erasing: EraseBackground) -> Self {
        Self { inner: CrosstermBackend::new(writer), cursor: None, is_held: false, erasing }
    }
}

impl<W: Write> Write for TerminalOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::flush(&mut self.inner)
    }
}

impl<W: Write> Backend for TerminalOutput<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let text = CellRuns::new(content).text(self.erasing);
        if !text.is_empty() && !self.is_held {
            self.is_held = true;
            self.inner.write_all(HOLD.as_bytes())?;
        }
        self.inner.write_all(text.as_bytes())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        match self.cursor.replace(false) {
            Some(false) => Ok(()),
            _ => self.inner.hide_cursor(),
        }
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        match self.cursor.replace(true) {
            Some(true) => Ok(()),
            _ => {
                // It fails only where the terminal is gone, which has no cursor any more. An error would be printed when
                // the program ends, to that terminal, and would end it as a panic.
                drop(self.inner.show_cursor());
                Ok(())
            }
        }
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.inner.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.inner.clear_region(region)
    }

    fn size(&self) -> io::Result<Size> {
        self.inner.size().map(drawn)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_held) {
            self.inner.write_all(SHOW.as_bytes())?;
        }
        Backend::flush(&mut self.inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::{Color, Modifier, Style};

    fn sent(cells: &[(u16, u16, &str, Style)]) -> String {
        let made: Vec<(u16, u16, Cell)> = cells
            .iter()
            .map(|(x, y, symbol, style)| {
                let mut cell = Cell::default();
                cell.set_symbol(symbol).set_style(*style);
                (*x, *y, cell)
            })
            .collect();
        let mut bytes = Vec::new();
        let mut output = TerminalOutput::new(&mut bytes, EraseBackground::Painted);
        output.draw(made.iter().map(|(x, y, cell)| (*x, *y, cell))).unwrap();
        Backend::flush(&mut output).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        match text.strip_prefix(HOLD) {
            Some(frame) => frame.strip_suffix(SHOW).unwrap().replace('\x1b', "^"),
            None => text,
        }
    }

    /// A terminal that was closed: the program ends with the code of the signal, not with a panic about the cursor.
    #[test]
    fn a_cursor_of_a_closed_terminal_is_no_error() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
        let mut output = TerminalOutput::new(Closed, EraseBackground::Painted);
        output.show_cursor().unwrap();
    }

    #[test]
    fn a_frame_that_changes_nothing_sends_nothing() {
        assert_eq!(sent(&[]), "");
        let mut bytes = Vec::new();
        let mut output = TerminalOutput::new(&mut bytes, EraseBackground::OwnGround);
        output.hide_cursor().unwrap();
        output.hide_cursor().unwrap();
        assert_eq!(bytes, b"\x1b[?25l");
    }

    #[test]
    fn only_what_changes_is_sent() {
        let plain = Style::new();
        let red = Style::new().fg(Color::Rgb(1, 2, 3)).bg(Color::Indexed(9));
        assert_eq!(sent(&[(0, 0, "a", plain), (1, 0, "b", plain), (3, 0, "c", plain)]), "^[1Hab^[Cc");
        assert_eq!(sent(&[(0, 1, "a", plain), (9, 1, "b", plain), (2, 0, "c", plain)]), "^[2Ha^[8Cb^[1;3Hc");
        assert_eq!(
            sent(&[(0, 0, "a", red), (1, 0, "b", red.fg(Color::Red)), (2, 0, " ", red), (3, 0, "c", plain)]),
            "^[1H^[38;2;1;2;3;48;5;9ma^[31mb ^[39;49mc"
        );
        let bold = plain.add_modifier(Modifier::BOLD);
        let dim = plain.add_modifier(Modifier::DIM | Modifier::UNDERLINED);
        assert_eq!(
            sent(&[(0, 0, "a", bold), (1, 0, "b", dim), (2, 0, "c", plain), (3, 0, "d", bold)]),
            "^[1H^[1ma^[22;2;4mb^[22;24mc^[1md^[m"
        );
        assert_eq!(sent(&[(0, 0, "網", plain), (2, 0, "c", plain)]), "^[1H網^[1;3Hc");
    }

    #[test]
    fn what_is_drawn_in_one_style_is_drawn_together_where_that_is_shorter() {
        let warm = Style::new().fg(Color::Rgb(200, 100, 10));
        let cold = Style::new().fg(Color::Rgb(10, 100, 200));
        assert_eq!(
            sent(&[(0, 0, "a", warm), (1, 0, "b", cold), (2, 0, "c", warm), (3, 0, "d", cold)]),
            "^[1H^[38;2;200;100;10ma^[Cc^[2G^[38;2;10;100;200mb^[Cd^[m"
        );
        let wide = [(0, 0, "a", warm), (1, 0, "b", cold), (2, 0, "c", warm), (3, 0, "網", cold)];
        assert!(sent(&wide).ends_with("^[38;2;200;100;10mc^[38;2;10;100;200m網^[m"), "{}", sent(&wide));
        // Two changes of colour are shorter here than moving back.
        let (red, blue) = (Style::new().fg(Color::Red), Style::new().fg(Color::Blue));
        assert_eq!(sent(&[(0, 0, "a", red), (1, 0, "b", blue)]), "^[1H^[31ma^[34mb^[m");
        // A blank is written in the current foreground colour of its background.
        let ground = Style::new().bg(Color::Red);
        assert_eq!(sent(&[(0, 0, " ", ground), (1, 0, "a", ground.fg(Color::Blue))]), "^[1H^[34;41m a^[m");
    }
}
