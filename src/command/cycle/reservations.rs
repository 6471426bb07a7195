//! How the reservations that waited to be confirmed were examined, as JSON and as text.

use std::sync::Arc;

use serde::Serialize;

use qscope_engine::cycle::{Confirmation, Run};
use qscope_engine::placement::PlacementPath;
use qscope_explain::decision::{DecisionLine, DecisionTrace, OwnedSubject, all_decision_lines};

/// One reservation that waited to be confirmed.
#[derive(Serialize)]
pub(super) struct ReservationJson {
    /// The full id.
    id: String,
    /// When it starts, in seconds since 1970.
    start: i64,
    confirmed: bool,
    /// The path entered: always `node` (rule 6.9).
    path: &'static str,
    /// Its nodes, if it was confirmed.
    exec_vnode: Option<String>,
    /// The placement set that holds it.
    pset: Option<String>,
    /// The scheduler's reason, if it was denied.
    denied: Option<String>,
    /// The checks and the search, line by line.
    stages: Vec<ExaminationJson>,
}

/// One line of the examination.
#[derive(Serialize)]
struct ExaminationJson {
    /// Null where there is nothing to pass, or it was not reached.
    passed: Option<bool>,
    label: String,
    text: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    result: String,
}

impl ReservationJson {
    /// Returns every reservation that waited, in the order tried.
    pub(super) fn all(run: &Arc<Run>) -> Vec<Self> {
        run.confirmations.iter().filter_map(|tried| Self::of(run, tried)).collect()
    }

    fn of(run: &Arc<Run>, tried: &Confirmation) -> Option<Self> {
        let snap = &run.plan.snap;
        let scene = DecisionTrace::of_reservation(run, tried.reservation)?;
        let set = match &scene.decided {
            OwnedSubject::Reservation(examined) => {
                examined.result.as_ref().ok().and_then(|placed| placed.set.clone())
            }
            OwnedSubject::Job(_) => None,
        };
        let stage = |line: DecisionLine| match line {
            DecisionLine::Stage { passed, label, text, result_name, .. } => {
                Some(ExaminationJson { passed, label, text, result: result_name })
            }
            _ => None,
        };
        Some(Self {
            id: snap.reservations[tried.reservation].name.to_string(),
            start: tried.start.0,
            confirmed: tried.is_confirmed(),
            path: PlacementPath::Node.word(),
            exec_vnode: tried.result.as_ref().ok().map(|placed| placed.exec_vnode(&run.plan)),
            pset: set.map(|set| set.to_string()),
            denied: tried.result.as_ref().err().map(|why| why.comment(&snap.catalogue)),
            stages: all_decision_lines(scene.as_trace_ref()).into_iter().filter_map(stage).collect(),
        })
    }

    /// Returns a line of text: the answer, and the last line of the search.
    pub(super) fn line(&self) -> String {
        let answer = match (&self.exec_vnode, &self.denied) {
            (Some(nodes), _) => format!("confirmed by the {} path on {nodes}", self.path),
            (None, denied) => format!("denied: {}", denied.as_deref().unwrap_or_default()),
        };
        format!("reservation {}: {answer}", self.id)
    }
}
