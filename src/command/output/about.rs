//! What stands above an answer: the files that it lacks, what was not seen, and its what-if.

use serde::Serialize;

use qscope_engine::cluster::{Diagnostic, Snapshot, cut_to};
use qscope_exits::Lines;
use qscope_explain::{Assumption, in_one_line, scheduling_off, unseen};
use qscope_session::{Generation, WhatIf};

/// What an answer is about: what stands above it follows from this.
pub(in crate::command) struct About<'a> {
    snapshot: &'a Snapshot,
    what_if: Option<&'a WhatIf>,
    /// Whether what was not seen is stated for the answer as a whole, since it is about no single verdict.
    as_a_whole: bool,
    as_pbs: bool,
    /// Whether that scheduling is off is stated above it: of answers about starts that do not state it themselves.
    states_scheduling: bool,
}

impl<'a> From<&'a Generation> for About<'a> {
    fn from(generation: &'a Generation) -> Self {
        Self {
            snapshot: &generation.snapshot,
            what_if: generation.what_if.as_deref(),
            as_a_whole: false,
            as_pbs: generation.as_pbs,
            states_scheduling: false,
        }
    }
}

impl<'a> From<&'a Snapshot> for About<'a> {
    fn from(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, what_if: None, as_a_whole: false, as_pbs: false, states_scheduling: false }
    }
}

impl<'a> About<'a> {
    /// An answer whose verdicts are not marked one by one: the facts that were not seen stand above it.
    pub(in crate::command) fn as_a_whole(about: impl Into<Self>) -> Self {
        Self { as_a_whole: true, ..about.into() }
    }

    /// An answer about starts: that scheduling is off stands above it.
    pub(in crate::command) fn with_scheduling(self) -> Self {
        Self { states_scheduling: true, ..self }
    }
}

impl About<'_> {
    /// The lines above an answer for people: which files it lacks, and whether it is one to a what-if.
    pub(super) fn heading(&self) -> Lines {
        let mut lines = warnings(self.snapshot);
        if self.as_a_whole {
            lines.extend(in_one_line(&unseen(&self.snapshot.origins)));
        }
        if self.as_pbs {
            lines.line("AS PBS: dumps of Torque; verdicts are those of PBS, not of Maui, Moab or pbs_sched");
        }
        lines.extend(self.banner().map(|banner| format!("note: {banner}")));
        if let Some(what_if) = self.what_if {
            lines.append(&what_if_heading(&what_if.settings, &what_if.notes));
        }
        lines
    }

    /// The zone in which moments are printed.
    pub(in crate::command) fn zone(&self) -> &str {
        &self.snapshot.zone
    }

    /// What holds for every job of an answer about starts.
    fn banner(&self) -> Option<String> {
        scheduling_off(self.snapshot).filter(|_| self.states_scheduling)
    }

    /// The same for programs: keys of every object on top, there only if there is something to report.
    pub(super) fn label<T>(&self, answer: T) -> Labelled<'_, T> {
        Labelled {
            answer,
            what_if: self.what_if.map(|what_if| what_if.settings.as_slice()),
            rests_on: self.as_a_whole.then(|| unseen(&self.snapshot.origins)),
            banners: self.banner().into_iter().collect(),
            run_as: self.as_pbs.then_some("pbs"),
            unreadable: unreadable(self.snapshot),
            misread: misread(self.snapshot),
            cut: self.snapshot.cut().map(Unreadable::of).collect(),
            mixed: mixed(self.snapshot).map(Unreadable::of).collect(),
        }
    }
}

/// An object of an answer, and what is to be known about it.
#[derive(Serialize)]
pub(super) struct Labelled<'a, T> {
    #[serde(flatten)]
    answer: T,
    /// The settings of the what-if that the answer is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    what_if: Option<&'a [String]>,
    /// The facts that the answer rests on and that were not seen, of answers about no single verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    rests_on: Option<Vec<Assumption>>,
    /// What holds for every job: that scheduling is off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    banners: Vec<String>,
    /// `pbs` where the cycle of PBS was run over dumps of Torque.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    run_as: Option<&'static str>,
    /// The files that are there and could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<Unreadable<'a>>,
    /// The files that hold something else than an input, which the answer is without.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    misread: Vec<Unreadable<'a>>,
    /// The dumps that end too soon, which the answer is without the rest of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut: Vec<Unreadable<'a>>,
    /// Dumps of different servers, or whole clusters, that were read as one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mixed: Vec<Unreadable<'a>>,
}

/// A file that is there and could not be read.
#[derive(Serialize)]
pub(in crate::command) struct Unreadable<'a> {
    /// Its name in the folder.
    file: &'a str,
    /// Why it could not be read.
    why: &'a str,
}

impl<'a> Unreadable<'a> {
    fn of(found: &'a Diagnostic) -> Self {
        Self { file: &found.file, why: &found.message }
    }
}

/// The files of a snapshot that are there and could not be read.
pub(in crate::command) fn unreadable(snapshot: &Snapshot) -> Vec<Unreadable<'_>> {
    snapshot.unreadable().map(Unreadable::of).collect()
}

/// The codes of readers for files that hold no input and were meant to.
const WRONG_KINDS: [&str; 4] = ["wrong-command", "client-failed", "not-unpacked", "other-system"];

/// What was found instead of inputs.
fn wrong_kinds(snapshot: &Snapshot) -> impl Iterator<Item = &Diagnostic> {
    snapshot.diagnostics.iter().filter(|found| WRONG_KINDS.contains(&found.code))
}

/// What shows that the files are not of one cluster.
fn mixed(snapshot: &Snapshot) -> impl Iterator<Item = &Diagnostic> {
    snapshot.diagnostics.iter().filter(|found| Diagnostic::MIXED.contains(&found.code))
}

/// The files of a snapshot that hold something else than an input.
fn misread(snapshot: &Snapshot) -> Vec<Unreadable<'_>> {
    wrong_kinds(snapshot).map(Unreadable::of).collect()
}

/// A line for each file that is there and could not be read, holds something else than an input, ends too soon or is of
/// another cluster, and for a dump of jobs that is missing: a cluster without jobs looks the same.
pub(in crate::command) fn warnings(snapshot: &Snapshot) -> Lines {
    let left_out = snapshot.unreadable().chain(wrong_kinds(snapshot));
    let mut lines: Lines =
        left_out.map(|found| format!("warning: {found}; the answer is without it")).collect();
    lines.extend(snapshot.cut().map(|found| format!("warning: {found}; the answer is without the rest")));
    lines.extend(mixed(snapshot).map(|found| format!("warning: {found}; the answer mixes them")));
    let no_jobs = snapshot.reported(Diagnostic::NO_JOBS);
    lines.extend(no_jobs.map(|found| format!("warning: {found}")));
    lines
}

/// So many characters of each setting stand above an answer: a formula may have thousands.
const MAX_SETTING: usize = 200;

/// The lines above an answer to a what-if; none without settings.
pub(in crate::command) fn what_if_heading(settings: &[String], notes: &[String]) -> Lines {
    let mut lines = Lines::new();
    if !settings.is_empty() {
        let shown: Vec<String> = settings.iter().map(|setting| cut_to(setting, MAX_SETTING)).collect();
        lines.line(format_args!("WHAT IF {} (not the live cycle)", shown.join(", ")));
        lines.extend(notes.iter().map(|note| format!("note: {note}")));
        lines.blank();
    }
    lines
}
