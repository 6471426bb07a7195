//! The alert line above the view, for whatever changes the meaning of everything below.
//!
//! ```text
//!  ✗ scheduling off: 13 jobs would start   ! cn020 offline · 2 more
//! ```
//! The gravest alerts come first; those that do not fit are counted, and listed under `!`.

mod target;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::Chrome;
use super::{alerts, cut};
use crate::layout::{SizeClass, cells};
use crate::screen::Screen;
use crate::theme::{Role, Theme};
use crate::views::{Object, ViewName};
use crate::widgets::text::{clean, width};
use crate::wording;
use qscope_session::SubstituteFile;
pub(crate) use target::{AlertTarget, target_at, target_of};

/// One clause: its role, its words, and the target of a click.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Clause {
    role: Role,
    words: String,
    to: ClauseTarget,
}

#[derive(Debug, Clone, PartialEq)]
enum ClauseTarget {
    Fixed(AlertTarget),
    /// The alert with that index; its target is only determined when clicked.
    Alert(usize),
}

/// The gap between two clauses.
const BETWEEN: &str = "   ";

/// Minimum height of the screen for the line in every view; below, only the first view has it.
pub(crate) const HIGH: u16 = 25;

/// The clauses, gravest first.
pub(crate) fn clauses(app: &Chrome<'_>) -> Vec<Clause> {
    let mut clauses = Vec::new();
    let mut put = |role, words, to| clauses.push(Clause { role, words, to: ClauseTarget::Fixed(to) });
    // If there is nothing to show, the error has the whole screen.
    let Some(screen) = app.screen else { return Vec::new() };
    if let Some((failure, age)) = app.following.failure.as_ref().zip(app.following.failing_for(app.now)) {
        let is_shown = app.following.newer_than(&screen.generation) == 0;
        let shown = if is_shown { "shown: last good reading" } else { "last good reading" };
        let words = format!("{shown} {} ago: {}", wording::span(age), failure.message);
        put(Role::Error, words, AlertTarget::Problems);
    }
    if let Some(collection) = &app.following.collection
        && let Some((file, why)) = collection.failures().next()
    {
        let more = collection.failures().count() - 1;
        let more = if more == 0 { String::new() } else { format!(" (and {more} more: D)") };
        put(Role::Warning, format!("{file} not updated{more}: {why}"), AlertTarget::Files);
    }
    if let Some(Err(why)) = &app.following.recorded {
        put(Role::Error, format!("not recorded: {why}"), AlertTarget::Files);
    }
    about_cluster(screen, &mut clauses);
    clauses
}

fn about_cluster(screen: &Screen, clauses: &mut Vec<Clause>) {
    let mut put = |role, words, to| clauses.push(Clause { role, words, to });
    let view = |view| ClauseTarget::Fixed(AlertTarget::View(view));
    if let Some(what_if) = &screen.generation.what_if {
        let settings = what_if.settings.join(", ");
        put(Role::Warning, format!("WHAT-IF: {settings} · F leaves"), view(ViewName::WhatIf));
    }
    let snapshot = &screen.generation.snapshot;
    for problem in snapshot.unreadable() {
        let file = AlertTarget::FirstOf(Object::File(problem.file.to_string()));
        put(Role::Error, format!("{problem}; shown without it"), ClauseTarget::Fixed(file));
    }
    let mut found: Vec<_> = screen.ready.alert_clauses(alerts::clauses).iter().enumerate().collect();
    // Alerts that prevent no job from starting come last, whatever their kind.
    found.sort_by_key(|(_, (role, _))| *role != Role::Error);
    for (at, (role, words)) in found {
        put(*role, words.clone(), ClauseTarget::Alert(at));
    }
    for SubstituteFile { previous_file, used } in screen.generation.substitutes.iter() {
        put(Role::Warning, format!("{previous_file} is gone: {used} is read"), view(ViewName::Problems));
    }
    if snapshot.lacks_jobs() {
        put(Role::Error, "no job file: no jobs assumed".to_owned(), view(ViewName::Problems));
    }
    if snapshot.policy.assumed && snapshot.unreadable().all(|problem| &*problem.file != "sched_config") {
        let text = "sched_config missing: defaults assumed";
        put(Role::Warning, text.to_owned(), view(ViewName::Settings));
    }
}

/// Number of rows of the line: one, or none without alerts. On low screens outside of the first view at rest, only
/// problems with the data themselves have it, as a decision needs the row more. If the queue is the only pane, it keeps
/// the line while stepping, so that it does not move.
pub(crate) fn rows(app: &Chrome<'_>, screen: Rect) -> u16 {
    let at_rest = app.screen.is_some_and(|screen| screen.debugger.position() == 0);
    let one_pane = SizeClass::of(screen) == SizeClass::SinglePane;
    let everywhere = (app.view == ViewName::Cycle && (at_rest || one_pane)) || screen.height >= HIGH;
    let urgent = app.following.failure.is_some()
        || app.screen.is_some_and(|screen| screen.generation.what_if.is_some());
    u16::from((everywhere || urgent) && !clauses(app).is_empty())
}

/// The number of newer snapshots that are not shown.
pub(crate) fn newer(app: &Chrome<'_>) -> Option<String> {
    let newer = app.following.newer_than(&app.screen?.generation);
    let snapshots = if newer == 1 { "snapshot" } else { "snapshots" };
    (newer > 0).then(|| format!("{newer} newer {snapshots} · F follows"))
}

