use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::action::Action;
use crate::theme::{ColorDepth, GlyphSet, ThemeOptions};

struct Sets(Vec<usize>);

impl Map for Sets {
    fn lines(&self) -> usize {
        self.0.len()
    }

    fn nodes(&self, line: usize) -> usize {
        self.0[line]
    }

    fn label(&self, line: usize) -> Cow<'_, str> {
        format!("sw{line:02}").into()
    }

    fn note(&self, line: usize) -> Cow<'_, str> {
        format!("{}/{}", line % 9, self.0[line]).into()
    }

    fn state(&self, line: usize, node: usize) -> Role {
        match (line * 7 + node) % 40 {
            0..12 => Role::NodeFree,
            12..16 => Role::NodeLater,
            16..35 => Role::NodeBusy,
            35 => Role::NodeDown,
            36..39 => Role::NodeTaken,
            _ => Role::NodeRejected,
        }
    }
}

fn theme(glyphs: GlyphSet) -> &'static Theme {
    static BOTH: std::sync::LazyLock<[Theme; 2]> = std::sync::LazyLock::new(|| {
        [GlyphSet::Unicode, GlyphSet::Ascii]
            .map(|glyphs| Theme::built_in("default-dark", ThemeOptions { depth: ColorDepth::None, glyphs }).0)
    });
    &BOTH[usize::from(glyphs == GlyphSet::Ascii)]
}

fn paint(sets: &[usize], area: Rect, state: MapState) {
    let map = Sets(sets.to_vec());
    let bitmap = Bitmap { map: &map, state, theme: theme(GlyphSet::Unicode), focused: false };
    Widget::render(&bitmap, area, &mut Buffer::empty(area));
}

fn draw(sets: &[usize], width: u16, height: u16, glyphs: GlyphSet, state: MapState) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let map = Sets(sets.to_vec());
    let bitmap = Bitmap { map: &map, state, theme: theme(glyphs), focused: true };
    terminal.draw(|frame| frame.render_widget(&bitmap, frame.area())).unwrap();
    terminal.backend().to_string()
}

fn start() -> MapState {
    MapState::default()
}

#[test]
fn short_lines_stand_side_by_side() {
    insta::assert_snapshot!(draw(&[8; 11], 78, 6, GlyphSet::Unicode, start()));
}

#[test]
fn long_lines_wrap_while_they_fit_and_share_cells_when_they_do_not() {
    let drawn = [
        draw(&[100, 30, 70], 60, 10, GlyphSet::Ascii, start()),
        draw(&[1000, 300, 700], 60, 6, GlyphSet::Ascii, start()),
        draw(&[2000], 60, 7, GlyphSet::Unicode, start()),
    ];
    insta::assert_snapshot!(drawn.join("\n"));
}

#[test]
fn many_lines_scroll_to_the_cursor_with_the_legend_in_place() {
    let state = MapState { line: 90, node: 3, offset: 0 };
    insta::assert_snapshot!(draw(&[50; 100], 60, 6, GlyphSet::Unicode, state));
}

#[test]
fn the_cursor_changes_no_glyph() {
    let theme = Theme::mono(GlyphSet::Ascii);
    let map = Sets(vec![30, 30]);
    let area = Rect::new(0, 0, 60, 6);
    let mut buf = Buffer::empty(area);
    let state = MapState { line: 1, node: 4, offset: 0 };
    Widget::render(&Bitmap { map: &map, state, theme: &theme, focused: true }, area, &mut buf);
    // The same with the cursor elsewhere: only the style of its cell differs.
    let mut plain = Buffer::empty(area);
    let far = MapState { line: 0, node: 0, offset: 0 };
    Widget::render(&Bitmap { map: &map, state: far, theme: &theme, focused: true }, area, &mut plain);
    for y in 0..6u16 {
        for x in 0..60u16 {
            assert_eq!(buf[(x, y)].symbol(), plain[(x, y)].symbol());
            assert!(!buf[(x, y)].modifier.contains(ratatui::style::Modifier::REVERSED));
        }
    }
    let marked: Vec<_> = (0..60u16)
        .flat_map(|x| (0..6u16).map(move |y| (x, y)))
        .filter(|at| buf[*at].modifier.contains(ratatui::style::Modifier::UNDERLINED))
        .collect();
    let geometry = Geometry::new(&map, area);
    assert_eq!(marked.len(), 1);
    assert_eq!(geometry.at(0, marked[0].0, marked[0].1), Some((1, 4)));
}

#[test]
fn what_was_taken_or_turned_down_shows_before_all_else() {
    struct One(Vec<Role>);
    impl Map for One {
        fn lines(&self) -> usize {
            1
        }
        fn nodes(&self, _: usize) -> usize {
            self.0.len()
        }
        fn label(&self, _: usize) -> Cow<'_, str> {
            "".into()
        }
        fn note(&self, _: usize) -> Cow<'_, str> {
            "".into()
        }
        fn state(&self, _: usize, node: usize) -> Role {
            self.0[node]
        }
    }
    use Role::{NodeBusy, NodeFree, NodeMixed, NodeRejected, NodeTaken};
    for (nodes, shown) in [
        (vec![NodeFree, NodeFree], NodeFree),
        (vec![NodeFree, NodeBusy, NodeFree], NodeMixed),
        (vec![NodeFree, NodeRejected, NodeBusy], NodeRejected),
        (vec![NodeRejected, NodeBusy, NodeTaken], NodeTaken),
        (vec![], Role::Node),
    ] {
        let len = nodes.len();
        assert_eq!(cell_role(&One(nodes), 0, 0..len), shown);
    }
}

