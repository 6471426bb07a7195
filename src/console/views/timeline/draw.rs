//! Draws the picture: times above, a row for nodes held alike, the free nodes below, the legend.

use std::collections::BTreeSet;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{FitWindow, TimeRow, TimelineState};
use crate::layout::{cells, cut_rows};
use crate::screen::CycleRow;
use crate::theme::{Role, Theme};
use crate::views::{Effect, Update, ViewContext};
use crate::widgets::area::{area, numbers};
use crate::widgets::gantt::{Axis, BarKind, DEDICATED, Gantt, GanttBar, GanttLane, PRIME};
use crate::widgets::legend::{self, LegendParts};
use crate::widgets::text::{truncate, width};
use crate::wording;
use qscope_engine::cluster::{DedicatedSlot, Epoch, SettingLocation, deduplicated};
use qscope_engine::cycle::time_windows::dedicated_line;
use qscope_engine::universe::{Occupant, Plan};
use qscope_explain::words::more;
use qscope_explain::{Occupancy, TimeEdge};

/// The inputs for drawing the picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimelineWidget<'a> {
    pub(crate) timeline: &'a TimelineState,
    pub(crate) rows: &'a [TimeRow],
    /// The first visible row.
    pub(crate) top: usize,
    /// The selected row.
    pub(crate) selected: Option<usize>,
    pub(crate) plan: &'a Plan,
    pub(crate) fit: Option<&'a FitWindow>,
    pub(crate) theme: &'a Theme,
}

/// Rows that are not nodes: times, free nodes and their numbers, legend.
const AROUND: u16 = 4;
/// Maximum height of the area of free nodes.
const MAX_FREE: u16 = 6;

/// Number of node rows in a picture of that height.
pub(crate) fn row_count(height: u16) -> usize {
    usize::from(height.saturating_sub(AROUND))
}

