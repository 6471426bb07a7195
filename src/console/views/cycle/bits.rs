//! The bitmaps of every bucket around a step, from 200 columns on: one row each for free, later and busy, with the bits
//! marked that the step set or cleared.
//!
//! ```text
//! ncpus=16                        11 nodes  cn[009-019]
//!   free   · · · · · · · · · · ·    0
//!   later  · · · · · · · · · ◇ ◇    2 → 0
//!   busy   ▪ ▪ ▪ ▪ ▪ ▪ ▪ ▪ ▪ ◆ ◆    9 → 11
//! ```
//! Where a bucket has more nodes than columns, equal bits are folded into a run: `▪×400`. Where the buckets do not all
//! fit, the map of cells is drawn instead.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::draw_context::DrawContext;
use super::state::CycleView;
use crate::bucket_names::BucketNames;
use crate::layout::{SizeClass, cells, cut_rows};
use crate::theme::{Role, Theme};
use crate::views::ViewContext;
use crate::views::bit_rows::{BITMAPS, NAME, bits, pitch};
use crate::views::nodes::groups::NodeGrouping;
use crate::views::timeline::PictureSubject;
use crate::widgets::bitmap::Geometry;
use crate::widgets::legend::{self, LegendParts};
use crate::widgets::text::{Align, clean, fit, width};
use crate::wording;
use qscope_engine::universe::Bit;
use qscope_explain::BucketBits;

/// Rows of a bucket: its name and three bitmaps.
const ROWS: u16 = 4;
/// Names of buckets take at most one part in `NAMES` of the columns.
const NAMES: usize = 3;
/// Minimum rows for the nodes over time: title, times, a few nodes, free nodes with their numbers, legend.
const LEAST_PICTURE: u16 = 13;
/// Minimum rows for the nodes of one bucket over time: title, times, some nodes.
const LEAST_INSIDE: u16 = 5;
/// Maximum rows of a picture without free nodes and legend, with its title.
const WITHOUT_FREE: u16 = 7;
/// Maximum number of nodes in the picture, which every step rebuilds: more would slow stepping down.
const MAX_PICTURED: usize = 2_000;

impl CycleView {
    /// Whether the bitmaps are drawn instead of the map, in an area of that size.
    pub(super) fn shows_bits(&self, area: Rect, cx: ViewContext<'_>) -> bool {
        let rows = cells(self.bits.len()).saturating_mul(ROWS).saturating_add(1);
        cx.size_class >= SizeClass::Wide
            && self.grouping == NodeGrouping::Bucket
            && self.descent.is_none()
            && self.paths.is_none()
            && !self.bits.is_empty()
            && rows <= area.height
    }

    /// The place of the nodes over time below the bitmaps, in an area of that size.
    pub(super) fn place_after_step(&self, area: Rect, cx: ViewContext<'_>) -> Option<Rect> {
        let bitmaps = cells(self.bits.len()).saturating_mul(ROWS);
        // One blank row above; the last row is for the legend of the bitmaps.
        let below = cut_rows(area, bitmaps.saturating_add(1)).1;
        let place = cut_rows(below, below.height.saturating_sub(1)).0;
        let shows = cx.position() > 0
            && place.height >= LEAST_PICTURE
            && cx.plan().nodes.len() <= MAX_PICTURED
            && self.shows_bits(area, cx);
        shows.then_some(place)
    }

    /// The place of the nodes of the bucket over time below the map, inside a decision at a node.
    pub(super) fn place_inside(&self, area: Rect, cx: ViewContext<'_>) -> Option<Rect> {
        let is_small = cx.plan().nodes.len() <= MAX_PICTURED;
        self.node_inside()
            .filter(|_| is_small && cx.size_class >= SizeClass::Wide && self.paths.is_none())?;
        let geometry = Geometry::new(&self.map, area);
        let below = cut_rows(geometry.body(), cells(geometry.rows()).saturating_add(1)).1;
        // Where the free nodes have no room, the rows of nodes have theirs.
        let rows = if below.height < LEAST_PICTURE { WITHOUT_FREE.min(below.height) } else { below.height };
        (below.height >= LEAST_INSIDE).then(|| cut_rows(below, rows).0)
    }

    /// The bucket of the node under the cursor inside a decision.
    pub(super) fn bucket_inside(&self, cx: ViewContext<'_>) -> Option<PictureSubject> {
        cx.state().bucket_of.checked(self.node_inside()?).copied().flatten().map(PictureSubject::Bucket)
    }

