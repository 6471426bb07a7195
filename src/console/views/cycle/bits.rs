//! The bitmaps of every bucket around a step, from 200 columns on: free, later and busy in a row each, the bits that the
//! step set and cleared marked.
//!
//! ```text
//! ncpus=16                        11 nodes  cn[009-019]
//!   free   · · · · · · · · · · ·    0
//!   later  · · · · · · · · · ◇ ◇    2 → 0
//!   busy   ▪ ▪ ▪ ▪ ▪ ▪ ▪ ▪ ▪ ◆ ◆    9 → 11
//! ```
//! Where a bucket has more nodes than columns, equal bits are one run: `▪×400`. Where not all buckets fit, the map of
//! cells stands here instead.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::draw::Drawing;
use super::state::Cycle;
use crate::layout::{SizeClass, cells};
use crate::node_map::MapMode;
use crate::theme::{Role, Theme};
use crate::views::world::World;
use crate::widgets::text::{Align, clean, fit, width};
use crate::wording;
use qscope_engine::universe::Availability;
use qscope_explain::{BitMove, BucketBits};

/// Rows of a bucket: its name, and its three bitmaps.
const ROWS: u16 = 4;
/// Columns for the name of a bitmap, and for the counts behind it.
const NAME: u16 = 9;
const COUNTS: u16 = 14;
/// At most such a part of the columns is for the names of buckets.
const NAMES: usize = 3;

/// The three bitmaps, in the order of the rows.
const BITMAPS: [(&str, Availability); 3] =
    [("free", Availability::Free), ("later", Availability::Later), ("busy", Availability::Busy)];

/// Columns from one bit to the next in a row so wide; none where a bucket has too many for a cell each.
fn pitch(bits: usize, columns: u16) -> Option<u16> {
    let room = usize::from(columns.saturating_sub(NAME + COUNTS));
    [2_u16, 1].into_iter().find(|pitch| bits * usize::from(*pitch) <= room)
}

impl Cycle {
    /// Whether the bitmaps stand in place of the map, in an area of that size.
    pub(super) fn shows_bits(&self, area: Rect, world: World<'_>) -> bool {
        let rows = cells(self.bits.len()).saturating_mul(ROWS).saturating_add(1);
        world.class >= SizeClass::Wide
            && self.mode == MapMode::Buckets
            && self.descent.is_none()
            && self.paths.is_none()
            && !self.bits.is_empty()
            && rows <= area.height
    }

    /// The bucket and the node under a click.
    pub(super) fn bit_under(&self, at: Position, area: Rect) -> Option<(usize, usize)> {
        let bucket = usize::from(at.y.checked_sub(area.y)? / ROWS);
        let pitch = pitch(self.bits.get(bucket)?.bits.len(), area.width)?;
        let node = usize::from(at.x.checked_sub(area.x + NAME)? / pitch);
        (node < self.bits.get(bucket)?.bits.len()).then_some((bucket, node))
    }
}

