//! Placement sets: nodes that share a value, with sums and buckets of their own (rules 5.1–5.3).

use std::cmp::Ordering;
use std::sync::Arc;

use crate::cluster::{Amount, Column, Name, QueueId, ResourceId, truth};

use crate::universe::sets::buckets::SetBuckets;
use crate::universe::{
    Availability, Bit, Bucket, ChunkCount, ConsIx, Plan, Reason, Requirement, SetShape, Shape, ShapeId,
    Shortage, SigId, Slot, Tri,
};

#[derive(Clone, Debug)]
pub struct PlacementSet {
    /// What never changes.
    pub shape: Arc<SetShape>,
    /// How many of its nodes the scheduler counts as free.
    pub free_nodes: i32,
    /// What it counts as assigned, by consumable.
    pub assigned: Column<ConsIx, f64>,
    /// Its buckets, as far as they were read.
    pub(in crate::universe) made: SetBuckets,
}

/// Which amounts a check reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Against {
    /// What is left now.
    Now,
    /// What there is in all.
    Total,
}

impl PlacementSet {
    /// How many nodes it has.
    pub fn total_nodes(&self) -> usize {
        self.shape.members.len()
    }

    /// Its buckets; none for the set of all nodes.
    pub fn buckets(&self, plan: &Plan) -> &[Bucket<Slot>] {
        self.made.buckets(plan, &self.shape.members)
    }

    /// How many buckets it has.
    pub fn bucket_count(&self) -> u16 {
        self.made.count()
    }

    /// How many of the nodes in its buckets are free or busy later.
    pub fn open(&self) -> u32 {
        self.made
            .availabilities(&self.shape.members)
            .map(|availability| u32::from(availability.is_some_and(Availability::is_open)))
            .sum()
    }

    /// Where a member stands; none if it is in no bucket.
    pub(in crate::universe) fn availability(&self, slot: Slot) -> Option<Availability> {
        self.made.availability(&self.shape.members, slot)
    }

    /// Moves a member; where it stood before.
    pub(in crate::universe) fn put(
        &mut self,
        slot: Slot,
        availability: Availability,
    ) -> Option<Availability> {
        self.made.put(&self.shape.members, slot, availability)
    }

    /// Adds up what the nodes in its buckets hold: `each` gives it for the nodes of a signature that a queue owns. The
    /// buckets of a small set that was not read are not made for it, where nodes alone determine theirs.
    pub fn room(&self, plan: &Plan, each: impl Fn(SigId, Option<QueueId>) -> u64) -> ChunkCount {
        let (mut all, mut open) = (0u64, 0u64);
        let counted = |chunks| u32::try_from(chunks).unwrap_or(u32::MAX);
        let made = self.made.made_buckets();
        if let Some(buckets) = made.or_else(|| plan.joins_unlike.then(|| self.buckets(plan))) {
            for bucket in buckets {
                let times = each(bucket.sig, bucket.queue);
                all += u64::from(bucket.total) * times;
                open += bucket.open() as u64 * times;
            }
        } else {
            for (bit, availability) in
                self.shape.members.iter().zip(self.made.availabilities(&self.shape.members))
            {
                let Some(availability) = availability else { continue };
                let node = &plan.nodes[*bit];
                let times = each(node.bucket_sig, node.queue);
                all += times;
                open += if availability.is_open() { times } else { 0 };
            }
        }
        ChunkCount { all: counted(all), open: counted(open) }
    }

    /// The bucket of a member.
    pub fn bucket_of(&self, plan: &Plan, slot: Slot) -> Option<u16> {
        self.made.bucket_of(plan, &self.shape.members, slot)
    }

    /// The place of a node within the set. Members stand in list order, which is bit order unless nodes
    /// are sorted job by job.
    pub fn slot(&self, bit: Bit) -> Option<Slot> {
        let found = self.shape.members.binary_search(&bit).ok();
        found.or_else(|| self.shape.members.iter().position(|b| *b == bit)).map(crate::cluster::Id::at)
    }

    /// What is left of a consumable, never below zero; none where no node has it.
    pub fn left(&self, ix: ConsIx) -> Option<f64> {
        let total = self.shape.available[ix];
        (!total.is_nan()).then(|| (total - self.assigned[ix]).max(0.0))
    }

    /// Whether a start that took some of what no node of the set has made the sum of it; not where the set lies on one
    /// host (rule M27).
    pub(in crate::universe) fn is_made_by_start(&self, ix: ConsIx) -> bool {
        self.shape.available[ix].is_nan() && self.assigned[ix] > 0.0 && self.shape.host.is_none()
    }

    /// Whether the set's sums can hold one chunk; the first shortage if not (rules 2.4, 5.4).
    ///
    /// # Errors
    /// What is missing.
    pub fn check_chunk(&self, plan: &Plan, shape: &Shape, against: Against) -> Result<(), Reason> {
        shape.requests.iter().try_for_each(|(resource, requirement)| {
            self.check_requirement(plan, *resource, requirement, against)
        })
    }

