//! Detects attributes that are faked by raw newlines in a variable.
//!
//! The environment is printed unchanged: a variable may contain a newline followed by what looks like an attribute.
//! The client prints attributes in a fixed order, each once, so an attribute after the environment is faked if it
//! belongs before it or is repeated.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::log::DiagnosticLog;
use crate::record::{Attribute, Record};

/// Attributes that the client always prints before the environment.
const BEFORE_PRIVATE: [&str; 19] = [
    "Job_Name",
    "Job_Owner",
    "job_state",
    "queue",
    "server",
    "Account_Name",
    "Checkpoint",
    "ctime",
    "exec_vnode",
    "Execution_Time",
    "group_list",
    "Hold_Types",
    "Priority",
    "qtime",
    "Rerunable",
    "Resource_List",
    "schedselect",
    "stime",
    "substate",
];

/// Attributes in a record before and after the environment.
#[derive(Default)]
pub(super) struct FakedAttributeFilter {
    /// Number of attributes before the environment, once that was read.
    attributes_before: Option<usize>,
    /// Index of attributes, by the hash of name and resource.
    attribute_index: FxHashMap<u64, usize>,
}

impl FakedAttributeFilter {
    /// Whether the environment was read.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.attributes_before.is_some()
    }

    /// Notes that the environment was read.
    pub(super) fn start(&mut self, record: &Record<'_>) {
        if self.attributes_before.is_none() {
            self.attributes_before = Some(record.attributes.len());
            self.attribute_index.clear();
            self.attribute_index
                .extend(record.attributes.iter().enumerate().map(|(at, have)| (hash(have), at)));
        }
    }

    /// Notes the end of the record.
    pub(super) fn stop(&mut self) {
        self.attributes_before = None;
    }

    /// Adds an attribute that follows the environment: one that belongs before it is faked, and of two equal ones
    /// after it the last is right. Returns its index, if it is kept.
    pub(super) fn push<'a>(
        &mut self,
        record: &mut Record<'a>,
        attribute: Attribute<'a>,
        log: &mut DiagnosticLog,
    ) -> Option<usize> {
        let before = self.attributes_before.unwrap_or(usize::MAX);
        let same =
            |have: &&mut Attribute<'_>| have.name == attribute.name && have.resource == attribute.resource;
        let place = self.attribute_index.get(&hash(&attribute)).copied();
        let twin = place.and_then(|at| record.attributes.get_mut(at).filter(same));
        let is_fake = BEFORE_PRIVATE.contains(&&*attribute.name)
            || twin.is_some() && place.is_some_and(|at| at < before);
        if is_fake || twin.is_some() {
            log.warn("text-faked", attribute.spot(), || {
                let name = &attribute.name;
                let kept = if is_fake { "skipped" } else { "took the last one" };
                format!("`{name}` out of place, as a variable with newlines looks; {kept}")
            });
        }
        match twin {
            _ if is_fake => None,
            Some(slot) => {
                *slot = attribute;
                place
            }
            None => {
                let at = record.attributes.len();
                self.attribute_index.insert(hash(&attribute), at);
                record.attributes.push(attribute);
                Some(at)
            }
        }
    }
}

fn hash(attribute: &Attribute<'_>) -> u64 {
    FxBuildHasher.hash_one((&*attribute.name, attribute.resource.as_deref()))
}
