//! Something known to happen: the end of a job, the start or end of a reservation or top job.

use std::borrow::Cow;

use crate::query::{Fact, FieldKind as K, Fields, Record};
use qscope_engine::cluster::short_id;
use qscope_engine::universe::{EventKey, EventKind, Occupant, Plan, TimedEvent};

/// The fields of events.
#[must_use]
pub fn event_fields() -> Fields {
    Fields::new(&[
        ("kind", K::Text, "start or end"),
        ("at", K::Moment, "when"),
        ("job", K::Text, "the job that it is about"),
        ("resv", K::Text, "the reservation that it is about"),
        ("user", K::Text, "the user of the job"),
        ("node", K::Text, "a node that it is on"),
        ("nodes", K::Number, "on how many nodes it is"),
    ])
}

/// An event of a timeline.
#[derive(Debug, Clone, Copy)]
pub struct EventRecord<'a> {
    plan: &'a Plan,
    key: &'a EventKey,
    event: &'a TimedEvent,
}

impl<'a> EventRecord<'a> {
    /// An event of a timeline.
    #[must_use]
    pub fn of(plan: &'a Plan, key: &'a EventKey, event: &'a TimedEvent) -> Self {
        Self { plan, key, event }
    }

    fn kind(&self) -> &'static str {
        match self.key.kind {
            EventKind::End => "end",
            EventKind::Run => "start",
        }
    }

    fn who(&self) -> &'a str {
        match self.event.occupant {
            Occupant::Job(job, _) => &self.plan.job(job).name,
            Occupant::Reservation(id) => &self.plan.snap.reservations[id].name,
        }
    }
}

impl Record for EventRecord<'_> {
    fn fact(&self, field: &str) -> Option<Fact<'_>> {
        let is_job = matches!(self.event.occupant, Occupant::Job(..));
        Some(match field {
            "kind" => Fact::text(self.kind()),
            "at" => Fact::Moment(self.key.at, self.plan.snap.now),
            "job" if is_job => Fact::texts([self.who(), short_id(self.who())]),
            "resv" if !is_job => Fact::text(self.who()),
            "user" => match self.event.occupant {
                Occupant::Job(job, _) => Fact::text(&*self.plan.job(job).user),
                Occupant::Reservation(_) => return None,
            },
            "node" => {
                Fact::texts(self.event.allocation.nodes().into_iter().map(|bit| &**self.plan.node_name(bit)))
            }
            "nodes" => Fact::Number(self.event.allocation.nodes().len() as f64),
            _ => return None,
        })
    }

    fn words(&self) -> Cow<'_, str> {
        format!("{} {}", self.kind(), self.who()).into()
    }
}
