//! A job in another queue, as the server makes it of the one that it was.

use super::{Catalogue, Job, Queue, Select, Server, add_chunk_defaults};

impl Job {
    /// The job in another queue: of its select what the old queue's `default_chunk` added goes and what the new one adds
    /// comes (rule 2.2), and the new queue's `resources_default` fills what is missing; everything else stays. None where
    /// nothing is requested.
    #[must_use]
    pub fn moved(
        &self,
        from: Option<&Queue>,
        to: &Queue,
        server: &Server,
        catalogue: &Catalogue,
    ) -> Option<Self> {
        let old = from.map_or(&[][..], |queue| &queue.default_chunk);
        let mut parts = self.select.as_ref()?.parts();
        for (_, requests) in &mut parts {
            requests.retain(|request| !old.contains(request));
            add_chunk_defaults(requests, to.default_chunk.iter().chain(&server.default_chunk));
        }
        parts.retain(|(count, requests)| *count > 0 && !requests.is_empty());
        if parts.is_empty() {
            return None;
        }
        let mut moved = self.with_select(Select::of_parts(&parts).ok()?, catalogue);
        moved.queue = to.name.clone();
        moved.reservation = None;
        for (id, value) in to.defaults.iter() {
            if moved.requested.get(id).is_none() {
                moved.requested.set(id, value.clone());
            }
        }
        Some(moved)
    }
}
