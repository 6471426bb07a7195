//! The line of tabs: the views that have number keys, and at the right how many problems there are and the key of the
//! help.
//!
//! ```text
//!  1 Cycle 2 Nodes 3 Jobs 4 Pools 5 Queues 6 Cal 7 Why 8 Board 9 Diff     ! 4  ?
//! ```

use ratatui::text::{Line, Span};

use super::Chrome;
use crate::theme::Role;
use crate::views::ViewName;
use crate::widgets::text::width;

/// Titles that have a shorter form.
const SHORT: [(&str, &str); 2] = [("Calendar", "Cal"), ("Difference", "Diff")];

/// The tabs for so many columns: as many as fit, and always the one that is open.
pub(crate) fn tabs(app: &Chrome<'_>, columns: u16) -> Line<'static> {
    let right = right(app);
    let room = usize::from(columns).saturating_sub(1 + right.iter().map(Span::width).sum::<usize>());
    let mut shown = fitting(app.view, room);
    // A view without a number key stands behind the others, as the way to it.
    if app.view.number().is_none() {
        shown.push((app.view, format!("› {}", app.view.title())));
    }
    let wide = shown.iter().map(|(_, text)| width(text) + 2).sum::<usize>() <= room;
    let mut line = Line::from(" ");
    for (view, text) in shown {
        let style = if view == app.view {
            app.theme.style(Role::Heading).reversed()
        } else {
            app.theme.style(Role::TextDim)
        };
        let text = text.replace('›', app.theme.by_set("›", ">"));
        line.push_span(Span::styled(text, style));
        line.push_span(Span::raw(if wide { "  " } else { " " }));
    }
    let gap = (room + 1).saturating_sub(line.width());
    line.push_span(Span::raw(" ".repeat(gap)));
    line.extend(right);
    line
}

/// The views that fit with their longest titles, else with their short ones, else as many as do.
fn fitting(open: ViewName, room: usize) -> Vec<(ViewName, String)> {
    let numbered = ViewName::ALL.iter().filter_map(|view| Some((*view, view.number()?)));
    let kept = if open.number().is_none() { width(open.title()) + 4 } else { 0 };
    let with = |title: &dyn Fn(ViewName) -> &'static str| -> Vec<(ViewName, String)> {
        numbered.clone().map(|(view, number)| (view, format!("{number} {}", title(view)))).collect()
    };
    let size = |views: &[(ViewName, String)], gap: usize| {
        views.iter().map(|(_, text)| width(text) + gap).sum::<usize>() + kept
    };
    let long = with(&ViewName::title);
    if size(&long, 2) <= room {
        return long;
    }
    let mut short = with(&|view| {
        let found = SHORT.iter().find(|(title, _)| *title == view.title());
        found.map_or(view.title(), |(_, short)| short)
    });
    while size(&short, 1) > room {
        let Some(last) = short.iter().rposition(|(view, _)| *view != open) else { break };
        short.remove(last);
    }
    short
}

/// How many problems there are, and the help.
fn right(app: &Chrome<'_>) -> Vec<Span<'static>> {
    let problems = app.screen.map_or(0, super::warnings::problem_count);
    let role = match app.screen {
        _ if problems == 0 => Role::TextDim,
        Some(screen) if screen.generation.alerts.iter().any(|alert| alert.kind.is_grave()) => Role::Error,
        _ => Role::Warning,
    };
    vec![
        Span::styled(format!("! {problems}"), app.theme.style(role)),
        Span::styled("  ? ", app.theme.style(Role::Key)),
    ]
}
