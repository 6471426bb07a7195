//! Curves over time: fill factor, packing index, and the difference between policies.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::dispersion;
use super::plot::{
    AXIS, Curve, bars, column_window, columns, cursor_column, mean_of, no_class, plot, values_of,
};
use super::study::{PackingView, Panel};
use crate::layout::cells;
use crate::theme::{Role, Theme};
use crate::widgets::frame;
use qscope_engine::cluster::show_duration;
use qscope_planning::farm::record::FarmCell;
use qscope_planning::farm::{ClassNo, FarmRun, FarmWindow, SufficientNodes};

/// Draws the charts below each other.
pub(super) fn draw(study: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let axis = u16::from(area.height >= WITH_AXIS);
    let [fill, index, spread, difference] = heights(area.height - axis);
    time_axis(study, Rect { y: area.bottom() - axis, height: axis, ..area }, buf, theme);
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

/// Minimum rows of the charts for a time axis below them.
const WITH_AXIS: u16 = 14;

/// The times since the beginning of the study at the quarters of the window.
fn time_axis(study: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    if area.is_empty() {
        return;
    }
    let (from, wide) = (study.window.from.saturating_sub(study.full_window().from), columns(area));
    let seconds = study.window.seconds();
    let style = theme.style(Role::TextDim);
    for quarter in 0..4 {
        let column = wide * quarter / 4;
        let at = from.saturating_add_unsigned(seconds * quarter as u64 / 4);
        let text = format!("{}{}", theme.by_set("╷", "|"), show_duration(at.max(0) as f64));
        buf.set_stringn(area.x + 1 + AXIS + cells(column), area.y, text, wide / 4, style);
    }
}

/// The heights of the charts: fill factor, packing index, dispersion, difference; in low areas the first one has all
/// rows.
fn heights(height: u16) -> [u16; 4] {
    match height {
        0..8 => [height, 0, 0, 0],
        8..14 => [height - height / 2, 0, 0, height / 2],
        14..36 => [height - height / 3 * 2, height / 3, 0, height / 3],
        _ => [height - height / 4 * 3, height / 4, height / 4, height / 4],
    }
}

/// The mean fill factor of each column.
fn fill_of(run: &FarmRun, window: FarmWindow, columns: usize) -> Vec<Option<f64>> {
    let total = run.summary.total_slots.max(1) as f64;
    let value = |column| {
        let recording = run.recording.as_ref()?;
        let part = column_window(window, column, columns);
        // Rows begin with the first event; before it nothing runs.
        recording.series.mean_used(part).map(|used| used / total)
    };
    (0..columns).map(value).collect()
}

/// The packing index of a class at a sample.
fn index_of(least: &SufficientNodes) -> impl Fn(&FarmCell) -> f64 + '_ {
    |cell| f64::from(least.nodes(u64::from(cell.slots))) / f64::from(cell.nodes)
}

/// The mean packing index of a class over a window, weighted by time, where it is defined.
pub(super) fn mean_index(
    run: &FarmRun,
    class: ClassNo,
    least: &SufficientNodes,
    window: FarmWindow,
) -> Option<f64> {
    mean_of(run, class, window, index_of(least))
}

fn fill_factor(study: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let wide = columns(area);
    let drawn = study.charted_runs();
    let curves: Vec<Curve> = drawn
        .iter()
        .map(|(letter, run)| Curve { letter: *letter, values: fill_of(run, study.window, wide) })
        .collect();
    let legend: Vec<String> =
        drawn.iter().map(|(letter, run)| format!("{letter} {}", run.options.name)).collect();
    let note = format!("{}  = all  * several", legend.join("  "));
    let inner = frame::pane(area, buf, theme, "Fill factor", &note, study.panel == Panel::Charts);
    // Start the axis where a sixth of all values lie below: the initial filling of the empty farm would flatten
    // everything else.
    let mut values: Vec<f64> =
        curves.iter().flat_map(|curve| curve.values.iter().flatten().copied()).collect();
    values.sort_by(f64::total_cmp);
    let least = values.get(values.len() / 6).copied().unwrap_or(0.0);
    let low = ((least * 20.0).floor() / 20.0).clamp(0.0, 0.95);
    plot(inner, buf, theme, &curves, (low, 1.0), cursor_column(study, wide));
}

fn packing_index(study: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let (Some(case), Some(class)) = (&study.case, study.shown_class()) else {
        no_class(area, buf, theme, "Packing index", false);
        return;
    };
    let wide = columns(area);
    let least = SufficientNodes::of(&case.workload.nodes);
    let drawn = study.charted_runs();
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

/// Relaxed minus another policy (the chosen lifetime, or exclusive), as bars from the zero line.
fn differences(view: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let wide = columns(area);
    let Some(relaxed) = view.run("relaxed") else { return };
    let other = view.ttl_run.as_ref().filter(|run| run.options.name != "relaxed").or(view.run("exclusive"));
    let Some(other) = other else { return };
    let (a, b) = (fill_of(relaxed, view.window, wide), fill_of(other, view.window, wide));
    let values: Vec<Option<f64>> = a.iter().zip(&b).map(|(a, b)| Some((*a)? - (*b)?)).collect();
    let cost = cost_in(relaxed, other, view.window);
    let mean = cost.map(|cost| cost / relaxed.summary.total_slots.max(1) as f64);
    let exclusive = view.run("exclusive").filter(|run| run.options.name != other.options.name);
    let beside = exclusive.and_then(|run| cost_in(relaxed, run, view.window));
    let beside = beside.map_or(String::new(), |cost| format!("; exclusive {cost:.1}"));
    let note = cost
        .zip(mean)
        .map_or(String::new(), |(cost, mean)| format!("mean {mean:.4}, costs {cost:.1} slots{beside}"));
    let title = format!("relaxed - {}", other.options.name);
    let inner = frame::pane(area, buf, theme, &title, &note, false);
    bars(inner, buf, theme, &values, mean.unwrap_or(0.0), cursor_column(view, wide));
}

/// The cost of a policy over a window, in mean slots.
pub(super) fn cost_in(relaxed: &FarmRun, other: &FarmRun, window: FarmWindow) -> Option<f64> {
    let mean = |run: &FarmRun| run.recording.as_ref()?.series.mean_used(window);
    Some(mean(relaxed)? - mean(other)?)
}
