//! The node path set by set, then spanning sets (rule 5.4).

use std::borrow::Cow;

use crate::cluster::Name;
use crate::universe::{Allocation, AmountBasis, Bit, NodeSet, PlacementSet, Reason, Rejection, SetIx, State};

use super::rules::{PlacementQuery, SetPruner};
use super::{MAX_LINES, PlacementSearch, ProposedPlacement, rejected};
use crate::placement::candidates::{Candidates, is_placed_by_host};
use crate::placement::marks::CheckedNodes;
use crate::placement::quick_check::{SumCheck, check_sums};
use crate::placement::set_list::SetList;
use crate::placement::{Probe, ProbeEvent, SetAttempts, TimeCheck, place_on_nodes};

/// Why the set tried last did not hold the job.
enum LastSetFailure<'s> {
    /// No set was tried, or the last one left no reason.
    Unknown,
    /// Its sums are too small.
    TooSmall(&'s PlacementSet),
    /// Its nodes do not hold the job; the reason has not been computed.
    RuledOut(&'s PlacementSet),
    /// The reason of its node examined last.
    Node(Reason),
}

impl LastSetFailure<'_> {
    fn reason(self) -> Option<Reason> {
        match self {
            Self::Unknown | Self::RuledOut(_) => None,
            Self::TooSmall(set) => Some(Reason::SetTooSmall(set.shape.name.clone())),
            Self::Node(reason) => Some(reason),
        }
    }
}

/// The state of the search after the sets tried so far.
struct TriedSets<'s, 'n> {
    /// The check of sets by their sums.
    sums: SumCheck<'s>,
    /// The nodes that further sets may use.
    usable_nodes: Cow<'n, NodeSet>,
    last: LastSetFailure<'s>,
    /// The first reason kept.
    first: Option<Reason>,
}

