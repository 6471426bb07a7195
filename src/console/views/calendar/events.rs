//! The next events in words, moment by moment.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::theme::Theme;
use crate::views::ViewContext;
use crate::views::timeline::TimelineState;
use crate::widgets::table::SortKey;
use crate::widgets::text::{Align, fit, width};
use crate::wording;
use qscope_engine::cluster::{Epoch, SettingLocation};
use qscope_engine::universe::{Bit, Occupant};
use qscope_explain::{Overdue, TimeEdge};

/// One moment at which something starts or ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::views) struct EventLine {
    /// `02:13 50 ends, 15 free`, and the same with fewer names.
    brief: [String; 2],
    /// `02:13:25`.
    at: String,
    /// `50 ends; 54 starts on cn[001-016]`.
    what: String,
    /// The same text with fewer names.
    short: String,
    /// Number of nodes free then; `None` where only prime time begins or ends.
    free: Option<u64>,
}

impl EventLine {
    /// Formats `02:13:25  50 ends; 54 starts on cn[001-016]   15 free` in `columns` columns, with `time` columns for
    /// the moment and `digits` for the number of free nodes.
    fn formatted(&self, (time, digits): (usize, usize), columns: usize, theme: &Theme) -> String {
        let free = self.free.map_or_else(String::new, |free| format!("  {free:>digits$} free"));
        let room = columns.saturating_sub(time + 2 + width(&free)).min(WHAT);
        let what = if width(&self.what) <= room { &self.what } else { &self.short };
        let what = fit(what, room, Align::Left, theme.ellipsis());
        format!("{}  {what}{free}", fit(&self.at, time, Align::Left, ""))
    }
}

/// The moments, one per row, in at most `rows` rows; the last row counts those left out.
pub(in crate::views) fn listed(
    events: &[EventLine],
    rows: usize,
    columns: usize,
    theme: &Theme,
) -> Vec<String> {
    let shown = if events.len() <= rows { events.len() } else { rows.saturating_sub(1) };
    let (shown, more) = events.split_at(shown);
    let time = shown.iter().map(|event| width(&event.at)).max().unwrap_or(0);
    let digits = shown.iter().filter_map(|event| event.free).max().map_or(0, |free| free.to_string().len());
    let line = |event: &EventLine| event.formatted((time, digits), columns, theme);
    let mut lines: Vec<String> = shown.iter().map(line).collect();
    if !more.is_empty() && rows > 0 {
        lines.push(format!("+{} later", more.len()));
    }
    lines
}

/// Maximum number of moments listed.
const MAX_EVENTS: usize = 20;
/// Columns for the text of an event, and for the folded names in it.
const WHAT: usize = 58;
const NAMES: usize = 24;
const FEW_NAMES: usize = 12;
/// Columns below which the line of the next events has fewer names, for more of them.
const NARROW: usize = 100;

/// The moments from the start of the axis on.
pub(in crate::views) fn lines(timeline: &TimelineState, cx: ViewContext<'_>) -> Vec<EventLine> {
    let from = timeline.from();
    let events = timeline.schedule.events.iter().filter(|at| **at >= from).take(MAX_EVENTS);
    let snap = cx.snapshot();
    let edge = |edge: &TimeEdge| {
        let free = edge.is_dedicated.then(|| timeline.schedule.free_at(edge.at));
        let count = free.map_or_else(String::new, |free| format!(", {free} free"));
        let brief = format!("{} {}{count}", wording::time_of_day(snap, edge.at), edge.label);
        let what =
            std::iter::once(edge.label.to_owned()).chain(edge.lines.iter().map(SettingLocation::words));
        EventLine {
            brief: [brief.clone(), brief],
            at: wording::clock(snap, edge.at),
            what: what.collect::<Vec<_>>().join(" · "),
            short: edge.label.to_owned(),
            free,
        }
    };
    let edges = timeline.schedule.edges.iter().filter(|edge| edge.at >= from).take(MAX_EVENTS);
    let found = events_by_moment(timeline, &events.copied().collect::<Vec<_>>());
    let mut all: Vec<(Epoch, EventLine)> =
        found.iter().map(|(at, what)| (*at, line(timeline, *at, what, cx))).collect();
    all.extend(edges.map(|one| (one.at, edge(one))));
    all.sort_by_key(|(at, _)| *at);
    all.truncate(MAX_EVENTS);
    all.into_iter().map(|(_, line)| line).collect()
}

