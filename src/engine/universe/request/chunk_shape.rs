//! The distinct shapes of chunks, interned because thousands of jobs request the same few (rule 2.3).

use std::hash::{Hash, Hasher};

use crate::cluster::{Amount, Name, ResourceId};

use crate::universe::interner::Interner;

crate::id!(
    /// Index of a distinct chunk shape.
    ShapeId
);

/// What a chunk requests of one resource.
#[derive(Clone, Debug)]
pub enum Requirement {
    /// Amount of a consumable.
    Amount(Amount),
    Bool(bool),
    /// A text that must be among the node's values; never split at commas.
    Text(Name),
}

impl Requirement {
    pub fn text(&self) -> Option<&Name> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl PartialEq for Requirement {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Amount(a), Self::Amount(b)) => a.key() == b.key(),
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Requirement {}

impl Hash for Requirement {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Amount(amount) => amount.key().hash(state),
            Self::Bool(value) => value.hash(state),
            Self::Text(text) => text.hash(state),
        }
    }
}

/// One chunk: its requests in the order in which the scheduler checks them, which is conditions in reverse, then
/// consumables as written (rule 2.3).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ChunkShape {
    /// All requests in checking order.
    pub requests: Vec<(ResourceId, Requirement)>,
}

impl ChunkShape {
    /// Returns the consumable requests as written.
    pub fn amounts(&self) -> impl Iterator<Item = (ResourceId, Amount)> {
        self.requests.iter().filter_map(|(resource, requirement)| match requirement {
            Requirement::Amount(amount) => Some((*resource, *amount)),
            _ => None,
        })
    }

    /// Returns the requests that are not consumable.
    pub fn conditions(&self) -> impl Iterator<Item = &(ResourceId, Requirement)> {
        self.requests.iter().filter(|(_, requirement)| !matches!(requirement, Requirement::Amount(_)))
    }

    pub fn requirement(&self, resource: ResourceId) -> Option<&Requirement> {
        self.requests.iter().find(|(have, _)| *have == resource).map(|(_, requirement)| requirement)
    }
}

/// All distinct shapes.
pub type ChunkShapes = Interner<ShapeId, ChunkShape>;
