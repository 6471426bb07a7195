//! Compares one fact between the model and the scheduler.

use serde::Serialize;

/// Result of comparing two records of one fact.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AgreementClass {
    /// The scheduler left no record.
    NoEvidence,
    /// Literally equal.
    Equal,
    /// The same reason with other numbers, as when dump and cycle are not of the same time.
    OtherNumbers,
    /// A difference explained only by a setting that was not seen.
    NotSeen,
    Different,
}

impl AgreementClass {
    /// Returns the words for users.
    pub fn words(self) -> &'static str {
        match self {
            Self::NoEvidence => "no evidence",
            Self::Equal => "equal",
            Self::OtherNumbers => "same reason, other numbers",
            Self::NotSeen => "by a setting that was not seen",
            Self::Different => "different",
        }
    }
}

/// A fact, as modelled and as recorded.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ComparedFact {
    /// Result of the comparison.
    pub class: AgreementClass,
    pub modelled: Option<String>,
    /// As the scheduler recorded it.
    #[serde(rename = "said")]
    pub recorded: Option<String>,
}

impl ComparedFact {
    /// Compares two words for equality.
    pub fn words(modelled: &str, recorded: &str) -> Self {
        let class = if modelled == recorded { AgreementClass::Equal } else { AgreementClass::Different };
        Self { class, modelled: Some(modelled.to_owned()), recorded: Some(recorded.to_owned()) }
    }

    /// Compares two texts, which may differ by numbers only. Trailing blanks are ignored, since dumps lose them.
    pub fn texts(modelled: &str, recorded: &str) -> Self {
        let (modelled, recorded) = (modelled.trim_end(), recorded.trim_end());
        let class = if modelled == recorded {
            AgreementClass::Equal
        } else if without_numbers(modelled) == without_numbers(recorded) {
            AgreementClass::OtherNumbers
        } else {
            AgreementClass::Different
        };
        Self { class, ..Self::words(modelled, recorded) }
    }

    /// Returns the result without a record to compare with.
    pub fn without_record(modelled: Option<String>, recorded: Option<String>) -> Self {
        Self { class: AgreementClass::NoEvidence, modelled, recorded }
    }
}

/// Number of results of each class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct AgreementTally {
    pub equal: usize,
    /// Equal except for numbers.
    pub other_numbers: usize,
    pub different: usize,
    /// Different, explained only by a setting that was not seen; not evidence against the model.
    pub not_seen: usize,
    /// Without a record.
    pub no_evidence: usize,
}

impl AgreementTally {
    /// Returns the number of facts with a record.
    pub fn evidence(self) -> usize {
        self.equal + self.other_numbers + self.different
    }
}

impl FromIterator<AgreementClass> for AgreementTally {
    fn from_iter<T: IntoIterator<Item = AgreementClass>>(classes: T) -> Self {
        let mut tally = Self::default();
        for class in classes {
            *match class {
                AgreementClass::NoEvidence => &mut tally.no_evidence,
                AgreementClass::Equal => &mut tally.equal,
                AgreementClass::OtherNumbers => &mut tally.other_numbers,
                AgreementClass::NotSeen => &mut tally.not_seen,
                AgreementClass::Different => &mut tally.different,
            } += 1;
        }
        tally
    }
}

/// Returns a reason without the parts that change over time: amounts, and the values of nodes.
fn without_numbers(text: &str) -> String {
    let detail = |at: &usize| text.get(*at..).is_some_and(|d| d.starts_with("(R: ") || d.contains(" != "));
    let end = text.find('(').filter(detail).unwrap_or(text.len());
    let head = text.get(..end).unwrap_or(text).trim_end();
    let plain = |word| if is_amount(word) { "#" } else { word };
    head.split(' ').map(plain).collect::<Vec<_>>().join(" ")
}

/// Whether a word is a number, with or without a unit.
fn is_amount(word: &str) -> bool {
    let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = word.strip_prefix(number).unwrap_or_default().to_ascii_lowercase();
    let units = ["", "b", "kb", "mb", "gb", "tb", "pb", "s"];
    units.contains(&&*unit) && number.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_compare_to_the_letter_then_without_numbers() {
        let class = |a: &str, b: &str| ComparedFact::texts(a, b).class;
        let short = |a: &str| format!("Not Running: Insufficient amount of resource: ncpus {a}");
        assert_eq!(class(&short("(R: 4 A: 2 T: 8)"), &short("(R: 4 A: 2 T: 8)")), AgreementClass::Equal);
        assert_eq!(
            class(&short("(R: 4 A: 2 T: 8)"), &short("(R: 4 A: 0 T: 8)")),
            AgreementClass::OtherNumbers
        );
        assert_eq!(class(&short("(R: 4 A: 2 T: 8)"), &short("")), AgreementClass::OtherNumbers);
        let mem = "Not Running: Insufficient amount of resource: mem (R: 4gb A: 2gb T: 8gb)";
        assert_eq!(class(&short("(R: 4 A: 2 T: 8)"), mem), AgreementClass::Different);
        assert_eq!(
            class("Placement set switch=sw1 is", "Placement set switch=sw2 is"),
            AgreementClass::Different
        );
        assert_eq!(class("color (red != blue)", "color (red != green,blue)"), AgreementClass::OtherNumbers);
        assert_eq!(class("needs 5 of 10gb", "needs 7 of 3kb"), AgreementClass::OtherNumbers);
    }

    #[test]
    fn what_was_not_recorded_is_no_evidence() {
        let tally: AgreementTally =
            [AgreementClass::Equal, AgreementClass::NoEvidence, AgreementClass::Different]
                .into_iter()
                .collect();
        assert_eq!((tally.evidence(), tally.no_evidence), (2, 1));
        assert_eq!(AgreementTally::default().evidence(), 0);
    }
}
