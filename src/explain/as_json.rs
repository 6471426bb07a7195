//! How values that are no types of explain's own stand in the answers for programs.

use serde::{Serialize, Serializer};

use qscope_engine::cluster::Epoch;

use super::node_check::Condition;
use super::tier::Tier;

/// A moment in seconds since 1970.
pub(super) fn seconds<S: Serializer>(at: &Epoch, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_i64(at.0)
}

/// A moment in seconds since 1970, or null.
pub(super) fn seconds_or_null<S: Serializer>(at: &Option<Epoch>, to: S) -> Result<S::Ok, S::Error> {
    at.map(|at| at.0).serialize(to)
}

impl Serialize for Tier {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.word())
    }
}

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.words())
    }
}
