//! Placing a job with or without placement sets, on either path (rules 3.9, 5.4).

use std::sync::Arc;

use crate::cluster::{Arrangement, Epoch, JobId, Name, Place, QueueId, ResvId};
use crate::universe::{
    Against, Allocation, Bit, Bucket, ConsIx, GroupPool, JobRequest, NodeSet, Party, PlacementSet, Quirk,
    Reason, Rejection, SetBuilder, SetIx, Slot, State, sort_sets,
};

use super::bucket_path::{BucketTry, place_in_buckets};
use super::chunk_map::screen;
use super::eligibility::Eligibility;
use super::node_path::{NodeFailure, place_on_nodes};
use super::path::Path;
use super::probe::{Event, Probe};
use super::quick_check::{check_sums, sums_hold};
use super::time_check::TimeCheck;

/// The sets that one job tried, by number: a job can try hundreds, and thousands of jobs do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tries {
    /// Number of the set, and whether its sums were too small, so that its nodes were not looked at.
    sets: Vec<(u32, bool)>,
    /// The names that the numbers mean, for pools made for single jobs; else they are sets of the state.
    names: Option<Arc<[Name]>>,
}

impl Tries {
    /// Whether no set was tried.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The names of the sets in the order tried, and whether each was too small by its sums.
    #[must_use]
    pub fn named(&self, state: &State) -> Vec<(Name, bool)> {
        let name = |number: u32| match &self.names {
            Some(names) => names.get(number as usize).cloned(),
            None => state.sets.checked(SetIx(number)).map(|set| set.shape.name.clone()),
        };
        self.sets.iter().filter_map(|(number, too_small)| Some((name(*number)?, *too_small))).collect()
    }

    /// Adds what a later subjob of the same array tried.
    pub fn extend(&mut self, other: &Self) {
        self.sets.extend_from_slice(&other.sets);
        self.names = self.names.take().or_else(|| other.names.clone());
    }
}

/// How many objects a decision looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Examined {
    /// Sets.
    pub sets: u64,
    /// Buckets.
    pub buckets: u64,
    /// Nodes.
    pub nodes: u64,
}

/// Where a job goes.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The nodes.
    pub allocation: Arc<Allocation>,
    /// The set that holds them.
    pub set: Option<Name>,
    /// The quirk without which it would not have gone there.
    pub by_quirk: Option<Quirk>,
}

/// The outcome of placing one job.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Where, or why not.
    pub result: Result<Placed, Rejection>,
    /// The sets tried.
    pub tries: Tries,
    /// How much was looked at.
    pub examined: Examined,
}

/// Places a job by the given path on the nodes that it may use.
pub fn place(state: &mut State, job: JobId, request: &JobRequest, path: Path, probe: &mut Probe) -> Attempt {
    let party = Party::Job(job, None);
    match state.inside_of(party) {
        Some(reservation) => {
            state.within(reservation, |state| place_here(state, party, request, path, probe))
        }
        None => place_here(state, party, request, path, probe),
    }
}

/// Places a reservation that waits to be confirmed: by the node path, with the server's sets (rule 6.9).
pub fn place_reservation(state: &mut State, id: ResvId, request: &JobRequest, probe: &mut Probe) -> Attempt {
    place_here(state, Party::Reservation(id), request, Path::Node, probe)
}

