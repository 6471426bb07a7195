//! The picture: three strips over a common time axis, the cursor, and the moment under it in words.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::scale::TimeScale;
use super::survey::TimeSurvey;
use crate::chrome::alerts;
use crate::story::{Paragraph, Story, TextPiece};
use crate::theme::{Role, Theme};
use crate::views::ViewContext;
use crate::widgets::area::area as strip;
use crate::widgets::frame;
use crate::widgets::text::{Align, fit, width};
use crate::wording;
use qscope_engine::cluster::{Epoch, Snapshot};
use qscope_session::ClusterSummary;

/// Columns for the names of the strips.
const NAME: usize = 11;

/// Maximum rows of the two strips together.
const MAX_ROWS: usize = 36;

/// Rows below the strips: the axis, the cursor, and three for the moment under it.
const BELOW: u16 = 6;

/// The width of the strips in an area of the view.
pub(super) fn columns(area: Rect) -> usize {
    usize::from(area.width).saturating_sub(NAME + 4).max(1)
}

/// The column of the strips at a place of the screen.
pub(super) fn column_at(at: Position, area: Rect) -> Option<usize> {
    let left = usize::from(area.x) + NAME + 2;
    let column = usize::from(at.x).checked_sub(left)?;
    (area.contains(at) && column < columns(area)).then_some(column)
}

/// Draws the view.
pub(super) fn draw(
    survey: &TimeSurvey,
    (at, shown): (usize, Option<usize>),
    area: Rect,
    buf: &mut Buffer,
    cx: ViewContext<'_>,
) {
    let theme = cx.theme;
    let snap = cx.snapshot();
    let inner = frame::pane(area, buf, theme, &title(survey, snap), &note(survey), true);
    if let Some(why) = why_empty(survey, cx) {
        return frame::empty(inner, buf, theme, &why);
    }
    let scale = TimeScale::new(survey.moments(), columns(area));
    let rows = usize::from(inner.height.saturating_sub(BELOW + 1)).clamp(2, MAX_ROWS);
    let mut lines = strips(survey, scale, rows, theme);
    lines.push(axis(survey, scale, snap, theme));
    lines.push(cursor(survey, (at, shown), scale, theme));
    lines.extend(words(survey, at, snap));
    let inside = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    Story::new(lines).render(inside, buf, theme);
}

fn title(survey: &TimeSurvey, snap: &Snapshot) -> String {
    let word = if survey.is_simulated() { "Simulation" } else { "Recording" };
    let all = wording::count(survey.len(), survey.unit());
    // The time in the first line of the screen is that of the data, which may be older than the snapshot.
    let taken = if survey.is_simulated() { ":" } else { ", taken" };
    match (survey.moments().first(), survey.moments().last()) {
        (Some(first), Some(last)) if date(snap, *first) == date(snap, *last) => {
            format!("{word} of {all}{taken} {}", date(snap, *first))
        }
        (Some(first), Some(last)) => {
            format!("{word} of {all}{taken} {} to {}", date(snap, *first), date(snap, *last))
        }
        _ => "Time".to_owned(),
    }
}

fn date(snap: &Snapshot, at: Epoch) -> String {
    snap.date(at).map_or_else(|| wording::clock(snap, at), |date| date.strftime("%-d %b %H:%M").to_string())
}

/// The progress of reading.
fn note(survey: &TimeSurvey) -> String {
    match survey.progress() {
        Some((done, all, false)) => format!("{done} of {all} read · Esc"),
        Some((done, all, true)) => format!("stopped at {done} of {all} · r continues"),
        None => String::new(),
    }
}

fn why_empty<'a>(survey: &'a TimeSurvey, cx: ViewContext<'_>) -> Option<Vec<&'a str>> {
    if let Some(why) = survey.failure() {
        return Some(vec![why]);
    }
    if !survey.has_tape() {
        let open = match cx.following.history.iter().count() > 1 {
            true => "No recording and no simulation is open here; < and > walk the snapshots kept.",
            false => "One moment is open here: no recording and no simulation.",
        };
        let record = match cx.following.recorded.as_ref().is_some_and(Result::is_ok) {
            true => "Every snapshot that the console reads is recorded: qscope DIR opens them.",
            false => "--record DIR keeps every snapshot that the console reads; qscope DIR opens them.",
        };
        return Some(vec![open, record, "qscope simulate FOLDER --view opens a simulation."]);
    }
    survey.is_empty().then(|| vec!["reading ..."])
}

/// After that many seconds without a snapshot, nothing is known.
const LONGEST: i64 = 30 * 60;

