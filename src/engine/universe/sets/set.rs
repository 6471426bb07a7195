//! Placement sets: nodes that share a value, with sums and buckets of their own (rules 5.1–5.3).

use std::cmp::Ordering;
use std::sync::Arc;

use crate::cluster::{Amount, Column, Name, QueueId, ResourceId, truth};

use crate::universe::sets::buckets::SetBuckets;
use crate::universe::{
    Availability, Bit, BooleanValues, Bucket, ChunkCount, ChunkShape, ConsIx, Plan, Reason, Requirement,
    SetDefinition, ShapeId, Shortage, SigId, Slot,
};

#[derive(Clone, Debug)]
pub struct PlacementSet {
    /// The part that never changes.
    pub shape: Arc<SetDefinition>,
    /// Number of nodes that the scheduler counts as free.
    pub free_nodes: i32,
    /// Amounts that the scheduler counts as assigned, by consumable.
    pub assigned: Column<ConsIx, f64>,
    /// Buckets, created when first read.
    pub(in crate::universe) buckets: SetBuckets,
}

/// The amounts that a check compares with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AmountBasis {
    /// Amounts left now.
    Now,
    /// Total amounts.
    Total,
}

impl PlacementSet {
    /// Returns the number of nodes.
    pub fn total_nodes(&self) -> usize {
        self.shape.members.len()
    }

    /// Returns the buckets; empty for the set of all nodes.
    pub fn buckets(&self, plan: &Plan) -> &[Bucket<Slot>] {
        self.buckets.buckets(plan, &self.shape.members)
    }

    /// Returns the number of buckets.
    pub fn bucket_count(&self) -> u16 {
        self.buckets.count()
    }

    /// Returns the number of nodes in its buckets that are free or later.
    pub fn open(&self) -> u32 {
        self.buckets
            .availabilities(&self.shape.members)
            .map(|availability| u32::from(availability.is_some_and(Availability::is_open)))
            .sum()
    }

    /// Returns the bitmap of a member; `None` if it is in no bucket.
    pub(in crate::universe) fn availability(&self, slot: Slot) -> Option<Availability> {
        self.buckets.availability(&self.shape.members, slot)
    }

    /// Moves a member and returns its previous bitmap.
    pub(in crate::universe) fn put(
        &mut self,
        slot: Slot,
        availability: Availability,
    ) -> Option<Availability> {
        self.buckets.put(&self.shape.members, slot, availability)
    }

