//! The select that the scheduler reads, made of what was written (rule 2.2).

use super::{Catalogue, Kind, Name, Select, SelectError, SelectPart, Value, add_chunk_defaults};

/// `default_chunk` of a job's queue and of the server, the queue's first.
#[derive(Clone, Copy, Debug)]
pub struct ChunkDefaults<'d> {
    pub queue: &'d [(Name, Name)],
    pub server: &'d [(Name, Name)],
}

impl<'d> ChunkDefaults<'d> {
    fn all(self) -> impl Iterator<Item = &'d (Name, Name)> {
        self.queue.iter().chain(self.server)
    }

    /// `default_chunk.nchunk`, for chunks without a count.
    fn count(self) -> Option<u32> {
        self.all().find(|(name, _)| &**name == "nchunk").and_then(|(_, value)| value.parse().ok())
    }
}

/// The parts of a select with the defaults in every chunk that does not name them, values as they were written.
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

/// The select of these parts with its values as the server writes them: booleans in one spelling, sizes with a `b`.
///
/// # Errors
/// There is no part, or something is called like no resource.
pub fn normalised_select(mut parts: Vec<SelectPart>, catalogue: &Catalogue) -> Result<Select, SelectError> {
    for (name, value) in parts.iter_mut().flat_map(|(_, requests)| requests) {
        if let Some(id) = catalogue.id(name) {
            *value = normal(catalogue.kind(id), value);
        }
    }
    Select::of_parts(&parts)
}

fn normal(kind: Kind, value: &Name) -> Name {
    match kind {
        Kind::Boolean => {
            Value::parse_direct(kind, value).map_or_else(|_| value.clone(), |yes| yes.show(kind).into())
        }
        Kind::Size if !value.ends_with(['b', 'B', 'w', 'W']) => format!("{value}b").into(),
        _ => value.clone(),
    }
}
