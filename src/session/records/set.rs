//! A placement set at one moment.

use std::borrow::Cow;

use crate::query::{Fact, FieldKind as K, Fields, Record};
use qscope_engine::cluster::{Catalogue, Kind};
use qscope_engine::universe::{PlacementSet, Plan};

/// The fields of placement sets.
#[must_use]
pub fn set_fields(catalogue: &Catalogue) -> Fields {
    let own = Fields::new(&[
        ("set", K::Text, "its name, as switch=sw1"),
        ("pool", K::Text, "whose it is: server or a queue"),
        ("nodes", K::Number, "how many nodes it has"),
        ("free", K::Number, "how many of them count as free"),
        ("node", K::Text, "a node in it"),
    ]);
    own.with_resources(catalogue, "", "what its nodes have in sum of").with_resources(
        catalogue,
        ".used",
        "what counts as assigned in it of",
    )
}

/// A set.
#[derive(Debug, Clone, Copy)]
pub struct SetRecord<'a> {
    plan: &'a Plan,
    pool: &'a str,
    set: &'a PlacementSet,
}

impl<'a> SetRecord<'a> {
    /// A set of a pool, which is named by its owner.
    #[must_use]
    pub fn of(plan: &'a Plan, pool: &'a str, set: &'a PlacementSet) -> Self {
        Self { plan, pool, set }
    }
}

impl Record for SetRecord<'_> {
    fn fact(&self, field: &str) -> Option<Fact<'_>> {
        Some(match field {
            "set" => Fact::text(&*self.set.shape.name),
            "pool" => Fact::text(self.pool),
            "nodes" => Fact::Number(self.set.total_nodes() as f64),
            "free" => Fact::Number(f64::from(self.set.free_nodes)),
            "node" => Fact::texts(self.set.shape.members.iter().map(|bit| &**self.plan.node_name(*bit))),
            other => {
                let (name, used) = match other.strip_suffix(".used") {
                    Some(name) => (name, true),
                    None => (other, false),
                };
                let id = self.plan.snap.catalogue.id(name)?;
                let ix = self.plan.consumables.ix(id)?;
                let amount = if used { self.set.assigned[ix] } else { self.set.shape.available[ix] };
                let size = self.plan.snap.catalogue.kind(id) == Kind::Size;
                let fact = if size { Fact::Size(amount) } else { Fact::Number(amount) };
                return (!amount.is_nan()).then_some(fact);
            }
        })
    }

    fn words(&self) -> Cow<'_, str> {
        format!("{} {}", self.set.shape.name, self.pool).into()
    }
}
