//! Lines over time: fill factor, packing index, and what the policies differ by.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::dispersion;
use super::study::Study;
use crate::theme::{Role, Theme};
use crate::widgets::frame;
use qscope_planning::farm::record::Cell;
use qscope_planning::farm::{ClassNo, FarmRun, Sufficient, Window};

/// Columns of the numbers at the left.
pub(super) const AXIS: u16 = 6;

/// One line: its letter, and a value for each column where it has one.
pub(super) struct Curve {
    pub letter: char,
    pub values: Vec<Option<f64>>,
}

/// The role of a policy's letter.
pub(super) fn role_of(letter: char) -> Role {
    match letter {
        'R' => Role::PathBucket,
        'E' => Role::PathNode,
        'T' => Role::StepHere,
        _ => Role::Text,
    }
}

/// Draws the three charts below each other.
pub(super) fn draw(study: &Study, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let [fill, index, spread, difference] = heights(area.height);
    let part = |y: u16, height: u16| Rect { y: area.y + y, height, ..area };
    fill_factor(study, part(0, fill), buf, theme);
    if index > 0 {
        packing_index(study, part(fill, index), buf, theme);
    }
    if spread > 0 {
        dispersion::chart(study, part(fill + index, spread), buf, theme);
    }
    if difference > 0 {
        differences(study, part(fill + index + spread, difference), buf, theme);
    }
}

/// The heights of the charts: fill factor, packing index, dispersion, difference. The first one stays to the last.
fn heights(height: u16) -> [u16; 4] {
    match height {
        0..8 => [height, 0, 0, 0],
        8..14 => [height - height / 2, 0, 0, height / 2],
        14..36 => [height - height / 3 * 2, height / 3, 0, height / 3],
        _ => [height - height / 4 * 3, height / 4, height / 4, height / 4],
    }
}

pub(super) fn columns(area: Rect) -> usize {
    usize::from(area.width.saturating_sub(2 + AXIS))
}

/// The seconds of a column: from its first to the first of the next.
fn column_window(window: Window, column: usize, columns: usize) -> Window {
    let at = |n: usize| {
        let offset = u128::from(window.seconds()) * n as u128 / columns.max(1) as u128;
        window.from.saturating_add(i64::try_from(offset).unwrap_or(i64::MAX))
    };
    let from = at(column);
    Window { from, to: at(column + 1).max(from.saturating_add(1)) }
}

/// The mean fill factor of each column.
fn fill_of(run: &FarmRun, window: Window, columns: usize) -> Vec<Option<f64>> {
    let total = run.summary.total_slots.max(1) as f64;
    let value = |column| {
        let recording = run.recording.as_ref()?;
        let part = column_window(window, column, columns);
        // Rows begin with the first event; before it nothing runs.
        recording.series.mean_used(part).map(|used| used / total)
    };
    (0..columns).map(value).collect()
}

/// What a class does in each column: in its middle, or, where it runs only in a part of it, on the mean of that part.
pub(super) fn values_of(
    run: &FarmRun,
    class: ClassNo,
    window: Window,
    columns: usize,
    value: impl Fn(&Cell) -> f64,
) -> Vec<Option<f64>> {
    let of = |column| {
        let series = &run.recording.as_ref()?.series;
        let part = column_window(window, column, columns);
        let place = series.classes.iter().position(|have| *have == class)?;
        let middle = series.at(part.from.midpoint(part.to)).and_then(|row| series.cells(row).get(place));
        middle.filter(|cell| cell.nodes > 0).map(&value).or_else(|| mean_of(run, class, part, &value))
    };
    (0..columns).map(of).collect()
}

/// The mean of what a class does over a window, weighted by time, while it runs at all.
pub(super) fn mean_of(
    run: &FarmRun,
    class: ClassNo,
    window: Window,
    value: impl Fn(&Cell) -> f64,
) -> Option<f64> {
    let series = &run.recording.as_ref()?.series;
    let place = series.classes.iter().position(|have| *have == class)?;
    let first = series.at(window.from).unwrap_or(0);
    let (mut sum, mut seconds) = (0.0, 0u64);
    for (at, row) in series.rows.iter().enumerate().skip(first).take_while(|(_, row)| row.t < window.to) {
        let until = series.rows.get(at + 1).map_or(window.to, |next| next.t.min(window.to));
        let lasts = Window { from: row.t.max(window.from), to: until }.seconds();
        if let Some(cell) = series.cells(at).get(place).filter(|cell| cell.nodes > 0) {
            sum += value(cell) * lasts as f64;
            seconds += lasts;
        }
    }
    (seconds > 0).then(|| sum / seconds as f64)
}

/// The packing index of a class at a sample.
fn index_of(least: &Sufficient) -> impl Fn(&Cell) -> f64 + '_ {
    |cell| f64::from(least.nodes(u64::from(cell.slots))) / f64::from(cell.nodes)
}

