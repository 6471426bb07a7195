//! A sequence of snapshots of one cluster over time: those of a recording, or the cycles of a simulation.

use std::sync::Arc;
use std::time::Duration;

use super::dump_times::last_of;
use super::generation::generation_of_snapshot;
use super::opening::read_files;
use super::recorded::{RecordedSnapshot, not_opened, recorded};
use super::{ClusterSummary, Generation, Opening, OpeningOrigin, SimulationHistory, generation_of};
use qscope_engine::cluster::Epoch;
use qscope_record::{Recording, SnapshotSelector};
use qscope_source::SourceError;

/// Target of a move on a tape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TapeTarget {
    /// The last snapshot at or before this time; the first one if there is none.
    At(Epoch),
    /// The snapshot with this number, counted from 0 in the order of time.
    Index(usize),
    /// The snapshot with this number in the recording, or of this cycle of the simulation.
    Number(u64),
    /// The snapshot before the current one.
    Older,
    /// The snapshot after the current one.
    Newer,
}

/// The snapshots over time of an opening.
#[derive(Clone, Debug)]
pub enum Tape {
    /// A recording, and the indices of its snapshots in the order of time.
    Recording(Recording, Vec<usize>),
    /// A simulation, whose snapshots are the states before its cycles.
    Simulation(Arc<SimulationHistory>),
}

impl Opening {
    /// Returns the snapshots over time, if the opening has them.
    ///
    /// # Errors
    /// If a recording cannot be opened.
    pub fn tape(&self) -> Result<Option<Tape>, SourceError> {
        Ok(match &self.origin {
            OpeningOrigin::Recording { folder, .. } => {
                let recording = Recording::open(folder).map_err(|error| not_opened(&error))?;
                let moments = recording.moments();
                let mut order: Vec<usize> = (0..moments.len()).collect();
                order.sort_by_key(|nth| moments.get(*nth).map(|moment| (moment.at, moment.number)));
                Some(Tape::Recording(recording, order))
            }
            OpeningOrigin::Simulation { simulated, .. } => Some(Tape::Simulation(simulated.clone())),
            OpeningOrigin::Folder(_) | OpeningOrigin::Files(_) | OpeningOrigin::BuiltIn => None,
        })
    }

    /// Whether it has several snapshots over time.
    pub fn has_tape(&self) -> bool {
        matches!(self.origin, OpeningOrigin::Recording { .. } | OpeningOrigin::Simulation { .. })
    }

    /// Reads another snapshot of the tape, and runs its cycle. Its number is that of the snapshot on the tape, so
    /// that numbers follow the order of time.
    ///
    /// # Errors
    /// If there is no tape, no such snapshot on it, or it cannot be read.
    pub fn load_moment(&self, target: TapeTarget, shown: &Generation) -> Result<Generation, SourceError> {
        let none = || SourceError::NoMoment;
        let tape = self.tape()?.ok_or_else(none)?;
        match target {
            // The clock on the screen is that of the data, which may be of another day than the recording.
            TapeTarget::At(at) => tape.load_at(self, at).or_else(|error| {
                let taken = tape.taken_when(at, shown);
                let is_before_all = |at: Epoch| tape.moments().first().is_some_and(|first| at < *first);
                match taken {
                    Some(taken) if !is_before_all(taken) => tape.load_at(self, taken).map_err(|_| error),
                    _ if is_before_all(at) => tape.load(self, 0),
                    _ => Err(error),
                }
            }),
            TapeTarget::Index(nth) => tape.load(self, nth),
            TapeTarget::Number(number) => tape.load(self, tape.place_of_number(number).ok_or_else(none)?),
            TapeTarget::Older | TapeTarget::Newer => {
                let at = tape.place_of(shown).ok_or_else(none)?;
                tape.load_neighbour(self, at, target == TapeTarget::Older).ok_or_else(none)?
            }
        }
    }
}

impl Tape {
    /// Returns the time of each snapshot, in order.
    pub fn moments(&self) -> Vec<Epoch> {
        match self {
            Self::Recording(recording, order) => {
                order.iter().filter_map(|nth| Some(recording.moments().get(*nth)?.at)).collect()
            }
            Self::Simulation(simulated) => simulated.levels.iter().map(|level| level.at).collect(),
        }
    }

    /// Returns the number of snapshots.
    pub fn len(&self) -> usize {
        match self {
            Self::Recording(_, order) => order.len(),
            Self::Simulation(simulated) => simulated.levels.len(),
        }
    }

    /// Whether it has no snapshots.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the summary of the cluster at every time, if known without reading.
    #[must_use]
    pub fn levels(&self) -> Option<&[ClusterSummary]> {
        match self {
            Self::Recording(..) => None,
            Self::Simulation(simulated) => Some(&simulated.levels),
        }
    }

