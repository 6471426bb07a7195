//! Where the panes stand, by the size of the screen. Pure, so that a click can be found again without drawing.
//!
//! ```text
//! 40–79 columns     80 columns        120 columns             200 columns
//! ┌─────────┐       ┌───────────┐     ┌───────┬─────────┐     ┌──────┬────────┬──────┐
//! │ focused │       │ list      │     │ list  │ detail  │     │ list │ detail │ side │
//! │         │       ├───────────┤     ├───────┴─────────┤     ├──────┴────────┴──────┤
//! │         │       │ detail or │     │ map             │     │ map                  │
//! └─────────┘       │ map       │     └─────────────────┘     └──────────────────────┘
//!                   └───────────┘
//! ```
//! A header above and a footer below in all of them, a line of tabs under the header where there is room, and a line
//! for each banner.

use ratatui::layout::{Margin, Position, Rect};

use super::action::Action;

/// A place for a part of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Pane {
    /// The table that one goes through.
    #[default]
    List,
    /// The details of the line under the cursor.
    Detail,
    /// The nodes.
    Map,
    /// More about it, where there is room.
    Side,
}

/// What fits on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SizeClass {
    /// Nothing but a message.
    TooSmall,
    /// One pane.
    One,
    /// Two panes, one above the other.
    Stacked,
    /// Two panes side by side, the map below.
    Beside,
    /// Three panes side by side, the map below.
    Wide,
}

impl SizeClass {
    /// The class of a screen.
    pub(crate) fn of(area: Rect) -> Self {
        match (area.width, area.height) {
            (..40, _) | (_, ..10) => Self::TooSmall,
            (..80, _) | (_, ..18) => Self::One,
            (..120, _) | (_, ..24) => Self::Stacked,
            (..200, _) => Self::Beside,
            _ => Self::Wide,
        }
    }
}

/// The screen, divided into what every view has around it and the view itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parts {
    /// What fits.
    pub class: SizeClass,
    /// The first line.
    pub header: Rect,
    /// The line of tabs; empty where every line counts.
    pub tabs: Rect,
    /// The lines for banners; empty when there are none.
    pub banners: Rect,
    /// All between banners and footer, for the view.
    pub body: Rect,
    /// The last line.
    pub footer: Rect,
}

/// Divides the screen, with or without a line of tabs. `banners` lines are kept for banners, but never more than a
/// quarter of the screen.
pub(crate) fn divide(area: Rect, tabs: bool, banners: u16) -> Parts {
    let class = SizeClass::of(area);
    if class == SizeClass::TooSmall {
        let none = Rect::ZERO;
        return Parts { class, header: none, tabs: none, banners: none, body: none, footer: none };
    }
    let (header, rest) = cut_rows(area, 1);
    let (tabs, rest) = cut_rows(rest, u16::from(tabs && class > SizeClass::One));
    let (banners, rest) = cut_rows(rest, banners.min(area.height / 4));
    let (body, footer) = cut_rows(rest, rest.height.saturating_sub(1));
    Parts { class, header, tabs, banners, body, footer }
}

/// The panes of a view that has several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Panes(Vec<(Pane, Rect)>);

/// Divides the place of a view. `focus` is shown whatever else is not; where the map stands below the others it gets
/// the `map` lines that it needs, but never more than two fifths.
pub(crate) fn panes(class: SizeClass, body: Rect, focus: Pane, map: u16) -> Panes {
    Panes(body_panes(class, body, focus, map))
}

fn body_panes(class: SizeClass, body: Rect, focus: Pane, map: u16) -> Vec<(Pane, Rect)> {
    let most = body.height - share(body.height, 3, 5);
    let (upper, map) = cut_rows(body, body.height - map.clamp(MAP_LEAST.min(most), most));
    match class {
        SizeClass::TooSmall => Vec::new(),
        SizeClass::One => vec![(focus, body)],
        SizeClass::Stacked => {
            let below = if focus == Pane::List { Pane::Detail } else { focus };
            let (list, rest) = cut_rows(body, share(body.height, 2, 5));
            vec![(Pane::List, list), (below, rest)]
        }
        SizeClass::Beside => {
            // The side pane has no place of its own here, but shows when it has the focus.
            let right = if focus == Pane::Side { Pane::Side } else { Pane::Detail };
            let (list, detail) = cut_columns(upper, share(upper.width, 9, 20));
            vec![(Pane::List, list), (right, detail), (Pane::Map, map)]
        }
        SizeClass::Wide => {
            let (list, rest) = cut_columns(upper, share(upper.width, 3, 8));
            let (detail, side) = cut_columns(rest, share(rest.width, 3, 5));
            vec![(Pane::List, list), (Pane::Detail, detail), (Pane::Side, side), (Pane::Map, map)]
        }
    }
}

/// The map's lines around, a line about a node, one of nodes and the legend.
const MAP_LEAST: u16 = 6;

/// So many parts of a whole. Plain arithmetic instead of a constraint solver: this runs on every key and click.
pub(crate) fn share(whole: u16, parts: u16, of: u16) -> u16 {
    whole / of * parts + whole % of * parts / of
}

/// The upper rows, at most so many, and the rest.
pub(crate) fn cut_rows(area: Rect, rows: u16) -> (Rect, Rect) {
    let height = rows.min(area.height);
    (Rect { height, ..area }, Rect { y: area.y + height, height: area.height - height, ..area })
}

