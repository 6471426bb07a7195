//! Priority levels for preemption (rule 6.10).

use std::collections::BTreeMap;

use qscope_engine::cluster::LimitScope;

use super::world::{Level, World};

const TOP: i64 = 100_000;
const STEP: i64 = 1_000;

/// The words of an entry of `preempt_prio`.
const WORDS: [&str; 5] =
    ["express_queue", "normal_jobs", "server_softlimits", "queue_softlimits", "fairshare"];
const EXPRESS: usize = 0;
const NORMAL: usize = 1;

/// One entry: its words, and its value by its position.
#[derive(Clone, Debug)]
struct Entry {
    words: Vec<usize>,
    value: i64,
    place: usize,
}

/// Returns the entries in the order of the list, the first one highest.
fn entries(text: &str) -> Vec<Entry> {
    let read = |(place, entry): (usize, &str)| Entry {
        words: entry.split('+').filter_map(|word| WORDS.iter().position(|w| *w == word.trim())).collect(),
        value: TOP - STEP * (place as i64 + 1),
        place,
    };
    text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).enumerate().map(read).collect()
}

impl World {
    /// Computes a job's level from the current remembered state.
    pub(crate) fn level(&mut self, job: usize) {
        let row = &self.jobs[job];
        let queue = &self.queues[row.queue];
        let is = [
            queue.priority >= self.snap().scheduler.preempt_queue_prio,
            false,
            self.is_over_soft(job, None),
            self.is_over_soft(job, Some(row.queue)),
            row.over_share,
        ];
        if self.qrun == Some(job) {
            self.jobs[job].level = Level { priority: 2 * TOP, express: true, ..Level::default() };
            return;
        }
        let list = entries(&self.snap().scheduler.preempt_prio);
        // Entries with more words are searched first; the value depends on the position in the list.
        let mut by_words: Vec<&Entry> = list.iter().collect();
        by_words.sort_by_key(|entry| std::cmp::Reverse(entry.words.len()));
        let met = |entry: &&&Entry| !entry.words.is_empty() && entry.words.iter().all(|word| is[*word]);
        let found = by_words.iter().find(met).copied();
        let normal = list.iter().find(|entry| entry.words == [NORMAL]);
        // A job stays express even where an entry without that word applies to it.
        let express = is[EXPRESS] && list.iter().any(|entry| entry.words.contains(&EXPRESS));
        let level = match found {
            Some(entry) => {
                let more = if entry.words.contains(&EXPRESS) { queue.priority } else { 0 };
                Level { priority: entry.value + more, entry: entry.place, express, normal: false }
            }
            None => Level {
                priority: normal.map_or(0, |entry| entry.value),
                entry: normal.map_or(list.len(), |entry| entry.place),
                express: false,
                normal: true,
            },
        };
        self.jobs[job].level = level;
    }

    /// Updates levels after a start or an end of `job`: its own if it starts, and those of jobs with the same
    /// user, group or project where there are limits on these.
    pub(crate) fn level_after(&mut self, job: usize, starts: bool) {
        let queue = Some(self.jobs[job].queue);
        let limited = |scope| self.has_limits_of(None, scope) || self.has_limits_of(queue, scope);
        let (users, groups, projects) =
            (limited(LimitScope::User), limited(LimitScope::Group), limited(LimitScope::Project));
        for other in 0..self.jobs.len() {
            let (a, b) = (&self.jobs[job], &self.jobs[other]);
            let same = (users && a.user == b.user)
                || (groups && a.group == b.group)
                || (projects && a.project == b.project);
            if same || (starts && other == job) {
                self.level(other);
            }
        }
        if self.has_soft_limits(None) || self.has_soft_limits(queue) {
            self.count_levels();
        }
    }

    /// Counts the running jobs of each entry.
    pub(crate) fn count_levels(&mut self) {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for job in self.jobs.iter().filter(|job| job.runs()) {
            *counts.entry(job.level.entry).or_default() += 1;
        }
        self.level_counts = counts;
    }

    /// Returns whether preemption is on; without it no job was preempted, though jobs have levels.
    pub(crate) fn preempts(&self) -> bool {
        *self.snap().policy.preemptive_sched.get(self.period)
    }

    /// Returns whether more than one queue is express.
    pub(crate) fn several_express(&self) -> bool {
        let least = self.snap().scheduler.preempt_queue_prio;
        self.queues.iter().filter(|queue| queue.priority >= least).count() > 1
    }
}

/// Returns the value of normal jobs.
pub(crate) fn normal_priority(snap: &qscope_engine::cluster::Snapshot) -> i64 {
    let list = entries(&snap.scheduler.preempt_prio);
    list.iter().find(|entry| entry.words == [NORMAL]).map_or(0, |entry| entry.value)
}
