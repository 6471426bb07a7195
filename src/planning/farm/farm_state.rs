//! The nodes during a simulation: slots and memory in use, classes on each node, and the counts for the
//! figures.

mod node_choice;

use qscope_engine::cluster::{Column, Id};

use super::levels::{LoadDirection, LoadIndex};
use super::signs::ClassBitmaps;
use super::{ClassNo, FarmNode, FarmPolicy, HoldAnchor, NodeNo};

/// A class on a node.
#[derive(Clone, Copy, Debug)]
struct ClassPresence {
    class: ClassNo,
    jobs: u32,
    /// Start time that counts for the lifetime of the hold.
    anchor: i64,
    /// Serial number of the timer set for this stay; 0 is none.
    timer: u32,
}

#[derive(Clone, Debug, Default)]
struct FarmNodeState {
    slots: u32,
    used: u32,
    /// Free memory; `u64::MAX` is unlimited.
    memory_left: u64,
    jobs: u32,
    classes: Vec<ClassPresence>,
}

/// What a class occupies at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Occupation {
    pub slots: u64,
    /// Running jobs.
    pub jobs: u64,
    /// Nodes where it runs jobs.
    pub nodes: u32,
    /// Those of its nodes that also run jobs of other classes.
    pub mixed: u32,
    /// Jobs of other classes on its nodes: those that a hanging node would also affect.
    pub at_risk: u64,
}

/// What a job requests of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SlotNeed {
    pub class: ClassNo,
    pub slots: u32,
    pub memory: u64,
}

/// A timer: the hold of `class` on `node` may lapse at `at`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct HoldTimer {
    pub at: i64,
    pub node: u32,
    pub class: u32,
    pub serial: u32,
}

/// The state of all nodes.
#[derive(Clone, Debug)]
pub(super) struct FarmState {
    nodes: Column<NodeNo, FarmNodeState>,
    levels: LoadIndex,
    /// The current presence and holds.
    pub current_bitmaps: ClassBitmaps,
    /// What jobs see of them, where it is published with a delay.
    pub published_bitmaps: Option<ClassBitmaps>,
    policies: Column<ClassNo, FarmPolicy>,
    anchor: HoldAnchor,
    own_direction: LoadDirection,
    classes: Column<ClassNo, Occupation>,
    touched: Vec<ClassNo>,
    pub used: u64,
    pub busy: u32,
    has_memory: bool,
    serial: u32,
}

impl FarmState {
    pub(super) fn new(
        nodes: &Column<NodeNo, FarmNode>,
        policies: &Column<ClassNo, FarmPolicy>,
        anchor: HoldAnchor,
        fullest_first: bool,
    ) -> Self {
        let seat = |node: &FarmNode| {
            let memory_left = node.memory.unwrap_or(u64::MAX);
            FarmNodeState { slots: node.slots, memory_left, ..FarmNodeState::default() }
        };
        let packs: Column<ClassNo, bool> = policies.iter().map(|policy| !policy.is_plain()).collect();
        Self {
            nodes: nodes.iter().map(seat).collect(),
            levels: LoadIndex::new(nodes),
            current_bitmaps: ClassBitmaps::new(nodes.len(), &packs),
            published_bitmaps: None,
            policies: policies.clone(),
            anchor,
            own_direction: if fullest_first { LoadDirection::Fullest } else { LoadDirection::LeastLoaded },
            classes: Column::filled(policies.len(), Occupation::default()),
            touched: Vec::new(),
            used: 0,
            busy: 0,
            has_memory: nodes.iter().any(|node| node.memory.is_some()),
            serial: 0,
        }
    }

    pub(super) fn occupation(&self, class: ClassNo) -> &Occupation {
        &self.classes[class]
    }

    /// Returns the classes whose occupation may have changed since [`FarmState::forget_touched`].
    pub(super) fn changed_classes(&self) -> &[ClassNo] {
        &self.touched
    }

    pub(super) fn forget_touched(&mut self) {
        self.touched.clear();
    }

    /// Counts the free slots on held nodes.
    pub(super) fn free_slots_on_held(&self) -> u64 {
        self.current_bitmaps.held().iter().map(|node| self.free(node)).sum()
    }

    fn free(&self, node: NodeNo) -> u64 {
        let seat = &self.nodes[node];
        u64::from(seat.slots.saturating_sub(seat.used))
    }

