//! The figures of one run over a stated window: means weighted by time, taken while the run goes on.

mod summing;

pub use summing::Summing;

use qscope_engine::cluster::Column;

use super::waits::Waits;
use super::workload::ClassNo;

/// The window of all means: from its first second to before its last one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FarmWindow {
    /// The first second.
    pub from: i64,
    /// The first second after it.
    pub to: i64,
}

impl FarmWindow {
    /// Its length in seconds.
    pub fn seconds(self) -> u64 {
        u64::try_from(self.to.saturating_sub(self.from)).unwrap_or(0)
    }

    /// How much of the time from `a` to `b` lies in it.
    fn overlap(self, a: i64, b: i64) -> u64 {
        Self { from: a.max(self.from), to: b.min(self.to) }.seconds()
    }
}

/// A class over the window.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ClassSummary {
    /// Slots in use, nodes used, nodes that would do, nodes shared with others, foreign jobs on its nodes:
    /// each times seconds.
    slots: u128,
    nodes: u128,
    sufficient: u128,
    mixed: u128,
    at_risk: u128,
    /// The packing index times seconds, and the seconds in which it is defined.
    index: f64,
    defined: u64,
    /// Jobs that started, and their time in slots (the whole run, not the window).
    pub slot_seconds: u128,
    /// How long its jobs waited (the whole run).
    pub waits: Waits,
    /// Jobs that fit on no node.
    pub never_fits: u64,
}

/// One run in figures.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FarmSummary {
    /// The window of all means.
    pub window: FarmWindow,
    /// The slots of the farm.
    pub total_slots: u64,
    used: u128,
    held: u128,
    blocked: u128,
    busy: u128,
    pending: u128,
    pub classes: Column<ClassNo, ClassSummary>,
    /// The last end of a job that arrived.
    pub makespan: Option<i64>,
    /// The first second with most slots in use, and how many.
    pub peak: Option<(i64, u64)>,
    pub events: u64,
}

impl FarmSummary {
    /// The mean fill factor; `None` without window or slots.
    pub fn mean_ff(&self) -> Option<f64> {
        let all = u128::from(self.total_slots) * u128::from(self.window.seconds());
        (all > 0).then(|| self.used as f64 / all as f64)
    }

    fn mean(&self, integral: u128) -> f64 {
        integral as f64 / (self.window.seconds().max(1)) as f64
    }

    /// Nodes held by a class, on average.
    pub fn mean_held(&self) -> f64 {
        self.mean(self.held)
    }

    /// Slots that stood free on held nodes while jobs waited that only the holds kept out, on average.
    pub fn mean_blocked(&self) -> f64 {
        self.mean(self.blocked)
    }

    /// Nodes with a job, on average.
    pub fn mean_busy(&self) -> f64 {
        self.mean(self.busy)
    }

    /// Jobs that waited, on average.
    pub fn mean_pending(&self) -> f64 {
        self.mean(self.pending)
    }

    /// What this policy costs against another in slots: packing rule 3. Negative where it did better.
    pub fn cost_against(&self, relaxed: &Self) -> Option<f64> {
        Some(cost_slots(relaxed.mean_ff()? - self.mean_ff()?, self.total_slots))
    }

    /// CPU time over the window in hours: a slot in use counts as one cpu at work.
    pub fn cpu_hours(&self) -> f64 {
        self.used as f64 / 3600.0
    }

    /// The CPU hours that this policy leaves undone in the window against another; negative where it does more.
    pub fn cpu_hours_against(&self, relaxed: &Self) -> f64 {
        relaxed.cpu_hours() - self.cpu_hours()
    }

    /// CPU time of a class over the window in hours.
    pub fn class_cpu_hours(&self, class: ClassNo) -> f64 {
        self.classes[class].slots as f64 / 3600.0
    }

    /// The packing index of a class, over the time in which it is defined.
    pub fn index(&self, class: ClassNo) -> Option<f64> {
        let class = &self.classes[class];
        (class.defined > 0).then(|| class.index / class.defined as f64)
    }

    /// All packing classes together: nodes that would do for each, by nodes used by each.
    pub fn index_of_all(&self, classes: &[ClassNo]) -> Option<f64> {
        let sum = |of: fn(&ClassSummary) -> u128| -> u128 {
            classes.iter().filter_map(|class| self.classes.checked(*class)).map(of).sum()
        };
        let nodes = sum(|class| class.nodes);
        (nodes > 0).then(|| sum(|class| class.sufficient) as f64 / nodes as f64)
    }

    /// Averages of a class over the window.
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

/// What a difference of fill factors costs in slots.
pub fn cost_slots(ff_difference: f64, total_slots: u64) -> f64 {
    ff_difference * total_slots as f64
}

/// A class over the window, on average.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ClassMeans {
    pub slots: f64,
    /// Nodes used.
    pub nodes: f64,
    /// Nodes that would do.
    pub sufficient: f64,
    /// Nodes shared with others.
    pub mixed: f64,
    /// Foreign jobs on its nodes.
    pub at_risk: f64,
}