/// Places a job on the floor that the state shows.
fn place_here(
    state: &mut State,
    party: Party,
    request: &JobRequest,
    path: Path,
    probe: &mut Probe,
) -> Attempt {
    // Chunks that go back stand where they stood, whatever the arrangement.
    let back = match party {
        Party::Job(job, _) if state.ledger.returns(job) => Some(None),
        Party::Job(job, _) if state.plan.previous.contains_key(&job) => Some(request.place.group.clone()),
        _ => None,
    };
    let back = back.map(|group| {
        let place = Place { arrangement: Arrangement::Free, group, ..request.place.clone() };
        JobRequest { place, ..request.clone() }
    });
    let request = back.as_ref().unwrap_or(request);
    let queue = own_nodes_queue(state, party);
    let own = own_nodes(state, party);
    let group = match &own {
        Some(own) => request.place.group.as_ref().map(|key| fresh_pool(state, own, key)),
        None => group_pool(state, queue, request),
    };
    let mut placing = Placing {
        party,
        request,
        totals: state.plan.totals_of(request),
        queue,
        own,
        end: state.now + request.duration,
        group,
        tries: Tries::default(),
        examined: Examined::default(),
        probe,
    };
    let result = match path {
        Path::Bucket => placing.by_buckets(state),
        Path::Node => placing.by_nodes(state),
    };
    Attempt { result, tries: placing.tries, examined: placing.examined }
}

/// The queue of a job; reservations have none.
fn queue_of(state: &State, party: Party) -> Option<QueueId> {
    let Party::Job(job, _) = party else { return None };
    state.plan.snap.queue_named(&state.plan.job(job).queue)
}

/// The job's queue, if nodes are bound to it.
fn own_nodes_queue(state: &State, party: Party) -> Option<QueueId> {
    queue_of(state, party).filter(|queue| !state.plan.queue_nodes[*queue].is_empty())
}

/// The nodes that a job has to itself: those of the running reservation it is in, or those it goes back
/// to (rule 4.1). Such jobs use no placement sets but those of `place=group=`.
fn own_nodes(state: &State, party: Party) -> Option<NodeSet> {
    let Party::Job(job, _) = party else { return None };
    if let Some(inside) = state.inside_of(party).and_then(|id| state.insides[id].as_ref()) {
        return Some(inside.members.clone());
    }
    let plan = &state.plan;
    let dumped = || plan.job(job).previous_placement().filter(|_| plan.previous.contains_key(&job));
    let preempted = plan.job(job).exec_vnode.as_ref().filter(|_| state.ledger.returns(job));
    let placement = preempted.or_else(dumped)?;
    let known = placement.parts().filter_map(|part| plan.bit_named.get(&part.vnode).copied());
    Some(NodeSet::of(plan.nodes.len(), known))
}

/// The sets of a list of nodes by one key, sorted.
fn fresh_pool(state: &State, list: &NodeSet, key: &Name) -> Arc<GroupPool> {
    let list: Vec<Bit> = list.iter().collect();
    let builder = SetBuilder { plan: &state.plan, floor: &state.floor, events: &state.node_events };
    let mut sets = builder.by_keys(&list, std::slice::from_ref(key));
    sort_sets(&state.plan, &mut sets);
    let names = sets.iter().map(|set| set.shape.name.clone()).collect();
    Arc::new(GroupPool { sets, names })
}

/// The pool that `place=group= makes, kept until anything starts or ends (rule 5.1).
fn group_pool(state: &mut State, queue: Option<QueueId>, request: &JobRequest) -> Option<Arc<GroupPool>> {
    let key = request.place.group.clone()?;
    let plan = state.plan.clone();
    let resource = plan.snap.catalogue.id(&key)?;
    if let Some(known) = state.group_pools.get(&(queue, resource)) {
        return Some(known.clone());
    }
    let pool = fresh_pool(state, nodes_of(state, queue), &key);
    let mut pools = (*state.group_pools).clone();
    pools.insert((queue, resource), pool.clone());
    state.keep_group_pools(Arc::new(pools));
    Some(pool)
}

/// The nodes a job of this queue may use.
fn nodes_of(state: &State, queue: Option<QueueId>) -> &NodeSet {
    match queue {
        Some(queue) => &state.plan.queue_nodes[queue],
        None => &state.plan.unbound,
    }
}

struct Placing<'a> {
    party: Party,
    request: &'a JobRequest,
    /// What the request asks for in all of the host-level consumables.
    totals: Vec<(ConsIx, f64)>,
    queue: Option<QueueId>,
    own: Option<NodeSet>,
    end: Epoch,
    group: Option<Arc<GroupPool>>,
    tries: Tries,
    examined: Examined,
    probe: &'a mut Probe,
}

