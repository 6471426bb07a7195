//! Comparison of two settings over replications: means of paired differences with 95 % confidence intervals (days
//! rule 15).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{
    CycleCounters, CycleObserver, Simulation, SimulationDifference, SimulationInput, SimulationResult,
};
use crate::figures::mean;
use crate::measures::Measures;
use crate::replications::{ReplicationCallback, ReplicationProgress, run_all};
use crate::resample::PastDays;
use crate::runtimes::{RuntimeDraw, RuntimeModel, RuntimeRatios};
use qscope_engine::cycle::Run;
use qscope_engine::universe::Quirks;

/// Minimum number of replications for an interval.
pub const FEWEST: usize = 10;

/// A measure under both settings, over replications.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairedMeasure {
    /// Number of replications in which both settings had it.
    pub count: usize,
    /// Mean under the first setting.
    pub a: f64,
    /// Mean under the second setting.
    pub b: f64,
    /// Mean difference, second minus first.
    pub difference: f64,
    /// Half of the 95 % interval; `None` with fewer than [`FEWEST`] replications.
    pub half_interval: Option<f64>,
}

/// What an interval shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntervalSign {
    /// The second is less: the whole interval is below 0.
    Less,
    /// The second is more: the whole interval is above 0.
    More,
    /// The interval contains 0.
    Undecided,
    /// There is no interval.
    NoInterval,
}

impl PairedMeasure {
    /// Computes it from the pairs of values in each replication; `None` without pairs.
    pub fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let (of_a, of_b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let differences: Vec<f64> = pairs.iter().map(|(a, b)| b - a).collect();
        let difference = mean(&differences)?;
        let count = pairs.len() as f64;
        let squares: f64 = differences.iter().map(|d| (d - difference).powi(2)).sum();
        let half_interval = (pairs.len() >= FEWEST).then(|| {
            let deviation = (squares / (count - 1.0)).sqrt();
            t_975(count - 1.0) * deviation / count.sqrt()
        });
        Some(Self { count: pairs.len(), a: mean(&of_a)?, b: mean(&of_b)?, difference, half_interval })
    }

    /// Returns what the interval shows.
    pub fn seen(&self) -> IntervalSign {
        match self.half_interval {
            None => IntervalSign::NoInterval,
            Some(half) if self.difference + half < 0.0 => IntervalSign::Less,
            Some(half) if self.difference - half > 0.0 => IntervalSign::More,
            Some(_) => IntervalSign::Undecided,
        }
    }
}

/// Returns the 97.5 % quantile of Student's t distribution for 9 or more degrees of freedom, by the Cornish–Fisher
/// expansion, accurate to three decimal places.
pub fn t_975(degrees: f64) -> f64 {
    const Z: f64 = 1.959_963_984_540_054;
    let (z2, n) = (Z * Z, degrees);
    let first = Z * (z2 + 1.0) / (4.0 * n);
    let second = Z * ((5.0 * z2 + 16.0) * z2 + 3.0) / (96.0 * n * n);
    let third = Z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / (384.0 * n.powi(3));
    Z + first + second + third
}

/// Parameters of the replications, whose draws are the same under both settings.
#[derive(Clone, Copy, Debug)]
pub struct ReplicationOptions<'a> {
    pub count: u64,
    /// Number of threads.
    pub threads: usize,
    pub seed: u64,
    pub times: RuntimeModel,
    /// Ratios of run time to walltime of finished jobs.
    pub ratios: &'a RuntimeRatios,
    /// Days to draw all arrivals from, and the number of days to draw.
    pub days: Option<(&'a PastDays<'a>, u32)>,
    /// Behaviour of the scheduler.
    pub quirks: Quirks,
}

/// Measures and classes under both settings, over replications.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReplicatedComparison {
    /// Number of finished replications.
    pub count: usize,
    /// Measures by name.
    pub figures: Vec<(&'static str, PairedMeasure)>,
    /// Mean waits in seconds, by kind of class and class.
    pub classes: BTreeMap<&'static str, BTreeMap<String, PairedMeasure>>,
}

/// Measures and mean waits of one replication.
struct ReplicationMeasures {
    figures: Vec<(&'static str, Option<(f64, f64)>)>,
    classes: Vec<(&'static str, String, (f64, f64))>,
}

impl ReplicationOptions<'_> {
    /// Runs both settings in every replication and compares them.
    pub fn compare(
        &self,
        a: &SimulationInput,
        b: &SimulationInput,
        go_on: ReplicationCallback<'_>,
    ) -> ReplicatedComparison {
        let progress = ReplicationProgress::new(go_on);
        let all = run_all(self.count, self.threads, &progress, |replication| {
            let first = self.run(a, replication, &progress)?;
            let second = self.run(b, replication, &progress)?;
            Some(ReplicationMeasures::of(&first, &second))
        });
        ReplicatedComparison::of(&all)
    }

    fn run(
        &self,
        input: &SimulationInput,
        replication: u64,
        progress: &ReplicationProgress<'_>,
    ) -> Option<SimulationResult> {
        let draw = RuntimeDraw { ratios: self.ratios, times: self.times, seed: self.seed, replication };
        let mut drawn = input.clone();
        if let Some((days, ahead)) = self.days {
            drawn.arrivals.jobs = days.draw_arrivals(input.start.now, ahead, self.seed, replication);
        }
        let done = Simulation::new(draw.of(&drawn), self.quirks).run(&mut CancelObserver(progress));
        (!done.is_cut).then_some(done)
    }
}

/// Watcher that ends a simulation on request.
pub(crate) struct CancelObserver<'a>(pub(crate) &'a ReplicationProgress<'a>);

impl CycleObserver for CancelObserver<'_> {
    fn reads_usage(&self) -> bool {
        false
    }