impl PlacementSearch<'_> {
    /// Tries set after set, then all nodes if the job may span sets. The first reason kept is that of a node refused
    /// by the filter, else that of the first set.
    pub(super) fn on_sets(
        &mut self,
        state: &State,
        list: &SetList,
        everywhere: Candidates<'_>,
        time: &TimeCheck,
        rules: SetPruner<'_>,
        first: Option<Reason>,
    ) -> Result<ProposedPlacement, Rejection> {
        self.tries = SetAttempts::from_order(list.order());
        let sums = SumCheck::new(state, list, self.request, AmountBasis::Now);
        let open = Cow::Borrowed(everywhere.eligible());
        let mut tried = TriedSets { sums, usable_nodes: open, last: LastSetFailure::Unknown, first };
        if let Some(placed) = self.in_a_set(state, list, everywhere, time, rules, &mut tried) {
            return Ok(placed);
        }
        let TriedSets { sums, usable_nodes, last, first } = tried;
        let marks = CheckedNodes::of(state, list, &sums, self.occupant, self.request);
        let last = self.last_reason(state, list, everywhere, time, last, marks.as_ref());
        if sums.in_total().too_small(&list.numbers) < list.numbers.len() {
            return Err(rejected(last.reason(), first));
        }
        if state.plan.snap.scheduler.do_not_span_psets {
            return Err(Reason::CantSpan.never());
        }
        // Vnodes of one host that were in different sets may hold a broken chunk together.
        let open = match marks.as_ref().filter(|_| !is_placed_by_host(state, self.request)) {
            Some(marks) => Cow::Owned(marks.unchecked_nodes(usable_nodes.iter(), None)),
            None => usable_nodes,
        };
        self.over_sets(state, list, everywhere, time, &open, first)
    }

    /// Places the job in the first set that holds it.
    fn in_a_set<'s>(
        &mut self,
        state: &'s State,
        list: &'s SetList,
        everywhere: Candidates<'_>,
        time: &TimeCheck,
        mut pruner: SetPruner<'_>,
        tried: &mut TriedSets<'s, '_>,
    ) -> Option<ProposedPlacement> {
        let question = PlacementQuery { state, request: self.request, eligible: everywhere.eligible(), time };
        let mut rest: &[SetIx] = &list.numbers;
        loop {
            let (small, others) = rest.split_at(tried.sums.too_small(rest).min(rest.len()));
            self.pass_small(state, list, small);
            if let (Some(one), Some(other)) = (small.first(), small.last()) {
                let too_small = |number| list.set(state, number).map(LastSetFailure::TooSmall);
                tried.first = tried.first.take().or_else(|| too_small(*one)?.reason());
                tried.last = too_small(*other).unwrap_or(LastSetFailure::Unknown);
            }
            let (number, behind) = others.split_first()?;
            let set = list.set(state, *number)?;
            rest = behind;
            if tried.first.is_some()
                && let Some(examined) = pruner.out(*number, question)
            {
                self.tries.add();
                self.examined.nodes += examined;
                tried.last = LastSetFailure::RuledOut(set);
                continue;
            }
            self.tried(set);
            let nodes = everywhere.within(&set.shape, Some(*number).filter(|_| list.is_lasting()));
            let failure =
                match self.on_list(state, nodes.with_eligible(&tried.usable_nodes), time, &mut tried.first) {
                    Ok(placed) => {
                        return Some(ProposedPlacement { set: set_of(set, &placed.allocation), ..placed });
                    }
                    Err(failure) => failure,
                };
            // Host by host, a vnode that took the one chunk it may take keeps that mark from set to set (measured).
            failure.marked_vnodes.iter().for_each(|bit| tried.usable_nodes.to_mut().remove(*bit));
            tried.last = failure.reason.map_or(LastSetFailure::Unknown, LastSetFailure::Node);
        }
    }

    /// Places the job on all nodes that are still open, across the borders of the sets.
    fn over_sets(
        &mut self,
        state: &State,
        list: &SetList,
        everywhere: Candidates<'_>,
        time: &TimeCheck,
        open: &NodeSet,
        mut first: Option<Reason>,
    ) -> Result<ProposedPlacement, Rejection> {
        self.probe.record(|| ProbeEvent::Spanning);
        let before = self.examined.nodes;
        let by_host = is_placed_by_host(state, self.request);
        let left_over = self.too_small_in_all(state, list).filter(|_| by_host);
        let everywhere = everywhere.after(left_over.as_ref());
        self.on_list(state, everywhere.with_eligible(open), time, &mut first).map_err(|no| match no.reason {
            None if by_host => rejected(None, first),
            None if self.examined.nodes == before => rejected(self.too_small_in_all(state, list), first),
            last => rejected(last, first),
        })
    }

    /// Returns the reason of the last set. If marks outlast a set, only its nodes that no other set has checked
    /// count.
    fn last_reason<'s>(
        &mut self,
        state: &'s State,
        list: &'s SetList,
        everywhere: Candidates<'_>,
        time: &TimeCheck,
        last: LastSetFailure<'s>,
        marks: Option<&CheckedNodes<'_>>,
    ) -> LastSetFailure<'s> {
        let number = list.numbers.last().copied();
        let Some(set) = number.and_then(|number| list.set(state, number)) else { return last };
        let is_open = |bit: &Bit| everywhere.eligible().contains(*bit);
        let open = || set.shape.members.iter().copied().filter(is_open);
        let unasked = || marks.map(|marks| marks.unchecked_nodes(open(), number));
        let nodes = everywhere.within(&set.shape, number.filter(|_| list.is_lasting()));
        match last {
            LastSetFailure::RuledOut(set) => {
                let unasked = unasked();
                self.reason_on_nodes(
                    state,
                    set,
                    nodes.with_eligible(unasked.as_ref().unwrap_or(nodes.eligible())),
                    time,
                )
            }
            LastSetFailure::Node(reason) => match unasked() {
                Some(unasked) if unasked.count() < open().count() => {
                    let (nodes, mut examined) = (nodes.with_eligible(&unasked), 0);
                    let found =
                        place_on_nodes(state, self.request, nodes, time, &mut examined, &mut Probe::off());
                    found.err().and_then(|no| no.reason).map_or(LastSetFailure::Unknown, LastSetFailure::Node)
                }
                _ => LastSetFailure::Node(reason),
            },
            last => last,
        }
    }

    /// Returns the reason of the last set if it was ruled out without being examined.
    fn reason_on_nodes<'s>(
        &mut self,
        state: &State,
        set: &PlacementSet,
        nodes: Candidates<'_>,
        time: &TimeCheck,
    ) -> LastSetFailure<'s> {
        let examined = self.examined;
        self.probe.record(|| ProbeEvent::SetTried(set.shape.name.clone()));
        let reason = self.on_list(state, nodes, time, &mut None).err().and_then(|no| no.reason);
        self.examined = examined;
        reason.map_or(LastSetFailure::Unknown, LastSetFailure::Node)
    }

    /// Returns the failure of the last set in the check by its totals, without numbers. It is reported if no node was
    /// examined afterwards or, host by host, if the first host has no node to examine.
    fn too_small_in_all(&self, state: &State, list: &SetList) -> Option<Reason> {
        let last = list.set(state, *list.numbers.last()?)?;
        check_sums(&state.plan, self.request, last, AmountBasis::Total).err().map(Reason::erased)
    }

    /// Skips sets because of their sums.
    fn pass_small(&mut self, state: &State, list: &SetList, sets: &[SetIx]) {
        let text = if self.probe.is_on() { MAX_LINES.saturating_sub(self.tries.len()) } else { 0 };
        self.tries.pass(sets.len(), true);
        for set in sets.iter().take(text).filter_map(|number| list.set(state, *number)) {
            if let Err(reason) = check_sums(&state.plan, self.request, set, AmountBasis::Now) {
                self.probe.record(|| ProbeEvent::SetTooSmall(set.shape.name.clone(), reason.not_now()));
            }
        }
    }
}

/// Returns the name of the set if it contains the whole placement; the extra nodes of an exclhost job may lie
/// outside.
fn set_of(set: &PlacementSet, allocation: &Allocation) -> Option<Name> {
    let mut pieces = allocation.pieces.iter();
    pieces.all(|piece| set.shape.nodes.contains(piece.bit)).then(|| set.shape.name.clone())
}
