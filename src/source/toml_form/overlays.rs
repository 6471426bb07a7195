//! Applies files of the hand-written form to a cluster of dumps.

use super::policy::PolicyPart;
use super::report::{TomlFile, TomlReport};
use super::table::TomlTable;
use super::{node, policy, record, remark};
use qscope_engine::cluster::{Diagnostic, Severity, Snapshot};

/// Adds the facts in `extra.toml` to the nodes of any cluster.
///
/// # Errors
/// All errors in the file; nodes that are named correctly have their values even then.
pub fn apply_extra(text: &str, snap: &mut Snapshot) -> Result<(), Vec<Diagnostic>> {
    let report = TomlReport::default();
    let file = TomlFile { name: "extra.toml", text, report: &report };
    let parsed = file.parse();
    let mut table = TomlTable::root(file, &parsed);
    let index = node::NodeNameIndex::of(snap);
    let tables = table.tables("node");
    record(snap, "extra.toml", text, tables.len());
    for entry in tables {
        node::add_extra(entry, snap, &index);
    }
    table.finish();
    let reported = report.into_diagnostics();
    if reported.is_empty() { Ok(()) } else { Err(reported) }
}

/// Applies a part of `policy.toml` to a cluster of dumps, and returns the remarks about it.
pub(crate) fn apply_policy(text: &str, part: PolicyPart, snap: &mut Snapshot) -> Vec<Diagnostic> {
    let report = TomlReport::default();
    let file = TomlFile { name: "policy.toml", text, report: &report };
    let parsed = file.parse();
    let named = policy::read_part(TomlTable::root(file, &parsed), part, snap);
    let mut reported = report.into_diagnostics();
    if part == PolicyPart::Resources {
        record(snap, "policy.toml", text, named.len());
        if !named.is_empty() {
            let list = named.join(", ");
            let message = format!("set by hand, over the dumps: {list}");
            reported.push(remark("policy.toml", Severity::Note, "policy-by-hand", message));
        }
    } else {
        // Already reported with the first part.
        reported.retain(|reported| reported.code != "toml");
    }
    reported
}
