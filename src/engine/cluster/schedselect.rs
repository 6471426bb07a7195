//! The select that the scheduler reads, derived from the one that was written (rule 2.2).

use super::{Catalogue, Name, ResourceType, Select, SelectError, SelectPart, Value, add_chunk_defaults};

/// `default_chunk` of a job's queue and of the server; the queue's takes precedence.
#[derive(Clone, Copy, Debug)]
pub struct ChunkDefaults<'d> {
    pub queue: &'d [(Name, Name)],
    pub server: &'d [(Name, Name)],
}

impl<'d> ChunkDefaults<'d> {
    fn all(self) -> impl Iterator<Item = &'d (Name, Name)> {
        self.queue.iter().chain(self.server)
    }

    /// Returns `default_chunk.nchunk`, the number of chunks where none is given.
    fn count(self) -> Option<u32> {
        self.all().find(|(name, _)| &**name == "nchunk").and_then(|(_, value)| value.parse().ok())
    }
}

/// Returns the terms of a select with the defaults added to every chunk that does not name them, values as written.
pub fn with_chunk_defaults(asked: &Select, defaults: ChunkDefaults<'_>) -> Vec<SelectPart> {
    let mut parts = asked.parts();
    for ((count, requests), chunk) in parts.iter_mut().zip(asked.chunks.iter()) {
        if !chunk.counted {
            *count = defaults.count().unwrap_or(*count);
        }
        add_chunk_defaults(requests, defaults.all());
    }
    parts
}

/// Returns the select of these terms with values as the server writes them: booleans in one spelling, sizes with a
/// `b`.
///
/// # Errors
/// There is no term, or a name is not a valid resource name.
pub fn normalised_select(mut parts: Vec<SelectPart>, catalogue: &Catalogue) -> Result<Select, SelectError> {
    for (name, value) in parts.iter_mut().flat_map(|(_, requests)| requests) {
        if let Some(id) = catalogue.id(name) {
            *value = normal(catalogue.kind(id), value);
        }
    }
    Select::of_parts(&parts)
}

fn normal(kind: ResourceType, value: &Name) -> Name {
    match kind {
        ResourceType::Boolean => {
            Value::parse_direct(kind, value).map_or_else(|_| value.clone(), |yes| yes.show(kind).into())
        }
        ResourceType::Size if !value.ends_with(['b', 'B', 'w', 'W']) => format!("{value}b").into(),
        _ => value.clone(),
    }
}
