//! Collects the reports of readers.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Diagnostic, DiagnosticCount, FilePosition, Name, Severity};

/// Maximum number of diagnostics of one kind kept per file; the others are counted.
const MAX_OF_A_KIND: usize = 50;
/// Maximum length of a message and of a record's name, in bytes: values can be as long as a file.
const LONGEST: usize = 600;

/// Collects diagnostics for the file and record being read.
#[derive(Default)]
pub(crate) struct DiagnosticLog {
    file: Name,
    record: String,
    tallies: Vec<DiagnosticCount>,
    /// Index of the tally of a file and kind.
    tally_index: FxHashMap<(Name, &'static str), usize>,
    diagnostics: Vec<Diagnostic>,
    /// Number of reports, kept or not.
    reported: usize,
    /// Whether values are refused instead of repaired, so that messages omit what was assumed.
    refuses: bool,
}

impl DiagnosticLog {
    /// Creates a log for values that are refused where a dump's would be repaired.
    pub(crate) fn of_refusals() -> Self {
        Self { refuses: true, ..Self::default() }
    }

    /// Sets the file of the following reports.
    pub(crate) fn in_file(&mut self, file: &str) {
        self.file = file.into();
        self.record.clear();
    }

    /// Sets the record of the following reports; an empty name means no record.
    pub(crate) fn in_record(&mut self, record: &str) {
        self.record.clear();
        self.record.push_str(record);
    }

    /// Reports something worth knowing.
    pub(crate) fn note(&mut self, code: &'static str, spot: FilePosition, message: impl FnOnce() -> String) {
        self.push(Severity::Note, code, spot, message);
    }

    /// Reports that something was assumed or repaired.
    pub(crate) fn warn(&mut self, code: &'static str, spot: FilePosition, message: impl FnOnce() -> String) {
        self.push(Severity::Warning, code, spot, message);
    }

    /// Reports a repaired value: what is wrong with it, and what was assumed instead.
    pub(crate) fn repair(
        &mut self,
        code: &'static str,
        spot: FilePosition,
        wrong: impl FnOnce() -> String,
        assumed: &str,
    ) {
        let refuses = self.refuses;
        self.warn(code, spot, || if refuses { wrong() } else { format!("{}; {assumed}", wrong()) });
    }

    /// Reports that something was not read.
    pub(crate) fn error(&mut self, code: &'static str, spot: FilePosition, message: impl FnOnce() -> String) {
        self.push(Severity::Error, code, spot, message);
    }

    /// Reports that a record longer than the limit was not read; lengths in bytes.
    pub(crate) fn refuse_size(&mut self, spot: FilePosition, length: usize, limit: usize) {
        self.error("limit-record-size", spot, || {
            format!("left out: {length} bytes; the limit `record-size` is {limit}")
        });
    }

    fn push(
        &mut self,
        severity: Severity,
        code: &'static str,
        position: FilePosition,
        message: impl FnOnce() -> String,
    ) {
        let file = self.file.clone();
        self.reported += 1;
        if self.count(&file, severity, code, position) <= MAX_OF_A_KIND {
            let record = (!self.record.is_empty()).then(|| truncate(self.record.clone()).into());
            self.diagnostics.push(Diagnostic {
                severity,
                code,
                file,
                position,
                record,
                message: truncate(message()),
            });
        }
    }

    /// Counts one more of a kind, and returns the number so far.
    fn count(&mut self, file: &Name, severity: Severity, code: &'static str, spot: FilePosition) -> usize {
        let place = *self.tally_index.entry((file.clone(), code)).or_insert(self.tallies.len());
        if let Some(tally) = self.tallies.get_mut(place) {
            tally.count += 1;
            return tally.count;
        }
        self.tallies.push(DiagnosticCount { file: file.clone(), severity, code, count: 1, first: spot });
        1
    }

    /// Returns the number of reports so far.
    pub(crate) fn reported(&self) -> usize {
        self.reported
    }

    /// Returns the message of the last error in this file.
    pub(crate) fn last_error(&self) -> Option<&str> {
        let errors =
            |reported: &&Diagnostic| reported.severity == Severity::Error && reported.file == self.file;
        self.diagnostics.iter().rev().find(errors).map(|reported| &*reported.message)
    }

    /// Adds the reports of other readers.
    pub(crate) fn extend(&mut self, others: Vec<Diagnostic>) {
        for reported in others {
            let file = reported.file.clone();
            if self.count(&file, reported.severity, reported.code, reported.position) <= MAX_OF_A_KIND {
                self.diagnostics.push(reported);
            }
        }
    }

    /// Adds the content of another log, about other files.
    pub(crate) fn append(&mut self, other: Self) {
        self.reported += other.reported;
        self.diagnostics.extend(other.diagnostics);
        for tally in other.tallies {
            self.tally_index.insert((tally.file.clone(), tally.code), self.tallies.len());
            self.tallies.push(tally);
        }
        (self.file, self.record) = (other.file, other.record);
    }

    /// Returns all reports, with a closing line for every kind that was cut short, and the tally of each kind.
    pub(crate) fn finish(self) -> (Vec<Diagnostic>, Vec<DiagnosticCount>) {
        let (mut kept, tallies) = (self.diagnostics, self.tallies);
        let mut lengths: FxHashMap<(&Name, &'static str), usize> = FxHashMap::default();
        for reported in &kept {
            *lengths.entry((&reported.file, reported.code)).or_default() += 1;
        }
        let shown =
            |tally: &DiagnosticCount| lengths.get(&(&tally.file, tally.code)).copied().unwrap_or_default();
        let mut cut: Vec<(&DiagnosticCount, usize)> =
            tallies.iter().map(|tally| (tally, tally.count - shown(tally))).collect();
        cut.retain(|(_, more)| *more > 0);
        cut.sort_by_key(|(tally, _)| (&tally.file, tally.code));
        let closing = |(tally, more): (&DiagnosticCount, usize)| {
            let message = format!("{more} more of the kind {}", tally.code);
            Diagnostic::new(tally.severity, tally.code, tally.file.clone(), FilePosition::File, message)
        };
        let closing: Vec<Diagnostic> = cut.into_iter().map(closing).collect();
        kept.extend(closing);
        (kept, tallies)
    }
}

/// Truncates a text to the maximum length.
fn truncate(mut text: String) -> String {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or_default());
        text.push_str("...");
        text.shrink_to_fit();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_do_not_make_long_messages() {
        let mut log = DiagnosticLog::default();
        log.in_record(&"n".repeat(5000));
        log.warn("odd", FilePosition::File, || "é".repeat(100_000));
        let reported = log.finish().0;
        assert_eq!((reported[0].message.len(), reported[0].record.as_ref().unwrap().len()), (603, 603));
    }

    #[test]
    fn floods_are_counted() {
        let mut log = DiagnosticLog::default();
        log.in_file("jobs.txt");
        for line in 0..60 {
            log.warn("odd", FilePosition::Line(line), || "odd".to_owned());
        }
        let (reported, tallies) = log.finish();
        assert_eq!((tallies.len(), tallies[0].count, tallies[0].first), (1, 60, FilePosition::Line(0)));
        assert_eq!(reported.len(), 51);
        assert_eq!(reported[50].message, "10 more of the kind odd");
        assert_eq!(reported[50].severity, Severity::Warning);
    }
}
