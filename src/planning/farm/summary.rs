//! The figures of one run over a window: time-weighted means, computed while the run goes on.

mod observer;

pub use observer::SummaryObserver;

use qscope_engine::cluster::Column;

use super::waits::WaitHistogram;
use super::workload::ClassNo;

/// The window of all means, a half-open range of seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FarmWindow {
    /// The first second of the window.
    pub from: i64,
    /// The first second after the window.
    pub to: i64,
}

impl FarmWindow {
    /// Returns its length in seconds.
    pub fn seconds(self) -> u64 {
        u64::try_from(self.to.saturating_sub(self.from)).unwrap_or(0)
    }

    /// Returns how many seconds from `a` to `b` are in the window.
    fn overlap(self, a: i64, b: i64) -> u64 {
        Self { from: a.max(self.from), to: b.min(self.to) }.seconds()
    }
}

/// The sums of a class over the window.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ClassSummary {
    /// Slots in use, nodes used, nodes that would suffice, nodes shared with other classes, jobs of other
    /// classes on its nodes: each multiplied by seconds.
    slots: u128,
    nodes: u128,
    sufficient: u128,
    mixed: u128,
    at_risk: u128,
    /// The packing index multiplied by seconds, and the seconds in which it is defined.
    index: f64,
    defined: u64,
    /// Slot-seconds of the jobs that started (over the whole run, not the window).
    pub slot_seconds: u128,
    /// Wait times of its jobs (over the whole run).
    pub waits: WaitHistogram,
    /// Jobs that fit on no node.
    pub never_fits: u64,
}

/// The figures of one run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FarmSummary {
    /// The window of all means.
    pub window: FarmWindow,
    pub total_slots: u64,
    used: u128,
    held: u128,
    blocked: u128,
    busy: u128,
    pending: u128,
    pub classes: Column<ClassNo, ClassSummary>,
    /// The latest end of a job that arrived.
    pub makespan: Option<i64>,
    /// The first second with the most slots in use, and their number.
    pub peak: Option<(i64, u64)>,
    pub events: u64,
}

impl FarmSummary {
    /// Returns the mean fill factor; none without window or slots.
    pub fn mean_ff(&self) -> Option<f64> {
        let all = u128::from(self.total_slots) * u128::from(self.window.seconds());
        (all > 0).then(|| self.used as f64 / all as f64)
    }

    fn mean(&self, integral: u128) -> f64 {
        integral as f64 / (self.window.seconds().max(1)) as f64
    }

    /// Returns the mean number of nodes held by a class.
    pub fn mean_held(&self) -> f64 {
        self.mean(self.held)
    }

    /// Returns the mean number of free slots on held nodes while jobs waited that only the holds kept from
    /// starting.
    pub fn mean_blocked(&self) -> f64 {
        self.mean(self.blocked)
    }

    /// Returns the mean number of nodes with a job.
    pub fn mean_busy(&self) -> f64 {
        self.mean(self.busy)
    }

    /// Returns the mean number of waiting jobs.
    pub fn mean_pending(&self) -> f64 {
        self.mean(self.pending)
    }

    /// Returns the cost of this policy in slots compared with another (packing rule 3); negative where it did
    /// better.
    pub fn cost_against(&self, relaxed: &Self) -> Option<f64> {
        Some(cost_slots(relaxed.mean_ff()? - self.mean_ff()?, self.total_slots))
    }

    /// Returns the CPU time over the window in hours; a slot in use counts as one busy CPU.
    pub fn cpu_hours(&self) -> f64 {
        self.used as f64 / 3600.0
    }

    /// Returns the CPU-hours by which this policy falls short of another in the window; negative where it
    /// does more.
    pub fn cpu_hours_against(&self, relaxed: &Self) -> f64 {
        relaxed.cpu_hours() - self.cpu_hours()
    }

    /// Returns the CPU time of a class over the window in hours.
    pub fn class_cpu_hours(&self, class: ClassNo) -> f64 {
        self.classes[class].slots as f64 / 3600.0
    }

    /// Returns the packing index of a class, averaged over the time in which it is defined.
    pub fn index(&self, class: ClassNo) -> Option<f64> {
        let class = &self.classes[class];
        (class.defined > 0).then(|| class.index / class.defined as f64)
    }

    /// Returns the index of all packing classes together: nodes that would suffice, summed over the classes,
    /// divided by nodes used.
    pub fn index_of_all(&self, classes: &[ClassNo]) -> Option<f64> {
        let sum = |of: fn(&ClassSummary) -> u128| -> u128 {
            classes.iter().filter_map(|class| self.classes.checked(*class)).map(of).sum()
        };
        let nodes = sum(|class| class.nodes);
        (nodes > 0).then(|| sum(|class| class.sufficient) as f64 / nodes as f64)
    }

    /// Returns the means of a class over the window.
    pub fn class_means(&self, class: ClassNo) -> ClassMeans {
        let of = &self.classes[class];
        ClassMeans {
            slots: self.mean(of.slots),
            nodes: self.mean(of.nodes),
            sufficient: self.mean(of.sufficient),
            mixed: self.mean(of.mixed),
            at_risk: self.mean(of.at_risk),
        }
    }
}

/// Converts a difference of fill factors to slots.
pub fn cost_slots(ff_difference: f64, total_slots: u64) -> f64 {
    ff_difference * total_slots as f64
}

/// The means of a class over the window.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ClassMeans {
    pub slots: f64,
    /// Nodes used.
    pub nodes: f64,
    /// Nodes that would suffice.
    pub sufficient: f64,
    /// Nodes shared with other classes.
    pub mixed: f64,
    /// Jobs of other classes on its nodes.
    pub at_risk: f64,
}
