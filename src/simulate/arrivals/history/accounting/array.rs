//! An array and its subjobs: request and arrival from the records of the array, runs from those of the subjobs (sites 6).

use std::collections::{BTreeMap, BTreeSet};

use qscope_source::array_indices;

use super::job::{AccountingJob, NO_REQUEST};
use crate::arrivals::ArrivalRow;
use crate::arrivals::history::{ArrivalHistory, HistoryContext};

/// Why indices of an array do not arrive: they were deleted, with their array or alone.
const NEVER_RAN: &str = "subjobs that never started";

/// Why an array does not arrive, apart from subjobs with records: its indices are not in the log, or too many.
const NO_INDICES: &str = "arrays of unknown indices";

/// All records of an array.
#[derive(Clone, Debug, Default)]
pub(super) struct AccountingArray {
    /// The records of the array as a whole.
    whole: Option<AccountingJob>,
    subjobs: BTreeMap<u32, AccountingJob>,
}

impl AccountingArray {
    pub(super) fn created(&self) -> Option<i64> {
        self.whole.iter().chain(self.subjobs.values()).find_map(|job| job.created)
    }

    /// Whether a subjob, or the whole array, was created when this array was.
    pub(super) fn is_created_with(&self, job: &AccountingJob) -> bool {
        job.created.is_some() && job.created == self.created()
    }

    /// Whether it has no records yet of this subjob, or of the whole array; a subjob may be created later than its array.
    pub(super) fn can_take(&self, index: Option<u32>, job: &AccountingJob) -> bool {
        let is_later = job.created.zip(self.created()).is_none_or(|(job, array)| job >= array);
        match index {
            Some(index) => is_later && !self.subjobs.contains_key(&index),
            None => self.whole.is_none(),
        }
    }

    /// Adds the records of a subjob, or of the whole array.
    pub(super) fn take(&mut self, index: Option<u32>, job: AccountingJob) {
        let Some(index) = index else {
            match &mut self.whole {
                Some(whole) => whole.absorb(job),
                None => self.whole = Some(job),
            }
            return;
        };
        match self.subjobs.get_mut(&index) {
            Some(subjob) => subjob.absorb(job),
            None => {
                self.subjobs.insert(index, job);
            }
        }
    }

    /// Adds the array to the arrivals, or the run times of its subjobs to the array in the dump.
    /// `indices_left` is the number of indices without records that may still be added.
    pub(super) fn add(
        mut self,
        id: String,
        indices_left: &mut usize,
        place: &HistoryContext<'_>,
        history: &mut ArrivalHistory,
    ) {
        for subjob in self.subjobs.values() {
            subjob.count_problems(history);
        }
        if place.snapshot.job_named(&id).is_some() {
            let runtimes = self.subjobs.iter().filter_map(|(index, past)| Some((*index, past.runtime()?)));
            history.rows.start.entry(id).or_default().runtimes.extend(runtimes);
            return;
        }
        self.complete_subjobs();
        let unseen = self.unseen_indices(indices_left, history);
        let whole = self.whole.take();
        let mut later: BTreeMap<u32, ArrivalRow> = BTreeMap::new();
        let mut template = whole.filter(|whole| !whole.job.is_empty());
        for (index, past) in self.subjobs {
            let is_over = past.is_over(place);
            let like = template.is_none().then(|| past.clone());
            match past.row(id.clone(), place) {
                // To draw from, it counts as a job of its own.
                Ok(row) if is_over => {
                    history.pass(ArrivalRow { id: subjob_of(&id, index), ..row }, place);
                }
                Ok(row) if row.cancel.is_some() => history.drop_one(NEVER_RAN),
                Ok(row) => {
                    template = template.or(like);
                    later.insert(index, row);
                }
                Err(cause) => history.drop_one(cause),
            }
        }
        if later.is_empty() && unseen.is_empty() {
            return;
        }
        let row = match template {
            Some(template) => array_row(template, &id, &later, unseen, place),
            None => Err(NO_REQUEST),
        };
        match row {
            Ok(row) => history.rows.jobs.push(row),
            Err(cause) => history.drop_one(cause),
        }
    }

    /// Gives subjobs whose records have no request that of the array.
    fn complete_subjobs(&mut self) {
        let Some(whole) = &self.whole else { return };
        for subjob in self.subjobs.values_mut() {
            if subjob.job.is_empty() {
                subjob.job.clone_from(&whole.job);
            }
            subjob.queued = subjob.queued.or(whole.queued);
        }
    }

    /// Returns the indices of which the log has no record: they waited when the log ended. Those of an array that was
    /// over, or deleted after some had started, never ran.
    fn unseen_indices(&self, left: &mut usize, history: &mut ArrivalHistory) -> BTreeSet<u32> {
        let Some(whole) = &self.whole else { return BTreeSet::new() };
        let indices = whole.indices.as_deref().map(|text| array_indices(text, *left));
        let Some(Some(all)) = indices else {
            if self.subjobs.is_empty() || indices.is_some() {
                history.drop_one(NO_INDICES);
            }
            return BTreeSet::new();
        };
        let unseen: BTreeSet<u32> =
            all.into_iter().filter(|index| !self.subjobs.contains_key(index)).collect();
        let has_started = whole.start.is_some() || !self.subjobs.is_empty();
        if has_started && (whole.end.is_some() || whole.deleted.is_some()) {
            unseen.iter().for_each(|_| history.drop_one(NEVER_RAN));
            return BTreeSet::new();
        }
        *left = left.saturating_sub(unseen.len());
        unseen
    }
}

/// Returns the row of an array with the subjobs that are still to arrive.
fn array_row(
    mut template: AccountingJob,
    id: &str,
    later: &BTreeMap<u32, ArrivalRow>,
    unseen: BTreeSet<u32>,
    place: &HistoryContext<'_>,
) -> Result<ArrivalRow, &'static str> {
    if !later.is_empty() {
        template.deleted = None;
    }
    (template.start, template.end, template.exit) = (None, None, 0);
    template.queued = later.values().map(|row| row.at).chain(template.queued).min();
    let mut row = template.row(id.to_owned(), place)?;
    row.exit = later.values().filter_map(|row| row.exit).max();
    let indices: BTreeSet<u32> = later.keys().copied().chain(unseen).collect();
    let indices: Vec<String> = indices.iter().map(u32::to_string).collect();
    row.runtimes = later.iter().filter_map(|(index, row)| Some((*index, row.runtime?))).collect();
    row.job.insert("array".to_owned(), "True".into());
    row.job.insert("array_indices_submitted".to_owned(), indices.join(",").into());
    Ok(row)
}

/// Returns the id of a past subjob as a job of its own, `12_3.srv`, because the array itself is not kept.
fn subjob_of(array: &str, index: u32) -> String {
    array.replace("[]", &format!("_{index}"))
}
