//! The nodes over time after the step that is shown, below the bitmaps of the buckets where these leave rows: which nodes
//! are free when, once the jobs up to here have started.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::layout::cut_rows;
use crate::theme::{Role, Theme};
use crate::views::World;
use crate::views::timeline::{Drawn, TimeRow, TimelineView, room};
use crate::widgets::frame;

/// In fewer rows the picture shows too little: its title, times, a few nodes, free nodes with their numbers, legend.
const LEAST: u16 = 13;
/// Each step makes it anew: of more nodes than these it would hold the steps up.
const MAX_NODES: usize = 2_000;

/// The picture, and what it was made for.
#[derive(Debug, Default)]
pub(super) struct AfterStep {
    timeline: TimelineView,
    rows: Vec<TimeRow>,
    /// The cycle, the step and the rows for nodes.
    made: Option<(usize, usize, usize)>,
}

impl AfterStep {
    /// Makes it for the step that is shown and its place, unless it is there already.
    pub(super) fn make(&mut self, place: Option<Rect>, world: World<'_>) {
        let Some(rows) = place.map(|place| room(place.height.saturating_sub(1))) else {
            self.made = None;
            return;
        };
        let key = (Arc::as_ptr(world.run()) as usize, world.position(), rows);
        if self.made == Some(key) {
            return;
        }
        if self.made.is_none_or(|(run, step, _)| (run, step) != (key.0, key.1)) {
            self.timeline.take_position(world);
        }
        self.rows = self.timeline.rows(world.plan(), rows, None);
        self.made = Some(key);
    }

    /// Draws it with its title.
    pub(super) fn draw(&self, world: World<'_>, theme: &Theme, place: Rect, buf: &mut Buffer) {
        let (head, picture) = cut_rows(place, 1);
        let title = format!("Nodes × time, after step {}", world.position());
        frame::lines(head, buf, theme, [(Role::Heading, title)]);
        let drawn = Drawn {
            timeline: &self.timeline,
            rows: &self.rows,
            top: 0,
            selected: None,
            plan: world.plan(),
            fit: None,
            theme,
        };
        drawn.render(picture, buf);
    }
}

/// Its place in what the bitmaps leave of their area, where that is enough.
pub(super) fn place(area: Rect, bitmaps: u16, nodes: usize) -> Option<Rect> {
    // A blank row above; the last one is the legend's of the bitmaps.
    let below = cut_rows(area, bitmaps.saturating_add(1)).1;
    let place = cut_rows(below, below.height.saturating_sub(1)).0;
    (place.height >= LEAST && nodes <= MAX_NODES).then_some(place)
}
