//! What holds the queue up, at rest: how full the machine is, the reasons with their jobs and what these request, and
//! on small screens the free nodes over time.
//!
//! ```text
//! │ insufficient ncpus  ████████████████  2 jobs   180.0 c-h│
//! │ fragmented          ██████████▎       1 job    128.0 c-h│
//! │ free nodes ▂▂▄▄▇▇▆▆██ 5 after this cycle, 16 at 02:28 │
//! ```

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::draw::Drawing;
use super::free_nodes::free;
use super::reasons::ReasonsSoFar;
use crate::layout::{Pane, SizeClass};
use crate::theme::{Role, Theme};
use crate::views::ViewName;
use crate::views::calendar::events::{self, EventLine};
use crate::widgets::bar::{bar, filled};
use crate::widgets::frame;
use crate::widgets::text::{Align, clean, fit, in_set, width};
use crate::wording;
use qscope_engine::universe::NodeCounts;
use qscope_explain::words::first_of;
use qscope_explain::{ReasonTally, Usage};

/// Columns for the name of a reason at least; a longer one has more where its bar keeps as many as these.
const NAME: usize = 22;
const LEAST_BAR: usize = 4;
/// So many jobs of a reason are named where its numbers have no room besides.
const FEW_NAMES: usize = 2;
/// A blank row, and the heading of what happens next.
const EVENTS_BEGIN: usize = 2;
/// With fewer rows for them, events are left to the calendar.
const LEAST_EVENTS: usize = 3;
/// The free nodes over time are at most so many rows high.
const MAX_FREE: usize = 5;
/// Columns for the names of the bars about the machine.
const LABEL: usize = 7;

/// Draws the pane.
pub(super) fn draw(drawing: Drawing<'_>, area: Rect, buf: &mut Buffer) {
    let Drawing { view, theme, world } = drawing;
    let known = view.reasons.known();
    let jobs = wording::count(known.waiting, "job");
    let verb = if known.waiting == 1 { "waits" } else { "wait" };
    let is_known = known.done || known.progress.1 > 0;
    let title = |unit: &str| match is_known {
        true if known.done && known.waiting == 0 => "No job waits".to_owned(),
        true => format!("Why {jobs} {verb} · {} {unit}", hours(known.core_hours)),
        false => "Why jobs wait".to_owned(),
    };
    let note = match known.progress {
        (done, of) if !known.done && of > 0 => format!("analysed {done} of {of} job classes"),
        _ => ViewName::Board.number().map_or_else(|| "R: Board".to_owned(), |key| format!("{key}: Board")),
    };
    let note = drawing.screen().analysed_at().unwrap_or(note);
    let long = title("core-hours");
    let fits = width(&long) + width(&note) + 7 <= usize::from(area.width);
    let title = if fits { long } else { title("c-h") };
    let inner = frame::pane(area, buf, theme, &title, &note, drawing.has_focus(Pane::Detail));
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(1), ..inner };
    let columns = usize::from(inner.width);
    let mut lines: Vec<Line<'static>> = Vec::new();
    let stacked = world.class <= SizeClass::Stacked;
    if !stacked {
        lines.push(nodes(drawing.screen().node_counts(), columns, theme));
        lines.extend(view.usage.iter().take(2).map(|one| usage(one, drawing, columns)));
        lines.push(Line::default());
    }
    let below = usize::from(stacked);
    let room = usize::from(inner.height).saturating_sub(lines.len() + below);
    lines.extend(reasons(known, room, columns, drawing));
    if known.tally.is_empty() {
        let text = if !is_known {
            "analysing the queue ..."
        } else if view.rows.is_empty() {
            "No queued or held jobs."
        } else {
            "No waiting jobs."
        };
        lines.push(Line::styled(text, theme.style(Role::TextDim)));
    }
    if !stacked {
        let room = usize::from(inner.height).saturating_sub(lines.len());
        lines.extend(next_events(&view.events, room, columns, theme));
    }
    if stacked {
        // Rows that the reasons leave make the picture higher, once all reasons are there.
        let left = usize::from(inner.height).saturating_sub(lines.len() + 1);
        let rows = if known.done { left.clamp(1, MAX_FREE) } else { 1 };
        lines.resize(usize::from(inner.height).saturating_sub(rows), Line::default());
        lines.extend(free(&view.timeline.schedule, drawing, (columns, rows)));
    }
    for (line, at) in lines.into_iter().zip(inner.rows()) {
        line.render(at, buf);
    }
}

