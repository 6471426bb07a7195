//! What happens next, moment by moment, in words.

use crate::views::timeline::Timeline;
use crate::views::world::World;
use crate::wording;
use qscope_engine::cluster::Epoch;
use qscope_engine::universe::Occupant;
use qscope_explain::{TimeEdge, occupant_name};

/// One moment at which something starts or ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EventLine {
    /// `02:13 50 ends, 15 free`.
    pub(super) brief: String,
    /// `02:13:25  50 ends; 54 starts on cn[001-016]   15 free`.
    pub(super) long: String,
}

/// At most so many moments are listed.
const MAX_EVENTS: usize = 20;
/// Columns for what happens.
const WHAT: usize = 58;

/// The moments from the beginning of the axis on.
pub(super) fn lines(timeline: &Timeline, world: World<'_>) -> Vec<EventLine> {
    let from = timeline.from();
    let events = timeline.schedule.events.iter().filter(|at| **at >= from).take(MAX_EVENTS);
    let snap = world.snapshot();
    let edge = |edge: &TimeEdge| EventLine {
        brief: format!("{} {}", wording::time_of_day(snap, edge.at), edge.what),
        long: format!("{}  {}", wording::clock(snap, edge.at), edge.what),
    };
    let edges = timeline.schedule.edges.iter().filter(|edge| edge.at >= from).take(MAX_EVENTS);
    let mut all: Vec<(Epoch, EventLine)> = events.map(|at| (*at, line(timeline, *at, world))).collect();
    all.extend(edges.map(|one| (one.at, edge(one))));
    all.sort_by_key(|(at, _)| *at);
    all.truncate(MAX_EVENTS);
    all.into_iter().map(|(_, line)| line).collect()
}

fn line(timeline: &Timeline, at: Epoch, world: World<'_>) -> EventLine {
    let (plan, snap) = (world.plan(), world.snapshot());
    let mut ends: Vec<Occupant> = Vec::new();
    let mut starts: Vec<(Occupant, Vec<&str>)> = Vec::new();
    for lane in &timeline.schedule.lanes {
        for held in &lane.held {
            if held.to == Some(at) && !ends.contains(&held.occupant) {
                ends.push(held.occupant);
            }
            if held.from == at && at > timeline.schedule.now {
                let nodes = lane.nodes.iter().map(|bit| &**plan.node_name(*bit));
                match starts.iter_mut().find(|(occupant, _)| *occupant == held.occupant) {
                    Some((_, known)) => known.extend(nodes),
                    None => starts.push((held.occupant, nodes.collect())),
                }
            }
        }
    }
    let mut what = Vec::new();
    let names: Vec<String> = ends.iter().map(|occupant| occupant_name(plan, *occupant)).collect();
    if !names.is_empty() {
        let verb = if names.len() == 1 { "ends" } else { "end" };
        what.push(format!("{} {verb}", wording::folded_within(names.iter().map(String::as_str), 24)));
    }
    for (occupant, nodes) in starts {
        let nodes = wording::folded_within(nodes.into_iter(), 24);
        what.push(format!("{} starts on {nodes}", occupant_name(plan, occupant)));
    }
    let (what, free) = (what.join("; "), timeline.schedule.free_at(at));
    EventLine {
        brief: format!("{} {what}, {free} free", wording::time_of_day(snap, at)),
        long: format!("{}  {what:<WHAT$} {free} free", wording::clock(snap, at)),
    }
}
