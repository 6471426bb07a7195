//! Reads openings that are not followed: files, a snapshot of a recording, a simulation, the sample.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::guard::guard;
use super::outcome::ContentHashes;
use super::{LastGeneration, ReadOutcome, RecordingPosition, SnapshotReader, of_content};
use crate::recorded::{RecordedSnapshot, recorded};
use crate::{OpeningOrigin, SchedLogLocation, load_generation, read_files};
use qscope_record::SnapshotSelector;
use qscope_source::Files;

impl SnapshotReader {
    /// Reads files that are not followed, or a snapshot of a recording, on request.
    pub(super) fn files(&mut self, moment: Option<(&Path, SnapshotSelector)>) -> ReadOutcome {
        let started = Instant::now();
        let read = || match moment {
            Some((folder, at)) => recorded(folder, at).map(|RecordedSnapshot { number, position, files }| {
                let at = SnapshotSelector::Number(number);
                let origin = OpeningOrigin::Recording { folder: folder.to_owned(), at };
                (Some(RecordingPosition { number, position, origin }), files)
            }),
            None => Ok((None, read_files(&self.opening.origin)?)),
        };
        let (at, files) = match guard(read) {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => return self.fail(None, error.to_string()),
            Err(panicked) => return self.panicked(panicked),
        };
        let found = files.hash(true);
        if let Some(outcome) = self.known_outcome(found) {
            return outcome;
        }
        let snapshot = match guard(|| (self.engine.load)(&files, &self.opening.load, &mut self.memory)) {
            Ok(Ok(snapshot)) => snapshot,
            Ok(Err(error)) => return self.fail(of_content(found, &error), error.to_string()),
            Err(panicked) => return self.panicked(panicked),
        };
        if let Some(why) = self.lost_file_report(&snapshot).or_else(|| self.opening.no_verdicts(&snapshot)) {
            return self.fail(Some(found), why);
        }
        let log = SchedLogLocation::of(&self.opening.origin, &files);
        self.recording_position = at;
        self.run(
            snapshot,
            log,
            &ContentHashes { current: found, kept: found, by_time: true },
            started.elapsed(),
        )
    }

    /// Loads a cycle of a simulation, which never changes.
    pub(super) fn simulated(&mut self) -> ReadOutcome {
        if let Some(outcome) = self.known_outcome(0) {
            return outcome;
        }
        match guard(|| load_generation(&self.opening, 1)) {
            Ok(Ok(generation)) => {
                let generation = Arc::new(generation);
                let consistent = generation.clone();
                self.last = Some(LastGeneration {
                    hash: 0,
                    by_time: false,
                    generation: generation.clone(),
                    consistent,
                });
                ReadOutcome::Loaded(generation)
            }
            Ok(Err(error)) => self.fail(Some(0), error.to_string()),
            Err(panicked) => self.panicked(panicked),
        }
    }

    /// Loads the sample, which never changes.
    pub(super) fn built_in(&mut self) -> ReadOutcome {
        let (started, hash) = (Instant::now(), ContentHashes { current: 0, kept: 0, by_time: false });
        if let Some(outcome) = self.known_outcome(hash.current) {
            return outcome;
        }
        match guard(|| (self.engine.load)(&Files::built_in(), &self.opening.load, &mut self.memory)) {
            Ok(Ok(snapshot)) => self.run(snapshot, SchedLogLocation::BuiltIn, &hash, started.elapsed()),
            Ok(Err(error)) => self.fail(Some(hash.current), error.to_string()),
            Err(panicked) => self.panicked(panicked),
        }
    }
}
