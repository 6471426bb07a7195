//! The scheduler's own comment compared with what was found: whether it agrees, and where it misleads.

use qscope_engine::cycle::Outcome;
use qscope_engine::universe::Plan;

use super::{Cause, Tier, evidence};

/// The comment of the dump with an assessment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// The comment as in the dump.
    pub text: String,
    /// Whether the cycle gives the same comment, ignoring numbers; `None` for comments not written by the scheduler.
    pub agrees: Option<bool>,
    /// An assessment in one sentence, if there is one.
    pub remark: Option<String>,
    /// Whether the remark states that it gives the reason of the cycle with other numbers.
    pub has_other_numbers: bool,
}

/// The remark for a comment that gives the reason of the cycle with other amounts.
const SAME_REASON: &str = "the same reason with other numbers";
const NOT_NOW: &str = "Not Running:";
const NEVER: &str = "Can Never Run:";
const STARTED: &str = "Job run at ";

/// Assesses the comment of a job.
pub fn judge(plan: &Plan, text: &str, outcome: Option<&Outcome>, causes: &[Cause]) -> Comment {
    let text = text.trim();
    let comment =
        |agrees, remark| Comment { text: text.to_owned(), agrees, remark, has_other_numbers: false };
    let schedulers = text.starts_with(NOT_NOW) || text.starts_with(NEVER);
    if text.contains("PBS Error:") {
        let remark = "the server or one of its hooks wrote this after the scheduler had chosen nodes; no dump shows why";
        return comment(None, Some(remark.to_owned()));
    }
    if !schedulers {
        // The comment that the server writes at a start needs no remark.
        let by_others = !text.starts_with(STARTED);
        return comment(None, by_others.then(|| "not written by the scheduler".to_owned()));
    }
    let would =
        outcome.and_then(|outcome| outcome.rejection.as_ref()).map(|r| r.comment(&plan.snap.catalogue));
    let agrees = would.as_deref().map(reason) == Some(reason(text));
    let other_numbers = agrees && would.as_deref().map(str::trim_end) != Some(text);
    let deepest = causes.first();
    let never = deepest.is_some_and(|cause| cause.tier == Tier::Never);
    let for_now = causes.iter().any(Cause::is_for_now);
    let remark = if text.starts_with(NOT_NOW) && never && !for_now {
        Some("Not Running, but waiting does not help: never".to_owned())
    } else if text.starts_with(NEVER) && (!never || for_now) {
        Some("Can Never Run, but not final".to_owned())
    } else if let Some(fact) = evidence(&plan.snap, text).filter(|_| !agrees && !never) {
        let (words, source) = (fact.words(), fact.source());
        Some(format!("evidence of {words} that were not seen: add {source}"))
    } else if causes.is_empty() && outcome.is_some_and(|outcome| outcome.placed.is_some()) {
        Some("out of date: the job starts in this cycle".to_owned())
    } else if would.is_none() && !causes.is_empty() {
        Some("from an earlier cycle: this one does not reach the job".to_owned())
    } else if other_numbers {
        let remark = Some(SAME_REASON.to_owned());
        return Comment { has_other_numbers: true, ..comment(Some(agrees), remark) };
    } else if !agrees {
        would.map(|would| format!("this cycle gives: {}", would.trim_end()))
    } else {
        None
    };
    comment(Some(agrees), remark)
}

/// Returns a comment without the amounts after its reason, `(R: 8 A: 4 T: 12)`, which are from another moment.
fn reason(text: &str) -> &str {
    text.rfind(" (R: ").and_then(|at| text.get(..at)).unwrap_or(text).trim_end()
}
