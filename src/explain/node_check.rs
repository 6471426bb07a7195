//! One node against one part of a select: every condition that it fails, in the order applied.

mod condition;

use serde::Serialize;

use qscope_engine::cluster::{JobId, NodeId, short_id};
use qscope_engine::placement::{Path, TimeCheck, all_lacking, refusing};
use qscope_engine::universe::{
    Against, Bit, Detail, JobRequest, NodeSet, Occupant, Plan, Reason, Spec, State,
};

use super::room::touched;
use super::schedule::{Held, held_on, occupant_name};
use super::sets::{best_set, sets_that_hold};
use super::turn::{Turn, nodes_open_to};
use super::words;
pub use condition::Condition;

/// One condition that a node fails, with what it has instead.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Failure {
    /// Which.
    pub condition: Condition,
    /// What the node has instead.
    pub has: String,
    /// How much of what is requested is left there, in thousandths; the larger, the closer it comes.
    #[serde(skip)]
    pub close: u32,
}

/// Whether placement sets are examined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SetsMatter {
    /// Not at all.
    No,
    /// Unless the job finds its nodes across them.
    AsFits(bool),
}

/// A job's request against single nodes.
pub(super) struct NodeCheck<'a> {
    state: &'a State,
    request: &'a JobRequest,
    list: &'a NodeSet,
    bucket: bool,
    time: TimeCheck,
    /// Nodes of the sets that hold the whole job; none where sets do not matter.
    in_sets: Option<NodeSet>,
    /// Nodes that another job is on and that the job requests exclusively.
    touched: NodeSet,
    /// Whether it has nodes for itself.
    alone: bool,
    /// Nodes that take no more jobs, or not this one, by limits of their own.
    refusing: Vec<(Bit, Reason)>,
}

