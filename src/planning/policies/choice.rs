//! The word by which a what-if names who chooses nodes: one of Maui's policies, or a packing policy of a class of jobs.

use std::fmt;

use super::name::PolicyName;
use crate::farm::{Criterion, FarmPolicy};

/// Who chooses the nodes of a job in the place of `node_sort_key`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NodeChoice {
    /// One of Maui's nine policies.
    Maui(PolicyName),
    /// A packing policy; jobs of one class by the criterion pack with each other.
    Packing(FarmPolicy, Criterion),
}

/// A word that is neither policy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{0}` is no policy; known are {known}, and relaxed, exclusive, none, ttl:TIME, each with @queue, @group, \
     @user, @project, @name:PATTERN or @resource:NAME for what makes a class",
    known = PolicyName::list()
)]
pub struct NodeChoiceError(pub String);

impl NodeChoice {
    /// Reads `FASTEST`, `relaxed`, `ttl:6h@group` and so on; a class is a queue where nothing else is named.
    ///
    /// # Errors
    /// Neither a policy of Maui's nor a packing policy, or no such criterion.
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
