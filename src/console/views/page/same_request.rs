//! On the page of a job: the other jobs with the same request, and its states in the kept snapshots.

use std::collections::BTreeMap;

use super::rows::PageRow;
use crate::theme::Role;
use crate::views::{Object, ViewContext};
use crate::wording;
use qscope_engine::cluster::{JobId, short_id};
use qscope_explain::JobFate;
use qscope_session::JobStatePeriod;

/// Maximum columns for the names of the jobs with one fate; the rest is counted.
const NAMES: usize = 40;

/// Maximum number of these jobs that can be opened.
const LINKS: usize = 8;

/// Maximum number of state changes listed, the last ones.
const MAX_STATES: usize = 12;

/// The other jobs with the same request, by their fate.
pub(super) fn same_request(cx: ViewContext<'_>, found: &BTreeMap<JobFate, Vec<JobId>>) -> Vec<PageRow> {
    let mut rows = vec![PageRow::heading("Same request, in the same queue")];
    if found.is_empty() {
        rows.push(PageRow::fact("", "no other job"));
    }
    let jobs = &cx.snapshot().jobs;
    for (fate, of) in found {
        // A waiting array is named by the subjobs that the cycle leaves.
        let name = |job: &JobId| match fate {
            JobFate::Waiting => wording::waiting_name(cx.run(), *job),
            _ => short_id(&jobs[*job].name).to_owned(),
        };
        let names: Vec<String> = of.iter().map(name).collect();
        let names = wording::folded_within(names.iter().map(String::as_str), NAMES);
        let text = format!("{}: {names}", wording::count(of.len(), "job"));
        let links = of.iter().take(LINKS).map(|job| Object::Job(jobs[*job].name.to_string()));
        rows.push(PageRow::fact(fate.word(), text).in_role(role(*fate)).leading_to(links));
    }
    rows
}

fn role(fate: JobFate) -> Role {
    match fate {
        JobFate::Running => Role::Text,
        JobFate::Starts => Role::VerdictRun,
        JobFate::Waiting => Role::VerdictWait,
        JobFate::Never => Role::VerdictNever,
        JobFate::Skipped => Role::VerdictSkipped,
    }
}

/// The states of the job in the kept snapshots, in chronological order.
pub(super) fn history(cx: ViewContext<'_>, states: &[JobStatePeriod]) -> Vec<PageRow> {
    let snapshots: usize = states.iter().map(|state| state.snapshots).sum();
    if snapshots == 0 {
        return Vec::new();
    }
    let (snap, mut rows) = (cx.snapshot(), Vec::new());
    rows.push(PageRow::heading(&format!("History in {}", wording::count(snapshots, "kept snapshot"))));
    let left_out = states.len().saturating_sub(MAX_STATES);
    if left_out > 0 {
        rows.push(PageRow::text(&format!("{} before", wording::count(left_out, "change"))));
    }
    for state in states.iter().skip(left_out) {
        let until = match state.snapshots {
            1 => String::new(),
            count => {
                format!(" · to {}, {}", wording::clock(snap, state.to), wording::count(count, "snapshot"))
            }
        };
        rows.push(PageRow::fact(&wording::clock(snap, state.from), format!("{}{until}", state.words)));
    }
    rows
}
