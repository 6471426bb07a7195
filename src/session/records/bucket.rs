//! A bucket of the complex at one position of the cycle.

use crate::query::{FieldColumn, FieldKind as K, FieldValue, QueryFields, QueryRecord};
use qscope_engine::cluster::Catalogue;
use qscope_engine::universe::{Bit, Bucket, Plan};

type BucketColumn = FieldColumn<for<'r, 'a> fn(&'r BucketRecord<'a>) -> Option<FieldValue<'r>>>;

const COLUMNS: &[BucketColumn] = &[
    BucketColumn::new("bucket", K::Text, (36, 1), "its name: what its nodes have in common", |row| {
        Some(FieldValue::text(row.bucket.name(row.plan)))
    }),
    BucketColumn::new("queue", K::Text, (8, 6), "the queue that owns its nodes", |row| {
        Some(FieldValue::text(&*row.plan.snap.queues[row.bucket.queue?].name))
    }),
    BucketColumn::new("priority", K::Number, (8, 7), "the priority of its nodes", |row| {
        Some(FieldValue::Number(row.bucket.priority as f64))
    }),
    BucketColumn::new("nodes", K::Number, (5, 2), "how many nodes it has", |row| {
        Some(FieldValue::Number(f64::from(row.bucket.total)))
    }),
    BucketColumn::new("free", K::Number, (5, 3), "how many of them are free", |row| {
        Some(FieldValue::count(row.bucket.free.count()))
    }),
    BucketColumn::new("later", K::Number, (5, 4), "how many are free now and planned later", |row| {
        Some(FieldValue::count(row.bucket.later.count()))
    }),
    BucketColumn::new("busy", K::Number, (5, 5), "how many are taken", |row| {
        Some(FieldValue::count(row.bucket.busy.count()))
    }),
    BucketColumn::new("node", K::Text, (8, 9), "a node in it", |row| {
        Some(FieldValue::texts(row.bucket.members.iter().map(|bit| &**row.plan.node_name(bit))))
    }),
];

/// Returns the columns of buckets.
pub fn bucket_fields(catalogue: &Catalogue) -> QueryFields {
    QueryFields::of(COLUMNS).with_resources(catalogue, "", "what each of its nodes has of")
}

#[derive(Debug, Clone, Copy)]
pub struct BucketRecord<'a> {
    plan: &'a Plan,
    bucket: &'a Bucket<Bit>,
}

impl<'a> BucketRecord<'a> {
    /// Creates a row for a bucket in a state of a plan.
    pub fn of(plan: &'a Plan, bucket: &'a Bucket<Bit>) -> Self {
        Self { plan, bucket }
    }
}

impl QueryRecord for BucketRecord<'_> {
    fn fact(&self, field: &str) -> Option<FieldValue<'_>> {
        if let Some(column) = FieldColumn::named(COLUMNS, field) {
            return (column.value)(self);
        }
        let (plan, catalogue) = (self.plan, &self.plan.snap.catalogue);
        let first = self.bucket.members.iter().next()?;
        let id = catalogue.id(field)?;
        let value = plan.node(first).available.get(id)?;
        super::value_fact(catalogue.kind(id), value)
    }

    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        let queue = self.bucket.queue.map_or("", |queue| &*self.plan.snap.queues[queue].name);
        holds(queue) || holds(&self.bucket.name(self.plan))
    }
}
