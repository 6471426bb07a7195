//! Values of the group keys on nodes, and the sets that follow: one for every value of a key and, under the designed
//! order, one for every combination of values of several keys (rules 5.1, 5.6 N1).

use rustc_hash::FxHashMap;

use crate::cluster::{Name, ResourceId, number_of};

use crate::universe::{Bit, GroupOrder};

/// A value that all nodes of a set share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedValue {
    /// The key.
    pub resource: ResourceId,
    pub value: Name,
    /// Rank among all values of the key, compared as texts.
    pub rank: u32,
}

/// The nodes of a set to be created, and what they have in common.
pub(in crate::universe) struct SetMembers {
    /// `key=value`, or `key=value,key=value`.
    pub name: Name,
    /// Shared values; empty for the set of nodes that lack the key.
    pub values: Box<[SharedValue]>,
    /// Number of keys combined.
    pub dims: u8,
    /// In list order.
    pub nodes: Vec<Bit>,
}

/// One key, with the values of each node of a list.
pub(in crate::universe) struct KeyValues {
    key: Name,
    pub resource: ResourceId,
    /// In the order first seen.
    names: Vec<Name>,
    /// Rank of each value as text; empty if values are not compared.
    ranks: Vec<u32>,
    /// Index of the value that stands for unset.
    unset: Option<u32>,
    /// Index in `values` at which each node's values start.
    starts: Vec<usize>,
    values: Vec<u32>,
}

/// What a node has under a key.
pub(in crate::universe) enum NodeKeyValue<'a> {
    Value(&'a Name),
    /// No value.
    Unset,
}

/// Maximum number of memberships created by combinations: nodes with long lists under every key could exhaust the
/// memory.
const MAX_MEMBERSHIPS: usize = 8_000_000;

impl KeyValues {
    /// Reads a key on a list of nodes; `each` passes on the values of a node.
    pub(in crate::universe) fn read(
        key: &Name,
        resource: ResourceId,
        list: &[Bit],
        each: impl Fn(Bit, &mut dyn FnMut(NodeKeyValue<'_>)),
    ) -> Self {
        let mut read = Self {
            key: key.clone(),
            resource,
            names: Vec::new(),
            ranks: Vec::new(),
            unset: None,
            starts: vec![0],
            values: Vec::new(),
        };
        let mut known: FxHashMap<Name, u32> = FxHashMap::default();
        let nothing = Name::from("\"\"");
        let mut last = 0;
        for bit in list {
            each(*bit, &mut |has| {
                let (value, is_unset) = match has {
                    NodeKeyValue::Value(value) => (value, false),
                    NodeKeyValue::Unset => (&nothing, true),
                };
                // Consecutive nodes are mostly in the same set.
                if read.names.get(last as usize) != Some(value) {
                    last = *known.entry(value.clone()).or_insert_with(|| {
                        read.names.push(value.clone());
                        number_of(read.names.len() - 1)
                    });
                }
                if is_unset {
                    read.unset = Some(last);
                }
                read.values.push(last);
            });
            read.starts.push(read.values.len());
        }
        read
    }

    /// Stores the ranks of the values.
    pub(in crate::universe) fn rank(&mut self, order: &GroupOrder) {
        let mut sorted: Vec<(usize, &Name)> = self.names.iter().enumerate().collect();
        sorted.sort_by(|a, b| order.compare_values(a.1, b.1));
        self.ranks = vec![0; self.names.len()];
        for (rank, (at, _)) in (0..).zip(sorted) {
            if let Some(slot) = self.ranks.get_mut(at) {
                *slot = rank;
            }
        }
    }

    /// Returns the values of the node at a position in the list.
    fn of(&self, place: usize) -> &[u32] {
        let end = |place: usize| self.starts.get(place).copied().unwrap_or(self.values.len());
        self.values.get(end(place)..end(place + 1)).unwrap_or_default()
    }

    /// The same without the unset value and without empty texts.
    fn set_values(&self, place: usize) -> impl Iterator<Item = u32> + '_ {
        self.of(place).iter().copied().filter(|value| self.is_value(*value))
    }

    fn is_value(&self, value: u32) -> bool {
        Some(value) != self.unset && !self.name(value).is_empty()
    }

    fn name(&self, value: u32) -> &str {
        self.names.get(value as usize).map_or("", |name| name)
    }

    fn shared(&self, value: u32) -> Option<SharedValue> {
        let name = self.names.get(value as usize).filter(|_| self.is_value(value))?;
        let rank = self.ranks.get(value as usize).copied().unwrap_or(0);
        Some(SharedValue { resource: self.resource, value: name.clone(), rank })
    }

    /// Creates one set for every value, in the order first seen (rule 5.1).
    pub(in crate::universe) fn sets(&self, list: &[Bit]) -> Vec<SetMembers> {
        let mut nodes: Vec<Vec<Bit>> = vec![Vec::new(); self.names.len()];
        for (place, bit) in list.iter().enumerate() {
            for value in self.of(place) {
                // A value may occur twice in a node's list.
                if let Some(nodes) = nodes.get_mut(*value as usize)
                    && nodes.last() != Some(bit)
                {
                    nodes.push(*bit);
                }
            }
        }
        let set = |(value, nodes)| SetMembers {
            name: format!("{}={}", self.key, self.name(value)).into(),
            values: self.shared(value).into_iter().collect(),
            dims: 1,
            nodes,
        };
        (0..).zip(nodes).map(set).collect()
    }
}

/// Creates one set for every combination of values of several keys that some node has, node by node, the last key
/// varying fastest (rule 5.6 N1). Nodes that lack one of the keys are in no set. With `partial`, combinations of some
/// of the keys come before those of all.
///
/// # Errors
/// Returns the number of memberships if it exceeds `MAX_MEMBERSHIPS`.
pub(in crate::universe) fn combinations(
    keys: &[KeyValues],
    list: &[Bit],
    partial: bool,
) -> Result<Vec<SetMembers>, usize> {
    let mut choices: Vec<Vec<&KeyValues>> = Vec::new();
    let smallest = if partial { 2 } else { keys.len().max(2) };
    for size in smallest..=keys.len() {
        choose(keys, size, &mut Vec::new(), &mut choices)?;
    }
    let all = choices.iter().map(|keys| memberships(keys, list.len())).fold(0usize, usize::saturating_add);
    if all > MAX_MEMBERSHIPS {
        return Err(all);
    }
    Ok(choices.iter().flat_map(|keys| tuples(keys, list)).collect())
}

/// Collects all choices of `size` keys, in key order.
fn choose<'k>(
    keys: &'k [KeyValues],
    size: usize,
    chosen: &mut Vec<&'k KeyValues>,
    all: &mut Vec<Vec<&'k KeyValues>>,
) -> Result<(), usize> {
    if size == 0 {
        all.push(chosen.clone());
        return if all.len() > 1000 { Err(usize::MAX) } else { Ok(()) };
    }
    for (at, key) in keys.iter().enumerate().take((keys.len() + 1).saturating_sub(size)) {
        chosen.push(key);
        let rest = keys.get(at + 1..).unwrap_or_default();
        choose(rest, size - 1, chosen, all)?;
        chosen.pop();
    }
    Ok(())
}