impl TimelineWidget<'_> {
    pub(crate) fn render(self, at: Rect, buf: &mut Buffer) {
        let at = at.intersection(buf.area);
        if at.width < 24 || at.height < 3 {
            return;
        }
        // An upper bound for the number of visible rows.
        let shown: Vec<GanttLane> = self.words(usize::from(at.height));
        let label = label(&shown);
        let axis = self.axis(at.width - label);
        let schedule = &self.timeline.schedule;
        let edges = schedule.edges.iter().filter(|edge| !edge.is_dedicated).map(|edge| edge.at);
        let (edges, dedicated) = (edges.collect::<Vec<Epoch>>(), &schedule.dedicated);
        let gantt = Gantt { axis: &axis, theme: self.theme, label, edges: &edges, dedicated };
        let (head, rest) = cut_rows(at, 1);
        gantt.draw_times(head, buf);
        let low = at.height <= AROUND + 2;
        let (lanes, free) = self.lanes_of(rest, low);
        let shown = shown.get(..usize::from(lanes.height)).unwrap_or(&shown);
        self.lanes(&gantt, shown, lanes, buf);
        if !low {
            let below =
                Rect { y: lanes.bottom(), height: at.bottom().saturating_sub(lanes.bottom()), ..rest };
            self.draw_free_and_legend(&axis, (label, free), shown, below, buf);
        }
    }

    /// The area of the rows below the times, and the height of the area of free nodes.
    fn lanes_of(&self, rest: Rect, low: bool) -> (Rect, u16) {
        let around = if low { 0 } else { AROUND - 1 };
        let rows = rest.height.saturating_sub(around);
        let used = cells(self.rows.len()).min(rows);
        let free = if low { 0 } else { (rows - used + 1).clamp(1, MAX_FREE) };
        let lanes = cut_rows(rest, rest.height.saturating_sub(if low { 0 } else { free + 2 }).min(rows)).0;
        (cut_rows(lanes, used.min(lanes.height)).0, free)
    }

    /// The row at a place of the picture, and the job whose bar or name is there.
    pub(crate) fn row_at(&self, at: Rect, click: Position) -> Option<(usize, Option<String>)> {
        if at.width < 24 || at.height < 3 {
            return None;
        }
        let label = label(&self.words(usize::from(at.height)));
        let (lanes, _) = self.lanes_of(cut_rows(at, 1).1, at.height <= AROUND + 2);
        if !lanes.contains(click) {
            return None;
        }
        let row = self.top + usize::from(click.y - lanes.y);
        let found = self.rows.get(row)?;
        let column = (click.x - lanes.x).checked_sub(label);
        let axis = self.axis(at.width - label);
        let held = column.and_then(|column| found.occupancy_at(column, &axis, self.plan, self.timeline));
        Some((row, held.and_then(|held| job_name(self.plan, held.occupant))))
    }

    /// What holds a row's nodes with a bar that is visible in a picture of that area, in chronological order.
    pub(crate) fn seen<'r>(&self, row: &'r TimeRow, at: Rect) -> impl Iterator<Item = &'r Occupancy> {
        let label = label(&self.words(usize::from(at.height)));
        let axis = self.axis(at.width.saturating_sub(label));
        row.occupancies().iter().filter(move |held| axis.shows(held.start, held.end))
    }

    /// The visible rows with their labels and bars.
    fn words(&self, rows: usize) -> Vec<GanttLane> {
        let rows = self.rows.iter().skip(self.top).take(rows);
        rows.map(|row| row.words(self.plan, self.timeline, self.fit)).collect()
    }

    /// The axis of a picture that is `columns` wide without its labels.
    pub(crate) fn axis(&self, columns: u16) -> Axis {
        let (from, snap) = (self.timeline.from(), &self.plan.snap);
        // One column at the right stays free.
        let columns = columns.saturating_sub(1);
        let time = |at| wording::time_of_day(snap, at);
        Axis::new(from, self.timeline.span(self.fit), columns, wording::zone_offset(snap, from), time)
    }

    fn lanes(&self, gantt: &Gantt<'_>, shown: &[GanttLane], at: Rect, buf: &mut Buffer) {
        let rows = usize::from(at.height);
        for ((index, lane), line) in shown.iter().enumerate().zip(at.rows()) {
            let selected = self.selected == Some(self.top + index);
            gantt.lane(lane, line, buf, if selected { Role::Heading } else { Role::Text });
            if selected {
                buf.set_style(Rect { width: gantt.label, ..line }, self.theme.style(Role::Cursor));
            }
        }
        let more = self.rows.len().saturating_sub(self.top + rows);
        if let Some(last) = at.rows().next_back().filter(|_| more > 0) {
            let text = format!("{} {} more rows below ", self.theme.ellipsis(), more + 1);
            let text = truncate(&text, usize::from(last.width), self.theme.ellipsis()).into_owned();
            let columns = usize::from(last.width);
            let text = format!("{text:<columns$}");
            buf.set_stringn(last.x, last.y, text, columns, self.theme.style(Role::TextDim));
        }
    }

    /// Draws the free nodes over the same time, their numbers, and the legend.
    fn draw_free_and_legend(
        &self,
        axis: &Axis,
        (label, rows): (u16, u16),
        shown: &[GanttLane],
        at: Rect,
        buf: &mut Buffer,
    ) {
        let schedule = &self.timeline.schedule;
        let values: Vec<u64> = (0..axis.width()).map(|x| schedule.free_at(axis.moment(x))).collect();
        let most = schedule.free.iter().map(|(_, free)| *free).max().unwrap_or(0);
        let x = at.x + label;
        let columns = usize::from(axis.width());
        for (row, text) in (0..rows).zip(area(&values, most, usize::from(rows), self.theme)) {
            buf.set_stringn(x, at.y + row, text, columns, self.theme.style(Role::NodeFree));
        }
        let named = at.y + rows - 1;
        let name = Rect { y: named, height: 1, width: label, ..at };
        crate::widgets::frame::lines(name, buf, self.theme, [(Role::TextDim, "free nodes")]);
        if at.height > rows {
            buf.set_stringn(x, at.y + rows, numbers(&values), columns, self.theme.style(Role::TextDim));
        }
        if at.height > rows + 1 {
            let legend = Rect { y: at.bottom() - 1, height: 1, ..at };
            self.legend(axis, shown, legend, buf);
        }
    }

    /// Draws the legend of the fills on the screen.
    fn legend(&self, axis: &Axis, shown: &[GanttLane], at: Rect, buf: &mut Buffer) {
        let set = |unicode, ascii| self.theme.by_set(unicode, ascii);
        let seen = self.rows.iter().skip(self.top).take(shown.len());
        let closed = if seen.into_iter().any(TimeRow::is_full_for_good) { "takes no job" } else { "out" };
        let words = [
            (BarKind::Running, set("▓", "#"), "running", "running"),
            (BarKind::Starting, set("▒", "="), "starts now", "starts now"),
            (BarKind::Planned, set("░", "-"), "planned", "planned"),
            (BarKind::Reserved, set("▚", "%"), "reserved", "reserved"),
            (BarKind::OutOfService, set("╱", "/"), closed, closed),
            (BarKind::Fits, set("╎┄╎", "<.>"), "selected job fits", "fits"),
        ];
        let is_seen = |bar: &GanttBar| axis.shows(bar.from, bar.to);
        let is_there = |fill: BarKind| {
            shown.iter().any(|lane| lane.spans.iter().any(|span| span.fill == fill && is_seen(span)))
        };
        let fills: Vec<_> = words.iter().filter(|(fill, ..)| is_there(*fill)).collect();
        let marks = self.marks(axis);
        let fill_words = |is_short: bool| {
            fills.iter().map(move |(fill, sign, word, short)| {
                (fill.role(), *sign, if is_short { *short } else { *word })
            })
        };
        // What the room does not hold: first the lines of the files, then the long words.
        let variants = [
            (false, LegendMark::with_place as fn(&LegendMark) -> &str),
            (false, |mark: &LegendMark| mark.word),
            (true, |mark: &LegendMark| mark.short),
        ];
        let parts = |(is_short, words): (bool, fn(&LegendMark) -> &str)| {
            let marks =
                marks.iter().map(|mark| (Role::NodeLater, set(mark.sign.0, mark.sign.1), words(mark)));
            legend::signs(fill_words(is_short).chain(marks))
        };
        let fits = |parts: &LegendParts| legend::columns(parts) <= usize::from(at.width);
        let [whole, without_places, short] = variants.map(parts);
        let chosen = [whole, without_places].into_iter().find(fits).unwrap_or(short);
        legend::draw(&chosen, at, buf, self.theme);
        self.colour_legend_signs(&chosen, fills.iter().map(|(fill, ..)| *fill), at, buf);
    }

    /// Gives the signs of the legend the ground of their bars.
    fn colour_legend_signs(
        &self,
        parts: &[(Role, String)],
        fills: impl Iterator<Item = BarKind>,
        at: Rect,
        buf: &mut Buffer,
    ) {
        let columns = |part: Option<&(Role, String)>| part.map_or(0, |(_, text)| cells(width(text)));
        let mut x = at.x;
        for (one, fill) in parts.chunks(PARTS).zip(fills) {
            let (gap, sign) = (columns(one.first()), columns(one.get(1)));
            let place = Rect { x: x.saturating_add(gap), width: sign, ..at };
            buf.set_style(place.intersection(at), fill.background_style(self.theme));
            x = one.iter().fold(x, |x, part| x.saturating_add(columns(Some(part))));
        }
    }

    /// What the legend states about prime and dedicated time on the axis.
    fn marks(&self, axis: &Axis) -> Vec<LegendMark> {
        let (snap, schedule) = (&self.plan.snap, &self.timeline.schedule);
        let edges = schedule.edges.iter().filter(|edge| !edge.is_dedicated && axis.column(edge.at).is_some());
        let edges: Vec<&TimeEdge> = edges.collect();
        let slots = schedule.dedicated.iter().filter(|slot| axis.shows(slot.from, Some(slot.to)));
        let slots: Vec<&DedicatedSlot> = slots.collect();
        // One line makes many edges.
        let lines_of_prime =
            deduplicated(edges.iter().flat_map(|edge| &edge.lines)).into_iter().map(SettingLocation::words);
        let lines_of_slots =
            slots.iter().filter_map(|slot| dedicated_line(snap, **slot)).map(|line| line.words());
        let prime = LegendMark::new(PRIME, ("prime time", "prime"), lines_of_prime);
        let dedicated = LegendMark::new(DEDICATED, ("dedicated time", "dedicated"), lines_of_slots);
        let marks = [(!edges.is_empty(), prime), (!slots.is_empty(), dedicated)];
        marks.into_iter().filter(|(is_there, _)| *is_there).map(|(_, mark)| mark).collect()
    }
}

