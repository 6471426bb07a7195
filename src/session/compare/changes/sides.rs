//! Formats a change side by side: left, right, and a note.

use super::jobs::{field_text, judgement, outcome_text, vnodes_text};
use super::nodes::jobs_moved;
use crate::compare::settings::THERE;
use crate::compare::{FieldChange, JobChange, JobChangeKind, JobSituation, NodeChange, SettingChange};
use qscope_engine::cluster::{NodeStates, Snapshot};
use qscope_engine::cycle::Verdict;

/// How a side is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SideStyle {
    /// Neither a verdict nor a problem.
    #[default]
    Plain,
    /// A job that runs or starts.
    Running,
    Waiting,
    Never,
    /// Missing, or not considered.
    Muted,
    /// A node that is out of service.
    OutOfService,
}

/// One side of a change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeSide {
    pub look: SideStyle,
    pub text: String,
}

/// Both sides of a change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeSides {
    pub left: ChangeSide,
    pub right: ChangeSide,
    /// Additional information.
    pub note: String,
}

impl ChangeSide {
    pub(in crate::compare) fn new(look: SideStyle, text: impl Into<String>) -> Self {
        Self { look, text: text.into() }
    }
}

pub(super) fn of_job(change: &JobChange, snap: &Snapshot) -> ChangeSides {
    use JobChangeKind as K;
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    let judged = |stand: Option<&JobSituation>, none: &str| match stand {
        Some(stand) => ChangeSide::new(style_of(stand), judgement(stand)),
        None => ChangeSide::new(SideStyle::Muted, none),
    };
    let mut notes: Vec<String> = Vec::new();
    let (left, right) = match change.kind {
        K::Started => {
            notes.extend(before.zip(after).and_then(|(before, after)| as_modelled(before, after)));
            let predicted = before.is_some_and(|before| before.verdict == Some(Verdict::Run));
            let left = if predicted {
                ChangeSide::new(SideStyle::Waiting, "waits")
            } else {
                judged(before, "not there")
            };
            (left, judged(after, "gone"))
        }
        K::Altered => altered(&change.altered, &mut notes),
        K::Ended => (judged(before, "not there"), ChangeSide::new(SideStyle::Muted, "ended")),
        K::Left => (judged(before, "not there"), ChangeSide::new(SideStyle::Muted, "gone")),
        K::New | K::Stopped | K::Verdict => (judged(before, "not there"), judged(after, "gone")),
        kind => {
            let side = |stand: Option<&JobSituation>| {
                stand
                    .map(|stand| ChangeSide::new(style_of(stand), outcome_text(kind, stand, snap)))
                    .unwrap_or_default()
            };
            (side(before), side(after))
        }
    };
    if change.kind != K::Altered {
        notes.extend(change.altered.iter().map(field_text));
    }
    notes.extend(change.since.clone());
    ChangeSides { left, right, note: notes.join(", ") }
}

/// Returns the first of several altered attributes; the number of the others is added to the notes.
fn altered(fields: &[FieldChange], notes: &mut Vec<String>) -> (ChangeSide, ChangeSide) {
    let Some(first) = fields.first() else { return Default::default() };
    if fields.len() > 1 {
        notes.push(format!("{} more", fields.len() - 1));
    }
    of_field(first)
}

fn as_modelled(before: &JobSituation, after: &JobSituation) -> Option<String> {
    before.verdict.filter(|verdict| *verdict == Verdict::Run)?;
    let modelled = vnodes_text(before);
    Some(if modelled == vnodes_text(after) {
        "as modelled".to_owned()
    } else {
        format!("modelled on {modelled}")
    })
}

fn style_of(situation: &JobSituation) -> SideStyle {
    match situation.verdict {
        None if situation.runs() => SideStyle::Running,
        Some(Verdict::Run) => SideStyle::Running,
        None | Some(Verdict::NotNow) => SideStyle::Waiting,
        Some(Verdict::Never) => SideStyle::Never,
        Some(Verdict::NotConsidered) => SideStyle::Muted,
    }
}

/// Returns the values of a setting.
pub(super) fn of_setting(change: &SettingChange) -> ChangeSides {
    let (left, right) = of_field(&change.field);
    ChangeSides { left, right, note: String::new() }
}

fn of_field(field: &FieldChange) -> (ChangeSide, ChangeSide) {
    let side = |value: &Option<String>| match (field.name.as_str(), value) {
        (THERE, None) => ChangeSide::new(SideStyle::Muted, "not there"),
        (THERE, Some(_)) => ChangeSide::new(SideStyle::Plain, "there"),
        (name, None) => ChangeSide::new(SideStyle::Muted, format!("{name} not set")),
        (name, Some(value)) => ChangeSide::new(SideStyle::Plain, format!("{name} {value}")),
    };
    (side(&field.before), side(&field.after))
}

/// Returns the state of a node and its free amounts.
pub(super) fn of_node(change: &NodeChange) -> ChangeSides {
    let side = |states: Option<NodeStates>, free: Vec<String>| match states {
        None => ChangeSide::new(SideStyle::Muted, "not there"),
        Some(states) => {
            let look = if states.is_out_of_service() { SideStyle::OutOfService } else { SideStyle::Plain };
            let all: Vec<String> = std::iter::once(states.to_string()).chain(free).collect();
            ChangeSide::new(look, all.join(", "))
        }
    };
    let amount =
        |resource: &str, value: &Option<String>| format!("{} {resource}", value.as_deref().unwrap_or("no"));
    let before = change.free.iter().map(|free| amount(&free.resource, &free.before)).collect();
    let after = change.free.iter().map(|free| amount(&free.resource, &free.after)).collect();
    let mut notes: Vec<String> = jobs_moved(change).collect();
    notes.extend(change.altered.iter().map(field_text));
    ChangeSides {
        left: side(change.before, before),
        right: side(change.after, after),
        note: notes.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::{Epoch, JobState};

    fn stand(verdict: Option<Verdict>, on: Option<&str>) -> JobSituation {
        JobSituation {
            state: if verdict.is_some() { JobState::Queued } else { JobState::Running },
            verdict,
            path: None,
            tier: None,
            reason: None,
            nodes: on.map(str::to_owned),
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
        assert_eq!((sides.left.look, &*sides.left.text), (SideStyle::Waiting, "waits"));
        assert_eq!((sides.right.look, &*sides.right.text), (SideStyle::Running, "runs on n1"));
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