/// The left columns, at most so many, and the rest.
pub(crate) fn cut_columns(area: Rect, columns: u16) -> (Rect, Rect) {
    let width = columns.min(area.width);
    (Rect { width, ..area }, Rect { x: area.x + width, width: area.width - width, ..area })
}

impl Panes {
    /// Panes that stand at these places, in the order in which the focus goes through them.
    pub(crate) fn of(panes: Vec<(Pane, Rect)>) -> Self {
        Self(panes)
    }

    /// Where a pane stands, if it is on the screen.
    pub(crate) fn rect(&self, pane: Pane) -> Option<Rect> {
        self.0.iter().find(|(name, _)| *name == pane).map(|(_, rect)| *rect)
    }

    /// The panes on the screen, in the order in which the focus goes through them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Pane, Rect)> {
        self.0.iter().copied()
    }

    /// The pane under a click.
    pub(crate) fn at(&self, x: u16, y: u16) -> Option<Pane> {
        self.0.iter().find(|(_, rect)| rect.contains(Position { x, y })).map(|(pane, _)| *pane)
    }
}

/// The panes that can have the focus, in order; on small screens the focus brings them up.
pub(crate) fn cycle(class: SizeClass) -> &'static [Pane] {
    match class {
        SizeClass::Wide => &[Pane::List, Pane::Detail, Pane::Side, Pane::Map],
        _ => &[Pane::List, Pane::Detail, Pane::Map],
    }
}

/// A number of rows or columns as terminals count them; no terminal has more than the largest.
pub(crate) fn cells(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// Inside a pane's lines.
pub(crate) fn inside(pane: Rect) -> Rect {
    pane.inner(Margin::new(1, 1))
}

/// Moves the first line shown; whether it moved.
pub(crate) fn scroll(top: &mut usize, action: Action, lines: usize, height: usize) -> bool {
    let last = lines.saturating_sub(height);
    let page = height.saturating_sub(1).max(1);
    let to = match action {
        Action::Up => top.saturating_sub(1),
        Action::Down => *top + 1,
        Action::PageUp => top.saturating_sub(page),
        Action::PageDown => *top + page,
        Action::Home => 0,
        Action::End => last,
        _ => return false,
    };
    std::mem::replace(top, to.min(last)) != to.min(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Pane; 4] = [Pane::List, Pane::Detail, Pane::Map, Pane::Side];

    fn at(width: u16, height: u16, focus: Pane) -> Panes {
        let parts = divide(Rect::new(0, 0, width, height), true, 0);
        panes(parts.class, parts.body, focus, u16::MAX)
    }

    #[test]
    fn every_size_is_divided_without_overlap_and_shows_the_focus() {
        for width in 0..=300 {
            for height in 0..=300 {
                let area = Rect::new(0, 0, width, height);
                let focus = ALL[usize::from(width + height) % 4];
                let parts = divide(area, true, height % 4);
                let panes = panes(parts.class, parts.body, focus, width % 40);
                let rects: Vec<Rect> = panes
                    .iter()
                    .map(|(_, rect)| rect)
                    .chain([parts.header, parts.tabs, parts.footer])
                    .collect();
                assert!(rects.iter().all(|rect| rect.intersection(area) == *rect), "{area} {panes:?}");
                for (i, a) in rects.iter().enumerate() {
                    assert!(rects[i + 1..].iter().all(|b| !a.intersects(*b)), "{area} {panes:?}");
                }
                assert!(
                    parts.class == SizeClass::TooSmall || panes.rect(focus).is_some(),
                    "{area} {panes:?}"
                );
            }
        }
    }

    #[test]
    fn more_room_shows_more() {
        assert_eq!(SizeClass::of(Rect::new(0, 0, 39, 24)), SizeClass::TooSmall);
        assert_eq!(at(40, 10, Pane::Map).iter().map(|(p, _)| p).collect::<Vec<_>>(), [Pane::Map]);
        let stacked = at(80, 24, Pane::List);
        assert_eq!(stacked.rect(Pane::List), Some(Rect::new(0, 2, 80, 8)));
        assert_eq!(stacked.rect(Pane::Detail), Some(Rect::new(0, 10, 80, 13)));
        assert!(at(80, 24, Pane::Map).rect(Pane::Map).is_some());
        assert_eq!(at(120, 40, Pane::List).iter().count(), 3);
        assert_eq!(at(200, 60, Pane::List).iter().count(), 4);
    }

    #[test]
    fn a_small_map_leaves_its_room_to_the_others() {
        let map = |wanted| {
            let parts = divide(Rect::new(0, 0, 120, 52), true, 0);
            let panes = panes(parts.class, parts.body, Pane::List, wanted);
            panes.rect(Pane::Map).unwrap().height
        };
        assert_eq!([0, 6, 9, 20, u16::MAX].map(map), [6, 6, 9, 20, 20]);
    }

    #[test]
    fn a_click_finds_its_pane() {
        let panes = at(120, 40, Pane::List);
        assert_eq!(panes.at(3, 6), Some(Pane::List));
        assert_eq!(panes.at(110, 5), Some(Pane::Detail));
        assert_eq!(panes.at(3, 37), Some(Pane::Map));
        assert_eq!(panes.at(3, 0), None);
    }
}
