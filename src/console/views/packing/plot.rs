//! Values over time as letters and bars, in the columns of the window.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::study::PackingView;
use crate::theme::{Role, Theme};
use crate::widgets::frame;
use qscope_planning::farm::record::FarmCell;
use qscope_planning::farm::{ClassNo, FarmRun, FarmWindow};

/// Columns for the numbers at the left.
pub(super) const AXIS: u16 = 6;

/// One curve: its letter, and a value for each column that has one.
pub(super) struct Curve {
    pub letter: char,
    pub values: Vec<Option<f64>>,
}

/// The role of a policy's letter.
fn role_of(letter: char) -> Role {
    match letter {
        'R' => Role::PathBucket,
        'E' => Role::PathNode,
        'T' => Role::StepHere,
        _ => Role::Text,
    }
}

pub(super) fn columns(area: Rect) -> usize {
    usize::from(area.width.saturating_sub(2 + AXIS))
}

/// The seconds of a column, up to the start of the next one.
pub(super) fn column_window(window: FarmWindow, column: usize, columns: usize) -> FarmWindow {
    let edge = |n: usize| {
        let offset = u128::from(window.seconds()) * n as u128 / columns.max(1) as u128;
        window.from.saturating_add(i64::try_from(offset).unwrap_or(i64::MAX))
    };
    let from = edge(column);
    FarmWindow { from, to: edge(column + 1).max(from.saturating_add(1)) }
}

/// The value of a class in each column: in its middle, or, where the class runs only in a part of it, the mean over
/// that part.
pub(super) fn values_of(
    run: &FarmRun,
    class: ClassNo,
    window: FarmWindow,
    columns: usize,
    value: impl Fn(&FarmCell) -> f64,
) -> Vec<Option<f64>> {
    let value_in = |column| {
        let series = &run.recording.as_ref()?.series;
        let part = column_window(window, column, columns);
        let place = series.classes.iter().position(|have| *have == class)?;
        let middle = series.at(part.from.midpoint(part.to)).and_then(|row| series.cells(row).get(place));
        middle.filter(|cell| cell.nodes > 0).map(&value).or_else(|| mean_of(run, class, part, &value))
    };
    (0..columns).map(value_in).collect()
}

/// The mean value of a class over a window, weighted by time, while it runs at all.
pub(super) fn mean_of(
    run: &FarmRun,
    class: ClassNo,
    window: FarmWindow,
    value: impl Fn(&FarmCell) -> f64,
) -> Option<f64> {
    let series = &run.recording.as_ref()?.series;
    let place = series.classes.iter().position(|have| *have == class)?;
    let first = series.at(window.from).unwrap_or(0);
    let (mut sum, mut seconds) = (0.0, 0u64);
    for (at, row) in series.rows.iter().enumerate().skip(first).take_while(|(_, row)| row.t < window.to) {
        let until = series.rows.get(at + 1).map_or(window.to, |next| next.t.min(window.to));
        let lasts = FarmWindow { from: row.t.max(window.from), to: until }.seconds();
        if let Some(cell) = series.cells(at).get(place).filter(|cell| cell.nodes > 0) {
            sum += value(cell) * lasts as f64;
            seconds += lasts;
        }
    }
    (seconds > 0).then(|| sum / seconds as f64)
}

/// Drawn instead of a chart about a class, if no class packs.
pub(super) fn no_class(area: Rect, buf: &mut Buffer, theme: &Theme, title: &str, focused: bool) {
    let inner = frame::pane(area, buf, theme, title, "", focused);
    frame::empty(
        inner,
        buf,
        theme,
        &["No class packs: all jobs are of one class.", "C makes other classes, c lets one of them pack."],
    );
}

pub(super) fn cursor_column(view: &PackingView, columns: usize) -> Option<usize> {
    let into = u128::try_from(view.cursor.checked_sub(view.window.from)?).ok()?;
    let column = into * columns as u128 / u128::from(view.window.seconds().max(1));
    usize::try_from(column).ok().filter(|column| *column < columns)
}

