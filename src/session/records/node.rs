//! A node at one position of the cycle.

use super::value_fact;
use crate::query::{FieldColumn, FieldKind as K, FieldValue, QueryFields, QueryRecord};
use qscope_engine::cluster::{Catalogue, Node, NodeState, short_id};
use qscope_engine::universe::{Bit, Bucket, ConsIx, NodeUse, Occupant, State};

type NodeColumn = FieldColumn<for<'r, 'a> fn(&'r NodeRecord<'a>) -> Option<FieldValue<'r>>>;

/// Words for a node's state: its use, and the batch system's words other than free.
const NODE_STATES: &[&str] = &[
    "free",
    "part",
    "full",
    "out",
    KEPT,
    NodeState::Unknown.word(),
    NodeState::Down.word(),
    NodeState::Stale.word(),
    NodeState::Offline.word(),
    NodeState::JobBusy.word(),
    NodeState::JobExclusive.word(),
    NodeState::Busy.word(),
    NodeState::Initializing.word(),
    NodeState::Provisioning.word(),
    NodeState::ResvExclusive.word(),
    NodeState::Maintenance.word(),
    NodeState::Sleep.word(),
];

/// Word for a node kept by a job that no longer exists.
const KEPT: &str = "kept";

const COLUMNS: &[NodeColumn] = &[
    NodeColumn::new("node", K::Text, (8, 1), "its name", |row| Some(FieldValue::text(&*row.node().name))),
    NodeColumn::new("state", K::Text, (13, 2), "free, part, full, out, and the state in PBS", |row| {
        Some(FieldValue::Joined(row.state_words().into()))
    })
    .one_of(NODE_STATES),
    NodeColumn::new("use", K::Text, (5, 3), "what it has to give: free, part, full or out", |row| {
        Some(FieldValue::text(row.state.node_use(row.bit).word()))
    })
    .one_of(&["free", "part", "full", "out"]),
    NodeColumn::new("pocket", K::Text, (5, 3), "where its bucket has it: free, later, busy or out", |row| {
        Some(FieldValue::text(row.bucket().map_or("out", |bucket| bucket.availability(row.bit).into())))
    }),
    NodeColumn::new("bucket", K::Text, (24, 7), "the bucket that it is in", |row| {
        Some(FieldValue::text(row.bucket()?.name(&row.state.plan)))
    }),
    NodeColumn::new("set", K::Text, (16, 6), "a placement set that it is in", |row| {
        Some(FieldValue::texts(row.sets()))
    }),
    NodeColumn::new("queue", K::Text, (8, 6), "the queue that owns it", |row| {
        Some(FieldValue::text(&**row.node().queue.as_ref()?))
    }),
    NodeColumn::new("priority", K::Number, (8, 8), "its priority", |row| {
        Some(FieldValue::Number(row.node().priority.unwrap_or(0) as f64))
    }),
    NodeColumn::new("sharing", K::Text, (12, 8), "its sharing attribute", |row| {
        Some(FieldValue::text(row.node().sharing.word()))
    }),
    NodeColumn::new("job", K::Text, (10, 5), "a job on it in the dump", |row| {
        Some(FieldValue::texts(row.node().jobs.iter().map(|name| short_id(name))))
    }),
    NodeColumn::new("jobs", K::Number, (4, 4), "how many jobs are on it", |row| {
        Some(FieldValue::Number(f64::from(row.state.occupancy.load[row.bit].jobs)))
    }),
    NodeColumn::new("resv", K::Text, (8, 8), "a reservation on it", |row| Some(row.reservations())),
    NodeColumn::new("next", K::Moment, (5, 5), "when the next thing planned on it starts", |row| {
        Some(FieldValue::Moment(row.state.first_event(row.bit)?.at, row.state.plan.snap.now))
    }),
    NodeColumn::new("rank", K::Number, (4, 4), "its place in the scheduler's node order, from 1", |row| {
        Some(FieldValue::Number(f64::from(row.bit.0) + 1.0))
    }),
    NodeColumn::new("comment", K::Text, (24, 9), "its comment", |row| {
        Some(FieldValue::text(row.node().comment.as_deref()?))
    }),
    NodeColumn::new("elim", K::Text, (16, 9), "an attribute that it publishes: packing_atlas=2", |row| {
        let values = &row.node().extra.published.as_ref()?.values;
        Some(FieldValue::texts(values.iter().map(|(name, value)| format!("{name}={value}"))))
    }),
];

