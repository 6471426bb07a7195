//! How values that are no types of explain's own stand in the answers for programs.

use serde::{Serialize, Serializer};

use super::{Condition, Tier};

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
