//! The answer of `qscope board` as JSON.

use serde::Serialize;

use qscope_explain::{AddedNodesEffect, Alert, AlertItem, Board, BoardRow, Tier};
use qscope_session::Generation;

/// Alerts, and the causes why jobs wait.
#[derive(Serialize)]
pub(super) struct BoardJson<'a> {
    /// How many jobs wait.
    waiting: u64,
    /// The core-hours they request, rounded to a tenth.
    core_hours: f64,
    /// How many classes of equal jobs there are.
    kinds: u64,
    /// Of those, analysed.
    looked_into: u64,
    /// Jobs of the other classes, whose reason is the first condition met.
    at_a_glance: u64,
    alerts: Vec<AlertJson<'a>>,
    causes: Vec<CauseJson<'a>>,
    /// What more nodes of one kind would start; null where that was not computed.
    more_nodes: Option<Vec<MoreNodesJson<'a>>>,
}

/// A number of additional nodes, and what starts with them.
#[derive(Serialize)]
struct MoreNodesJson<'a> {
    /// The node they are modelled on.
    like: &'a str,
    nodes: usize,
    /// How many of the waiting jobs start; an array counts once, however many of its subjobs start.
    starts: usize,
    /// How many subjobs of arrays are among them.
    subjobs: usize,
    /// The share of the waiting core-hours that these request, rounded to a thousandth.
    share: f64,
    /// The jobs that start without the nodes and wait with them, by full id.
    waits: &'a [String],
}

/// One alert: its kind, and how many nodes or queues it is about.
#[derive(Serialize)]
struct AlertJson<'a> {
    kind: &'static str,
    count: usize,
    /// The nodes, queues or jobs by name.
    objects: Vec<&'a str>,
    items: &'a [AlertItem],
}

/// A cause and the jobs that wait for it.
#[derive(Serialize)]
struct CauseJson<'a> {
    /// Whether it was analysed, or is the first condition met.
    looked_into: bool,
    tier: Tier,
    /// The cause as the console names it: `insufficient ncpus`, `fragmented`, `held`.
    reason_name: &'a str,
    /// The kind of cause within the tier.
    kind: &'static str,
    /// The limit, queue, resource, set, job, reservation or node that is the cause.
    object: &'a str,
    /// The sentence of the first job.
    example: &'a str,
    /// The jobs by full id.
    jobs: Vec<String>,
    /// The core-hours they request, rounded to a tenth.
    core_hours: f64,
    /// How many nodes they would take.
    nodes: u64,
    /// How many of the jobs can never run, even if this is not their deepest cause.
    never: u64,
}

impl<'a> BoardJson<'a> {
    pub(super) fn of(
        generation: &'a Generation,
        board: &'a Board,
        more_nodes: Option<&'a Vec<AddedNodesEffect>>,
    ) -> Self {
        let more = |growth: &'a AddedNodesEffect| MoreNodesJson {
            like: &generation.snapshot.nodes[growth.model].name,
            nodes: growth.nodes,
            starts: growth.starts,
            subjobs: growth.subjobs,
            share: (growth.share * 1000.0).round() / 1000.0,
            waits: &growth.displaced_jobs,
        };
        Self {
            waiting: board.waiting,
            core_hours: tenth(board.core_hours),
            kinds: board.kinds,
            looked_into: board.analysed,
            at_a_glance: board.jobs_by_first_condition,
            alerts: generation.alerts.iter().map(AlertJson::of).collect(),
            more_nodes: more_nodes.map(|all| all.iter().map(more).collect()),
            causes: board.rows.iter().map(|row| CauseJson::of(generation, row)).collect(),
        }
    }
}

impl<'a> AlertJson<'a> {
    fn of(alert: &'a Alert) -> Self {
        Self {
            kind: alert.kind.word(),
            count: alert.count(),
            objects: alert.objects().collect(),
            items: &alert.items,
        }
    }
}

impl<'a> CauseJson<'a> {
    fn of(generation: &Generation, row: &'a BoardRow) -> Self {
        Self {
            looked_into: row.analysed,
            tier: row.tier,
            reason_name: &row.name,
            kind: row.kind,
            object: &row.object,
            example: &row.example,
            jobs: super::names(generation, row),
            core_hours: tenth(row.core_hours),
            nodes: row.nodes,
            never: row.never,
        }
    }
}

fn tenth(hours: f64) -> f64 {
    // Rounded as in the text: a quarter is 0.2 in both.
    format!("{hours:.1}").parse().unwrap_or(hours)
}