/// Hours as people read them: with one digit, whole from a thousand on, and with their unit above a million.
pub(crate) fn hours(hours: f64) -> String {
    match hours {
        1e6.. => format!("{:.1}M", hours / 1e6),
        1e3.. => format!("{hours:.0}"),
        // Nothing summed up is a negative nought.
        _ => format!("{:.1}", hours + 0.0),
    }
}

/// A line for each reason, and a second one for its jobs where there is room for all of them.
fn reasons(known: &ReasonsSoFar, room: usize, columns: usize, drawing: Drawing<'_>) -> Vec<Line<'static>> {
    let tally = &known.tally;
    let theme = drawing.theme;
    let most = tally.iter().map(|one| one.core_hours).fold(0.0, f64::max);
    // The first ones have their jobs where not all have.
    let detailed = match tally.len() * 2 <= room {
        true => tally.len(),
        false => room.saturating_sub(tally.len() + kept_for_events(drawing, usize::MAX)),
    };
    let shown = if tally.len() <= room { tally.len() } else { room.saturating_sub(1) };
    let mut lines = Vec::new();
    let left = room.saturating_sub(tally.len() * 2);
    // What ends and starts next has its rows before an example has a second one.
    let mut spare = left.checked_sub(kept_for_events(drawing, LEAST_EVENTS)).unwrap_or(left);
    let shape = ReasonShape::of(tally.iter().take(shown), columns, theme);
    for (at, one) in tally.iter().take(shown).enumerate() {
        lines.push(reason(one, most, shape, theme));
        if at < detailed {
            let names = known.names.get(at).map_or(&[][..], Vec::as_slice);
            let more = example(one, names, (columns, 1 + spare.min(1)), drawing);
            spare -= more.len().saturating_sub(1);
            lines.extend(more);
        }
    }
    if shown < tally.len() {
        let rest = tally.iter().skip(shown);
        let jobs: usize = rest.clone().map(|one| one.jobs.len()).sum();
        let names: Vec<&str> = rest.map(|one| &*one.name).collect();
        let text = format!("+{}  {}: {}", names.len(), wording::count(jobs, "job"), names.join(", "));
        let text = fit(&clean(&text), columns, Align::Left, theme.ellipsis());
        lines.push(Line::styled(text, theme.style(Role::TextDim)));
    }
    lines
}

/// Rows below the reasons for what ends and starts next, so much of it at most, where it stands there.
fn kept_for_events(drawing: Drawing<'_>, most: usize) -> usize {
    let events = drawing.view.events.len();
    let has_place = drawing.world.class > SizeClass::Stacked && events > 0;
    if has_place { EVENTS_BEGIN + events.min(most) } else { 0 }
}

/// The columns of the parts of a reason's line.
#[derive(Clone, Copy)]
struct ReasonShape {
    name: usize,
    bar: usize,
    jobs: usize,
    hours: usize,
}

impl ReasonShape {
    /// Numbers as wide as most are; where names would be cut, as wide as these are.
    fn of<'a>(shown: impl Iterator<Item = &'a ReasonTally> + Clone, columns: usize, theme: &Theme) -> Self {
        let widest = |text: &dyn Fn(&ReasonTally) -> String| {
            shown.clone().map(|one| width(&text(one))).max().unwrap_or(0)
        };
        let longest = widest(&|one| name(one, theme)) + 1;
        let (jobs, hours) = (widest(&jobs) + 2, widest(&|one| hours(one.core_hours)));
        let shape = |jobs: usize, hours: usize| {
            let room = columns.saturating_sub(2 + jobs + hours + UNIT.len());
            let name = longest.clamp(NAME, room.saturating_sub(LEAST_BAR).max(NAME));
            Self { name, bar: room.saturating_sub(name), jobs, hours }
        };
        let usual = shape((jobs - 1).max(8), hours.max(7));
        if usual.name < longest { shape(jobs, hours) } else { usual }
    }
}