/// The occupants that end and start at one moment, with the nodes of the starts.
#[derive(Debug, Default)]
struct MomentEvents {
    ends: Vec<Occupant>,
    starts: Vec<(Occupant, Vec<Bit>)>,
}

/// Collects the events of the moments in one pass, as there may be tens of thousands of lanes.
fn events_by_moment(timeline: &TimelineState, moments: &[Epoch]) -> BTreeMap<Epoch, MomentEvents> {
    let schedule = &timeline.schedule;
    let mut found: BTreeMap<Epoch, MomentEvents> =
        moments.iter().map(|at| (*at, MomentEvents::default())).collect();
    let mut known: FxHashSet<Occupant> = FxHashSet::default();
    let mut places: FxHashMap<Occupant, usize> = FxHashMap::default();
    for lane in &schedule.lanes {
        for held in &lane.held {
            if let Some(at) = held.end.and_then(|to| found.get_mut(&to))
                && known.insert(held.occupant)
            {
                at.ends.push(held.occupant);
            }
            if held.start > schedule.now
                && let Some(at) = found.get_mut(&held.start)
            {
                let place = *places.entry(held.occupant).or_insert(at.starts.len());
                match at.starts.get_mut(place) {
                    Some((_, nodes)) => nodes.extend(&lane.nodes),
                    None => at.starts.push((held.occupant, lane.nodes.clone())),
                }
            }
        }
    }
    found
}

fn line(timeline: &TimelineState, at: Epoch, found: &MomentEvents, cx: ViewContext<'_>) -> EventLine {
    let (plan, snap) = (cx.plan(), cx.snapshot());
    let named = found.ends.iter().map(|occupant| timeline.name(plan, *occupant));
    let mut named: Vec<(SortKey, String)> = named.map(|name| (SortKey::of_text(&name), name)).collect();
    named.sort_by(|(a, _), (b, _)| a.compare(b, false));
    let names: Vec<String> = named.into_iter().map(|(_, name)| name).collect();
    let is_overdue = |occupant: &&Occupant| matches!(**occupant, Occupant::Job(job, _) if Overdue::of(plan, job).is_some());
    let late = match found.ends.iter().filter(is_overdue).count() {
        0 => "",
        all if all == names.len() => " (overdue)",
        _ => " (some overdue)",
    };
    let within = |columns: usize| {
        let verb = if names.len() == 1 { "ends" } else { "end" };
        let ended = wording::folded_within(names.iter().map(String::as_str), columns);
        let ends = (!names.is_empty()).then(|| format!("{ended} {verb}{late}"));
        let starts = found.starts.iter().map(|(occupant, nodes)| {
            let nodes = wording::folded_within(nodes.iter().map(|bit| &**plan.node_name(*bit)), columns);
            format!("{} starts on {nodes}", timeline.name(plan, *occupant))
        });
        ends.into_iter().chain(starts).collect::<Vec<_>>().join("; ")
    };
    let (what, short, free) = (within(NAMES), within(FEW_NAMES), timeline.schedule.free_at(at));
    EventLine {
        brief: [&what, &short].map(|what| format!("{} {what}, {free} free", wording::time_of_day(snap, at))),
        at: wording::clock(snap, at),
        what,
        short,
        free: Some(free),
    }
}

/// The next events that fit into one line, then the number of further ones.
pub(super) fn next(events: &[EventLine], columns: usize) -> String {
    if events.is_empty() {
        return "no event is known".to_owned();
    }
    let room = columns.saturating_sub("next   · +20".len());
    let mut line = String::new();
    for (at, event) in events.iter().enumerate() {
        let [whole, short] = &event.brief;
        let brief = if columns < NARROW { short } else { whole };
        let longer = if at == 0 { brief.clone() } else { format!("{line} · {brief}") };
        if at > 0 && width(&longer) > room {
            return format!("{line} · +{}", events.len() - at);
        }
        line = longer;
    }
    line
}