/// Draws the line.
pub(super) fn draw(chrome: &Chrome<'_>, area: Rect, buf: &mut Buffer) {
    let area = area.intersection(buf.area);
    if !area.is_empty() {
        let clauses = clauses(chrome);
        AlertLine::of(&clauses, chrome.alert, area.width, chrome.theme).line.render(area, buf);
    }
}

/// The clauses that fit.
struct AlertLine {
    /// Alternating spaces and clauses, then the rest.
    line: Line<'static>,
    /// The index of the first clause.
    first: usize,
}

impl AlertLine {
    /// As many clauses as fit, and the number of others. They start with the first one, unless the focused one would
    /// not fit; with a focus, its position replaces the number of others.
    fn of(clauses: &[Clause], focus: Option<usize>, columns: u16, theme: &Theme) -> Self {
        let focus = focus.map(|at| at.min(clauses.len().saturating_sub(1)));
        let of_focus = focus.map(|at| format!(" · {} of {}", at + 1, clauses.len()));
        let rest = |left: usize| match (&of_focus, left) {
            (Some(text), _) => in_theme(text, theme),
            (None, 0) => String::new(),
            (None, left) => in_theme(&format!(" · {left} more"), theme),
        };
        let fit = |first: usize| fitting(clauses.get(first..).unwrap_or_default(), columns, theme, rest);
        let all = fit(0);
        let (first, count) = match focus {
            Some(at) if at >= all => (at, fit(at)),
            _ => (0, all),
        };
        let shown = clauses.get(first..first + count).unwrap_or_default();
        let rest = rest(clauses.len() - count);
        let mut line = line(shown, columns.saturating_sub(cells(width(&rest))), theme);
        if let Some(span) = focus.and_then(|at| line.spans.get_mut(2 * (at - first) + 1)) {
            span.style = theme.style(Role::Cursor);
        }
        line.push_span(Span::styled(rest, theme.style(Role::TextDim)));
        Self { line, first }
    }
}

fn in_theme(text: &str, theme: &Theme) -> String {
    text.replace('·', theme.by_set("·", "|")).replace('…', theme.ellipsis())
}

fn signed(clause: &Clause, theme: &Theme) -> Span<'static> {
    theme.signed(clause.role, &in_theme(&clean(&clause.words), theme))
}

/// Number of clauses that fit, at least one.
fn fitting(clauses: &[Clause], columns: u16, theme: &Theme, rest: impl Fn(usize) -> String) -> usize {
    let room = usize::from(columns).saturating_sub(2);
    let (mut used, mut count) = (0, 0);
    for clause in clauses {
        let gap = if count > 0 { BETWEEN.len() } else { 0 };
        let columns = signed(clause, theme).width();
        if count > 0 && used + gap + columns + width(&rest(clauses.len() - count - 1)) > room {
            break;
        }
        used += gap + columns;
        count += 1;
    }
    count
}

/// Clauses side by side. A single one is cut to the line.
fn line(clauses: &[Clause], columns: u16, theme: &Theme) -> Line<'static> {
    if let [clause] = clauses {
        return cut(&in_theme(&clean(&clause.words), theme), clause.role, columns, theme);
    }
    let mut line = Line::default();
    for (at, clause) in clauses.iter().enumerate() {
        line.push_span(Span::raw(if at > 0 { BETWEEN } else { " " }));
        line.push_span(signed(clause, theme));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::GlyphSet;

    #[test]
    fn all_alerts_share_one_line_and_the_rest_is_counted() {
        let theme = Theme::mono(GlyphSet::Ascii);
        let clause = |role, words: &str| Clause { role, words: words.to_owned(), to: ClauseTarget::Alert(0) };
        let clauses = [
            clause(Role::Error, "scheduling off: 13 jobs would start"),
            clause(Role::Warning, "cn025 kept by job 40, not in the job dump"),
            clause(Role::Warning, "cn020 offline"),
        ];
        let shown = |count: usize, columns| {
            AlertLine::of(&clauses[..count], None, columns, &theme).line.to_string().trim_end().to_owned()
        };
        assert_eq!(shown(3, 80), " X scheduling off: 13 jobs would start | 2 more");
        assert_eq!(
            shown(3, 120),
            " X scheduling off: 13 jobs would start   ! cn025 kept by job 40, not in the job dump   ! cn020 offline"
        );
        assert_eq!(
            shown(3, 100),
            " X scheduling off: 13 jobs would start   ! cn025 kept by job 40, not in the job dump | 1 more"
        );
        assert!(shown(3, 30).ends_with("~ | 2 more"), "{}", shown(3, 30));
        assert_eq!(shown(0, 80), "");
        // The focused one is always on the line.
        let with_keys = |at, columns| {
            AlertLine::of(&clauses, Some(at), columns, &theme).line.to_string().trim_end().to_owned()
        };
        assert_eq!(with_keys(0, 80), " X scheduling off: 13 jobs would start | 1 of 3");
        assert_eq!(
            with_keys(1, 80),
            " ! cn025 kept by job 40, not in the job dump   ! cn020 offline | 2 of 3"
        );
        assert!(
            with_keys(2, 120).starts_with(" X scheduling off") && with_keys(2, 120).ends_with(" | 3 of 3")
        );
    }
}