/// The mean packing index of a class over a window, weighted by time, where it is defined.
pub(super) fn mean_index(run: &FarmRun, class: ClassNo, least: &Sufficient, window: Window) -> Option<f64> {
    mean_of(run, class, window, index_of(least))
}

fn fill_factor(study: &Study, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let wide = columns(area);
    let drawn = study.drawn();
    let curves: Vec<Curve> = drawn
        .iter()
        .map(|(letter, run)| Curve { letter: *letter, values: fill_of(run, study.window, wide) })
        .collect();
    let legend: Vec<String> =
        drawn.iter().map(|(letter, run)| format!("{letter} {}", run.ask.name)).collect();
    let note = format!("{}  = all  * several", legend.join("  "));
    let inner =
        frame::pane(area, buf, theme, "Fill factor", &note, study.panel == super::study::Panel::Charts);
    // From where a sixth of all values lie below: the farm's filling from nothing would flatten all else.
    let mut values: Vec<f64> =
        curves.iter().flat_map(|curve| curve.values.iter().flatten().copied()).collect();
    values.sort_by(f64::total_cmp);
    let least = values.get(values.len() / 6).copied().unwrap_or(0.0);
    let low = ((least * 20.0).floor() / 20.0).clamp(0.0, 0.95);
    plot(inner, buf, theme, &curves, (low, 1.0), cursor_column(study, wide));
}

fn packing_index(study: &Study, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let (Some(case), Some(class)) = (&study.case, study.shown_class()) else {
        nobody(area, buf, theme, "Packing index", false);
        return;
    };
    let wide = columns(area);
    let least = Sufficient::of(&case.workload.nodes);
    let drawn = study.drawn();
    let curve = |(letter, run): &(char, &std::sync::Arc<FarmRun>)| Curve {
        letter: *letter,
        values: values_of(run, class, study.window, wide, index_of(&least)),
    };
    let curves: Vec<Curve> = drawn.iter().map(curve).collect();
    let title = format!("Packing index of {}", case.workload.classes[class]);
    let means: Vec<String> = drawn
        .iter()
        .filter_map(|(letter, run)| {
            Some(format!("{letter} {:.3}", mean_index(run, class, &least, study.window)?))
        })
        .collect();
    let inner = frame::pane(area, buf, theme, &title, &means.join("  "), false);
    plot(inner, buf, theme, &curves, (0.0, 1.0), cursor_column(study, wide));
}

/// In the place of a chart about a class, where none packs.
pub(super) fn nobody(area: Rect, buf: &mut Buffer, theme: &Theme, title: &str, focused: bool) {
    let inner = frame::pane(area, buf, theme, title, "", focused);
    frame::empty(
        inner,
        buf,
        theme,
        &["Nobody packs: all jobs are of one class.", "C makes other classes, c lets one of them pack."],
    );
}

/// Relaxed less the others: bars from the zero line for the lifetime of the slider, or for exclusive.
fn differences(study: &Study, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let wide = columns(area);
    let Some(relaxed) = study.run("relaxed") else { return };
    let other = study.ttl_run.as_ref().filter(|run| run.ask.name != "relaxed").or(study.run("exclusive"));
    let Some(other) = other else { return };
    let (a, b) = (fill_of(relaxed, study.window, wide), fill_of(other, study.window, wide));
    let values: Vec<Option<f64>> = a.iter().zip(&b).map(|(a, b)| Some((*a)? - (*b)?)).collect();
    let cost = cost_in(relaxed, other, study.window);
    let mean = cost.map(|cost| cost / relaxed.summary.total_slots.max(1) as f64);
    let exclusive = study.run("exclusive").filter(|run| run.ask.name != other.ask.name);
    let beside = exclusive.and_then(|run| cost_in(relaxed, run, study.window));
    let beside = beside.map_or(String::new(), |cost| format!("; exclusive {cost:.1}"));
    let said = cost
        .zip(mean)
        .map_or(String::new(), |(cost, mean)| format!("mean {mean:.4}, costs {cost:.1} slots{beside}"));
    let title = format!("relaxed - {}", other.ask.name);
    let inner = frame::pane(area, buf, theme, &title, &said, false);
    bars(inner, buf, theme, &values, mean.unwrap_or(0.0), cursor_column(study, wide));
}

/// What a policy costs over a window.
pub(super) fn cost_in(relaxed: &FarmRun, other: &FarmRun, window: Window) -> Option<f64> {
    let mean = |run: &FarmRun| run.recording.as_ref()?.series.mean_used(window);
    Some(mean(relaxed)? - mean(other)?)
}

pub(super) fn cursor_column(study: &Study, columns: usize) -> Option<usize> {
    let into = u128::try_from(study.cursor.checked_sub(study.window.from)?).ok()?;
    let column = into * columns as u128 / u128::from(study.window.seconds().max(1));
    usize::try_from(column).ok().filter(|column| *column < columns)
}

/// The row of a value: 0 is the top.
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

/// The column that is looked at, from top to bottom, under everything else.
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

fn bars(
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
