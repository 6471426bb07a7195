//! The target of a click on an alert.

use super::{AlertLine, Chrome, Clause, ClauseTarget, clauses};
use crate::screen::Screen;
use crate::views::problems::object_of;
use crate::views::{Object, ViewName};
use qscope_explain::Alert;
use qscope_session::problems::{AlertProblems, Problem, of_whole_alert};

/// What an alert leads to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AlertTarget {
    /// The one problem it stands for.
    Problem(Box<Problem>),
    View(ViewName),
    /// The first of several problems, in the list of problems.
    FirstOf(Object),
    /// The files and their clients.
    Files,
    /// The list of all problems.
    Problems,
}

/// The target of an alert: the one problem it stands for, or the first of several in the list of problems.
fn target(screen: &Screen, alert: &Alert) -> AlertTarget {
    let known = |job: &str| screen.ready.names().job_named(job).is_some();
    match of_whole_alert(&screen.generation, &known, alert) {
        Some(AlertProblems::Single(first)) => AlertTarget::Problem(Box::new(first)),
        Some(AlertProblems::Group(first)) => {
            object_of(&first).map_or(AlertTarget::Problems, AlertTarget::FirstOf)
        }
        None => AlertTarget::Problems,
    }
}

/// The target of a click into the line; `None` outside the clauses.
pub(crate) fn target_at(app: &Chrome<'_>, column: u16) -> Option<AlertTarget> {
    let clauses = clauses(app);
    let shown = AlertLine::of(&clauses, app.alert, app.columns, app.theme);
    let mut right = 0;
    let at = shown.line.spans.iter().position(|span| {
        right += span.width();
        usize::from(column) < right
    })?;
    // Spaces precede each clause, so clauses have odd indices; the last part is the rest.
    if at + 1 == shown.line.spans.len() {
        return Some(AlertTarget::Problems);
    }
    (at % 2 == 1).then(|| target_of(app, shown.first + at / 2)).flatten()
}

/// The target of the alert with that index.
pub(crate) fn target_of(chrome: &Chrome<'_>, at: usize) -> Option<AlertTarget> {
    match clauses(chrome).get(at)? {
        Clause { to: ClauseTarget::Fixed(to), .. } => Some(to.clone()),
        Clause { to: ClauseTarget::Alert(at), .. } => {
            let screen = chrome.screen?;
            Some(target(screen, screen.generation.alerts.get(*at)?))
        }
    }
}
