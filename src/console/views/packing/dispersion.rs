//! Dispersion: the number of nodes a class uses beyond those sufficient for it, over time, and how many it shares.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::plot::{self, Curve};
use super::study::{PackingView, Panel};
use crate::layout::cells;
use crate::theme::{Role, Theme};
use crate::widgets::frame;
use qscope_planning::farm::record::FarmCell;
use qscope_planning::farm::{FarmRun, SufficientNodes};

/// Draws the chart and, below it, the means by policy.
pub(super) fn draw(study: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let wanted = cells(table(study).len()).saturating_add(2);
    let height = wanted.min(area.height.saturating_sub(6));
    let above = Rect { height: area.height - height, ..area };
    chart(study, above, buf, theme);
    draw_averages(study, Rect { y: above.bottom(), height, ..area }, buf, theme);
}

/// Draws the means by policy.
pub(super) fn draw_averages(study: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let class = study.case.as_ref().zip(study.shown_class());
    let title =
        class.map_or(String::new(), |(case, class)| format!("{} on the mean", case.workload.classes[class]));
    let inner = frame::pane(area, buf, theme, &title, "over all arrivals", false);
    let roles = std::iter::once(Role::Heading).chain(std::iter::repeat(Role::Text));
    frame::lines_inside(inner, buf, theme, roles.zip(table(study)));
}

/// Draws the nodes beyond those sufficient, by policy, over the window.
pub(super) fn chart(study: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let (Some(case), Some(class)) = (&study.case, study.shown_class()) else {
        plot::no_class(area, buf, theme, "Dispersion", study.panel == Panel::Dispersion);
        return;
    };
    let wide = plot::columns(area);
    let least = SufficientNodes::of(&case.workload.nodes);
    let extra = |cell: &FarmCell| f64::from(cell.nodes.saturating_sub(least.nodes(u64::from(cell.slots))));
    let drawn = study.charted_runs();
    let curves: Vec<Curve> = drawn
        .iter()
        .map(|(letter, run)| Curve {
            letter: *letter,
            values: plot::values_of(run, class, study.window, wide, extra),
        })
        .collect();
    let means: Vec<String> = drawn
        .iter()
        .filter_map(|(letter, run)| {
            Some(format!("{letter} {:.1}", plot::mean_of(run, class, study.window, extra)?))
        })
        .collect();
    let title = format!("Dispersion of {}, in nodes", case.workload.classes[class]);
    let note = format!("while it runs {}", means.join("  "));
    let inner = frame::pane(area, buf, theme, &title, &note, study.panel == Panel::Dispersion);
    let most = curves.iter().flat_map(|curve| curve.values.iter().flatten().copied()).fold(3.0, f64::max);
    plot::plot(inner, buf, theme, &curves, (0.0, most.ceil()), plot::cursor_column(study, wide));
}

/// The heading, and a line for each policy.
fn table(view: &PackingView) -> Vec<String> {
    let mut lines = vec![format!(
        "{:<12}{:>9}{:>11}{:>12}{:>9}{:>14}",
        "policy", "nodes", "would do", "dispersion", "mixed", "jobs at risk"
    )];
    let Some(class) = view.shown_class() else { return lines };
    let line = |run: &FarmRun| {
        let means = run.summary.class_means(class);
        format!(
            "{:<12}{:>9.1}{:>11.1}{:>12.1}{:>9.1}{:>14.1}",
            run.options.name,
            means.nodes,
            means.sufficient,
            means.nodes - means.sufficient,
            means.mixed,
            means.at_risk
        )
    };
    lines.extend(view.runs.iter().chain(&view.ttl_run).map(|run| line(run)));
    lines
}
