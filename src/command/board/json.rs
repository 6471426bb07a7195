//! The answer of `qscope board` as JSON.

use serde_json::{Value, json};

use qscope_explain::{Alert, Board, BoardRow, Growth};
use qscope_session::Generation;

/// Alerts, and the causes why jobs wait.
pub(super) fn board_json(generation: &Generation, board: &Board, more_nodes: Option<&Vec<Growth>>) -> Value {
    let more = |growth: &Growth| {
        json!({
            "like": generation.snapshot.nodes[growth.model].name,
            "nodes": growth.nodes,
            // How many of the waiting jobs start; an array counts once, however many of its subjobs start.
            "starts": growth.starts,
            "subjobs": growth.subjobs,
            // The share of the waiting core-hours that these request, rounded to a thousandth.
            "share": (growth.share * 1000.0).round() / 1000.0,
            // The jobs that start without the nodes and wait with them, by full id.
            "waits": growth.waits,
        })
    };
    json!({
        "waiting": board.waiting,
        // The core-hours they request, rounded to a tenth.
        "core_hours": tenth(board.core_hours),
        "kinds": board.kinds,
        "looked_into": board.analysed,
        "at_a_glance": board.at_a_glance,
        "alerts": generation.alerts.iter().map(alert_json).collect::<Vec<_>>(),
        "causes": board.rows.iter().map(|row| cause_json(generation, row)).collect::<Vec<_>>(),
        // What more nodes of one kind would start; null where that was not computed.
        "more_nodes": more_nodes.map(|all| all.iter().map(more).collect::<Vec<_>>()),
    })
}

/// One alert: its kind, and how many nodes or queues it is about.
fn alert_json(alert: &Alert) -> Value {
    json!({
        "kind": alert.kind.word(),
        "count": alert.count(),
        "objects": alert.objects().collect::<Vec<_>>(),
        "items": alert.items,
    })
}

/// A cause and the jobs that wait for it.
fn cause_json(generation: &Generation, row: &BoardRow) -> Value {
    json!({
        "looked_into": row.analysed,
        "tier": row.tier,
        // The cause as the console names it: `insufficient ncpus`, `fragmented`, `held`.
        "reason_name": row.name,
        "kind": row.kind,
        "object": row.object,
        "example": row.example,
        // The jobs by full id.
        "jobs": super::names(generation, row),
        // The core-hours they request, rounded to a tenth.
        "core_hours": tenth(row.core_hours),
        "nodes": row.nodes,
        "never": row.never,
    })
}

fn tenth(hours: f64) -> f64 {
    // Rounded as in the text: a quarter is 0.2 in both.
    format!("{hours:.1}").parse().unwrap_or(hours)
}
