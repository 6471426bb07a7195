//! Where readers report what was odd.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Diagnostic, Name, Severity, Spot, Tally};

/// So many diagnostics of one kind per file are kept; the rest is counted.
const MAX_OF_A_KIND: usize = 50;
/// The longest message and the longest name of a record, in bytes: values can be as long as a file.
const LONGEST: usize = 600;

/// Collects diagnostics; knows the file and record being read.
#[derive(Default)]
pub(crate) struct Log {
    file: Name,
    record: String,
    tallies: Vec<Tally>,
    /// Where a file's and kind's tally stands.
    places: FxHashMap<(Name, &'static str), usize>,
    kept: Vec<Diagnostic>,
    /// How much was reported, kept or not.
    reported: usize,
    /// Whether a repair is a refusal, and what was assumed instead is left out of the messages.
    refuses: bool,
}

impl Log {
    /// A log of values that are refused where a dump's would be repaired.
    pub(crate) fn of_refusals() -> Self {
        Self { refuses: true, ..Self::default() }
    }

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
        self.push(Severity::Note, code, spot, message);
    }

    /// Something was assumed or repaired.
    pub(crate) fn warn(&mut self, code: &'static str, spot: Spot, message: impl FnOnce() -> String) {
        self.push(Severity::Warning, code, spot, message);
    }

    /// A value was repaired: what is wrong with it, and what was assumed instead.
    pub(crate) fn repair(
        &mut self,
        code: &'static str,
        spot: Spot,
        wrong: impl FnOnce() -> String,
        assumed: &str,
    ) {
        let refuses = self.refuses;
        self.warn(code, spot, || if refuses { wrong() } else { format!("{}; {assumed}", wrong()) });
    }

    /// Something was not read.
    pub(crate) fn error(&mut self, code: &'static str, spot: Spot, message: impl FnOnce() -> String) {
        self.push(Severity::Error, code, spot, message);
    }

    fn push(&mut self, severity: Severity, code: &'static str, spot: Spot, message: impl FnOnce() -> String) {
        let file = self.file.clone();
        self.reported += 1;
        if self.count(&file, severity, code, spot) <= MAX_OF_A_KIND {
            let record = (!self.record.is_empty()).then(|| cut(self.record.clone()).into());
            self.kept.push(Diagnostic { severity, code, file, spot, record, message: cut(message()) });
        }
    }

    /// Counts one more of a kind, and states how many there are now.
    fn count(&mut self, file: &Name, severity: Severity, code: &'static str, spot: Spot) -> usize {
        let place = *self.places.entry((file.clone(), code)).or_insert(self.tallies.len());
        if let Some(tally) = self.tallies.get_mut(place) {
            tally.count += 1;
            return tally.count;
        }
        self.tallies.push(Tally { file: file.clone(), severity, code, count: 1, first: spot });
        1
    }

    /// How much the readers reported so far.
    pub(crate) fn reported(&self) -> usize {
        self.reported
    }

    /// The last thing of this file that was not read.
    pub(crate) fn last_error(&self) -> Option<&str> {
        let errors =
            |reported: &&Diagnostic| reported.severity == Severity::Error && reported.file == self.file;
        self.kept.iter().rev().find(errors).map(|reported| &*reported.message)
    }

    /// Takes what other readers reported.
    pub(crate) fn extend(&mut self, others: Vec<Diagnostic>) {
        for reported in others {
            let file = reported.file.clone();
            if self.count(&file, reported.severity, reported.code, reported.spot) <= MAX_OF_A_KIND {
                self.kept.push(reported);
            }
        }
    }

    /// Adds what another log holds, of files that this one is not about.
    pub(crate) fn append(&mut self, other: Self) {
        self.reported += other.reported;
        self.kept.extend(other.kept);
        for tally in other.tallies {
            self.places.insert((tally.file.clone(), tally.code), self.tallies.len());
            self.tallies.push(tally);
        }
        (self.file, self.record) = (other.file, other.record);
    }

    /// Everything reported, with a closing line for every kind that was cut short, and how often each kind was.
    pub(crate) fn finish(self) -> (Vec<Diagnostic>, Vec<Tally>) {
        let (mut kept, tallies) = (self.kept, self.tallies);
        let mut lengths: FxHashMap<(&Name, &'static str), usize> = FxHashMap::default();
        for reported in &kept {
            *lengths.entry((&reported.file, reported.code)).or_default() += 1;
        }
        let shown = |tally: &Tally| lengths.get(&(&tally.file, tally.code)).copied().unwrap_or_default();
        let mut cut: Vec<(&Tally, usize)> =
            tallies.iter().map(|tally| (tally, tally.count - shown(tally))).collect();
        cut.retain(|(_, more)| *more > 0);
        cut.sort_by_key(|(tally, _)| (&tally.file, tally.code));
        let closing = |(tally, more): (&Tally, usize)| {
            let message = format!("{more} more of the kind {}", tally.code);
            Diagnostic::new(tally.severity, tally.code, tally.file.clone(), Spot::File, message)
        };
        let closing: Vec<Diagnostic> = cut.into_iter().map(closing).collect();
        kept.extend(closing);
        (kept, tallies)
    }
}

/// A text no longer than the longest.
fn cut(mut text: String) -> String {
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
        let mut log = Log::default();
        log.in_record(&"n".repeat(5000));
        log.warn("odd", Spot::File, || "é".repeat(100_000));
        let reported = log.finish().0;
        assert_eq!((reported[0].message.len(), reported[0].record.as_ref().unwrap().len()), (603, 603));
    }

    #[test]
    fn floods_are_counted() {
        let mut log = Log::default();
        log.in_file("jobs.txt");
        for line in 0..60 {
            log.warn("odd", Spot::Line(line), || "odd".to_owned());
        }
        let (reported, tallies) = log.finish();
        assert_eq!((tallies.len(), tallies[0].count, tallies[0].first), (1, 60, Spot::Line(0)));
        assert_eq!(reported.len(), 51);
        assert_eq!(reported[50].message, "10 more of the kind odd");
        assert_eq!(reported[50].severity, Severity::Warning);
    }
}
