//! An entity of the fair share tree at one position of the cycle.

use crate::fairshare::ShareEntity;
use crate::query::{FieldColumn, FieldKind as K, FieldValue, QueryFields, QueryRecord};

type ShareColumn = FieldColumn<for<'r, 'a> fn(&'r ShareRecord<'a>) -> Option<FieldValue<'r>>>;

const COLUMNS: &[ShareColumn] = &[
    ShareColumn::new("entity", K::Text, (20, 1), "its name", |row| Some(FieldValue::text(&*row.0.entity))),
    ShareColumn::new("group", K::Text, (12, 8), "the group that it is in", |row| {
        Some(FieldValue::text(row.0.parent.as_deref()?))
    }),
    ShareColumn::new("depth", K::Number, (5, 9), "how many steps below the root", |row| {
        Some(FieldValue::count(row.0.depth))
    }),
    ShareColumn::new("shares", K::Number, (6, 5), "its shares, as configured", |row| {
        Some(FieldValue::Number(row.0.shares))
    }),
    ShareColumn::new("usage", K::Number, (10, 3), "what it used", |row| {
        Some(FieldValue::Number(row.0.usage))
    }),
    ShareColumn::new("charged", K::Number, (8, 7), "what the cycle so far added", |row| {
        Some(FieldValue::Number(row.0.charged))
    }),
    ShareColumn::new(
        "state",
        K::Text,
        (6, 4),
        "over or under its share, or none where it has no share",
        |row| Some(FieldValue::text(row.0.state)),
    )
    .one_of(&["over", "under", "none"]),
    ShareColumn::new("run", K::Number, (4, 6), "how many of its jobs run", |row| {
        Some(FieldValue::count(row.0.running))
    }),
    ShareColumn::new("wait", K::Number, (4, 3), "how many of its jobs wait", |row| {
        Some(FieldValue::count(row.0.waiting))
    }),
    ShareColumn::new("next", K::Text, (8, 4), "its next job in the order considered", |row| {
        Some(FieldValue::text(row.0.next_job.as_deref()?))
    }),
    ShareColumn::new("factor", K::Number, (8, 9), "its fairshare_factor", |row| {
        Some(FieldValue::Number(row.0.factor))
    }),
    ShareColumn::new("is_group", K::Flag, (4, 9), "whether it has members, or may have", |row| {
        Some(FieldValue::Flag(row.0.group))
    }),
];

/// Returns the columns of entities.
pub fn share_fields() -> QueryFields {
    QueryFields::of(COLUMNS)
}

#[derive(Debug, Clone, Copy)]
pub struct ShareRecord<'a>(&'a ShareEntity);

impl<'a> ShareRecord<'a> {
    /// Creates a row for an entity.
    pub fn of(entity: &'a ShareEntity) -> Self {
        Self(entity)
    }
}

impl QueryRecord for ShareRecord<'_> {
    fn fact(&self, field: &str) -> Option<FieldValue<'_>> {
        (FieldColumn::named(COLUMNS, field)?.value)(self)
    }

    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        [&*self.0.entity, self.0.parent.as_deref().unwrap_or_default(), self.0.state].into_iter().any(holds)
    }
}