fn memberships(keys: &[&KeyValues], nodes: usize) -> usize {
    let of = |place| keys.iter().map(|key| key.set_values(place).count()).fold(1usize, usize::saturating_mul);
    (0..nodes).map(of).fold(0usize, usize::saturating_add)
}

/// Creates the sets of all tuples of values of these keys.
fn tuples(keys: &[&KeyValues], list: &[Bit]) -> Vec<SetMembers> {
    let mut known: FxHashMap<Box<[u32]>, usize> = FxHashMap::default();
    let mut sets: Vec<(Box<[u32]>, Vec<Bit>)> = Vec::new();
    for (place, bit) in list.iter().enumerate() {
        each_tuple(keys, place, &mut Vec::with_capacity(keys.len()), &mut |tuple| {
            let at = known.get(tuple).copied().unwrap_or_else(|| {
                known.insert(tuple.into(), sets.len());
                sets.push((tuple.into(), Vec::new()));
                sets.len() - 1
            });
            if let Some((_, nodes)) = sets.get_mut(at)
                && nodes.last() != Some(bit)
            {
                nodes.push(*bit);
            }
        });
    }
    let dims = u8::try_from(keys.len()).unwrap_or(u8::MAX);
    let set = |(tuple, nodes): (Box<[u32]>, Vec<Bit>)| {
        let named = |(key, value): (&&KeyValues, &u32)| format!("{}={}", key.key, key.name(*value));
        let parts: Vec<String> = keys.iter().zip(&tuple).map(named).collect();
        let values = keys.iter().zip(&tuple).filter_map(|(key, value)| key.shared(*value)).collect();
        SetMembers { name: parts.join(",").into(), values, dims, nodes }
    };
    sets.into_iter().map(set).collect()
}

/// Passes every tuple of values of the node at a position to `each`.
fn each_tuple(keys: &[&KeyValues], place: usize, tuple: &mut Vec<u32>, each: &mut impl FnMut(&[u32])) {
    let Some((first, rest)) = keys.split_first() else { return each(tuple) };
    for value in first.set_values(place) {
        tuple.push(value);
        each_tuple(rest, place, tuple, each);
        tuple.pop();
    }
}
