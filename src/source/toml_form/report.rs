//! A TOML file, and remarks about it with their places.

use std::cell::RefCell;

use toml::Spanned;
use toml::de::DeTable;

use qscope_engine::cluster::{Diagnostic, FilePosition, Name, Severity, count};

/// Number of syntax errors of a file that are reported: one damaged line may cause thousands.
const MAX_ERRORS: usize = 3;

/// Collects the remarks about all files of one cluster.
#[derive(Default)]
pub(crate) struct TomlReport {
    diagnostics: RefCell<Vec<Diagnostic>>,
    last: RefCell<LastLine>,
}

/// The line of the last remark: the next one is usually below it, and counting lines from the top for each remark
/// would take hours on a long file full of errors.
#[derive(Default)]
struct LastLine {
    file: String,
    /// Byte offset of the line; `number` is its number from 0.
    begins: usize,
    number: usize,
}

impl TomlReport {
    pub(crate) fn report(&self, diagnostic: Diagnostic) {
        self.diagnostics.borrow_mut().push(diagnostic);
    }

    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics.into_inner()
    }

    /// Returns the number of the line that contains a byte, from 0, and where the line begins.
    fn line(&self, file: &str, text: &str, at: usize) -> (usize, usize) {
        let mut last = self.last.borrow_mut();
        if last.file != file || at < last.begins {
            *last = LastLine { file: file.to_owned(), begins: 0, number: 0 };
        }
        let passed = text.get(last.begins..at).unwrap_or_default();
        if let Some(end) = passed.rfind('\n') {
            last.number += passed.matches('\n').count();
            last.begins += end + 1;
        }
        (last.number, last.begins)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct TomlFile<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    pub(crate) report: &'a TomlReport,
}

impl<'a> TomlFile<'a> {
    /// Parses the file; the first syntax errors are reported, and the number of the others, which may follow from them.
    pub(crate) fn parse(&self) -> Spanned<DeTable<'a>> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        let (first, others) = errors.split_at(errors.len().min(MAX_ERRORS));
        for error in first {
            let at = error.span().map_or(0, |span| span.start);
            let message = error.message().trim().replace('\n', "; ");
            self.report(Severity::Error, "toml", Some(at), None, format!("this is not TOML: {message}"));
        }
        if !others.is_empty() {
            let message = format!("this is not TOML: {}", count(others.len(), "more error"));
            self.report(Severity::Error, "toml", None, None, message);
        }
        table
    }

    /// Reports something at a byte, or about the whole file.
    pub(super) fn report(
        &self,
        severity: Severity,
        code: &'static str,
        at: Option<usize>,
        record: Option<Name>,
        message: String,
    ) {
        let position = at.map_or(FilePosition::File, |at| self.spot(at));
        self.report.report(Diagnostic { severity, code, file: self.name.into(), position, record, message });
    }

    /// Returns the line and column of a byte.
    fn spot(&self, at: usize) -> FilePosition {
        let (line, begins) = self.report.line(self.name, self.text, at);
        let column = self.text.get(begins..at).unwrap_or_default().chars().count() + 1;
        FilePosition::Place { line: line + 1, column }
    }
}