    fn cycle(&mut self, _run: &Arc<Run>, _counters: &CycleCounters) -> bool {
        self.0.should_continue()
    }
}

impl ReplicationMeasures {
    fn of(a: &SimulationResult, b: &SimulationResult) -> Self {
        let of_b = b.measures.named();
        let figures = a.measures.named().into_iter().zip(of_b);
        let difference = SimulationDifference::between(a, b);
        let classes = difference.classes.into_iter().flat_map(|(kind, classes)| {
            classes.into_iter().map(move |(class, one)| (kind, class, (one.mean_a, one.mean_b)))
        });
        Self {
            figures: figures.map(|((name, a), (_, b))| (name, a.zip(b))).collect(),
            classes: classes.collect(),
        }
    }
}

/// Mean waits under both settings by class, one pair per replication.
type ClassWaitPairs = BTreeMap<String, Vec<(f64, f64)>>;

impl ReplicatedComparison {
    fn of(all: &[ReplicationMeasures]) -> Self {
        let names = all.first().map(|one| one.figures.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        let figure = |name: &'static str| {
            let values = all.iter().filter_map(|one| one.figures.iter().find(|(have, _)| *have == name)?.1);
            Some((name, PairedMeasure::of(&values.collect::<Vec<_>>())?))
        };
        let mut by_class: BTreeMap<&'static str, ClassWaitPairs> = BTreeMap::new();
        for (kind, class, waits) in all.iter().flat_map(|one| &one.classes) {
            by_class.entry(kind).or_default().entry(class.clone()).or_default().push(*waits);
        }
        let paired = |classes: ClassWaitPairs| {
            classes
                .into_iter()
                .filter_map(|(class, pairs)| Some((class, PairedMeasure::of(&pairs)?)))
                .collect()
        };
        Self {
            count: all.len(),
            figures: names.unwrap_or_default().into_iter().filter_map(figure).collect(),
            classes: by_class.into_iter().map(|(kind, classes)| (kind, paired(classes))).collect(),
        }
    }
}

impl Measures {
    /// Returns the measures that can be compared, by the names used in conditions.
    pub fn named(&self) -> Vec<(&'static str, Option<f64>)> {
        let whole = |value: Option<i64>| value.map(|value| value as f64);
        vec![
            ("wait_mean", self.wait.mean),
            ("wait_median", whole(self.wait.median)),
            ("wait_p95", whole(self.wait.p95)),
            ("wait_max", whole(self.wait.max)),
            ("weighted_wait", self.weighted_wait),
            ("slowdown_mean", self.slowdown_mean),
            ("fairness", self.fairness.as_ref().map(|fairness| fairness.index)),
            ("utilisation", self.utilisation),
            ("queue_mean", self.queue_mean),
            ("throughput", self.throughput),
            ("backfilled", self.backfilled),
            ("makespan", whole(self.makespan)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantile_of_t_is_that_of_tables() {
        for (degrees, t) in [(9.0, 2.2622), (19.0, 2.0930), (29.0, 2.0452), (99.0, 1.9842)] {
            assert!((t_975(degrees) - t).abs() < 6e-4, "{degrees}: {}", t_975(degrees));
        }
    }

    #[test]
    fn rule_15_a_difference_is_stated_only_if_its_interval_leaves_out_0() {
        let clear: Vec<(f64, f64)> = (0..20).map(|k| (100.0, 50.0 + f64::from(k % 3))).collect();
        assert_eq!(PairedMeasure::of(&clear).unwrap().seen(), IntervalSign::Less);
        let unclear: Vec<(f64, f64)> = (0..20).map(|k| (100.0, 90.0 + f64::from(k))).collect();
        assert_eq!(PairedMeasure::of(&unclear).unwrap().seen(), IntervalSign::Undecided);
        assert_eq!(PairedMeasure::of(&clear[..9]).unwrap().seen(), IntervalSign::NoInterval);
        let more: Vec<(f64, f64)> = clear.iter().map(|(a, b)| (*b, *a)).collect();
        let found = PairedMeasure::of(&more).unwrap();
        assert_eq!((found.seen(), found.count, found.b), (IntervalSign::More, 20, 100.0));
    }
}
