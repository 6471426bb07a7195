//! The word by which a what-if names the policy that chooses nodes: one of Maui's policies, or a packing
//! policy of a class of jobs.

use std::fmt;

use super::name::PolicyName;
use crate::farm::{Criterion, FarmPolicy};

/// The policy that chooses the nodes of a job instead of `node_sort_key`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NodeChoice {
    /// One of Maui's nine policies.
    Maui(PolicyName),
    /// A packing policy; the criterion makes the classes of jobs.
    Packing(FarmPolicy, Criterion),
}

/// The word is neither kind of policy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{0}` is no policy; known are {known}, and relaxed, exclusive, none, ttl:TIME, each with @queue, @group, \
     @user, @project, @name:PATTERN or @resource:NAME for what makes a class",
    known = PolicyName::list()
)]
pub struct NodeChoiceError(pub String);

impl NodeChoice {
    /// Reads `FASTEST`, `relaxed`, `ttl:6h@group` and so on; without a criterion, each queue is a class.
    ///
    /// # Errors
    /// The text is neither one of Maui's policies nor a packing policy, or its criterion is unknown.
    pub fn parse(text: &str) -> Result<Self, NodeChoiceError> {
        if let Ok(policy) = PolicyName::parse(text) {
            return Ok(Self::Maui(policy));
        }
        let (word, by) = text.split_once('@').unwrap_or((text, "queue"));
        match (FarmPolicy::parse(&word.to_ascii_lowercase()), Criterion::parse(by)) {
            (Ok(policy), Ok(criterion)) => Ok(Self::Packing(policy, criterion)),
            _ => Err(NodeChoiceError(text.to_owned())),
        }
    }
}

/// The packing policies as written; the last one is followed by a time.
const PACKING: [&str; 4] = ["relaxed", "exclusive", "none", "ttl:"];

/// The criteria as written; the last two are followed by a pattern or a resource.
const CRITERIA: [&str; 7] = ["queue", "group", "user", "project", "partition", "name:", "resource:"];

impl NodeChoice {
    /// Returns the possible completions of a typed text; after a packing policy and `@`, one for each
    /// criterion.
    pub fn words(typed: &str) -> Vec<String> {
        match typed.split_once('@') {
            Some((policy, _)) => CRITERIA.iter().map(|by| format!("{policy}@{by}")).collect(),
            None => {
                let maui = PolicyName::ALL.iter().map(|name| name.word());
                maui.chain(PACKING).map(ToOwned::to_owned).collect()
            }
        }
    }
}

impl fmt::Display for NodeChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Maui(policy) => policy.fmt(f),
            Self::Packing(policy, criterion) => write!(f, "{policy}@{criterion}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_that_is_offered_is_read_with_what_it_still_misses() {
        let words = [NodeChoice::words("re"), NodeChoice::words("relaxed@")].concat();
        assert!(words.len() > 15, "{words:?}");
        for word in words {
            let whole = match word.as_str() {
                "ttl:" => "ttl:6h".to_owned(),
                word if word.ends_with(':') => format!("{word}io"),
                word => word.to_owned(),
            };
            assert!(NodeChoice::parse(&whole).is_ok(), "{whole}");
        }
    }

    #[test]
    fn words_of_both_kinds_are_read() {
        assert_eq!(NodeChoice::parse("nodespeed"), Ok(NodeChoice::Maui(PolicyName::Fastest)));
        for text in ["relaxed@queue", "exclusive@group", "ttl:21600@resource:io"] {
            assert_eq!(NodeChoice::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(NodeChoice::parse("TTL:6h").unwrap().to_string(), "ttl:21600@queue");
        for wrong in ["", "quickest", "relaxed@shoe", "ttl"] {
            let text = NodeChoice::parse(wrong).unwrap_err().to_string();
            assert!(text.contains("known are FIRSTAVAILABLE") && text.contains("exclusive"), "{text}");
        }
    }
}
