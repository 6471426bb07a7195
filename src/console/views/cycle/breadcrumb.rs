//! The breadcrumb of a decision in its own line (console.md 4, breadcrumb): the name of every level, each a link back
//! to it; if it is too long, its middle is left out.
//!
//! ```text
//!  60 › placement › chunk 1 › bucket ncpus=32   level 4 of 4
//! ```

use crate::layout::cells;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::descent::Descent;
use super::draw_context::DrawContext;
use super::state::CycleView;
use crate::theme::{Role, Theme};
use crate::views::ViewContext;
use crate::widgets::breadcrumb::without_middle;
use crate::widgets::text::{clean, truncate, width};

/// One part of the breadcrumb on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LevelBreadcrumb {
    pub(super) text: String,
    /// The level it leads to, from 0; `None` for the ellipsis in the middle.
    pub(super) level: Option<usize>,
}

/// The separator between two parts.
fn separator(theme: &Theme) -> &'static str {
    theme.by_set(" › ", " > ")
}

/// The parts that fit: the first, and as many of the last ones as there is room for; at least the last, cut.
pub(super) fn parts(names: &[String], room: usize, theme: &Theme) -> Vec<LevelBreadcrumb> {
    let part = |(level, name): (usize, &String)| LevelBreadcrumb {
        text: clean(name).into_owned(),
        level: Some(level),
    };
    let all: Vec<LevelBreadcrumb> = names.iter().enumerate().map(part).collect();
    let middle = LevelBreadcrumb { text: theme.ellipsis().to_owned(), level: None };
    let fits = |parts: &[LevelBreadcrumb]| width(&in_one_line(parts, theme)) <= room;
    let mut short = without_middle(&all, &middle, fits);
    if short.len() < 2 || fits(&short) {
        return short;
    }
    let before = short.len().saturating_sub(1);
    let used = width(&in_one_line(short.get(..before).unwrap_or_default(), theme)) + width(separator(theme));
    if let Some(last) = short.last_mut() {
        last.text = truncate(&last.text, room.saturating_sub(used), theme.ellipsis()).into_owned();
    }
    short
}

/// The parts as one text.
pub(super) fn in_one_line(parts: &[LevelBreadcrumb], theme: &Theme) -> String {
    parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(separator(theme))
}

/// The parts that fit into `at`, each with its column.
fn placed(descent: &Descent, at: Rect, cx: ViewContext<'_>) -> Vec<(u16, LevelBreadcrumb)> {
    let names = descent.named_levels(cx);
    let room = usize::from(at.width).saturating_sub(width(&note(descent)) + 4);
    let mut x = at.x.saturating_add(1);
    let step = |text: &str| cells(width(text));
    let mut found = Vec::new();
    for part in parts(&names, room, cx.theme) {
        let next = x.saturating_add(step(&part.text)).saturating_add(step(separator(cx.theme)));
        found.push((x, part));
        x = next;
    }
    found
}

fn note(descent: &Descent) -> String {
    let level = descent.depths.len();
    match descent.depth().and_then(|depth| depth.levels_below) {
        Some(below) => format!("level {level} of {}", level + below),
        None => format!("level {level}"),
    }
}

/// Draws the breadcrumb.
pub(super) fn draw(context: DrawContext<'_>, descent: &Descent, at: Rect, buf: &mut Buffer) {
    let theme = context.theme;
    let at = at.intersection(buf.area);
    if at.is_empty() {
        return;
    }
    let parts = placed(descent, at, context.cx);
    let last = parts.len().saturating_sub(1);
    let mut end = at.x;
    for (number, (x, part)) in parts.iter().enumerate() {
        let room = usize::from(at.right().saturating_sub(*x));
        let style = match part.level {
            Some(_) if number < last => theme.style(Role::Heading).underlined(),
            Some(_) => theme.style(Role::Text),
            None => theme.style(Role::TextDim),
        };
        end = buf.set_stringn(*x, at.y, &part.text, room, style).0;
        if number < last {
            let room = usize::from(at.right().saturating_sub(end));
            buf.set_stringn(end, at.y, separator(theme), room, theme.style(Role::TextDim));
        }
    }
    let room = usize::from(at.right().saturating_sub(end.saturating_add(3)));
    buf.set_stringn(end.saturating_add(3), at.y, note(descent), room, theme.style(Role::TextDim));
}

impl CycleView {
    /// The line of the breadcrumb, inside a decision.
    pub(super) fn breadcrumb_area(&self, area: Rect, cx: ViewContext<'_>) -> Option<Rect> {
        let area = super::answer_pane::split_for_answer(area).0;
        let shown = self.descent.is_some() && self.paths.is_none();
        (shown && super::panes::has_way(cx.size_class)).then_some(Rect { height: 1.min(area.height), ..area })
    }

    /// Steps out to the level whose name was clicked; `None` if the click was outside the breadcrumb.
    pub(super) fn click_way(&mut self, at: Position, area: Rect, cx: ViewContext<'_>) -> Option<bool> {
        let line = self.breadcrumb_area(area, cx).filter(|line| line.contains(at))?;
        let parts = placed(self.descent.as_ref()?, line, cx.undrawn());
        let clicked = parts.iter().rfind(|(x, _)| *x <= at.x)?;
        let ends = usize::from(clicked.0) + width(&clicked.1.text);
        let level = clicked.1.level.filter(|_| usize::from(at.x) < ends);
        Some(level.is_some_and(|level| self.leave_to(level)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::GlyphSet;

    /// Console.md 4, breadcrumb: if it is too long, its middle is left out.
    #[test]
    fn the_way_in_keeps_its_ends() {
        let theme = Theme::mono(GlyphSet::Unicode);
        let names = ["60", "placement", "chunk 1", "ncpus=32"].map(str::to_owned);
        let seen = |names: &[String], room| in_one_line(&parts(names, room, &theme), &theme);
        assert_eq!(seen(&names, 60), "60 › placement › chunk 1 › ncpus=32");
        assert_eq!(seen(&names, 30), "60 › … › chunk 1 › ncpus=32");
        assert_eq!(seen(&names, 20), "60 › … › ncpus=32");
        assert_eq!(seen(&names, 14), "60 › … › ncpu…");
        assert_eq!(seen(&names[..1], 2), "60");
        let levels: Vec<Option<usize>> = parts(&names, 30, &theme).iter().map(|part| part.level).collect();
        assert_eq!(levels, [Some(0), None, Some(2), Some(3)]);
    }
}
