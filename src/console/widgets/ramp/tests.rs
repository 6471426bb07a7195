use super::*;
use crate::theme::GlyphSet;
use crate::widgets::legend::LegendParts;
use crate::widgets::margin::MarginBuffer;

fn groups() -> Vec<RampGroup> {
    let group = |label: &str, cells: &[RampCell]| RampGroup {
        label: label.to_owned(),
        first: String::new(),
        note: format!(
            "{} of {}",
            cells.iter().filter(|sign| **sign == RampCell::Free(8)).count(),
            cells.len()
        ),
        cells: cells.to_vec(),
    };
    vec![
        group("big", &[RampCell::OutOfService, RampCell::Free(0), RampCell::Free(8), RampCell::Planned]),
        group("small", &[RampCell::Free(4); 9]),
    ]
}

fn extents(groups: &[RampGroup]) -> Vec<GroupExtent> {
    groups.iter().map(RampGroup::extent).collect()
}

fn draw(spaced: bool, cursor: Option<RampIndex>, glyphs: GlyphSet) -> Vec<String> {
    let theme = Theme::mono(glyphs);
    let groups = groups();
    let area = Rect::new(0, 0, 30, 5);
    let shape = RampShape::new(&extents(&groups), area.width, spaced);
    let mut buf = Buffer::empty(area);
    Ramp { groups: &groups, shape, cursor, theme: &theme }.render(
        &shape.rows(&extents(&groups)),
        area,
        &mut buf,
    );
    (0..4).map(|y| (0..30).map(|x| buf[(x, y)].symbol()).collect::<String>().trim_end().to_owned()).collect()
}

/// The cursor is drawn around a cell: no sign changes (console.md 4, ramp map).
#[test]
fn the_cursor_changes_no_sign() {
    let signs = |lines: Vec<String>| lines.concat().replace(['[', ']', ' '], "");
    for glyphs in [GlyphSet::Unicode, GlyphSet::Ascii] {
        for spaced in [true, false] {
            let plain = signs(draw(spaced, None, glyphs));
            for place in [(0, 0), (0, 3), (1, 0), (1, 8)] {
                assert_eq!(signs(draw(spaced, Some(place), glyphs)), plain, "{spaced} {place:?}");
            }
        }
    }
}

#[test]
fn a_map_in_both_glyph_sets() {
    assert_eq!(
        draw(true, Some((0, 0)), GlyphSet::Unicode)[..2],
        ["big   1 of 4 [!]· █ ▒", "small 0 of 9  ▄ ▄ ▄ ▄ ▄ ▄ ▄"]
    );
    assert_eq!(
        draw(false, Some((1, 1)), GlyphSet::Ascii)[..2],
        ["big   1 of 4 !.8p", "small 0 of 9 4[4]4444444"]
    );
}

#[test]
fn a_click_finds_the_cell_under_it() {
    let groups = groups();
    let area = Rect::new(0, 0, 30, 5);
    for spaced in [true, false] {
        for cursor in [None, Some((1, 2))] {
            let shape = RampShape::new(&extents(&groups), area.width, spaced);
            let rows = shape.rows(&extents(&groups));
            let theme = Theme::mono(GlyphSet::Ascii);
            let mut buf = Buffer::empty(area);
            Ramp { groups: &groups, shape, cursor, theme: &theme }.render(&rows, area, &mut buf);
            for (y, row) in rows.iter().enumerate() {
                let y = u16::try_from(y).unwrap();
                let is_sign = |x: &u16| *x >= 13 && "!.8p4".contains(buf[(*x, y)].symbol());
                let found: Vec<Option<RampIndex>> =
                    (0..30).filter(is_sign).map(|x| shape.cell_at(*row, area, x, cursor)).collect();
                let wanted: Vec<Option<RampIndex>> =
                    (0..row.cells).map(|cell| Some((row.group, row.first + cell))).collect();
                assert_eq!(found, wanted, "spaced {spaced} cursor {cursor:?} row {y}");
            }
        }
    }
}

#[test]
fn no_size_is_too_small() {
    let (groups, theme) = (groups(), Theme::mono(GlyphSet::Ascii));
    for columns in 0..40 {
        let mut pane = MarginBuffer::around(columns, 2);
        let shape = RampShape::new(&extents(&groups), columns, columns % 2 == 0);
        let ramp = Ramp { groups: &groups, shape, cursor: Some((0, 1)), theme: &theme };
        ramp.render(&shape.rows(&extents(&groups)), pane.area, &mut pane.buf);
        pane.assert_margin_is_untouched();
    }
}

/// What the map does not show is dropped first, then words; every sign that occurs keeps its word.
#[test]
fn a_legend_without_room_names_what_is_there() {
    let theme = Theme::mono(GlyphSet::Unicode);
    let text = |parts: LegendParts| parts.into_iter().map(|(_, text)| text).collect::<String>();
    let legend = |columns| text(legend(&groups(), columns, &theme));
    assert_eq!(legend(80), "█ free  ▁…▇ part  · full  ! out or kept  ▒ planned  [ ] cursor");
    assert_eq!(legend(60), "█ free  ▁…▇ part  · full  ! out  ▒ planned  [ ] cursor");
    assert_eq!(legend(44), "█ free  ▁…▇ part  · full  ! out  ▒ planned");
    let free = [RampGroup {
        label: String::new(),
        first: String::new(),
        note: String::new(),
        cells: vec![RampCell::Free(8)],
    }];
    assert_eq!(text(super::legend(&free, 30, &theme)), "█ free  [ ] cursor");
}

/// The signs of the legend have the colours of the map.
#[test]
fn a_legend_looks_as_its_map_does() {
    let theme = Theme::mono(GlyphSet::Unicode);
    let parts = legend(&groups(), 80, &theme);
    for sign in [RampCell::Free(8), RampCell::Free(0), RampCell::Planned, RampCell::OutOfService] {
        let (glyph, role) = glyph_and_role(sign, &theme);
        assert!(parts.contains(&(role, glyph.to_owned())), "{sign:?} in {parts:?}");
    }
}

/// More than two fifths of the columns, up to half of them.
#[test]
fn a_label_stands_whole_where_that_costs_no_row() {
    let group = |cells| RampGroup {
        label: "mem=64gb ncpus=16".to_owned(),
        first: String::new(),
        note: "9 of 9".to_owned(),
        cells: vec![RampCell::Free(8); cells],
    };
    let label = |cells: usize| RampShape::new(&extents(&[group(cells)]), 40, false).label;
    assert_eq!([label(13), label(14), label(26)], [17, 16, 17]);
}
