//! Every node by the condition that stops it, bucket by bucket: which ones a job misses, and at which step of the funnel.
//!
//! ```text
//! ncpus=16 priority=10           3 3 3 3 3 3 3 3        cn[001-008]
//! ncpus=16                       3 3 3 3 3 3 3 3 4 █ █  cn[009-019]
//! █ passes all   1-4 stopped by that condition above
//! ```

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::widgets::text::{Align, fit};
use crate::wording;
use qscope_engine::universe::{BucketIx, State};
use qscope_explain::{Funnel, Section, Topic};

/// So many columns for the bucket, and so many nodes side by side; more of them are counted.
const LABEL: usize = 30;
const MAX_CELLS: usize = 24;
/// So many columns for the names.
const NAMES: usize = 28;
/// So many buckets.
const MAX_ROWS: usize = 16;

/// Nodes with their signs by bucket; those in none last.
type Rows<'a> = BTreeMap<(bool, Option<BucketIx>), Vec<(&'a str, char)>>;

/// A node that passes all.
const PASSES: char = '█';

/// The map of one part of a select; none where all nodes pass, or none is left out.
pub(super) fn stop_map(state: &State, funnel: &Funnel) -> Option<Section> {
    let plan = &state.plan;
    let losing: Vec<_> = funnel.steps.iter().filter(|step| step.lost > 0).collect();
    let mut stopped: FxHashMap<&str, char> = FxHashMap::default();
    for (at, step) in losing.iter().enumerate() {
        let sign = u32::try_from(at + 1).ok().and_then(|at| char::from_digit(at, 10)).unwrap_or('+');
        stopped.extend(step.groups.iter().flat_map(|group| &group.nodes).map(|node| (node.as_str(), sign)));
    }
    if stopped.is_empty() {
        return None;
    }
    let mut rows: Rows<'_> = BTreeMap::new();
    for node in &plan.snap.nodes {
        let bit = plan.bit_named.get(&*node.name).copied();
        let bucket = bit.and_then(|bit| state.bucket_of.checked(bit).copied().flatten());
        let sign = stopped.get(&*node.name).copied().unwrap_or(PASSES);
        rows.entry((bucket.is_none(), bucket)).or_default().push((&node.name, sign));
    }
    let names: Vec<String> =
        rows.keys().filter_map(|(_, ix)| Some(state.buckets[(*ix)?].name(plan))).collect();
    let (common, mut names) = wording::without_common(&names);
    names.push("in no bucket".to_owned());
    let mut section = Section::new(Topic::StopMap, "Nodes, by the condition that stops each");
    let more = rows.len().saturating_sub(MAX_ROWS);
    for ((key, nodes), name) in rows.iter().zip(names).take(MAX_ROWS) {
        let name = if key.0 { "in no bucket".to_owned() } else { name };
        let label = fit(&name, LABEL, Align::Left, "…");
        let folded = wording::folded_within(nodes.iter().map(|(name, _)| *name), NAMES);
        let first = nodes.iter().take(2).map(|(name, _)| (*name).to_owned());
        section.row_of(format!("{label} {:<width$} {folded}", cells(nodes), width = widest(&rows)), first);
    }
    if more > 0 {
        section.line(format!("and {more} more buckets"));
    }
    if !common.is_empty() {
        section.line(format!("all buckets: {common}"));
    }
    let last = losing.len().min(9);
    section.line(format!("{PASSES} passes all   1-{last} stopped by that condition above"));
    Some(section)
}

/// The widest cells of a map.
fn widest(rows: &Rows<'_>) -> usize {
    rows.values().take(MAX_ROWS).map(|nodes| cells(nodes).chars().count()).max().unwrap_or(0)
}

/// The signs of some nodes in their order; of very many how often each.
fn cells(nodes: &[(&str, char)]) -> String {
    if nodes.len() <= MAX_CELLS {
        return nodes.iter().map(|(_, sign)| sign.to_string()).collect::<Vec<_>>().join(" ");
    }
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    for (_, sign) in nodes {
        *counts.entry(*sign).or_default() += 1;
    }
    let one = |(sign, count): (char, usize)| format!("{sign}×{count}");
    counts.into_iter().map(one).collect::<Vec<_>>().join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_nodes_stand_side_by_side_and_many_are_counted() {
        let nodes = [("a", '1'), ("b", '1'), ("c", PASSES)];
        assert_eq!(cells(&nodes), "1 1 █");
        let many: Vec<(&str, char)> = (0..100).map(|n| ("n", if n < 70 { '2' } else { PASSES })).collect();
        assert_eq!(cells(&many), "2×70  █×30");
    }
}
