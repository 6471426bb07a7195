//! The snapshots that cannot be read, those lost by the same damage together.

use serde::Serialize;

use qscope_engine::cluster::Epoch;
use qscope_exits::Lines;
use qscope_explain::words::count;
use qscope_record::{RecordError, SnapshotEntry};
use qscope_source::civil_time;

/// Snapshots that are lost, in the order of the recording.
#[derive(Default)]
pub(super) struct LostSnapshots {
    /// The error of each.
    pub(super) errors: Vec<String>,
    pub(super) groups: Vec<LostGroup>,
}

/// Consecutive snapshots that are lost by the same damage.
#[derive(Serialize)]
pub(super) struct LostGroup {
    /// Number of the first snapshot.
    first: u64,
    /// Number of the last one.
    last: u64,
    /// Time of the first one.
    from: Epoch,
    /// Time of the last one.
    to: Epoch,
    snapshots: u64,
    why: String,
}

impl LostSnapshots {
    /// Adds a snapshot that cannot be read.
    pub(super) fn add(&mut self, entry: Option<&SnapshotEntry>, error: &RecordError) {
        let why = error.to_string();
        self.errors.push(why.clone());
        let Some(SnapshotEntry { number, at, .. }) = entry.copied() else { return };
        match self.groups.last_mut().filter(|group| group.why == why) {
            Some(group) => (group.last, group.to, group.snapshots) = (number, at, group.snapshots + 1),
            None => {
                self.groups.push(LostGroup {
                    first: number,
                    last: number,
                    from: at,
                    to: at,
                    snapshots: 1,
                    why,
                });
            }
        }
    }

    /// Returns a line for each group.
    pub(super) fn to_text(&self, zone: &str) -> Lines {
        let mut text = Lines::new();
        for LostGroup { first, last, from, to, snapshots, why } in &self.groups {
            let [from, to] = [from, to].map(|at| civil_time(*at, zone));
            text.line(match snapshots {
                1 => format!("1 snapshot is lost, #{first}, {from}: {why}"),
                _ => format!(
                    "{} are lost, #{first} to #{last}, {from} to {to}: {why}",
                    count(*snapshots, "snapshot")
                ),
            });
        }
        text
    }
}
