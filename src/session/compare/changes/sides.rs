//! Formats a change side by side: left, right, and a note.

use super::jobs::{field_text, judgement, on, outcome_text};
use super::nodes::jobs_moved;
use crate::compare::settings::THERE;
use crate::compare::{FieldChange, JobChange, JobChangeKind, NodeChange, SettingChange, Stand};
use qscope_engine::cluster::{NodeStates, Snapshot};
use qscope_engine::cycle::Verdict;

/// How a side is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SideLook {
    /// Neither a verdict nor a problem.
    #[default]
    Plain,
    /// A job that runs or starts.
    Runs,
    Waits,
    Never,
    /// Missing, or not considered.
    Quiet,
    /// A node that is out of service.
    Out,
}

/// One side of a change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Side {
    pub look: SideLook,
    pub text: String,
}

/// Both sides of a change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sides {
    pub left: Side,
    pub right: Side,
    /// Additional information.
    pub note: String,
}

impl Side {
    pub(in crate::compare) fn new(look: SideLook, text: impl Into<String>) -> Self {
        Self { look, text: text.into() }
    }
}

pub(super) fn of_job(change: &JobChange, snap: &Snapshot) -> Sides {
    use JobChangeKind as K;
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    let judged = |stand: Option<&Stand>, none: &str| match stand {
        Some(stand) => Side::new(look(stand), judgement(stand)),
        None => Side::new(SideLook::Quiet, none),
    };
    let mut notes: Vec<String> = Vec::new();
    let (left, right) = match change.kind {
        K::Started => {
            notes.extend(before.zip(after).and_then(|(before, after)| as_modelled(before, after)));
            let predicted = before.is_some_and(|before| before.verdict == Some(Verdict::Run));
            let left =
                if predicted { Side::new(SideLook::Waits, "waits") } else { judged(before, "not there") };
            (left, judged(after, "gone"))
        }
        K::Altered => altered(&change.altered, &mut notes),
        K::Ended => (judged(before, "not there"), Side::new(SideLook::Quiet, "ended")),
        K::Left => (judged(before, "not there"), Side::new(SideLook::Quiet, "gone")),
        K::New | K::Stopped | K::Verdict => (judged(before, "not there"), judged(after, "gone")),
        kind => {
            let side = |stand: Option<&Stand>| {
                stand.map(|stand| Side::new(look(stand), outcome_text(kind, stand, snap))).unwrap_or_default()
            };
            (side(before), side(after))
        }
    };
    if change.kind != K::Altered {
        notes.extend(change.altered.iter().map(field_text));
    }
    notes.extend(change.since.clone());
    Sides { left, right, note: notes.join(", ") }
}

/// Returns the first of several altered attributes; the number of the others is added to the notes.
fn altered(fields: &[FieldChange], notes: &mut Vec<String>) -> (Side, Side) {
    let Some(first) = fields.first() else { return Default::default() };
    if fields.len() > 1 {
        notes.push(format!("{} more", fields.len() - 1));
    }
    of_field(first)
}

fn as_modelled(before: &Stand, after: &Stand) -> Option<String> {
    before.verdict.filter(|verdict| *verdict == Verdict::Run)?;
    let modelled = on(before);
    Some(if modelled == on(after) { "as modelled".to_owned() } else { format!("modelled on {modelled}") })
}

fn look(stand: &Stand) -> SideLook {
    match stand.verdict {
        None if stand.runs() => SideLook::Runs,
        Some(Verdict::Run) => SideLook::Runs,
        None | Some(Verdict::NotNow) => SideLook::Waits,
        Some(Verdict::Never) => SideLook::Never,
        Some(Verdict::NotConsidered) => SideLook::Quiet,
    }
}

/// Returns the values of a setting.
pub(super) fn of_setting(change: &SettingChange) -> Sides {
    let (left, right) = of_field(&change.field);
    Sides { left, right, note: String::new() }
}

fn of_field(field: &FieldChange) -> (Side, Side) {
    let side = |value: &Option<String>| match (field.name.as_str(), value) {
        (THERE, None) => Side::new(SideLook::Quiet, "not there"),
        (THERE, Some(_)) => Side::new(SideLook::Plain, "there"),
        (name, None) => Side::new(SideLook::Quiet, format!("{name} not set")),
        (name, Some(value)) => Side::new(SideLook::Plain, format!("{name} {value}")),
    };
    (side(&field.before), side(&field.after))
}

/// Returns the state of a node and its free amounts.
pub(super) fn of_node(change: &NodeChange) -> Sides {
    let side = |states: Option<NodeStates>, free: Vec<String>| match states {
        None => Side::new(SideLook::Quiet, "not there"),
        Some(states) => {
            let look = if states.is_out_of_service() { SideLook::Out } else { SideLook::Plain };
            let all: Vec<String> = std::iter::once(states.to_string()).chain(free).collect();
            Side::new(look, all.join(", "))
        }
    };
    let amount =
        |resource: &str, value: &Option<String>| format!("{} {resource}", value.as_deref().unwrap_or("no"));
    let before = change.free.iter().map(|free| amount(&free.resource, &free.before)).collect();
    let after = change.free.iter().map(|free| amount(&free.resource, &free.after)).collect();
    let mut notes: Vec<String> = jobs_moved(change).collect();
    notes.extend(change.altered.iter().map(field_text));
    Sides { left: side(change.before, before), right: side(change.after, after), note: notes.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::{Epoch, JobState};

    fn stand(verdict: Option<Verdict>, on: Option<&str>) -> Stand {
        Stand {
            state: if verdict.is_some() { JobState::Queued } else { JobState::Running },
            verdict,
            path: None,
            tier: None,
            reason: None,
            on: on.map(str::to_owned),
            estimate: None,
        }
    }

    #[test]
    fn a_start_has_what_it_was_and_whether_the_model_had_it() {
        let change = JobChange {
            job: "1.s".into(),
            kind: JobChangeKind::Started,
            before: Some(stand(Some(Verdict::Run), Some("(n1:ncpus=1)"))),
            after: Some(stand(None, Some("(n1:ncpus=1)"))),
            altered: Vec::new(),
            since: None,
        };
        let sides = of_job(&change, &Snapshot::empty("t", Epoch(0)));
        assert_eq!((sides.left.look, &*sides.left.text), (SideLook::Waits, "waits"));
        assert_eq!((sides.right.look, &*sides.right.text), (SideLook::Runs, "runs on n1"));
        assert_eq!(sides.note, "as modelled");
    }

    #[test]
    fn a_node_has_its_state_and_what_is_free_on_each_side() {
        let change = NodeChange {
            node: "n1".into(),
            kind: crate::compare::NodeChangeKind::State,
            before: Some(NodeStates::FREE),
            after: None,
            free: Vec::new(),
            altered: Vec::new(),
            arrived: vec!["1.s".into()],
            left: Vec::new(),
        };
        let sides = of_node(&change);
        assert_eq!(
            (&*sides.left.text, &*sides.right.text, &*sides.note),
            ("free", "not there", "1 job came")
        );
    }
}
