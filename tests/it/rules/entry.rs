//! The contents of `tests/rules.toml`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The system of rules. A number is unique within one system.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum System {
    /// The scheduler of the PBS family.
    Pbs,
    /// Allocation policies.
    Maui,
    /// The cloud scaler.
    Capacity,
    /// Packing policies and the farm simulator.
    Packing,
    /// Traces and logs of finished jobs.
    Traces,
    /// The cycle over simulated time.
    Days,
}

impl System {
    pub(super) const ALL: [Self; 6] =
        [Self::Pbs, Self::Maui, Self::Capacity, Self::Packing, Self::Traces, Self::Days];

    /// Returns its name in the file, and in a citation where it does not follow from the folder.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Pbs => "pbs",
            Self::Maui => "maui",
            Self::Capacity => "capacity",
            Self::Packing => "packing",
            Self::Traces => "traces",
            Self::Days => "days",
        }
    }

    pub(super) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|system| system.word() == word)
    }
}

/// One rule.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) system: System,
    /// The number by which comments cite it.
    pub(super) number: String,
    /// The heading it is listed under.
    pub(super) section: String,
    pub(super) title: String,
    /// The rule itself; line breaks count as spaces.
    pub(super) rule: String,
    pub(super) quirk: Option<String>,
    #[serde(default)]
    pub(super) cases: Vec<String>,
    #[serde(default)]
    pub(super) tests: Vec<String>,
    pub(super) none: Option<String>,
}

impl Rule {
    /// Returns the rule in one line.
    pub(super) fn sentences(&self) -> String {
        self.rule.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns its sort key: by system, then by the parts of its number, digits before letters.
    fn place(&self) -> (System, Vec<(String, u32)>) {
        let part = |part: &str| {
            let (letters, digits) =
                part.split_at(part.find(|c: char| c.is_ascii_digit()).unwrap_or(part.len()));
            (letters.to_owned(), digits.parse().unwrap_or(0))
        };
        (self.system, self.number.split('.').map(part).collect())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    rule: BTreeMap<String, Rule>,
}

/// Returns the path of the rules file.
pub(super) fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules.toml")
}

/// Returns all rules with their ids, in the order of their numbers.
pub(super) fn rules() -> Vec<(String, Rule)> {
    let rules: Rules = toml::from_str(&fs::read_to_string(file()).unwrap()).unwrap();
    let mut rules: Vec<(String, Rule)> = rules.rule.into_iter().collect();
    rules.sort_by_key(|(_, rule)| rule.place());
    rules
}
