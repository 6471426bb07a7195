//! Core-hours waited by reason: between two cycles each waiting job adds its time to the reason that the cycle before
//! gave it (days rule 11).

use std::collections::BTreeMap;
use std::sync::Arc;

use qscope_engine::cluster::{Job, JobState, Name};
use qscope_engine::cycle::Run;
use qscope_explain::BoardBuilder;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::server::SimulatedServer;
use crate::track::{SimulatedJob, SimulatedJobId};

/// Waits for one reason, over a whole simulation.
#[derive(Clone, PartialEq, Debug)]
pub struct WaitedForReason {
    /// The reason as `board` names it: `insufficient ncpus`. Besides, `not yet looked at` for a job that no cycle has
    /// considered since it arrived, was released or was preempted; `held by user` and its like; `starts later`.
    pub reason: Name,
    /// Seconds times requested cores; for an array, the cores of the subjobs that are left.
    pub core_seconds: f64,
    /// Number of jobs that waited for this reason at any time; an array counts as one.
    pub jobs: usize,
}

/// Reasons of waiting jobs, and the waits so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaitAccounts {
    given: FxHashMap<SimulatedJobId, Name>,
    totals: BTreeMap<Name, ReasonTotal>,
}

#[derive(Clone, Debug, Default)]
struct ReasonTotal {
    core_seconds: f64,
    jobs: FxHashSet<SimulatedJobId>,
}

/// The reasons that one cycle gave.
pub(crate) type GivenReasons = FxHashMap<SimulatedJobId, Name>;

/// Returns the reason of each job that waits after a cycle, which must have run on the current state of the server.
pub(crate) fn reasons_of(run: &Arc<Run>, server: &SimulatedServer) -> GivenReasons {
    let mut board = BoardBuilder::new(run.clone());
    board.analyse_groups(&mut || true);
    let mut names: FxHashSet<Name> = FxHashSet::default();
    let mut shared = |name: &str| {
        let known = names.get(name).cloned();
        known.unwrap_or_else(|| {
            let name = Name::from(name);
            names.insert(name.clone());
            name
        })
    };
    let reasons = board.reasons().into_iter();
    reasons.filter_map(|(job, reason)| Some((server.track_of(job)?, shared(&reason.name)))).collect()
}

impl WaitAccounts {
    /// Records the reasons of a cycle, once the server has applied it.
    pub(crate) fn give(&mut self, mut reasons: GivenReasons, server: &SimulatedServer) {
        // A job that is held gets the reason of its state, also after its release, until a cycle considers it.
        let waiting: FxHashSet<SimulatedJobId> =
            in_order(server).filter(|(_, job)| job.waits_for_nodes()).map(|(id, _)| id).collect();
        reasons.retain(|job, _| waiting.contains(job));
        self.given = reasons;
    }

    /// Adds a time that has passed since the last change of any job.
    pub(crate) fn add(&mut self, seconds: i64, server: &mut SimulatedServer) {
        let SimulatedServer { snap, order, tracks, .. } = server;
        for (id, job) in order.iter().zip(snap.jobs.iter()) {
            let Some(reason) = self.reason(*id, job, &tracks[*id]) else { continue };
            let total = self.totals.entry(reason.clone()).or_default();
            total.core_seconds += cores(job) * seconds as f64;
            total.jobs.insert(*id);
            tracks[*id].result.last_reason = Some(reason);
        }
    }

    /// Returns why a job waits now; `None` if it runs, or nothing of it waits.
    fn reason(&self, id: SimulatedJobId, job: &Job, track: &SimulatedJob) -> Option<Name> {
        match job.state {
            JobState::Held => Some(held(job, track).into()),
            JobState::Waiting => Some("starts later".into()),
            _ if !job.waits_for_nodes() => None,
            _ => {
                let preempted = !track.result.preempted.is_empty();
                let unseen = if preempted { "preempted" } else { "not yet looked at" };
                Some(self.given.get(&id).cloned().unwrap_or_else(|| unseen.into()))
            }
        }
    }

    /// Returns the sums, the largest first.
    pub(crate) fn totals(self) -> Vec<WaitedForReason> {
        let all = self.totals.into_iter().map(|(reason, total)| WaitedForReason {
            reason,
            core_seconds: total.core_seconds,
            jobs: total.jobs.len(),
        });
        let mut all: Vec<WaitedForReason> = all.collect();
        all.sort_by(|a, b| b.core_seconds.total_cmp(&a.core_seconds));
        all
    }
}

fn in_order(server: &SimulatedServer) -> impl Iterator<Item = (SimulatedJobId, &Job)> {
    server.order.iter().copied().zip(server.snap.jobs.iter())
}

/// Returns who holds a job, or that its dependency is not met.
fn held(job: &Job, track: &SimulatedJob) -> String {
    if track.hold.depends {
        return "dependency".to_owned();
    }
    let by = job.holds.chars().filter_map(|letter| match letter {
        'u' => Some("user"),
        'o' => Some("operator"),
        's' => Some("system"),
        'p' => Some("bad password"),
        _ => None,
    });
    let by: Vec<&str> = by.collect();
    if by.is_empty() { "held".to_owned() } else { format!("held by {}", by.join(" and ")) }
}

/// Returns the cores that a job requests; for an array, those of the subjobs that are left.
fn cores(job: &Job) -> f64 {
    let left = job.array.as_ref().filter(|_| job.is_array()).map_or(1, |array| array.remaining.len());
    job.requested.cpus() * left as f64
}
