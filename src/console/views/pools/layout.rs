//! Layout of the view.

use ratatui::layout::Rect;

/// Minimum width for today's order in its own pane, and the width of that pane.
pub(super) const WIDE: u16 = 150;

pub(super) const TODAY: u16 = 42;

/// Minimum width for a longer title.
pub(super) const ROOMY: u16 = 110;

/// Rows for the selected set in full, and minimum height of the view for them.
pub(super) const DETAIL: u16 = 5;

pub(super) const TALL: u16 = 16;

/// Minimum height for the fragmentation of its pool below the selected set.
pub(super) const VERY_TALL: u16 = 40;

/// Minimum rows of the list.
pub(super) const LEAST: u16 = 8;

/// The areas of the parts.
pub(super) struct PoolAreas {
    pub(super) table: Rect,
    pub(super) today: Option<Rect>,
    pub(super) detail: Option<Rect>,
}

impl PoolAreas {
    pub(super) fn of(area: Rect, sorted: bool, detail: u16) -> Self {
        let tall = area.height >= TALL;
        let height = detail.min(area.height.saturating_sub(LEAST));
        let table = Rect { height: area.height - if tall { height } else { 0 }, ..area };
        let detail = tall.then_some(Rect { y: table.bottom(), height, ..area });
        if !sorted || area.width < WIDE {
            return Self { table, today: None, detail };
        }
        let left = Rect { width: area.width - TODAY, ..table };
        Self { table: left, today: Some(Rect { x: left.right(), width: TODAY, ..table }), detail }
    }
}
