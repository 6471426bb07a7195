//! The packing policies of a site in a small file, read by the publisher of counts and by the submission
//! filter.
//!
//! ```toml
//! class = "group"      # by what jobs fall into classes, as --class
//! every = "15s"        # how often a node publishes; 15 seconds without it
//! unknown = "accept"   # or reject: what becomes of jobs of a class that is not listed
//! [classes]
//! atlas = "relaxed"
//! lhcb = "ttl:3600"
//! cms = "exclusive"
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Criterion, FarmCase, FarmPolicy};
use qscope_engine::cluster::parse_duration;

/// The policies of a site.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyFile {
    /// The criterion by which jobs fall into classes.
    pub class: Criterion,
    /// Seconds between two published lines of a node.
    pub publish_interval: f64,
    /// Whether jobs of unlisted classes are rejected.
    pub rejects_unknown: bool,
    /// The policy of each class, by class name.
    pub classes: Vec<(String, FarmPolicy)>,
}

/// Why a text is not a policy file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct PolicyFileError(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPolicyFile {
    #[serde(default = "group")]
    class: String,
    every: Option<String>,
    #[serde(default)]
    unknown: UnknownClassRule,
    classes: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum UnknownClassRule {
    #[default]
    Accept,
    Reject,
}

fn group() -> String {
    "group".to_owned()
}

/// Seconds within which LSF accepts at most one line of a node.
pub const SHORTEST: f64 = 15.0;

impl PolicyFile {
    /// Creates a file with one policy for all packing classes of a case. `by` is the criterion to use where
    /// the case names its classes itself.
    ///
    /// # Errors
    /// The criterion is invalid.
    pub fn for_packing(
        case: &FarmCase,
        by: Option<&str>,
        policy: FarmPolicy,
    ) -> Result<Self, super::FarmError> {
        let named = case.packing.iter().map(|class| case.workload.classes[*class].to_string());
        Self::of(case, by, named.map(|class| (class, policy)).collect())
    }

    /// Creates a file with a policy for each class.
    pub fn of(
        case: &FarmCase,
        by: Option<&str>,
        classes: Vec<(String, FarmPolicy)>,
    ) -> Result<Self, super::FarmError> {
        let by = by.unwrap_or(&case.criterion);
        let class = if by.is_empty() { Criterion::default() } else { Criterion::parse(by)? };
        Ok(Self { class, publish_interval: SHORTEST, rejects_unknown: false, classes })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A key is unknown, a policy, criterion or time is invalid, or there is no class.
    pub fn read(text: &str) -> Result<Self, PolicyFileError> {
        let written: RawPolicyFile = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            PolicyFileError(format!("line {}: {}", before.matches('\n').count() + 1, error.message()))
        })?;
        let publish_interval = match &written.every {
            None => SHORTEST,
            Some(found) => parse_duration(found)
                .filter(|seconds| *seconds > 0.0)
                .ok_or_else(|| PolicyFileError(format!("every: `{found}` is no time such as 15s")))?,
        };
        let fault = |error: super::FarmError| PolicyFileError(error.to_string());
        let policy = |(class, word): (&String, &String)| {
            let policy =
                FarmPolicy::parse(word).map_err(|error| PolicyFileError(format!("{class}: {error}")))?;
            Ok((class.clone(), policy))
        };
        let classes = written.classes.iter().map(policy).collect::<Result<Vec<_>, _>>()?;
        if classes.is_empty() {
            return Err(PolicyFileError("[classes] names no class".to_owned()));
        }
        let class = Criterion::parse(&written.class).map_err(fault)?;
        Ok(Self {
            class,
            publish_interval,
            rejects_unknown: written.unknown == UnknownClassRule::Reject,
            classes,
        })
    }

    /// Returns the file as text, which reads back as the same.
    pub fn write(&self) -> String {
        let quoted = |text: &str| toml::Value::from(text).to_string();
        let mut text = format!("class = {}\n", quoted(&self.class.to_string()));
        text += &format!("every = \"{}s\"\n", self.publish_interval);
        if self.rejects_unknown {
            text += "unknown = \"reject\"\n";
        }
        text += "[classes]\n";
        for (class, policy) in &self.classes {
            text += &format!("{} = {}\n", quoted(class), quoted(&policy.to_string()));
        }
        text
    }

    /// Returns whether a class is listed.
    pub fn knows(&self, class: &str) -> bool {
        self.classes.iter().any(|(name, _)| name == class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let file = PolicyFile {
            class: Criterion::parse("name:sim*").unwrap(),
            publish_interval: 30.0,
            rejects_unknown: true,
            classes: vec![
                ("a b".to_owned(), FarmPolicy::Ttl(3600)),
                ("cms".to_owned(), FarmPolicy::Exclusive),
            ],
        };
        assert_eq!(PolicyFile::read(&file.write()), Ok(file));
        let least = PolicyFile::read("[classes]\natlas = 'relaxed'\n").unwrap();
        assert_eq!(
            (least.class, least.publish_interval, least.rejects_unknown),
            (Criterion::Group, 15.0, false)
        );
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |text: &str| PolicyFile::read(text).unwrap_err().to_string();
        assert!(wrong("[classes]\natlas = 'tight'\n").starts_with("atlas: "));
        assert!(wrong("clas = 'group'\n[classes]\na = 'none'\n").starts_with("line 1: unknown field"));
        assert!(wrong("every = 'often'\n[classes]\na = 'none'\n").contains("`often` is no time"));
        assert_eq!(wrong("[classes]\n"), "[classes] names no class");
    }
}
