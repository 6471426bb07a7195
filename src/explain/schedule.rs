//! What holds every node from when to when, as the calendar knows it at a moment of the cycle, and how many nodes are
//! free over that time.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Column, Epoch, JobState, Period, Seconds, short_id};
use qscope_engine::cycle::{Run, refused_steps, windows_of};
use qscope_engine::universe::{Bit, EventKind, NodeSet, NodeUse, Occupant, Plan, State};

/// How an occupant holds a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Hold {
    /// It ran before the cycle.
    Running,
    /// It starts in this cycle.
    Starting,
    /// The calendar plans it: a top job.
    Planned,
    /// A reservation.
    Reserved,
}

/// One occupant of a node, from when to when.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Held {
    /// Who.
    pub occupant: Occupant,
    /// From when; what runs already is from now on.
    pub from: Epoch,
    /// Until when; none for a job without a walltime.
    pub to: Option<Epoch>,
    pub hold: Hold,
}

/// What nodes of a lane have in common: who holds them, why they are closed, the queue.
type Alike = (Vec<Held>, Option<String>, Option<String>);

/// Nodes that are held alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lane {
    /// In the order of the dump.
    pub nodes: Vec<Bit>,
    /// By start, then by end.
    pub held: Vec<Held>,
    /// Why they take no job for as long as can be known; none where they do.
    pub closed: Option<String>,
    /// The queue that they are bound to.
    pub queue: Option<String>,
}

/// The nodes over time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    /// Where it begins.
    pub now: Epoch,
    /// Nodes held alike, in the order of their first.
    pub lanes: Vec<Lane>,
    /// From each of these moments on so many nodes have nothing on them; the first is now.
    pub free: Vec<(Epoch, u64)>,
    /// Every moment at which something starts or ends, in order.
    pub events: Vec<Epoch>,
    /// When prime and dedicated time begin and end (rule 6.7), in order.
    pub edges: Vec<TimeEdge>,
}

/// A moment at which prime or dedicated time begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeEdge {
    pub at: Epoch,
    /// `prime time begins`, `dedicated time ends` …
    pub what: &'static str,
}

/// So far ahead edges are looked for, and so many at most.
const EDGES_AHEAD: Seconds = Seconds(14 * 86_400);
const MAX_EDGES: usize = 100;

/// The edges of prime and dedicated time after now.
fn edges(state: &State) -> Vec<TimeEdge> {
    let windows = windows_of(&state.plan.snap);
    let until = state.now + EDGES_AHEAD;
    let mut found = Vec::new();
    let mut last = state.now;
    while let Some(at) = windows.next_event(last).filter(|at| *at > last && *at <= until) {
        let before = Epoch(at.0 - 1);
        let (was, is) = (windows.dedicated.slot_at(before), windows.dedicated.slot_at(at));
        let what = match (was, is, windows.prime.period_at(at)) {
            (None, Some(_), _) => "dedicated time begins",
            (Some(_), None, _) => "dedicated time ends",
            (_, _, Period::Prime) => "prime time begins",
            (_, _, Period::NonPrime) => "prime time ends",
        };
        found.push(TimeEdge { at, what });
        if found.len() >= MAX_EDGES {
            break;
        }
        last = at;
    }
    found
}

/// The nodes over time as a state knows them.
pub fn schedule(state: &State) -> Schedule {
    without(state, &[])
}

/// The nodes over time when a cycle is over. What the server refuses to start has no nodes then, although the scheduler
/// believes so.
pub fn schedule_after(run: &Run) -> Schedule {
    let refused: Vec<Refused> = refused_steps(run)
        .into_iter()
        .map(|step| &run.steps[step].outcome)
        .filter_map(|outcome| {
            let nodes = outcome.placed.as_ref()?.allocation.nodes();
            Some((Occupant::Job(outcome.job, outcome.subjob), nodes))
        })
        .collect();
    without(&run.end, &refused)
}

/// A start that the server refuses, and the nodes that it does not get.
type Refused = (Occupant, Vec<Bit>);

