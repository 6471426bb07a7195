//! Compares the starts predicted by a snapshot's cycle with those observed by the next snapshot.

use std::ops::Add;

use rustc_hash::FxHashMap;
use serde::Serialize;

use qscope_engine::cluster::{Epoch, ExecVnode, Job, JobState, Name, Snapshot, array_id};
use qscope_engine::cycle::{Outcome, Run};

/// A prediction and its outcome.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Prediction {
    pub from: Epoch,
    /// The time of the snapshot that it is compared with.
    pub to: Epoch,
    /// Jobs that waited then and run now.
    pub starts: Vec<PredictedStart>,
    /// Jobs predicted to start that still wait.
    pub missed: Vec<Name>,
    /// Jobs predicted to start that are no longer in the dump.
    pub gone: Vec<Name>,
    /// The counts.
    pub score: PredictionScore,
}

/// A job that started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PredictedStart {
    /// Full id of the job.
    #[serde(rename = "id")]
    pub job: Name,
    /// Where it runs, according to the dump.
    pub on: String,
    /// Predicted placement; `None` if it was predicted to wait.
    pub predicted: Option<String>,
    /// Whether the placements are equal.
    pub nodes: PlacementMatch,
}

/// Result of comparing the predicted with the actual nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlacementMatch {
    /// The same chunks in the same order.
    Same,
    /// The same chunks in a different order.
    SameInOtherOrder,
    /// Different nodes or amounts.
    Other,
    /// The job was not predicted to start, or the dump does not show where it runs.
    Unknown,
}

/// Quality of predictions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PredictionScore {
    pub starts: usize,
    /// Of these, jobs predicted to start.
    pub predicted: usize,
    /// Of these, jobs that run on the predicted nodes.
    pub same_nodes: usize,
    /// Jobs predicted to start that still wait.
    pub missed: usize,
    /// Jobs that waited and still do, as predicted.
    pub waited_as_predicted: usize,
    /// Jobs that waited and are no longer in the dump.
    pub vanished: usize,
}

impl PredictionScore {
    /// Returns the number of jobs for which it is known whether they started.
    pub fn decided(self) -> usize {
        self.starts + self.missed + self.waited_as_predicted
    }

    /// Returns the number of those predicted correctly.
    pub fn right(self) -> usize {
        self.predicted + self.waited_as_predicted
    }

    /// Returns the number of correct predictions if nothing were predicted to start.
    pub fn baseline_correct(self) -> usize {
        self.missed + self.waited_as_predicted
    }
}

impl Add for PredictionScore {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            starts: self.starts + other.starts,
            predicted: self.predicted + other.predicted,
            same_nodes: self.same_nodes + other.same_nodes,
            missed: self.missed + other.missed,
            waited_as_predicted: self.waited_as_predicted + other.waited_as_predicted,
            vanished: self.vanished + other.vanished,
        }
    }
}

impl Prediction {
    /// Compares a cycle with a later snapshot.
    pub fn new(before: &Run, after: &Snapshot) -> Self {
        let snap = &before.plan.snap;
        let predicted = predicted_starts(before);
        let later = LaterJobs::new(after);
        let mut this = Self { from: snap.now, to: after.now, ..Self::default() };
        for name in waiting(snap) {
            let planned = predicted.get(&*name);
            match later.fate(&name) {
                LaterJobState::Running(job) => this.add_start(name, job, planned),
                LaterJobState::Waiting if planned.is_some() => this.missed.push(name),
                LaterJobState::Waiting => this.score.waited_as_predicted += 1,
                LaterJobState::Vanished if planned.is_some() => this.gone.push(name),
                LaterJobState::Vanished => this.score.vanished += 1,
            }
        }
        this.score.missed = this.missed.len();
        this.score.vanished += this.gone.len();
        this
    }

