//! JSON forms of values that are not types of this crate.

use serde::{Serialize, Serializer};

use super::Condition;

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.words())
    }
}