/// Draws all buckets.
pub(super) fn draw(drawing: Drawing<'_>, area: Rect, focused: bool, buf: &mut Buffer) {
    let Drawing { view, theme, world } = drawing;
    let names: Vec<String> = view.bits.iter().map(|bucket| bucket.name.clone()).collect();
    let (common, names) = wording::without_common(&names);
    let most = usize::from(area.width) / NAMES;
    let wide = names.iter().map(|name| width(name)).max().unwrap_or(0).min(most);
    let mut y = area.y;
    for (at, (bucket, name)) in view.bits.iter().zip(&names).enumerate() {
        let place = Rect { y, height: ROWS.min(area.bottom().saturating_sub(y)), ..area };
        head(bucket, (name, wide), world, theme).render(Rect { height: 1.min(place.height), ..place }, buf);
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
    let legend = Rect { y: area.bottom().saturating_sub(1), height: 1.min(area.height), ..area };
    self::legend(&common, theme, legend.width).render(legend, buf);
}

/// The bucket's name, how many nodes it has, which, and how many bits the step moved.
fn head(bucket: &BucketBits, (name, wide): (&str, usize), world: World<'_>, theme: &Theme) -> Line<'static> {
    let name = fit(&clean(name), wide, Align::Left, theme.ellipsis());
    let bits: Vec<_> = bucket.bits.iter().map(|one| one.bit).collect();
    let nodes = wording::node_list(world.plan(), &bits);
    let moved = match bucket.moved() {
        0 => String::new(),
        moved => format!("   {} moved", wording::count(moved, "bit")),
    };
    Line::from(vec![
        Span::styled(name, theme.style(Role::Heading)),
        Span::styled(
            format!(" {:>11}  {}", wording::count(bits.len(), "node"), clean(&nodes)),
            theme.style(Role::TextDim),
        ),
        Span::styled(moved, theme.style(Role::NodeTaken)),
    ])
}

/// How a bit of a bitmap looks: set or not, and whether the step did that.
fn look(one: &BitMove, bitmap: Availability, theme: &Theme) -> (&'static str, Role) {
    let is_set = one.after == bitmap;
    let was_set = one.before == Some(bitmap);
    match (is_set, was_set) {
        (true, false) if one.before.is_some() => (theme.by_set("◆", "@"), Role::NodeTaken),
        (false, true) => (theme.by_set("◇", "o"), Role::NodeTaken),
        (false, false) => (theme.by_set("·", "."), Role::TextDim),
        (true, _) => match bitmap {
            Availability::Free => (theme.by_set("█", "8"), Role::NodeFree),
            Availability::Later => (theme.by_set("▒", "p"), Role::NodeLater),
            Availability::Busy | Availability::Out => (theme.by_set("▪", "#"), Role::NodeBusy),
        },
    }
}

fn bits(bucket: &BucketBits, word: &str, bitmap: Availability, theme: &Theme, columns: u16) -> Line<'static> {
    let word = format!("  {word:<width$}", width = usize::from(NAME) - 2);
    let mut line = Line::from(Span::styled(word, theme.style(Role::TextDim)));
    let looks = bucket.bits.iter().map(|one| look(one, bitmap, theme));
    match pitch(bucket.bits.len(), columns) {
        Some(pitch) => {
            let gap = if pitch == 2 { " " } else { "" };
            looks.for_each(|(sign, role)| {
                line.push_span(Span::styled(format!("{sign}{gap}"), theme.style(role)));
            });
        }
        None => runs(looks, usize::from(columns.saturating_sub(NAME + COUNTS)), theme, &mut line),
    }
    let (before, after) = (bucket.before(bitmap), bucket.after(bitmap));
    let (text, role) = match before == after {
        true => (format!("{after:>5}"), Role::TextDim),
        false => (format!("{before:>5} {} {after}", theme.by_set("→", ">")), Role::NodeTaken),
    };
    line.push_span(Span::styled(text, theme.style(role)));
    line
}

/// Equal bits as one run, as many runs as fit.
fn runs(
    looks: impl Iterator<Item = (&'static str, Role)>,
    room: usize,
    theme: &Theme,
    line: &mut Line<'static>,
) {
    let mut runs: Vec<((&str, Role), usize)> = Vec::new();
    for look in looks {
        match runs.last_mut() {
            Some((last, count)) if *last == look => *count += 1,
            _ => runs.push((look, 1)),
        }
    }
    let mut used = 0;
    for ((sign, role), count) in runs {
        let text = format!("{sign}{}{count} ", theme.by_set("×", "x"));
        if used + width(&text) + 2 > room {
            line.push_span(Span::styled(theme.ellipsis(), theme.style(Role::TextDim)));
            break;
        }
        used += width(&text);
        line.push_span(Span::styled(text, theme.style(role)));
    }
}

/// What the signs stand for, and what all buckets have in common.
fn legend(common: &str, theme: &Theme, columns: u16) -> Line<'static> {
    let set = |unicode, ascii| theme.by_set(unicode, ascii);
    let signs = [
        (set("◆", "@"), "set by this step"),
        (set("◇", "o"), "cleared"),
        (set("█", "8"), "free"),
        (set("▒", "p"), "planned later"),
        (set("▪", "#"), "busy"),
    ];
    let signs: Vec<String> = signs.iter().map(|(sign, word)| format!("{sign} {word}")).collect();
    let common = if common.is_empty() { String::new() } else { format!("all: {}   ", clean(common)) };
    let text =
        fit(&format!("{common}{}", signs.join("  ")), usize::from(columns), Align::Left, theme.ellipsis());
    Line::styled(text, theme.style(Role::TextDim))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::{Depth, GlyphSet, ThemeOptions};
    use qscope_engine::cluster::Id;
    use qscope_engine::universe::Bit;

    /// Console.md 4, bits: `◆` set and `◇` cleared by this step, `2 → 0` behind, runs where there are too many.
    #[test]
    fn bits_show_what_a_step_set_and_cleared_and_fold_to_runs() {
        use Availability as A;
        let theme_options = ThemeOptions { depth: Depth::None, glyphs: GlyphSet::Unicode };
        let theme = Theme::built_in("mono", theme_options).0;
        let one = |(at, (before, after)): (usize, (A, A))| BitMove {
            bit: Bit::at(at),
            before: Some(before),
            after,
        };
        let bucket = |moves: Vec<(A, A)>| BucketBits {
            name: "b".to_owned(),
            bits: moves.into_iter().enumerate().map(one).collect(),
        };
        let small = bucket(vec![(A::Busy, A::Busy), (A::Later, A::Busy), (A::Free, A::Free)]);
        let row = |bucket: &BucketBits, (word, bitmap), columns| {
            bits(bucket, word, bitmap, &theme, columns).to_string()
        };
        assert_eq!(row(&small, BITMAPS[0], 60).trim_end(), "  free   · · █     1");
        assert_eq!(row(&small, BITMAPS[1], 60).trim_end(), "  later  · ◇ ·     1 → 0");
        assert_eq!(row(&small, BITMAPS[2], 60).trim_end(), "  busy   ▪ ◆ ·     1 → 2");
        let large = bucket([vec![(A::Free, A::Busy); 30], vec![(A::Busy, A::Busy); 400]].concat());
        assert_eq!(row(&large, BITMAPS[2], 60).trim_end(), "  busy   ◆×30 ▪×400   400 → 430");
    }
}
