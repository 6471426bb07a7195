//! Searches the windows of one queue and kind of node, from the most nodes to the longest time.

use qscope_engine::cluster::nearest_holding;

use super::FreeWindow;
use super::probe::{ANY_LENGTH, FitProbe, StartCost};
use crate::request::SubmitRefusal;

/// Finds the windows, most nodes first.
///
/// # Errors
/// The queue accepts no such job.
pub(super) fn windows(probe: &mut FitProbe<'_>, most: usize) -> Result<Vec<FreeWindow>, Vec<SubmitRefusal>> {
    probe.admits()?;
    let mut found: Vec<FreeWindow> = Vec::new();
    let (least, mut minutes) = probe.least();
    let mut below = probe.most() + 1;
    while found.len() < most && below > least {
        let Some(nodes) = widest(probe, least, below, minutes) else { break };
        let Some(window) = grow_window(probe, nodes, minutes) else { break };
        below = window.nodes;
        let ends = window.minutes;
        found.push(window);
        match ends {
            Some(last) => minutes = last + 1,
            None => break,
        }
    }
    Ok(found)
}

/// Returns the largest number of nodes below a bound that starts for this long.
fn widest(probe: &mut FitProbe<'_>, least: u32, below: u32, minutes: i64) -> Option<u32> {
    if probe.starts(least, minutes).is_err() {
        return None;
    }
    let starts = |nodes: i64| u32::try_from(nodes).is_ok_and(|nodes| probe.starts(nodes, minutes).is_ok());
    u32::try_from(nearest_holding(below.into(), least.into(), starts)).ok()
}

/// Extends the time for these nodes, then the nodes for that time, until neither grows.
fn grow_window(probe: &mut FitProbe<'_>, mut nodes: u32, mut minutes: i64) -> Option<FreeWindow> {
    loop {
        minutes = longest(probe, nodes, minutes);
        let StartCost { delays, preempts } = probe.starts(nodes, minutes).ok()?;
        match probe.starts(nodes + 1, minutes) {
            Ok(_) => nodes += 1,
            Err(wider) => {
                let longer = if minutes < ANY_LENGTH { probe.starts(nodes, minutes + 1).err() } else { None };
                let minutes = longer.is_some().then_some(minutes);
                let until = minutes.map(|minutes| probe.now() + minutes * 60);
                return Some(FreeWindow { nodes, minutes, until, longer, wider, delays, preempts });
            }
        }
    }
}

/// Returns the largest number of minutes for which the nodes start.
fn longest(probe: &mut FitProbe<'_>, nodes: u32, from: i64) -> i64 {
    if probe.starts(nodes, ANY_LENGTH).is_ok() {
        return ANY_LENGTH;
    }
    let (mut starts, mut fails) = (from, ANY_LENGTH);
    // Most windows last hours, so the search starts from below.
    let mut step = 60;
    while starts + step < fails {
        if probe.starts(nodes, starts + step).is_err() {
            fails = starts + step;
            break;
        }
        starts += step;
        step *= 4;
    }
    nearest_holding(fails, starts, |minutes| probe.starts(nodes, minutes).is_ok())
}
