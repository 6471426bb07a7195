//! Arrays in accounting logs: their subjobs have records of their own, but an array counts once, with the cores of its
//! subjobs still to start.

use std::collections::{BTreeMap, BTreeSet};

use qscope_engine::cluster::{Epoch, Name, array_id, number_of};
use qscope_source::accounting::AccountingRecord;
use qscope_source::array_indices;

use super::Observations;
use super::track::WaitTrack;

/// Maximum number of indices of an array; PBS allows fewer.
const MAX_INDICES: usize = 10_000_000;

/// What the records of arrays as a whole state.
#[derive(Clone, Debug, Default)]
pub(super) struct LoggedArrays {
    /// Number of subjobs.
    sizes: BTreeMap<Name, u32>,
    /// Arrays that are over.
    ended: BTreeSet<Name>,
}

impl LoggedArrays {
    /// Takes a record of the accounting log, if it is about an array as a whole.
    pub(super) fn take(&mut self, record: &AccountingRecord<'_>) {
        if !record.is_array_parent() {
            return;
        }
        let id: Name = record.id.into();
        if record.kind == "E" {
            self.ended.insert(id.clone());
        }
        let indices = record.field("array_indices").and_then(|text| array_indices(text, MAX_INDICES));
        if let Some(indices) = indices {
            let size = self.sizes.entry(id).or_default();
            *size = number_of(indices.len()).max(*size);
        }
    }

    /// Counts the subjobs with their arrays.
    pub(super) fn count_once(&self, observations: &mut Observations) {
        let mut subjobs: BTreeMap<Name, Vec<Name>> =
            self.sizes.keys().map(|array| (array.clone(), Vec::new())).collect();
        for job in observations.jobs.keys() {
            if let Some((array, index)) = array_id(job)
                && !index.is_empty()
            {
                subjobs.entry(array.into()).or_default().push(job.clone());
            }
        }
        for (array, subjobs) in subjobs {
            self.count_array(&array, &subjobs, observations);
        }
    }

    fn count_array(&self, array: &Name, subjobs: &[Name], observations: &mut Observations) {
        let last = observations.last.unwrap_or_default();
        let mut whole = observations.jobs.remove(array).unwrap_or_default();
        let mut changes: Vec<(Epoch, i64)> = Vec::new();
        for subjob in subjobs {
            let Some(track) = observations.jobs.get_mut(subjob) else { continue };
            track.is_subjob = true;
            whole.inherit(track);
            changes.extend(changes_of(track, last));
        }
        changes.sort_unstable();
        let seen = number_of(subjobs.len());
        let is_complete =
            self.ended.contains(array) || whole.marks.iter().all(|(at, _)| is_before(*at, &changes));
        let size = match self.sizes.get(array) {
            Some(size) if !self.ended.contains(array) => (*size).max(seen),
            _ => seen + u32::from(!is_complete),
        };
        whole.wait_for_subjobs(size, &changes);
        observations.jobs.insert(array.clone(), whole);
    }
}

/// Whether a time is not after the last change.
fn is_before(at: Epoch, changes: &[(Epoch, i64)]) -> bool {
    changes.last().is_some_and(|(last, _)| at <= *last)
}

/// Returns when a subjob started or left (-1) and waited again (+1).
fn changes_of(track: &WaitTrack, last: Epoch) -> Vec<(Epoch, i64)> {
    if let (Some(left), None) = (&track.exit, track.starts().next()) {
        // Deleted before it started.
        return vec![(left.at, -1)];
    }
    let Some(queued) = track.queued.or(track.starts().next()) else { return Vec::new() };
    let periods = track.periods(queued, last);
    let count = periods.waits.len();
    let mut changes = Vec::new();
    for (nth, (from, to)) in periods.waits.into_iter().enumerate() {
        if nth > 0 {
            changes.push((from, 1));
        }
        if nth + 1 < count || periods.is_started {
            changes.push((to, -1));
        }
    }
    changes
}

impl WaitTrack {
    /// Takes from a subjob what is not known of its array.
    fn inherit(&mut self, subjob: &Self) {
        self.user = self.user.take().or_else(|| subjob.user.clone());
        self.queue = self.queue.take().or_else(|| subjob.queue.clone());
        self.queued = self.queued.or(subjob.queued);
        if self.demand.is_empty() {
            self.demand.clone_from(&subjob.demand);
        }
    }

    /// Sets the cores and the starts of an array of so many subjobs from the changes of their number still to start:
    /// the array waits until the last one starts.
    fn wait_for_subjobs(&mut self, size: u32, changes: &[(Epoch, i64)]) {
        let cores = self.demand.first().map(|(_, cores)| *cores);
        let from = self.queued.or(self.demand.first().map(|(at, _)| *at)).unwrap_or_default();
        self.demand.clear();
        self.starts.clear();
        self.requeues.clear();
        self.logged_start = None;
        self.subjob_cores = cores.unwrap_or(0);
        let mut left = i64::from(size);
        let demands = |track: &mut Self, at: Epoch, left: i64| {
            if let (Some(cores), Ok(left @ 1..)) = (cores, u64::try_from(left)) {
                track.demands(at, cores.saturating_mul(left));
            }
        };
        demands(self, from, left);
        for (at, change) in changes {
            let before = left;
            left += change;
            demands(self, *at, left);
            if left <= 0 && before > 0 {
                self.starts.insert(*at);
            } else if left > 0 && before <= 0 {
                self.requeues.insert(*at, "requeued");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::super::{LogObserver, WaitHistory};

    #[test]
    fn an_array_counts_once_with_the_cores_of_its_subjobs_still_to_start() {
        let mut logs = LogObserver::new(TimeZone::UTC);
        let head = "user=ann queue=q qtime=1000 ctime=1000 Resource_List.ncpus=2";
        let text = format!(
            "01/01/1970 00:16:40;Q;12[].svr;{head} array_indices=1-2\n\
             01/01/1970 00:18:20;S;12[].svr;{head} array_indices=1-2 start=1100\n\
             01/01/1970 00:18:20;S;12[1].svr;{head} start=1100\n\
             01/01/1970 00:18:30;S;12[2].svr;{head} start=1110\n\
             01/01/1970 00:16:40;Q;13[].svr;{head} array_indices=1-3\n\
             01/01/1970 00:18:20;S;13[1].svr;{head} start=1100\n\
             01/01/1970 00:20:00;E;13[1].svr;{head} start=1100 end=1200\n"
        );
        text.lines().for_each(|line| logs.take(line));
        let found = logs.found();
        let all = found.waited();
        let jobs: Vec<_> =
            all.iter().map(|one| (&*one.job, one.seconds(), one.is_started, one.subjob_cores)).collect();
        assert_eq!(jobs, [("12[].svr", 110, true, 2), ("13[].svr", 200, false, 2)]);
        let core_seconds = |one: &WaitHistory| one.core_seconds(one.queued, one.until);
        assert_eq!(core_seconds(&all[0]), 100 * 4 + 10 * 2);
        assert_eq!(core_seconds(&all[1]), 100 * 6 + 100 * 4);
        assert_eq!(found.of("12[1]").map(|one| one.seconds()), Some(100), "a subjob can still be named");
    }
}
