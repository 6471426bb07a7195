//! Where a click on an alert leads.

use super::{Chrome, Clause, ClauseTo, clauses, line};
use crate::views::Object;
use crate::views::list::ListModel;
use crate::views::problems::Problems;
use qscope_explain::{Alert, AlertKind};
use qscope_session::Generation;
use qscope_session::problems::first_of_alert;

/// What an alert leads to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AlertTarget {
    /// The one thing that it names.
    Object(Object),
    /// Whether jobs are scheduled at all, among the settings.
    Scheduling,
    /// One of several, in the list of problems.
    Among(Object),
    /// The files and their clients.
    Files,
    /// All problems.
    Problems,
}

/// What an alert is about: the one thing that it names, or the first of several in the list of problems.
fn target(generation: &Generation, alert: &Alert) -> AlertTarget {
    if alert.kind == AlertKind::SchedulingOff {
        return AlertTarget::Scheduling;
    }
    let first = first_of_alert(generation, alert);
    match first.and_then(|(first, has_others)| Some((Problems::object(&first)?, has_others))) {
        Some((object, true)) => AlertTarget::Among(object),
        Some((object, false)) => AlertTarget::Object(object),
        None => AlertTarget::Problems,
    }
}

/// Where a click into the line leads; none where it meets no clause.
pub(crate) fn target_at(app: &Chrome<'_>, column: u16) -> Option<AlertTarget> {
    let clauses = clauses(app);
    let line = line(&clauses, app.columns, app.theme);
    let mut right = 0;
    let at = line.spans.iter().position(|span| {
        right += span.width();
        usize::from(column) < right
    })?;
    // A blank stands before the first clause and blanks between them; the last part counts the rest.
    let is_rest = at + 1 == line.spans.len();
    match clauses.get(at / 2).filter(|_| at % 2 == 1 && !is_rest) {
        Some(Clause { to: ClauseTo::Fixed(to), .. }) => Some(to.clone()),
        Some(Clause { to: ClauseTo::Alert(at), .. }) => {
            let generation = &app.screen?.generation;
            Some(target(generation, generation.alerts.get(*at)?))
        }
        None => is_rest.then_some(AlertTarget::Problems),
    }
}
