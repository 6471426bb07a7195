//! Reports options that do not do what they state, with their lines.

use super::{MauiOptions, split_index};
use qscope_engine::cluster::did_you_mean::question;
use qscope_engine::cluster::{Diagnostic, FilePosition, Severity, Snapshot};

/// Returns the mistakes in `maui.cfg` and `[maui]`: an unknown policy, component or option, an invalid value,
/// an index that names nothing.
pub fn mistakes(snap: &Snapshot) -> Vec<Diagnostic> {
    // The options of policy.toml come first, then those of maui.cfg, which have lines.
    let written = snap.maui.len().saturating_sub(snap.maui_lines.len());
    let mut found = Vec::new();
    for (at, (name, value)) in snap.maui.iter().enumerate() {
        let mut alone = MauiOptions::default();
        alone.set(name, value);
        let line = at.checked_sub(written).and_then(|at| snap.maui_lines.get(at));
        for message in alone.mistakes.into_iter().chain(lost_index(snap, name)) {
            let file = if line.is_some() { "maui.cfg" } else { "policy.toml" };
            let spot = line.map_or(FilePosition::File, |line| FilePosition::Line(*line));
            found.push(Diagnostic::new(Severity::Error, code(&message), file, spot, message));
        }
    }
    found
}

/// Returns the code of a mistake, so that each kind is shown separately.
fn code(message: &str) -> &'static str {
    match () {
        () if message.starts_with("PRIORITYF") => "maui-formula",
        () if message.contains('[') && message.contains("is called") => "maui-index",
        () if message.contains("takes no index") => "maui-index",
        () if message.contains("is no node allocation policy") => "maui-policy",
        () => "maui-option",
    }
}

/// Reports an index of an option that names no node, or no queue and no partition.
fn lost_index(snap: &Snapshot, name: &str) -> Option<String> {
    let (base, index) = split_index(name);
    let index = index?;
    let nodes = || snap.nodes.iter().map(|node| &*node.name);
    let queues = || snap.queues.iter().map(|queue| &*queue.name);
    let partitions = || {
        let all = snap.nodes.iter().flat_map(|node| [&node.partition, &node.extra.partition]);
        all.flatten().map(|name| &**name)
    };
    match base.to_ascii_uppercase().as_str() {
        "NODECFG" if index != "DEFAULT" && !nodes().any(|name| name == index) => {
            Some(format!("NODECFG[{index}]: no node is called `{index}`{}", question(index, nodes())))
        }
        "NODEALLOCATIONPOLICY" if !queues().chain(partitions()).any(|name| name == index) => {
            let asked = question(index, queues().chain(partitions()));
            Some(format!("{base}[{index}]: no queue and no partition is called `{index}`{asked}"))
        }
        _ => None,
    }
}
