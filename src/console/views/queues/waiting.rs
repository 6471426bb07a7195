//! The jobs that wait in a queue or for a limit, each with its reason, as far as there is room.

use rustc_hash::FxHashSet;

use super::QueueLine;
use crate::story::{Paragraph, Piece};
use crate::theme::Role;
use crate::views::World;
use crate::widgets::text::{Align, clean, fit};
use crate::wording;
use qscope_engine::cluster::JobId;
use qscope_engine::cycle::Verdict;
use qscope_explain::decided;

use super::limit::limited;

/// More jobs are never shown: no screen is higher.
const MAX_JOBS: usize = 100;

/// The columns of a job's name and of its user.
const NAME: usize = 15;
const USER: usize = 10;

/// The first jobs that wait in the queue of a line, or for its limit, in the order considered.
pub(super) fn of(line: &QueueLine, world: World<'_>) -> Vec<JobId> {
    if let Some(limit) = &line.of {
        return limit.stopped(world, &limited(world)).take(MAX_JOBS).collect();
    }
    let (run, snap) = (world.run(), world.snapshot());
    let is_here = |job: JobId| line.queue.is_empty() || *snap.jobs[job].queue == *line.queue;
    let waits = run.outcomes().filter(|outcome| run.verdict(outcome) != Verdict::Run && is_here(outcome.job));
    // Subjobs that wait are those of one array, and it stands for them.
    let mut known = FxHashSet::default();
    let jobs = waits.map(|outcome| outcome.job).filter(|job| !run.plan.job(*job).is_stood_for());
    jobs.filter(|job| known.insert(*job)).take(MAX_JOBS).collect()
}

/// The rows for some of these jobs, as many as `room`; the last one counts those left out.
pub(super) fn rows(jobs: &[JobId], world: World<'_>, room: usize) -> Vec<Paragraph> {
    let shown = if jobs.len() <= room { jobs.len() } else { room.saturating_sub(1) };
    let row = |job: &JobId| {
        let (name, user) = (wording::waiting_name(world.run(), *job), &world.snapshot().jobs[*job].user);
        let reason = decided(world.run(), *job).and_then(|outcome| world.reason(outcome));
        let reason = reason.map_or_else(String::new, |reason| match reason.measure {
            Some(_) => reason.headline(),
            None => reason.named(),
        });
        // Both have a blank behind them; who the job is of in full is on its page.
        let cut = |text: &str, columns: usize| fit(&clean(text), columns - 1, Align::Left, "…") + " ";
        let head = Piece::plain(cut(&name, NAME) + &cut(user, USER));
        Paragraph::words(NAME + USER, [head, Piece::of(Role::TextDim, reason)])
    };
    let mut rows: Vec<Paragraph> = jobs.iter().take(shown).map(row).collect();
    if shown < jobs.len() && room > 0 {
        rows.push(Paragraph::words(0, [Piece::dim(format!("+{} more", jobs.len() - shown))]));
    }
    rows
}
