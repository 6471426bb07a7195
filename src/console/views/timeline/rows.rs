//! The rows of the picture: nodes that are held alike share one, until there is room to open them.

use super::{FitWindow, Timeline};
use crate::widgets::gantt::{Fill, Lane, Span};
use crate::wording;
use qscope_engine::cluster::Id;
use qscope_engine::universe::{Bit, Plan};
use qscope_explain::{Held, Hold, Lane as HeldAlike, occupant_name};

/// One row, and the nodes that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TimeRow {
    pub(crate) lane: Lane,
    pub(crate) nodes: Vec<Bit>,
    /// Who holds them, in order of time.
    pub(crate) held: Vec<Held>,
}

/// At most so many columns name the nodes of a row.
const MAX_LABEL: usize = 18;

impl Timeline {
    /// The rows; where there are fewer groups than `room`, they are opened into their nodes from the top until it is
    /// filled.
    pub(crate) fn rows(&self, plan: &Plan, room: usize, fit: Option<&FitWindow>) -> Vec<TimeRow> {
        if self.by != RowsBy::Held {
            return self.rows_by(plan, fit);
        }
        let mut spare = room.saturating_sub(self.schedule.lanes.len());
        let mut rows = Vec::new();
        for group in split_by_fit(&self.schedule.lanes, fit) {
            let more = group.nodes.len().saturating_sub(1);
            if more > 0 && more <= spare {
                spare -= more;
                rows.extend(group.nodes.iter().map(|bit| row(plan, vec![*bit], &group, fit)));
            } else {
                rows.push(row(plan, group.nodes.clone(), &group, fit));
            }
        }
        rows.sort_by_key(|row| row.nodes.first().map(|bit| plan.nodes[*bit].id));
        rows
    }
}

/// What the nodes of a row have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum RowsBy {
    /// They are held alike.
    #[default]
    Held,
    /// They are held alike and of one bucket; the buckets in the order of their nodes.
    Bucket,
    /// They are held alike and of one host.
    Host,
    /// Each row is one node.
    Node,
}

impl RowsBy {
    /// The next criterion.
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Held => Self::Bucket,
            Self::Bucket => Self::Host,
            Self::Host => Self::Node,
            Self::Node => Self::Held,
        }
    }

    /// The criterion of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Held, Self::Bucket, Self::Host, Self::Node].into_iter().find(|by| by.word() == name)
    }

    /// Its word; nodes held alike are the usual rows.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Held => "use",
            Self::Bucket => "bucket",
            Self::Host => "host",
            Self::Node => "node",
        }
    }
}

impl Timeline {
    /// What a node is put with, as a number.
    fn key(&self, plan: &Plan, bit: Bit) -> usize {
        match self.by {
            RowsBy::Held => 0,
            RowsBy::Bucket => self.buckets.checked(bit).copied().flatten().map_or(usize::MAX, Id::ix),
            RowsBy::Host => plan.nodes[bit].host.ix(),
            RowsBy::Node => bit.ix(),
        }
    }

    /// Rows of nodes that have something in common beside what holds them, those of one kind one below the other.
    fn rows_by(&self, plan: &Plan, fit: Option<&FitWindow>) -> Vec<TimeRow> {
        let mut kinds: Vec<(usize, Vec<TimeRow>)> = Vec::new();
        for group in split_by_fit(&self.schedule.lanes, fit) {
            let mut parts: Vec<(usize, Vec<Bit>)> = Vec::new();
            for bit in &group.nodes {
                let key = self.key(plan, *bit);
                match parts.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, nodes)) => nodes.push(*bit),
                    None => parts.push((key, vec![*bit])),
                }
            }
            for (key, nodes) in parts {
                let made = row(plan, nodes, &group, fit);
                match kinds.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, rows)) => rows.push(made),
                    None => kinds.push((key, vec![made])),
                }
            }
        }
        let first = |row: &TimeRow| row.nodes.first().map(|bit| plan.nodes[*bit].id);
        for (_, rows) in &mut kinds {
            rows.sort_by_key(&first);
        }
        kinds.sort_by_key(|(_, rows)| rows.first().and_then(&first));
        kinds.into_iter().flat_map(|(_, rows)| rows).collect()
    }
}

/// Groups that the selected job would use only a part of fall into two.
fn split_by_fit(groups: &[HeldAlike], fit: Option<&FitWindow>) -> Vec<HeldAlike> {
    let Some(fit) = fit else { return groups.to_vec() };
    let split = |group: &HeldAlike| {
        let (used, unused): (Vec<Bit>, Vec<Bit>) = group.nodes.iter().partition(|bit| fit.has(**bit));
        let some = [used, unused].into_iter().filter(|nodes| !nodes.is_empty());
        some.map(|nodes| HeldAlike { nodes, ..group.clone() }).collect::<Vec<_>>()
    };
    groups.iter().flat_map(split).collect()
}

fn row(plan: &Plan, nodes: Vec<Bit>, group: &HeldAlike, fit: Option<&FitWindow>) -> TimeRow {
    let names = nodes.iter().map(|bit| &**plan.node_name(*bit));
    let label = wording::folded_within(names, MAX_LABEL);
    let mut spans: Vec<Span> = group.held.iter().map(|held| span(plan, held)).collect();
    if let Some(why) = &group.closed {
        spans.push(Span { from: plan.snap.now, to: None, fill: Fill::Out, name: why.clone() });
    }
    if let Some(fit) = fit.filter(|fit| nodes.iter().all(|bit| fit.has(*bit))) {
        spans.push(Span { from: fit.from, to: fit.to, fill: Fill::Fits, name: fit.name.clone() });
    }
    let note = group.queue.as_ref().map_or_else(String::new, |queue| format!("queue {queue}"));
    TimeRow { lane: Lane { label, spans, note }, nodes, held: group.held.clone() }
}

fn span(plan: &Plan, held: &Held) -> Span {
    let fill = match held.hold {
        Hold::Running => Fill::Running,
        Hold::Starting => Fill::Starting,
        Hold::Planned => Fill::Planned,
        Hold::Reserved => Fill::Reserved,
    };
    Span { from: held.from, to: held.to, fill, name: occupant_name(plan, held.occupant) }
}