    /// Sums the chunks that the nodes in its buckets hold; `each` gives the number for a node with this signature and
    /// queue. Buckets not read yet are not created for this if the nodes alone determine them.
    pub fn chunk_count(&self, plan: &Plan, each: impl Fn(SigId, Option<QueueId>) -> u64) -> ChunkCount {
        let (mut all, mut open) = (0u64, 0u64);
        let counted = |chunks| u32::try_from(chunks).unwrap_or(u32::MAX);
        let made = self.buckets.made_buckets();
        if let Some(buckets) = made.or_else(|| plan.joins_unlike.then(|| self.buckets(plan))) {
            for bucket in buckets {
                let times = each(bucket.sig, bucket.queue);
                all += u64::from(bucket.total) * times;
                open += bucket.open() as u64 * times;
            }
        } else {
            for (bit, availability) in
                self.shape.members.iter().zip(self.buckets.availabilities(&self.shape.members))
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

    /// Returns the bucket of a member.
    pub fn bucket_of(&self, plan: &Plan, slot: Slot) -> Option<u16> {
        self.buckets.bucket_of(plan, &self.shape.members, slot)
    }

    /// Returns the position of a node within the set. Members are in list order, which is bit order unless nodes are
    /// sorted for every job.
    pub fn slot(&self, bit: Bit) -> Option<Slot> {
        let found = self.shape.members.binary_search(&bit).ok();
        found.or_else(|| self.shape.members.iter().position(|b| *b == bit)).map(crate::cluster::Id::at)
    }

    /// Returns what is left of a consumable, never below zero; `None` if no node has it.
    pub fn left(&self, ix: ConsIx) -> Option<f64> {
        let total = self.shape.available[ix];
        (!total.is_nan()).then(|| (total - self.assigned[ix]).max(0.0))
    }

    /// Whether the sum of a resource that no node of the set has was created by a start that took some of it; for a set
    /// on a single host only once sets were summed again in a simulation (rule M27).
    pub(in crate::universe) fn is_made_by_start(&self, ix: ConsIx) -> bool {
        let is_made = self.assigned[ix] > 0.0 && self.shape.host.is_none();
        self.shape.available[ix].is_nan() && (is_made || self.is_made_for_good(ix))
    }

    /// Whether sets were summed again since such a start: the set then has the resource, and none of it even in total
    /// (rule M27).
    pub(in crate::universe) fn is_made_for_good(&self, ix: ConsIx) -> bool {
        self.assigned[ix] == f64::INFINITY
    }

    /// Checks whether the set's sums can hold one chunk (rules 2.4, 5.4).
    ///
    /// # Errors
    /// Returns the first shortage.
    pub fn check_chunk(&self, plan: &Plan, shape: &ChunkShape, against: AmountBasis) -> Result<(), Reason> {
        shape.requests.iter().try_for_each(|(resource, requirement)| {
            self.check_requirement(plan, *resource, requirement, against)
        })
    }

    /// Checks whether the set has what a chunk requests of one resource.
    ///
    /// # Errors
    /// Returns what is missing.
    pub fn check_requirement(
        &self,
        plan: &Plan,
        resource: ResourceId,
        requirement: &Requirement,
        against: AmountBasis,
    ) -> Result<(), Reason> {
        match requirement {
            Requirement::Amount(requested) => self.check_amount(plan, resource, *requested, against),
            Requirement::Bool(requested) => self.check_boolean(resource, *requested),
            Requirement::Text(requested) => self.check_text(plan, resource, requested),
        }
    }

    /// Checks whether the set's sums hold an amount; unset counts as 0 (rule 5.4).
    ///
    /// # Errors
    /// Returns the numbers compared.
    pub fn check_amount(
        &self,
        plan: &Plan,
        resource: ResourceId,
        requested: Amount,
        basis: AmountBasis,
    ) -> Result<(), Reason> {
        let Some(ix) = plan.consumables.ix(resource) else { return Ok(()) };
        let set = !self.shape.available[ix].is_nan();
        let made = match basis {
            AmountBasis::Now => self.is_made_by_start(ix),
            AmountBasis::Total => self.is_made_for_good(ix),
        };
        if !set && !made && plan.unset_ok.contains(&resource) {
            return Ok(());
        }
        let total = if set { self.shape.available[ix] } else { 0.0 };
        let left = match basis {
            AmountBasis::Now => self.left(ix).unwrap_or(0.0),
            AmountBasis::Total => total,
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

    /// Whether the set meets all requests of a chunk that are not amounts.
    pub fn meets_conditions(&self, plan: &Plan, shape: ShapeId) -> bool {
        plan.shapes[shape].conditions().all(|(resource, requirement)| match requirement {
            Requirement::Amount(_) => true,
            Requirement::Bool(requested) => self.check_boolean(*resource, *requested).is_ok(),
            Requirement::Text(requested) => self.check_text(plan, *resource, requested).is_ok(),
        })
    }

    /// Returns the values of a boolean over its nodes.
    pub(in crate::universe) fn boolean(&self, resource: ResourceId) -> BooleanValues {
        let have = self.shape.booleans.iter().find(|(have, _)| *have == resource).map(|(_, tri)| *tri);
        have.unwrap_or(BooleanValues { some_true: false, some_false: true })
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
            // The request of a job that returns to its own vnodes may name resources that no other request does;
            // vnode names are always compared.
            None if !plan.checked.contains(&resource) => Ok(()),
            None if requested.is_empty() || plan.unset_ok.contains(&resource) => Ok(()),
            Some(texts) if texts.iter().any(|text| same_text(resource, text, requested)) => Ok(()),
            _ => {
                // An empty element is shown as a pair of quotes (case `strings`).
                let quoted = |text: &Name| if text.is_empty() { "\"\"".to_owned() } else { text.to_string() };
                let shown = have.map(|texts| texts.iter().map(quoted).collect::<Vec<_>>().join(","));
                let shown = shown.unwrap_or_default();
                Err(Reason::Resource(Shortage::differs(resource, requested, &shown)))
            }
        }
    }
}

/// Compares texts exactly, hosts ignoring case (rule 2.4).
pub fn same_text(resource: ResourceId, a: &str, b: &str) -> bool {
    if resource == ResourceId::host() { a.eq_ignore_ascii_case(b) } else { a == b }
}

/// Compares two sets in today's order (rule 5.3): total cpus, total memory, free cpus, free memory, ascending; a
/// comparison is skipped if one side lacks the resource. A sum created by a start (rule M27) sorts first.
pub(in crate::universe) fn compare_sets(plan: &Plan, a: &PlacementSet, b: &PlacementSet) -> Ordering {
    let columns = plan.set_order;
    let made = |set: &PlacementSet, ix| {
        let sum = if set.is_made_for_good(ix) { 0.0 } else { f64::NEG_INFINITY };
        set.is_made_by_start(ix).then_some(sum)
    };
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