/// Returns the columns of nodes.
pub fn node_fields(catalogue: &Catalogue) -> QueryFields {
    QueryFields::of(COLUMNS)
        .with_resources(catalogue, "", "what it has of")
        .with_resources(catalogue, ".free", "what is left on it of")
        .with_resources(catalogue, ".used", "what is assigned on it of")
}

/// A node in a state of the cycle.
#[derive(Debug, Clone, Copy)]
pub struct NodeRecord<'a> {
    state: &'a State,
    bit: Bit,
}

impl<'a> NodeRecord<'a> {
    pub fn of(state: &'a State, bit: Bit) -> Self {
        Self { state, bit }
    }

    fn node(&self) -> &'a Node {
        self.state.plan.node(self.bit)
    }

    fn bucket(&self) -> Option<&'a Bucket<Bit>> {
        self.state.buckets.iter().find(|bucket| bucket.members.contains(self.bit))
    }

    fn sets(&self) -> impl Iterator<Item = &'a str> {
        self.state.set_names(self.bit).into_iter().map(|name| &**name)
    }

    /// Returns its use, and its states in the batch system; the word free is only used for free nodes.
    fn state_words(&self) -> String {
        let found = self.state.node_use(self.bit);
        let kept = (found == NodeUse::Out && self.state.is_kept(self.bit)).then_some(KEPT);
        let states = self.state.occupancy.states[self.bit].to_string();
        let of_pbs = states.split(',').filter(|word| *word != NodeUse::Free.word());
        std::iter::once(found.word()).chain(kept).chain(of_pbs).collect::<Vec<_>>().join(",")
    }

    fn reservations(&self) -> FieldValue<'a> {
        let snap = &self.state.plan.snap;
        let events = self.state.node_events[self.bit].iter().flat_map(|events| events.iter());
        let planned = events.filter_map(|event| match event.occupant {
            Occupant::Reservation(id) => Some(&*snap.reservations[id].name),
            Occupant::Job(..) => None,
        });
        FieldValue::texts(self.node().reservations.iter().map(|name| &**name).chain(planned))
    }

    /// Returns the assigned amount of a resource and the total; `None` if the node has no such amount.
    pub fn used_and_total(&self, ix: ConsIx) -> Option<(f64, f64)> {
        let plan = &self.state.plan;
        let total = plan.capacity.available(ix, self.bit);
        let used = self.state.occupancy.assigned[ix][plan.capacity.keeper(ix, self.bit)];
        // Adding 0.0 turns -0.0 into 0.0.
        (!total.is_nan() && !used.is_nan()).then_some((used + 0.0, total))
    }

    fn amount(&self, name: &str) -> Option<FieldValue<'a>> {
        let plan = &self.state.plan;
        let (name, part) = match name.rsplit_once('.') {
            Some((name, part @ ("free" | "used"))) => (name, part),
            _ => (name, ""),
        };
        let id = plan.snap.catalogue.id(name)?;
        let kind = plan.snap.catalogue.kind(id);
        let Some(ix) = plan.consumables.ix(id) else {
            return value_fact(kind, self.node().available.get(id)?).filter(|_| part.is_empty());
        };
        let total = plan.capacity.available(ix, self.bit);
        let used = self.state.occupancy.assigned[ix][plan.capacity.keeper(ix, self.bit)];
        let amount = match part {
            "free" => total - used,
            "used" => used,
            _ => total,
        };
        super::amount_fact(kind, amount)
    }
}

impl QueryRecord for NodeRecord<'_> {
    fn fact(&self, field: &str) -> Option<FieldValue<'_>> {
        match FieldColumn::named(COLUMNS, field) {
            Some(column) => (column.value)(self),
            None => self.amount(field),
        }
    }

    /// Searches name, queue, jobs, sets and state.
    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        let node = self.node();
        holds(&node.name)
            || node.queue.as_deref().is_some_and(holds)
            || node.jobs.iter().any(|name| holds(short_id(name)))
            || self.sets().any(holds)
            || holds(&self.state_words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::NodeStates;

    #[test]
    fn every_state_is_a_value_of_the_field() {
        let known =
            |state: NodeState| NODE_STATES.contains(&NodeStates::FREE.with(state).to_string().as_str());
        assert!(NodeState::ALL.iter().copied().all(known) && NODE_STATES.contains(&"free"));
    }
}
