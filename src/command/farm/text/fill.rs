//! The fill factor over the window as a line of blocks for each policy, and its difference from relaxed.

use qscope_exits::Lines;
use qscope_planning::farm::{FarmCase, FarmRun};

/// Width of the line of blocks, in columns.
const WIDTH: usize = 60;

/// Adds the lines of all policies.
pub(super) fn add_fill_lines(text: &mut Lines, case: &FarmCase, runs: &[FarmRun]) {
    let total = case.workload.total_slots().max(1) as f64;
    text.blank();
    text.line("fill factor over the window, 0 to 1");
    for run in runs {
        text.line(format_args!("{:<12}{}", run.options.name, blocks(&squeeze(&run.fill, WIDTH), total)));
    }
    let named = |name: &str| runs.iter().find(|run| run.options.name == name);
    let Some(relaxed) = named("relaxed") else { return };
    for run in runs.iter().filter(|run| !matches!(run.options.name.as_str(), "relaxed" | "real")) {
        let difference: Vec<f64> = relaxed.fill.iter().zip(&run.fill).map(|(a, b)| a - b).collect();
        let largest = difference.iter().fold(0.0f64, |most, slots| most.max(slots.abs()));
        if largest < 1.0 {
            continue;
        }
        let cost = run.summary.cost_against(&relaxed.summary).unwrap_or(0.0);
        let line = signed(&squeeze(&difference, WIDTH), largest);
        text.line(format_args!(
            "{:<12}{line}  relaxed less this, up to {largest:.0} slots; costs {cost:.0}",
            run.options.name
        ));
    }
}

/// Averages neighbouring columns so that at most `width` remain.
fn squeeze(columns: &[f64], width: usize) -> Vec<f64> {
    let each = columns.len().div_ceil(width).max(1);
    columns.chunks(each).map(|part| part.iter().sum::<f64>() / part.len() as f64).collect()
}

fn blocks(columns: &[f64], full: f64) -> String {
    let marks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let mark = |value: &f64| {
        // Only a full value gets the full block, and any value above zero gets a visible one.
        let eighth =
            (value / full * 8.0 + 0.05).floor().clamp(f64::from(u8::from(*value > 0.0)), 8.0) as usize;
        eighth.checked_sub(1).and_then(|at| marks.get(at)).copied().unwrap_or(' ')
    };
    columns.iter().map(mark).collect()
}

/// Draws values above zero as blocks, and those clearly below zero as a separate mark.
fn signed(columns: &[f64], largest: f64) -> String {
    columns
        .iter()
        .map(
            |value| {
                if *value < -largest / 16.0 { "-".to_owned() } else { blocks(&[value.max(0.0)], largest) }
            },
        )
        .collect()
}