/// The maximum of a value among the moments read in each column. A column without one repeats the value before it, or
/// is `None` if nothing was recorded for longer than [`LONGEST`].
fn values(survey: &TimeSurvey, scale: TimeScale, value: impl Fn(&ClusterSummary) -> u64) -> Vec<Option<u64>> {
    let mut values: Vec<Option<u64>> = vec![None; scale.columns];
    for (nth, level) in survey.levels() {
        let column = scale.column(survey.moments(), nth);
        if let Some(slot) = values.get_mut(column) {
            *slot = Some(slot.unwrap_or(0).max(value(level)));
        }
    }
    let mut last = None;
    for (column, value) in values.iter_mut().enumerate() {
        last = value.or_else(|| last.filter(|_| survey.is_simulated() || holds(survey, scale.time(column))));
        *value = last;
    }
    values
}

/// Whether a snapshot was taken at most [`LONGEST`] seconds before a moment.
fn holds(survey: &TimeSurvey, moment: Epoch) -> bool {
    let after = survey.moments().partition_point(|at| *at <= moment);
    let before = after.checked_sub(1).and_then(|nth| survey.moment(nth));
    before.is_some_and(|at| (moment - at).0 <= LONGEST)
}

/// The strips: waiting jobs, utilisation, alerts.
fn strips(survey: &TimeSurvey, scale: TimeScale, rows: usize, theme: &Theme) -> Vec<Paragraph> {
    let waiting = values(survey, scale, |level| level.waiting as u64);
    let busy = values(survey, scale, |level| (level.utilisation() * 1000.0).round() as u64);
    let most = waiting.iter().flatten().max().copied().unwrap_or(0);
    let upper = rows.div_ceil(2).max(1);
    let mut lines = part(&waiting, (most.max(1), upper), &format!("waiting {most}"), Role::Gauge, theme);
    lines.extend(part(&busy, (1000, (rows - upper).max(1)), "busy 100 %", Role::NodeTaken, theme));
    lines.push(alert_strip(survey, scale, theme));
    lines
}

/// A strip of several rows, with its name beside the first one; blank where nothing is known.
fn part(
    values: &[Option<u64>],
    (most, rows): (u64, usize),
    name: &str,
    role: Role,
    theme: &Theme,
) -> Vec<Paragraph> {
    let heights: Vec<u64> = values.iter().map(|value| value.unwrap_or(0)).collect();
    let line = |(nth, row): (usize, String)| {
        let name = if nth == 0 { name } else { "" };
        let row: String =
            row.chars().zip(values).map(|(sign, value)| if value.is_some() { sign } else { ' ' }).collect();
        Paragraph::Line(vec![TextPiece::dim(fit(name, NAME, Align::Left, "")), TextPiece::of(role, row)])
    };
    strip(&heights, most, rows, theme).into_iter().enumerate().map(line).collect()
}

/// `✗` where something stopped or spoiled work, `!` for lesser alerts.
fn alert_strip(survey: &TimeSurvey, scale: TimeScale, theme: &Theme) -> Paragraph {
    let of = |level: &ClusterSummary| match level.alerts.iter().map(|alert| alert.kind.is_grave()).max() {
        None => 0,
        Some(is_grave) => 1 + u64::from(is_grave),
    };
    let mut pieces = vec![TextPiece::dim(fit("alerts", NAME, Align::Left, ""))];
    for grave in values(survey, scale, of) {
        pieces.push(match grave {
            None => TextPiece::plain(" "),
            Some(0) => TextPiece::dim(theme.by_set("·", ".")),
            Some(1) => TextPiece::of(Role::Warning, "!"),
            Some(_) => TextPiece::of(Role::Error, theme.by_set("✗", "X")),
        });
    }
    Paragraph::Line(pieces)
}

/// Columns from one label of the axis to the next.
const APART: usize = 16;

/// The times below the strips, as many as fit; numbers instead if moments are less than a second apart.
fn axis(survey: &TimeSurvey, scale: TimeScale, snap: &Snapshot, theme: &Theme) -> Paragraph {
    if scale.is_by_place() {
        return numbered(survey, scale, theme);
    }
    let (mut text, mut last) = (String::new(), String::new());
    let is_long = scale.length > 2 * 86_400;
    let label_of = |column: usize| match is_long {
        true => date(snap, scale.time(column)),
        false => wording::time_of_day(snap, scale.time(column)),
    };
    for column in (0..scale.columns).step_by(APART) {
        let (time, room) = (label_of(column), APART.min(scale.columns - column));
        let mark = if column == 0 { "" } else { theme.by_set("╷", "|") };
        let label = format!("{mark}{time}");
        // Omit labels that would be cut or repeat the one before.
        let is_shown = width(&label) <= room && time != last;
        text.push_str(&fit(if is_shown { &label } else { "" }, room, Align::Left, ""));
        last = time;
    }
    Paragraph::Line(vec![TextPiece::plain(" ".repeat(NAME)), TextPiece::dim(text)])
}