fn without(state: &State, refused: &[Refused]) -> Schedule {
    let plan = &state.plan;
    let mut held: Column<Bit, Vec<Held>> = Column::filled(plan.nodes.len(), Vec::new());
    let mut events = Vec::new();
    let let_go = NodeSet::of(plan.nodes.len(), refused.iter().flat_map(|(_, nodes)| nodes.iter().copied()));
    let is_refused = |one: &Held| refused.iter().any(|(occupant, _)| *occupant == one.occupant);
    for (one, nodes) in all_held(state).into_iter().filter(|(one, _)| !is_refused(one)) {
        events.extend([Some(one.from).filter(|from| *from > state.now), one.to].into_iter().flatten());
        for bit in nodes {
            held[bit].push(one.clone());
        }
    }
    events.sort_unstable();
    events.dedup();
    let uses = state.node_uses();
    let mut lanes: Vec<Lane> = Vec::new();
    let mut known: FxHashMap<Alike, usize> = FxHashMap::default();
    for bit in plan.snap.nodes.ids().filter_map(|id| plan.bit_of[id]) {
        let mut of_node = std::mem::take(&mut held[bit]);
        of_node.sort_by_key(|one| (one.from, one.to.map_or(i64::MAX, |to| to.0), one.occupant));
        // It is full only by what does not start.
        let is_let_go = of_node.is_empty() && let_go.contains(bit);
        let used = if is_let_go { NodeUse::Free } else { uses[bit] };
        let closed = closed(state, used, &of_node, bit);
        let queue = plan.snap.nodes[plan.nodes[bit].id].queue.as_ref().map(ToString::to_string);
        let at = *known.entry((of_node.clone(), closed.clone(), queue.clone())).or_insert(lanes.len());
        match lanes.get_mut(at) {
            Some(lane) => lane.nodes.push(bit),
            None => lanes.push(Lane { nodes: vec![bit], held: of_node, closed, queue }),
        }
    }
    let free = free_over_time(state.now, &lanes);
    Schedule { now: state.now, lanes, free, events, edges: edges(state) }
}

/// Every occupant with its nodes: a start that is planned, with its end; and an end without a start, of what holds its
/// nodes now.
fn all_held(state: &State) -> Vec<(Held, Vec<Bit>)> {
    let mut found: Vec<(Held, Vec<Bit>)> = Vec::new();
    let mut open: FxHashMap<Occupant, usize> = FxHashMap::default();
    for (key, event) in state.timeline.iter() {
        match key.kind {
            EventKind::Run => {
                open.insert(event.occupant, found.len());
                let hold = match event.occupant {
                    Occupant::Job(..) => Hold::Planned,
                    Occupant::Reservation(_) => Hold::Reserved,
                };
                let held = Held { occupant: event.occupant, from: key.at, to: None, hold };
                found.push((held, event.allocation.nodes()));
            }
            EventKind::End => {
                let to = Some(key.at).filter(|at| !is_endless(state, event.occupant, *at));
                if let Some((held, _)) = open.remove(&event.occupant).and_then(|at| found.get_mut(at)) {
                    held.to = to;
                    continue;
                }
                let hold = hold_now(state, event.occupant);
                let held = Held { occupant: event.occupant, from: state.now, to, hold };
                found.push((held, event.allocation.nodes()));
            }
        }
    }
    found
}

/// What holds one node, by start.
pub(crate) fn held_on(state: &State, node: Bit) -> Vec<Held> {
    let on_it = all_held(state).into_iter().filter(|(_, nodes)| nodes.contains(&node));
    let mut held: Vec<Held> = on_it.map(|(held, _)| held).collect();
    held.sort_by_key(|one| (one.from, one.occupant));
    held
}

/// The name of an occupant with the server's.
pub(super) fn occupant_id(plan: &Plan, occupant: Occupant) -> String {
    match occupant {
        Occupant::Job(job, index) => {
            let job = plan.job(job);
            let subjob = index.and_then(|index| job.subjob_name(index));
            subjob.unwrap_or_else(|| job.name.to_string())
        }
        Occupant::Reservation(id) => plan.snap.reservations[id].name.to_string(),
    }
}

/// The short name of an occupant.
pub fn occupant_name(plan: &Plan, occupant: Occupant) -> String {
    short_id(&occupant_id(plan, occupant)).to_owned()
}

fn hold_now(state: &State, occupant: Occupant) -> Hold {
    match occupant {
        Occupant::Reservation(_) => Hold::Reserved,
        Occupant::Job(_, Some(_)) => Hold::Starting,
        Occupant::Job(job, None) => match state.plan.job(job).state {
            JobState::Running | JobState::Exiting => Hold::Running,
            _ => Hold::Starting,
        },
    }
}

/// Whether an end stands only for "no walltime": years ahead.
fn is_endless(state: &State, occupant: Occupant, end: Epoch) -> bool {
    let Occupant::Job(job, _) = occupant else { return false };
    let length = state.plan.requests[job].as_ref().map(|request| request.duration);
    length.is_ok_and(|length| length >= Seconds::UNLIMITED)
        && end - state.now > Seconds(Seconds::UNLIMITED.0 / 5)
}

