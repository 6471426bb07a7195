//! The counts of a snapshot in every frame: nodes and jobs by what they do, the verdict of every step. Counted once,
//! since a frame has no time for ten thousand nodes.

use crate::theme::Role;
use crate::wording;
use qscope_engine::cluster::{Job, JobState, NodeState, Snapshot};
use qscope_engine::cycle::Run;

/// The counts of a snapshot.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) nodes: Nodes,
    pub(crate) jobs: Jobs,
    /// How the verdict of each step looks.
    pub(crate) verdicts: Vec<Role>,
}

impl Summary {
    /// Counts everything.
    pub(crate) fn of(run: &Run) -> Self {
        let snap = &run.plan.snap;
        let verdicts =
            run.steps.iter().map(|step| wording::verdict_role(run.verdict(&step.outcome))).collect();
        Self { nodes: Nodes::count(snap), jobs: Jobs::count(snap), verdicts }
    }
}

/// Nodes by what they do; each is counted once.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Nodes {
    all: usize,
    free: usize,
    exclusive: usize,
    shared: usize,
    offline: usize,
    down: usize,
    other: usize,
}

impl Nodes {
    fn count(snap: &Snapshot) -> Self {
        use NodeState as S;
        let mut nodes = Self { all: snap.nodes.len(), ..Self::default() };
        for node in &snap.nodes {
            let is = |state| node.states.has(state);
            *(if is(S::Down) || is(S::Unknown) || is(S::Stale) {
                &mut nodes.down
            } else if is(S::Offline) {
                &mut nodes.offline
            } else if is(S::JobExclusive) || is(S::ResvExclusive) {
                &mut nodes.exclusive
            } else if !node.jobs.is_empty() || is(S::JobBusy) {
                &mut nodes.shared
            } else if node.states.is_free() {
                &mut nodes.free
            } else {
                &mut nodes.other
            }) += 1;
        }
        nodes
    }

    /// In words.
    pub(crate) fn long(&self) -> String {
        let mut text = format!("{} of {} nodes free", self.free, self.all);
        let rest = [
            (self.exclusive, "exclusive"),
            (self.shared, "shared"),
            (self.offline, "offline"),
            (self.down, "down"),
            (self.other, "otherwise out"),
        ];
        for (n, word) in rest.iter().filter(|(n, _)| *n > 0) {
            text.push_str(&format!(", {n} {word}"));
        }
        text
    }

    /// In a few letters.
    pub(crate) fn short(&self) -> String {
        let mut text = format!("{}/{} free", self.free, self.all);
        let out = self.offline + self.down + self.other;
        if out > 0 {
            text.push_str(&format!(", {out} out"));
        }
        text
    }
}

/// Jobs by state; arrays count as one, and so does each of their subjobs that runs.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Jobs {
    running: usize,
    queued: usize,
    held: usize,
    other: usize,
}

impl Jobs {
    fn count(snap: &Snapshot) -> Self {
        let mut jobs = Self::default();
        for job in &snap.jobs {
            jobs.add(job);
        }
        jobs
    }

    fn add(&mut self, job: &Job) {
        match job.state {
            JobState::Running | JobState::Exiting => self.running += 1,
            JobState::Queued | JobState::Begun if job.is_subjob() => {}
            JobState::Queued | JobState::Begun => self.queued += 1,
            JobState::Held => self.held += 1,
            JobState::Expired | JobState::Finished | JobState::Moved => {}
            _ => self.other += 1,
        }
    }

    /// In words.
    pub(crate) fn long(&self) -> String {
        let mut text = format!("{} running, {} queued, {} held", self.running, self.queued, self.held);
        if self.other > 0 {
            text.push_str(&format!(", {} other", self.other));
        }
        text
    }

    /// In a few letters.
    pub(crate) fn short(&self) -> String {
        format!("{}R {}Q {}H", self.running, self.queued, self.held)
    }
}