/// The numbers of moments that are too close for times, each below its own column.
fn numbered(survey: &TimeSurvey, scale: TimeScale, theme: &Theme) -> Paragraph {
    let mut text = String::new();
    for nth in 0..survey.len() {
        let column = scale.column(survey.moments(), nth);
        let used = width(&text);
        let label = match nth {
            0 => format!("{} 1", survey.unit()),
            nth => format!("{}{}", theme.by_set("╷", "|"), nth + 1),
        };
        let room = scale.columns.saturating_sub(column);
        let is_last = nth + 1 == survey.len();
        if nth == 0 || (column >= used + 4 && width(&label) <= room && (is_last || column >= used + APART)) {
            text.push_str(&" ".repeat(column.saturating_sub(used)));
            text.push_str(&label);
        } else if is_last && scale.columns >= used + width(&label) + 4 {
            // The last label does not fit after its column.
            text.push_str(&fit(&label, scale.columns - used, Align::Right, ""));
        }
    }
    Paragraph::Line(vec![TextPiece::plain(" ".repeat(NAME)), TextPiece::dim(text)])
}

/// `▲` below the moment under the cursor, `●` below the one shown.
fn cursor(
    survey: &TimeSurvey,
    (at, shown): (usize, Option<usize>),
    scale: TimeScale,
    theme: &Theme,
) -> Paragraph {
    let cursor = scale.column(survey.moments(), at);
    let shown = shown.filter(|shown| *shown != at).map(|shown| scale.column(survey.moments(), shown));
    let mut pieces = vec![TextPiece::plain(" ".repeat(NAME))];
    for column in 0..=cursor.max(shown.unwrap_or(0)) {
        pieces.push(if column == cursor {
            TextPiece::of(Role::Cursor, theme.by_set("▲", "^"))
        } else if shown == Some(column) {
            TextPiece::of(Role::Heading, theme.by_set("●", "o"))
        } else {
            TextPiece::plain(" ")
        });
    }
    Paragraph::Line(pieces)
}

/// Describes the moment under the cursor.
fn words(survey: &TimeSurvey, at: usize, snap: &Snapshot) -> Vec<Paragraph> {
    let Some(moment) = survey.moment(at) else { return Vec::new() };
    let time = |at: Epoch| {
        let date = snap.date(at).map(|date| date.strftime("%-d %b %Y %H:%M:%S").to_string());
        date.unwrap_or_else(|| wording::clock(snap, at))
    };
    let data =
        survey.level(at).and_then(Option::as_ref).map(|level| level.data).filter(|data| *data != moment);
    let taken = if data.is_some() { "taken " } else { "" };
    let of_data = data.map_or_else(String::new, |data| format!(" · data of {}", time(data)));
    let which = format!("{} {} of {}", survey.unit(), at + 1, survey.len());
    let head = format!("{taken}{}, {which}{of_data}", time(moment));
    let mut lines = vec![Paragraph::words(0, [TextPiece::of(Role::Heading, head)])];
    match survey.level(at) {
        None => lines.push(Paragraph::Line(vec![TextPiece::dim("not read yet; Enter opens it")])),
        Some(None) => {
            lines.push(Paragraph::Line(vec![TextPiece::of(Role::Warning, "it cannot be read: damaged")]));
        }
        Some(Some(level)) => lines.extend(numbers(level)),
    }
    lines
}

fn numbers(summary: &ClusterSummary) -> Vec<Paragraph> {
    let ClusterSummary { waiting, running, busy, cores, starts, .. } = summary;
    let share = summary.utilisation() * 100.0;
    let text = format!(
        "{waiting} waiting · {running} running · {busy:.0} of {cores:.0} cores in service busy ({share:.0} %) · starts {starts}"
    );
    let mut pieces = Vec::new();
    for (role, clause) in alerts::clauses(&summary.alerts) {
        pieces.extend([TextPiece::of(role, clause), TextPiece::plain("   ")]);
    }
    if pieces.is_empty() {
        pieces.push(TextPiece::dim("no alert"));
    }
    vec![Paragraph::Line(vec![TextPiece::plain(text)]), Paragraph::words(0, pieces)]
}
