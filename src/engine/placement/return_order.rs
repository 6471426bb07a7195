//! The order in which a job examines the nodes it returns to (rule 4.1): that of the hash table by name in which the
//! scheduler keeps them. For few vnodes it is the reverse of the job's placement.

use crate::cluster::Name;
use crate::universe::{Bit, Plan};

/// Returns the vnodes of a placement, each once, in the order the job examines them.
pub(super) fn order_back<'n>(plan: &Plan, vnodes: impl Iterator<Item = &'n Name>) -> Vec<Bit> {
    let mut table = ReturnHashTable::default();
    for name in vnodes {
        if let Some(bit) = plan.bit_named.get(name) {
            table.insert(name.as_bytes(), *bit);
        }
    }
    table.list.into_iter().map(|(_, bit)| bit).collect()
}

/// The successive numbers of buckets as the table grows.
const SIZES: [u64; 14] =
    [13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10_273, 20_753, 42_043, 85_229, 172_933];

/// A hash table as the order of its linked elements: a name whose bucket is empty goes to the front of the whole
/// list, any other to the front of its bucket.
#[derive(Default)]
struct ReturnHashTable {
    list: Vec<(u64, Bit)>,
    size: usize,
}

impl ReturnHashTable {
    fn insert(&mut self, name: &[u8], bit: Bit) {
        if self.list.iter().any(|(_, have)| *have == bit) {
            return;
        }
        while u64::try_from(self.list.len()).unwrap_or(u64::MAX) >= self.groups()
            && self.size + 1 < SIZES.len()
        {
            self.size += 1;
            let linked = std::mem::take(&mut self.list);
            linked.into_iter().for_each(|(hash, bit)| self.link(hash, bit));
        }
        self.link(hash(name), bit);
    }

    fn groups(&self) -> u64 {
        SIZES.get(self.size).copied().unwrap_or(u64::MAX)
    }

    fn link(&mut self, hash: u64, bit: Bit) {
        let groups = self.groups();
        let same = |(have, _): &(u64, Bit)| have % groups == hash % groups;
        let at = self.list.iter().position(same).unwrap_or(0);
        self.list.insert(at, (hash, bit));
    }
}

const SEED: u64 = 0xc70f_6907;
const MULTIPLIER: u64 = 0xc6a4_a793_5bd1_e995;

/// The 64-bit Murmur hash of a name, as the C++ standard library computes it.
fn hash(name: &[u8]) -> u64 {
    let mix = |value: u64| value ^ (value >> 47);
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
    let len = u64::try_from(name.len()).unwrap_or(u64::MAX);
    let mut hash = SEED ^ len.wrapping_mul(MULTIPLIER);
    let mut words = name.chunks_exact(8);
    for bytes in &mut words {
        let data = mix(word(bytes).wrapping_mul(MULTIPLIER)).wrapping_mul(MULTIPLIER);
        hash = (hash ^ data).wrapping_mul(MULTIPLIER);
    }
    let rest = words.remainder();
    if !rest.is_empty() {
        hash = (hash ^ word(rest)).wrapping_mul(MULTIPLIER);
    }
    mix(mix(hash).wrapping_mul(MULTIPLIER))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Id;

    fn order(names: &[&str]) -> Vec<usize> {
        let mut table = ReturnHashTable::default();
        for (at, name) in names.iter().enumerate() {
            table.insert(name.as_bytes(), Bit::at(at));
        }
        table.list.iter().map(|(_, bit)| bit.ix()).collect()
    }

    /// Rule 4.1: names in buckets of their own are in reverse order; a second name of a bucket comes before the
    /// first.
    #[test]
    fn the_way_back_is_that_of_the_hash_table() {
        let mut twice = ReturnHashTable::default();
        twice.insert(b"n00", Bit::at(0));
        twice.insert(b"n00", Bit::at(0));
        assert_eq!(twice.list.len(), 1, "a vnode stands in the table once");
        let names: Vec<String> = (0..40).map(|n| format!("n{n:02}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut all = order(&names);
        assert_ne!(all, (0..40).rev().collect::<Vec<_>>(), "some of 40 share a group");
        all.sort_unstable();
        assert_eq!(all, (0..40).collect::<Vec<_>>());
        let apart: Vec<&str> = vec!["n00", "n05"];
        let groups: Vec<u64> = apart.iter().map(|name| hash(name.as_bytes()) % 13).collect();
        assert_ne!(groups[0], groups[1]);
        assert_eq!(order(&apart), [1, 0]);
    }
}
