//! The rows of the picture: nodes that are held alike share a row, unless there is room for one row each.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use super::grouping::RowGrouping;
use super::{FitWindow, TimelineState};
use crate::widgets::gantt::{Axis, BarKind, GanttBar, GanttLane};
use crate::widgets::text::{truncate, width};
use crate::wording;
use qscope_engine::universe::{Bit, Plan};
use qscope_explain::{Lane as HeldAlike, Occupancy, OccupancyKind, Schedule};

/// A row: its nodes, and what holds them. Its words are made when it is drawn: there may be a hundred thousand rows, of
/// which twenty are visible.
#[derive(Debug, Clone)]
pub(crate) struct TimeRow {
    pub(crate) nodes: Vec<Bit>,
    schedule: Arc<Schedule>,
    /// The index of its lane in the schedule.
    lane: usize,
    /// Whether the selected job fits on all its nodes.
    fits: bool,
    /// The folded names of its nodes, once it was drawn.
    label: OnceCell<String>,
}

/// Maximum columns for the names of the nodes.
const MAX_LABEL: usize = 18;

impl TimeRow {
    fn held_alike(&self) -> Option<&HeldAlike> {
        self.schedule.lanes.get(self.lane)
    }

    /// What holds its nodes, in chronological order.
    pub(crate) fn occupancies(&self) -> &[Occupancy] {
        self.held_alike().map_or(&[], |lane| &lane.held)
    }

    /// What holds its nodes at a column of the axis: of several the one whose bar is visible, or else whose name is
    /// there.
    pub(super) fn occupancy_at(
        &self,
        column: u16,
        axis: &Axis,
        plan: &Plan,
        timeline: &TimelineState,
    ) -> Option<&Occupancy> {
        let column = i64::from(column);
        // The first column of a bar and the one after it; a bar has at least one column.
        let columns = |held: &Occupancy| {
            let from = axis.position(held.start).max(0);
            (from, held.end.map_or(i64::MAX, |to| axis.position(to).max(from.saturating_add(1))))
        };
        let seen = |held: &&Occupancy| {
            let bar = span(plan, timeline, held);
            (bar.is_subject, bar.fill, held.end.map_or(i64::MAX, |to| to.0))
        };
        let under = self.occupancies().iter().filter(|held| {
            let (from, to) = columns(held);
            (from..to).contains(&column)
        });
        let named = || {
            self.occupancies().iter().find(|held| {
                let (_, behind) = columns(held);
                let name = timeline.name(plan, held.occupant);
                let wide = i64::try_from(width(&name)).unwrap_or(0);
                (behind..behind.saturating_add(wide)).contains(&column)
            })
        };
        under.max_by_key(seen).or_else(named)
    }

    /// Whether the nodes take no job although they are not out of service.
    pub(super) fn is_full_for_good(&self) -> bool {
        self.held_alike()
            .and_then(|lane| lane.closed.as_ref())
            .is_some_and(|closed| !closed.is_out_of_service)
    }

    /// The label and the bars.
    pub(super) fn words(&self, plan: &Plan, timeline: &TimelineState, fit: Option<&FitWindow>) -> GanttLane {
        let now = timeline.schedule.now;
        let names = || self.nodes.iter().map(|bit| &**plan.node_name(*bit));
        let label = self.label.get_or_init(|| label(names)).clone();
        let mut spans: Vec<GanttBar> =
            self.occupancies().iter().map(|held| span(plan, timeline, held)).collect();
        let alike = self.held_alike();
        if let Some(closed) = alike.and_then(|lane| lane.closed.as_ref()) {
            spans.push(GanttBar {
                from: now,
                to: None,
                fill: BarKind::OutOfService,
                name: closed.reason.clone(),
                is_subject: false,
            });
        }
        if let Some(fit) = fit.filter(|_| self.fits) {
            let (name, is_subject) = (fit.name.clone(), false);
            spans.push(GanttBar { from: fit.from, to: fit.to, fill: BarKind::Fits, name, is_subject });
        }
        let queue = alike.and_then(|lane| lane.queue.as_ref());
        let note = queue.map_or_else(String::new, |queue| format!("queue {queue}"));
        GanttLane { label, spans, note }
    }
}

/// The names of nodes as a label. If even the first few leave no room for the number of the others, only the first is
/// named: the label always shows how many nodes there are.
fn label<'n, N: ExactSizeIterator<Item = &'n str>>(names: impl Fn() -> N) -> String {
    // No name occurs twice.
    let folded = wording::folded_of(names(), names().len(), MAX_LABEL).to_string();
    match names().next() {
        Some(first) if names().len() > 1 && folded.contains('…') => {
            let others = format!(" +{}", names().len() - 1);
            format!("{}{others}", truncate(first, MAX_LABEL.saturating_sub(others.len()), "…"))
        }
        _ => folded,
    }
}

