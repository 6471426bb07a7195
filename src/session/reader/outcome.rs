//! Ends a check: makes a generation from the snapshot, or records why there is none.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::TryRecvError;

use super::guard::guard;
use super::{FailedRead, LastGeneration, MANY, ReadFailure, ReadOutcome, SnapshotReader};
use crate::agreement::Agreement;
use crate::{Generation, LoadProgress, SchedLogLocation};
use qscope_engine::cluster::Snapshot;

/// Maximum number of turns of a log that are decided again to compare their lines.
const LOG_TURNS: usize = 300;

/// Hash of a content, computed as for the last generation, and as for its own generation.
pub(super) struct ContentHashes {
    pub(super) current: u64,
    pub(super) kept: u64,
    pub(super) by_time: bool,
}

impl SnapshotReader {
    pub(super) fn run(
        &mut self,
        snapshot: Snapshot,
        log: SchedLogLocation,
        hash: &ContentHashes,
        read_took: Duration,
    ) -> ReadOutcome {
        if self.alive.try_recv() == Err(TryRecvError::Disconnected) {
            return ReadOutcome::Stopped;
        }
        let (nodes, jobs) = (snapshot.nodes.len(), snapshot.jobs.len());
        if let Some(progress) = self.progress.as_ref().filter(|_| nodes + jobs >= MANY) {
            progress(LoadProgress::Cycle { nodes, jobs });
        }
        let number = self.last.as_ref().map_or(0, |last| last.generation.number) + 1;
        let at = self.recording_position.take();
        let number = at.as_ref().map_or(number, |at| at.number);
        let place = at.as_ref().map(|at| at.position);
        let origin = at.map(|at| at.origin);
        let half = self.incomplete_update(&snapshot);
        let stand_ins = self.substitutes(&snapshot);
        // After a failure, nothing is reused from before it.
        let last = self.last.as_ref().filter(|_| self.failed.is_none());
        let before = last.map(|last| last.generation.run.universe());
        let build = |snapshot| (self.engine.build)(before.as_ref(), snapshot, self.opening.quirks);
        let agreed = |mut generation: Generation| {
            generation.late_dump = half;
            generation.substitutes = stand_ins.into();
            generation.take_log(log);
            generation.agreement = Some(Arc::new(self.agreement(&generation)));
            generation.opened_as(&self.opening);
            generation.origin = origin.or(generation.origin);
            generation.position = place;
            if let Some(last) = last {
                generation.weigh(&last.generation);
            }
            generation
        };
        match guard(|| {
            agreed(Generation::run(
                number,
                Arc::new(self.opening.with_adapted_title(snapshot)),
                read_took,
                build,
            ))
        }) {
            Ok(generation) => {
                let generation = Arc::new(generation);
                let (hash, by_time) = (hash.kept, hash.by_time);
                let before =
                    self.last.take().map(|last| last.consistent).filter(|_| generation.late_dump.is_some());
                let consistent = before.unwrap_or_else(|| generation.clone());
                self.last =
                    Some(LastGeneration { hash, by_time, generation: generation.clone(), consistent });
                self.failed = None;
                ReadOutcome::Loaded(generation)
            }
            Err(panicked) => self.panicked(panicked),
        }
    }

    /// Returns the agreement of a generation with the live scheduler, including the last one's prediction.
    pub(super) fn agreement(&self, generation: &Generation) -> Agreement {
        let agreement = Agreement::new(&generation.run, &generation.sched_log, LOG_TURNS);
        let Some(last) = &self.last else { return agreement };
        agreement.after(&last.consistent.run, last.generation.agreement.as_deref(), &generation.run)
    }

    /// Handles a panic within the program: the memory may be partly changed, so it is replaced. The panic is not a
    /// property of the content, so the next check tries again.
    pub(super) fn panicked(&mut self, message: String) -> ReadOutcome {
        self.memory = self.fresh_memory();
        self.fail(None, message)
    }

    pub(super) fn fail(&mut self, hash: Option<u64>, why: impl Into<ReadFailure>) -> ReadOutcome {
        let failure = why.into();
        self.failed = Some(FailedRead { hash, failure: failure.clone() });
        ReadOutcome::Failed(failure)
    }
}
