//! Placing a job with or without placement sets, on either path (rules 3.9, 5.4).

use std::borrow::Cow;
use std::sync::Arc;

use crate::cluster::{Arrangement, Epoch, JobId, Name, Place, QueueId, ResvId};
use crate::universe::{
    Against, Allocation, Bit, Bucket, JobRequest, NodeSet, Party, PlacementSet, Quirk, Reason, Rejection,
    Rooms, SetIx, Slot, State,
};

use super::bucket_path::{BucketTry, place_in_buckets};
use super::eligibility::Eligibility;
use super::marks::Marks;
use super::node_limits::{alone_only, refusing};
use super::node_path::{Candidates, NodeFailure, goes_by_host, place_on_nodes};
use super::path::Path;
use super::probe::{Event, Probe};
use super::quick_check::{SumCheck, check_sums};
use super::round_robin::moves_on;
use super::ruling::{Ruling, is_worthwhile};
use super::screen::Screen;
use super::set_list::{SetList, fresh_pool, group_pool, nodes_of, own_nodes, own_nodes_queue};
use super::time_check::TimeCheck;
use super::tries::Tries;

/// Of more sets than this, a listener hears only of some that were passed over: nobody reads them all.
const MOST_TOLD: usize = 2000;

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
    let list = SetList::of(state, party, request, own.is_some(), group);
    let mut placing = Placing {
        party,
        request,
        queue,
        own,
        end: state.now + request.duration,
        list,
        tries: Tries::default(),
        examined: Examined::default(),
        probe,
    };
    let result = match path {
        Path::Bucket => {
            let mut rooms = std::mem::take(&mut state.rooms);
            let result = placing.by_buckets(state, &mut rooms);
            state.rooms = rooms;
            result
        }
        Path::Node => placing.by_nodes(state),
    };
    let examined = Examined { sets: placing.tries.len() as u64, ..placing.examined };
    let mut tries = placing.tries;
    tries.settle();
    if let (Path::Node, Ok(placed)) = (path, &result)
        && let Some(host) = moves_on(&state.plan, request, &placed.allocation)
    {
        state.set_last_host(Some(host));
    }
    Attempt { result, tries, examined }
}

struct Placing<'a> {
    party: Party,
    request: &'a JobRequest,
    queue: Option<QueueId>,
    own: Option<NodeSet>,
    end: Epoch,
    /// The sets to try, in order; none if the job uses no sets at all.
    list: Option<SetList>,
    tries: Tries,
    examined: Examined,
    probe: &'a mut Probe,
}

/// Why the set tried last would not do.
enum LastSet<'s> {
    /// No set was tried, or the last one left no reason.
    Unsaid,
    /// Its sums are too small.
    TooSmall(&'s PlacementSet),
    /// Its nodes do not hold the job, and nobody asked why.
    RuledOut(&'s PlacementSet),
    /// The reason of its node examined last.
    Node(Reason),
}

impl LastSet<'_> {
    fn reason(self) -> Option<Reason> {
        match self {
            Self::Unsaid | Self::RuledOut(_) => None,
            Self::TooSmall(set) => Some(Reason::SetTooSmall(set.shape.name.clone())),
            Self::Node(reason) => Some(reason),
        }
    }
}

