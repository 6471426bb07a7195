//! Effects of a what-if on waiting jobs: which start now, wait, span sets, move, start earlier or later.

use rustc_hash::FxHashSet;
use serde::{Serialize, Serializer};

use crate::compare::{Comparison, JobChange, JobChangeKind, JobSituation};
use qscope_engine::cluster::{Name, Seconds, Snapshot, short_id};
use qscope_engine::cycle::{Run, Verdict};
use qscope_explain::words::{compact, duration};

/// Jobs by effect, each kind in the order considered. A job can be in several kinds.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct WhatIfEffects {
    /// Jobs that start, and did not before.
    pub starts: Vec<Name>,
    /// Jobs that do not start, and did before.
    pub waits: Vec<Name>,
    /// Jobs that start on different nodes.
    pub moved: Vec<Name>,
    /// Jobs that start across placement sets, and did not before.
    pub spans: Vec<Name>,
    /// Jobs that started across placement sets, and now start within one.
    #[serde(rename = "spans_no_longer")]
    pub together: Vec<Name>,
    /// Top jobs planned for later, and by how much; `None` for those no longer planned.
    #[serde(serialize_with = "timed")]
    pub later: Vec<(Name, Option<Seconds>)>,
    /// Top jobs planned for earlier, and by how much; `None` for those that were not planned.
    #[serde(serialize_with = "timed")]
    pub sooner: Vec<(Name, Option<Seconds>)>,
}

/// Writes jobs with a time, as `{"id", "seconds"}`.
fn timed<S: Serializer>(times: &[(Name, Option<Seconds>)], to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Timed<'a> {
        id: &'a str,
        seconds: Option<i64>,
    }
    to.collect_seq(times.iter().map(|(id, by)| Timed { id, seconds: by.map(|by| by.0) }))
}

impl WhatIfEffects {
    /// Returns the effects shown by a comparison of two cycles of one cluster.
    pub fn of(before: &Run, after: &Run, comparison: &Comparison) -> Self {
        let mut effects = Self::default();
        let snap = &after.plan.snap;
        // Arrays whose subjobs start, wait or move are listed by these.
        let by_subjob: FxHashSet<&str> =
            comparison.jobs.iter().filter_map(|change| array_of_unlisted(snap, &change.job)).collect();
        for change in &comparison.jobs {
            if let (Some(old), Some(new)) = (&change.before, &change.after) {
                effects.add(change, old, new, by_subjob.contains(&*change.job));
            }
        }
        let (spanned, span) = (spanning(before), spanning(after));
        effects.spans = span.iter().filter(|name| !spanned.contains(name)).cloned().collect();
        let starting: FxHashSet<&Name> = after
            .outcomes()
            .filter(|outcome| after.is_start(outcome))
            .map(|outcome| &after.plan.job(outcome.job).name)
            .collect();
        let together = |name: &&Name| !span.contains(name) && starting.contains(name);
        effects.together = spanned.iter().filter(together).cloned().collect();
        effects
    }

    fn add(&mut self, change: &JobChange, old: &JobSituation, new: &JobSituation, is_by_subjob: bool) {
        let name = || change.job.clone();
        let run = Some(Verdict::Run);
        match (old.verdict == run, new.verdict == run) {
            (true, _) | (_, true) if is_by_subjob => {}
            (false, true) if old.verdict.is_some() => self.starts.push(name()),
            (true, false) => self.waits.push(name()),
            (true, true) if old.nodes != new.nodes => self.moved.push(name()),
            // An array that starts in part waits by its own verdict.
            (false, false) if change.kind == JobChangeKind::Nodes && !is_by_subjob => self.moved.push(name()),
            (false, false) => match (old.estimate, new.estimate) {
                (Some(old), Some(new)) if new > old => self.later.push((name(), Some(new - old))),
                (Some(old), Some(new)) if new < old => self.sooner.push((name(), Some(old - new))),
                (Some(_), None) => self.later.push((name(), None)),
                (None, Some(_)) => self.sooner.push((name(), None)),
                _ => {}
            },
            _ => {}
        }
    }

    /// Returns each kind that occurs with its jobs, by their short names, as a table shows them.
    pub fn jobs_by_effect(&self) -> Vec<(&'static str, Vec<String>)> {
        let short = |name: &Name| short_id(name).to_owned();
        let names = |names: &[Name]| subjobs_folded(&names.iter().map(short).collect::<Vec<_>>());
        let timed = |times: &[(Name, Option<Seconds>)]| {
            let one = |(name, by): &(Name, Option<Seconds>)| {
                Some(format!("{} by {}", short(name), duration((*by)?)))
            };
            times.iter().filter_map(one).collect::<Vec<_>>()
        };
        // The planned start may be the same with and without a time.
        let planned_once = |times: &[(Name, Option<Seconds>)]| {
            times.iter().filter(|(_, by)| by.is_none()).map(|(name, _)| short(name)).collect::<Vec<_>>()
        };
        let mut kinds = vec![
            ("start now", names(&self.starts)),
            ("wait now", names(&self.waits)),
            ("moved", names(&self.moved)),
            ("span sets now", names(&self.spans)),
            ("span no longer", names(&self.together)),
            ("planned later", timed(&self.later)),
            ("planned sooner", timed(&self.sooner)),
            ("not planned", planned_once(&self.later)),
            ("planned now", planned_once(&self.sooner)),
        ];
        kinds.retain(|(_, jobs)| !jobs.is_empty());
        kinds
    }
}

/// Returns the array of a subjob that is in no dump itself, only through its array.
fn array_of_unlisted<'s>(snap: &'s Snapshot, name: &str) -> Option<&'s str> {
    let (array, _) = snap.waiting_subjob(name)?;
    Some(&snap.jobs[array].name)
}

/// Merges the subjobs of one array that follow each other: `40[2-7]`.
fn subjobs_folded(names: &[String]) -> Vec<String> {
    let array = |name: &String| {
        name.split_once('[').filter(|(_, index)| *index != "]").map(|(array, _)| array.to_owned())
    };
    let is_same = |one: &String, next: &String| array(one).is_some_and(|of| array(next) == Some(of));
    let folded = |same: &[String]| match same {
        [one] => one.clone(),
        several => compact(several.iter().map(String::as_str)),
    };
    names.chunk_by(is_same).map(folded).collect()
}

/// Returns jobs that tried placement sets, found none that fits, and start nevertheless.
fn spanning(run: &Run) -> OrderedNames {
    let mut found = OrderedNames::default();
    for outcome in run.outcomes() {
        let across = outcome.placed.as_ref().is_some_and(|placed| placed.set.is_none());
        if across && !outcome.by_preemption && !outcome.tries.is_empty() && run.is_start(outcome) {
            found.insert(run.plan.job(outcome.job).name.clone());
        }
    }
    found
}

/// Names in the order found, each once.
#[derive(Default)]
struct OrderedNames {
    names: Vec<Name>,
    known: FxHashSet<Name>,
}

impl OrderedNames {
    fn insert(&mut self, name: Name) {
        if self.known.insert(name.clone()) {
            self.names.push(name);
        }
    }

    fn contains(&self, name: &Name) -> bool {
        self.known.contains(name)
    }

    fn iter(&self) -> std::slice::Iter<'_, Name> {
        self.names.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_durations() {
        let sooner = vec![("55.pbs01".into(), Some(Seconds(1800)))];
        let effects = WhatIfEffects { sooner, ..WhatIfEffects::default() };
        assert_eq!(effects.jobs_by_effect(), [("planned sooner", vec!["55 by 30m".to_owned()])]);
    }
}
