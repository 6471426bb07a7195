//! A fast hash of the bytes of a run.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// Hashes four parts of the bytes in parallel, with four lanes each: a single lane would wait for its own
/// multiplications, and a single part for memory.
pub(super) fn hash(bytes: &[u8], first_key: &[u8]) -> u64 {
    let (strides, rest) = bytes.as_chunks::<STRIDE>();
    let quarter = strides.len() / 4;
    let mut parts = strides.chunks_exact(quarter.max(1));
    let [a, b, c, d] = std::array::from_fn(|_| parts.next().unwrap_or_default());
    let mut lanes = [LANES; 4];
    for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
        lanes.iter_mut().zip([a, b, c, d]).for_each(|(lanes, stride)| add(lanes, stride));
    }
    let mut behind = LANES;
    strides.iter().skip(quarter * 4).for_each(|stride| add(&mut behind, stride));
    let mut hasher = FxHasher::default();
    lanes.iter().flatten().chain(&behind).for_each(|lane| hasher.write_u64(*lane));
    hasher.write(rest);
    hasher.write(first_key);
    hasher.finish()
}

/// Number of bytes that are added to the lanes of a part at once.
const STRIDE: usize = 64;

/// Initial values of lanes: digits of pi.
const LANES: [u64; 4] =
    [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89];

/// Adds 16 bytes to each lane.
fn add(lanes: &mut [u64; 4], stride: &[u8; STRIDE]) {
    let (words, _) = stride.as_chunks::<16>();
    lanes.iter_mut().zip(words).for_each(|(lane, word)| *lane = mix_block(*lane, word));
}

/// Adds 16 bytes to a hash: the XOR of both halves of a product.
fn mix_block(lane: u64, bytes: &[u8; 16]) -> u64 {
    let word = u128::from_le_bytes(*bytes);
    let [low, high] = [word as u64, (word >> 64) as u64];
    let product = u128::from(lane ^ low) * u128::from(LANES[0] ^ high);
    (product as u64) ^ ((product >> 64) as u64)
}
