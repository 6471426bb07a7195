//! Reads the requests of jobs and reservations from their records (rule 2.3).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{
    Amount, Catalogue, ChunkSpec, ExecVnode, ExecVnodePart, Job, Name, Reservation, ResourceId, ResourceType,
    Seconds, Select, Value,
};

use crate::universe::request::cache::{ContentInterner, NumberedRequest, RequestCache, totals};
use crate::universe::{ChunkShape, ChunkShapes, EnforcedResources, JobRequest, Requirement, ShapeId, Spec};

/// Why a job with a negative request is refused: the server accepts none, so the scheduler has no rule for it.
pub const NEGATIVE: &str = "Negative amount in select";
/// Why a job whose select has more than `MAX_PARTS` terms is refused.
pub const TOO_MANY_PARTS: &str = "qscope reads at most 16384 parts of a select; the job has more";

/// Why a job without a select is refused.
const NO_SELECT: &str = "No Select";

/// Maximum number of terms in a select; a job that names every node of the largest clusters has fewer.
const MAX_PARTS: usize = 16_384;

/// Reads a select into specs.
///
/// # Errors
/// Returns the scheduler's text for a job it cannot use, if a chunk keeps nothing or a value does not match the type
/// of its resource; or `TOO_MANY_PARTS`.
pub(crate) fn read_select(
    select: &Select,
    catalogue: &Catalogue,
    enforced: &EnforcedResources,
    shapes: &mut ChunkShapes,
) -> Result<Arc<[Spec]>, &'static str> {
    read_parts(select, catalogue, enforced, shapes, &mut FxHashMap::default())
}

/// The same with a cache of chunk shapes by their text without the count.
fn read_parts<'s>(
    select: &'s Select,
    catalogue: &Catalogue,
    enforced: &EnforcedResources,
    shapes: &mut ChunkShapes,
    known: &mut FxHashMap<&'s str, ShapeId>,
) -> Result<Arc<[Spec]>, &'static str> {
    if select.chunks.len() > MAX_PARTS {
        return Err(TOO_MANY_PARTS);
    }
    let mut specs = Vec::with_capacity(select.chunks.len());
    for chunk in select.chunks.iter() {
        let text = select.text.get(chunk.span.clone()).unwrap_or_default();
        let one = if chunk.counted { text.split_once(':').map_or("", |(_, one)| one) } else { text };
        let shape = match known.get(one) {
            Some(shape) => *shape,
            None => {
                let shape = shapes.intern(read_chunk(chunk, catalogue, enforced)?);
                known.insert(one, shape);
                shape
            }
        };
        let text = if chunk.counted { text.into() } else { format!("1:{text}").into() };
        specs.push(Spec { count: chunk.count, shape, text });
    }
    Ok(specs.into())
}

fn read_chunk(
    chunk: &ChunkSpec,
    catalogue: &Catalogue,
    enforced: &EnforcedResources,
) -> Result<ChunkShape, &'static str> {
    let mut conditions = Vec::new();
    let mut amounts = Vec::new();
    for request in &chunk.requests {
        let Some(resource) = catalogue.id(&request.resource) else { continue };
        if !enforced.is_enforced(catalogue, resource) {
            continue;
        }
        let kind = catalogue.kind(resource);
        match kind {
            ResourceType::Text | ResourceType::TextArray => {
                conditions.push((resource, Requirement::Text(request.value.clone())));
            }
            _ => match Value::parse_direct(kind, &request.value) {
                Ok(Value::Bool(value)) => conditions.push((resource, Requirement::Bool(value))),
                Ok(Value::Amount(amount)) if amount.0 >= 0.0 => {
                    amounts.push((resource, Requirement::Amount(amount)));
                }
                // The server accepts no negative amounts; starting such a job would increase what a node has left.
                Ok(Value::Amount(_)) => return Err(NEGATIVE),
                _ => return Err("Bad requested resource data"),
            },
        }
    }
    conditions.reverse();
    conditions.append(&mut amounts);
    if conditions.is_empty() {
        Err("invalid chunk in select")
    } else {
        Ok(ChunkShape { requests: conditions })
    }
}

/// The parsed selects so far: thousands of jobs have the same few.
pub(crate) struct SelectCache<'s> {
    texts: ContentInterner<*const u8, &'s str>,
    /// The terms of each text.
    specs: Vec<Result<Arc<[Spec]>, &'static str>>,
    /// Shapes by the text of a single chunk.
    shapes: FxHashMap<&'s str, ShapeId>,
    /// The requests of jobs.
    pub(super) requests: RequestCache<'s>,
}

impl<'s> SelectCache<'s> {
    /// Knows none yet, with room for this many requests, of a quarter as many selects.
    pub(super) fn with_room(requests: usize) -> Self {
        Self {
            texts: ContentInterner::with_room(requests / 4),
            specs: Vec::with_capacity(requests / 4),
            shapes: FxHashMap::default(),
            requests: RequestCache::with_room(requests),
        }
    }

    /// Returns the terms of a select that is known to be valid.
    pub(super) fn parts(
        &mut self,
        select: &'s Select,
        made: impl FnOnce() -> Arc<[Spec]>,
    ) -> Option<Arc<[Spec]>> {
        let number = self.texts.number(select.text.as_ptr(), &select.text) as usize;
        if number == self.specs.len() {
            self.specs.push(Ok(made()));
        }
        self.specs.get(number)?.clone().ok()
    }
}

