//! What goes to the terminal for a frame, in few bytes: over a slow line they are what one waits for (console.md 6,
//! Slow links).
//!
//! Only the colour that changes is sent; a blank has no colour of its own letters; the cursor is moved by the shorter of
//! two ways; a frame that changes nothing sends nothing.

mod pen;

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use unicode_width::UnicodeWidthStr;

use pen::Pen;

/// Writes frames.
#[derive(Debug)]
pub struct Output<W: Write> {
    inner: CrosstermBackend<W>,
    /// Whether the cursor is seen; none before the first frame.
    cursor: Option<bool>,
}

impl<W: Write> Output<W> {
    /// Frames go there.
    pub fn new(writer: W) -> Self {
        Self { inner: CrosstermBackend::new(writer), cursor: None }
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::flush(&mut self.inner)
    }
}

/// The way of the cursor from the place behind what was written last, where that is known.
fn go(text: &mut String, from: Option<Position>, to: Position) {
    match from {
        Some(from) if from == to => {}
        Some(from) if from.y == to.y && from.x + 1 == to.x => text.push_str("\x1b[C"),
        Some(from) if from.y == to.y && from.x < to.x => text.push_str(&format!("\x1b[{}C", to.x - from.x)),
        _ => text.push_str(&format!("\x1b[{};{}H", to.y.saturating_add(1), to.x.saturating_add(1))),
    }
}

/// The place behind a cell; unknown behind signs of which terminals disagree how wide they are.
fn behind(at: Position, symbol: &str) -> Option<Position> {
    (symbol.width() == 1).then(|| Position { x: at.x.saturating_add(1), y: at.y })
}

impl<W: Write> Backend for Output<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let (mut text, mut pen, mut here) = (String::new(), Pen::default(), None);
        for (x, y, cell) in content {
            let at = Position { x, y };
            go(&mut text, here, at);
            pen.turn(&mut text, cell);
            text.push_str(cell.symbol());
            here = behind(at, cell.symbol());
        }
        pen.put_down(&mut text);
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
            _ => self.inner.show_cursor(),
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
        self.inner.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
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
        Output::new(&mut bytes).draw(made.iter().map(|(x, y, cell)| (*x, *y, cell))).unwrap();
        String::from_utf8(bytes).unwrap().replace('\x1b', "^")
    }

    #[test]
    fn a_frame_that_changes_nothing_sends_nothing() {
        assert_eq!(sent(&[]), "");
        let mut bytes = Vec::new();
        let mut output = Output::new(&mut bytes);
        output.hide_cursor().unwrap();
        output.hide_cursor().unwrap();
        assert_eq!(bytes, b"\x1b[?25l");
    }

    #[test]
    fn only_what_changes_is_sent() {
        let plain = Style::new();
        let red = Style::new().fg(Color::Rgb(1, 2, 3)).bg(Color::Indexed(9));
        assert_eq!(sent(&[(0, 0, "a", plain), (1, 0, "b", plain), (3, 0, "c", plain)]), "^[1;1Hab^[Cc");
        assert_eq!(
            sent(&[(0, 1, "a", plain), (9, 1, "b", plain), (0, 0, "c", plain)]),
            "^[2;1Ha^[8Cb^[1;1Hc"
        );
        assert_eq!(
            sent(&[(0, 0, "a", red), (1, 0, "b", red.fg(Color::Red)), (2, 0, " ", red), (3, 0, "c", plain)]),
            "^[1;1H^[38;2;1;2;3;48;5;9ma^[31mb ^[39;49mc"
        );
        let bold = plain.add_modifier(Modifier::BOLD);
        let dim = plain.add_modifier(Modifier::DIM | Modifier::UNDERLINED);
        assert_eq!(
            sent(&[(0, 0, "a", bold), (1, 0, "b", dim), (2, 0, "c", plain), (3, 0, "d", bold)]),
            "^[1;1H^[1ma^[22;2;4mb^[22;24mc^[1md^[m"
        );
        assert_eq!(sent(&[(0, 0, "網", plain), (2, 0, "c", plain)]), "^[1;1H網^[1;3Hc");
    }
}
