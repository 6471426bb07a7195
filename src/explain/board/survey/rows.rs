//! The rows of a board in progress, indexed by cause.

use qscope_engine::cluster::InsertionOrderMap;
use qscope_engine::cycle::Run;
use qscope_engine::universe::NodeSet;

use super::JobGroup;
use crate::cause::Cause;
use crate::{BoardRow, Tier, waiting_name};

/// Key of a row: whether it was analysed, the tier, the kind of cause, and a text distinguishing causes of one kind.
type RowKey = (bool, Tier, &'static str, String);

/// Rows in progress, indexed by cause.
#[derive(Default)]
pub(super) struct BoardRows {
    pub(super) rows: InsertionOrderMap<RowKey, (BoardRow, Option<NodeSet>)>,
}

impl BoardRows {
    /// Adds similar jobs to the row of their cause.
    pub(super) fn add(&mut self, run: &Run, group: &JobGroup, hours: f64, never: u64) {
        let cause = &group.cause;
        let mut object = cause.objects.first().cloned().unwrap_or_default();
        // A different value that no node, or too few nodes have is a different cause.
        if cause.kind == "no-such-node" {
            let wanted = cause.numbers.iter().find(|(name, _)| *name == "wanted");
            object = format!("{object}={}", wanted.map(|(_, value)| value.as_str()).unwrap_or_default());
        }
        // Without an analysis only the words distinguish causes; another job ahead is not another cause.
        let key = match (cause.tier, cause.kind) {
            (_, "scheduler") => cause.sentence.clone(),
            (Tier::Order, _) | (_, "dependency" | "class") => String::new(),
            _ => cause.one_row.clone().unwrap_or_else(|| object.clone()),
        };
        let analysed = group.nodes.is_some();
        let new = || BoardRow {
            analysed,
            tier: cause.tier,
            name: group.reason.as_ref().map_or_else(|| cause.tier.title(), |one| one.name.clone()),
            kind: cause.kind,
            object: object.clone(),
            limit_owner: cause.whose.clone().unwrap_or_default(),
            example: example(run, group),
            short_sentence: taken_by(cause).unwrap_or_else(|| cause.sentence_without_job()).to_owned(),
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

/// Returns the sentence about the first of similar jobs. One about jobs that took its nodes does not name it.
fn example(run: &Run, group: &JobGroup) -> String {
    match (taken_by(&group.cause), group.jobs.first()) {
        (Some(taken), Some(job)) => format!("job {}: {taken}", waiting_name(run, *job)),
        _ => group.cause.sentence.clone(),
    }
}

/// Returns who took the nodes of a job in this cycle, in a few words; `None` for other causes.
fn taken_by(cause: &Cause) -> Option<&str> {
    cause.brief.as_deref().filter(|_| cause.kind == "overtaken")
}
