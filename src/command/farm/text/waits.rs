//! How long jobs wait under each policy, by class.

use qscope_console::widgets::text::{Align, fit};
use qscope_engine::cluster::show_duration as length;
use qscope_exits::Lines;
use qscope_planning::farm::waits::WaitHistogram;
use qscope_planning::farm::{ClassNo, FarmCase, FarmRun};

/// Adds the rows of the classes that pack, and of all others together.
pub(super) fn waits(text: &mut Lines, case: &FarmCase, runs: &[FarmRun]) {
    text.blank();
    text.line(format_args!(
        "{:<12}{:<12}{:>9}{:>10}{:>10}{:>10}{:>12}{:>12}",
        "waits", "policy", "jobs", "mean", "median", "p95", "wait hours", "slot hours"
    ));
    let mut rows: Vec<(String, Vec<ClassNo>)> = case
        .packing
        .iter()
        .take(6)
        .map(|class| (case.workload.classes[*class].to_string(), vec![*class]))
        .collect();
    let others: Vec<ClassNo> =
        case.workload.classes.ids().filter(|class| !case.packing.contains(class)).collect();
    if !others.is_empty() {
        rows.push((
            if others.len() == 1 {
                case.workload.classes[others.first().copied().unwrap_or(ClassNo(0))].to_string()
            } else {
                "all others".to_owned()
            },
            others,
        ));
    }
    for (name, classes) in rows {
        let name = fit(&name, 11, Align::Left, "~");
        for (at, run) in runs.iter().enumerate() {
            let mut all = WaitHistogram::default();
            let mut slots = 0u128;
            let mut never = 0;
            for class in &classes {
                let class = &run.summary.classes[*class];
                all.merge(&class.waits);
                slots += class.slot_seconds;
                never += class.never_fits;
            }
            let length_or_dash = |seconds: Option<f64>| seconds.map_or("-".to_owned(), length);
            let percentile =
                |percent: u64| length_or_dash(all.percentile(percent).map(|seconds| seconds as f64));
            let never = if never > 0 { format!("  {never} never fit") } else { String::new() };
            text.line(format_args!(
                "{:<12}{:<12}{:>9}{:>10}{:>10}{:>10}{:>12}{:>12}{never}",
                if at == 0 { name.as_str() } else { "" },
                run.options.name,
                all.jobs(),
                length_or_dash(all.mean()),
                percentile(50),
                percentile(95),
                all.total() / 3600,
                slots / 3600,
            ));
        }
    }
}
