//! The costs of a change for other jobs.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{MAX_NAMED, NO_COSTS, RemedySearch};
use crate::double_booking::DoubleBookingWords;
use crate::turn::starting;
use crate::words;
use qscope_engine::cluster::{Job, JobId, NodeId, Snapshot, short_id};
use qscope_engine::cycle::{DoubleBooking, Outcome, Run, ServerAction, TopJob};
use qscope_engine::universe::{Bit, PreemptMethod};

impl RemedySearch<'_> {
    /// Returns which jobs start only without the change or only with it, which top jobs move or lose their plan, and
    /// which jobs are preempted. `run` is the cycle with the change, `then` the next one if the change is a qrun.
    pub(super) fn costs(&self, run: &Run, then: &Run) -> RemedyCosts {
        let SideEffects { delayed, moved_jobs, tops, delays, started_jobs, earlier_jobs } =
            SideEffects::of(&self.turn.run, then, self.turn.job);
        let mut costs: Vec<String> = with_verb(&delayed, "waits", "wait").into_iter().collect();
        costs.extend(delays);
        let (before, after) = (preempted(&self.turn.run), preempted(run));
        let snap = &self.turn.run.plan.snap;
        let (victims, spared) = (beyond(snap, &after, &before), beyond(snap, &before, &after));
        costs.extend((!victims.is_empty()).then(|| preempted_text(&victims)));
        costs.extend(with_verb(&moved_jobs, "starts on other nodes", "start on other nodes"));
        let doubled = self.doubly_assigned(run);
        let doubles = !doubled.is_empty();
        costs.extend(doubled);
        let is_harmless = costs.is_empty();
        costs.extend(with_verb(&started_jobs, "starts too", "start too"));
        costs.extend(with_verb(
            &earlier_jobs,
            "gets an earlier start planned",
            "get an earlier start planned",
        ));
        costs.extend(spared_text(&spared));
        let text = if costs.is_empty() { NO_COSTS.to_owned() } else { costs.join("; ") };
        let preempted: Vec<String> =
            victims.iter().chain(&spared).map(|(job, _)| job.name.to_string()).collect();
        let named = delayed.iter().chain(&tops).chain(&preempted).chain(&moved_jobs);
        let named = named.chain(&started_jobs).chain(&earlier_jobs);
        let mut other_jobs: Vec<String> = Vec::new();
        for name in named.map(|name| array_of(name)) {
            if other_jobs.len() == MAX_OTHERS {
                break;
            }
            if !other_jobs.contains(&name) {
                other_jobs.push(name);
            }
        }
        RemedyCosts { other_jobs, delayed, doubles, is_harmless, text }
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
    /// Whether no other job loses by the change.
    pub(super) is_harmless: bool,
    pub(super) text: String,
}

/// Effects of a change on other jobs, by full id.
#[derive(Default)]
struct SideEffects {
    /// Jobs that start only without the change.
    delayed: Vec<String>,
    /// Jobs that start either way, but on other nodes.
    moved_jobs: Vec<String>,
    /// Top jobs with a later planned start, or without one.
    tops: Vec<String>,
    /// How much later each of them starts, or the start that it loses, in words.
    delays: Vec<String>,
    /// Jobs that start only with the change.
    started_jobs: Vec<String>,
    /// Waiting jobs with an earlier planned start, or with one only with the change.
    earlier_jobs: Vec<String>,
}

impl SideEffects {
    /// Compares a cycle with one that has the change, for all jobs other than `job`.
    fn of(before: &Run, then: &Run, job: JobId) -> Self {
        let snap = &before.plan.snap;
        let (old_starts, starts) = (starts_of(before), starts_of(then));
        let mut moves = Self::default();
        // A job that is preempted and resumed in one cycle starts twice.
        let mut compared = FxHashSet::default();
        for outcome in before.outcomes().filter(|outcome| outcome.job != job) {
            let Some(other) = starting(then, outcome.job) else { continue };
            let start = (outcome.job, outcome.subjob);
            if outcome.placed.is_some()
                && let Some(nodes) = old_starts.get(&start)
                && compared.insert(start)
            {
                match starts.get(&start) {
                    None => moves.delayed.push(outcome.name(snap)),
                    Some(others) if others != nodes => moves.moved_jobs.push(outcome.name(snap)),
                    Some(_) => {}
                }
            }
            let (old, new) = (&outcome.estimate, &other.estimate);
            let is_earlier =
                new.as_ref().is_some_and(|new| old.as_ref().is_none_or(|old| new.start < old.start));
            if is_earlier && outcome.placed.is_none() {
                moves.earlier_jobs.push(outcome.name(snap));
            }
            if let Some(old) = old
                && let Some(delay) = delay(snap, old, other)
            {
                let top = &snap.jobs[outcome.job];
                moves.tops.push(top.name.to_string());
                moves.delays.push(format!("top job {} {delay}", top.short_name()));
            }
        }
        let is_new = |outcome: &&Outcome| {
            let start = (outcome.job, outcome.subjob);
            outcome.placed.is_some() && starts.contains_key(&start) && !old_starts.contains_key(&start)
        };
        // A qrun of an array adds a record of the subjob that it started, which is no other job.
        let is_other = |outcome: &&Outcome| outcome.job != job && snap.jobs.checked(outcome.job).is_some();
        let new = then.outcomes().filter(is_other).filter(is_new);
        moves.started_jobs.extend(new.map(|outcome| outcome.name(snap)));
        moves
    }
}