impl Placing<'_> {
    // ---- the bucket path (rule 3.9)

    fn by_buckets(&mut self, state: &State, rooms: &mut Rooms) -> Result<Placed, Rejection> {
        let Some(list) = self.list.take() else { return self.in_complex(state, None) };
        // Measured: in a copy of the universe the buckets of lasting sets still belong to the queues of the
        // original, which are no queue of the copy, so no job of a queue with nodes matches any of them.
        if state.simulated && list.is_lasting() && self.queue.is_some() {
            return self.spanning(state);
        }
        self.tries = Tries::along(list.order());
        let mut screen = Screen::new(state, &list, self.request, self.queue, rooms);
        let mut could_run: Option<Rejection> = None;
        let mut place = 0;
        loop {
            let told = self.probe.is_on() && list.numbers.len() <= MOST_TOLD;
            let open = if told { place } else { screen.next(place) };
            self.tries.pass(open - place, false);
            let set = list.numbers.get(open).and_then(|number| list.set(state, *number));
            if screen.could_run {
                could_run.get_or_insert_with(|| Reason::NoNodeResources.not_now());
            }
            let Some(set) = set else { break };
            place = open + 1;
            self.tried(set);
            self.examined.buckets += u64::from(set.bucket_count());
            match self.in_set_buckets(state, set) {
                Ok(allocation) => {
                    self.examined.buckets += screen.buckets;
                    return Ok(placed(allocation, Some(set)));
                }
                Err(rejection) if !rejection.never => {
                    could_run.get_or_insert(rejection);
                }
                Err(_) => {}
            }
        }
        self.examined.buckets += screen.buckets;
        // Measured: where spanning is forbidden, a simulation falls through only from sets made for the job.
        let stays = state.simulated && list.is_lasting() && state.plan.snap.scheduler.do_not_span_psets;
        match could_run {
            Some(_) if state.plan.has(Quirk::SpanWhenFull) && !stays => {
                self.probe.hear(|| Event::FellThrough);
                self.in_complex(state, Some(Quirk::SpanWhenFull))
            }
            Some(rejection) => Err(rejection),
            None => self.spanning(state),
        }
    }

    /// After sets of which none could ever hold the job.
    fn spanning(&mut self, state: &State) -> Result<Placed, Rejection> {
        if state.plan.snap.scheduler.do_not_span_psets {
            return Err(Reason::CantSpan.never());
        }
        self.probe.hear(|| Event::Spanning);
        self.in_complex(state, None)
    }

    fn in_set_buckets(&mut self, state: &State, set: &PlacementSet) -> Result<Allocation, Rejection> {
        let members = set.shape.members.clone();
        let node_of = move |slot: Slot| members.get(crate::cluster::Id::ix(slot)).copied().unwrap_or(Bit(0));
        self.try_buckets(state, set.buckets(&state.plan), &node_of)
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
        let own = self.own.take();
        let list = own.as_ref().unwrap_or_else(|| nodes_of(state, self.queue));
        let mut eligible = Eligibility::new(state, list, self.request.place.sharedness);
        if matches!(self.party, Party::Reservation(_)) {
            let plan = &state.plan;
            let closed = |bit: &Bit| !plan.snap.nodes[plan.nodes[*bit].id].resv_enable;
            eligible.nodes.subtract(&NodeSet::of(plan.nodes.len(), plan.nodes.ids().filter(closed)));
        }
        eligible.leave_out(&refusing(state, &eligible.nodes, self.party, self.request));
        self.probe.hear(|| Event::Eligible {
            candidates: eligible.nodes.count(),
            turned_away: list.count() - eligible.nodes.count(),
        });
        let time = TimeCheck::new(state, self.party, self.request);
        match self.list.take() {
            Some(sets) => {
                let first = eligible.first.map(|(_, reason)| reason);
                self.on_sets(state, &sets, Candidates::all(list, &eligible.nodes), &time, first)
            }
            None => {
                let mut first = eligible.first.map(|(_, reason)| reason);
                let nodes = Candidates::all(list, &eligible.nodes).own(own.is_some());
                self.on_list(state, nodes, &time, &mut first).map_err(|no| rejected(no.reason, first))
            }
        }
    }

    /// Tries set after set. What is remembered first is why the filter turned a node away, else the first set's
    /// reason.
    fn on_sets(
        &mut self,
        state: &State,
        list: &SetList,
        everywhere: Candidates<'_>,
        time: &TimeCheck,
        mut first: Option<Reason>,
    ) -> Result<Placed, Rejection> {
        self.tries = Tries::along(list.order());
        let sums = SumCheck::new(state, list, self.request, Against::Now);
        let mut rules = Rules::new(list, self.probe.is_on());
        let mut open = Cow::Borrowed(everywhere.eligible());
        let mut last = LastSet::Unsaid;
        let mut rest: &[SetIx] = &list.numbers;
        loop {
            let (small, others) = rest.split_at(sums.too_small(rest).min(rest.len()));
            self.pass_small(state, list, small);
            if let (Some(one), Some(other)) = (small.first(), small.last()) {
                first = first.or_else(|| list.set(state, *one).map(LastSet::TooSmall)?.reason());
                last = list.set(state, *other).map_or(LastSet::Unsaid, LastSet::TooSmall);
            }
            let Some((number, behind)) = others.split_first() else { break };
            let Some(set) = list.set(state, *number) else { break };
            rest = behind;
            let ask = || Ruling::new(state, self.request, everywhere.eligible(), time);
            if first.is_some()
                && let Some(examined) = rules.out(*number, everywhere.eligible(), ask)
            {
                self.tries.add();
                self.examined.nodes += examined;
                last = LastSet::RuledOut(set);
                continue;
            }
            self.tried(set);
            let nodes = everywhere.within(&set.shape, list.is_lasting());
            let failure = match self.on_list(state, nodes.among(&open), time, &mut first) {
                Ok(placed) => return Ok(Placed { set: set_of(set, &placed.allocation), ..placed }),
                Err(failure) => failure,
            };
            // Host by host, vnodes keep the one chunk that they may take from set to set (measured).
            failure.taken.iter().for_each(|bit| open.to_mut().remove(*bit));
            last = failure.reason.map_or(LastSet::Unsaid, LastSet::Node);
        }
        let marks = Marks::of(state, list, &sums, self.party, self.request);
        last = self.last_said(state, list, everywhere, time, last, marks.as_ref());
        let in_all = SumCheck::new(state, list, self.request, Against::Total);
        if in_all.too_small(&list.numbers) < list.numbers.len() {
            return Err(rejected(last.reason(), first));
        }
        if state.plan.snap.scheduler.do_not_span_psets {
            return Err(Reason::CantSpan.never());
        }
        self.probe.hear(|| Event::Spanning);
        let before = self.examined.nodes;
        if let Some(marks) = &marks {
            open = Cow::Owned(marks.unasked(open.iter(), None));
        }
        self.on_list(state, everywhere.among(&open), time, &mut first).map_err(|no| match no.reason {
            None if self.examined.nodes == before => {
                self.too_small_in_all(state, list).unwrap_or_else(|| rejected(None, first))
            }
            last => rejected(last, first),
        })
    }

    /// What the last set has to say: of its nodes, those that no set was asked for before, where marks outlast a set.
    fn last_said<'s>(
        &mut self,
        state: &'s State,
        list: &'s SetList,
        everywhere: Candidates<'_>,
        time: &TimeCheck,
        last: LastSet<'s>,
        marks: Option<&Marks<'_>>,
    ) -> LastSet<'s> {
        let number = list.numbers.last().copied();
        let Some(set) = number.and_then(|number| list.set(state, number)) else { return last };
        let is_open = |bit: &Bit| everywhere.eligible().contains(*bit);
        let open = || set.shape.members.iter().copied().filter(is_open);
        let unasked = || marks.map(|marks| marks.unasked(open(), number));
        let nodes = everywhere.within(&set.shape, list.is_lasting());
        match last {
            LastSet::RuledOut(set) => {
                let unasked = unasked();
                self.looked_into(state, set, nodes.among(unasked.as_ref().unwrap_or(nodes.eligible())), time)
            }
            LastSet::Node(reason) => match unasked() {
                Some(unasked) if unasked.count() < open().count() => {
                    let (nodes, mut examined) = (nodes.among(&unasked), 0);
                    let found =
                        place_on_nodes(state, self.request, nodes, time, &mut examined, &mut Probe::off());
                    found.err().and_then(|no| no.reason).map_or(LastSet::Unsaid, LastSet::Node)
                }
                _ => LastSet::Node(reason),
            },
            last => last,
        }
    }

    /// What the last set says that was counted without looking into it.
    fn looked_into<'s>(
        &mut self,
        state: &State,
        set: &PlacementSet,
        nodes: Candidates<'_>,
        time: &TimeCheck,
    ) -> LastSet<'s> {
        let examined = self.examined;
        self.probe.hear(|| Event::SetTried(set.shape.name.clone()));
        let reason = self.on_list(state, nodes, time, &mut None).err().and_then(|no| no.reason);
        self.examined = examined;
        reason.map_or(LastSet::Unsaid, LastSet::Node)
    }

    /// What the check of the last set by its totals said: it stands when no node was looked at after it, and
    /// going by host takes it back (measured).
    fn too_small_in_all(&self, state: &State, list: &SetList) -> Option<Rejection> {
        if goes_by_host(state, self.request) {
            return None;
        }
        let last = list.set(state, *list.numbers.last()?)?;
        check_sums(&state.plan, self.request, last, Against::Total).err().map(Reason::never)
    }

    /// Passes over sets by their sums.
    fn pass_small(&mut self, state: &State, list: &SetList, sets: &[SetIx]) {
        let told = if self.probe.is_on() { MOST_TOLD.saturating_sub(self.tries.len()) } else { 0 };
        self.tries.pass(sets.len(), true);
        for set in sets.iter().take(told).filter_map(|number| list.set(state, *number)) {
            if let Err(reason) = check_sums(&state.plan, self.request, set, Against::Now) {
                self.probe.hear(|| Event::SetTooSmall(set.shape.name.clone(), reason.not_now()));
            }
        }
    }

    fn on_list(
        &mut self,
        state: &State,
        nodes: Candidates<'_>,
        time: &TimeCheck,
        first: &mut Option<Reason>,
    ) -> Result<Placed, NodeFailure> {
        let ranked = self.ranked(state, &nodes);
        let nodes = ranked.as_ref().map_or(nodes, |ranked| nodes.ranked(ranked));
        let mut found =
            place_on_nodes(state, self.request, nodes, time, &mut self.examined.nodes, self.probe);
        // A job that turned out to span nodes is placed again without those that take no such job.
        if let Ok(allocation) = &found
            && !state.plan.limited.is_empty()
        {
            let taken = NodeSet::of(nodes.eligible().capacity(), allocation.nodes());
            let alone = alone_only(state, nodes.eligible());
            if taken.count() > 1 && taken.count_common(&alone) > 0 {
                let mut rest = nodes.eligible().clone();
                rest.subtract(&alone);
                let nodes = nodes.among(&rest);
                found =
                    place_on_nodes(state, self.request, nodes, time, &mut self.examined.nodes, self.probe);
            }
        }
        match found {
            Ok(allocation) => Ok(placed(allocation, None)),
            Err(failure) => {
                if first.is_none() {
                    first.clone_from(&failure.reason);
                }
                Err(failure)
            }
        }
    }

    /// The nodes in the order of an allocation policy, where one stands in for the scheduler's order.
    fn ranked(&self, state: &State, nodes: &Candidates<'_>) -> Option<Vec<Bit>> {
        let (Some(ranking), Party::Job(job, _)) = (&state.plan.ranking, self.party) else { return None };
        Some(ranking.rank(state, job, nodes.members().into_owned()))
    }

    fn tried(&mut self, set: &PlacementSet) {
        self.tries.add();
        self.probe.hear(|| Event::SetTried(set.shape.name.clone()));
    }
}