    fn add_start(&mut self, name: Name, job: &Job, planned: Option<&String>) {
        let on = job.exec_vnode.as_ref();
        let nodes = match (planned.and_then(|text| ExecVnode::parse(text).ok()), on) {
            (Some(planned), Some(on)) => compare_nodes(planned, on.clone()),
            _ => PlacementMatch::Unknown,
        };
        self.score.starts += 1;
        self.score.predicted += usize::from(planned.is_some());
        self.score.same_nodes +=
            usize::from(matches!(nodes, PlacementMatch::Same | PlacementMatch::SameInOtherOrder));
        let on = on.map(ToString::to_string).unwrap_or_default();
        self.starts.push(PredictedStart { job: name, on, predicted: planned.cloned(), nodes });
    }
}

fn compare_nodes(planned: ExecVnode, on: ExecVnode) -> PlacementMatch {
    if planned == on {
        return PlacementMatch::Same;
    }
    let sorted = |placement: ExecVnode| {
        let mut chunks: Vec<String> =
            placement.chunks.iter().map(|c| ExecVnode { chunks: [c.clone()].into() }.to_string()).collect();
        chunks.sort_unstable();
        chunks
    };
    if sorted(planned) == sorted(on) { PlacementMatch::SameInOtherOrder } else { PlacementMatch::Other }
}

/// Returns the jobs that the cycle starts, with their placement, except those refused by the server.
fn predicted_starts(run: &Run) -> FxHashMap<String, String> {
    let snap = &run.plan.snap;
    let nodes = |outcome: &Outcome| Some(outcome.placed.as_ref()?.allocation.exec_vnode(&run.plan));
    let starts = run.starts();
    starts.filter_map(|outcome| Some((outcome.name(snap), nodes(outcome)?))).collect()
}

/// Returns all waiting jobs; for arrays, the remaining subjobs.
fn waiting(snap: &Snapshot) -> Vec<Name> {
    let mut names = Vec::new();
    for job in &snap.jobs {
        let waits = matches!(
            job.state,
            JobState::Queued | JobState::Held | JobState::Waiting | JobState::Suspended | JobState::Begun
        );
        match &job.array {
            _ if !waits => {}
            None => names.push(job.name.clone()),
            Some(array) if array.is_parent => {
                names.extend(
                    array.remaining.iter().filter_map(|index| job.subjob_name(*index).map(Name::from)),
                );
            }
            // Subjobs are covered by their array, unless they returned to waiting.
            Some(_) if job.state == JobState::Suspended => names.push(job.name.clone()),
            Some(_) => {}
        }
    }
    names
}

/// State of a job in the later snapshot.
enum LaterJobState<'a> {
    Running(&'a Job),
    Waiting,
    Vanished,
}

/// Jobs of the later snapshot, by name.
struct LaterJobs<'a> {
    jobs: FxHashMap<&'a str, &'a Job>,
}

impl<'a> LaterJobs<'a> {
    fn new(snap: &'a Snapshot) -> Self {
        Self { jobs: snap.jobs.iter().map(|job| (&*job.name, job)).collect() }
    }

    fn fate(&self, name: &str) -> LaterJobState<'a> {
        match self.jobs.get(name) {
            Some(job) => match job.state {
                JobState::Running | JobState::Exiting | JobState::UserSuspended => {
                    LaterJobState::Running(job)
                }
                JobState::Queued | JobState::Held | JobState::Waiting | JobState::Suspended => {
                    LaterJobState::Waiting
                }
                _ => LaterJobState::Vanished,
            },
            None if self.remains(name) => LaterJobState::Waiting,
            None => LaterJobState::Vanished,
        }
    }

    /// Whether an unlisted subjob is among those that its array still has to start.
    fn remains(&self, name: &str) -> bool {
        let Some((array, index)) = array_id(name) else { return false };
        let array = self.jobs.get(&*array).and_then(|job| job.array.as_ref());
        let index = index.parse::<u32>();
        array.is_some_and(|array| index.is_ok_and(|index| array.remaining.binary_search(&index).is_ok()))
    }
}
