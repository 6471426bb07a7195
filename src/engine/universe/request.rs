//! What jobs request as the scheduler sees it: typed chunks, stripped to the resources it enforces (rule 2.3).

pub(in crate::universe) mod allocation;
pub(in crate::universe) mod cache;
pub(in crate::universe) mod chunk_shape;
pub(in crate::universe) mod read;
pub(in crate::universe) mod requests;
pub(in crate::universe) mod returns;
pub(in crate::universe) mod soft_walltime;

use std::sync::Arc;

use crate::cluster::{Amount, Catalogue, Column, Name, Place, Policy, ResourceId, ResourceType, Seconds};

use crate::universe::request::chunk_shape::{ChunkShapes, ShapeId};

/// One term of a select: a number of equal chunks.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Number of chunks.
    pub count: u32,
    /// Shape of each chunk.
    pub shape: ShapeId,
    /// Text as written, with the count.
    pub text: Name,
}

impl Spec {
    /// Returns the text as written, without the count.
    pub fn chunk_text(&self) -> &str {
        self.text.split_once(':').map_or(&*self.text, |(_, rest)| rest)
    }
}

#[derive(Clone, Debug, Default)]
pub struct JobRequest {
    /// Terms of the select; shared by all jobs with the same select.
    pub specs: Arc<[Spec]>,
    /// Placement that the job requests.
    pub place: Place,
    /// Job-wide consumables that the scheduler enforces, in the order of `Resource_List`.
    pub totals: Arc<[(ResourceId, Amount)]>,
    /// How long the job is expected to hold its nodes: soft walltime, else hard walltime, else five years.
    pub duration: Seconds,
    /// The same by the hard walltime only.
    pub hard_duration: Seconds,
    /// Minimum walltime of a shrink-to-fit job (rule 6.13).
    pub min_walltime: Option<Seconds>,
}

impl JobRequest {
    /// Returns the same request for another walltime, as for a shrink-to-fit job (rule 6.13).
    pub fn lasting(&self, length: Seconds) -> Self {
        Self { duration: length, hard_duration: length, ..self.clone() }
    }

    /// Returns the request with `used` subtracted from its walltimes, as for a suspended job.
    pub(crate) fn after(&self, used: Seconds) -> Self {
        let left = |length: Seconds| {
            if length == Seconds::UNLIMITED { length } else { Seconds((length.0 - used.0).max(0)) }
        };
        let (duration, hard_duration) = (left(self.duration), left(self.hard_duration));
        Self { duration, hard_duration, ..self.clone() }
    }

    /// Whether some chunk requests the resource.
    pub fn has_requirement(&self, shapes: &ChunkShapes, resource: ResourceId) -> bool {
        self.specs.iter().any(|spec| shapes[spec.shape].requirement(resource).is_some())
    }

    /// Whether every chunk needs a node of its own.
    pub fn is_spread(&self) -> bool {
        self.place.arrangement.is_spread()
    }

    /// Returns the number of chunks in the whole select.
    pub fn total_chunks(&self) -> u64 {
        self.specs.iter().map(|spec| u64::from(spec.count)).sum()
    }
}

/// The resources that the scheduler enforces: those on the `resources` line, or all if there is no line.
#[derive(Clone, Debug)]
pub struct EnforcedResources {
    named: Option<Vec<ResourceId>>,
    /// Place of each of them in the order of names, ignoring case.
    places: Column<ResourceId, Option<usize>>,
}

impl EnforcedResources {
    /// Reads the policy's line.
    pub fn new(policy: &Policy, catalogue: &Catalogue) -> Self {
        let named: Option<Vec<ResourceId>> = policy
            .resources
            .as_ref()
            .map(|names| names.iter().filter_map(|name| catalogue.id(name)).collect());
        let mut by_name = named.clone().unwrap_or_default();
        by_name.sort_unstable();
        by_name.dedup();
        by_name.sort_by(|one, other| catalogue.compare_names(*one, *other));
        let mut places = Column::filled(catalogue.len(), None);
        by_name.iter().enumerate().for_each(|(place, resource)| places[*resource] = Some(place));
        Self { named, places }
    }

    /// Whether a chunk's request for the resource is kept; booleans always are (rule 2.3).
    pub fn is_enforced(&self, catalogue: &Catalogue, resource: ResourceId) -> bool {
        catalogue.kind(resource) == ResourceType::Boolean || self.named.is_none() || self.names(resource)
    }

    /// Whether the line names the resource; a missing line names nothing.
    pub fn names(&self, resource: ResourceId) -> bool {
        self.place(resource).is_some()
    }

    /// Returns the place of a resource among those of the line, ordered by name ignoring case; `None` if the line
    /// does not name it.
    pub(in crate::universe) fn place(&self, resource: ResourceId) -> Option<usize> {
        self.places.checked(resource).copied().flatten()
    }

    /// Returns the resources of the line.
    pub fn line(&self) -> &[ResourceId] {
        self.named.as_deref().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rule 3.7: time left is requested less used time; unlimited time stays unlimited.
    #[test]
    fn what_was_used_is_not_left() {
        let requests = |length| JobRequest {
            specs: [].into(),
            place: Place::default(),
            totals: [].into(),
            duration: length,
            hard_duration: length,
            min_walltime: None,
        };
        let left = |length: Seconds| requests(length).after(Seconds(600)).duration;
        assert_eq!([left(Seconds(3600)), left(Seconds(60))], [Seconds(3000), Seconds(0)]);
        assert_eq!(left(Seconds::UNLIMITED), Seconds::UNLIMITED);
    }
}
