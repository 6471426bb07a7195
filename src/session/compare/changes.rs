//! Formats the differences between two cycles as lines, for the Compare view and for `qscope compare`.

mod jobs;
mod nodes;
mod sides;

pub use sides::{ChangeSide, ChangeSides, SideStyle};

use super::{Comparison, JobChange, JobChangeKind, SettingChange};
use jobs::{field_text, job_text};
use nodes::node_lines;
use qscope_engine::cluster::{Snapshot, short_id};
use qscope_explain::words;

/// Subject of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeSubject {
    /// A job, by its full id.
    Job(String),
    /// Vnodes with the same change, by name.
    Nodes(Vec<String>),
    /// A setting, and its queue, if it belongs to one.
    Setting(Option<String>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeLine {
    /// Heading of its group.
    pub group: &'static str,
    pub subject: ChangeSubject,
    /// Name of the subject.
    pub name: String,
    /// Number of jobs, vnodes or settings.
    pub count: usize,
    pub text: String,
    /// The change side by side.
    pub sides: ChangeSides,
}

impl ChangeLine {
    /// Returns the vnodes that it is about.
    pub fn nodes(&self) -> &[String] {
        match &self.subject {
            ChangeSubject::Nodes(names) => names,
            ChangeSubject::Job(_) | ChangeSubject::Setting(_) => &[],
        }
    }

    /// Returns all its words, for filters.
    pub fn words(&self) -> String {
        format!("{} {} {}", self.group, self.name, self.text)
    }
}

/// Returns rows of a list: the lines, with a heading above each group that shows its number of objects.
pub fn under_headings<R>(
    lines: &[ChangeLine],
    heading: impl Fn(String) -> R,
    row: impl Fn(&ChangeLine) -> R,
) -> Vec<R> {
    let mut rows = Vec::with_capacity(lines.len() + 8);
    for group in lines.chunk_by(|a, b| a.group == b.group) {
        rows.extend(group.first().map(|line| heading(format!("{}: {}", line.group, count_of(group)))));
        rows.extend(group.iter().map(&row));
    }
    rows
}

/// Returns the number of jobs, vnodes or settings in some lines.
fn count_of(lines: &[ChangeLine]) -> usize {
    lines.iter().map(|line| line.count).sum()
}

/// Returns the number of changes of each kind, in words, the most important first.
pub fn summary(found: &Comparison) -> String {
    use JobChangeKind as K;
    if !found.differs() {
        return match found.uncertain.len() {
            0 => "nothing changed".to_owned(),
            unsure => format!("nothing changed for sure, {unsure} uncertain"),
        };
    }
    let jobs = |kind| found.jobs_that(kind).count();
    let otherwise = [K::Reason, K::Path, K::Nodes, K::Estimate, K::Altered];
    let counts = [
        (jobs(K::Started), "started"),
        (jobs(K::Ended), "ended"),
        (jobs(K::Stopped), "back in the queue"),
        (jobs(K::New), "new"),
        (jobs(K::Left), "left"),
        (jobs(K::Verdict), "changed verdict"),
        (otherwise.map(jobs).iter().sum(), "changed otherwise"),
        (jobs(K::Numbers), "by numbers only"),
    ];
    let mut parts = job_counts(&counts);
    if !found.uncertain.is_empty() {
        parts.push(format!("{} uncertain", found.uncertain.len()));
    }
    if !found.nodes.is_empty() {
        parts.push(words::count(found.nodes.len(), "node"));
    }
    let reservations = found.settings.iter().filter(|change| is_of_reservation(change)).count();
    let settings = found.settings.len() - reservations;
    for (count, word) in [(settings, "setting"), (reservations, "reservation")] {
        parts.extend((count > 0).then(|| words::count(count, word)));
    }
    parts.join(", ")
}

/// Returns the number of jobs of each kind that occurs, in words.
pub(super) fn job_counts(counts: &[(usize, &str)]) -> Vec<String> {
    let present = counts.iter().filter(|(count, _)| *count > 0);
    let mut parts: Vec<String> = present.map(|(count, word)| format!("{count} {word}")).collect();
    if let Some(first) = parts.first_mut() {
        *first = format!("jobs: {first}");
    }
    parts
}

/// All changes: settings and reservations, which are few and have effects, then jobs, then vnodes. `snap` is the second side's.
pub fn lines(comparison: &Comparison, snap: &Snapshot) -> Vec<ChangeLine> {
    let (reservations, settings): (Vec<_>, Vec<_>) =
        comparison.settings.iter().partition(|change| is_of_reservation(change));
    let settings = settings.into_iter().chain(reservations).map(setting_line);
    let jobs = comparison.jobs.iter().map(|change| job_line(change.kind.title(), change, snap));
    let unsure = comparison.uncertain.iter().map(|change| job_line(UNSURE, change, snap));
    let jobs = subjobs_folded(&jobs.collect::<Vec<_>>());
    let unsure = subjobs_folded(&unsure.collect::<Vec<_>>());
    settings.chain(jobs).chain(node_lines(&comparison.nodes)).chain(unsure).collect()
}

/// Merges consecutive subjobs of one array with the same change into one line, about the first of them.
fn subjobs_folded(lines: &[ChangeLine]) -> Vec<ChangeLine> {
    let array = |line: &ChangeLine| line.name.split_once('[').map(|(array, _)| array.to_owned());
    let alike = |one: &ChangeLine, next: &ChangeLine| {
        array(one).is_some_and(|name| array(next) == Some(name))
            && (one.group, &one.sides, &one.text) == (next.group, &next.sides, &next.text)
    };
    let folded = |same: &[ChangeLine]| {
        let name = words::compact(same.iter().map(|line| line.name.as_str()));
        same.first().map(|first| ChangeLine { name, count: same.len(), ..first.clone() })
    };
    lines.chunk_by(alike).filter_map(folded).collect()
}

/// Heading of changes that may come from inconsistent dumps.
const UNSURE: &str = "uncertain: the sides are not made of the same dumps";

fn job_line(group: &'static str, change: &JobChange, snap: &Snapshot) -> ChangeLine {
    ChangeLine {
        group,
        sides: sides::of_job(change, snap),
        subject: ChangeSubject::Job(change.job.to_string()),
        name: short_id(&change.job).to_owned(),
        count: 1,
        text: job_text(change, snap),
    }
}

/// Whether a change is one of a reservation, which is no setting.
fn is_of_reservation(change: &SettingChange) -> bool {
    change.object.starts_with("reservation ")
}

fn setting_line(change: &SettingChange) -> ChangeLine {
    ChangeLine {
        group: if is_of_reservation(change) { "reservations" } else { "settings" },
        sides: sides::of_setting(change),
        subject: ChangeSubject::Setting(change.queue.clone()),
        name: change.object.clone(),
        count: 1,
        text: field_text(&change.field),
    }
}