    /// Whether the set has what a chunk requests of one resource.
    ///
    /// # Errors
    /// What is missing of it.
    pub fn check_requirement(
        &self,
        plan: &Plan,
        resource: ResourceId,
        requirement: &Requirement,
        against: Against,
    ) -> Result<(), Reason> {
        match requirement {
            Requirement::Amount(requested) => self.check_amount(plan, resource, *requested, against),
            Requirement::Bool(requested) => self.check_boolean(resource, *requested),
            Requirement::Text(requested) => self.check_text(plan, resource, requested),
        }
    }

    /// Whether the set's sums hold so much; unset = 0 (rule 5.4).
    ///
    /// # Errors
    /// The numbers compared.
    pub fn check_amount(
        &self,
        plan: &Plan,
        resource: ResourceId,
        requested: Amount,
        against: Against,
    ) -> Result<(), Reason> {
        let Some(ix) = plan.consumables.ix(resource) else { return Ok(()) };
        let set = !self.shape.available[ix].is_nan();
        let made = against == Against::Now && self.is_made_by_start(ix);
        if !set && !made && plan.unset_ok.contains(&resource) {
            return Ok(());
        }
        let total = if set { self.shape.available[ix] } else { 0.0 };
        let left = match against {
            Against::Now => self.left(ix).unwrap_or(0.0),
            Against::Total => total,
        };
        if requested.0 <= 0.0 || left >= requested.0 {
            return Ok(());
        }
        Err(Reason::Resource(Shortage::amounts(
            resource,
            requested,
            Amount(left),
            Amount(self.shape.available[ix]),
        )))
    }

    /// Whether the set meets everything of a chunk that is not an amount; without the reason.
    pub fn meets_conditions(&self, plan: &Plan, shape: ShapeId) -> bool {
        plan.shapes[shape].conditions().all(|(resource, requirement)| match requirement {
            Requirement::Amount(_) => true,
            Requirement::Bool(requested) => self.check_boolean(*resource, *requested).is_ok(),
            Requirement::Text(requested) => self.check_text(plan, *resource, requested).is_ok(),
        })
    }

    /// A boolean over its nodes.
    pub(in crate::universe) fn boolean(&self, resource: ResourceId) -> Tri {
        let have = self.shape.booleans.iter().find(|(have, _)| *have == resource).map(|(_, tri)| *tri);
        have.unwrap_or(Tri { some_true: false, some_false: true })
    }

    fn check_boolean(&self, resource: ResourceId, requested: bool) -> Result<(), Reason> {
        let have = self.boolean(resource);
        if (requested && have.some_true) || (!requested && have.some_false) {
            return Ok(());
        }
        Err(Reason::Resource(Shortage::differs(resource, truth(requested), truth(!requested))))
    }

    fn check_text(&self, plan: &Plan, resource: ResourceId, requested: &Name) -> Result<(), Reason> {
        if resource == ResourceId::vnode() && self.shape.has_vnode(plan, requested) {
            return Ok(());
        }
        let have = self.shape.texts(plan, resource);
        let have = have.as_deref();
        match have {
            // A job on its way back to its own vnodes may name what no other does; names of vnodes are always compared.
            None if !plan.checked.contains(&resource) => Ok(()),
            None if requested.is_empty() || plan.unset_ok.contains(&resource) => Ok(()),
            Some(texts) if texts.iter().any(|text| same_text(resource, text, requested)) => Ok(()),
            _ => {
                // An empty element shows as a pair of quotes (case `strings`).
                let quoted = |text: &Name| if text.is_empty() { "\"\"".to_owned() } else { text.to_string() };
                let shown = have.map(|texts| texts.iter().map(quoted).collect::<Vec<_>>().join(","));
                let shown = shown.unwrap_or_default();
                Err(Reason::Resource(Shortage::differs(resource, requested, &shown)))
            }
        }
    }
}

/// Texts are equal to the letter, hosts in any case (rule 2.4).
pub fn same_text(resource: ResourceId, a: &str, b: &str) -> bool {
    if resource == ResourceId::host() { a.eq_ignore_ascii_case(b) } else { a == b }
}

/// Today's order of sets (rule 5.3): total cpus, total memory, free cpus, free memory, ascending; a
/// comparison is skipped where one side lacks the resource. What a start made of it (rule M27) is without an end, and that
/// sorts first.
pub(in crate::universe) fn compare_sets(plan: &Plan, a: &PlacementSet, b: &PlacementSet) -> Ordering {
    let columns = plan.set_order;
    let made = |set: &PlacementSet, ix| set.is_made_by_start(ix).then_some(f64::NEG_INFINITY);
    let total = |set: &PlacementSet, ix| {
        Some(set.shape.available[ix]).filter(|x| !x.is_nan()).or_else(|| made(set, ix))
    };
    let left = |set: &PlacementSet, ix| set.left(ix).or_else(|| made(set, ix));
    for ix in columns.into_iter().flatten() {
        let order = skip_missing(total(a, ix), total(b, ix));
        if order != Ordering::Equal {
            return order;
        }
    }
    for ix in columns.into_iter().flatten() {
        let order = skip_missing(left(a, ix), left(b, ix));
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

fn skip_missing(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
        _ => Ordering::Equal,
    }
}
