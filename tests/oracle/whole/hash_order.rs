//! The order in which a C++ `unordered_map` holds names: the real scheduler visits the nodes of an old
//! placement in this order.

/// Hashes bytes as libstdc++ does (Murmur, 64 bits, A).
fn hash(bytes: &[u8]) -> u64 {
    const MUL: u64 = 0xc6a4_a793_5bd1_e995;
    let mix = |value: u64| value ^ (value >> 47);
    let mut hash = 0xc70f_6907_u64 ^ (bytes.len() as u64).wrapping_mul(MUL);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = chunk.iter().rev().fold(0u64, |word, byte| (word << 8) | u64::from(*byte));
        hash = (hash ^ mix(word.wrapping_mul(MUL)).wrapping_mul(MUL)).wrapping_mul(MUL);
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        let word = rest.iter().rev().fold(0u64, |word, byte| (word << 8) | u64::from(*byte));
        hash = (hash ^ word).wrapping_mul(MUL);
    }
    mix(mix(hash).wrapping_mul(MUL))
}

/// The numbers of buckets through which the table grows.
const SIZES: [u64; 9] = [13, 29, 59, 127, 257, 541, 1109, 2357, 5087];

/// Returns the positions of names in the order of a table into which they are inserted one by one.
pub(crate) fn order(names: &[&qscope_engine::cluster::Name]) -> Vec<usize> {
    let hashes: Vec<u64> = names.iter().map(|name| hash(name.as_bytes())).collect();
    let mut size = 0;
    let mut list: Vec<usize> = Vec::new();
    for at in 0..names.len() {
        if at as u64 + 1 > SIZES[size] {
            size += 1;
            let old = std::mem::take(&mut list);
            old.into_iter().for_each(|name| insert(&mut list, name, &hashes, SIZES[size]));
        }
        insert(&mut list, at, &hashes, SIZES[size]);
    }
    list
}

/// Inserts a name: into an empty bucket at the front of the whole list, otherwise at the front of its
/// bucket's names.
fn insert(list: &mut Vec<usize>, name: usize, hashes: &[u64], buckets: u64) {
    let same = |other: &usize| hashes[*other] % buckets == hashes[name] % buckets;
    let place = list.iter().position(same).unwrap_or(0);
    list.insert(place, name);
}
