//! Reduces a cluster while one job's verdict, cause and numbers stay: delta debugging over jobs, vnodes,
//! reservations, queues and settings, where each trial is a whole cycle.

pub(super) mod removal;
mod settings;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use qscope_engine::cluster::{Edit, JobId, Name, Snapshot};
use qscope_engine::cycle::{Run, run_cycle};
use qscope_engine::placement::PlacementPath;
use qscope_engine::universe::Quirks;
use qscope_explain::{causes, decided};

use settings::SETTINGS;

/// The effort of a reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReductionEffort {
    /// Maximum number of cycles run.
    pub most_trials: u32,
}

impl ReductionEffort {
    /// Returns the effort for a cluster: the larger the cluster, the fewer trials.
    pub fn of(snap: &Snapshot) -> Self {
        Self { most_trials: (6_000_000 / snap.size()).clamp(300, 4000) }
    }
}

/// A reduced cluster.
#[derive(Debug)]
pub struct ReducedCluster {
    pub snapshot: Arc<Snapshot>,
    /// How many cycles were run to find it.
    pub trials: u32,
    /// Whether no single item can be removed any more; otherwise the trials ran out.
    pub is_minimal: bool,
}

/// Names of numbers in causes that state the size of the cluster, not what was compared: a smaller cluster has
/// smaller ones.
const SIZES: [&str; 7] = ["total", "nodes", "sets", "refusing", "gone", "touched", "ahead"];

