//! The number of nodes without occupants over time.

use std::collections::{BTreeMap, BTreeSet};

use qscope_engine::cluster::{DedicatedSlot, Epoch};

use super::Lane;

/// Returns the changes in the number of nodes without occupants, starting now.
pub(super) fn free_over_time(now: Epoch, lanes: &[Lane]) -> Vec<(Epoch, u64)> {
    let mut changes: BTreeMap<Epoch, i64> = BTreeMap::from([(now, 0)]);
    for lane in lanes.iter().filter(|lane| lane.closed.is_none() && !lane.is_partly_taken) {
        let nodes = i64::try_from(lane.nodes.len()).unwrap_or(i64::MAX);
        *changes.entry(now).or_default() += nodes;
        let mut until = Some(now);
        for one in &lane.held {
            let Some(busy) = until else { break };
            if one.start >= busy {
                // A gap ends here, or the first occupant begins.
                let from = one.start.max(busy);
                *changes.entry(from).or_default() -= nodes;
                until = one.end;
            } else if one.end.is_none_or(|to| to > busy) {
                // It outlasts the previous occupant, whose end frees nothing.
                *changes.entry(busy).or_default() -= nodes;
                until = one.end;
            } else {
                continue;
            }
            if let Some(end) = until {
                *changes.entry(end).or_default() += nodes;
            }
        }
    }
    let mut free = 0;
    let mut steps: Vec<(Epoch, u64)> = Vec::new();
    for (at, change) in changes {
        free += change;
        let count = u64::try_from(free).unwrap_or(0);
        if steps.last().is_none_or(|(_, before)| *before != count) {
            steps.push((at, count));
        }
    }
    steps
}

/// Returns the number of free nodes at a moment.
pub(super) fn free_at(steps: &[(Epoch, u64)], at: Epoch) -> u64 {
    let after = steps.partition_point(|(from, _)| *from <= at);
    after.checked_sub(1).and_then(|last| steps.get(last)).map_or(0, |(_, free)| *free)
}

/// Returns the same changes with no node free in these periods, which are in order.
pub(super) fn outside(closed: &[DedicatedSlot], steps: Vec<(Epoch, u64)>) -> Vec<(Epoch, u64)> {
    if closed.is_empty() {
        return steps;
    }
    let is_closed = |at: Epoch| closed.iter().any(|slot| slot.contains(at));
    let first = steps.first().map_or(Epoch(i64::MIN), |(at, _)| *at);
    let edges = closed.iter().flat_map(|slot| [slot.from, slot.to]).filter(|at| *at > first);
    let moments: BTreeSet<Epoch> = steps.iter().map(|(at, _)| *at).chain(edges).collect();
    let mut found: Vec<(Epoch, u64)> =
        moments.into_iter().map(|at| (at, if is_closed(at) { 0 } else { free_at(&steps, at) })).collect();
    found.dedup_by_key(|(_, free)| *free);
    found
}

#[cfg(test)]
mod tests {
    use qscope_engine::cluster::{Id, JobId};
    use qscope_engine::universe::{Bit, Occupant};

    use super::super::{NodeClosure, Occupancy, OccupancyKind, Schedule};
    use super::*;

    fn lane(nodes: usize, held: &[(i64, i64)]) -> Lane {
        let held = held.iter().map(|(from, to)| Occupancy {
            occupant: Occupant::Job(JobId::at(0), None),
            start: Epoch(*from),
            end: (*to >= 0).then_some(Epoch(*to)),
            hold: OccupancyKind::Running,
        });
        let held = held.collect();
        Lane {
            nodes: (0..nodes).map(Bit::at).collect(),
            held,
            closed: None,
            is_partly_taken: false,
            queue: None,
        }
    }

    fn steps(lanes: &[Lane]) -> Vec<(i64, u64)> {
        free_over_time(Epoch(10), lanes).into_iter().map(|(at, free)| (at.0, free)).collect()
    }

    #[test]
    fn nodes_are_free_between_what_holds_them() {
        assert_eq!(steps(&[lane(3, &[])]), [(10, 3)]);
        assert_eq!(
            steps(&[lane(3, &[(10, 20), (30, 40)]), lane(1, &[])]),
            [(10, 1), (20, 4), (30, 1), (40, 4)]
        );
        assert_eq!(steps(&[lane(2, &[(15, 20)])]), [(10, 2), (15, 0), (20, 2)]);
        // With two jobs on the same nodes the longer one decides, whatever their order.
        assert_eq!(steps(&[lane(2, &[(10, 20), (10, 30), (12, 15)])]), [(10, 0), (30, 2)]);
        assert_eq!(steps(&[lane(2, &[(10, 20), (20, 30)])]), [(10, 0), (30, 2)]);
        // After a job without a walltime, nothing is ever free.
        assert_eq!(steps(&[lane(2, &[(10, 20), (20, -1), (40, 50)])]), [(10, 0)]);
    }

    #[test]
    fn no_node_is_free_in_dedicated_time() {
        let steps = || vec![(Epoch(10), 2), (Epoch(25), 5), (Epoch(40), 6)];
        let in_periods = |periods: &[(i64, i64)]| {
            let periods: Vec<DedicatedSlot> = periods
                .iter()
                .map(|(from, to)| DedicatedSlot { from: Epoch(*from), to: Epoch(*to) })
                .collect();
            let found = outside(&periods, steps());
            found.into_iter().map(|(at, free)| (at.0, free)).collect::<Vec<_>>()
        };
        assert_eq!(in_periods(&[]), [(10, 2), (25, 5), (40, 6)]);
        assert_eq!(in_periods(&[(20, 30)]), [(10, 2), (20, 0), (30, 5), (40, 6)]);
        assert_eq!(in_periods(&[(5, 25), (30, 40)]), [(10, 0), (25, 5), (30, 0), (40, 6)]);
    }

    #[test]
    fn nodes_that_are_closed_or_partly_taken_are_never_free() {
        let offline = NodeClosure { reason: "offline".to_owned(), is_out_of_service: true };
        let closed = Lane { closed: Some(offline), ..lane(4, &[]) };
        let partly_taken = Lane { is_partly_taken: true, ..lane(4, &[]) };
        assert_eq!(steps(&[closed, partly_taken, lane(1, &[])]), [(10, 1)]);
        let schedule = Schedule { free: vec![(Epoch(10), 1), (Epoch(20), 5)], ..Schedule::default() };
        assert_eq!([9, 10, 19, 20, 99].map(|at| schedule.free_at(Epoch(at))), [0, 1, 1, 5, 5]);
    }
}