    /// The indices of the bucket and of its node under a click.
    pub(super) fn bit_under(&self, at: Position, area: Rect) -> Option<(usize, usize)> {
        let bucket = usize::from(at.y.checked_sub(area.y)? / ROWS);
        let pitch = pitch(self.bits.get(bucket)?.bits.len(), area.width)?;
        let node = usize::from(at.x.checked_sub(area.x + NAME)? / pitch);
        (node < self.bits.get(bucket)?.bits.len()).then_some((bucket, node))
    }
}

/// Draws all buckets.
pub(super) fn draw(context: DrawContext<'_>, area: Rect, focused: bool, buf: &mut Buffer) {
    let DrawContext { view, theme, cx } = context;
    let names: Vec<String> = view.bits.iter().map(|bucket| bucket.name.clone()).collect();
    let (common, names) = BucketNames::of(cx.state()).split_common(&names);
    let most = usize::from(area.width) / NAMES;
    let wide = names.iter().map(|name| width(name)).max().unwrap_or(0).min(most);
    let mut y = area.y;
    for (at, (bucket, name)) in view.bits.iter().zip(&names).enumerate() {
        let place = Rect { y, height: ROWS.min(area.bottom().saturating_sub(y)), ..area };
        heading(bucket, (name, wide), cx).render(Rect { height: 1.min(place.height), ..place }, buf);
        let cursor = (view.map_state.line == at).then_some((view.map_state.node, focused));
        for (row, (word, bitmap)) in place.rows().skip(1).zip(BITMAPS) {
            bits(bucket, word, bitmap, theme, row.width).render(row, buf);
            let here =
                cursor.filter(|(node, _)| bucket.bits.get(*node).is_some_and(|one| one.after == bitmap));
            if let (Some((node, focused)), Some(pitch)) = (here, pitch(bucket.bits.len(), row.width)) {
                let x = row.x.saturating_add(NAME + cells(node) * pitch);
                let style = Style::new().underlined();
                buf.set_style(
                    Rect { x, width: 1, ..row }.intersection(area),
                    if focused { style.bold() } else { style },
                );
            }
        }
        y = y.saturating_add(ROWS);
    }
    if let Some(place) = view.place_after_step(area, cx) {
        view.after_step.draw(place, buf, cx);
    }
    let last = Rect { y: area.bottom().saturating_sub(1), height: 1.min(area.height), ..area };
    legend::draw(&legend_parts(&common, theme), last, buf, theme);
}

/// The name of the bucket, its nodes, and the number of bits that the step moved.
fn heading(bucket: &BucketBits, (name, wide): (&str, usize), cx: ViewContext<'_>) -> Line<'static> {
    let theme = cx.theme;
    let name = fit(&clean(name), wide, Align::Left, theme.ellipsis());
    let bits: Vec<_> = bucket.bits.iter().map(|one| one.bit).collect();
    let nodes = wording::node_list(cx.plan(), &bits);
    let moved = match bucket.moved() {
        0 => String::new(),
        moved => format!("   {} moved", wording::count(moved, "bit")),
    };
    let refused = not_for_its_queue(bucket, cx).map_or_else(String::new, |why| format!("   {why}"));
    Line::from(vec![
        Span::styled(name, theme.style(Role::Heading)),
        Span::styled(
            format!(" {:>11}  {}", wording::count(bits.len(), "node"), clean(&nodes)),
            theme.style(Role::TextDim),
        ),
        Span::styled(moved, theme.style(Role::NodeTaken)),
        Span::styled(refused, theme.style(Role::TextDim)),
    ])
}

/// States that the nodes of a bucket serve another queue than the job's, so that the step tries none of them.
fn not_for_its_queue(bucket: &BucketBits, cx: ViewContext<'_>) -> Option<String> {
    let plan = cx.plan();
    let job = plan.job(cx.screen.outcome()?.job);
    let of_node = |bit: Bit| plan.node(bit).queue.as_ref();
    let serves = of_node(bucket.bits.first()?.bit)?;
    (*serves != job.queue).then(|| format!("not for queue {}", clean(&job.queue)))
}

/// The legend: what the signs mean, and what all buckets have in common.
fn legend_parts(common: &str, theme: &Theme) -> LegendParts {
    let set = |unicode, ascii| theme.by_set(unicode, ascii);
    let signs = [
        (Role::NodeTaken, set("◆", "@"), "set by this step"),
        (Role::NodeTaken, set("◇", "o"), "cleared"),
        (Role::NodeFree, set("█", "8"), "free"),
        (Role::NodeLater, set("▒", "p"), "planned later"),
        (Role::NodeBusy, set("▪", "#"), "busy"),
    ];
    let common = if common.is_empty() { String::new() } else { format!("all: {common}") };
    legend::side_by_side([legend::words(common), legend::signs(signs)])
}