    /// Starts a job on a node at `t`; its clock counts from `since`. Returns a timer to set, if any.
    pub(super) fn start(&mut self, need: SlotNeed, node: NodeNo, since: i64, t: i64) -> Option<HoldTimer> {
        let seat = &mut self.nodes[node];
        self.levels.change(node, seat.used, seat.used.saturating_add(need.slots));
        seat.used = seat.used.saturating_add(need.slots);
        if seat.memory_left != u64::MAX {
            seat.memory_left = seat.memory_left.saturating_sub(need.memory);
        }
        self.busy += u32::from(seat.jobs == 0);
        let foreign_before = u64::from(seat.jobs);
        seat.jobs += 1;
        self.used += u64::from(need.slots);
        let place = seat.classes.iter().position(|guest| guest.class == need.class);
        let alone_before = seat.classes.len() == 1;
        for guest in seat.classes.iter().filter(|guest| guest.class != need.class) {
            let other = &mut self.classes[guest.class];
            other.at_risk += 1;
            other.mixed += u32::from(place.is_none() && alone_before);
            self.touched.push(guest.class);
        }
        let own = &mut self.classes[need.class];
        own.slots += u64::from(need.slots);
        own.jobs += 1;
        self.touched.push(need.class);
        let mut guest = match place {
            Some(place) => seat.classes.swap_remove(place),
            None => {
                own.nodes += 1;
                own.mixed += u32::from(foreign_before > 0);
                own.at_risk += foreign_before;
                ClassPresence { class: need.class, jobs: 0, anchor: since, timer: 0 }
            }
        };
        guest.jobs += 1;
        guest.anchor = match self.anchor {
            HoldAnchor::Last => guest.anchor.max(since),
            HoldAnchor::First => guest.anchor.min(since),
        };
        let timer = self.claim(&mut guest, node, t);
        self.nodes[node].classes.push(guest);
        timer
    }

    /// Sets presence and hold after a start.
    fn claim(&mut self, guest: &mut ClassPresence, node: NodeNo, t: i64) -> Option<HoldTimer> {
        let policy = self.policies[guest.class];
        if policy.is_plain() {
            return None;
        }
        self.current_bitmaps.set_present(guest.class, node, true);
        let until = policy.held_until(guest.anchor)?;
        if t >= until {
            return None;
        }
        self.current_bitmaps.hold(guest.class, node);
        if until == i64::MAX || guest.timer != 0 {
            return None;
        }
        self.serial = self.serial.wrapping_add(1).max(1);
        guest.timer = self.serial;
        Some(HoldTimer { at: until, node: node.0, class: guest.class.0, serial: self.serial })
    }

    /// Removes a job from a node; the hold of its class ends with the last of its jobs there.
    pub(super) fn end(&mut self, need: SlotNeed, node: NodeNo) {
        let seat = &mut self.nodes[node];
        let used = seat.used.saturating_sub(need.slots);
        self.levels.change(node, seat.used, used);
        seat.used = used;
        if seat.memory_left != u64::MAX {
            seat.memory_left = seat.memory_left.saturating_add(need.memory);
        }
        seat.jobs = seat.jobs.saturating_sub(1);
        self.busy -= u32::from(seat.jobs == 0);
        self.used = self.used.saturating_sub(u64::from(need.slots));
        let own = &mut self.classes[need.class];
        own.slots = own.slots.saturating_sub(u64::from(need.slots));
        own.jobs = own.jobs.saturating_sub(1);
        self.touched.push(need.class);
        let Some(place) = seat.classes.iter().position(|guest| guest.class == need.class) else { return };
        let left = seat.classes.get_mut(place).map_or(0, |guest| {
            guest.jobs = guest.jobs.saturating_sub(1);
            guest.jobs
        });
        if left == 0 {
            seat.classes.swap_remove(place);
            own.nodes -= 1;
            own.mixed -= u32::from(seat.jobs > 0);
            own.at_risk = own.at_risk.saturating_sub(u64::from(seat.jobs));
        }
        let alone_now = left == 0 && seat.classes.len() == 1;
        for guest in seat.classes.iter().filter(|guest| guest.class != need.class) {
            let other = &mut self.classes[guest.class];
            other.at_risk = other.at_risk.saturating_sub(1);
            other.mixed -= u32::from(alone_now);
            self.touched.push(guest.class);
        }
        if left == 0 && !self.policies[need.class].is_plain() {
            self.current_bitmaps.set_present(need.class, node, false);
            self.current_bitmaps.release(need.class, node);
        }
    }

    /// Handles a timer that is due at `t`: the hold lapses, the timer is set again, or it belongs to an
    /// earlier stay.
    pub(super) fn handle_timer(&mut self, timer: HoldTimer, t: i64) -> TimerOutcome {
        let (node, class) = (NodeNo::at(timer.node as usize), ClassNo::at(timer.class as usize));
        let policy = self.policies[class];
        let guests = &mut self.nodes[node].classes;
        let stay = guests.iter_mut().find(|guest| guest.class == class && guest.timer == timer.serial);
        let Some(guest) = stay else { return TimerOutcome::Stale };
        match policy.held_until(guest.anchor) {
            Some(until) if until > t => TimerOutcome::Renewed(HoldTimer { at: until, ..timer }),
            _ => {
                guest.timer = 0;
                self.current_bitmaps.release(class, node);
                TimerOutcome::HoldLapsed(node)
            }
        }
    }
}

/// The effect of a timer that is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TimerOutcome {
    /// The hold lapsed: an event (rule R10).
    HoldLapsed(NodeNo),
    /// A later start renewed the hold: the timer is set again.
    Renewed(HoldTimer),
    /// The class has left the node since the timer was set.
    Stale,
}
