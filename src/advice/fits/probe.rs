//! Tries requests one after the other, each with its own cycle.

use std::collections::BTreeMap;
use std::sync::Arc;

use qscope_engine::cluster::{ResourceId, Seconds, Snapshot};
use qscope_engine::cycle::{Outcome, Run, Verdict};
use qscope_explain::{Explainer, refused_by_server, words};

use super::FreeNodeKind;
use crate::request::{SubmitRefusal, SubmitRequest, submit};
use crate::{TrialDifference, TrialRun};

/// Five years in minutes, which the scheduler assumes for a job without a walltime.
pub(super) const ANY_LENGTH: i64 = Seconds::UNLIMITED.0 / 60;

/// The cost of a start for other jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StartCost {
    /// Number of jobs that would have started in this cycle and no longer do.
    pub(super) delays: usize,
    /// Number of running jobs that are preempted for it.
    pub(super) preempts: usize,
}

/// Requests of whole nodes of one kind in one queue.
pub(super) struct FitProbe<'r> {
    run: &'r Run,
    snap: &'r Snapshot,
    request: SubmitRequest,
    kind: &'r FreeNodeKind,
    known: BTreeMap<(u32, i64), Result<StartCost, String>>,
    pub(super) cycles: usize,
}

impl<'r> FitProbe<'r> {
    pub(super) fn new(
        run: &'r Run,
        snap: &'r Snapshot,
        request: SubmitRequest,
        kind: &'r FreeNodeKind,
    ) -> Self {
        Self { run, snap, request, kind, known: BTreeMap::new(), cycles: 0 }
    }

    /// Maximum number of nodes that the chunk fits at all.
    pub(super) fn most(&self) -> u32 {
        self.kind.large_enough
    }

    pub(super) fn now(&self) -> i64 {
        self.snap.now.0
    }

    fn request_for(&self, nodes: u32, minutes: i64) -> SubmitRequest {
        let mut request = self.request.clone();
        request.resources = vec![
            ("select".to_owned(), format!("{nodes}:{}", self.kind.chunk)),
            ("place".to_owned(), "scatter:excl".to_owned()),
            ("walltime".to_owned(), (minutes * 60).to_string()),
        ];
        request
    }

    /// Checks whether the queue accepts the smallest possible request.
    pub(super) fn admits(&self) -> Result<(), Vec<SubmitRefusal>> {
        let standing = |refusal: &SubmitRefusal| !matches!(refusal.kind, "resources_min" | "resources_max");
        match submit(self.snap, &self.request_for(1, 1)) {
            Err(refusals) if refusals.iter().any(standing) => Err(refusals),
            _ => Ok(()),
        }
    }

    /// Returns the smallest request, as nodes and minutes, that `resources_min` of the queue allows.
    pub(super) fn least(&self) -> (u32, i64) {
        let snap = self.snap;
        let queue = self.request.queue.as_deref().and_then(|name| snap.queue_named(name));
        let least = |id| queue.and_then(|queue| snap.queues[queue].minimum.amount(id)).map(|amount| amount.0);
        let minutes = least(ResourceId::walltime()).map_or(1, |seconds| (seconds / 60.0).ceil() as i64);
        let nodes = (1..=self.most().max(1))
            .find(|nodes| submit(snap, &self.request_for(*nodes, minutes.max(1))).is_ok());
        (nodes.unwrap_or(1), minutes.max(1))
    }

    /// Returns why the smallest request that the queue allows does not start, in the words of the answer about a job
    /// that waits, and whether it never does.
    pub(super) fn refusal_reason(&mut self) -> (String, bool) {
        let (nodes, minutes) = self.least();
        let first = |refusals: Vec<SubmitRefusal>| refusals.into_iter().next().map(|refusal| refusal.detail);
        let submission = match submit(self.snap, &self.request_for(nodes, minutes)) {
            Ok(submission) => submission,
            Err(refusals) => return (first(refusals).unwrap_or_default(), false),
        };
        self.cycles += 1;
        let run = Arc::new(TrialRun::cycle_with(self.run, submission.job));
        let brief = Explainer::new(&run).brief(TrialRun::added(self.run));
        let is_never = |outcome: &Outcome| run.verdict(outcome) == Verdict::Never;
        let never = brief.outcome.as_ref().is_some_and(is_never);
        (brief.headline, never)
    }

    /// Returns the cost for other jobs if this many nodes start now for this many minutes, or why they do not.
    pub(super) fn starts(&mut self, nodes: u32, minutes: i64) -> Result<StartCost, String> {
        if let Some(known) = self.known.get(&(nodes, minutes)) {
            return known.clone();
        }
        let answer = self.run_with(nodes, minutes);
        self.known.insert((nodes, minutes), answer.clone());
        answer
    }

    fn run_with(&mut self, nodes: u32, minutes: i64) -> Result<StartCost, String> {
        let first = |refusals: Vec<SubmitRefusal>| refusals.into_iter().next().map(|refusal| refusal.detail);
        let submission = submit(self.snap, &self.request_for(nodes, minutes))
            .map_err(|found| first(found).unwrap_or_default())?;
        self.cycles += 1;
        let trial = TrialRun::cycle_with(self.run, submission.job);
        let outcome = trial.outcome(TrialRun::added(self.run));
        if let Some(started) = outcome.filter(|outcome| trial.is_start(outcome)) {
            let delays = TrialDifference::of(self.run, &trial).delayed().count();
            return Ok(StartCost { delays, preempts: started.victims.len() });
        }
        if let Some(refused) = outcome.and_then(|outcome| refused_by_server(&trial, outcome)) {
            return Err(format!("refused by the server: {refused}"));
        }
        let rejection = outcome.and_then(|outcome| outcome.rejection.as_ref());
        let why = rejection.map(|rejection| words::short_reason(&self.snap.catalogue, rejection));
        Err(why.unwrap_or_else(|| "not considered in this cycle".to_owned()))
    }
}
