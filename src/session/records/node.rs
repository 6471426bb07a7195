//! A node as it stands at one moment of the cycle.

use std::borrow::Cow;

use super::value_fact;
use crate::query::{Fact, FieldKind as K, Fields, Record};
use qscope_engine::cluster::{Catalogue, Kind, Node, short_id};
use qscope_engine::universe::{Availability, Bit, Occupant, State};

/// The fields of nodes.
#[must_use]
pub fn node_fields(catalogue: &Catalogue) -> Fields {
    let own = Fields::new(&[
        ("node", K::Text, "its name"),
        ("state", K::Text, "free, job-exclusive, down, offline, ..."),
        ("pocket", K::Text, "where its bucket has it: free, later, busy or out"),
        ("bucket", K::Text, "the bucket that it is in"),
        ("set", K::Text, "a placement set that it is in"),
        ("queue", K::Text, "the queue that owns it"),
        ("priority", K::Number, "its priority"),
        ("sharing", K::Text, "its sharing attribute"),
        ("job", K::Text, "a job on it in the dump"),
        ("jobs", K::Number, "how many jobs are on it"),
        ("resv", K::Text, "a reservation on it"),
        ("next", K::Moment, "when the next thing planned on it starts"),
        ("rank", K::Number, "its place in the scheduler's node order, from 1"),
        ("comment", K::Text, "its comment"),
        ("elim", K::Text, "an attribute that it publishes: packing_atlas=2"),
    ]);
    own.with_resources(catalogue, "", "what it has of")
        .with_resources(catalogue, ".free", "what is left on it of")
        .with_resources(catalogue, ".used", "what is assigned on it of")
}

/// A node of a state.
#[derive(Debug, Clone, Copy)]
pub struct NodeRecord<'a> {
    state: &'a State,
    bit: Bit,
}

impl<'a> NodeRecord<'a> {
    /// A node of a state.
    #[must_use]
    pub fn of(state: &'a State, bit: Bit) -> Self {
        Self { state, bit }
    }

    fn node(&self) -> &'a Node {
        let plan = &self.state.plan;
        &plan.snap.nodes[plan.nodes[self.bit].id]
    }

    fn bucket(&self) -> Option<&'a qscope_engine::universe::Bucket<Bit>> {
        self.state.buckets.iter().find(|bucket| bucket.members.contains(self.bit))
    }

    fn sets(&self) -> impl Iterator<Item = &'a str> {
        self.state.sets.kept_by(self.bit).iter().map(|set| &*self.state.sets[*set].shape.name)
    }

    fn amount(&self, name: &str) -> Option<Fact<'a>> {
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
        let used = self.state.floor.assigned[ix][plan.capacity.home(ix, self.bit)];
        let amount = match part {
            "free" => total - used,
            "used" => used,
            _ => total,
        };
        let fact = if kind == Kind::Size { Fact::Size(amount) } else { Fact::Number(amount) };
        (!amount.is_nan()).then_some(fact)
    }
}

/// The word of a pocket.
fn availability_word(availability: Availability) -> &'static str {
    match availability {
        Availability::Free => "free",
        Availability::Later => "later",
        Availability::Busy => "busy",
        Availability::Out => "out",
    }
}

impl Record for NodeRecord<'_> {
    fn fact(&self, field: &str) -> Option<Fact<'_>> {
        let (plan, node) = (&self.state.plan, self.node());
        Some(match field {
            "node" => Fact::text(&*node.name),
            "state" => Fact::text(self.state.floor.states[self.bit].to_string()),
            "pocket" => Fact::text(
                self.bucket().map_or("out", |bucket| availability_word(bucket.availability(self.bit))),
            ),
            "bucket" => Fact::text(self.bucket()?.name(plan)),
            "set" => Fact::texts(self.sets()),
            "queue" => Fact::text(&**node.queue.as_ref()?),
            "priority" => Fact::Number(node.priority.unwrap_or(0) as f64),
            "sharing" => Fact::text(node.sharing.word()),
            "job" => Fact::texts(node.jobs.iter().map(|name| short_id(name))),
            "jobs" => Fact::Number(f64::from(self.state.floor.load[self.bit].jobs)),
            "resv" => {
                let planned = self.state.node_events[self.bit].iter().flat_map(|events| events.iter());
                let of = |occupant| match occupant {
                    Occupant::Reservation(id) => Some(&*plan.snap.reservations[id].name),
                    Occupant::Job(..) => None,
                };
                let planned = planned.filter_map(|event| of(event.occupant));
                Fact::texts(node.reservations.iter().map(|name| &**name).chain(planned))
            }
            "next" => Fact::Moment(self.state.first_event(self.bit)?.at, plan.snap.now),
            "rank" => Fact::Number(f64::from(self.bit.0) + 1.0),
            "comment" => Fact::text(node.comment.as_deref()?),
            "elim" => {
                let values = &node.extra.published.as_ref()?.values;
                Fact::texts(values.iter().map(|(name, value)| format!("{name}={value}")))
            }
            other => return self.amount(other),
        })
    }

    /// Name, state, queue, sets and jobs.
    fn words(&self) -> Cow<'_, str> {
        let node = self.node();
        let sets = self.sets().collect::<Vec<_>>().join(" ");
        let jobs = node.jobs.iter().map(|name| short_id(name)).collect::<Vec<_>>().join(" ");
        let queue = node.queue.as_deref().unwrap_or("");
        format!("{} {} {queue} {sets} {jobs}", node.name, self.state.floor.states[self.bit]).into()
    }
}
