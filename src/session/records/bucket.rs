//! A bucket of the complex at one moment.

use std::borrow::Cow;

use crate::query::{Fact, FieldKind as K, Fields, Record};
use qscope_engine::cluster::Catalogue;
use qscope_engine::universe::{Bit, Bucket, Plan};

/// The fields of buckets.
#[must_use]
pub fn bucket_fields(catalogue: &Catalogue) -> Fields {
    let own = Fields::new(&[
        ("bucket", K::Text, "its name: what its nodes have in common"),
        ("queue", K::Text, "the queue that owns its nodes"),
        ("priority", K::Number, "the priority of its nodes"),
        ("nodes", K::Number, "how many nodes it has"),
        ("free", K::Number, "how many of them are free"),
        ("later", K::Number, "how many are free now and wanted later"),
        ("busy", K::Number, "how many are not to be had"),
        ("node", K::Text, "a node in it"),
    ]);
    own.with_resources(catalogue, "", "what each of its nodes has of")
}

/// A bucket.
#[derive(Debug, Clone, Copy)]
pub struct BucketRecord<'a> {
    plan: &'a Plan,
    bucket: &'a Bucket<Bit>,
}

impl<'a> BucketRecord<'a> {
    /// A bucket of a plan's state.
    #[must_use]
    pub fn of(plan: &'a Plan, bucket: &'a Bucket<Bit>) -> Self {
        Self { plan, bucket }
    }
}

impl Record for BucketRecord<'_> {
    fn fact(&self, field: &str) -> Option<Fact<'_>> {
        let count = |n: usize| Fact::Number(n as f64);
        Some(match field {
            "bucket" => Fact::text(self.bucket.name(self.plan)),
            "queue" => Fact::text(&*self.plan.snap.queues[self.bucket.queue?].name),
            "priority" => Fact::Number(self.bucket.priority as f64),
            "nodes" => count(self.bucket.total as usize),
            "free" => count(self.bucket.free.count()),
            "later" => count(self.bucket.later.count()),
            "busy" => count(self.bucket.busy.count()),
            "node" => Fact::texts(self.bucket.members.iter().map(|bit| &**self.plan.node_name(bit))),
            other => {
                let (plan, catalogue) = (self.plan, &self.plan.snap.catalogue);
                let first = self.bucket.members.iter().next()?;
                let id = catalogue.id(other)?;
                let value = plan.snap.nodes[plan.nodes[first].id].available.get(id)?;
                return super::value_fact(catalogue.kind(id), value);
            }
        })
    }

    fn words(&self) -> Cow<'_, str> {
        let queue = self.bucket.queue.map_or("", |queue| &*self.plan.snap.queues[queue].name);
        format!("{} {queue}", self.bucket.name(self.plan)).into()
    }
}
