//! The jobs that wait in a queue or because of a limit, each with its reason, as far as there is room.

use rustc_hash::FxHashSet;

use super::QueueLine;
use crate::story::{Paragraph, Story, TextPiece};
use crate::theme::Role;
use crate::views::{Object, ViewContext};
use crate::widgets::text::{Align, clean, fit};
use crate::wording;
use qscope_engine::cluster::JobId;
use qscope_engine::cycle::Verdict;
use qscope_explain::decided;

use super::limit::limited;

/// Columns for a job's name and for its user.
const NAME: usize = 15;
const USER: usize = 10;

/// The jobs that wait in the queue of a line, or because of its limit, in the order considered.
pub(super) fn of(line: &QueueLine, cx: ViewContext<'_>) -> Vec<JobId> {
    if let Some(limit) = &line.of {
        return limit.stopped(cx, &limited(cx)).collect();
    }
    let (run, snap) = (cx.run(), cx.snapshot());
    let is_here = |job: JobId| line.queue.is_empty() || *snap.jobs[job].queue == *line.queue;
    let waits = run.outcomes().filter(|outcome| run.verdict(outcome) != Verdict::Run && is_here(outcome.job));
    // Waiting subjobs are represented by their array.
    let mut known = FxHashSet::default();
    let jobs = waits.map(|outcome| outcome.job).filter(|job| !run.plan.job(*job).is_represented_by_array());
    jobs.filter(|job| known.insert(*job)).collect()
}

/// As many of these jobs as fit, each with its whole reason; the last one may be cut. The last row counts those left
/// out.
pub(super) fn rows(
    jobs: &[JobId],
    all: Object,
    cx: ViewContext<'_>,
    (columns, room): (usize, usize),
) -> Vec<Paragraph> {
    let (mut rows, mut left) = (Vec::new(), room);
    for (at, job) in jobs.iter().enumerate() {
        let pieces = row(*job, cx);
        let whole = Paragraph::words(NAME + USER, pieces.clone());
        // Keep one row for the number of those left out.
        let room = left.saturating_sub(usize::from(at + 1 < jobs.len()));
        let height = height_of(&whole, columns);
        if height <= room {
            rows.push(whole);
            left -= height;
        } else if room > 0 {
            rows.push(Paragraph::Line(pieces));
            left -= 1;
        } else {
            break;
        }
    }
    if rows.len() < jobs.len() && left > 0 {
        let more = TextPiece::dim(format!("+{} more", jobs.len() - rows.len()));
        rows.push(Paragraph::words(0, [more.leading_to(all)]));
    }
    rows
}

fn height_of(paragraph: &Paragraph, columns: usize) -> usize {
    let mut story = Story::new(vec![paragraph.clone()]);
    story.fit(columns);
    story.lines().len()
}

/// A job, its user, and why it waits.
fn row(job: JobId, cx: ViewContext<'_>) -> Vec<TextPiece> {
    let (name, user) = (wording::waiting_name(cx.run(), job), &cx.snapshot().jobs[job].user);
    let reason = decided(cx.run(), job).and_then(|outcome| cx.reason(outcome));
    let reason = reason.map_or_else(String::new, |reason| {
        let guess = wording::guess(&reason);
        match reason.measure {
            Some(_) => format!("{guess}{}", reason.headline()),
            None => format!("{guess}{}: {}", reason.name, wording::found_first(&reason)),
        }
    });
    // Both are followed by a space; the full user name is on the job's page.
    let cut = |text: &str, columns: usize| fit(&clean(text), columns - 1, Align::Left, "…") + " ";
    let name = TextPiece::naming(Role::Text, &cut(&name, NAME), [Object::of_job(job, cx.snapshot())]);
    [name, vec![TextPiece::plain(cut(user, USER)), TextPiece::of(Role::TextDim, reason)]].concat()
}
