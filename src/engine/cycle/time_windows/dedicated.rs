//! Dedicated time (rule 6.7).

use crate::cluster::{DedicatedSlot, Epoch};

/// All slots of `dedicated_time`, in chronological order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DedicatedTime {
    slots: Vec<DedicatedSlot>,
}

impl DedicatedTime {
    /// Creates it from slots in any order; a slot that does not end after its start is ignored.
    pub fn new(slots: &[DedicatedSlot]) -> Self {
        let mut slots: Vec<_> = slots.iter().copied().filter(|slot| slot.from < slot.to).collect();
        slots.sort_by_key(|slot| slot.from);
        Self { slots }
    }

    /// Returns the slot that contains `at`; the end of a slot is exclusive.
    pub fn slot_at(&self, at: Epoch) -> Option<DedicatedSlot> {
        self.slots.iter().copied().find(|slot| slot.contains(at))
    }

    /// Returns the next moment after `at` at which a slot starts or ends.
    pub fn next_event(&self, at: Epoch) -> Option<Epoch> {
        let ends = self.slot_at(at).map(|slot| slot.to);
        [ends, self.next_after(at).map(|slot| slot.from)].into_iter().flatten().min()
    }

    /// Whether a slot ends exactly at `at`.
    pub fn ends_at(&self, at: Epoch) -> bool {
        self.slots.iter().any(|slot| slot.to == at)
    }

    /// Returns the first slot that starts after `at`.
    pub fn next_after(&self, at: Epoch) -> Option<DedicatedSlot> {
        self.slots.iter().copied().find(|slot| slot.from > at)
    }

    /// Returns the slot that a job from `start` to `end` would cross: the end of the slot it starts in, or the start
    /// of the next one. Ending exactly there is allowed. A start at the exact end of a slot still takes that slot as
    /// the next one, so nothing is crossed (measured).
    pub fn crossed_by(&self, start: Epoch, end: Epoch) -> Option<DedicatedSlot> {
        match self.slot_at(start) {
            Some(slot) => Some(slot).filter(|slot| end > slot.to),
            None => self.next_or_ending(start).filter(|slot| slot.from > start && end > slot.from),
        }
    }

    /// Returns the first slot that does not end before `at`.
    fn next_or_ending(&self, at: Epoch) -> Option<DedicatedSlot> {
        self.slots.iter().copied().find(|slot| slot.to >= at)
    }
}
