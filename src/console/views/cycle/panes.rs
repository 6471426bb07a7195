//! Layout of the panes: what holds the queue up, or the decision, at the upper left; the nodes at the upper right; the
//! queue below. Stepping changes their content, never their place.
//!
//! ```text
//! 80 columns            from 120 on              inside a decision, from 200 on
//! ┌────────────────┐    ┌──────┬───────────┐     ┌───────┬────────┬────────┐
//! │ why · decision │    │ why  │ nodes     │     │ level │ nodes  │ node   │
//! ├────────────────┤    ├──────┴───────────┤     ├───────┴────────┴────────┤
//! │ queue          │    │ queue            │     │ queue                   │
//! └────────────────┘    └──────────────────┘     └─────────────────────────┘
//! ```

use ratatui::layout::Rect;

use super::{CycleView, answer_pane, strip};
use crate::chrome::banner::HIGH as ALERTS_EVERYWHERE;
use crate::layout::{Pane, Panes, SizeClass, cells, cut_columns, cut_rows, share};
use crate::views::ViewContext;

/// Minimum rows of the queue, with its frame.
const QUEUE_LEAST: u16 = 8;

/// From this height on the upper panes get a smaller share of it.
const HIGH: u16 = 50;

/// Rows that suffice for the upper panes of a high screen.
const UPPER_ENOUGH: u16 = 20;

/// Minimum rows for a decision on a high screen.
const UPPER_LEAST: u16 = 24;

/// Rows of the picture that are not nodes: frame, times, free nodes and their numbers, legend.
const AROUND_NODES: u16 = 12;

/// Rows above the view: header, tabs and alert line.
const ABOVE: u16 = 3;

/// What the layout depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct LayoutInputs {
    pub(super) focus: Pane,
    /// Rows of the whole queue, with frame, headings and strip.
    pub(super) queue: usize,
    /// Number of nodes of the cluster, the maximum number of node rows in the picture.
    pub(super) nodes: usize,
    /// Whether a decision was stepped into.
    pub(super) inside: bool,
}

impl CycleView {
    /// Where its panes stand.
    pub(super) fn panes(&self, area: Rect, cx: ViewContext<'_>) -> Panes {
        let area = answer_pane::split_for_answer(area).0;
        let strip = strip::rows(cx.screen.generation.run.steps.len(), area.height);
        // A strip of two rows is inside the pane.
        let queue = self.queue.len() + 3 + if strip > 1 { 2 } else { 0 };
        let wanted = LayoutInputs {
            focus: self.focus,
            queue,
            nodes: cx.plan().nodes.len(),
            inside: self.descent.is_some() && self.paths.is_none(),
        };
        panes(cx.size_class, area, wanted)
    }
}

/// Whether the breadcrumb of a decision has its own line.
pub(super) fn has_way(class: SizeClass) -> bool {
    class >= SizeClass::Stacked
}

/// The height that the queue's share is computed from. On low screens the alert line disappears while stepping and
/// gives its row to the panes; counting it in either case keeps the queue in place.
fn steady_height(body: Rect) -> u16 {
    let below_header = body.bottom().saturating_sub(ABOVE);
    if body.bottom() + 1 < ALERTS_EVERYWHERE { body.height.min(below_header) } else { body.height }
}

