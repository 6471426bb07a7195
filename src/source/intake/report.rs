//! Reports files that are not inputs, and those recognized as inputs.

use std::path::PathBuf;

use super::entry::InputEntry;
use super::kind::{Daemon, DumpNotation, IntakeKind};
use qscope_engine::cluster::Severity::{Error, Note};
use qscope_engine::cluster::{
    Diagnostic, FileFormat, FilePosition, FileRecord, Severity, count, first_names,
};

/// Maximum number of names listed in a sentence.
const LISTED: usize = 5;

/// The findings so far.
#[derive(Default)]
pub(super) struct IntakeFindings {
    pub(super) all: Vec<Diagnostic>,
    pub(super) unused: Vec<FileRecord>,
    pub(super) paths: Vec<PathBuf>,
}

impl IntakeFindings {
    pub(super) fn push(&mut self, severity: Severity, code: &'static str, file: &str, message: String) {
        self.all.push(Diagnostic::new(severity, code, file, FilePosition::File, message));
    }

    pub(super) fn note(&mut self, code: &'static str, file: &str, message: String) {
        self.push(Severity::Note, code, file, message);
    }

    pub(super) fn warn(&mut self, code: &'static str, file: &str, message: String) {
        self.push(Severity::Warning, code, file, message);
    }

    pub(super) fn error(&mut self, code: &'static str, file: &str, message: String) {
        self.push(Severity::Error, code, file, message);
    }

    pub(super) fn unreadable(&mut self, file: &str, why: &str) {
        self.error(Diagnostic::UNREADABLE, file, format!("cannot be read: {why}"));
    }

    /// Reports archives of further hosts, from which nothing is needed.
    pub(super) fn report_host_archives(&mut self, names: &[String]) {
        if !names.is_empty() {
            let names = first_names(names, LISTED);
            self.note("further-hosts", "", format!("archives of further hosts, not opened: {names}"));
        }
    }

    /// Reports files of a folder that are not examined: their number, or that the search below it ended early.
    pub(super) fn report_unexamined(&mut self, count: usize, is_stopped: bool) {
        if is_stopped {
            let message =
                "not all files below the folder were looked for, as there are too many; name those to read";
            self.warn("files-left", "", message.to_owned());
        }
        if count > 0 {
            self.warn("files-left", "", format!("{count} more files were not looked at; name those to read"));
        }
    }

    /// Reports a file recognized as an input.
    pub(super) fn report_input(&mut self, entry: &InputEntry, more: Option<&str>) {
        let what = entry.kind.words();
        let more = more.map(|more| format!("; {more}")).unwrap_or_default();
        self.note("taken-for", &entry.display_name, format!("taken for {what}{more}"));
    }

    /// Records a file that could be an input, but another one is used.
    pub(super) fn unused(&mut self, entry: &InputEntry, why: String) {
        let form = match entry.kind {
            IntakeKind::Dump { form: DumpNotation::Json, .. } => FileFormat::Json,
            _ => FileFormat::Text,
        };
        let record = FileRecord::plain(&entry.display_name, form, &entry.head, 0);
        self.unused.push(FileRecord { modified: entry.modified, unused: Some(why), ..record });
    }

    /// Reports files that are not inputs, each with its kind and what to do instead.
    pub(super) fn report_not_inputs<'e>(&mut self, entries: impl Iterator<Item = &'e InputEntry>) {
        let mut unknown = Vec::new();
        for entry in entries {
            let (severity, code, message) = match entry.kind {
                IntakeKind::Table(table) => {
                    let (found, command) = (table.words(), table.command());
                    (Error, "wrong-command", format!("found {found}; expected what `{command}` prints"))
                }
                IntakeKind::ShortNodes => {
                    let found = "the short form of `pbsnodes -S` or `-L`";
                    (Error, "wrong-command", format!("found {found}; expected what `pbsnodes -av` prints"))
                }
                IntakeKind::Failed => {
                    (Error, "client-failed", "nothing but complaints of a client: it failed".to_owned())
                }
                IntakeKind::Container(container) => {
                    (Error, "not-unpacked", crate::archive::not_read(container))
                }
                IntakeKind::Foreign(what) => {
                    (Error, "other-system", format!("found {what}; expected dumps of PBS or Torque"))
                }
                IntakeKind::Lsf(what) => {
                    (Note, "lsf", format!("found {what} of LSF; `qscope farm` reads logs of LSF"))
                }
                IntakeKind::Accounting | IntakeKind::Swf => {
                    let what = entry.kind.words();
                    let by =
                        "`qscope farm` reads it, and `qscope simulate` and `qscope when` with --arrivals";
                    (Note, "history", format!("found {what}; {by}"))
                }
                IntakeKind::Log(Daemon::Server | Daemon::Mom | Daemon::Comm) => {
                    (Note, "log", format!("found {}; not needed", entry.kind.words()))
                }
                kind => {
                    unknown.extend((kind == IntakeKind::Unknown).then(|| entry.display_name.clone()));
                    continue;
                }
            };
            self.push(severity, code, &entry.display_name, message);
        }
        self.unknown(&unknown);
    }

    /// Reports files that are not recognized.
    fn unknown(&mut self, unknown: &[String]) {
        if !unknown.is_empty() {
            let files = count(unknown.len(), "file");
            let why = "no record of nodes, jobs, queues, a server, schedulers or reservations at their beginning in text, \
                       JSON, XML or dsv, no qmgr script, no log, no option of the scheduler, no archive";
            self.note(
                "not-recognised",
                "",
                format!("{files} not recognised: {}; {why}", first_names(unknown, LISTED)),
            );
        }
    }
}
