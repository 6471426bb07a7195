//! The costs of a change for other jobs.

use rustc_hash::FxHashMap;

use super::{MAX_NAMED, NO_COSTS, RemedySearch};
use crate::double_booking::DoubleBookingWords;
use crate::turn::starting;
use crate::words;
use qscope_engine::cluster::{JobId, short_id};
use qscope_engine::cycle::{DoubleBooking, Outcome, Run, ServerAction};
use qscope_engine::universe::Bit;

impl RemedySearch<'_> {
    /// Returns the running jobs that are preempted only with the change, and a description.
    fn newly_preempted(&self, run: &Run) -> Option<(Vec<String>, String)> {
        let preempted = |run: &Run| -> Vec<JobId> {
            let job = |action: &ServerAction| match action {
                ServerAction::Preempt(job, _) => Some(*job),
                ServerAction::Resume(_) | ServerAction::ExtendSoft(..) => None,
            };
            run.actions.iter().filter_map(job).collect()
        };
        let (before, jobs) = (preempted(&self.turn.run), &self.turn.run.plan.snap.jobs);
        let new = preempted(run).into_iter().filter(|job| !before.contains(job));
        let (names, full): (Vec<&str>, Vec<String>) =
            new.map(|job| (jobs[job].short_name(), jobs[job].name.to_string())).unzip();
        let text = || format!("preempts {}", words::folded_within(names.iter().copied(), MAX_NAMED));
        (!names.is_empty()).then(|| (full, text()))
    }

    /// Returns which jobs start only without the change, which top jobs move, and which jobs are preempted. `run` is
    /// the cycle with the change, `then` the next one if the change is a qrun.
    pub(super) fn costs(&self, run: &Run, then: &Run) -> RemedyCosts {
        let SideEffects { delayed, moved_jobs, tops, delays } =
            SideEffects::of(&self.turn.run, then, self.turn.job);
        let mut costs = Vec::new();
        if !delayed.is_empty() {
            let names = words::folded_within(delayed.iter().map(|name| short_id(name)), MAX_NAMED);
            costs.push(format!("{names} {}", if delayed.len() == 1 { "waits" } else { "wait" }));
        }
        costs.extend(delays);
        let victims = self.newly_preempted(run).map_or_else(Vec::new, |(victims, text)| {
            costs.push(text);
            victims
        });
        if !moved_jobs.is_empty() {
            let names = words::folded_within(moved_jobs.iter().map(|name| short_id(name)), MAX_NAMED);
            let verb = if moved_jobs.len() == 1 { "starts" } else { "start" };
            costs.push(format!("{names} {verb} on other nodes"));
        }
        let doubled = self.doubly_assigned(run);
        let doubles = !doubled.is_empty();
        costs.extend(doubled);
        let text = if costs.is_empty() { NO_COSTS.to_owned() } else { costs.join("; ") };
        let named = delayed.iter().chain(&tops).chain(&victims).chain(&moved_jobs);
        let mut other_jobs: Vec<String> = Vec::new();
        for name in named.map(|name| array_of(name)) {
            if other_jobs.len() == MAX_OTHERS {
                break;
            }
            if !other_jobs.contains(&name) {
                other_jobs.push(name);
            }
        }
        RemedyCosts { other_jobs, delayed, doubles, text }
    }

    /// Describes the nodes that the job and another one both get, if the server starts both.
    fn doubly_assigned(&self, run: &Run) -> Vec<String> {
        let job = Some(self.turn.job);
        let is_about = |booking: &&DoubleBooking| {
            !booking.refused
                && booking.first.is_some()
                && (booking.first == job || Some(booking.second_job) == job)
        };
        let words = |booking: &DoubleBooking| {
            let given = DoubleBookingWords::new(run, booking);
            given.sentence() + given.server_reaction()
        };
        run.double_bookings().iter().filter(is_about).map(words).collect()
    }
}

/// Maximum number of affected jobs that can be opened.
const MAX_OTHERS: usize = 16;

/// The costs of a change for other jobs.
pub(super) struct RemedyCosts {
    /// Jobs that would have started in this cycle and no longer do.
    pub(super) delayed: Vec<String>,
    /// All jobs mentioned in the text; for a subjob, which is not in the dump, its array.
    pub(super) other_jobs: Vec<String>,
    /// Whether the job shares assigned nodes with another one.
    pub(super) doubles: bool,
    pub(super) text: String,
}

/// Effects of a change on other jobs, by full id.
#[derive(Default)]
struct SideEffects {
    /// Jobs that start only without the change.
    delayed: Vec<String>,
    /// Jobs that start either way, but on other nodes.
    moved_jobs: Vec<String>,
    /// Top jobs with a later planned start.
    tops: Vec<String>,
    /// How much later each of them starts, in words.
    delays: Vec<String>,
}

impl SideEffects {
    /// Compares a cycle with one that has the change, for all jobs other than `job`.
    fn of(before: &Run, then: &Run, job: JobId) -> Self {
        let snap = &before.plan.snap;
        // By subjob, because other or fewer subjobs of an array may start.
        let placed = |run: &Run, outcome: &Outcome| {
            let placed = outcome.placed.as_ref().filter(|_| run.is_start(outcome));
            placed.map(|placed| placed.allocation.nodes())
        };
        let starts: FxHashMap<(JobId, Option<u32>), Vec<Bit>> = then
            .outcomes()
            .filter_map(|outcome| Some(((outcome.job, outcome.subjob), placed(then, outcome)?)))
            .collect();
        let mut moves = Self::default();
        for outcome in before.outcomes().filter(|outcome| outcome.job != job) {
            let Some(other) = starting(then, outcome.job) else { continue };
            if let Some(nodes) = placed(before, outcome) {
                match starts.get(&(outcome.job, outcome.subjob)) {
                    None => moves.delayed.push(outcome.name(snap)),
                    Some(others) if *others != nodes => moves.moved_jobs.push(outcome.name(snap)),
                    Some(_) => {}
                }
            }
            if let (Some(old), Some(new)) = (&outcome.estimate, &other.estimate)
                && new.start > old.start
            {
                let (top, later) = (&snap.jobs[outcome.job], words::duration(new.start - old.start));
                moves.tops.push(top.name.to_string());
                moves.delays.push(format!("top job {} starts {later} later", top.short_name()));
            }
        }
        moves
    }
}

/// Returns a subjob's array by its full id; any other job itself.
fn array_of(name: &str) -> String {
    match (name.find('['), name.find(']')) {
        (Some(open), Some(close)) if open < close => {
            format!("{}[{}", name.get(..open).unwrap_or_default(), name.get(close..).unwrap_or_default())
        }
        _ => name.to_owned(),
    }
}