/// The unit of core-hours.
const UNIT: &str = " c-h";

fn jobs(one: &ReasonTally) -> String {
    wording::count(one.jobs.len(), "job")
}

fn name(one: &ReasonTally, theme: &Theme) -> String {
    let guess = if one.analysed { "" } else { theme.by_set("≈ ", "~ ") };
    clean(&format!("{guess}{}", one.name)).into_owned()
}

/// A reason with a bar of its core-hours against the `most` of one reason, and its numbers.
fn reason(one: &ReasonTally, most: f64, shape: ReasonShape, theme: &Theme) -> Line<'static> {
    let name = fit(&name(one, theme), shape.name - 1, Align::Left, theme.ellipsis()) + " ";
    let bar = fit(&filled(one.core_hours, most, shape.bar, theme), shape.bar, Align::Left, "");
    let (jobs, hours) = (jobs(one), hours(one.core_hours));
    let numbers = format!("  {jobs:<0$}{hours:>1$}{UNIT}", shape.jobs, shape.hours);
    Line::from(vec![
        Span::styled(name, theme.style(Role::Text)),
        Span::styled(bar, theme.style(Role::VerdictWait)),
        Span::styled(numbers, theme.style(Role::TextDim)),
    ])
}

/// The jobs of a reason and the numbers of one of them, in at most so many rows.
fn example(
    one: &ReasonTally,
    names: &[String],
    (columns, rows): (usize, usize),
    drawing: Drawing<'_>,
) -> Vec<Line<'static>> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let text = |names: &[&str]| {
        in_set(&clean(&of_jobs(names, one)), drawing.theme.theme_options().glyphs).into_owned()
    };
    let room = columns.saturating_sub(2).max(1);
    // What the numbers are is worth more than the names of many jobs.
    let (all, few) = (text(&names), text(names.get(..FEW_NAMES).unwrap_or(&names)));
    let is_cut = textwrap::wrap(&all, room).len() > rows;
    let mut parts = textwrap::wrap(if is_cut { &few } else { &all }, room);
    if parts.len() > rows {
        let rest = parts.drain(rows.saturating_sub(1)..).collect::<Vec<_>>().join(" ");
        parts.push(rest.into());
    }
    let line = |part: &Cow<'_, str>| {
        let text = fit(&format!("  {part}"), columns, Align::Left, drawing.theme.ellipsis());
        Line::styled(text.trim_end().to_owned(), drawing.theme.style(Role::TextDim))
    };
    parts.iter().map(line).collect()
}

/// `54: 5 of 16 whole nodes`, `55 57 · 55: 143 of 160 ncpus`: numbers of one job among several are named as its own, and no
/// job is named twice.
fn of_jobs(names: &[&str], one: &ReasonTally) -> String {
    let jobs = first_of(names, one.jobs.len());
    let first = names.first().copied().unwrap_or_default();
    let text = &one.example;
    if one.jobs.len() == 1 || one.is_shared {
        return format!("{jobs}: {text}");
    }
    format!("{jobs} · {first}: {text}")
}

/// The nodes by what they have to give, in one bar.
fn nodes(counts: NodeCounts, columns: usize, theme: &Theme) -> Line<'static> {
    let NodeCounts { all, free, part, full, out } = counts;
    let words = format!(" {full} full {part} part {free} free {out} out");
    let room = columns.saturating_sub(LABEL + width(&words));
    let parts = [
        (full, Role::NodeBusy, theme.by_set("▓", "#")),
        (part, Role::NodeFree, theme.by_set("▄", "=")),
        (free, Role::NodeFree, theme.by_set("█", "*")),
        (out, Role::NodeDown, "!"),
    ];
    let mut spans = vec![Span::styled(format!("{:<LABEL$}", "nodes"), theme.style(Role::TextDim))];
    let (mut used, mut sum) = (0, 0);
    for (at, (count, role, sign)) in parts.into_iter().enumerate() {
        sum += count;
        // Ends of parts are rounded, so that all parts together fill the bar.
        let end = (sum * room + all / 2).checked_div(all).unwrap_or(0);
        let cells = if count > 0 { end.saturating_sub(used).max(1) } else { 0 };
        // Each of those that follow keeps a cell too.
        let kept = parts.iter().skip(at + 1).filter(|(count, ..)| *count > 0).count();
        let cells = cells.min(room.saturating_sub(used + kept));
        used += cells;
        spans.push(Span::styled(sign.repeat(cells), theme.style(role)));
    }
    spans.push(Span::raw(" ".repeat(room.saturating_sub(used))));
    spans.push(Span::styled(words, theme.style(Role::TextDim)));
    Line::from(spans)
}

