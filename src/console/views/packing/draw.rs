//! Layout and drawing: one line for the settings, and below it one panel, or all where there is room.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::chart;
use super::plot::AXIS;
use super::study::{LADDER, PackingView, Panel, lifetime_words};
use super::{dispersion, farm_map, sweep, waits};
use crate::theme::{Role, Theme};
use crate::widgets::frame;
use qscope_engine::cluster::Seconds;
use qscope_engine::cluster::show_duration;
use qscope_planning::farm::{FarmRun, SufficientNodes};

/// Minimum size for all panels.
const WIDE: (u16, u16) = (150, 40);
/// Rows of the sweep where all panels are shown.
const SWEEP: u16 = 10;

pub(super) fn is_wide(area: Rect) -> bool {
    area.width >= WIDE.0 && area.height >= WIDE.1
}

/// The area of the panels: below the settings and, if only one fits, the tabs.
fn panels(area: Rect) -> Rect {
    let head = if is_wide(area) { 1 } else { 2 }.min(area.height);
    Rect { y: area.y + head, height: area.height - head, ..area }
}

/// The area of the charts when shown.
fn charts(area: Rect) -> Rect {
    let body = panels(area);
    if is_wide(area) { Rect { width: area.width / 2, ..body } } else { body }
}

/// The area of the farm when shown.
pub(super) fn farm_area(area: Rect) -> Rect {
    let body = panels(area);
    if !is_wide(area) {
        return body;
    }
    let left = charts(area);
    let right = Rect { x: left.right(), width: area.width - left.width, ..body };
    Rect { height: right.height.saturating_sub(right.height / 4 + SWEEP), ..right }
}

pub(super) fn chart_columns(area: Rect) -> u16 {
    charts(area).width.saturating_sub(2 + AXIS)
}

/// The relative position in the window, from 0 to 1, of a place in a chart.
pub(super) fn part_of_chart(at: Position, area: Rect, panel: Panel) -> Option<f64> {
    let charts = charts(area);
    if !charts.contains(at) || (panel != Panel::Charts && !is_wide(area)) {
        return None;
    }
    let column = at.x.checked_sub(charts.x + 1 + AXIS)?;
    let columns = chart_columns(area);
    (column < columns).then(|| f64::from(column) / f64::from(columns.max(1)))
}

/// Draws the study.
pub(super) fn draw(study: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let area = area.intersection(buf.area);
    if area.width < 20 || area.height < 5 {
        frame::empty(area, buf, theme, &["Packing needs more room."]);
        return;
    }
    let columns = usize::from(area.width);
    frame::lines(area, buf, theme, [(Role::Text, settings(study, columns))]);
    let body = panels(area);
    if study.case.is_none() || study.runs.is_empty() {
        nothing_yet(study, body, buf, theme);
        return;
    }
    if !is_wide(area) {
        tabs(study, Rect { y: area.y + 1, height: 1, ..area }, buf, theme);
        match study.panel {
            Panel::Charts => chart::draw(study, body, buf, theme),
            Panel::Farm => farm_map::draw(study, body, buf, theme),
            Panel::Dispersion => dispersion::draw(study, body, buf, theme),
            Panel::Sweep => sweep::draw(study, body, buf, theme),
            Panel::Waits => waits::draw(study, body, buf, theme),
        }
        return;
    }
    let left = charts(area);
    chart::draw(study, left, buf, theme);
    let map = farm_area(area);
    let table = Rect { y: map.bottom(), height: body.height / 4, ..map };
    farm_map::draw(study, map, buf, theme);
    if study.panel == Panel::Dispersion {
        dispersion::draw_averages(study, table, buf, theme);
    } else {
        waits::draw(study, table, buf, theme);
    }
    sweep::draw(study, Rect { y: table.bottom(), height: SWEEP, ..map }, buf, theme);
}

fn nothing_yet(study: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let inner = frame::pane(area, buf, theme, "Packing", "", true);
    if let Some(error) = &study.failed {
        frame::empty(inner, buf, theme, &["This cannot be simulated:", error]);
        return;
    }
    let (done, of) = study.progress.unwrap_or((0, 1));
    let text = format!("Reading and simulating, {} %.", done.min(of) * 100 / of.max(1));
    frame::empty(inner, buf, theme, &[&text]);
}