/// What a job requests; one record for all jobs that were read so far and request the same.
///
/// # Errors
/// Why the scheduler ignores the job this cycle (rule 7, `ERR_SPECIAL` and `INVALID_RESRESV`).
pub(crate) fn read_job<'s>(
    job: &'s Job,
    catalogue: &Catalogue,
    enforced: &EnforcedResources,
    shapes: &mut ChunkShapes,
    selects: &mut SelectCache<'s>,
) -> Result<NumberedRequest, &'static str> {
    let select = job.select.as_ref().ok_or(NO_SELECT)?;
    let place = job.place.as_ref().ok_or("invalid placement spec")?;
    let SelectCache { texts, specs, shapes: known_shapes, requests } = selects;
    let number = texts.number(select.text.as_ptr(), &select.text);
    if number as usize == specs.len() {
        specs.push(read_parts(select, catalogue, enforced, shapes, known_shapes));
    }
    let specs = specs.get(number as usize).ok_or(NO_SELECT)?.as_ref().map_err(|why| *why)?;
    Ok(requests.of(job, place, (number, specs), enforced))
}

/// Reads the request of a reservation; `None` if the dump does not show its select, place or duration.
pub(crate) fn read_reservation(
    reservation: &Reservation,
    catalogue: &Catalogue,
    enforced: &EnforcedResources,
    shapes: &mut ChunkShapes,
) -> Option<JobRequest> {
    let specs = read_select(reservation.select.as_ref()?, catalogue, enforced, shapes).ok()?;
    let between = || Some(Seconds(reservation.end?.0 - reservation.start?.0));
    let duration = reservation.duration.or_else(between)?;
    let place = reservation.place.clone()?;
    let totals = totals(&reservation.requested, &[], enforced);
    Some(JobRequest { specs, place, totals, duration, hard_duration: duration, min_walltime: None })
}

/// Returns the request of a job that returns to nodes it had: a chunk per node with what that node gave, wherever it
/// is in the node order (rule 4.1). `None` for a job that may run anywhere.
pub(crate) fn read_previous(
    job: &Job,
    request: &JobRequest,
    catalogue: &Catalogue,
    enforced: &EnforcedResources,
    shapes: &mut ChunkShapes,
) -> Option<JobRequest> {
    let placement = job.previous_placement()?;
    // A suspended job still holds what it did not release (rule 6.10).
    let part_of_it = job.released_part();
    let placement = part_of_it.unwrap_or(placement);
    let vnode = Name::from("vnode");
    let part = |part: &ExecVnodePart| {
        let vnode = (vnode.clone(), part.vnode.clone());
        (1, std::iter::once(vnode).chain(part.resources.iter().cloned()).collect())
    };
    let select = Select::of_parts(&placement.parts().map(part).collect::<Vec<_>>()).ok()?;
    let specs = read_select(&select, catalogue, enforced, shapes).ok()?;
    let mut back = request.after(used_walltime(job));
    if let Some(part) = part_of_it {
        let released =
            |(resource, _): (ResourceId, Amount)| Some((resource, sum(part, resource, catalogue)?));
        back.totals = back.totals.iter().copied().filter_map(released).collect();
    }
    Some(JobRequest { specs, ..back })
}

/// Returns the sum that a placement gives of a resource, or `None` if it does not name it.
fn sum(placement: &ExecVnode, resource: ResourceId, catalogue: &Catalogue) -> Option<Amount> {
    let given = placement.parts().flat_map(|part| &part.resources);
    let given = given.filter(|(name, _)| catalogue.id(name) == Some(resource));
    let amounts = given.filter_map(|(_, text)| Amount::parse(catalogue.kind(resource), text).ok());
    amounts.reduce(|sum, more| Amount(sum.0 + more.0))
}

/// Returns how long a job has run already (rule 3.7, time left).
pub(in crate::universe) fn used_walltime(job: &Job) -> Seconds {
    Seconds(job.used.amount(ResourceId::walltime()).map_or(0, |amount| amount.0 as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Policy;

    fn shape(select: &str, line: &[&str]) -> Result<ChunkShape, &'static str> {
        let catalogue = Catalogue::default();
        let mut policy = Policy::as_shipped();
        policy.resources = Some(line.iter().map(|x| Name::from(*x)).collect());
        let mut shapes = ChunkShapes::default();
        let enforced = EnforcedResources::new(&policy, &catalogue);
        let specs = read_select(&Select::parse(select).unwrap(), &catalogue, &enforced, &mut shapes)?;
        Ok(shapes[specs[0].shape].clone())
    }

    #[test]
    fn conditions_come_first_and_reversed() {
        let s = shape("1:arch=x:ncpus=2:vnode=n:mem=1gb", &["ncpus", "mem", "arch", "vnode"]).unwrap();
        let order: Vec<_> = s.requests.iter().map(|(r, _)| *r).collect();
        let arch = Catalogue::default().id("arch").unwrap();
        assert_eq!(order, [ResourceId::vnode(), arch, ResourceId::ncpus(), ResourceId::mem()]);
    }

    #[test]
    fn resources_off_the_line_are_dropped_but_booleans_stay() {
        let s = shape("1:ncpus=2:mem=1gb:accelerator=True", &["ncpus"]).unwrap();
        assert_eq!(s.requests.len(), 2);
        assert!(shape("1:mem=1gb", &["ncpus"]).is_err());
    }
}
