//! Caches what also holds for other jobs. Jobs of a class that failed are refused without reading what they request. If
//! no start is planned, the walltime of a job does not affect its placement, so jobs that differ in nothing else are
//! refused alike until the state changes.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Setup;
use super::consider::{class_of, failed_class};
use crate::cluster::{Amount, Column, JobId, Place, QueueId, ResourceId};
use crate::placement::{
    PathChoice, PlacementAttempt, PlacementPath, Probe, choose_path, is_path_of_request, place,
};
use crate::universe::{ClassId, JobRequest, JournalPosition, Rejection, Spec, State};

/// The paths of classes, and the placements refused since the state last changed other than by refusals.
#[derive(Default)]
pub(super) struct RefusalCache {
    known: FxHashMap<PlacementKey, PlacementAttempt>,
    /// The journal position up to which they are known to hold.
    at: JournalPosition,
    /// The path of the jobs of each class, once one was considered; not of jobs whose path their request does not decide.
    paths: Column<ClassId, Option<PathChoice>>,
    /// Whether a start was planned in this cycle; plans kept on nodes may outlast it.
    was_planned: bool,
}

/// Everything that a placement reads of a job.
struct PlacementKey {
    /// Address of the parts of its select; jobs with the same select share them.
    specs: *const Spec,
    place: Place,
    totals: Arc<[(ResourceId, Amount)]>,
    queue: Option<QueueId>,
    path: PlacementPath,
}

impl PartialEq for PlacementKey {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |((one, amount), (other, same)): (&(ResourceId, Amount), &(ResourceId, Amount))| {
            one == other && amount.key() == same.key()
        };
        (self.specs, self.queue, self.path, &self.place)
            == (other.specs, other.queue, other.path, &other.place)
            && self.totals.len() == other.totals.len()
            && self.totals.iter().zip(other.totals.iter()).all(is_same)
    }
}

impl Eq for PlacementKey {}

impl Hash for PlacementKey {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        // The rest mostly follows from these.
        (self.specs, self.place.arrangement, self.place.sharedness).hash(hasher);
    }
}

impl PlacementKey {
    fn of(state: &State, job: JobId, request: &JobRequest, path: PlacementPath) -> Self {
        Self {
            specs: request.specs.as_ptr(),
            place: request.place.clone(),
            totals: request.totals.clone(),
            queue: state.plan.queue_of(job),
            path,
        }
    }
}

impl RefusalCache {
    /// Knows none yet, of this number of classes.
    pub(super) fn new(classes: usize) -> Self {
        Self { paths: Column::filled(classes, None), ..Self::default() }
    }

    /// Records the path of a job, for others of its class.
    pub(super) fn note_path(&mut self, state: &State, setup: &Setup, job: JobId, choice: PathChoice) {
        if let Some(class) = sharing_class(state, setup, job) {
            self.paths[class] = Some(choice);
        }
    }

    /// Returns the path of a job whose class failed, the job with which it failed and why; `None` if it has to be
    /// considered.
    pub(super) fn of_class(
        &self,
        state: &State,
        setup: &Setup,
        job: JobId,
    ) -> Option<(PathChoice, JobId, Arc<Rejection>)> {
        let choice = self.paths[sharing_class(state, setup, job)?]?;
        let (first, rejection) = failed_class(state, setup, job)?;
        debug_assert_eq!(
            state.plan.requests[job].as_ref().map(|request| choose_path(&state.plan, job, request, false)),
            Ok(choice),
            "jobs of a class have the same path"
        );
        Some((choice, first, rejection))
    }

    /// Places a job, or returns the cached refusal of an equal request.
    pub(super) fn place(
        &mut self,
        state: &mut State,
        job: JobId,
        request: &JobRequest,
        path: PlacementPath,
    ) -> PlacementAttempt {
        if self.was_planned || !is_one_of_many(state, job) {
            return place(state, job, request, path, &mut Probe::off());
        }
        if state.mark() != self.at {
            // For example, sets were summed up again.
            self.known.clear();
        }
        let requested = PlacementKey::of(state, job, request, path);
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
    pub(super) fn clear_if_changed(&mut self, state: &State, since: JournalPosition) {
        self.was_planned |= state.timeline.has_runs();
        self.at = state.mark();
        if !state.journal().is_of_jobs_since(since) {
            self.known.clear();
        }
    }
}

/// The class of a job that has the same path as the others of the class.
fn sharing_class(state: &State, setup: &Setup, job: JobId) -> Option<ClassId> {
    class_of(state, setup, job)
        .filter(|_| is_path_of_request(&state.plan, job) && !state.ledger.top_jobs[job])
}

/// Whether a placement reads nothing of the job but its request: not its identity, previous nodes or end.
fn is_one_of_many(state: &State, job: JobId) -> bool {
    let plan = &state.plan;
    !state.timeline.has_runs()
        && plan.snap.reservations.is_empty()
        && plan.masks.limited.is_empty()
        && plan.ranking_of(job).is_none()
        && !plan.is_restricted(job)
        && !state.must_return(job)
}

/// Everything known about a refused placement, as text because its amounts may be NaN.
fn refusal(attempt: &PlacementAttempt) -> String {
    format!("{:?}", (attempt.result.as_ref().err(), &attempt.tries, attempt.examined))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cluster::{Epoch, ExecVnode, Job, JobState, Node, Queue, Select, Snapshot, Value};
    use crate::cycle::{Outcome, RefusalStage, run_cycle};
    use crate::placement::PathRule;
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
    fn jobs_of_a_failed_class_have_the_path_that_each_would_take() {
        let [first, second, third] = [2, 3, 4].map(|number| job(number, "2:ncpus=3", 600.0));
        let third = Job { reservation: Some("R9.svr".into()), ..third };
        let outcomes = outcomes(&[first, second, third]);
        let would_use = |outcome: &Outcome| outcome.would_use.map(|choice| choice.rule);
        let rules: Vec<_> = outcomes.iter().map(would_use).collect();
        let shared = Some(PathRule::Shared);
        assert_eq!(rules, [shared, shared, Some(PathRule::InReservation)]);
        let failed_first = Some(RefusalStage::Class(outcomes[0].job));
        assert!(outcomes.iter().skip(1).all(|outcome| outcome.refused_at == failed_first));
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
