//! Alerts in full, what was odd in the files, and what the model leaves out: a box over the panes.

use super::alerts;
use crate::screen::Screen;
use crate::story::{Paragraph, Piece, Story};
use crate::theme::Role;
use qscope_engine::cluster::Severity;

/// So many alerts of a kind are spelled out; the nodes of a large cluster that are down would hide the rest.
const MAX_ITEMS: usize = 20;

/// How many problems there are: alerts, and what is wrong with the files or the model; notes are none.
pub(crate) fn problem_count(screen: &Screen) -> usize {
    let read = screen.generation.snapshot.diagnostics.iter().filter(|d| d.severity > Severity::Note);
    screen.generation.alerts.len() + screen.run().warnings.len() + read.count()
}

/// The text of the box, wrapped for a screen so wide.
pub(crate) fn story(screen: Option<&Screen>, columns: usize) -> Story {
    let mut paragraphs = screen.map(problems).unwrap_or_default();
    if paragraphs.is_empty() {
        paragraphs.push(Paragraph::words(2, [Piece::plain(" no problems")]));
    }
    super::for_box(paragraphs, columns)
}

fn problems(screen: &Screen) -> Vec<Paragraph> {
    let mut paragraphs = Vec::new();
    for alert in &*screen.generation.alerts {
        let role = alerts::role(alert.kind);
        let items = alert.items.iter().take(MAX_ITEMS);
        paragraphs.extend(items.map(|item| Paragraph::signed(2, role, &item.sentence)));
        if alert.items.len() > MAX_ITEMS {
            let more = alert.items.len() - MAX_ITEMS;
            paragraphs.push(Paragraph::signed(2, Role::TextDim, format!("and {more} more of this kind")));
        }
    }
    for warning in &screen.run().warnings {
        paragraphs.push(Paragraph::signed(2, Role::Warning, warning));
    }
    for diagnostic in &screen.generation.snapshot.diagnostics {
        let role = match diagnostic.severity {
            Severity::Note => Role::TextDim,
            Severity::Warning => Role::Warning,
            Severity::Error => Role::Error,
        };
        paragraphs.push(Paragraph::signed(2, role, diagnostic.to_string()));
    }
    paragraphs
}
