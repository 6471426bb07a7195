//! `[[node]]`, in `nodes.toml` and `extra.toml`.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use super::clock::TomlClock;
use super::table::{TomlTable, put, put_some};
use crate::attributes::rows;
use crate::node::ATTRIBUTES;
use qscope_engine::cluster::did_you_mean;
use qscope_engine::cluster::{
    Catalogue, Id, License, MAX_NAMES, Name, Node, NodeExtra, NodeId, NodeState, NodeStates, ResourceId,
    Snapshot, Value, expand,
};

/// Reads one `[[node]]`, which may represent many nodes.
pub(super) fn read(
    mut table: TomlTable<'_>,
    snap: &mut Snapshot,
    clock: &TomlClock,
    index: &mut NodeNameIndex,
) {
    let mut names = names(&mut table);
    let room = MAX_NAMES.saturating_sub(snap.nodes.len());
    if names.len() > room {
        let what =
            format!("there are more than {MAX_NAMES} nodes; the last {} are left out", names.len() - room);
        table.report_at_key("name", what);
        names.truncate(room);
    }
    let node = read_one(&mut table, &mut snap.catalogue, clock);
    for name in names {
        if index.contains(&name) {
            table.report_at_key("name", format!("there are two nodes called `{name}`"));
            continue;
        }
        let id = snap.nodes.push(named(&node, &name));
        index.insert(name.into(), id);
    }
    table.finish();
}

/// The nodes by name, and those of a host.
#[derive(Default)]
pub(crate) struct NodeNameIndex {
    by_name: FxHashMap<Name, NodeId>,
    /// Collected on first use, since few jobs take whole hosts.
    by_host: OnceCell<FxHashMap<Name, Vec<NodeId>>>,
}

impl NodeNameIndex {
    pub(crate) fn of(snap: &Snapshot) -> Self {
        let by_name = snap.nodes.enumerate().map(|(id, node)| (node.name.clone(), id)).collect();
        Self { by_name, by_host: OnceCell::new() }
    }

    pub(crate) fn get(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied()
    }

    fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    fn insert(&mut self, name: Name, id: NodeId) {
        self.by_name.insert(name, id);
        self.by_host.take();
    }

    /// Returns the nodes on the host of a node, including itself; only itself if it names no host.
    pub(super) fn on_host_of(&self, id: NodeId, snap: &Snapshot) -> Vec<NodeId> {
        let Some(host) = snap.nodes[id].host() else { return vec![id] };
        let hosts = self.by_host.get_or_init(|| {
            let mut hosts: FxHashMap<Name, Vec<NodeId>> = FxHashMap::default();
            for (id, node) in snap.nodes.enumerate() {
                if let Some(host) = node.host() {
                    hosts.entry(host.clone()).or_default().push(id);
                }
            }
            hosts
        });
        hosts.get(host).cloned().unwrap_or_default()
    }

    /// Returns the message about a node that does not exist.
    pub(super) fn unknown(&self, name: &str) -> String {
        let mut known: Vec<(usize, &str)> =
            self.by_name.iter().map(|(name, id)| (id.ix(), &**name)).collect();
        known.sort_unstable();
        let asked = did_you_mean::question(name, known.into_iter().map(|(_, name)| name));
        format!("no node is called `{name}`{asked}")
    }
}

fn names(table: &mut TomlTable<'_>) -> Vec<String> {
    let Some(pattern) = table.required("name", "a node needs a `name`") else { return Vec::new() };
    table.call(&pattern.chars().take(200).collect::<String>());
    expand(&pattern).unwrap_or_else(|why| {
        let shown: String = pattern.chars().take(60).collect();
        let cut = if shown.len() < pattern.len() { "…" } else { "" };
        table.report_at_key("name", format!("the name `{shown}{cut}` cannot be expanded: {why}"));
        Vec::new()
    })
}