/// The names of the panels, and the key that cycles through them.
fn tabs(study: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let mut x = area.x + 1;
    for panel in Panel::ALL {
        let (text, role) = if panel == study.panel {
            (format!("[{}]", panel.word()), Role::Heading)
        } else {
            (format!(" {} ", panel.word()), Role::TextDim)
        };
        let room = usize::from(area.right().saturating_sub(x));
        (x, _) = buf.set_stringn(x, area.y, text, room, theme.style(role));
    }
    let room = usize::from(area.right().saturating_sub(x));
    buf.set_stringn(x, area.y, "  Tab: the next", room, theme.style(Role::TextDim));
}

/// The settings: which class packs, lifetime, window, second. In narrow areas what is shown elsewhere is dropped first.
fn settings(study: &PackingView, columns: usize) -> String {
    let Some(case) = &study.case else { return " packing policies".to_owned() };
    let name = |class: &qscope_planning::farm::ClassNo| {
        case.workload.classes.checked(*class).map(ToString::to_string)
    };
    let packing: Vec<String> = case.packing.iter().filter_map(name).collect();
    let pack = if packing.len() > 1 { "pack" } else { "packs" };
    let packing = if packing.is_empty() { "no class".to_owned() } else { packing.join(", ") };
    let at = |t: i64| show_duration(t.saturating_sub(study.full_window().from).max(0) as f64);
    let (window, cursor) = (study.window, study.cursor);
    let moment = study.moments().into_iter().find(|(_, t)| *t == cursor);
    let moment = moment.map_or(String::new(), |(name, _)| format!(" {name}"));
    let busy =
        study.progress.map_or(String::new(), |(done, of)| format!("  {} %", done.min(of) * 100 / of.max(1)));
    let busy = study.moment().map_or(busy.clone(), |moment| format!("{busy}  {moment}"));
    let slider: String = LADDER.iter().map(|ttl| if *ttl == study.ttl { '#' } else { '-' }).collect();
    let by = if case.criterion.is_empty() { String::new() } else { format!(", by {}", case.criterion) };
    let second = Seconds(cursor.saturating_sub(study.full_window().from));
    let line = |by: &str, slider: &str, moment: &str| {
        format!(
            " {packing} {pack}{by}  T: lifetime {}{slider}  window {} - {}  cursor {second}{moment}{busy}",
            lifetime_words(study.ttl),
            at(window.from),
            at(window.to),
        )
    };
    let slider = format!(" {slider}");
    let forms =
        [line(&by, &slider, &moment), line(&by, &slider, ""), line("", &slider, ""), line("", "", "")];
    let fits = forms.iter().find(|form| form.chars().count() <= columns);
    fits.or(forms.last()).cloned().unwrap_or_default()
}

/// The figures over the window, one policy per line.
pub(super) fn figures(view: &PackingView) -> Vec<String> {
    let Some(relaxed) = view.run("relaxed") else { return Vec::new() };
    let mut runs: Vec<&FarmRun> = view.runs.iter().map(|run| &**run).collect();
    runs.extend(view.ttl_run.as_deref());
    let line = |run: &FarmRun| {
        let used = run.recording.as_ref().and_then(|recording| recording.series.mean_used(view.window));
        let hours = used.map_or(0.0, |used| used * view.window.seconds() as f64 / 3600.0);
        let fill = used.map_or(0.0, |used| used / run.summary.total_slots.max(1) as f64);
        let cost = chart::cost_in(relaxed, run, view.window).unwrap_or(0.0);
        let least = view.case.as_ref().map(|case| SufficientNodes::of(&case.workload.nodes));
        let index = view.shown_class().zip(least);
        let index = index.and_then(|(class, least)| chart::mean_index(run, class, &least, view.window));
        let index = index.map_or("-".to_owned(), |index| format!("{index:.3}"));
        format!(
            "{:<10} mean fill {fill:.4}  costs {cost:.1} slots  CPU {hours:.0} h  packing index {index}",
            run.options.name
        )
    };
    runs.into_iter().map(line).collect()
}
