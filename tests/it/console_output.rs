//! The bytes written for a frame draw that frame, in whatever order they are written: a terminal shows each cell as
//! it was set.

use proptest::prelude::*;
use qscope::console::terminal::{EraseBackground, TerminalOutput};
use ratatui::backend::Backend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

const AREA: Rect = Rect { x: 0, y: 0, width: 30, height: 4 };
const CELLS: usize = 120;
const SYMBOLS: [&str; 5] = [" ", " ", "a", "─", "7"];
const COLORS: [Color; 4] = [Color::Reset, Color::Red, Color::Rgb(1, 2, 3), Color::Indexed(200)];
const MODIFIERS: [Modifier; 4] =
    [Modifier::empty(), Modifier::BOLD, Modifier::UNDERLINED, Modifier::REVERSED.union(Modifier::ITALIC)];

/// Returns a cell by its number.
fn cell(number: usize) -> Cell {
    let pick = |count: usize, step: usize| number / step % count;
    let style =
        Style::new().fg(COLORS[pick(4, 5)]).bg(COLORS[pick(4, 20)]).add_modifier(MODIFIERS[pick(4, 80)]);
    let mut cell = Cell::default();
    cell.set_symbol(SYMBOLS[pick(5, 1)]).set_style(style);
    cell
}

fn frame(numbers: &[usize]) -> Buffer {
    let mut buffer = Buffer::empty(AREA);
    for (at, number) in buffer.content.iter_mut().zip(numbers) {
        *at = cell(*number);
    }
    buffer
}

/// Returns what can be seen of a cell: of a space without underline or reversal, only its background.
fn seen(symbol: &str, fg: vt100::Color, bg: vt100::Color, attributes: [bool; 4]) -> String {
    let [bold, italic, underline, inverse] = attributes;
    if symbol == " " && !underline && !inverse {
        return format!("{bg:?}");
    }
    format!("{symbol} {fg:?} {bg:?} {bold} {italic} {underline} {inverse}")
}

fn color(color: Color) -> vt100::Color {
    match color {
        Color::Red => vt100::Color::Idx(1),
        Color::Indexed(index) => vt100::Color::Idx(index),
        Color::Rgb(red, green, blue) => vt100::Color::Rgb(red, green, blue),
        _ => vt100::Color::Default,
    }
}

fn on_terminal(screen: &vt100::Screen) -> Vec<String> {
    let cells = (0..AREA.height).flat_map(|y| (0..AREA.width).map(move |x| (y, x)));
    let shown = |(y, x)| {
        let cell = screen.cell(y, x).unwrap();
        let symbol = if cell.has_contents() { cell.contents() } else { " " };
        let attributes = [cell.bold(), cell.italic(), cell.underline(), cell.inverse()];
        seen(symbol, cell.fgcolor(), cell.bgcolor(), attributes)
    };
    cells.map(shown).collect()
}

fn as_set(buffer: &Buffer) -> Vec<String> {
    let shown = |cell: &Cell| {
        let attributes = [Modifier::BOLD, Modifier::ITALIC, Modifier::UNDERLINED, Modifier::REVERSED]
            .map(|one| cell.modifier.contains(one));
        seen(cell.symbol(), color(cell.fg), color(cell.bg), attributes)
    };
    buffer.content.iter().map(shown).collect()
}

proptest! {
    #[test]
    fn a_terminal_shows_each_frame_as_it_was_set(
        frames in prop::collection::vec(
            (prop::collection::vec((0..320usize, 0..3u8), CELLS), 0..CELLS, 0..40usize, 0..4usize),
            1..4,
        ),
        paints in any::<bool>(),
    ) {
        let mut terminal = vt100::Parser::new(AREA.height, AREA.width, 0);
        let mut before = Buffer::empty(AREA);
        let mut numbers = vec![0; CELLS];
        for (changes, from, length, ground) in frames {
            for (number, (to, how)) in numbers.iter_mut().zip(changes) {
                // A third of the cells keep what they show, a third goes among few styles.
                *number = match how {
                    0 => *number,
                    1 => to % 10,
                    _ => to,
                };
            }
            // And a stretch is blank.
            numbers.iter_mut().skip(from).take(length).for_each(|number| *number = 20 * ground);
            let after = frame(&numbers);
            let mut bytes = Vec::new();
            let changed = before.diff(&after);
            let erasing = if paints { EraseBackground::Painted } else { EraseBackground::OwnGround };
            TerminalOutput::new(&mut bytes, erasing).draw(changed.into_iter()).unwrap();
            terminal.process(&bytes);
            prop_assert_eq!(on_terminal(terminal.screen()), as_set(&after));
            before = after;
        }
    }
}
