//! The rows of a board in the making, found again by cause.

use qscope_engine::cluster::FirstMet;
use qscope_engine::universe::NodeSet;

use super::JobGroup;
use crate::{BoardRow, Tier};

/// Whether a row was analysed, its tier, the kind of its cause, and what distinguishes it from others of the kind.
type RowKey = (bool, Tier, &'static str, String);

/// Rows in the making, found again by cause.
#[derive(Default)]
pub(super) struct BoardRows {
    pub(super) rows: FirstMet<RowKey, (BoardRow, Option<NodeSet>)>,
}

impl BoardRows {
    /// Adds jobs that are alike to the row of their cause.
    pub(super) fn add(&mut self, group: &JobGroup, hours: f64, never: u64) {
        let cause = &group.cause;
        let mut object = cause.objects.first().cloned().unwrap_or_default();
        // Another value that no node has, or too few, is another cause.
        if cause.kind == "no-such-node" {
            let wanted = cause.numbers.iter().find(|(name, _)| *name == "wanted");
            object = format!("{object}={}", wanted.map(|(_, value)| value.as_str()).unwrap_or_default());
        }
        // Without an analysis the words are all that distinguishes causes; another job ahead is no other cause.
        let key = match (cause.tier, cause.kind) {
            (_, "scheduler") => cause.sentence.clone(),
            (Tier::Order, _) | (_, "dependency") => String::new(),
            _ => cause.one_row.clone().unwrap_or_else(|| object.clone()),
        };
        let analysed = group.nodes.is_some();
        let new = || BoardRow {
            analysed,
            tier: cause.tier,
            name: group.reason.as_ref().map_or_else(|| cause.tier.title(), |one| one.name.clone()),
            kind: cause.kind,
            object: object.clone(),
            example: cause.sentence.clone(),
            beside: cause.beside().to_owned(),
            jobs: Vec::new(),
            core_hours: 0.0,
            nodes: 0,
            never: 0,
        };
        let (row, all) = self.rows.of((analysed, cause.tier, cause.kind, key), || (new(), None));
        row.jobs.extend_from_slice(&group.jobs);
        row.core_hours += hours;
        row.never += never;
        if row.object != object {
            row.object.clear();
        }
        if let Some(nodes) = &group.nodes {
            all.get_or_insert_with(|| NodeSet::new(nodes.capacity())).unite(nodes);
            row.nodes = all.as_ref().map_or(0, |all| all.count() as u64);
        }
    }
}
