//! Builds the select that the scheduler reads from what a user wrote (rules 2.1, 2.2).

use qscope_engine::cluster::{
    Catalogue, ChunkDefaults, Queue, Select, SelectError, Server, normalised_select, with_chunk_defaults,
};

/// Returns the select that the server makes of a request in a queue: defaults for chunks of the queue and the server
/// are added, and values are in the server's spelling (rule 2.2).
pub fn submitted(
    asked: &Select,
    queue: &Queue,
    server: &Server,
    catalogue: &Catalogue,
) -> Result<Select, SelectError> {
    let defaults = ChunkDefaults { queue: &queue.default_chunk, server: &server.default_chunk };
    normalised_select(with_chunk_defaults(asked, defaults), catalogue)
}

/// Returns one chunk with every host-level resource, by name: the meaning of `-l ncpus=…,mem=…` without a select
/// (rule 2.1).
pub fn old_style(resources: &[(&str, &str)], catalogue: &Catalogue) -> Result<Select, SelectError> {
    let on_hosts = |name: &str| catalogue.id(name).is_some_and(|id| catalogue.def(id).flags.host);
    let mut asked: Vec<_> = resources.iter().filter(|(name, _)| on_hosts(name)).collect();
    asked.sort_by_key(|(name, _)| name.to_ascii_lowercase());
    Select::of_parts(&[(
        1,
        asked.into_iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
    )])
}