/// Why a node takes no job whatever ends: it is out of service, or closed by what the calendar does not know.
fn closed(state: &State, used: NodeUse, held: &[Held], bit: Bit) -> Option<String> {
    let node = &state.plan.snap.nodes[state.plan.nodes[bit].id];
    match used {
        NodeUse::Out if state.is_kept(bit) => {
            let job = node.jobs.first().map_or("?", |job| short_id(job));
            Some(format!("kept by job {job}, not in the job dump"))
        }
        NodeUse::Out if !state.plan.masks.licensed.contains(bit) => Some("no licence".to_owned()),
        NodeUse::Out => Some(state.floor.states[bit].message_word().to_owned()),
        NodeUse::Full if held.is_empty() && state.is_cpuless(bit) => Some("no cpus".to_owned()),
        NodeUse::Full if held.is_empty() => match node.jobs.first() {
            Some(job) => Some(format!("taken by job {}, not in the job dump", short_id(job))),
            None => Some(state.floor.states[bit].message_word().to_owned()),
        },
        _ => None,
    }
}

/// How many nodes have nothing on them, moment by moment.
fn free_over_time(now: Epoch, lanes: &[Lane]) -> Vec<(Epoch, u64)> {
    let mut changes: BTreeMap<Epoch, i64> = BTreeMap::from([(now, 0)]);
    for lane in lanes.iter().filter(|lane| lane.closed.is_none()) {
        let nodes = i64::try_from(lane.nodes.len()).unwrap_or(i64::MAX);
        *changes.entry(now).or_default() += nodes;
        let mut until = Some(now);
        for one in &lane.held {
            let Some(busy) = until else { break };
            if one.from >= busy {
                // A gap ends here, or the first hold begins.
                let from = one.from.max(busy);
                *changes.entry(from).or_default() -= nodes;
                until = one.to;
            } else if one.to.is_none_or(|to| to > busy) {
                // It goes on past the hold before it, whose end frees nothing.
                *changes.entry(busy).or_default() -= nodes;
                until = one.to;
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

impl Schedule {
    /// How many nodes have nothing on them at a moment.
    pub fn free_at(&self, at: Epoch) -> u64 {
        let after = self.free.partition_point(|(from, _)| *from <= at);
        after.checked_sub(1).and_then(|last| self.free.get(last)).map_or(0, |(_, free)| *free)
    }

    /// How far the calendar reaches: the last end that is known, or now.
    pub fn last(&self) -> Epoch {
        self.events.last().copied().unwrap_or(self.now)
    }

    /// How far the plans reach: the last end of a top job or a reservation; none without any.
    pub fn last_planned(&self) -> Option<Epoch> {
        let planned = |held: &&Held| matches!(held.hold, Hold::Planned | Hold::Reserved);
        let ends = self
            .lanes
            .iter()
            .flat_map(|lane| &lane.held)
            .filter(planned)
            .map(|held| held.to.unwrap_or(held.from));
        ends.max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::{Id, JobId};

    fn lane(nodes: usize, held: &[(i64, i64)]) -> Lane {
        let held = held.iter().map(|(from, to)| Held {
            occupant: Occupant::Job(JobId::at(0), None),
            from: Epoch(*from),
            to: (*to >= 0).then_some(Epoch(*to)),
            hold: Hold::Running,
        });
        let held = held.collect();
        Lane { nodes: (0..nodes).map(Bit::at).collect(), held, closed: None, queue: None }
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
        // Two jobs on the same nodes: the longer one decides, in whatever order they came.
        assert_eq!(steps(&[lane(2, &[(10, 20), (10, 30), (12, 15)])]), [(10, 0), (30, 2)]);
        assert_eq!(steps(&[lane(2, &[(10, 20), (20, 30)])]), [(10, 0), (30, 2)]);
        // Without a walltime nothing is ever free.
        assert_eq!(steps(&[lane(2, &[(10, 20), (20, -1), (40, 50)])]), [(10, 0)]);
    }

    #[test]
    fn nodes_that_are_closed_are_never_free() {
        let closed = Lane { closed: Some("offline".to_owned()), ..lane(4, &[]) };
        assert_eq!(steps(&[closed, lane(1, &[])]), [(10, 1)]);
        let schedule = Schedule { free: vec![(Epoch(10), 1), (Epoch(20), 5)], ..Schedule::default() };
        assert_eq!([9, 10, 19, 20, 99].map(|at| schedule.free_at(Epoch(at))), [0, 1, 1, 5, 5]);
    }
}
