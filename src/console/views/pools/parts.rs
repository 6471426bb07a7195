//! Where the parts of the view stand, by the size of the terminal.

use ratatui::layout::Rect;

/// From this width on today's order has a pane of its own.
pub(super) const WIDE: u16 = 150;

pub(super) const TODAY: u16 = 42;

/// From this width on there is room for a longer title.
pub(super) const ROOMY: u16 = 110;

/// The set under the cursor is shown in full where there is room.
pub(super) const DETAIL: u16 = 5;

pub(super) const TALL: u16 = 16;

/// From this height on the fragments of its pool stand below the set under the cursor.
pub(super) const VERY_TALL: u16 = 40;

/// So many rows stay with the sets, whatever stands below.
pub(super) const LEAST: u16 = 8;

/// Where everything stands.
pub(super) struct PoolParts {
    pub(super) table: Rect,
    pub(super) today: Option<Rect>,
    pub(super) detail: Option<Rect>,
}

impl PoolParts {
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
