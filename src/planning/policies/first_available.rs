//! FIRSTAVAILABLE: nodes in the order of the dump (rule 1.1).

use super::policy::{AllocationPolicy, Key, Question, key_of};
use super::{Candidate, PolicyName};
use qscope_engine::cluster::Id;

/// Nodes in the order of the dump, for immediate and later starts alike.
pub(super) struct FirstAvailable;

impl AllocationPolicy for FirstAvailable {
    fn name(&self) -> PolicyName {
        PolicyName::FirstAvailable
    }

    fn key(&self, _question: &Question<'_>, _candidate: &Candidate) -> Key {
        key_of(0.0)
    }

    fn show_key(&self, _question: &Question<'_>, candidate: &Candidate) -> String {
        format!("no. {} of the dump", candidate.node.ix() + 1)
    }
}