/// Divides the place of the view.
fn panes(class: SizeClass, body: Rect, wanted: LayoutInputs) -> Panes {
    let LayoutInputs { focus, queue, nodes, inside } = wanted;
    // In stacked panes the decision needs its rows more than a long queue does.
    let parts = match class {
        class if class <= SizeClass::Stacked => 9,
        _ if body.height >= HIGH => 12,
        _ => 11,
    };
    // On high screens a queue gets a few rows more than its share if it needs them.
    let most = share(steady_height(body), parts, 20);
    let most = most.max(body.height.saturating_sub(UPPER_ENOUGH).min(share(body.height, 13, 20)));
    // A picture of few nodes needs few rows; the queue gets the others, at every step.
    let spare = body.height.saturating_sub(cells(nodes).saturating_add(AROUND_NODES).max(UPPER_LEAST));
    let least = if body.height >= HIGH { spare.max(QUEUE_LEAST) } else { QUEUE_LEAST };
    let queue = cells(queue).clamp(least.min(most), most.max(1));
    let (upper, below) = cut_rows(body, body.height.saturating_sub(queue));
    // The breadcrumb takes a row of the upper panes; the queue stays in place.
    let way = u16::from(inside && has_way(class));
    let (body, upper) = (cut_rows(body, way).1, cut_rows(upper, way).1);
    Panes::of(match class {
        SizeClass::TooSmall => Vec::new(),
        SizeClass::SinglePane => vec![(focus, body)],
        // A level has a table and text, and takes the whole area.
        SizeClass::Stacked if inside && focus == Pane::Detail => vec![(Pane::Detail, body)],
        SizeClass::Stacked => {
            let above = if focus == Pane::List { Pane::Detail } else { focus };
            vec![(above, upper), (Pane::List, below)]
        }
        SizeClass::Wide if inside => {
            // A level needs few columns, while the text about a node needs many; the map has room for two buckets side
            // by side.
            let (level, rest) = cut_columns(upper, share(upper.width, 2, 5));
            let (map, side) = cut_columns(rest, share(rest.width, 11, 20));
            vec![(Pane::Detail, level), (Pane::Map, map), (Pane::Side, side), (Pane::List, below)]
        }
        SizeClass::SideBySide | SizeClass::Wide => {
            // The nodes of a bucket have their conditions and what was found beside them.
            let narrow = if inside { share(upper.width, 8, 15) } else { share(upper.width, 9, 25) };
            let (left, right) = cut_columns(upper, narrow.max(50));
            // The side pane has no place of its own here, and is shown only with the focus.
            let right_pane = if focus == Pane::Side { Pane::Side } else { Pane::Map };
            vec![(Pane::Detail, left), (right_pane, right), (Pane::List, below)]
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(width: u16, height: u16, inside: bool) -> Panes {
        let body = Rect::new(0, 3, width, height);
        panes(
            SizeClass::of(Rect::new(0, 0, width, height + 4)),
            body,
            LayoutInputs { focus: Pane::List, queue: 99, nodes: 99, inside },
        )
    }

    #[test]
    fn the_queue_stands_below_and_stepping_in_moves_no_border_of_it() {
        for (width, height) in [(120, 36), (200, 56), (300, 86)] {
            let queue = at(width, height, false).rect(Pane::List);
            assert_eq!(queue, at(width, height, true).rect(Pane::List));
            assert_eq!(queue.map(|queue| (queue.width, queue.bottom())), Some((width, height + 3)));
        }
        assert_eq!(at(200, 56, false).rect(Pane::Detail).map(|pane| pane.width), Some(72));
        assert_eq!(at(120, 36, false).rect(Pane::Detail).map(|pane| pane.width), Some(50));
        assert_eq!(at(80, 20, false).rect(Pane::List).map(|pane| pane.height), Some(9));
    }

    #[test]
    fn the_queue_stands_still_when_the_alert_line_of_a_low_screen_goes() {
        for (width, height) in [80, 110, 130, 220].into_iter().flat_map(|w| (18..40).map(move |h| (w, h))) {
            let queue = |above: u16| {
                let body = Rect::new(0, above, width, height - above - 1);
                let wanted = LayoutInputs { focus: Pane::List, queue: 99, nodes: 99, inside: false };
                panes(SizeClass::of(Rect::new(0, 0, width, height)), body, wanted).rect(Pane::List)
            };
            if height < ALERTS_EVERYWHERE {
                assert_eq!(queue(3), queue(2), "{width}x{height}");
            }
        }
    }

    #[test]
    fn a_few_nodes_leave_their_room_to_the_queue() {
        let upper = |nodes| {
            let body = Rect::new(0, 3, 200, 56);
            let wanted = LayoutInputs { focus: Pane::List, queue: 5, nodes, inside: false };
            panes(SizeClass::Wide, body, wanted).rect(Pane::Map).map(|pane| pane.height)
        };
        assert_eq!([4, 20, 30, 2000].map(upper), [24, 32, 42, 48].map(Some));
    }

    #[test]
    fn panes_never_overlap_and_show_the_focus() {
        for (width, height) in (40..260).step_by(7).zip((8..90).cycle()) {
            for focus in [Pane::List, Pane::Detail, Pane::Map, Pane::Side] {
                for inside in [false, true] {
                    let body = Rect::new(0, 2, width, height);
                    let class = SizeClass::of(Rect::new(0, 0, width, height + 3));
                    let found = panes(class, body, LayoutInputs { focus, queue: 5, nodes: 5, inside });
                    let rects: Vec<Rect> = found.iter().map(|(_, rect)| rect).collect();
                    for (i, a) in rects.iter().enumerate() {
                        assert_eq!(a.intersection(body), *a);
                        assert!(rects[i + 1..].iter().all(|b| !a.intersects(*b)), "{body} {found:?}");
                    }
                }
            }
        }
    }
}
