//! The heading of an answer: the files it lacks, what was not seen, and its what-if.

use serde::Serialize;

use qscope_engine::cluster::{Diagnostic, Snapshot, truncated};
use qscope_exits::Lines;
use qscope_explain::{Assumption, in_one_line, scheduling_off, unseen};
use qscope_session::{Generation, WhatIf};

/// The subject of an answer, from which its heading follows.
pub(in crate::command) struct AnswerContext<'a> {
    snapshot: &'a Snapshot,
    what_if: Option<&'a WhatIf>,
    /// Whether the facts that were not seen are stated for the answer as a whole, because it is about no single
    /// verdict.
    as_a_whole: bool,
    as_pbs: bool,
    /// Whether the heading states that scheduling is off: for answers about starts that do not state it themselves.
    states_scheduling: bool,
    /// The options with which the files were written and this answer is not computed, in a sentence.
    made_otherwise: Option<String>,
}

impl<'a> From<&'a Generation> for AnswerContext<'a> {
    fn from(generation: &'a Generation) -> Self {
        Self {
            snapshot: &generation.snapshot,
            what_if: generation.what_if.as_deref(),
            as_a_whole: false,
            as_pbs: generation.as_pbs,
            states_scheduling: false,
            made_otherwise: generation.made_otherwise(),
        }
    }
}

impl<'a> From<&'a Snapshot> for AnswerContext<'a> {
    fn from(snapshot: &'a Snapshot) -> Self {
        Self {
            snapshot,
            what_if: None,
            as_a_whole: false,
            as_pbs: false,
            states_scheduling: false,
            made_otherwise: None,
        }
    }
}

impl<'a> AnswerContext<'a> {
    /// Creates the subject of an answer whose verdicts are not marked one by one: its heading lists the facts not
    /// seen.
    pub(in crate::command) fn as_a_whole(about: impl Into<Self>) -> Self {
        Self { as_a_whole: true, ..about.into() }
    }

    /// Makes the heading of an answer about starts state that scheduling is off.
    pub(in crate::command) fn with_scheduling(self) -> Self {
        Self { states_scheduling: true, ..self }
    }

    /// Returns the snapshot that the answer is about.
    pub(in crate::command) fn snapshot(&self) -> &'a Snapshot {
        self.snapshot
    }
}

impl AnswerContext<'_> {
    /// Returns the lines above a text answer: which files it lacks, and whether it is about a what-if.
    pub(super) fn heading(&self) -> Lines {
        let mut lines = warnings(self.snapshot);
        if self.as_a_whole {
            lines.extend(in_one_line(&unseen(&self.snapshot.origins)));
        }
        if self.as_pbs {
            lines.line("AS PBS: dumps of Torque; verdicts are those of PBS, not of Maui, Moab or pbs_sched");
        }
        lines.extend(
            self.banner().into_iter().chain(self.made_otherwise.clone()).map(|text| format!("note: {text}")),
        );
        if let Some(what_if) = self.what_if {
            lines.append(&what_if_heading(&what_if.settings, &what_if.notes));
        }
        lines
    }

    /// Returns the zone in which moments are printed.
    pub(in crate::command) fn zone(&self) -> &str {
        &self.snapshot.zone
    }

    /// Returns what applies to every job of an answer about starts.
    fn banner(&self) -> Option<String> {
        scheduling_off(self.snapshot).filter(|_| self.states_scheduling)
    }

    /// Adds the heading to a JSON answer: top-level keys of every object, present only if there is something to
    /// report.
    pub(super) fn label<T>(&self, answer: T) -> AnswerEnvelope<'_, T> {
        AnswerEnvelope {
            answer,
            what_if: self.what_if.map(|what_if| what_if.settings.as_slice()),
            rests_on: self.as_a_whole.then(|| unseen(&self.snapshot.origins)),
            banners: self.banner().into_iter().collect(),
            made_with: self.made_otherwise.is_some().then_some(&*self.snapshot.made_with),
            run_as: self.as_pbs.then_some("pbs"),
            unreadable: unreadable(self.snapshot),
            misread: misread(self.snapshot),
            cut: self.snapshot.truncation_findings().map(UnreadableFile::of).collect(),
            damaged: self.snapshot.lost_records().map(UnreadableFile::of).collect(),
            mixed: mixed(self.snapshot).map(UnreadableFile::of).collect(),
        }
    }
}

