//! The line of tabs: the views with number keys, and at the right the number of problems and the help key.
//!
//! ```text
//!  1 Cycle 2 Nodes 3 Jobs 4 Pools 5 Queues 6 Cal 7 Why 8 Board 9 Diff     ! 4  ?
//! ```

use ratatui::text::{Line, Span};

use super::Chrome;
use crate::screen::Screen;
use crate::theme::Role;
use crate::views::ViewName;
use crate::widgets::breadcrumb::without_middle;
use crate::widgets::text::width;

/// Titles that have a shorter form.
const SHORT: [(&str, &str); 2] = [("Calendar", "Cal"), ("Difference", "Diff")];

/// One part of the breadcrumb: its name, and how many steps back it is; `None` for the ellipsis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ViewBreadcrumb {
    pub(crate) name: String,
    pub(crate) steps_back: Option<usize>,
}

/// The tabs in `columns` columns: as many as fit, always including the open one.
pub(crate) fn tabs(app: &Chrome<'_>, columns: u16) -> Line<'static> {
    let right = right(app);
    let room = usize::from(columns).saturating_sub(1 + right.iter().map(Span::width).sum::<usize>());
    // A view without a number key comes after the tabs, with its breadcrumb.
    let way = shown_way(app.breadcrumb, columns);
    let kept = way.iter().map(|part| width(&part.name) + 3).sum::<usize>();
    let tabs = fitting(app.view, room.saturating_sub(kept));
    let open = Some(way.len().saturating_sub(1)).filter(|_| !way.is_empty());
    let led = way.into_iter().enumerate();
    let led = led.map(|(at, part)| (Some(at) == open, format!("› {}", part.name)));
    let shown: Vec<(bool, String)> =
        tabs.into_iter().map(|(view, text)| (view == app.view, text)).chain(led).collect();
    let wide = shown.iter().map(|(_, text)| width(text) + 2).sum::<usize>() <= room;
    let mut line = Line::from(" ");
    for (is_open, text) in shown {
        let role = if is_open { Role::Heading } else { Role::TextDim };
        let style = app.theme.style(role);
        let text = text.replace('›', app.theme.by_set("›", ">")).replace('…', app.theme.ellipsis());
        line.push_span(Span::styled(text, if is_open { style.reversed() } else { style }));
        line.push_span(Span::raw(if wide { "  " } else { " " }));
    }
    let gap = (room + 1).saturating_sub(line.width());
    line.push_span(Span::raw(" ".repeat(gap)));
    line.extend(right);
    line
}

/// The breadcrumb as shown: at most half the line, with its middle left out if it is longer.
pub(crate) fn shown_way(way: &[ViewBreadcrumb], columns: u16) -> Vec<ViewBreadcrumb> {
    let room = usize::from(columns / 2);
    let size = |parts: &[ViewBreadcrumb]| parts.iter().map(|part| width(&part.name) + 3).sum::<usize>();
    let middle = ViewBreadcrumb { name: "…".to_owned(), steps_back: None };
    without_middle(way, &middle, |parts| size(parts) <= room)
}

/// The tabs with their long titles if they fit, else with short ones, else as many as fit.
fn fitting(open: ViewName, room: usize) -> Vec<(ViewName, String)> {
    let numbered = ViewName::ALL.iter().filter_map(|view| Some((*view, view.number()?)));
    let labelled = |title: &dyn Fn(ViewName) -> &'static str| -> Vec<(ViewName, String)> {
        numbered.clone().map(|(view, number)| (view, format!("{number} {}", title(view)))).collect()
    };
    let size = |views: &[(ViewName, String)], gap: usize| {
        views.iter().map(|(_, text)| width(text) + gap).sum::<usize>()
    };
    let long = labelled(&ViewName::title);
    if size(&long, 2) <= room {
        return long;
    }
    let mut short = labelled(&|view| {
        let found = SHORT.iter().find(|(title, _)| *title == view.title());
        found.map_or(view.title(), |(_, short)| short)
    });
    // A tab without its title can still be clicked.
    for at in (0..short.len()).rev() {
        let (fits, Some((view, text))) = (size(&short, 1) <= room, short.get_mut(at)) else { break };
        if fits {
            break;
        }
        if let Some(number) = view.number().filter(|_| *view != open) {
            *text = number.to_string();
        }
    }
    while size(&short, 1) > room {
        let Some(last) = short.iter().rposition(|(view, _)| *view != open) else { break };
        short.remove(last);
    }
    short
}

/// The number of problems, and the help key.
fn right(chrome: &Chrome<'_>) -> Vec<Span<'static>> {
    let failed = usize::from(chrome.screen.is_some() && chrome.following.failure.is_some());
    let configured = chrome.screen.map_or(0, |_| chrome.following.config_wrong.len());
    let old = usize::from(chrome.screen.is_some() && chrome.following.old_data(chrome.now).is_some());
    let problems = chrome.screen.map_or(0, Screen::problem_count) + failed + old + configured;
    let role = match chrome.screen {
        _ if problems == 0 => Role::TextDim,
        Some(screen) if screen.generation.alerts.iter().any(qscope_explain::Alert::is_grave) => Role::Error,
        _ => Role::Warning,
    };
    vec![
        Span::styled(format!("! {problems}"), chrome.theme.style(role)),
        Span::styled("  ? ", chrome.theme.style(Role::Key)),
    ]
}
