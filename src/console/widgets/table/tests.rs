use std::cell::Cell as Counter;

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::theme::{Depth, GlyphSet, ThemeOptions};

const COLUMNS: [Column; 5] = [
    Column { title: "job", width: Width::Between(6, 10), align: Align::Left, keep: 9 },
    Column { title: "user", width: Width::Fixed(6), align: Align::Left, keep: 2 },
    Column { title: "verdict", width: Width::Fixed(9), align: Align::Left, keep: 8 },
    Column { title: "nodes", width: Width::Fixed(5), align: Align::Right, keep: 3 },
    Column { title: "reason", width: Width::Fill(10), align: Align::Left, keep: 5 },
];

struct Queue {
    len: usize,
    asked: Counter<usize>,
}

impl Rows for Queue {
    fn len(&self) -> usize {
        self.len
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        self.asked.set(self.asked.get() + 1);
        match column {
            0 => Cell::new(format!("{}.svr", 4698 + row)),
            1 => Cell::of(Role::TextDim, "kim\u{1b}[2J"),
            2 if row.is_multiple_of(3) => Cell::signed(Role::VerdictRun, "run"),
            2 => Cell::signed(Role::VerdictWait, "not now"),
            3 => Cell::new((row % 17).to_string()),
            _ => Cell::new("64 nodes wanted in one switch; best set has 61"),
        }
    }
}

fn queue(len: usize) -> Queue {
    Queue { len, asked: Counter::new(0) }
}

fn theme(glyphs: GlyphSet) -> &'static Theme {
    static BOTH: std::sync::LazyLock<[Theme; 2]> = std::sync::LazyLock::new(|| {
        [GlyphSet::Unicode, GlyphSet::Ascii]
            .map(|glyphs| Theme::built_in("default-dark", ThemeOptions { depth: Depth::None, glyphs }).0)
    });
    &BOTH[usize::from(glyphs == GlyphSet::Ascii)]
}

fn draw(width: u16, height: u16, glyphs: GlyphSet, rows: &Queue, state: TableState) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let table = Table { columns: &COLUMNS, rows, state, theme: theme(glyphs), focused: true };
    terminal.draw(|frame| frame.render_widget(&table, frame.area())).unwrap();
    terminal.backend().to_string()
}

#[test]
fn wide_it_shows_all_columns_narrow_the_most_telling() {
    let state = TableState { selected: 1, offset: 0 };
    let drawn = [
        draw(76, 5, GlyphSet::Unicode, &queue(301), state),
        draw(44, 4, GlyphSet::Ascii, &queue(2), state),
        draw(18, 3, GlyphSet::Ascii, &queue(2), state),
    ];
    insta::assert_snapshot!(drawn.join("\n"));
}

#[test]
fn a_hundred_thousand_rows_cost_what_is_on_the_screen() {
    let rows = queue(100_000);
    let drawn = draw(80, 24, GlyphSet::Ascii, &rows, TableState { selected: 99_999, offset: 0 });
    assert!(drawn.contains("> 104697.svr"), "{drawn}");
    assert_eq!(rows.asked.get(), 23 * COLUMNS.len());
}

#[test]
fn no_size_and_no_state_panics() {
    for width in (0..300).step_by(7) {
        for height in 0..12 {
            for len in [0, 1, 5] {
                let (area, state) = (Rect::new(0, 0, width, height), TableState { selected: 9, offset: 77 });
                let rows = queue(len);
                let theme = theme(GlyphSet::Unicode);
                let table = Table { columns: &COLUMNS, rows: &rows, state, theme, focused: false };
                Widget::render(&table, area, &mut Buffer::empty(area));
            }
        }
    }
}

#[test]
fn the_cursor_moves_and_the_window_follows_just_as_far_as_needed() {
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
        let changed = state.go(action, 20, 5);
        seen.push(format!("{} {:?} {changed}", state.position(20), state.window(20, 5)));
    }
    assert_eq!(
        seen,
        [
            "1/20 0..5 false",
            "2/20 0..5 true",
            "6/20 1..6 true",
            "10/20 5..10 true",
            "9/20 5..10 true",
            "20/20 15..20 true",
            "16/20 15..20 true",
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
    assert_eq!(Table::<Queue>::row_at(state, 20, area, 3), None);
    assert_eq!(Table::<Queue>::row_at(state, 20, area, 4), Some(8));
    assert_eq!(Table::<Queue>::row_at(state, 20, area, 9), None);
}
