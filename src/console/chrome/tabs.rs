//! The line of tabs: the views that there are, by the number keys that open them.

use ratatui::text::{Line, Span};

use super::Chrome;
use crate::theme::Role;
use crate::views::ViewName;
use crate::widgets::text::width;

/// The tabs for so many columns: as many as fit, and always the one that is open.
pub(crate) fn tabs(app: &Chrome<'_>, columns: u16) -> Line<'static> {
    let open = app.view;
    let label = |view: ViewName| match view.number() {
        Some(number) => format!("{number} {}", view.title()),
        None => view.title().to_owned(),
    };
    let room = usize::from(columns).saturating_sub(1);
    let kept = width(&label(open)) + 2;
    let mut used = kept;
    let mut line = Line::from(" ");
    for view in ViewName::ALL {
        let text = label(*view);
        if *view != open {
            // The open tab keeps its room, wherever it stands.
            if used + width(&text) + 2 > room {
                continue;
            }
            used += width(&text) + 2;
        }
        let style = if *view == open {
            app.theme.style(Role::Heading).reversed()
        } else {
            app.theme.style(Role::TextDim)
        };
        line.push_span(Span::styled(text, style));
        line.push_span(Span::raw("  "));
    }
    line
}