/// An object of an answer, with its heading.
#[derive(Serialize)]
pub(super) struct AnswerEnvelope<'a, T> {
    #[serde(flatten)]
    answer: T,
    /// The settings of the what-if that the answer is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    what_if: Option<&'a [String]>,
    /// The facts not seen that the answer rests on; only in answers about no single verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    rests_on: Option<Vec<Assumption>>,
    /// What applies to every job: that scheduling is off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    banners: Vec<String>,
    /// The options that the files were written with, where the answer is computed with others.
    #[serde(skip_serializing_if = "Option::is_none")]
    made_with: Option<&'a str>,
    /// `pbs` where the cycle of PBS was run over dumps of Torque.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    run_as: Option<&'static str>,
    /// The files that exist but could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<UnreadableFile<'a>>,
    /// The files that hold something other than an input, and which the answer lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    misread: Vec<UnreadableFile<'a>>,
    /// The truncated dumps, whose missing rest the answer lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut: Vec<UnreadableFile<'a>>,
    /// The dumps with damaged records, of which the answer lacks a part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<UnreadableFile<'a>>,
    /// Dumps of different servers, or whole clusters, that were read as one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mixed: Vec<UnreadableFile<'a>>,
}

/// A file that exists but could not be read.
#[derive(Serialize)]
pub(in crate::command) struct UnreadableFile<'a> {
    /// Its name in the folder.
    file: &'a str,
    /// Why it could not be read.
    why: &'a str,
}

impl<'a> UnreadableFile<'a> {
    fn of(diagnostic: &'a Diagnostic) -> Self {
        Self { file: &diagnostic.file, why: &diagnostic.message }
    }
}

/// Returns the files of a snapshot that exist but could not be read.
pub(in crate::command) fn unreadable(snapshot: &Snapshot) -> Vec<UnreadableFile<'_>> {
    snapshot.unreadable().map(UnreadableFile::of).collect()
}

/// The readers' codes for files that were meant as input but hold none.
const WRONG_KINDS: [&str; 5] =
    ["wrong-command", "client-failed", "not-unpacked", "other-system", Diagnostic::WRONG_DUMP];

/// Returns the findings of files that hold something other than an input, under a dump's name or any other.
fn wrong_kinds(snapshot: &Snapshot) -> impl Iterator<Item = &Diagnostic> {
    let wrong = move || snapshot.diagnostics.iter().filter(|found| WRONG_KINDS.contains(&found.code));
    wrong().chain(snapshot.no_dumps().filter(move |found| !wrong().any(|other| other.file == found.file)))
}

/// Returns the findings that show that the files are not of one cluster.
fn mixed(snapshot: &Snapshot) -> impl Iterator<Item = &Diagnostic> {
    snapshot.diagnostics.iter().filter(|found| Diagnostic::MIXED.contains(&found.code))
}

/// Returns the files of a snapshot that hold something other than an input.
fn misread(snapshot: &Snapshot) -> Vec<UnreadableFile<'_>> {
    wrong_kinds(snapshot).map(UnreadableFile::of).collect()
}

/// Returns a line for each file that exists but could not be read, holds something other than an input, is truncated
/// or is of another cluster, and for a missing dump of jobs: a cluster without jobs looks the same.
pub(in crate::command) fn warnings(snapshot: &Snapshot) -> Lines {
    let left_out = snapshot.unreadable().chain(wrong_kinds(snapshot));
    let mut lines: Lines =
        left_out.map(|found| format!("warning: {found}; the answer is without it")).collect();
    lines.extend(
        snapshot
            .truncation_findings()
            .map(|found| format!("warning: {found}; the answer is without the rest")),
    );
    lines.extend(
        snapshot.lost_records().map(|found| format!("warning: {found}; the answer is without what is lost")),
    );
    lines.extend(mixed(snapshot).map(|found| format!("warning: {found}; the answer mixes them")));
    let no_jobs = snapshot.reported(Diagnostic::NO_JOBS);
    lines.extend(no_jobs.map(|found| format!("warning: {found}")));
    lines
}

/// Maximum number of characters of each setting in the heading: a formula may have thousands.
const MAX_SETTING: usize = 200;

/// Returns the lines above an answer to a what-if; none without settings.
pub(in crate::command) fn what_if_heading(settings: &[String], notes: &[String]) -> Lines {
    let mut lines = Lines::new();
    if !settings.is_empty() {
        let shown: Vec<String> = settings.iter().map(|setting| truncated(setting, MAX_SETTING)).collect();
        lines.line(format_args!("WHAT IF {} (not the live cycle)", shown.join(", ")));
        lines.extend(notes.iter().map(|note| format!("note: {note}")));
        lines.blank();
    }
    lines
}
