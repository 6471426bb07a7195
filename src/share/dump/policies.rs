//! The hand-written files: what no client prints and no file of the scheduler holds.

use qscope_engine::cluster::{ByPeriod, GroupSortKey, Node, NodeExtra, Snapshot};
use qscope_simulate::dump::maui_options;
use toml::{Table, Value};

use super::DumpFile;

/// Returns `policy.toml` and `extra.toml`, if the cluster has anything for them.
pub(super) fn files(snap: &Snapshot) -> Vec<DumpFile> {
    let policy = policy(snap);
    let extra: String = snap.nodes.iter().filter_map(extra).collect();
    let files = [("policy.toml", policy), ("extra.toml", extra)];
    let present = files.into_iter().filter(|(_, text)| !text.is_empty());
    present.map(|(name, text)| (name, text.into_bytes())).collect()
}

/// Returns the zone of dates, the keys of placement sets that no `sched_config` can hold, and the options of the
/// allocation policies.
fn policy(snap: &Snapshot) -> String {
    let mut text = String::new();
    // A zone known only as this machine's own has no name to write.
    if snap.zone != "local" {
        text += &line("zone", snap.zone.as_str());
    }
    if snap.policy.node_group_sort_requested {
        let ByPeriod { prime, non_prime } = &snap.policy.node_group_sort_key;
        let keys = |keys: &[GroupSortKey]| keys.iter().map(GroupSortKey::show).collect::<Vec<_>>();
        text += "[sched_config.node_group_sort_key]\n";
        text += &(line("prime", keys(prime)) + &line("non_prime", keys(non_prime)));
    }
    if !snap.maui.is_empty() {
        text += "[maui]\n";
        text.extend(maui_options(snap).into_iter().map(|(name, value)| line(name, value)));
    }
    text
}

/// Returns what only the allocation policies read of a node.
fn extra(node: &Node) -> Option<String> {
    let extra = &node.extra;
    let NodeExtra {
        load,
        speed,
        procspeed,
        slot,
        features,
        usage,
        priorityf,
        preemptible,
        partition,
        published: _,
    } = extra;
    let mut text = String::new();
    let mut add = |key, value: Option<Value>| text.extend(value.map(|value| line(key, value)));
    add("load", load.map(Value::from));
    add("speed", speed.map(Value::from));
    add("procspeed", procspeed.map(Value::from));
    add("slot", slot.map(Value::from));
    add("usage", usage.map(Value::from));
    add("priorityf", priorityf.as_deref().map(Value::from));
    add("partition", partition.as_deref().map(Value::from));
    add("preemptible", preemptible.then_some(Value::from(true)));
    let features: Vec<String> = features.iter().map(ToString::to_string).collect();
    add("features", (!features.is_empty()).then(|| features.into()));
    (!text.is_empty()).then(|| format!("[[node]]\n{}{text}", line("name", &*node.name)))
}

/// Returns one line, quoted as needed.
fn line(key: &str, value: impl Into<Value>) -> String {
    Table::from_iter([(key.to_owned(), value.into())]).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::Epoch;

    #[test]
    fn an_option_that_is_set_again_is_written_once() {
        let mut snap = Snapshot::empty("", Epoch(0));
        for (name, value) in [
            ("NODECFG[n1]", "SLOT=1"),
            ("NODEALLOCATIONPOLICY", "FASTEST"),
            ("NODECFG[n1]", "PRIORITYF='LOAD'"),
            ("NODEALLOCATIONPOLICY", "PRIORITY"),
        ] {
            snap.maui.push((name.into(), value.into()));
        }
        let table: Table = policy(&snap).parse().unwrap();
        assert_eq!(table["maui"]["NODECFG[n1]"].as_str(), Some("SLOT=1 PRIORITYF='LOAD'"));
        assert_eq!(table["maui"]["NODEALLOCATIONPOLICY"].as_str(), Some("PRIORITY"));
    }
}
