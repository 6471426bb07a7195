//! Every node by the condition that stops it, bucket by bucket: which nodes a job loses, and at which step of the
//! funnel.
//!
//! ```text
//! cn[001-008]  3 3 3 3 3 3 3 3        ncpus=16 priority=10
//! cn[009-019]  3 3 3 3 3 3 3 3 4 █ █  ncpus=16
//! █ passes all   1-4 stopped by that condition above
//! ```

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::bucket_names::BucketNames;
use crate::widgets::text::{Align, fit, width};
use crate::wording;
use qscope_engine::universe::{BucketIx, State};
use qscope_explain::{AnswerSection, AnswerTopic, Funnel};

/// Maximum number of nodes drawn in a row; more are counted.
const MAX_CELLS: usize = 24;
/// Columns for the names.
const NAMES: usize = 28;
/// Maximum number of rows.
const MAX_ROWS: usize = 12;

/// Nodes with their signs.
type MarkedNodes<'a> = Vec<(&'a str, char)>;

/// One line of the map.
struct StopRow<'a> {
    /// Empty if the nodes are not grouped by buckets.
    bucket: String,
    nodes: MarkedNodes<'a>,
}

/// The sign of a node that passes all conditions.
const PASSES: char = '█';

/// The map for one chunk of a select; `None` if all nodes pass.
pub(super) fn stop_map(state: &State, funnel: &Funnel) -> Option<AnswerSection> {
    let losing: Vec<_> = funnel.steps.iter().filter(|step| step.lost > 0).collect();
    let mut stopped: FxHashMap<&str, char> = FxHashMap::default();
    for (at, step) in losing.iter().enumerate() {
        let sign = u32::try_from(at + 1).ok().and_then(|at| char::from_digit(at, 10)).unwrap_or('+');
        stopped.extend(step.groups.iter().flat_map(|group| &group.nodes).map(|node| (node.as_str(), sign)));
    }
    if stopped.is_empty() {
        return None;
    }
    let sign = |name: &str| stopped.get(name).copied().unwrap_or(PASSES);
    let (common, rows) =
        by_bucket(state, sign).unwrap_or_else(|| (String::new(), rows_in_dump_order(state, sign)));
    let mut section = AnswerSection::new(AnswerTopic::StopMap, "Nodes, by the condition that stops each");
    let cells_of: Vec<String> = rows.iter().map(|row| cells(&row.nodes)).collect();
    let names_of: Vec<String> = rows
        .iter()
        .map(|row| wording::folded_within(row.nodes.iter().map(|(name, _)| *name), NAMES))
        .collect();
    let widest = |texts: &[String]| texts.iter().map(|text| width(text)).max().unwrap_or(0);
    let (wide_names, wide_cells) = (widest(&names_of), widest(&cells_of));
    for ((row, names), cells) in rows.iter().zip(&names_of).zip(&cells_of) {
        let names = fit(names, wide_names, Align::Left, "…");
        let cells = fit(cells, wide_cells, Align::Left, "…");
        let first = row.nodes.iter().take(2).map(|(name, _)| (*name).to_owned());
        // A narrow column cuts the bucket, whose nodes are named.
        section.row_of(format!("{names}  {cells}  {}", row.bucket).trim_end(), first);
    }
    if !common.is_empty() {
        section.line(format!("all buckets: {common}"));
    }
    let stopped = match losing.len().min(9) {
        0 => String::new(),
        1 => "   1 stopped by that condition above".to_owned(),
        last => format!("   1-{last} stopped by that condition above"),
    };
    section.line(format!("{PASSES} passes all{stopped}"));
    Some(section)
}

/// The nodes of each bucket, and what all buckets have in common; `None` if there are too many buckets.
fn by_bucket(state: &State, sign: impl Fn(&str) -> char) -> Option<(String, Vec<StopRow<'_>>)> {
    let plan = &state.plan;
    let mut rows: BTreeMap<(bool, Option<BucketIx>), MarkedNodes<'_>> = BTreeMap::new();
    for node in &plan.snap.nodes {
        let bit = plan.bit_named.get(&*node.name).copied();
        let bucket = bit.and_then(|bit| state.bucket_of.checked(bit).copied().flatten());
        rows.entry((bucket.is_none(), bucket)).or_default().push((&node.name, sign(&node.name)));
    }
    if rows.len() > MAX_ROWS {
        return None;
    }
    let names: Vec<String> =
        rows.keys().filter_map(|(_, ix)| Some(state.buckets[(*ix)?].name(plan))).collect();
    let (common, names) = BucketNames::of(state).split_common(&names);
    let names = names.into_iter().chain(["in no bucket".to_owned()]);
    let rows = rows.into_values().zip(names).map(|(nodes, bucket)| StopRow { bucket, nodes });
    Some((common, rows.collect()))
}

/// All nodes in dump order, with enough nodes per row to limit the number of rows.
fn rows_in_dump_order(state: &State, sign: impl Fn(&str) -> char) -> Vec<StopRow<'_>> {
    let nodes: MarkedNodes<'_> =
        state.plan.snap.nodes.iter().map(|node| (&*node.name, sign(&node.name))).collect();
    let per_row = nodes.len().div_ceil(MAX_ROWS).max(MAX_CELLS.min(16));
    nodes.chunks(per_row).map(|nodes| StopRow { bucket: String::new(), nodes: nodes.to_vec() }).collect()
}

/// The signs of some nodes in order, or the number of each sign if there are very many nodes.
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
