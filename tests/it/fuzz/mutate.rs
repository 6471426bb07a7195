//! Edits of an input: each is a kind and two numbers, so that the same edits make the same input again, and
//! fewer edits a smaller difference.

use super::corpus::Corpus;

/// Kind of the edit, position, and amount.
pub(crate) type Edit = (u8, u32, u32);

/// Maximum length of an edited input in bytes.
pub(crate) const LONGEST: usize = 256 << 10;

/// Numbers at the limits of their types.
const EXTREMES: [&[u8]; 16] = [
    b"0",
    b"-1",
    b"1",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"18446744073709551615",
    b"4294967296",
    b"2147483648",
    b"1e308",
    b"NaN",
    b"inf",
    b"1000000000",
    b"00000000000000000001",
    b"0.0000001",
    b"999999999:59:59",
    b"",
];

/// Returns the input after the edits, in order.
pub(crate) fn edited(seed: &[u8], edits: &[Edit], corpus: &Corpus) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for edit in edits {
        apply(&mut bytes, *edit, corpus);
        bytes.truncate(LONGEST);
    }
    bytes
}

fn apply(bytes: &mut Vec<u8>, (kind, place, amount): Edit, corpus: &Corpus) {
    let at = place as usize % (bytes.len() + 1);
    let few = 1 + amount as usize % 64;
    let end = (at + few).min(bytes.len());
    let word = &corpus.words[amount as usize % corpus.words.len()];
    match kind % 15 {
        0 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << (amount % 8)),
        1 => insert(bytes, at, &[(amount % 256) as u8]),
        2 => drop(bytes.drain(at..end)),
        3 => {
            let copy = bytes[at..end].to_vec();
            insert(bytes, at, &copy);
        }
        4 => insert(bytes, at, &bytes[at..end].repeat(1 + (amount >> 8) as usize % 300)),
        5 => insert(bytes, at, word),
        6 => number(bytes, at, EXTREMES[amount as usize % EXTREMES.len()]),
        7 => value(bytes, at, word),
        8 => value(bytes, at, EXTREMES[amount as usize % EXTREMES.len()]),
        9 => line(bytes, at, |line| line.repeat(2)),
        10 => line(bytes, at, |_| Vec::new()),
        11 => line(bytes, at, |line| line.repeat(1 + amount as usize % 200)),
        12 => splice(bytes, at, amount, corpus),
        13 => bytes.truncate(at),
        _ => insert(bytes, at, &word.repeat(1 + (amount >> 16) as usize % 100)),
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, what: &[u8]) {
    drop(bytes.splice(at..at, what.iter().copied()));
}

/// Replaces the digits at a position, or the next ones after it.
fn number(bytes: &mut Vec<u8>, at: usize, by: &[u8]) {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let Some(start) = bytes[at..].iter().position(is_digit).map(|ahead| at + ahead) else { return };
    let end = bytes[start..].iter().position(|byte| !is_digit(byte)).map_or(bytes.len(), |far| start + far);
    drop(bytes.splice(start..end, by.iter().copied()));
}

/// Replaces the value after the next `=` or `:`, up to the end of the value.
fn value(bytes: &mut Vec<u8>, at: usize, by: &[u8]) {
    let is_sign = |byte: &u8| matches!(byte, b'=' | b':');
    let Some(start) = bytes[at..].iter().position(is_sign).map(|ahead| at + ahead + 1) else { return };
    let is_end = |byte: &u8| matches!(byte, b'\n' | b',' | b'}' | b'+' | b'|');
    let end = bytes[start..].iter().position(is_end).map_or(bytes.len(), |far| start + far);
    drop(bytes.splice(start..end, by.iter().copied()));
}

/// Replaces the line at a position.
fn line(bytes: &mut Vec<u8>, at: usize, by: impl Fn(&[u8]) -> Vec<u8>) {
    let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |before| before + 1);
    let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |far| at + far + 1);
    let new = by(&bytes[start..end]);
    drop(bytes.splice(start..end, new));
}

/// Inserts a part of another input.
fn splice(bytes: &mut Vec<u8>, at: usize, amount: u32, corpus: &Corpus) {
    let all = corpus.of(super::corpus::Seeds::Any);
    let other = all[amount as usize % all.len()];
    let from = (amount >> 8) as usize % (other.len() + 1);
    let to = (from + 1 + (amount >> 4) as usize % 2000).min(other.len());
    insert(bytes, at, &other[from..to.max(from)]);
}