/// Returns the nodes of each start that the server accepts, by subjob, because other or fewer subjobs of an array may
/// start. The bits of two plans differ where a change adds nodes; the ids and their order do not.
fn starts_of(run: &Run) -> FxHashMap<(JobId, Option<u32>), Vec<NodeId>> {
    let starts = run.outcomes().filter(|outcome| run.is_start(outcome));
    let placed = starts.filter_map(|outcome| Some((outcome, outcome.placed.as_ref()?)));
    let nodes = |bits: Vec<Bit>| {
        let mut nodes: Vec<NodeId> = bits.into_iter().map(|bit| run.plan.nodes[bit].id).collect();
        nodes.sort_unstable();
        nodes
    };
    placed
        .map(|(outcome, placed)| ((outcome.job, outcome.subjob), nodes(placed.allocation.nodes())))
        .collect()
}

/// Returns the jobs that a cycle preempts, with what becomes of them.
fn preempted(run: &Run) -> Vec<(JobId, PreemptMethod)> {
    let victim = |action: &ServerAction| match action {
        ServerAction::Preempt(job, method) => Some((*job, *method)),
        ServerAction::Resume(_) | ServerAction::ExtendSoft(..) => None,
    };
    run.actions.iter().filter_map(victim).collect()
}

/// A preempted job with what becomes of it.
type Victim<'s> = (&'s Job, PreemptMethod);

/// Returns the jobs among the first that are not among the others.
fn beyond<'s>(
    snap: &'s Snapshot,
    some: &[(JobId, PreemptMethod)],
    others: &[(JobId, PreemptMethod)],
) -> Vec<Victim<'s>> {
    let is_new = |(job, _): &&(JobId, PreemptMethod)| others.iter().all(|(other, _)| other != job);
    let known = |(job, method): &(JobId, PreemptMethod)| Some((snap.jobs.checked(*job)?, *method));
    some.iter().filter(is_new).filter_map(known).collect()
}

/// Returns the names of preempted jobs by what becomes of them, in words, and whether it is more than one.
fn by_method(victims: &[Victim<'_>]) -> Vec<(String, &'static str, bool)> {
    let mut methods: Vec<PreemptMethod> = Vec::new();
    for (_, method) in victims {
        if !methods.contains(method) {
            methods.push(*method);
        }
    }
    let of_method = |method: PreemptMethod| {
        let names: Vec<&str> =
            victims.iter().filter(|(_, other)| *other == method).map(|(job, _)| job.short_name()).collect();
        (words::folded_within(names.iter().copied(), MAX_NAMED), method.word(), names.len() > 1)
    };
    methods.into_iter().map(of_method).collect()
}

/// Names preempted jobs with what becomes of them: `preempts 5 6 (suspended), 7 (requeued)`.
fn preempted_text(victims: &[Victim<'_>]) -> String {
    let all = by_method(victims).into_iter().map(|(names, word, _)| format!("{names} ({word})"));
    format!("preempts {}", all.collect::<Vec<_>>().join(", "))
}

/// Names jobs that are preempted only without a change: `5 6 are no longer suspended`.
fn spared_text(spared: &[Victim<'_>]) -> impl Iterator<Item = String> {
    let text = |(names, word, are_many): (String, &str, bool)| {
        format!("{names} {} no longer {word}", if are_many { "are" } else { "is" })
    };
    by_method(spared).into_iter().map(text)
}

/// Names jobs with a verb in singular or plural; `None` without jobs.
fn with_verb(jobs: &[String], one: &str, many: &str) -> Option<String> {
    let verb = if jobs.len() == 1 { one } else { many };
    let names = words::folded_within(jobs.iter().map(|name| short_id(name)), MAX_NAMED);
    (!jobs.is_empty()).then(|| format!("{names} {verb}"))
}

/// Describes what a top job loses of its planned start with another outcome, if anything.
fn delay(snap: &Snapshot, old: &TopJob, other: &Outcome) -> Option<String> {
    match &other.estimate {
        Some(new) if new.start > old.start => {
            Some(format!("starts {} later", words::duration(new.start - old.start)))
        }
        None if other.placed.is_none() => {
            Some(format!("loses its planned start at {}", words::moment(snap, old.start)))
        }
        _ => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preempted_jobs_are_named_with_what_becomes_of_them() {
        let jobs = ["5.svr", "6.svr", "7.svr"].map(|name| Job { name: name.into(), ..Job::default() });
        let [one, two, three] = &jobs;
        let (suspended, deleted) = (PreemptMethod::Suspend, PreemptMethod::Delete);
        assert_eq!(preempted_text(&[(one, deleted)]), "preempts 5 (deleted)");
        let mixed = [(one, suspended), (two, PreemptMethod::Requeue), (three, suspended)];
        assert_eq!(preempted_text(&mixed), "preempts 5 7 (suspended), 6 (requeued)");
        let spared: Vec<String> = spared_text(&mixed).collect();
        assert_eq!(spared, ["5 7 are no longer suspended", "6 is no longer requeued"]);
    }
}
