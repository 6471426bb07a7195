//! The trade-off in one picture: what each lifetime costs, and how well it packs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::compute::LifetimePoint;
use super::study::{PackingView, Panel, lifetime_words};
use crate::theme::{Role, Theme};
use crate::widgets::frame;

/// Columns of the table.
const TABLE: u16 = 34;

/// Draws a table of the lifetimes and, with room, a chart of the points.
pub(super) fn draw(study: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let focused = study.panel == Panel::Sweep;
    let inner = frame::pane(
        area,
        buf,
        theme,
        "Lifetimes of a hold",
        "cost against packing index, all arrivals",
        focused,
    );
    if study.sweep.is_empty() {
        frame::empty(inner, buf, theme, &["Simulating six lifetimes."]);
        return;
    }
    let heading = (Role::Heading, "   lifetime    costs slots   index".to_owned());
    let row = |(at, point): (usize, &LifetimePoint)| {
        let lifetime = lifetime_words(point.ttl);
        (Role::Text, format!(" {} {lifetime:<10} {:>12.1} {:>7.3}", letter(at), point.cost, point.index))
    };
    let rows = study.sweep.iter().enumerate().map(row);
    frame::lines_inside(inner, buf, theme, std::iter::once(heading).chain(rows));
    if let Some(width) = inner.width.checked_sub(TABLE + 12).filter(|_| inner.height >= 5) {
        let chart = Rect { x: inner.x + TABLE + 2, width: width + 10, ..inner };
        points(study, chart, buf, theme);
    }
}

fn letter(at: usize) -> char {
    ('a'..='z').nth(at).unwrap_or('*')
}

/// Draws the points: cost to the right, packing index upwards.
fn points(view: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let costs = || view.sweep.iter().map(|point| point.cost);
    let (least, most) = (costs().fold(0.0f64, f64::min), costs().fold(0.1f64, f64::max));
    let plot = Rect { x: area.x + 5, width: area.width.saturating_sub(5), height: area.height - 1, ..area };
    let dim = theme.style(Role::TextDim);
    for y in plot.top()..plot.bottom() {
        buf.set_stringn(plot.x.saturating_sub(1), y, theme.by_set("│", "|"), 1, dim);
    }
    buf.set_stringn(area.x, plot.y, "1.00", 4, dim);
    buf.set_stringn(area.x, plot.bottom().saturating_sub(1), "0.00", 4, dim);
    let scale = format!("costs {least:.1} ... {most:.1} slots, * several");
    buf.set_stringn(plot.x, plot.bottom(), scale, usize::from(plot.width), dim);
    let mut taken = Vec::new();
    for (at, point) in view.sweep.iter().enumerate() {
        let x = (point.cost - least) / (most - least).max(1e-9) * f64::from(plot.width.saturating_sub(1));
        let y = (1.0 - point.index.clamp(0.0, 1.0)) * f64::from(plot.height.saturating_sub(1));
        let (x, y) = (plot.x + x.round() as u16, plot.y + y.round() as u16);
        let sign = if taken.contains(&(x, y)) { '*' } else { letter(at) };
        taken.push((x, y));
        buf.set_stringn(x, y, sign.encode_utf8(&mut [0; 4]), 1, theme.style(Role::StepHere));
    }
}
