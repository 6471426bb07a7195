//! Alerts in full, what was odd in the files, and what the model leaves out: a box over the panes.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use super::Chrome;
use super::{alerts, cut};
use crate::screen::Screen;
use crate::story::{Paragraph, Piece, Story};
use crate::theme::Role;
use crate::widgets::frame;
use qscope_engine::cluster::Severity;

const WIDTH: u16 = 100;
/// So many alerts of a kind are spelled out; the nodes of a large cluster that are down would hide the rest.
const ITEMS_MOST: usize = 20;

/// How many there are; notes are no warnings.
pub(crate) fn count(screen: &Screen) -> usize {
    let read = screen.generation.snapshot.diagnostics.iter().filter(|d| d.severity > Severity::Note);
    screen.run().warnings.len() + read.count()
}

/// All lines, wrapped for a columns of that width.
pub(crate) fn lines(screen: Option<&Screen>, columns: usize) -> Vec<Vec<Piece>> {
    let Some(screen) = screen else { return Vec::new() };
    let mut paragraphs = Vec::new();
    for alert in &*screen.generation.alerts {
        let role = alerts::role(alert.kind);
        let items = alert.items.iter().take(ITEMS_MOST);
        paragraphs.extend(items.map(|item| words(role, &item.sentence)));
        if alert.items.len() > ITEMS_MOST {
            let more = alert.items.len() - ITEMS_MOST;
            paragraphs.push(words(Role::TextDim, &format!("and {more} more of this kind")));
        }
    }
    for warning in &screen.run().warnings {
        paragraphs.push(words(Role::Warning, warning));
    }
    for diagnostic in &screen.generation.snapshot.diagnostics {
        let role = match diagnostic.severity {
            Severity::Note => Role::TextDim,
            Severity::Warning => Role::Warning,
            Severity::Error => Role::Error,
        };
        paragraphs.push(words(role, &diagnostic.to_string()));
    }
    let mut story = Story::new(paragraphs);
    story.fit(columns.min(usize::from(WIDTH)).saturating_sub(2));
    story.lines().to_vec()
}

fn words(role: Role, text: &str) -> Paragraph {
    Paragraph::Words { hang: 2, pieces: vec![Piece::signed(role, text)] }
}

/// Draws the box.
pub(super) fn draw(app: &Chrome<'_>, top: usize, area: Rect, buf: &mut Buffer) {
    let lines = lines(app.screen, usize::from(area.width));
    let height =
        u16::try_from(lines.len().max(1) + 2).unwrap_or(u16::MAX).min(area.height.saturating_sub(2)).max(3);
    let inner = frame::overlay(area, buf, app.theme, "Problems", WIDTH, height);
    if lines.is_empty() {
        cut("no problems", Role::Text, inner.width, app.theme).render(inner, buf);
    }
    for (line, at) in lines.iter().skip(top).zip(inner.rows()) {
        crate::views::cycle::decision::styled(line, app.theme).render(at, buf);
    }
}
