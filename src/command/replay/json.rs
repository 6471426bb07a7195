//! The answers as JSON.

use serde::Serialize;

use super::lost_snapshots::{LostGroup, LostSnapshots};
use color_eyre::eyre::Result;
use qscope_record::{Damage, Recording, SnapshotEntry, SnapshotSelector};

/// What a recording holds.
#[derive(Serialize)]
pub(super) struct RecordingJson {
    recording: String,
    bytes: u64,
    snapshots: Vec<SnapshotJson>,
    damage: Vec<DamageJson>,
}

#[derive(Serialize)]
struct SnapshotJson {
    number: u64,
    at: i64,
    bytes: u64,
}

#[derive(Serialize)]
struct DamageJson {
    file: String,
    offset: u64,
    bytes: u64,
    /// Whether the segment ends there, as after a crash.
    cut: bool,
}

/// The result of reading all of it.
#[derive(Serialize)]
pub(super) struct RecordingCheckJson<'a> {
    recording: String,
    readable: usize,
    lost: &'a [String],
    /// The same, those lost by one damage together.
    lost_groups: &'a [LostGroup],
    damage: Vec<DamageJson>,
}

impl RecordingJson {
    pub(super) fn of(recording: &Recording, point: Option<SnapshotSelector>) -> Result<Self> {
        let only = point.map(|point| recording.files_at(point).map(|(moment, _)| moment)).transpose()?;
        let moments = recording.moments().iter().filter(|moment| only.is_none_or(|only| only == **moment));
        let snapshot =
            |entry: &SnapshotEntry| SnapshotJson { number: entry.number, at: entry.at.0, bytes: entry.bytes };
        Ok(Self {
            recording: recording.folder().display().to_string(),
            bytes: recording.bytes(),
            snapshots: moments.map(snapshot).collect(),
            damage: recording.damage().iter().map(DamageJson::of).collect(),
        })
    }
}

impl<'a> RecordingCheckJson<'a> {
    pub(super) fn of(recording: &Recording, readable: usize, lost: &'a LostSnapshots) -> Self {
        Self {
            recording: recording.folder().display().to_string(),
            readable,
            lost: &lost.errors,
            lost_groups: &lost.groups,
            damage: recording.damage().iter().map(DamageJson::of).collect(),
        }
    }
}

impl DamageJson {
    fn of(damage: &Damage) -> Self {
        let Damage { file, offset, bytes, is_end } = damage;
        Self { file: file.display().to_string(), offset: *offset, bytes: *bytes, cut: *is_end }
    }
}
