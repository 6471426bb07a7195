//! Reservations of nodes over time: every slice of every node in one flat vector.

use qscope_engine::cluster::{Column, Id, number_of};

use super::window::{LEVELS, NodeWindow};
use super::{PackingAmounts, PackingNumber};

/// One slice, by its position in the flat vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SliceId(u32);

impl Id for SliceId {
    fn at(position: usize) -> Self {
        Self(number_of(position))
    }

    fn ix(self) -> usize {
        self.0 as usize
    }
}

/// The end of a chain of slices.
const NONE: SliceId = SliceId(u32::MAX);

/// A length of time and what is free during it. A slice starts where the previous one of its node ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeSlice<N> {
    /// Its duration.
    pub length: N,
    /// The free amounts.
    pub free: PackingAmounts<N>,
    next: SliceId,
}

/// The slices of all nodes; those of one node form a linked list.
#[derive(Clone, Debug)]
pub(super) struct CapacityTimeline<N> {
    slices: Column<SliceId, TimeSlice<N>>,
    /// How often a job was longer than the slices that should have covered it (defect 13.1).
    pub assertions: u64,
}

/// The request of a job to one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimelineRequest<N> {
    pub wall: N,
    /// Requested amounts.
    pub need: PackingAmounts<N>,
    /// Latest start time.
    pub target: N,
    /// Length and amounts of a new slice of the node's type, to extend the reservation by; none forbids
    /// extending.
    pub fresh: Option<(N, PackingAmounts<N>)>,
}