/// How much of a consumable is in use.
fn usage(one: &Usage, drawing: Drawing<'_>, columns: usize) -> Line<'static> {
    let (theme, catalogue) = (drawing.theme, &drawing.screen().generation.snapshot.catalogue);
    let kind = catalogue.kind(one.resource);
    let words = format!(" {} of {} in use", wording::part(kind, one.used), wording::amount(kind, one.total));
    let room = columns.saturating_sub(LABEL + width(&words));
    let name = fit(&clean(catalogue.name(one.resource)), LABEL - 1, Align::Left, theme.ellipsis());
    let (have, rest) = bar(one.used, one.total, room, theme);
    Line::from(vec![
        Span::styled(format!("{name} "), theme.style(Role::TextDim)),
        Span::styled(have, theme.style(Role::NodeBusy)),
        Span::styled(format!("{rest}{words}"), theme.style(Role::TextDim)),
    ])
}

/// What ends and starts next, where the reasons leave the rows for it.
fn next_events(events: &[EventLine], room: usize, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
    let rows = room.saturating_sub(EVENTS_BEGIN);
    if events.is_empty() || rows < events.len().min(LEAST_EVENTS) {
        return Vec::new();
    }
    let listed = events::listed(events, rows, columns, theme);
    let listed =
        listed.into_iter().map(|text| in_set(&clean(&text), theme.theme_options().glyphs).into_owned());
    let head = Line::styled("ends and starts next", theme.style(Role::TextDim));
    let lines = listed.map(|text| Line::styled(text, theme.style(Role::Text)));
    [Line::default(), head].into_iter().chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_have_as_many_digits_as_are_read() {
        let nothing: f64 = [].iter().sum();
        let shown = [nothing, 0.04, 128.84, 1920.0, 2_300_000.0].map(hours);
        assert_eq!(shown, ["0.0", "0.0", "128.8", "1920", "2.3M"]);
    }

    /// A long name has the columns that its bar and its numbers spare; where these are few, it is cut with a mark.
    #[test]
    fn a_long_name_of_a_reason_stands_whole_where_there_is_room() {
        use crate::theme::{Depth, GlyphSet, ThemeOptions};
        let theme_options = ThemeOptions { depth: Depth::None, glyphs: GlyphSet::Unicode };
        let theme = Theme::built_in("mono", theme_options).0;
        let one = |name: &str, core_hours| ReasonTally {
            tier: qscope_explain::Tier::Limit,
            name: name.to_owned(),
            jobs: vec![qscope_engine::cluster::Id::at(0); 4],
            core_hours,
            example: String::new(),
            is_shared: false,
            analysed: true,
        };
        let tally = [one("limit max_run_res.ncpus", 5.0), one("never", 2.5)];
        let lines = |columns| {
            let shape = ReasonShape::of(tally.iter(), columns, &theme);
            tally.each_ref().map(|one| reason(one, 5.0, shape, &theme).to_string())
        };
        assert_eq!(
            lines(56),
            [
                "limit max_run_res.ncpus ███████████  4 jobs      5.0 c-h",
                "never                   █████▌       4 jobs      2.5 c-h",
            ]
        );
        assert_eq!(
            lines(46),
            [
                "limit max_run_res.ncpus █████  4 jobs  5.0 c-h",
                "never                   ██▌    4 jobs  2.5 c-h",
            ]
        );
        assert_eq!(lines(40)[0], "limit max_run_res.nc… █  4 jobs  5.0 c-h");
    }
}
