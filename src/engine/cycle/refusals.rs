//! Caches refusals that also hold for other jobs. If no start is planned, the walltime of a job does not affect its
//! placement, so jobs that differ in nothing else are refused alike until the state changes.

use rustc_hash::FxHashMap;

use crate::cluster::{JobId, Place, QueueId, ResourceId};
use crate::placement::{Attempt, Path, Probe, place};
use crate::universe::{JobRequest, Mark, Spec, State};

/// The placements refused since the state last changed other than by refusals.
#[derive(Default)]
pub(super) struct Refusals {
    known: FxHashMap<Requested, Attempt>,
    /// The journal position up to which they are known to hold.
    at: Mark,
    /// Whether a start was planned in this cycle; plans kept on nodes may outlast it.
    was_planned: bool,
}

/// Everything that a placement reads of a job.
#[derive(PartialEq, Eq, Hash)]
struct Requested {
    /// Address of the parts of its select; jobs with the same select share them.
    specs: *const Spec,
    place: Place,
    totals: Vec<(ResourceId, u64)>,
    queue: Option<QueueId>,
    path: Path,
}

impl Requested {
    fn of(state: &State, job: JobId, request: &JobRequest, path: Path) -> Self {
        let totals = request.totals.iter().map(|(resource, amount)| (*resource, amount.key()));
        Self {
            specs: request.specs.as_ptr(),
            place: request.place.clone(),
            totals: totals.collect(),
            queue: state.plan.queue_of(job),
            path,
        }
    }
}

impl Refusals {
    /// Places a job, or returns the cached refusal of an equal request.
    pub(super) fn place(
        &mut self,
        state: &mut State,
        job: JobId,
        request: &JobRequest,
        path: Path,
    ) -> Attempt {
        if self.was_planned || !is_one_of_many(state, job) {
            return place(state, job, request, path, &mut Probe::off());
        }
        if state.mark() != self.at {
            // For example, sets were summed up again.
            self.known.clear();
        }
        let requested = Requested::of(state, job, request, path);
        if let Some(known) = self.known.get(&requested) {
            debug_assert_eq!(
                refusal(known),
                refusal(&place(state, job, request, path, &mut Probe::off())),
                "a refusal holds until something changes"
            );
            return known.clone();
        }
        let attempt = place(state, job, request, path, &mut Probe::off());
        if attempt.result.is_err() {
            self.known.insert(requested, attempt.clone());
        }
        attempt
    }

    /// Clears the cache if more was done to the state since `since` than recording job refusals.
    pub(super) fn settle(&mut self, state: &State, since: Mark) {
        self.was_planned |= state.timeline.has_runs();
        self.at = state.mark();
        if !state.journal().is_of_jobs_since(since) {
            self.known.clear();
        }
    }
}

/// Whether a placement reads nothing of the job but its request: not its identity, previous nodes or end.
fn is_one_of_many(state: &State, job: JobId) -> bool {
    let plan = &state.plan;
    !state.timeline.has_runs()
        && plan.snap.reservations.is_empty()
        && plan.masks.limited.is_empty()
        && plan.ranking_of(job).is_none()
        && plan.job(job).node_set.is_empty()
        && !state.goes_back(job)
}

/// Everything known about a refused placement, as text because its amounts may be NaN.
fn refusal(attempt: &Attempt) -> String {
    format!("{:?}", (attempt.result.as_ref().err(), &attempt.tries, attempt.examined))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cluster::{Amount, Epoch, ExecVnode, Job, JobState, Node, Queue, Select, Snapshot, Value};
    use crate::cycle::{Outcome, run_cycle};
    use crate::universe::Quirks;

    fn cpus(count: f64) -> Value {
        Value::Amount(Amount(count))
    }

    fn node(name: &str) -> Node {
        let mut node = Node { name: name.into(), ..Node::default() };
        node.available.set(ResourceId::ncpus(), cpus(4.0));
        node
    }

    fn job(number: u32, select: &str, seconds: f64) -> Job {
        let select = Some(Select::parse(select).unwrap());
        let place = Some(Place::parse("scatter:shared").unwrap());
        let name = format!("{number}.svr").into();
        let mut job = Job { name, queue: "workq".into(), select, place, ..Job::default() };
        job.queue_rank = Some(i64::from(number));
        job.requested.set(ResourceId::walltime(), cpus(seconds));
        job
    }

    /// Runs a cycle on two nodes of four cpus, one with a job of two cpus, with these waiting jobs.
    fn outcomes(jobs: &[Job]) -> Vec<Outcome> {
        let mut snap = Snapshot::empty("t", Epoch(1000));
        snap.queues.push(Queue::named("workq"));
        let mut busy = node("b");
        busy.jobs.push("1.svr".into());
        busy.assigned.set(ResourceId::ncpus(), cpus(2.0));
        snap.nodes.push(node("a"));
        snap.nodes.push(busy);
        let exec_vnode = Some(ExecVnode::parse("(b:ncpus=2)").unwrap());
        let (state, started) = (JobState::Running, Some(Epoch(900)));
        snap.jobs.push(Job { exec_vnode, state, started, ..job(1, "1:ncpus=2", 600.0) });
        for job in jobs {
            snap.jobs.push(job.clone());
        }
        run_cycle(Arc::new(snap), Quirks::default()).steps.iter().map(|step| step.outcome.clone()).collect()
    }

    #[test]
    fn jobs_that_differ_in_their_length_alone_are_refused_alike() {
        let jobs = [2, 3, 4].map(|number| job(number, "2:ncpus=3", f64::from(number) * 600.0));
        let together = outcomes(&jobs);
        assert_eq!(together.len(), jobs.len());
        for (outcome, job) in together.iter().zip(jobs) {
            let [alone] = &*outcomes(&[job]) else { panic!("one job is considered") };
            assert!(alone.rejection.is_some() && alone.path.is_some(), "it is refused by its placement");
            assert_eq!((&outcome.rejection, outcome.examined), (&alone.rejection, alone.examined));
        }
    }
}
