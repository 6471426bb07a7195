use std::cell::Cell as Counter;

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::action::Action;
use crate::theme::{ColorDepth, GlyphSet, ThemeOptions};
use crate::widgets::margin::MarginBuffer;

/// The columns of a queue whose rows are numbers; `made_cells` counts the cells made.
fn columns(made_cells: &Counter<usize>) -> [TableColumn<'_, usize>; 5] {
    let made = |cell| {
        made_cells.set(made_cells.get() + 1);
        cell
    };
    let verdict = |row: &usize| match row.is_multiple_of(3) {
        true => Cell::signed(Role::VerdictRun, "run"),
        false => Cell::signed(Role::VerdictWait, "wait"),
    };
    [
        TableColumn::words("job", Width::Between(6, 10), 9, move |row: &usize| {
            made(Cell::new(format!("{}.svr", 4698 + row)))
        }),
        TableColumn::words("user", Width::Fixed(6), 2, move |_| {
            made(Cell::of(Role::TextDim, "kim\u{1b}[2J"))
        }),
        TableColumn::words("verdict", Width::Fixed(9), 8, move |row| made(verdict(row))),
        TableColumn::numbers("nodes", 5, 3, move |row: &usize| made(Cell::new((row % 17).to_string()))),
        TableColumn::words("reason", Width::Fill(10), 5, move |_| {
            made(Cell::new("64 nodes requested in one switch; best set has 61"))
        }),
    ]
}

fn theme(glyphs: GlyphSet) -> &'static Theme {
    static BOTH: std::sync::LazyLock<[Theme; 2]> = std::sync::LazyLock::new(|| {
        [GlyphSet::Unicode, GlyphSet::Ascii]
            .map(|glyphs| Theme::built_in("default-dark", ThemeOptions { depth: ColorDepth::None, glyphs }).0)
    });
    &BOTH[usize::from(glyphs == GlyphSet::Ascii)]
}

fn draw(width: u16, height: u16, glyphs: GlyphSet, len: usize, state: TableState) -> (String, usize) {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let (made_cells, rows): (Counter<usize>, Vec<usize>) = (Counter::new(0), (0..len).collect());
    let columns = columns(&made_cells);
    let table = Table::new(&columns, &rows, state, theme(glyphs));
    terminal.draw(|frame| table.render(frame.area(), frame.buffer_mut())).unwrap();
    (terminal.backend().to_string(), made_cells.get())
}

#[test]
fn wide_it_shows_all_columns_narrow_the_most_important() {
    let state = TableState { selected: 1, offset: 0 };
    let drawn = [
        draw(76, 5, GlyphSet::Unicode, 301, state).0,
        draw(44, 4, GlyphSet::Ascii, 2, state).0,
        draw(18, 3, GlyphSet::Ascii, 2, state).0,
    ];
    insta::assert_snapshot!(drawn.join("\n"));
}

#[test]
fn a_hundred_thousand_rows_cost_what_is_on_the_screen() {
    let (drawn, made_cells) =
        draw(80, 24, GlyphSet::Ascii, 100_000, TableState { selected: 99_999, offset: 0 });
    assert!(drawn.contains(">104697.svr"), "{drawn}");
    // The visible ones, and once more for a column whose width depends on its content.
    assert_eq!(made_cells, 23 * 6);
}

#[test]
fn in_no_size_or_state_is_anything_drawn_outside() {
    for width in (0..300).step_by(7) {
        for height in 0..12 {
            for len in [0, 1, 5] {
                let mut pane = MarginBuffer::around(width, height);
                let state = TableState { selected: 9, offset: 77 };
                let (made_cells, rows): (Counter<usize>, Vec<usize>) = (Counter::new(0), (0..len).collect());
                let columns = columns(&made_cells);
                let table = Table::new(&columns, &rows, state, theme(GlyphSet::Unicode));
                Table { focused: false, ..table }.render(pane.area, &mut pane.buf);
                pane.assert_margin_is_untouched();
            }
        }
    }
}

