//! A placement set at one position of the cycle.

use crate::query::{FieldColumn, FieldKind as K, FieldValue, QueryFields, QueryRecord};
use qscope_engine::cluster::Catalogue;
use qscope_engine::universe::{PlacementSet, Plan};

type SetColumn = FieldColumn<for<'r, 'a> fn(&'r SetRecord<'a>) -> Option<FieldValue<'r>>>;

const COLUMNS: &[SetColumn] = &[
    SetColumn::new("set", K::Text, (16, 1), "its name, as switch=sw1", |row| {
        Some(FieldValue::text(&*row.set.shape.name))
    }),
    SetColumn::new("pool", K::Text, (6, 4), "whose it is: server or a queue", |row| {
        Some(FieldValue::text(row.pool))
    }),
    SetColumn::new("nodes", K::Number, (5, 2), "how many nodes it has", |row| {
        Some(FieldValue::count(row.set.total_nodes()))
    }),
    SetColumn::new("free", K::Number, (5, 3), "how many of them the scheduler counts as free", |row| {
        Some(FieldValue::Number(f64::from(row.set.free_nodes)))
    }),
    SetColumn::new("node", K::Text, (8, 9), "a node in it", |row| {
        Some(FieldValue::texts(row.set.shape.members.iter().map(|bit| &**row.plan.node_name(*bit))))
    }),
];

/// Returns the columns of placement sets.
pub fn set_fields(catalogue: &Catalogue) -> QueryFields {
    QueryFields::of(COLUMNS).with_resources(catalogue, "", "what its nodes have in sum of").with_resources(
        catalogue,
        ".used",
        "what counts as assigned in it of",
    )
}

#[derive(Debug, Clone, Copy)]
pub struct SetRecord<'a> {
    plan: &'a Plan,
    pool: &'a str,
    set: &'a PlacementSet,
}

impl<'a> SetRecord<'a> {
    /// Creates a row for a set of a pool, which is named by its owner.
    pub fn of(plan: &'a Plan, pool: &'a str, set: &'a PlacementSet) -> Self {
        Self { plan, pool, set }
    }
}

impl QueryRecord for SetRecord<'_> {
    fn fact(&self, field: &str) -> Option<FieldValue<'_>> {
        if let Some(column) = FieldColumn::named(COLUMNS, field) {
            return (column.value)(self);
        }
        let (name, used) = match field.strip_suffix(".used") {
            Some(name) => (name, true),
            None => (field, false),
        };
        let id = self.plan.snap.catalogue.id(name)?;
        let ix = self.plan.consumables.ix(id)?;
        let amount = if used { self.set.assigned[ix] } else { self.set.shape.available[ix] };
        super::amount_fact(self.plan.snap.catalogue.kind(id), amount)
    }

    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        holds(&self.set.shape.name) || holds(self.pool)
    }
}