impl Placing<'_> {
    /// The sets to try, in order; none if the job uses no sets at all.
    fn sets<'s>(
        &self,
        state: &'s State,
        group: Option<&'s GroupPool>,
    ) -> Option<Vec<(u32, &'s PlacementSet)>> {
        if let Some(pool) = group {
            return Some((0..).zip(&pool.sets).collect());
        }
        if self.request.place.group.is_some() {
            return Some(Vec::new());
        }
        if self.own.is_some() {
            return None;
        }
        let pool =
            queue_of(state, self.party).and_then(|queue| state.queue_pools[queue]).or(state.server_pool)?;
        Some(state.pools[pool].order.iter().map(|set| (set.0, &state.sets[*set])).collect())
    }

    // ---- the bucket path (rule 3.9)

    fn by_buckets(&mut self, state: &State) -> Result<Placed, Rejection> {
        let group = self.group.clone();
        let Some(sets) = self.sets(state, group.as_deref()) else {
            return self.in_complex(state, None);
        };
        self.tries.names = group.as_ref().map(|pool| pool.names.clone());
        let mut could_run: Option<Rejection> = None;
        for (number, set) in sets {
            match self.in_set_buckets(state, number, set) {
                Ok(allocation) => return Ok(placed(allocation, Some(set))),
                Err(rejection) if !rejection.never => {
                    could_run.get_or_insert(rejection);
                }
                Err(_) => {}
            }
        }
        match could_run {
            Some(_) if state.plan.has(Quirk::SpanWhenFull) => {
                self.probe.hear(|| Event::FellThrough);
                self.in_complex(state, Some(Quirk::SpanWhenFull))
            }
            Some(rejection) => Err(rejection),
            None if state.plan.snap.scheduler.do_not_span_psets => Err(Reason::CantSpan.never()),
            None => {
                self.probe.hear(|| Event::Spanning);
                self.in_complex(state, None)
            }
        }
    }

    fn in_set_buckets(
        &mut self,
        state: &State,
        number: u32,
        set: &PlacementSet,
    ) -> Result<Allocation, Rejection> {
        self.tried(number, set, false);
        self.examined.buckets += set.buckets.len() as u64;
        if !self.probe.is_on() {
            screen(&state.plan, self.request, self.queue, &set.buckets)?;
        }
        let members = set.shape.members.clone();
        let node_of = move |slot: Slot| members.get(crate::cluster::Id::ix(slot)).copied().unwrap_or(Bit(0));
        self.try_buckets(state, &set.buckets, &node_of)
    }

    fn in_complex(&mut self, state: &State, quirk: Option<Quirk>) -> Result<Placed, Rejection> {
        self.examined.buckets += state.buckets.len() as u64;
        let allocation = self.try_buckets(state, state.buckets.as_slice(), &|bit: Bit| bit)?;
        Ok(Placed { by_quirk: quirk, ..placed(allocation, None) })
    }

    fn try_buckets<I: crate::cluster::Id>(
        &mut self,
        state: &State,
        buckets: &[Bucket<I>],
        node_of: &dyn Fn(I) -> Bit,
    ) -> Result<Allocation, Rejection> {
        let attempt =
            BucketTry { state, request: self.request, queue: self.queue, buckets, node_of, end: self.end };
        place_in_buckets(&attempt, self.probe)
    }

    // ---- the node path (rule 5.4)

    fn by_nodes(&mut self, state: &State) -> Result<Placed, Rejection> {
        let own = self.own.clone();
        let list = own.as_ref().unwrap_or_else(|| nodes_of(state, self.queue));
        let mut eligible = Eligibility::new(state, list, self.request.place.sharedness);
        if matches!(self.party, Party::Reservation(_)) {
            let plan = &state.plan;
            let closed = |bit: &Bit| !plan.snap.nodes[plan.nodes[*bit].id].resv_enable;
            eligible.nodes.subtract(&NodeSet::of(plan.nodes.len(), plan.nodes.ids().filter(closed)));
        }
        self.probe.hear(|| Event::Eligible {
            candidates: eligible.nodes.count(),
            turned_away: list.count() - eligible.nodes.count(),
        });
        let time = TimeCheck::new(state, self.party, self.request);
        let mut first = eligible.first.clone().map(|(_, reason)| reason);
        let group = self.group.clone();
        let Some(sets) = self.sets(state, group.as_deref()) else {
            return self
                .on_list(state, eligible.nodes, &time, &mut first)
                .map_err(|last| rejected(last, first));
        };
        self.tries.names = group.as_ref().map(|pool| pool.names.clone());
        // Trying sets forgets why the filter turned nodes away; the first set's reason is remembered.
        let mut first = None;
        let mut last = None;
        let mut could_fit = false;
        for (number, set) in sets {
            match self.on_set(state, (number, set), &eligible.nodes, &time, &mut first) {
                Ok(placed) => return Ok(placed),
                Err(reason) => last = reason,
            }
            could_fit = could_fit || sums_hold(&state.plan, &self.totals, self.request, set, Against::Total);
        }
        if could_fit {
            return Err(rejected(last, first));
        }
        if state.plan.snap.scheduler.do_not_span_psets {
            return Err(Reason::CantSpan.never());
        }
        self.probe.hear(|| Event::Spanning);
        self.on_list(state, eligible.nodes, &time, &mut first).map_err(|last| rejected(last, first))
    }

    /// Tries one set: its sums first, then its nodes.
    fn on_set(
        &mut self,
        state: &State,
        (number, set): (u32, &PlacementSet),
        eligible: &NodeSet,
        time: &TimeCheck,
        first: &mut Option<Reason>,
    ) -> Result<Placed, Option<Reason>> {
        if !sums_hold(&state.plan, &self.totals, self.request, set, Against::Now) {
            self.tried(number, set, true);
            if self.probe.is_on()
                && let Err(reason) = check_sums(&state.plan, self.request, set, Against::Now)
            {
                self.probe.hear(|| Event::SetTooSmall(set.shape.name.clone(), reason.not_now()));
            }
            let reason = Reason::SetTooSmall(set.shape.name.clone());
            first.get_or_insert_with(|| reason.clone());
            return Err(Some(reason));
        }
        self.tried(number, set, false);
        let mut nodes = NodeSet::of(eligible.capacity(), set.shape.members.iter().copied());
        nodes.intersect(eligible);
        let placed = self.on_list(state, nodes, time, first)?;
        Ok(Placed { set: Some(set.shape.name.clone()), ..placed })
    }

    fn on_list(
        &mut self,
        state: &State,
        nodes: NodeSet,
        time: &TimeCheck,
        first: &mut Option<Reason>,
    ) -> Result<Placed, Option<Reason>> {
        match place_on_nodes(state, self.request, nodes, time, &mut self.examined.nodes, self.probe) {
            Ok(allocation) => Ok(placed(allocation, None)),
            Err(NodeFailure { last, first: earliest }) => {
                if first.is_none() {
                    *first = earliest.or_else(|| last.clone());
                }
                Err(last)
            }
        }
    }

    fn tried(&mut self, number: u32, set: &PlacementSet, too_small: bool) {
        self.examined.sets += 1;
        self.tries.sets.push((number, too_small));
        if !too_small {
            self.probe.hear(|| Event::SetTried(set.shape.name.clone()));
        }
    }
}

fn placed(allocation: Allocation, set: Option<&PlacementSet>) -> Placed {
    Placed { allocation: Arc::new(allocation), set: set.map(|set| set.shape.name.clone()), by_quirk: None }
}

/// The reason reported: of the node examined last, else the first remembered, else none in particular.
fn rejected(last: Option<Reason>, first: Option<Reason>) -> Rejection {
    last.or(first).unwrap_or(Reason::NoNodeResources).not_now()
}
