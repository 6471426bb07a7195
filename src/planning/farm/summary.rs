//! The figures of one run over a stated window: means weighted by time, taken while the run goes on.

use qscope_engine::cluster::Column;

use super::sufficient::Sufficient;
use super::waits::Waits;
use super::watch::{Sample, Watch};
use super::workload::{ClassNo, FarmJob, JobNo, NodeNo, Workload};

/// The window of all means: from its first second to before its last one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// The first second.
    pub from: i64,
    /// The first second after it.
    pub to: i64,
}

impl Window {
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
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// The window of all means.
    pub window: Window,
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

impl Summary {
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

/// What a class does from a second on.
#[derive(Clone, Copy, Debug, Default)]
struct ClassLevels {
    since: i64,
    slots: u64,
    nodes: u32,
    sufficient: u32,
    mixed: u32,
    at_risk: u64,
}

/// A job of several parts: it waits until the last of them starts.
#[derive(Clone, Copy, Debug, Default)]
struct Whole {
    /// Parts that have not started.
    left: u32,
    submit: i64,
    /// Whether a part fits on no node.
    is_too_large: bool,
}

/// The jobs of which the rows of a simulation are parts.
#[derive(Clone, Debug, Default)]
struct Wholes {
    /// The job of each part; empty where every part is a job.
    of: Vec<u32>,
    jobs: Vec<Whole>,
}

impl Wholes {
    fn new(of: Vec<u32>, submits: impl Iterator<Item = i64>) -> Self {
        let count = of.iter().max().map_or(0, |last| *last as usize + 1);
        let mut jobs = vec![Whole::default(); count];
        for (job, submit) in of.iter().zip(submits) {
            if let Some(whole) = jobs.get_mut(*job as usize) {
                whole.left += 1;
                whole.submit = submit;
            }
        }
        Self { of, jobs }
    }

    fn whole_of(&mut self, part: JobNo) -> Option<&mut Whole> {
        let job = *self.of.get(part.0 as usize)?;
        self.jobs.get_mut(job as usize)
    }
}

/// Takes the figures while a simulation runs.
#[derive(Clone, Debug)]
pub struct Summing {
    summary: Summary,
    wholes: Wholes,
    sufficient: Sufficient,
    levels: Column<ClassNo, ClassLevels>,
    since: i64,
    used: u64,
    held: u32,
    blocked: u64,
    busy: u32,
    pending: u64,
}

impl Summing {
    /// For a workload and a window.
    pub fn new(workload: &Workload, window: Window) -> Self {
        let classes = workload.classes.len();
        let summary = Summary {
            window,
            total_slots: workload.total_slots(),
            used: 0,
            held: 0,
            blocked: 0,
            busy: 0,
            pending: 0,
            classes: Column::filled(classes, ClassSummary::default()),
            makespan: None,
            peak: None,
            events: 0,
        };
        let levels = Column::filled(classes, ClassLevels::default());
        let sufficient = Sufficient::of(&workload.nodes);
        let nothing = (0, 0, 0, 0, 0, 0);
        let (since, used, held, blocked, busy, pending) = nothing;
        let submits = workload.jobs.iter().map(|job| job.submit);
        let wholes = Wholes::new(workload.whole.clone(), submits);
        Self { summary, wholes, sufficient, levels, since, used, held, blocked, busy, pending }
    }

    /// For what really ran: each row with its job and its arrival.
    pub fn of_rows(workload: &Workload, window: Window, rows: &[(u32, i64)]) -> Self {
        let mut summing = Self::new(workload, window);
        let jobs = rows.iter().map(|(job, _)| *job).collect();
        summing.wholes = Wholes::new(jobs, rows.iter().map(|(_, submit)| *submit));
        summing
    }

    /// The figures, when the simulation is over.
    pub fn finish(mut self, events: u64) -> Summary {
        let end = self.summary.window.to;
        self.advance(end);
        for class in self.levels.ids() {
            self.settle(class, end);
        }
        let window = self.summary.window;
        for whole in self.wholes.jobs.iter().filter(|whole| whole.left > 0) {
            self.summary.pending += u128::from(window.overlap(whole.submit, end));
        }
        self.summary.events = events;
        self.summary
    }

    fn advance(&mut self, t: i64) {
        let seconds = u128::from(self.summary.window.overlap(self.since, t));
        let summary = &mut self.summary;
        summary.used += u128::from(self.used) * seconds;
        summary.held += u128::from(self.held) * seconds;
        summary.blocked += u128::from(self.blocked) * seconds;
        summary.busy += u128::from(self.busy) * seconds;
        if self.wholes.of.is_empty() {
            summary.pending += u128::from(self.pending) * seconds;
        }
        self.since = t;
    }

    fn settle(&mut self, class: ClassNo, t: i64) {
        let levels = &mut self.levels[class];
        let seconds = self.summary.window.overlap(levels.since, t);
        levels.since = t;
        if seconds == 0 || levels.nodes == 0 {
            return;
        }
        let (sum, time) = (&mut self.summary.classes[class], u128::from(seconds));
        sum.slots += u128::from(levels.slots) * time;
        sum.nodes += u128::from(levels.nodes) * time;
        sum.sufficient += u128::from(levels.sufficient) * time;
        sum.mixed += u128::from(levels.mixed) * time;
        sum.at_risk += u128::from(levels.at_risk) * time;
        sum.index += f64::from(levels.sufficient) / f64::from(levels.nodes) * seconds as f64;
        sum.defined += seconds;
    }
}

impl Watch for Summing {
    fn started(&mut self, job: JobNo, what: &FarmJob, _node: NodeNo, at: i64) {
        let class = &mut self.summary.classes[what.class];
        match self.wholes.whole_of(job) {
            None => class.waits.add(at.saturating_sub(what.submit)),
            Some(whole) => {
                whole.left = whole.left.saturating_sub(1);
                if whole.left == 0 {
                    class.waits.add(at.saturating_sub(whole.submit));
                    let waited = self.summary.window.overlap(whole.submit, at);
                    self.summary.pending += u128::from(waited);
                }
            }
        }
        class.slot_seconds += u128::from(what.slots) * u128::from(what.run);
        let end = at.saturating_add(i64::from(what.run));
        self.summary.makespan = self.summary.makespan.max(Some(end));
    }

    fn never_fits(&mut self, job: JobNo, what: &FarmJob) {
        let is_counted =
            self.wholes.whole_of(job).is_some_and(|whole| std::mem::replace(&mut whole.is_too_large, true));
        self.summary.classes[what.class].never_fits += u64::from(!is_counted);
    }

    fn sample(&mut self, now: &Sample<'_>) {
        self.advance(now.t);
        self.used = now.used();
        self.held = now.held();
        self.blocked = now.blocked();
        self.busy = now.busy();
        self.pending = now.pending();
        if self.summary.peak.is_none_or(|(_, used)| used < self.used) {
            self.summary.peak = Some((now.t, self.used));
        }
        for class in now.touched() {
            self.settle(*class, now.t);
            let is = now.class(*class);
            let sufficient = self.sufficient.nodes(is.slots);
            let (slots, nodes, mixed, at_risk) = (is.slots, is.nodes, is.mixed, is.at_risk);
            self.levels[*class] = ClassLevels { since: now.t, slots, nodes, sufficient, mixed, at_risk };
        }
    }
}