/// Examines a job's nodes as they were at its turn, for all parts of its select.
pub(super) fn checked<T>(turn: &mut Turn, read: impl FnOnce(&State, &JobRequest, &NodeCheck<'_>) -> T) -> T {
    let (job, request, list, path) = (turn.job, turn.request.clone(), turn.list.clone(), turn.choice.path);
    let fits = turn.fits();
    let sets = if !fits && turn.spans() { SetsMatter::No } else { SetsMatter::AsFits(fits) };
    turn.seen(|state| read(state, &request, &NodeCheck::new(state, job, &request, &list, path, sets)))
}

/// For each part of a job's select the first condition besides its resources that a node fails, in words: whose nodes they
/// are, whole use, limits, and what is planned there. Sets are not examined.
pub fn unmet_on_node(state: &State, job: JobId, path: Path, node: NodeId) -> Vec<Option<String>> {
    let plan = &state.plan;
    let Ok(request) = plan.request(job, state.ledger.way_back(job)) else { return Vec::new() };
    let open = nodes_open_to(state, job);
    // Of all nodes it is about this one: a frame of a large cluster has no time for the others.
    let this = plan.bit_of[node].filter(|bit| open.contains(*bit));
    let list = NodeSet::of(plan.nodes.len(), this);
    // What is planned there for its own reservation is not in its way.
    let is_reserved = plan.reservation_of(job).is_some();
    // Where nothing is planned before it would end, nothing has to be collected.
    let end = state.now + request.duration;
    let is_planned = this.is_some_and(|bit| state.first_event(bit).is_some_and(|event| event.at < end));
    let occupant = Occupant::Job(job, None);
    let time = if is_planned { TimeCheck::new(state, occupant, request) } else { TimeCheck::default() };
    let check = NodeCheck::timed(state, (job, request, &list), path, SetsMatter::No, time);
    let words = |failure: Failure| match failure.condition {
        Condition::Queue if is_reserved => Some("not in its reservation".to_owned()),
        Condition::Queue if plan.snap.nodes[node].queue.is_some() => {
            Some(format!("{}, not open to it", failure.has))
        }
        Condition::Queue => Some("not one of its queue's nodes".to_owned()),
        Condition::Time if is_reserved => None,
        Condition::Sharing if check.touched.iter().any(|bit| plan.nodes[bit].id == node) => {
            Some(format!("{}, whole node requested", failure.has))
        }
        Condition::Sharing | Condition::NotExclusive | Condition::NodeLimit | Condition::Time => {
            Some(failure.has)
        }
        _ => None,
    };
    request.specs.iter().map(|spec| check.failures(spec, node).into_iter().find_map(words)).collect()
}

impl<'a> NodeCheck<'a> {
    pub(super) fn new(
        state: &'a State,
        job: JobId,
        request: &'a JobRequest,
        list: &'a NodeSet,
        path: Path,
        sets: SetsMatter,
    ) -> Self {
        let time = TimeCheck::new(state, Occupant::Job(job, None), request);
        Self::timed(state, (job, request, list), path, sets, time)
    }

    /// The same with what is planned, where that is known.
    fn timed(
        state: &'a State,
        (job, request, list): (JobId, &'a JobRequest, &'a NodeSet),
        path: Path,
        sets: SetsMatter,
        time: TimeCheck,
    ) -> Self {
        let by_sets = match sets {
            SetsMatter::No => false,
            SetsMatter::AsFits(fits) => {
                let best = best_set(state, job, request, list, Against::Now);
                best.is_some_and(|best| best.enough || !fits)
            }
        };
        Self {
            state,
            request,
            list,
            bucket: path == Path::Bucket,
            time,
            in_sets: by_sets.then(|| sets_that_hold(state, job, request, list)),
            touched: touched(state, request, list),
            alone: list.common(state.plan.exclusive_nodes(request.place.sharedness)).count() > 0,
            // Buckets do not examine them.
            refusing: match path {
                Path::Node => refusing(state, list, Occupant::Job(job, None), request),
                Path::Bucket => Vec::new(),
            },
        }
    }

    /// What a node must be, whether the job requests it for itself or shares it.
    fn sharing_condition(&self) -> Condition {
        if self.alone { Condition::Sharing } else { Condition::NotExclusive }
    }

    fn plan(&self) -> &'a Plan {
        &self.state.plan
    }

    /// All conditions of one part, in the order applied.
    pub(super) fn conditions(&self, spec: &Spec) -> Vec<Condition> {
        let plan = self.plan();
        let resources = plan.shapes[spec.shape].requests.iter().enumerate().map(|(at, (resource, _))| {
            let name = plan.snap.catalogue.name(*resource);
            Condition::Resource(at, format!("{name}={}", super::room::requested(plan, spec, *resource)))
        });
        let first = [Condition::State, Condition::Queue, Condition::Partition];
        let limits = (!self.refusing.is_empty()).then_some(Condition::NodeLimit);
        let last = [Condition::Time, Condition::Set];
        let then = [self.sharing_condition()].into_iter().chain(limits).chain(last);
        first.into_iter().chain(resources).chain(then).collect()
    }

    /// Every condition of a part that a node fails, in order.
    pub(super) fn failures(&self, spec: &Spec, id: NodeId) -> Vec<Failure> {
        let plan = self.plan();
        let fail = |condition, have: String| Failure { condition, has: have, close: 0 };
        let Some(bit) = plan.bit_of[id] else {
            let partition = plan.snap.nodes[id].partition.as_deref().unwrap_or("none").to_owned();
            return vec![fail(Condition::Partition, format!("partition {partition}"))];
        };
        let mut found = Vec::new();
        found.extend(self.state_of(bit).map(|have| fail(Condition::State, have)));
        if !self.list.contains(bit) {
            let queue =
                plan.snap.nodes[id].queue.as_deref().map_or("no queue".to_owned(), |q| format!("queue {q}"));
            found.push(fail(Condition::Queue, queue));
        }
        found.extend(self.resources(spec, bit));
        if found.iter().all(|failure| failure.condition != Condition::State) {
            found.extend(self.sharing(bit).map(|have| fail(self.sharing_condition(), have)));
        }
        let refusal = self.refusing.iter().find(|(refusing, _)| *refusing == bit);
        found.extend(refusal.map(|(_, why)| fail(Condition::NodeLimit, why.text(&plan.snap.catalogue))));
        found.extend(self.time_of(spec, bit).map(|have| fail(Condition::Time, have)));
        if self.in_sets.as_ref().is_some_and(|nodes| !nodes.contains(bit)) {
            found.push(fail(Condition::Set, "in no set that holds the whole job".to_owned()));
        }
        found
    }

    /// What would have to be different for a node that fails these conditions; none where nothing does that the job or
    /// time could change.
    pub(super) fn would_pass(&self, spec: &Spec, id: NodeId, failures: &[Failure]) -> Option<String> {
        let bit = self.plan().bit_of[id]?;
        let mut all: Vec<String> = Vec::new();
        for failure in failures {
            let one = self.instead(spec, bit, failure)?;
            if !all.contains(&one) {
                all.push(one);
            }
        }
        (!all.is_empty()).then(|| all.join(" and "))
    }

    /// What would meet one condition.
    fn instead(&self, spec: &Spec, bit: Bit, failure: &Failure) -> Option<String> {
        match &failure.condition {
            Condition::Queue => {
                let queue = self.plan().snap.nodes[self.plan().nodes[bit].id].queue.as_ref()?;
                Some(format!("queue={queue}"))
            }
            Condition::Resource(at, what) => {
                let name = what.split_once('=').map_or(&**what, |(name, _)| name);
                let (resource, _) = self.plan().shapes[spec.shape].requests.get(*at)?;
                let is_amount = self.plan().snap.catalogue.kind(*resource).is_consumable();
                match failure.has.split_once(" left of ") {
                    Some((left, _)) if failure.close > 0 => Some(format!("{name} ≤ {left}")),
                    Some(_) => self.freed(bit),
                    None if failure.has.is_empty() || failure.has == "none" || is_amount => None,
                    None => Some(format!("{name}={}", failure.has)),
                }
            }
            Condition::Sharing | Condition::NotExclusive => self.freed(bit),
            Condition::Time => {
                let event = self.state.first_event(bit)?;
                let left = event.at - self.state.now;
                let who = occupant_name(self.plan(), event.occupant);
                let fits = format!("walltime ≤ {} (ends before {who})", words::duration(left));
                (left.0 > 0).then_some(fits)
            }
            Condition::State | Condition::Partition | Condition::NodeLimit | Condition::Set => None,
        }
    }

    /// That what is on a node has ended, and when the last of it does; none where that is not known.
    fn freed(&self, bit: Bit) -> Option<String> {
        let schedule = held_on(self.state, bit);
        let now: Vec<&Held> = schedule.iter().filter(|held| held.from <= self.state.now).collect();
        let last = now.iter().map(|held| held.to).try_fold(None, |last, to| Some(last.max(Some(to?))))??;
        let who: Vec<String> = now.iter().map(|held| occupant_name(self.plan(), held.occupant)).collect();
        let when = words::time_of_day(&self.plan().snap, last);
        let what = if who.len() == 1 { "ended" } else { "all ended" };
        Some(format!("{} {what} ({when})", words::some(&who, 4)))
    }

    /// What is wrong with the state of a node, apart from jobs that have it.
    fn state_of(&self, bit: Bit) -> Option<String> {
        let states = self.state.floor.states[bit];
        let rest = states.without_occupancy();
        if !rest.is_free() {
            return Some(rest.to_string());
        }
        (!self.plan().masks.licensed.contains(bit)).then(|| "no licence".to_owned())
    }

    fn resources(&self, spec: &Spec, bit: Bit) -> Vec<Failure> {
        let plan = self.plan();
        let requests = &plan.shapes[spec.shape].requests;
        let lacking = all_lacking(self.state, spec.shape, bit);
        let failure = |reason: Reason| {
            let Reason::Resource(shortage) = reason else { return None };
            let at = requests.iter().position(|(resource, _)| *resource == shortage.resource)?;
            let kind = plan.snap.catalogue.kind(shortage.resource);
            let mut close = 0;
            let have = match &shortage.detail {
                // What a node lacks makes no total.
                Detail::Amounts { total, .. } if total.0 == 0.0 || total.0.is_nan() => "none".to_owned(),
                Detail::Amounts { requested, available, total } => {
                    close = thousandths(available.0, requested.0);
                    format!("{} left of {}", available.show(kind), total.show(kind))
                }
                Detail::Differs { have, .. } if have.is_empty() => "none".to_owned(),
                Detail::Differs { have, .. } => have.to_string(),
                Detail::Erased => String::new(),
            };
            let name = plan.snap.catalogue.name(shortage.resource);
            let what = format!("{name}={}", super::room::requested(plan, spec, shortage.resource));
            Some(Failure { condition: Condition::Resource(at, what), has: have, close })
        };
        let mut found: Vec<Failure> = lacking.into_iter().filter_map(failure).collect();
        found.dedup_by(|a, b| a.condition == b.condition);
        found
    }

    fn sharing(&self, bit: Bit) -> Option<String> {
        if !self.state.floor.open.contains(bit) {
            return Some(self.state.floor.states[bit].to_string());
        }
        let load = self.state.floor.load[bit];
        self.touched.contains(bit).then(|| match load.any() {
            true => format!("{} on it", super::words::count(load.jobs, "job")),
            false => "others on its host".to_owned(),
        })
    }

    fn time_of(&self, spec: &Spec, bit: Bit) -> Option<String> {
        let plan = self.plan();
        let end = self.state.now + self.request.duration;
        let first = self.state.first_event(bit).filter(|event| event.at < end);
        let needs = &plan.needs[spec.shape];
        let exclusive = plan.exclusive_nodes(self.request.place.sharedness).contains(bit);
        let left = |ix| self.state.floor.left(plan, ix, bit);
        let allowed =
            if self.bucket { first.is_none() } else { self.time.allows(bit, exclusive, needs, &left) };
        if allowed {
            return None;
        }
        let Some(event) = first else { return Some("planned for another job".to_owned()) };
        let who = match event.occupant {
            Occupant::Job(job, _) => plan.job(job).short_name(),
            Occupant::Reservation(id) => short_id(&plan.snap.reservations[id].name),
        };
        Some(format!("planned for {who} from {}", super::words::moment(&plan.snap, event.at)))
    }
}

/// A share in thousandths; nothing of nothing is none.
fn thousandths(part: f64, whole: f64) -> u32 {
    // Cut to the range before it becomes a whole number.
    if whole > 0.0 { (part / whole * 1000.0).clamp(0.0, 1000.0) as u32 } else { 0 }
}
