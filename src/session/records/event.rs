//! A planned event: the end of a job, the start or end of a reservation or top job.

use crate::query::{FieldColumn, FieldKind as K, FieldValue, QueryFields, QueryRecord};
use qscope_engine::cluster::JobId;
use qscope_engine::universe::{EventKey, EventKind, Occupant, Plan, TimedEvent};

type EventColumn = FieldColumn<for<'r, 'a> fn(&'r EventRecord<'a>) -> Option<FieldValue<'r>>>;

const COLUMNS: &[EventColumn] = &[
    EventColumn::new("kind", K::Text, (5, 2), "start or end", |row| Some(FieldValue::text(row.kind()))),
    EventColumn::new("at", K::Moment, (5, 1), "when", |row| {
        Some(FieldValue::Moment(row.key.at, row.plan.snap.now))
    }),
    EventColumn::new("job", K::Text, (10, 3), "the job that it is about", |row| {
        row.job().map(|job| FieldValue::texts([&*row.plan.job(job).name, row.plan.job(job).short_name()]))
    }),
    EventColumn::new("resv", K::Text, (8, 5), "the reservation that it is about", |row| {
        row.job().is_none().then(|| FieldValue::text(row.occupant_name()))
    }),
    EventColumn::new("user", K::Text, (8, 6), "the user of the job", |row| {
        row.job().map(|job| FieldValue::text(&*row.plan.job(job).user))
    }),
    EventColumn::new("node", K::Text, (8, 9), "a node that it is on", |row| {
        let nodes = row.event.allocation.nodes();
        Some(FieldValue::texts(nodes.into_iter().map(|bit| &**row.plan.node_name(bit))))
    }),
    EventColumn::new("nodes", K::Number, (5, 4), "on how many nodes it is", |row| {
        Some(FieldValue::count(row.event.allocation.nodes().len()))
    }),
];

/// Returns the columns of events.
pub fn event_fields() -> QueryFields {
    QueryFields::of(COLUMNS)
}

/// An event of a timeline.
#[derive(Debug, Clone, Copy)]
pub struct EventRecord<'a> {
    plan: &'a Plan,
    key: &'a EventKey,
    event: &'a TimedEvent,
}

impl<'a> EventRecord<'a> {
    pub fn of(plan: &'a Plan, key: &'a EventKey, event: &'a TimedEvent) -> Self {
        Self { plan, key, event }
    }

    fn kind(&self) -> &'static str {
        match self.key.kind {
            EventKind::End => "end",
            EventKind::Run => "start",
        }
    }

    fn job(&self) -> Option<JobId> {
        match self.event.occupant {
            Occupant::Job(job, _) => Some(job),
            Occupant::Reservation(_) => None,
        }
    }

    fn occupant_name(&self) -> &'a str {
        self.plan.occupant_name(self.event.occupant)
    }
}

impl QueryRecord for EventRecord<'_> {
    fn fact(&self, field: &str) -> Option<FieldValue<'_>> {
        (FieldColumn::named(COLUMNS, field)?.value)(self)
    }

    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        let user = || self.job().is_some_and(|job| holds(&self.plan.job(job).user));
        let node = || self.event.allocation.nodes().into_iter().any(|bit| holds(self.plan.node_name(bit)));
        holds(self.kind()) || holds(self.occupant_name()) || user() || node()
    }
}
