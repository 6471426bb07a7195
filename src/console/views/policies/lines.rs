//! The rows of the view's two tables.

use super::start_role;
use crate::story::{Paragraph, Story, TextPiece};
use crate::theme::Role;
use crate::widgets::table::{Cell, TableColumn, Width};
use crate::wording;
use qscope_engine::cluster::{Seconds, Snapshot, count};
use qscope_planning::policies::{
    PickedNode, Placement, PolicyAnswer, PolicyComparison, PolicyMeasures, PolicyName,
};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct PolicyLine {
    pub(super) name: String,
    start: String,
    now: bool,
    later: bool,
    count: usize,
    lost: Option<usize>,
    pub(super) nodes: String,
}

/// One node of the selected policy's placement.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PickLine {
    pub(super) node: String,
    tasks: u32,
    offered: u32,
    tier: &'static str,
    key: String,
    /// Whether Maui's policy takes the node too.
    pub(super) common: bool,
}

impl PolicyLine {
    pub(super) fn of(
        snap: &Snapshot,
        compared: Option<&PolicyComparison>,
        answer: &PolicyAnswer,
        measures: Option<&PolicyMeasures>,
    ) -> Self {
        let in_force = compared.and_then(|compared| compared.in_force.as_ref().ok());
        let mark = if in_force.is_some_and(|(policy, _)| *policy == answer.policy) { " *" } else { "" };
        let start = match (&answer.now, &answer.earliest) {
            (Some(_), _) => "now".to_owned(),
            (None, Some(later)) => format!("+{}", wording::duration(Seconds(later.start.0 - snap.now.0))),
            (None, None) => "-".to_owned(),
        };
        let placed = answer.now.as_ref().or(answer.earliest.as_ref());
        Self {
            name: format!("{}{mark}", answer.policy),
            start,
            now: answer.now.is_some(),
            later: answer.earliest.is_some(),
            count: placed.map_or(0, |placed| placed.picks.len()),
            lost: measures.map(|measures| measures.regret.len()),
            nodes: placed.map_or_else(|| answer.note.clone(), |placed| nodes(snap, placed)),
        }
    }
}

/// Formats nodes with their tasks: `n3x4 n4x6`.
fn nodes(snap: &Snapshot, placed: &Placement) -> String {
    // Consecutive nodes with the same number of tasks are folded, in the order of choice.
    let runs = placed.picks.chunk_by(|a, b| a.tasks == b.tasks);
    let run = |picks: &[PickedNode]| {
        let names = wording::compact_in_order(picks.iter().map(|pick| &*snap.nodes[pick.node].name));
        format!("{names}x{}", picks.first().map_or(0, |pick| pick.tasks))
    };
    runs.take(40).map(run).collect::<Vec<_>>().join(" ")
}

impl PickLine {
    pub(super) fn of(snap: &Snapshot, pick: &PickedNode, reference: Option<&Placement>) -> Self {
        let common = reference.is_none_or(|placed| placed.picks.iter().any(|other| other.node == pick.node));
        let tie = if pick.tie { ", equal to the next" } else { "" };
        Self {
            node: snap.nodes[pick.node].name.to_string(),
            tasks: pick.tasks,
            offered: pick.offered,
            tier: pick.tier.word(),
            key: format!("{}{tie}", pick.key),
            common,
        }
    }
}

type PolicyColumn<'a> = TableColumn<'a, PolicyLine>;
type PickColumn<'a> = TableColumn<'a, PickLine>;

pub(super) fn policy_columns<'a>() -> [PolicyColumn<'a>; 5] {
    [
        PolicyColumn::words("policy (* Maui's)", Width::Fixed(19), 100, |line| Cell::new(&*line.name)),
        PolicyColumn::words("start", Width::Fixed(11), 90, |line| {
            Cell::of(start_role(line.now, line.later), &*line.start)
        }),
        PolicyColumn::numbers("nodes", 5, 70, |line| match line.count {
            0 => Cell::of(Role::TextDim, "-"),
            count => Cell::new(count.to_string()),
        }),
        PolicyColumn::numbers("lost", 4, 60, |line| match line.lost {
            None if line.count == 0 => Cell::of(Role::TextDim, "-"),
            None => Cell::of(Role::TextDim, "?"),
            Some(0) => Cell::of(Role::TextDim, "0"),
            Some(lost) => Cell::of(Role::Warning, lost.to_string()),
        }),
        PolicyColumn::words("nodes and tasks", Width::Fill(16), 80, |line| {
            Cell::of(if line.count == 0 { Role::TextDim } else { Role::Text }, &*line.nodes)
        }),
    ]
}

/// The columns of the table of nodes.
pub(super) fn pick_columns<'a>() -> [PickColumn<'a>; 5] {
    [
        PickColumn::words("node", Width::Between(8, 20), 100, |line| match line.common {
            true => Cell::new(&*line.node),
            false => Cell::of(Role::Warning, format!("{} +", line.node)),
        }),
        PickColumn::numbers("tasks", 5, 90, |line| Cell::new(line.tasks.to_string())),
        PickColumn::numbers("room", 4, 60, |line| Cell::of(Role::TextDim, line.offered.to_string())),
        PickColumn::words("affinity", Width::Fixed(8), 40, |line| Cell::of(Role::TextDim, line.tier)),
        PickColumn::words("compared by", Width::Fill(16), 80, |line| Cell::new(&*line.key)),
    ]
}

/// Notes and measures of a policy's answer. `reserved` is whether the cluster has reservations, `differs` whether the
/// nodes are others than those of Maui's policy.
pub(super) fn notes_and_measures(
    answer: &PolicyAnswer,
    measures: Option<&PolicyMeasures>,
    reserved: bool,
    differs: bool,
) -> Story {
    let mut about = Vec::new();
    if differs {
        about.push("+ not taken by Maui's policy".to_owned());
    }
    if !answer.note.is_empty() {
        about.push(format!("Not now: {}", answer.note));
    }
    if let Some(measures) = measures {
        about.push(format!(
            "After it: {} on the largest node, {} more such {}, {:.0} % of its nodes stranded",
            count(measures.largest.0.round(), "cpu"),
            measures.still_fits,
            if measures.still_fits == 1 { "task" } else { "tasks" },
            measures.stranded * 100.0
        ));
        if !measures.regret.is_empty() || !measures.delayed.is_empty() {
            let (lost, delayed) = (measures.regret.len(), measures.delayed.len());
            about.push(format!("Jobs behind: {lost} can no longer start now, {delayed} start later"));
        }
    } else if answer.now.is_some() {
        about.push("lost: jobs behind that can no longer start; m measures it".to_owned());
    }
    // Without a reservation there is no affinity to one.
    let applies = reserved || answer.policy != PolicyName::FirstAvailable;
    about.extend(answer.policy.maui_deviation().filter(|_| applies).map(|text| format!("{text}.")));
    Story::new(about.iter().map(|text| Paragraph::words(0, [TextPiece::dim(text)])).collect())
}