/// What has to stay: the finding about the job.
#[derive(PartialEq, Eq, Debug)]
struct PreservedFinding {
    verdict: Option<&'static str>,
    path: Option<&'static str>,
    tier: Option<&'static str>,
    kind: Option<&'static str>,
    numbers: Vec<(&'static str, String)>,
}

impl PreservedFinding {
    fn of(run: &Arc<Run>, job: JobId) -> Self {
        let outcome = decided(run, job);
        let causes = causes(run, job);
        let deepest = causes.first();
        Self {
            verdict: outcome.map(|outcome| outcome.verdict.word()),
            path: outcome.and_then(|outcome| outcome.path).map(PlacementPath::word),
            tier: deepest.map(|cause| cause.tier.word()),
            kind: deepest.map(|cause| cause.kind),
            numbers: deepest.iter().flat_map(|cause| compared(&cause.numbers)).collect(),
        }
    }
}

fn compared(numbers: &[(&'static str, String)]) -> Vec<(&'static str, String)> {
    numbers.iter().filter(|(name, _)| !SIZES.contains(name)).cloned().collect()
}

/// A running reduction.
struct ReduceSearch {
    /// The smallest cluster so far that keeps the finding.
    smallest: Snapshot,
    job: Name,
    finding: PreservedFinding,
    quirks: Quirks,
    trials: u32,
    max_trials: u32,
}

/// Reduces the cluster of a cycle for a job.
pub fn reduce(run: &Arc<Run>, job: JobId, reduction: ReductionEffort) -> ReducedCluster {
    let snap = &run.plan.snap;
    let mut search = ReduceSearch {
        smallest: (**snap).clone(),
        job: snap.jobs[job].name.clone(),
        finding: PreservedFinding::of(run, job),
        quirks: run.plan.quirks,
        trials: 0,
        max_trials: reduction.most_trials,
    };
    let mut size = search.size();
    loop {
        search.jobs();
        search.nodes();
        search.remove_other_objects();
        search.settings();
        // The last removals may make further ones possible.
        let now = search.size();
        if now >= size || search.is_over() {
            break;
        }
        size = now;
    }
    ReducedCluster {
        is_minimal: !search.is_over(),
        trials: search.trials,
        snapshot: Arc::new(search.smallest),
    }
}

impl ReduceSearch {
    fn size(&self) -> usize {
        let snap = &self.smallest;
        snap.jobs.len() + snap.nodes.len() + snap.queues.len() + snap.reservations.len()
    }

    fn is_over(&self) -> bool {
        self.trials >= self.max_trials
    }

    /// Takes a smaller cluster if it keeps the finding.
    fn try_smaller(&mut self, smaller: Snapshot) -> bool {
        if self.is_over() {
            return false;
        }
        self.trials += 1;
        let Some(job) = smaller.job_named(&self.job) else { return false };
        let run = Arc::new(run_cycle(Arc::new(smaller.clone()), self.quirks));
        // The verdict is compared first: it is available at once, while the causes take longer.
        let verdict = decided(&run, job).map(|outcome| outcome.verdict.word());
        let stays = verdict == self.finding.verdict && PreservedFinding::of(&run, job) == self.finding;
        if stays {
            self.smallest = smaller;
        }
        stays
    }

    fn jobs(&mut self) {
        let own = self.job.clone();
        let others =
            self.smallest.jobs.iter().map(|job| job.name.clone()).filter(|name| *name != own).collect();
        let whole = self.smallest.clone();
        shrink(others, &mut |kept| {
            let kept: FxHashSet<&Name> = kept.iter().chain(std::iter::once(&own)).collect();
            self.try_smaller(removal::jobs(&whole, &|job| kept.contains(&job.name)))
        });
    }

    fn nodes(&mut self) {
        let nodes = self.smallest.nodes.iter().map(|node| node.name.clone()).collect();
        let whole = self.smallest.clone();
        shrink(nodes, &mut |kept| {
            // Without any vnode the dump of vnodes would be empty.
            if kept.is_empty() {
                return false;
            }
            let kept: FxHashSet<&Name> = kept.iter().collect();
            self.try_smaller(removal::nodes(&whole, &|name| kept.contains(name)))
        });
    }

    /// Removes reservations and queues.
    fn remove_other_objects(&mut self) {
        let names: Vec<Name> = self.smallest.reservations.iter().map(|one| one.name.clone()).collect();
        for name in names {
            let smaller = self.smallest.with(&[Edit::NoReservation(name)]);
            self.try_smaller(smaller);
        }
        let queues = self.smallest.queues.iter().map(|queue| queue.name.clone()).collect();
        let whole = self.smallest.clone();
        shrink(queues, &mut |kept| {
            let kept: FxHashSet<&Name> = kept.iter().collect();
            let queues = whole.queues.iter().filter(|queue| kept.contains(&queue.name)).cloned().collect();
            self.try_smaller(Snapshot { queues, ..whole.clone() })
        });
    }

    fn settings(&mut self) {
        for setting in SETTINGS {
            let mut smaller = self.smallest.clone();
            if setting(&mut smaller) {
                self.try_smaller(smaller);
            }
        }
        for resource in removal::resources(&self.smallest) {
            let smaller = removal::resource(&self.smallest, resource);
            self.try_smaller(smaller);
        }
    }
}

/// Removes as many items as possible: first halves, then ever smaller parts down to single items. `stays` is called
/// with the remaining items; a removal it accepts is final.
fn shrink(items: Vec<Name>, stays: &mut dyn FnMut(&[Name]) -> bool) {
    let mut kept = items;
    if kept.is_empty() || stays(&[]) {
        return;
    }
    let mut size = kept.len().div_ceil(2);
    loop {
        let mut at = 0;
        while at < kept.len() {
            let is_left = |nth: usize| nth < at || nth >= at + size;
            let left: Vec<Name> = kept
                .iter()
                .enumerate()
                .filter(|(nth, _)| is_left(*nth))
                .map(|(_, name)| name.clone())
                .collect();
            if !left.is_empty() && stays(&left) {
                kept = left;
            } else {
                at += size;
            }
        }
        if size == 1 {
            return;
        }
        size = size.div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_is_left_alone() {
        for needed in [&["7"][..], &["0", "31"], &["3", "4", "20"]] {
            let items: Vec<Name> = (0..32).map(|n: u32| n.to_string().into()).collect();
            let mut left = items.clone();
            let mut asked = 0;
            shrink(items, &mut |kept| {
                asked += 1;
                let stays = needed.iter().all(|name| kept.iter().any(|kept| **kept == **name));
                if stays {
                    left = kept.to_vec();
                }
                stays
            });
            assert_eq!(left.iter().map(|name| &**name).collect::<Vec<_>>(), needed);
            assert!(asked < 80, "{asked}");
        }
    }
}
