//! The parts of the screen by its size, and the panes of a view by name. Pure, so that a click can be located without
//! drawing: a header above and a footer below, a line of tabs and lines of alerts where they fit, the view between.

use ratatui::layout::{Margin, Position, Rect};

use super::action::Action;

/// A part of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Pane {
    /// The main table.
    #[default]
    List,
    /// The details of the selected row.
    Detail,
    /// The nodes.
    Map,
    /// Further details, on wide screens.
    Side,
}

/// Minimum width for the details of the selected row beside all panes.
pub(crate) const VERY_WIDE: u16 = 280;

/// What fits on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SizeClass {
    /// Only a message.
    TooSmall,
    SinglePane,
    /// Two panes, one above the other.
    Stacked,
    /// Two panes side by side, the map below.
    SideBySide,
    /// Three panes side by side, the map below.
    Wide,
}

impl SizeClass {
    pub(crate) fn of(area: Rect) -> Self {
        match (area.width, area.height) {
            (..40, _) | (_, ..10) => Self::TooSmall,
            (..80, _) | (_, ..18) => Self::SinglePane,
            (..120, _) | (_, ..24) => Self::Stacked,
            (..200, _) => Self::SideBySide,
            _ => Self::Wide,
        }
    }
}

/// The screen divided into the view and the lines around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LayoutParts {
    pub class: SizeClass,
    /// The first line.
    pub header: Rect,
    /// The line of tabs; empty on small screens.
    pub tabs: Rect,
    /// The lines for banners; empty if there are none.
    pub banners: Rect,
    /// The area of the view, between banners and footer.
    pub body: Rect,
    /// The last line.
    pub footer: Rect,
}

/// Divides the screen, with or without a line of tabs. `banners` is the wanted number of banner lines, of which at most
/// a quarter of the screen's height is granted.
pub(crate) fn divide(area: Rect, tabs: bool, banners: u16) -> LayoutParts {
    let class = SizeClass::of(area);
    if class == SizeClass::TooSmall {
        let none = Rect::ZERO;
        return LayoutParts { class, header: none, tabs: none, banners: none, body: none, footer: none };
    }
    let (header, rest) = cut_rows(area, 1);
    let (tabs, rest) = cut_rows(rest, u16::from(tabs && class > SizeClass::SinglePane));
    let (banners, rest) = cut_rows(rest, banners.min(area.height / 4));
    let (body, footer) = cut_rows(rest, rest.height.saturating_sub(1));
    LayoutParts { class, header, tabs, banners, body, footer }
}

/// The panes of a view that has several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Panes(Vec<(Pane, Rect)>);

/// Returns `parts` of `of` equal parts of a whole. Plain arithmetic instead of a constraint solver, because this runs
/// on every key and click.
pub(crate) fn share(whole: u16, parts: u16, of: u16) -> u16 {
    whole / of * parts + whole % of * parts / of
}

/// Splits off at most `rows` rows at the top; returns them and the rest.
pub(crate) fn cut_rows(area: Rect, rows: u16) -> (Rect, Rect) {
    let height = rows.min(area.height);
    (Rect { height, ..area }, Rect { y: area.y + height, height: area.height - height, ..area })
}

/// Splits off at most `columns` columns at the left; returns them and the rest.
pub(crate) fn cut_columns(area: Rect, columns: u16) -> (Rect, Rect) {
    let width = columns.min(area.width);
    (Rect { width, ..area }, Rect { x: area.x + width, width: area.width - width, ..area })
}

impl Panes {
    /// Panes at these places, in the order of the focus.
    pub(crate) fn of(panes: Vec<(Pane, Rect)>) -> Self {
        Self(panes)
    }

    /// The place of a pane, if it is on the screen.
    pub(crate) fn rect(&self, pane: Pane) -> Option<Rect> {
        self.0.iter().find(|(name, _)| *name == pane).map(|(_, rect)| *rect)
    }

    /// The panes on the screen, in the order of the focus.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Pane, Rect)> {
        self.0.iter().copied()
    }

    /// The pane at a position.
    pub(crate) fn at(&self, x: u16, y: u16) -> Option<Pane> {
        self.0.iter().find(|(_, rect)| rect.contains(Position { x, y })).map(|(pane, _)| *pane)
    }
}

/// The panes that can have the focus, in order; on small screens the focus decides which one is shown.
pub(crate) fn cycle(class: SizeClass) -> &'static [Pane] {
    match class {
        SizeClass::Wide => &[Pane::List, Pane::Detail, Pane::Side, Pane::Map],
        _ => &[Pane::List, Pane::Detail, Pane::Map],
    }
}

/// Converts a number of rows or columns into that of a terminal, saturating.
pub(crate) fn cells(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// The area inside a pane's border.
pub(crate) fn inner_area(pane: Rect) -> Rect {
    pane.inner(Margin::new(1, 1))
}

/// The area inside a pane's border, indented by one column.
pub(crate) fn indented_inner_area(pane: Rect) -> Rect {
    let inner = inner_area(pane);
    Rect { x: inner.x + 1, width: inner.width.saturating_sub(1), ..inner }
}

/// Where an action moves what is at `at` of `0..=last`, with pages of `page`; `None` for other actions.
pub(crate) fn moved(action: Action, at: usize, last: usize, page: usize) -> Option<usize> {
    let to = match action {
        Action::Up => at.saturating_sub(1),
        Action::Down => at + 1,
        Action::PageUp => at.saturating_sub(page),
        Action::PageDown => at + page,
        Action::Home => 0,
        Action::End => last,
        _ => return None,
    };
    Some(to.min(last))
}

/// Scrolls: moves the first visible line; returns whether it moved.
pub(crate) fn scroll(top: &mut usize, action: Action, lines: usize, height: usize) -> bool {
    let page = height.saturating_sub(1).max(1);
    let to = moved(action, *top, lines.saturating_sub(height), page);
    to.is_some_and(|to| std::mem::replace(top, to) != to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_is_divided_without_overlap() {
        for width in 0..=300 {
            for height in 0..=300 {
                let area = Rect::new(0, 0, width, height);
                let parts = divide(area, true, height % 4);
                let rects = [parts.header, parts.tabs, parts.banners, parts.body, parts.footer];
                assert!(rects.iter().all(|rect| rect.intersection(area) == *rect), "{area} {parts:?}");
                for (i, a) in rects.iter().enumerate() {
                    assert!(rects[i + 1..].iter().all(|b| !a.intersects(*b)), "{area} {parts:?}");
                }
            }
        }
    }

    #[test]
    fn more_room_shows_more() {
        assert_eq!(SizeClass::of(Rect::new(0, 0, 39, 24)), SizeClass::TooSmall);
        assert_eq!(SizeClass::of(Rect::new(0, 0, 40, 10)), SizeClass::SinglePane);
        assert_eq!(SizeClass::of(Rect::new(0, 0, 80, 24)), SizeClass::Stacked);
        assert_eq!(SizeClass::of(Rect::new(0, 0, 120, 40)), SizeClass::SideBySide);
        assert_eq!(SizeClass::of(Rect::new(0, 0, 200, 60)), SizeClass::Wide);
    }

    #[test]
    fn a_click_finds_its_pane() {
        let panes =
            Panes::of(vec![(Pane::Detail, Rect::new(0, 3, 50, 9)), (Pane::List, Rect::new(0, 12, 120, 9))]);
        assert_eq!(panes.at(3, 6), Some(Pane::Detail));
        assert_eq!(panes.at(110, 5), None);
        assert_eq!(panes.at(3, 15), Some(Pane::List));
        assert_eq!(panes.rect(Pane::Map), None);
    }
}
