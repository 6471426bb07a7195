//! Finds single bytes in dumps.

use memchr::memchr2;

/// Returns the position of the first of two bytes from `at` on; to search for one byte, pass it twice. Names and
/// values are mostly short: comparing eight bytes at a time finds their ends sooner than a search designed for long
/// stretches, which continues after that.
#[inline]
pub(crate) fn first_of(bytes: &[u8], mut at: usize, one: u8, other: u8) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    // Sets the high bit of every byte that is 0, correct at least up to the first such byte.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    let (one_everywhere, other_everywhere) = (ONES * u64::from(one), ONES * u64::from(other));
    for _ in 0..4 {
        let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk) else { break };
        let word = u64::from_le_bytes(*word);
        let found = zeros(word ^ one_everywhere) | zeros(word ^ other_everywhere);
        if found != 0 {
            return Some(at + (found.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    memchr2(one, other, bytes.get(at..)?).map(|found| at + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_found_wherever_it_stands() {
        for length in [0, 1, 7, 8, 9, 31, 32, 33, 40, 100] {
            for at in 0..length {
                let mut bytes = vec![b'x' ^ 0x80; length];
                bytes[at] = b'"';
                assert_eq!(first_of(&bytes, 0, b'"', b'\\'), Some(at), "{at} of {length}");
                bytes[at] = b'\\';
                assert_eq!(first_of(&bytes, at, b'"', b'\\'), Some(at), "{at} of {length}");
                assert_eq!(first_of(&bytes, at + 1, b'"', b'\\'), None, "{at} of {length}");
            }
        }
        assert_eq!(first_of(b"\"\\", 0, b'\\', b'\\'), Some(1));
        assert_eq!(first_of(b"!\x23\x22", 0, b'"', b'"'), Some(2));
    }
}