/// A mark of prime or dedicated time in the legend.
struct LegendMark {
    /// The sign in Unicode and in ASCII.
    sign: (&'static str, &'static str),
    word: &'static str,
    short: &'static str,
    /// The word with the lines of the files that make it: `dedicated time dedicated_time:1`.
    with_place: String,
}

impl LegendMark {
    fn new(
        sign: (&'static str, &'static str),
        (word, short): (&'static str, &'static str),
        lines: impl Iterator<Item = String>,
    ) -> Self {
        let lines: BTreeSet<String> = lines.collect();
        let others = more(lines.len().saturating_sub(1));
        let place = lines.first().map_or_else(String::new, |first| format!(" {first}{others}"));
        Self { sign, word, short, with_place: format!("{word}{place}") }
    }

    fn with_place(&self) -> &str {
        &self.with_place
    }
}

/// The full id of the job, if a job holds the nodes.
pub(crate) fn job_name(plan: &Plan, occupant: Occupant) -> Option<String> {
    match occupant {
        Occupant::Job(job, _) => Some(plan.job(job).name.to_string()),
        Occupant::Reservation(_) => None,
    }
}

/// The effect of a click on a bar: selects its job.
pub(crate) fn selecting(job: Option<&str>, cx: ViewContext<'_>) -> Update {
    let row = job.and_then(|job| CycleRow::named(cx.run(), job));
    row.map_or_else(Update::changed, |row| Update::changed().with(Effect::SelectJob(row)))
}

/// Parts of an entry of a legend: a gap, the sign, its words.
const PARTS: usize = 3;

/// Columns for the names of the rows.
fn label(shown: &[GanttLane]) -> u16 {
    let longest = shown.iter().map(|lane| width(&lane.label)).max().unwrap_or(0).max(11);
    u16::try_from(longest).unwrap_or(11) + 1
}
