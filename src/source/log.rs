//! Where readers say what was odd.

use rustc_hash::FxHashMap;

use crate::cluster::{Diagnostic, Name, Severity, Spot};

/// So many diagnostics of one kind per file are kept; the rest is counted.
const MOST_OF_A_KIND: usize = 50;

/// Collects diagnostics; knows the file and record being read.
#[derive(Default)]
pub(crate) struct Log {
    file: Name,
    record: String,
    counts: FxHashMap<(Name, &'static str), usize>,
    kept: Vec<Diagnostic>,
}

impl Log {
    /// From now on everything is about this file.
    pub(crate) fn in_file(&mut self, file: &str) {
        self.file = file.into();
        self.record.clear();
    }

    /// From now on everything is about this record of the file; an empty name is no record.
    pub(crate) fn in_record(&mut self, record: &str) {
        self.record.clear();
        self.record.push_str(record);
    }

    /// Worth knowing.
    pub(crate) fn note(&mut self, code: &'static str, spot: Spot, message: impl FnOnce() -> String) {
        self.say(Severity::Note, code, spot, message);
    }

    /// Something was assumed or repaired.
    pub(crate) fn warn(&mut self, code: &'static str, spot: Spot, message: impl FnOnce() -> String) {
        self.say(Severity::Warning, code, spot, message);
    }

    /// Something was not read.
    pub(crate) fn error(&mut self, code: &'static str, spot: Spot, message: impl FnOnce() -> String) {
        self.say(Severity::Error, code, spot, message);
    }

    fn say(&mut self, severity: Severity, code: &'static str, spot: Spot, message: impl FnOnce() -> String) {
        let count = self.counts.entry((self.file.clone(), code)).or_default();
        *count += 1;
        if *count <= MOST_OF_A_KIND {
            let record = (!self.record.is_empty()).then(|| self.record.as_str().into());
            let file = self.file.clone();
            self.kept.push(Diagnostic { severity, code, file, spot, record, message: message() });
        }
    }

    /// The last thing of this file that was not read.
    pub(crate) fn last_error(&self) -> Option<&str> {
        let errors = |said: &&Diagnostic| said.severity == Severity::Error && said.file == self.file;
        self.kept.iter().rev().find(errors).map(|said| &*said.message)
    }

    /// Takes what other readers said.
    pub(crate) fn extend(&mut self, others: Vec<Diagnostic>) {
        self.kept.extend(others);
    }

    /// Everything said, with a closing line for every kind that was cut short.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let mut kept = self.kept;
        let mut cut: Vec<_> = self.counts.into_iter().filter(|(_, n)| *n > MOST_OF_A_KIND).collect();
        cut.sort();
        for ((file, code), count) in cut {
            let severity = kept.iter().find(|d| d.code == code && d.file == file);
            kept.push(Diagnostic {
                severity: severity.map_or(Severity::Note, |d| d.severity),
                code,
                file,
                spot: Spot::File,
                record: None,
                message: format!("{} more of the kind {code}", count - MOST_OF_A_KIND),
            });
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floods_are_counted() {
        let mut log = Log::default();
        log.in_file("jobs.txt");
        for line in 0..60 {
            log.warn("odd", Spot::Line(line), || "odd".to_owned());
        }
        let said = log.finish();
        assert_eq!(said.len(), 51);
        assert_eq!(said[50].message, "10 more of the kind odd");
        assert_eq!(said[50].severity, Severity::Warning);
    }
}