fn placed(allocation: Allocation, set: Option<&PlacementSet>) -> Placed {
    Placed { allocation: Arc::new(allocation), set: set.map(|set| set.shape.name.clone()), by_quirk: None }
}

/// Which sets of a list need not be looked into, as soon as many were in vain. A listener hears of all sets, unless they
/// are very many.
struct Rules {
    allowed: bool,
    looked_into: usize,
    found: Option<Ruling>,
}

impl Rules {
    fn new(list: &SetList, is_heard: bool) -> Self {
        let allowed = list.is_lasting() && !(is_heard && list.numbers.len() <= MOST_TOLD);
        Self { allowed, looked_into: 0, found: None }
    }

    /// How many nodes would be looked at in vain in a set that cannot hold the job; none if it may.
    #[inline]
    fn out(&mut self, set: SetIx, eligible: &NodeSet, ask: impl FnOnce() -> Option<Ruling>) -> Option<u64> {
        if self.found.is_none() && self.allowed {
            self.looked_into += 1;
            if is_worthwhile(self.looked_into - 1, eligible.count()) {
                self.found = ask();
                self.allowed = self.found.is_some();
            }
        }
        self.found.as_ref()?.out(set)
    }
}

/// The set, if it holds the whole job: what an exclhost job gets besides may lie outside.
fn set_of(set: &PlacementSet, allocation: &Allocation) -> Option<Name> {
    let mut pieces = allocation.pieces.iter();
    pieces.all(|piece| set.shape.nodes.contains(piece.bit)).then(|| set.shape.name.clone())
}

/// The reason reported: of the node examined last, else the first remembered, else none in particular.
fn rejected(last: Option<Reason>, first: Option<Reason>) -> Rejection {
    last.or(first).unwrap_or(Reason::NoNodeResources).not_now()
}
