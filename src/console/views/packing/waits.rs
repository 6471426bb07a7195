//! How long each class waits under each policy, and how much work it gets done.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::study::PackingView;
use crate::theme::{Role, Theme};
use crate::widgets::frame;
use crate::widgets::text::{Align, fit};
use qscope_engine::cluster::show_duration;
use qscope_planning::farm::waits::WaitHistogram;
use qscope_planning::farm::{ClassNo, FarmCase};

/// Draws the table.
pub(super) fn draw(study: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let focused = study.panel == super::study::Panel::Waits;
    let is_several = study.case.as_ref().is_some_and(|case| groups(case).len() > 1);
    let note = if is_several { "of all jobs · j k: other class" } else { "of all jobs" };
    let inner = frame::pane(area, buf, theme, "Waits by class and policy", note, focused);
    let Some(case) = &study.case else { return };
    let mut lines = vec![(Role::Heading, heading())];
    // From the selected class on, so that keys reach all classes.
    for (name, classes) in groups(case).into_iter().skip(study.class) {
        lines.extend(rows(study, &name, &classes).into_iter().map(|line| (Role::Text, line)));
    }
    frame::lines_inside(inner, buf, theme, lines);
}

fn heading() -> String {
    format!(
        "{:<10} {:<10}{:>7}{:>10}{:>10}{:>10}{:>9}{:>9}",
        "class", "policy", "jobs", "mean", "median", "p95", "wait h", "slot h"
    )
}

/// Each class that packs, and all others together.
fn groups(case: &FarmCase) -> Vec<(String, Vec<ClassNo>)> {
    let name =
        |class: &ClassNo| case.workload.classes.checked(*class).map(ToString::to_string).unwrap_or_default();
    let mut groups: Vec<_> = case.packing.iter().map(|class| (name(class), vec![*class])).collect();
    let others: Vec<ClassNo> =
        case.workload.classes.ids().filter(|class| !case.packing.contains(class)).collect();
    if !others.is_empty() {
        groups.push(("others".to_owned(), others));
    }
    groups
}

fn rows(view: &PackingView, name: &str, classes: &[ClassNo]) -> Vec<String> {
    let mut runs: Vec<_> = view.runs.iter().collect();
    runs.extend(view.ttl_run.as_ref());
    let row = |(at, run): (usize, &&std::sync::Arc<qscope_planning::farm::FarmRun>)| {
        let (mut all, mut slots) = (WaitHistogram::default(), 0u128);
        for class in classes.iter().filter_map(|class| run.summary.classes.checked(*class)) {
            all.merge(&class.waits);
            slots += class.slot_seconds;
        }
        let duration = |seconds: Option<f64>| seconds.map_or("-".to_owned(), show_duration);
        let percentile = |percent| duration(all.percentile(percent).map(|seconds| seconds as f64));
        format!(
            "{} {:<10}{:>7}{:>10}{:>10}{:>10}{:>9}{:>9}",
            fit(if at == 0 { name } else { "" }, 10, Align::Left, "~"),
            run.options.name,
            all.jobs(),
            duration(all.mean()),
            percentile(50),
            percentile(95),
            all.total() / 3600,
            slots / 3600
        )
    };
    runs.iter().enumerate().map(row).collect()
}
