//! Reads vnodes that a what-if adds: copies of an existing one, or with given amounts.

use super::{SettingDraft, read_setting_as};
use crate::attributes::rows;
use crate::node;
use crate::setting::SettingError;
use crate::setting::key::ParsedSetting;
use qscope_engine::cluster::did_you_mean::question;
use qscope_engine::cluster::{Name, Node};

/// Maximum number of vnodes that one setting adds.
const MOST: usize = 100_000;

/// Returns the vnodes of one setting, idle and free.
///
/// # Errors
/// If there is no number, no vnode to copy, or an invalid amount.
pub(super) fn read(draft: &mut SettingDraft<'_>, key: &ParsedSetting<'_>) -> Result<Vec<Node>, SettingError> {
    let count =
        key.value.trim_start_matches('+').parse::<usize>().ok().filter(|count| (1..=MOST).contains(count));
    let Some(count) = count else {
        return Err(key.error_at_part(key.value, format!("expected how many vnodes, from 1 to {MOST}")));
    };
    let model = model(draft, key)?;
    let mut names = names(draft, if key.object().contains('=') { "new" } else { key.object() });
    Ok((0..count).filter_map(|_| names.next()).map(|name| model.idle_copy(name)).collect())
}

/// Returns the vnode to be copied.
fn model(draft: &mut SettingDraft<'_>, setting: &ParsedSetting<'_>) -> Result<Node, SettingError> {
    let snap = draft.snap;
    let named = setting.object();
    if let Some(id) = snap.node_named(named) {
        return Ok(draft.nodes.get(&id).unwrap_or(&snap.nodes[id]).clone());
    }
    if !named.contains('=') {
        let asked = question(named, snap.nodes.iter().map(|node| &*node.name));
        let what = format!(
            "no vnode is called `{named}`{asked}; amounts are named too: add_nodes.ncpus=16:mem=64gb=2"
        );
        return Err(setting.error_at_part(named, what));
    }
    let license = snap.nodes.iter().next().map(|node| node.license).unwrap_or_default();
    let mut made = Node { license, resv_enable: true, ..Node::default() };
    for part in named.split(':') {
        let Some((resource, value)) = part.split_once('=') else {
            return Err(setting.error_at_part(part, "expected RESOURCE=VALUE between the colons"));
        };
        setting.knows(resource, snap)?;
        let mut cx = draft.readers.context();
        let available = ("resources_available", Some(resource), value);
        read_setting_as(setting, available, &mut cx, |reader| {
            rows::set(node::ATTRIBUTES, &mut made, reader)
        })?;
    }
    Ok(made)
}

/// Returns unused names of vnodes: `n3-new1`, `n3-new2`.
fn names(draft: &SettingDraft<'_>, stem: &str) -> impl Iterator<Item = Name> + use<> {
    let there = draft.snap.nodes.iter().chain(&draft.new_nodes).map(|node| node.name.clone());
    let taken: rustc_hash::FxHashSet<Name> = there.collect();
    let stem = if stem == "new" { stem.to_owned() } else { format!("{stem}-new") };
    (1_u32..)
        .map(move |number| Name::from(format!("{stem}{number}")))
        .filter(move |name| !taken.contains(name))
}