#[test]
fn the_cursor_goes_over_cells_rows_and_lines() {
    let map = Sets(vec![100, 30, 70]);
    let geometry = Geometry::new(&map, Rect::new(0, 0, 60, 10));
    let mut state = start();
    let mut seen = Vec::new();
    for action in [
        Action::Left,
        Action::Right,
        Action::Down,
        Action::Down,
        Action::Down,
        Action::Up,
        Action::NextLine,
        Action::Left,
        Action::Right,
        Action::PreviousLine,
        Action::End,
        Action::Right,
        Action::NextLine,
        Action::Home,
    ] {
        let changed = state.move_cursor(action, &geometry);
        seen.push(format!("{action:?} {}:{} {changed}", state.line, state.node));
    }
    insta::assert_snapshot!(seen.join("\n"));
}

proptest! {
    #[test]
    fn any_map_on_any_screen_keeps_the_cursor_in_sight_and_finds_clicks_again(
        sets in proptest::collection::vec(0usize..400, 0..30),
        width in 0u16..300, height in 0u16..60,
        moves in proptest::collection::vec(0usize..10, 0..20),
    ) {
        const MOVES: [Action; 10] = [
            Action::Left, Action::Right, Action::Up, Action::Down, Action::PageUp,
            Action::PageDown, Action::Home, Action::End, Action::NextLine, Action::PreviousLine,
        ];
        let map = Sets(sets.clone());
        let geometry = Geometry::new(&map, Rect::new(0, 0, width, height));
        let mut state = start();
        for one in moves {
            state.move_cursor(MOVES[one], &geometry);
            prop_assert!(state.line < sets.len().max(1));
            prop_assert!(state.node < geometry.nodes(state.line).max(1));
        }
        paint(&sets, Rect::new(0, 0, width, height), state);
        let top = state.top(&geometry);
        let (row, _) = geometry.place(state.line, state.node);
        if geometry.height() > 0 && !sets.is_empty() {
            prop_assert!((top..top + geometry.height()).contains(&row));
        }
        for (x, y) in [(0, 0), (width / 2, height / 2), (width, height)] {
            if let Some((line, node)) = geometry.at(top, x, y) {
                let (row, _) = geometry.place(line, node);
                prop_assert_eq!(row, top + usize::from(y));
            }
        }
    }
}

#[test]
fn of_a_hundred_thousand_sets_few_are_asked_for_more_than_their_length() {
    struct Counted(Sets, std::cell::Cell<usize>);
    impl Map for Counted {
        fn lines(&self) -> usize {
            self.0.lines()
        }
        fn nodes(&self, line: usize) -> usize {
            self.0.nodes(line)
        }
        fn label(&self, line: usize) -> Cow<'_, str> {
            self.1.set(self.1.get() + 1);
            self.0.label(line)
        }
        fn note(&self, line: usize) -> Cow<'_, str> {
            self.0.note(line)
        }
        fn state(&self, line: usize, node: usize) -> Role {
            self.1.set(self.1.get() + 1);
            self.0.state(line, node)
        }
    }
    let map = Counted(Sets(vec![4; 100_000]), std::cell::Cell::new(0));
    let area = Rect::new(0, 0, 200, 20);
    let mut buf = Buffer::empty(area);
    let state = MapState { line: 99_999, node: 0, offset: 0 };
    Widget::render(
        &Bitmap { map: &map, state, theme: theme(GlyphSet::Ascii), focused: true },
        area,
        &mut buf,
    );
    assert!(map.1.get() < 2000, "{}", map.1.get());
    let drawn: String = buf.content.iter().map(ratatui::buffer::Cell::symbol).collect();
    assert!(drawn.contains("sw99999"), "{drawn}");
}

#[test]
fn labels_without_room_are_values_in_columns() {
    struct Named;
    impl Map for Named {
        fn lines(&self) -> usize {
            6
        }
        fn nodes(&self, _: usize) -> usize {
            1
        }
        fn label(&self, _: usize) -> Cow<'_, str> {
            "color=blue mem=64gb ncpus=16".into()
        }
        fn headings(&self) -> &str {
            "color mem ncpus"
        }
        fn values(&self, _: usize) -> Cow<'_, str> {
            "blue 64gb 16".into()
        }
        fn note(&self, _: usize) -> Cow<'_, str> {
            "1/1".into()
        }
        fn state(&self, _: usize, _: usize) -> Role {
            Role::NodeFree
        }
    }
    let drawn = |height| {
        let mut terminal = Terminal::new(TestBackend::new(62, height)).unwrap();
        let state = MapState::default();
        let bitmap = Bitmap { map: &Named, state, theme: theme(GlyphSet::Ascii), focused: false };
        terminal.draw(|frame| frame.render_widget(&bitmap, frame.area())).unwrap();
        terminal.backend().to_string()
    };
    assert!(drawn(12).contains("color=blue mem=64gb ncpus=16") && !drawn(12).contains("columns"));
    assert!(
        drawn(5).contains("blue 64gb 16") && drawn(5).contains("columns: color mem ncpus"),
        "{}",
        drawn(5)
    );
}