/// The row of a value; 0 is the top.
fn row_of(value: f64, (low, high): (f64, f64), height: u16) -> u16 {
    let last = f64::from(height.saturating_sub(1));
    let part = ((high - value) / (high - low).max(1e-12)).clamp(0.0, 1.0);
    (part * last).round() as u16
}

fn axis(area: Rect, buf: &mut Buffer, theme: &Theme, (low, high): (f64, f64)) {
    let label = |buf: &mut Buffer, y: u16, value: f64| {
        let digits = if high > 2.0 { 0 } else { 2 };
        let text = format!("{value:>5.digits$}");
        buf.set_stringn(area.x, y, text, usize::from(AXIS), theme.style(Role::TextDim));
    };
    if area.height > 0 {
        label(buf, area.y, high);
    }
    if area.height > 2 {
        label(buf, area.y + area.height - 1, low);
    }
}

/// Marks the column of the cursor, beneath everything else.
fn mark(area: Rect, buf: &mut Buffer, theme: &Theme, column: Option<usize>) {
    let Some(x) = column.and_then(|column| u16::try_from(column).ok()) else { return };
    for y in area.top()..area.bottom() {
        put(buf, area.x + AXIS + x, y, theme.by_set("┊", ":"), theme.style(Role::TextDim));
    }
}

fn put(buf: &mut Buffer, x: u16, y: u16, text: &str, style: ratatui::style::Style) {
    buf.set_stringn(x, y, text, 1, style);
}

pub(super) fn plot(
    area: Rect,
    buf: &mut Buffer,
    theme: &Theme,
    curves: &[Curve],
    range: (f64, f64),
    cursor: Option<usize>,
) {
    axis(area, buf, theme, range);
    mark(area, buf, theme, cursor);
    let columns = usize::from(area.width.saturating_sub(AXIS));
    for column in 0..columns {
        let Ok(x) = u16::try_from(column) else { return };
        let here: Vec<(char, u16)> = curves
            .iter()
            .filter_map(|curve| {
                let value = curve.values.get(column).copied().flatten()?;
                Some((curve.letter, row_of(value, range, area.height)))
            })
            .collect();
        for (letter, row) in &here {
            let same = here.iter().filter(|(_, other)| other == row).count();
            let (sign, role) = match same {
                1 => (*letter, role_of(*letter)),
                all if all == here.len() && all == curves.len() => ('=', Role::Text),
                _ => ('*', Role::Text),
            };
            put(buf, area.x + AXIS + x, area.y + row, sign.encode_utf8(&mut [0; 4]), theme.style(role));
        }
    }
}

pub(super) fn bars(
    area: Rect,
    buf: &mut Buffer,
    theme: &Theme,
    values: &[Option<f64>],
    mean: f64,
    cursor: Option<usize>,
) {
    let known = || values.iter().flatten().copied();
    let most = known().fold(0.01f64, f64::max);
    let least = known().fold(0.0f64, f64::min);
    let range = (least, most);
    axis(area, buf, theme, range);
    mark(area, buf, theme, cursor);
    let zero = row_of(0.0, range, area.height);
    let level = row_of(mean, range, area.height);
    for (column, value) in values.iter().enumerate() {
        let Ok(x) = u16::try_from(column) else { return };
        let x = area.x + AXIS + x;
        if x >= area.right() {
            return;
        }
        put(buf, x, area.y + zero, theme.by_set("─", "-"), theme.style(Role::TextDim));
        if let Some(value) = value.filter(|value| value.abs() > 1e-9) {
            let row = row_of(value, range, area.height);
            for y in row.min(zero)..=row.max(zero) {
                if y != zero {
                    put(buf, x, area.y + y, theme.glyph(Role::Gauge), theme.style(Role::Gauge));
                }
            }
        }
        if level != zero && column % 2 == 0 {
            put(buf, x, area.y + level, theme.by_set("╌", "~"), theme.style(Role::StepHere));
        }
    }
}