fn read_one(table: &mut TomlTable<'_>, catalogue: &mut Catalogue, clock: &TomlClock) -> Node {
    let mut node = Node { license: License::Locked, resv_enable: true, ..Node::default() };
    rows::read_toml(ATTRIBUTES, &mut node, table, catalogue);
    if let Some(host) = table.text("host") {
        node.available.set(ResourceId::host(), Value::Texts(Box::new([host])));
    }
    put(&mut node.states, states(table));
    put_some(&mut node.last_used, clock.moment(table, "last_used"));
    read_extra(table, &mut node.extra);
    node
}

/// Reads `state = "offline,down"`.
fn states(table: &mut TomlTable<'_>) -> Option<NodeStates> {
    let words = table.names("state")?;
    let mut states = NodeStates::FREE;
    for word in words.iter().filter(|word| &***word != "free") {
        match NodeState::from_word(word) {
            Some(state) => states = states.with(state),
            None => {
                let known = NodeState::ALL.iter().copied().map(NodeState::word).chain(["free"]);
                let asked = did_you_mean::question(word, known);
                table.report_at_key("state", format!("`{word}` is not a state of a node{asked}"));
            }
        }
    }
    Some(states)
}

/// Returns the node under one of its names: host and daemon default to the name.
fn named(node: &Node, name: &str) -> Node {
    let mut node = Node { name: name.into(), ..node.clone() };
    let text = |name: &str| Value::Texts(Box::new([name.into()]));
    node.available.set(ResourceId::vnode(), text(name));
    if node.available.get(ResourceId::host()).is_none() {
        node.available.set(ResourceId::host(), text(name));
    }
    if node.moms.is_empty() {
        node.moms =
            node.available.get(ResourceId::host()).map(|host| host.texts().to_vec()).unwrap_or_default();
    }
    node
}

/// Reads attributes that only the allocation policies use; a missing key changes nothing.
fn read_extra(table: &mut TomlTable<'_>, extra: &mut NodeExtra) {
    put_some(&mut extra.load, table.number("load"));
    put_some(&mut extra.speed, table.number("speed"));
    put_some(&mut extra.procspeed, table.number("procspeed"));
    put_some(&mut extra.slot, table.integer("slot"));
    put(&mut extra.features, table.names("features"));
    put_some(&mut extra.usage, table.number("usage"));
    put_some(&mut extra.priorityf, table.text("priorityf"));
    put(&mut extra.preemptible, table.boolean("preemptible"));
}

/// Moves partitions to the allocation policies if there are options for these and neither the scheduler nor a queue
/// has a partition: they then hide no node from the scheduler (allocation policies, rule 1.6).
pub(super) fn settle_partitions(snap: &mut Snapshot) {
    let theirs = !snap.scheduler.partitions.is_empty() || snap.queues.iter().any(|q| q.partition.is_some());
    if snap.maui.is_empty() || theirs {
        return;
    }
    snap.nodes.change_where(
        |_, node| node.partition.is_some() || node.extra.partition.is_some(),
        |_, node| node.extra.partition = node.partition.take(),
    );
}

/// Adds the facts of one `[[node]]` of `extra.toml` to the nodes that it names.
pub(super) fn add_extra(mut table: TomlTable<'_>, snap: &mut Snapshot, index: &NodeNameIndex) {
    let names = names(&mut table);
    let mut read = NodeExtra { partition: table.text("partition"), ..NodeExtra::default() };
    read_extra(&mut table, &mut read);
    for name in names {
        let Some(id) = index.get(&name) else {
            table.report_at_key("name", index.unknown(&name));
            continue;
        };
        let Some(node) = snap.nodes.checked_mut(id) else { continue };
        put_some(&mut node.extra.partition, read.partition.clone());
        put_some(&mut node.extra.load, read.load);
        put_some(&mut node.extra.speed, read.speed);
        put_some(&mut node.extra.procspeed, read.procspeed);
        put_some(&mut node.extra.slot, read.slot);
        put_some(&mut node.extra.usage, read.usage);
        put_some(&mut node.extra.priorityf, read.priorityf.clone());
        node.extra.preemptible |= read.preemptible;
        if !read.features.is_empty() {
            node.extra.features.clone_from(&read.features);
        }
    }
    table.finish();
}