    /// Returns the index of a snapshot that was read from it.
    pub fn place_of(&self, generation: &Generation) -> Option<usize> {
        self.place_of_number(generation.number)
    }

    fn place_of_number(&self, number: u64) -> Option<usize> {
        match self {
            Self::Recording(recording, order) => order
                .iter()
                .position(|nth| recording.moments().get(*nth).is_some_and(|moment| moment.number == number)),
            Self::Simulation(_) => usize::try_from(number.checked_sub(1)?).ok(),
        }
    }

    /// Returns the summary of the cluster at one time.
    ///
    /// # Errors
    /// If the snapshot cannot be read.
    pub fn level(&self, opening: &Opening, nth: usize) -> Result<ClusterSummary, SourceError> {
        if let Some(level) = self.levels().and_then(|levels| levels.get(nth)) {
            return Ok(level.clone());
        }
        let generation = self.load(opening, nth)?;
        let at = self.moments().get(nth).copied().unwrap_or(generation.snapshot.now);
        Ok(ClusterSummary { at, ..ClusterSummary::of(&generation.run) })
    }

    /// Reads a snapshot by its index, and runs its cycle.
    ///
    /// # Errors
    /// If it does not exist, or cannot be read.
    pub fn load(&self, opening: &Opening, nth: usize) -> Result<Generation, SourceError> {
        let gone = || SourceError::CannotRead {
            file: format!("snapshot {}", nth + 1).into(),
            why: "there is none of that number".to_owned(),
        };
        match self {
            Self::Recording(recording, order) => {
                let moment = order.get(nth).and_then(|nth| recording.moments().get(*nth)).ok_or_else(gone)?;
                read_point(opening, recording.folder(), SnapshotSelector::Number(moment.number))
            }
            Self::Simulation(simulated) => {
                let snapshot = simulated.snapshot(nth).ok_or_else(gone)?;
                let origin = OpeningOrigin::Simulation { simulated: simulated.clone(), nth };
                let opening = Opening { origin, ..opening.clone() };
                let snapshot = Arc::new(snapshot);
                let generation = generation_of_snapshot(&opening, snapshot, nth as u64 + 1, Duration::ZERO);
                Ok(Generation { position: Some((nth + 1, self.len())), ..generation })
            }
        }
    }

    /// Returns when the snapshots whose data are of a time, or of the minute that begins then, were taken, if they
    /// were as old then as the data shown.
    fn taken_when(&self, at: Epoch, shown: &Generation) -> Option<Epoch> {
        let taken = self.moments().get(self.place_of(shown)?).copied()?;
        Some(last_of(at) + (taken - shown.snapshot.now))
    }

    /// Loads the last readable snapshot at or before a time.
    fn load_at(&self, opening: &Opening, at: Epoch) -> Result<Generation, SourceError> {
        match self {
            Self::Recording(recording, _) => {
                read_point(opening, recording.folder(), SnapshotSelector::At(at))
            }
            Self::Simulation(simulated) => {
                let nth = simulated.levels.iter().rposition(|level| level.at <= at);
                self.load(opening, nth.unwrap_or(0))
            }
        }
    }

    /// Loads the next readable snapshot in a direction; `None` at the end.
    fn load_neighbour(
        &self,
        opening: &Opening,
        at: usize,
        is_older: bool,
    ) -> Option<Result<Generation, SourceError>> {
        let mut nth = at;
        loop {
            nth = if is_older { nth.checked_sub(1)? } else { nth + 1 };
            if nth >= self.len() {
                return None;
            }
            match self.load(opening, nth) {
                // Damaged snapshots are skipped.
                Err(SourceError::Recording(_)) => {}
                loaded => return Some(loaded),
            }
        }
    }
}

/// Reads and runs once, without following anything. A snapshot of a recording or simulation has its number there.
pub fn load_generation(opening: &Opening, number: u64) -> Result<Generation, SourceError> {
    if let OpeningOrigin::Simulation { simulated, nth } = &opening.origin {
        return Tape::Simulation(simulated.clone()).load(opening, *nth);
    }
    if let OpeningOrigin::Recording { folder, at } = &opening.origin {
        return read_point(opening, folder, *at);
    }
    generation_of(opening, &read_files(&opening.origin)?, number)
}

/// Reads a point of a recording; the origin of the result names it by number.
pub(super) fn read_point(
    opening: &Opening,
    folder: &std::path::Path,
    point: SnapshotSelector,
) -> Result<Generation, SourceError> {
    let RecordedSnapshot { number, position, files } = recorded(folder, point)?;
    let origin = OpeningOrigin::Recording { folder: folder.to_owned(), at: SnapshotSelector::Number(number) };
    let generation = generation_of(&Opening { origin, ..opening.clone() }, &files, number)?;
    Ok(Generation { position: Some(position), ..generation })
}
