//! The occupants of nodes over time, as the calendar has them.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Epoch, JobState, Seconds, short_id};
use qscope_engine::universe::{Bit, EventKind, Occupant, Plan, State};

/// How an occupant holds a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum OccupancyKind {
    /// It was running before the cycle.
    Running,
    /// It starts in this cycle.
    Starting,
    /// It is a top job planned by the calendar.
    Planned,
    Reserved,
}

/// One occupant of a node, with its start and end.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Occupancy {
    pub occupant: Occupant,
    /// The start; now for what is already running.
    pub start: Epoch,
    /// The end; `None` for a job without a walltime.
    pub end: Option<Epoch>,
    pub hold: OccupancyKind,
}

/// Returns every occupant with its nodes: planned starts with their ends, and ends without a start for current
/// occupants.
pub(super) fn all_held(state: &State) -> Vec<(Occupancy, Vec<Bit>)> {
    let mut found: Vec<(Occupancy, Vec<Bit>)> = Vec::new();
    let mut open: FxHashMap<Occupant, usize> = FxHashMap::default();
    for (key, event) in state.timeline.iter() {
        match key.kind {
            EventKind::Run => {
                open.insert(event.occupant, found.len());
                let hold = match event.occupant {
                    Occupant::Job(..) => OccupancyKind::Planned,
                    Occupant::Reservation(_) => OccupancyKind::Reserved,
                };
                let held = Occupancy { occupant: event.occupant, start: key.at, end: None, hold };
                found.push((held, event.allocation.nodes()));
            }
            EventKind::End => {
                let end = Some(key.at).filter(|at| !is_endless(state, event.occupant, *at));
                if let Some((held, _)) = open.remove(&event.occupant).and_then(|at| found.get_mut(at)) {
                    held.end = end;
                    continue;
                }
                let hold = current_occupancy_kind(state, event.occupant);
                let held = Occupancy { occupant: event.occupant, start: state.now, end, hold };
                found.push((held, event.allocation.nodes()));
            }
        }
    }
    found
}

/// Returns the occupants of one node, by start.
pub(crate) fn occupants_of_node(state: &State, node: Bit) -> Vec<Occupancy> {
    let on_it = all_held(state).into_iter().filter(|(_, nodes)| nodes.contains(&node));
    let mut held: Vec<Occupancy> = on_it.map(|(held, _)| held).collect();
    held.sort_by_key(|one| (one.start, one.occupant));
    held
}

/// Returns the full id of an occupant.
pub fn occupant_id(plan: &Plan, occupant: Occupant) -> String {
    let subjob = match occupant {
        Occupant::Job(job, Some(index)) => plan.job(job).subjob_name(index),
        _ => None,
    };
    subjob.unwrap_or_else(|| plan.occupant_name(occupant).to_string())
}

/// Returns the short id of an occupant.
pub fn occupant_name(plan: &Plan, occupant: Occupant) -> String {
    short_id(&occupant_id(plan, occupant)).to_owned()
}

fn current_occupancy_kind(state: &State, occupant: Occupant) -> OccupancyKind {
    match occupant {
        Occupant::Reservation(_) => OccupancyKind::Reserved,
        Occupant::Job(_, Some(_)) => OccupancyKind::Starting,
        Occupant::Job(job, None) => match state.plan.job(job).state {
            JobState::Running | JobState::Exiting => OccupancyKind::Running,
            _ => OccupancyKind::Starting,
        },
    }
}

/// Whether an end years ahead only stands for a missing walltime.
fn is_endless(state: &State, occupant: Occupant, end: Epoch) -> bool {
    let Occupant::Job(job, _) = occupant else { return false };
    let length = state.plan.requests[job].as_ref().map(|request| request.duration);
    length.is_ok_and(|length| length >= Seconds::UNLIMITED)
        && end - state.now > Seconds(Seconds::UNLIMITED.0 / 5)
}
