//! Summarizes a cluster at one time, in the few numbers of a picture over time.

use std::sync::Arc;

use qscope_engine::cluster::{Epoch, JobState, Node, is_abandoned};
use qscope_engine::cycle::Run;
use qscope_explain::{Alert, alerts, waiting_jobs};

/// A cluster before the cycle at one time.
#[derive(Clone, PartialEq, Debug)]
pub struct ClusterSummary {
    /// The time; for a recording, when the snapshot was taken.
    pub at: Epoch,
    /// The time of its data.
    pub data: Epoch,
    /// Number of jobs that wait after the cycle; an array counts once.
    pub waiting: usize,
    pub running: usize,
    /// Cores assigned on nodes that are in service and not kept by a job missing from the dump.
    pub busy: f64,
    /// Total cores of those nodes.
    pub cores: f64,
    /// Number of jobs that this cycle starts.
    pub starts: usize,
    /// What an operator had to see without asking, the most severe first.
    pub alerts: Arc<[Alert]>,
}

impl ClusterSummary {
    /// Summarizes a cycle.
    pub fn of(run: &Run) -> Self {
        let snap = &run.plan.snap;
        let is_in_service = |node: &&Node| {
            let is_kept = !node.jobs.is_empty() && is_abandoned(node);
            !node.states.is_out_of_service() && !is_kept
        };
        let in_service = snap.nodes.iter().filter(is_in_service);
        let (mut busy, mut cores) = (0.0, 0.0);
        for node in in_service {
            cores += node.available.cpus();
            busy += node.assigned.cpus();
        }
        Self {
            at: snap.now,
            data: snap.now,
            waiting: waiting_jobs(run),
            running: snap.jobs.iter().filter(|job| job.state == JobState::Running).count(),
            busy,
            cores,
            starts: run.starts().count(),
            alerts: alerts(run).into(),
        }
    }

    /// Shares the alerts of an earlier one if they are equal: they rarely change, and there may be many.
    #[must_use]
    pub fn sharing(mut self, before: Option<&Self>) -> Self {
        if let Some(before) = before.filter(|before| before.alerts == self.alerts) {
            self.alerts = before.alerts.clone();
        }
        self
    }

    /// Returns the fraction of the cores in service that is assigned, 0 to 1.
    pub fn utilisation(&self) -> f64 {
        if self.cores > 0.0 { (self.busy / self.cores).clamp(0.0, 1.0) } else { 0.0 }
    }
}