/// Nodes of the lane with that index.
pub(super) type LaneNodes<'a> = (usize, Cow<'a, [Bit]>);

impl TimelineState {
    /// All rows; if there are fewer than `room`, lanes are opened into single nodes from the top until it is filled.
    pub(crate) fn rows(&self, plan: &Plan, room: usize, fit: Option<&FitWindow>) -> Vec<TimeRow> {
        match self.grouping {
            RowGrouping::Use => self.rows_about(plan, room, fit, |_, _| true),
            _ => self.rows_by(plan, fit),
        }
    }

    /// The rows of nodes held alike for which `is_about` holds, given what holds the nodes, and the nodes.
    pub(super) fn rows_about(
        &self,
        plan: &Plan,
        room: usize,
        fit: Option<&FitWindow>,
        is_about: impl Fn(&[Occupancy], &[Bit]) -> bool,
    ) -> Vec<TimeRow> {
        // A lane of which the selected job would use a part has two rows.
        let groups: Vec<LaneNodes<'_>> = split_by_fit(&self.schedule.lanes, fit).collect();
        let mut spare = room.saturating_sub(groups.len());
        let mut rows = Vec::new();
        for (lane, nodes) in groups {
            let held = self.schedule.lanes.get(lane).map_or(&[][..], |lane| &lane.held);
            let more = nodes.len().saturating_sub(1);
            // Opening idle nodes of a queue would only give equal rows.
            let is_alike =
                held.is_empty() && self.schedule.lanes.get(lane).is_some_and(|lane| lane.queue.is_some());
            if more > 0 && more <= spare && !is_alike {
                spare -= more;
                let each = nodes.chunks(1).filter(|one| is_about(held, one));
                rows.extend(each.map(|one| self.row(lane, one.to_vec(), fit)));
            } else if is_about(held, &nodes) {
                rows.push(self.row(lane, nodes.into_owned(), fit));
            }
        }
        rows.sort_by_key(|row| row.nodes.first().map(|bit| plan.nodes[*bit].id));
        rows
    }
}

impl TimelineState {
    pub(super) fn row(&self, lane: usize, nodes: Vec<Bit>, fit: Option<&FitWindow>) -> TimeRow {
        let fits = fit.is_some_and(|fit| nodes.iter().all(|bit| fit.has(*bit)));
        TimeRow { nodes, schedule: self.schedule.clone(), lane, fits, label: OnceCell::new() }
    }
}

/// Splits lanes of which the selected job would use only a part.
pub(super) fn split_by_fit<'a>(
    lanes: &'a [HeldAlike],
    fit: Option<&'a FitWindow>,
) -> impl Iterator<Item = LaneNodes<'a>> {
    lanes.iter().enumerate().flat_map(move |(at, lane)| {
        let is_used = |bit: &Bit| fit.is_some_and(|fit| fit.has(*bit));
        let used = lane.nodes.iter().filter(|bit| is_used(bit)).count();
        // Most lanes are used entirely or not at all.
        let parts = if used == 0 || used == lane.nodes.len() {
            [lane.nodes.as_slice().into(), Cow::default()]
        } else {
            let (used, unused): (Vec<Bit>, Vec<Bit>) = lane.nodes.iter().partition(|bit| is_used(bit));
            [used.into(), unused.into()]
        };
        parts.into_iter().filter(|nodes| !nodes.is_empty()).map(move |nodes| (at, nodes))
    })
}

fn span(plan: &Plan, timeline: &TimelineState, occupancy: &Occupancy) -> GanttBar {
    let fill = match occupancy.hold {
        OccupancyKind::Running => BarKind::Running,
        OccupancyKind::Starting => BarKind::Starting,
        OccupancyKind::Planned => BarKind::Planned,
        OccupancyKind::Reserved => BarKind::Reserved,
    };
    let is_subject = timeline.subject.is_some_and(|job| occupancy.occupant.is_of(job));
    GanttBar {
        from: occupancy.start,
        to: occupancy.end,
        fill,
        name: timeline.name(plan, occupancy.occupant),
        is_subject,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_always_counts_the_nodes_it_stands_for() {
        let names: Vec<String> = (2..7000).map(|n| format!("n{n:06}")).collect();
        let some = |count: usize| label(|| names.iter().take(count).map(String::as_str));
        assert_eq!(some(1), "n000002");
        assert_eq!(some(2), "n[000002-000003]");
        let odd = |count: usize| label(|| names.iter().step_by(2).take(count).map(String::as_str));
        assert_eq!(odd(3), "n000002 +2");
        // The run from 2 to 1001 and the number of others are wider than the label.
        let two_runs: Vec<&str> =
            names.iter().take(1000).chain(names.iter().skip(2000)).map(String::as_str).collect();
        assert_eq!(label(|| two_runs.iter().copied()), "n000002 +5997");
    }
}
