//! Lines for changed vnodes, with equal changes in one line.

use qscope_engine::cluster::InsertionOrderMap;
use qscope_explain::words;

use super::jobs::field_text;
use super::{ChangeLine, ChangeSubject, sides};
use crate::compare::{NodeChange, NodeChangeKind};

/// Returns the lines for changed vnodes, one for each group with equal changes.
pub(super) fn node_lines(changes: &[NodeChange]) -> Vec<ChangeLine> {
    let mut alike: InsertionOrderMap<_, (&'static str, String, Vec<&NodeChange>)> =
        InsertionOrderMap::default();
    for change in changes {
        let (group, text) = (node_group(change.kind), node_text(change));
        let (.., same) = alike.of((group, text.clone()), || (group, text, Vec::new()));
        same.push(change);
    }
    let mut alike = alike.into_all();
    alike.sort_by_key(|(group, ..)| *group == node_group(NodeChangeKind::Free));
    let line = |(group, text, same): (&'static str, String, Vec<&NodeChange>)| {
        let names: Vec<String> = same.iter().map(|change| change.node.to_string()).collect();
        ChangeLine {
            group,
            sides: same.first().map(|change| sides::of_node(change)).unwrap_or_default(),
            name: words::compact(names.iter().map(String::as_str)),
            count: names.len(),
            subject: ChangeSubject::Nodes(names),
            text,
        }
    };
    alike.into_iter().map(line).collect()
}

fn node_group(kind: NodeChangeKind) -> &'static str {
    match kind {
        NodeChangeKind::Free => "nodes: what is left",
        _ => "nodes",
    }
}

fn node_text(change: &NodeChange) -> String {
    let mut parts = Vec::new();
    match (change.before, change.after) {
        (None, Some(states)) => parts.push(format!("new, {states}")),
        (Some(states), None) => parts.push(format!("gone, was {states}")),
        (Some(before), Some(after)) if before != after => parts.push(format!("{before} -> {after}")),
        _ => {}
    }
    for free in &change.free {
        let [before, after] = [&free.before, &free.after].map(|side| side.as_deref().unwrap_or("none"));
        parts.push(format!("{} {before} -> {after} left", free.resource));
    }
    parts.extend(change.altered.iter().map(field_text));
    if parts.is_empty() {
        parts.extend(jobs_moved(change));
    }
    parts.join(", ")
}

/// Returns the number of jobs that came to a node, and of those that left it.
pub(super) fn jobs_moved(change: &NodeChange) -> impl Iterator<Item = String> {
    let jobs = [(change.arrived.len(), "came"), (change.left.len(), "left")];
    let moved = jobs.into_iter().filter(|(count, _)| *count > 0);
    moved.map(|(count, word)| format!("{} {word}", words::count(count, "job")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::NodeStates;

    #[test]
    fn nodes_that_changed_alike_are_one_line() {
        let node = |name: &str| NodeChange {
            node: name.into(),
            kind: NodeChangeKind::Added,
            before: None,
            after: Some(NodeStates::FREE),
            free: Vec::new(),
            altered: Vec::new(),
            arrived: Vec::new(),
            left: Vec::new(),
        };
        let lines = node_lines(&["n1", "n2", "n4"].map(node));
        assert_eq!((lines.len(), &*lines[0].name, &*lines[0].text), (1, "n[1-2,4]", "new, free"));
    }
}
