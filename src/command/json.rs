//! Parts that the JSON answers of several commands share.

use serde::{Serialize, Serializer};

/// An object whose keys are data: written in the order given.
pub(super) struct Keyed<K, V>(pub(super) Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Keyed<K, V> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}