#[test]
fn the_cursor_moves_and_the_window_follows_as_far_as_needed_or_by_a_page() {
    let mut state = TableState::default();
    let mut seen = Vec::new();
    for action in [
        Action::Up,
        Action::Down,
        Action::PageDown,
        Action::PageDown,
        Action::Up,
        Action::End,
        Action::PageUp,
        Action::Home,
        Action::StepForward,
    ] {
        let changed = state.move_cursor(action, 20, 5);
        seen.push(format!("{} {:?} {changed}", state.position(20), state.window(20, 5)));
    }
    assert_eq!(
        seen,
        [
            "1/20 0..5 false",
            "2/20 0..5 true",
            "6/20 4..9 true",
            "10/20 8..13 true",
            "9/20 8..13 true",
            "20/20 15..20 true",
            "16/20 11..16 true",
            "1/20 0..5 true",
            "1/20 0..5 false",
        ]
    );
}

#[test]
fn fewer_rows_after_a_refresh_keep_the_cursor_inside() {
    let state = TableState { selected: 50, offset: 40 };
    assert_eq!(state.window(10, 4), 6..10);
    assert_eq!(state.window(0, 4), 0..0);
    assert_eq!(state.position(0), "0/0");
}

#[test]
fn a_click_finds_its_row() {
    let area = Rect::new(0, 3, 40, 6);
    let state = TableState { selected: 10, offset: 8 };
    assert_eq!(state.row_at(20, area, 3), None);
    assert_eq!(state.row_at(20, area, 4), Some(8));
    assert_eq!(state.row_at(20, area, 9), None);
}

/// One row with three columns: two that fill, and one that is blank if `comment` is.
fn one_row(width: u16, asks: &str, why: &str, comment: &str) -> String {
    let rows = [[asks, why, comment].map(str::to_owned)];
    let column = |at: usize, title: &'static str, width| {
        TableColumn::words(title, width, 50, move |row: &[String; 3]| Cell::new(row[at].clone()))
    };
    let columns = [
        column(0, "asks", Width::Fill(6)),
        column(1, "why", Width::Fill(6)),
        column(2, "comment", Width::Fixed(8)),
    ];
    let table = Table::new(&columns, &rows, TableState::default(), theme(GlyphSet::Unicode));
    let mut buf = Buffer::empty(Rect::new(0, 0, width, 2));
    table.render(buf.area, &mut buf);
    (0..width).map(|x| buf[(x, 1)].symbol()).collect::<String>().trim_end().to_owned()
}

#[test]
fn no_column_is_cut_beside_one_with_room_to_spare() {
    let why = "too few free nodes in any set";
    assert_eq!(one_row(46, "1 node", why, "as PBS"), format!("▸1 node {why} as PBS"));
    assert_eq!(one_row(46, why, "order", "as PBS"), format!("▸{why} order  as PBS"));
}

/// A maximum width keeps room for a filling column; if that one needs less, the limit does not apply.
#[test]
fn a_column_with_a_width_at_most_takes_what_the_one_that_fills_leaves() {
    let row = |width: u16, asks: &'static str, why: &'static str| {
        let rows = [[asks, why]];
        let columns = [
            TableColumn::words("asks", Width::Between(6, 10), 50, |row: &[&'static str; 2]| {
                Cell::new(row[0])
            }),
            TableColumn::words("why", Width::Fill(6), 50, |row: &[&'static str; 2]| Cell::new(row[1])),
        ];
        let mut buf = Buffer::empty(Rect::new(0, 0, width, 2));
        Table::new(&columns, &rows, TableState::default(), theme(GlyphSet::Unicode))
            .render(buf.area, &mut buf);
        (0..width).map(|x| buf[(x, 1)].symbol()).collect::<String>().trim_end().to_owned()
    };
    let asks = "16×ncpus=8:mem=4gb";
    assert_eq!(row(40, asks, "order"), format!("▸{asks} order"));
    assert_eq!(row(26, asks, "no free node"), "▸16×ncpus=8:… no free node");
    assert_eq!(row(24, asks, "too few nodes"), "▸16×ncpus=… too few nod…");
}

#[test]
fn a_long_text_goes_on_over_the_blank_cells_after_it() {
    let why = "too few free nodes in any set";
    assert_eq!(one_row(40, "asks 1 node", why, "as PBS"), "▸asks 1 node too few free node… as PBS");
    assert_eq!(one_row(40, "asks 1 node", why, ""), "▸asks 1 node too few free nodes in any …");
    assert_eq!(one_row(43, "asks 1 node", why, ""), format!("▸asks 1 node {why}"));
}
