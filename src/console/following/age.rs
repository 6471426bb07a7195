//! How old the data on the screen are, and why there are no newer ones.

use qscope_engine::cluster::{Epoch, Seconds, Snapshot};
use qscope_session::{FOLDER_GONE, NOT_THERE};
use qscope_source::SIMULATION;

use super::FollowState;
use crate::wording;

/// Usual time between two dumps: a scheduler starts a cycle at least every ten minutes.
const USUAL: Seconds = Seconds(600);

/// Maximum time between snapshots of the same data: their dumps are made one after the other.
const SAME: Seconds = Seconds(30);

/// From this age on (100 days), data are shown with their date: such files were archived and are not followed.
pub(crate) const AGED: Seconds = Seconds(100 * 86_400);

/// Why data that should follow the files are old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OldDataReason {
    /// The files cannot be read any more.
    Unreadable,
    /// Their folder no longer exists.
    FolderGone,
    /// They were not written again.
    NotWritten,
}

/// Old data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OldData {
    pub(crate) reason: OldDataReason,
    now: Epoch,
    /// Time since the last good reading, while readings fail.
    failing_for: Option<Seconds>,
    /// The usual time between two snapshots, if newer data came since the first one.
    usual: Option<Seconds>,
}

impl OldData {
    /// Describes the time and age of the newest data, and why there are no newer ones.
    pub(crate) fn words(self, newest: &Snapshot) -> String {
        let [moment, _] = moment(newest, self.now);
        let age = wording::span(Seconds((self.now - newest.now).0.max(0)));
        match (self.reason, self.failing_for) {
            (OldDataReason::Unreadable, since) => {
                let since = wording::span(since.unwrap_or(Seconds(0)));
                format!("last good reading {since} ago: data of {moment}, {age} old")
            }
            (OldDataReason::FolderGone, _) => {
                format!("STALE: data of {moment}, {age} old: the folder is gone")
            }
            (OldDataReason::NotWritten, _) => match self.usual {
                Some(usual) => {
                    let usual = wording::span(usual);
                    format!("STALE: data of {moment}, {age} old; until then new data came every {usual}")
                }
                None => format!("data of {moment}, {age} old: no newer data since"),
            },
        }
    }
}

/// Returns the time of the data to the second and to the minute, preceded by the date if that is not today.
pub(crate) fn moment(snap: &Snapshot, now: Epoch) -> [String; 2] {
    moment_of(snap, snap.now, now)
}

/// The same of any moment.
pub(crate) fn moment_of(snap: &Snapshot, at: Epoch, now: Epoch) -> [String; 2] {
    let (data, today) = (snap.date(at), snap.date(now));
    let forms = match data.zip(today) {
        Some((data, today)) if data.year() != today.year() => ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"],
        Some((data, today)) if data.date() != today.date() => ["%m-%d %H:%M:%S", "%m-%d %H:%M"],
        _ => ["%H:%M:%S", "%H:%M"],
    };
    let written = |form: &str| snap.date(at).map(|date| date.strftime(form).to_string());
    forms.map(|form| written(form).unwrap_or_else(|| wording::clock(snap, at)))
}

/// Whether "now" was given with the files rather than taken from the dumps: such data do not age.
pub(crate) fn is_given(snap: &Snapshot) -> bool {
    matches!(&*snap.now_source, "given" | "file now" | "queue.toml")
}

/// Whether the snapshot belongs to a simulation: written by it, or part of its recording.
pub(crate) fn is_simulated(snap: &Snapshot) -> bool {
    snap.now_source == SIMULATION
}

impl FollowState {
    /// Whether the followed folder no longer exists.
    pub(crate) fn is_gone(&self) -> bool {
        self.waiting.as_deref() == Some(FOLDER_GONE)
    }

    /// Whether the folder that is followed, or a file that was read, is missing.
    pub(crate) fn misses_file(&self) -> bool {
        self.is_gone() || self.waiting.as_deref().is_some_and(|why| why.ends_with(NOT_THERE))
    }

    /// Whether newer data came since the first reading. A file that goes, comes back or is edited by hand brings a
    /// snapshot of the same data.
    pub(crate) fn is_renewed(&self) -> bool {
        let times = || self.history.iter().map(|one| one.snapshot.now);
        let span = times().min().zip(times().max()).map_or(Seconds(0), |(first, last)| last - first);
        self.history.dropped() > 0 || span > SAME
    }

    /// Whether more than twice the usual time between two snapshots has passed without a new one.
    pub(crate) fn is_old(&self, snap: &Snapshot, now: Epoch) -> bool {
        (now - snap.now).0 > 2 * self.usual_interval().0
    }

    /// Returns the usual time between two snapshots.
    fn usual_interval(&self) -> Seconds {
        let mut times: Vec<i64> = self.history.iter().map(|one| one.snapshot.now.0).collect();
        times.sort_unstable();
        let mut gaps: Vec<i64> =
            times.windows(2).filter_map(|pair| Some(pair.last()? - pair.first()?)).collect();
        gaps.retain(|gap| *gap > 0);
        gaps.sort_unstable();
        Seconds(gaps.get(gaps.len() / 2).copied().unwrap_or(USUAL.0).max(USUAL.0 / 2))
    }

    /// Describes the newest data as old, if they should follow the files and are too old.
    pub(crate) fn old_data(&self, now: Epoch) -> Option<OldData> {
        let newest = &self.history.newest()?.snapshot;
        let is_fixed = || self.has_tape() || is_given(newest) || is_simulated(newest);
        let reason = match () {
            () if self.failure.is_some() => OldDataReason::Unreadable,
            () if self.is_gone() => OldDataReason::FolderGone,
            () if !is_fixed() && now - newest.now < AGED && self.is_old(newest, now) => {
                OldDataReason::NotWritten
            }
            () => return None,
        };
        // Only data that are not written again are compared with how often they were.
        let is_used = reason == OldDataReason::NotWritten && self.is_renewed();
        let usual = is_used.then(|| self.usual_interval());
        Some(OldData { reason, now, failing_for: self.failing_for(now), usual })
    }
}