impl<N: PackingNumber> CapacityTimeline<N> {
    pub(super) fn new() -> Self {
        Self { slices: Column::new(), assertions: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.slices.len()
    }

    /// Creates a node with one slice, whose id stands for the node.
    pub(super) fn node(&mut self, length: N, free: PackingAmounts<N>) -> SliceId {
        self.slices.push(TimeSlice { length, free, next: NONE })
    }

    /// Returns the slices of a node in order of time.
    pub(super) fn of(&self, first: SliceId) -> impl Iterator<Item = &TimeSlice<N>> {
        std::iter::successors(self.slices.checked(first), |slice| self.slices.checked(slice.next))
    }

    /// Returns, for each duration, the largest amounts that are free for that long from the start of any
    /// slice that starts by `target`. Only from the very beginning may a job run past the last slice, into
    /// new ones.
    pub(super) fn window(&self, first: SliceId, target: N, durations: &[N; LEVELS]) -> NodeWindow<N> {
        let last = target.with_slack();
        let mut window = [PackingAmounts::closed(); LEVELS];
        let (mut start, mut at) = (N::default(), first);
        while let Some(slice) = self.slices.checked(at).filter(|_| start <= last) {
            self.widen(&mut window, at, at == first, durations);
            start = start.plus(slice.length);
            at = slice.next;
        }
        window
    }

    /// Widens a window by what is free for a job that begins with this slice.
    fn widen(&self, window: &mut NodeWindow<N>, begin: SliceId, extends: bool, durations: &[N; LEVELS]) {
        let mut levels = window.iter_mut().zip(durations).peekable();
        let mut free: Option<PackingAmounts<N>> = None;
        let mut covered = N::default();
        for slice in self.of(begin) {
            let room = free.map_or(slice.free, |free| free.smallest(&slice.free));
            free = Some(room);
            covered = covered.plus(slice.length);
            while let Some((level, _)) = levels.next_if(|(_, duration)| **duration <= covered) {
                *level = level.largest(&room);
            }
            if levels.peek().is_none() {
                return;
            }
        }
        if let (true, Some(room)) = (extends, free) {
            levels.for_each(|(level, _)| *level = level.largest(&room));
        }
    }

    /// Tries to add a job to a node; returns its start time there. It may begin at any slice boundary by the
    /// target time, and only from the very beginning may it extend the reservation.
    pub(super) fn attempt(&mut self, first: SliceId, ask: &TimelineRequest<N>) -> Option<N> {
        let (mut start, mut begin, mut covered) = (first, N::default(), N::default());
        let mut at = first;
        loop {
            let slice = *self.slices.checked(at)?;
            if ask.need.fits(&slice.free) {
                covered = covered.plus(slice.length);
                if covered >= ask.wall {
                    self.commit(start, at, ask);
                    return Some(begin);
                }
                if slice.next == NONE && start == first {
                    let (length, free) = ask.fresh?;
                    self.insert_after(at, length, free);
                }
            } else {
                if begin.plus(covered).plus(slice.length) > ask.target {
                    return None;
                }
                start = slice.next;
                // Grouped as in the original: in doubles, another grouping gives another sum.
                begin = begin.plus(covered.plus(slice.length));
                covered = N::default();
            }
            at = self.slices[at].next;
        }
    }

    /// Subtracts a job's amounts from the slices `start` to `last`, the last of which may be split.
    fn commit(&mut self, start: SliceId, last: SliceId, request: &TimelineRequest<N>) {
        let mut used = N::default();
        let mut at = start;
        while at != last {
            let slice = &mut self.slices[at];
            used = used.plus(slice.length);
            slice.free = slice.free.without(&request.need);
            at = slice.next;
        }
        let rest = request.wall.minus(used);
        if rest > self.slices[last].length {
            self.assertions += 1;
        }
        self.subtract_amounts(last, rest, &request.need);
    }

    /// Subtracts a job's amounts from the first `length` of a slice; the rest of the slice stays unchanged.
    pub(super) fn subtract_amounts(&mut self, at: SliceId, length: N, need: &PackingAmounts<N>) {
        let TimeSlice { length: whole, free, .. } = self.slices[at];
        if length < whole {
            self.insert_after(at, whole.minus(length), free);
            self.slices[at].length = length;
        }
        self.slices[at].free = free.without(need);
    }

    /// Inserts a slice after another and returns it.
    pub(super) fn insert_after(&mut self, at: SliceId, length: N, free: PackingAmounts<N>) -> SliceId {
        let next = self.slices[at].next;
        let added = self.slices.push(TimeSlice { length, free, next });
        self.slices[at].next = added;
        added
    }

    /// Makes a slice boundary at this moment, if the reservation reaches it, and returns the slice that
    /// begins there.
    pub(super) fn split_at(&mut self, first: SliceId, moment: N) -> Option<SliceId> {
        let mut start = N::default();
        let mut at = first;
        loop {
            let slice = *self.slices.checked(at)?;
            if start >= moment {
                return Some(at);
            }
            let end = start.plus(slice.length);
            if end > moment {
                let before = moment.minus(start);
                self.slices[at].length = before;
                return Some(self.insert_after(at, slice.length.minus(before), slice.free));
            }
            start = end;
            at = slice.next;
        }
    }

    /// Returns whether a job fits from exactly this moment on, within the existing slices.
    pub(super) fn has_room_at(&self, first: SliceId, moment: N, wall: N, need: &PackingAmounts<N>) -> bool {
        let until = moment.plus(wall);
        let mut start = N::default();
        for slice in self.of(first) {
            let end = start.plus(slice.length);
            if end > moment && start < until && !need.fits(&slice.free) {
                return false;
            }
            if end >= until {
                return true;
            }
            start = end;
        }
        false
    }

    /// Subtracts a job's amounts from exactly this moment on; the caller has checked that there is room.
    pub(super) fn subtract_from(&mut self, first: SliceId, moment: N, wall: N, need: &PackingAmounts<N>) {
        let Some(from) = self.split_at(first, moment) else { return };
        let (mut at, mut left) = (from, wall);
        while left > N::default() {
            let Some(slice) = self.slices.checked(at).copied() else { return };
            // An empty slice holds nothing, and the check of room skips it.
            if slice.length > N::default() {
                if left <= slice.length {
                    self.subtract_amounts(at, left, need);
                    return;
                }
                self.slices[at].free = slice.free.without(need);
                left = left.minus(slice.length);
            }
            at = slice.next;
        }
    }

    /// Returns whether this many more slices can be added.
    pub(super) fn has_space_for(&self, slices: usize) -> bool {
        self.len().saturating_add(slices) < MAX_SLICES
    }
}

/// Maximum number of slices of one answer: some gigabytes, far beyond the need of any cluster.
const MAX_SLICES: usize = 20_000_000;
