//! The select that the scheduler reads, made of what a user wrote (rules 2.1, 2.2).

use qscope_engine::cluster::{
    Catalogue, Kind, Name, Queue, Select, SelectError, SelectPart, Server, Value, add_chunk_defaults,
};

/// `default_chunk` of a job's queue and of the server, the queue's first.
#[derive(Clone, Copy)]
pub(crate) struct ChunkDefaults<'d> {
    pub(crate) queue: &'d [(Name, Name)],
    pub(crate) server: &'d [(Name, Name)],
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

/// The select that the server makes of what a user asks for in a queue: chunk defaults of the queue and the server added,
/// values in the server's spelling (rule 2.2).
pub fn submitted(
    asked: &Select,
    queue: &Queue,
    server: &Server,
    catalogue: &Catalogue,
) -> Result<Select, SelectError> {
    let defaults = ChunkDefaults { queue: &queue.default_chunk, server: &server.default_chunk };
    normalised(with_defaults(asked, defaults), catalogue)
}

/// The parts of a select with the defaults in every chunk that does not name them, values as they were written.
pub(crate) fn with_defaults(asked: &Select, defaults: ChunkDefaults<'_>) -> Vec<SelectPart> {
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
pub(crate) fn normalised(mut parts: Vec<SelectPart>, catalogue: &Catalogue) -> Result<Select, SelectError> {
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

/// One chunk of every host-level resource, by name: what `-l ncpus=…,mem=…` without a select stands for (rule 2.1).
pub fn old_style(resources: &[(&str, &str)], catalogue: &Catalogue) -> Result<Select, SelectError> {
    let on_hosts = |name: &str| catalogue.id(name).is_some_and(|id| catalogue.def(id).flags.host);
    let mut asked: Vec<_> = resources.iter().filter(|(name, _)| on_hosts(name)).collect();
    asked.sort_by_key(|(name, _)| name.to_ascii_lowercase());
    Select::of_parts(&[(
        1,
        asked.into_iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
    )])
}
