//! Normalizes bytes to what clients print: UTF-8, without byte order marks and terminal escapes.

use std::borrow::Cow;

/// Returns the text in UTF-8, without a byte order mark, with blanks for no-break spaces, and without terminal escape
/// sequences (sites 2.3). Line numbers do not change.
pub(crate) fn plain(bytes: &[u8]) -> Cow<'_, [u8]> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(clean_bytes(&utf_16(rest, u16::from_le_bytes)).into_owned()),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(clean_bytes(&utf_16(rest, u16::from_be_bytes)).into_owned()),
        [0xef, 0xbb, 0xbf, rest @ ..] => clean_bytes(rest),
        _ => clean_bytes(bytes),
    }
}

/// The same for owned bytes, which are copied only if something changes.
pub(crate) fn into_plain(bytes: Vec<u8>) -> Vec<u8> {
    let changed = match plain(&bytes) {
        Cow::Borrowed(same) if same.len() == bytes.len() => None,
        other => Some(other.into_owned()),
    };
    changed.unwrap_or(bytes)
}

/// Returns a text of another system in UTF-8 with the line ends of clients; any other file is returned as it is.
pub(crate) fn native(bytes: Vec<u8>) -> Vec<u8> {
    let mut bytes = if is_utf_16(&bytes) { into_plain(bytes) } else { bytes };
    if has_cr_alone(&bytes) {
        bytes.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
    }
    bytes
}

/// Whether a text begins with a byte order mark of UTF-16.
fn is_utf_16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff")
}

/// Whether the lines of a text end in a carriage return alone. One in a longer text decides.
fn has_cr_alone(bytes: &[u8]) -> bool {
    memchr::memchr2(b'\r', b'\n', bytes).is_some_and(|at| bytes.get(at) == Some(&b'\r'))
        && memchr::memchr(b'\n', bytes).is_none()
        && memchr::memchr(0, bytes).is_none()
}

/// Decodes UTF-16; invalid units become replacement characters.
fn utf_16(bytes: &[u8], read: fn([u8; 2]) -> u16) -> Vec<u8> {
    let (pairs, _) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| read(*pair));
    let text: String =
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text.into_bytes()
}

/// Removes escape sequences, and replaces no-break spaces by blanks.
fn clean_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    let find_escape = |bytes: &[u8]| memchr::memchr2(0x1b, 0xc2, bytes);
    if find_escape(bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = find_escape(rest) {
        let (before, from) = rest.split_at(at);
        out.extend_from_slice(before);
        rest = match from {
            [0xc2, 0xa0, after @ ..] => {
                out.push(b' ');
                after
            }
            [0x1b, after @ ..] => behind_escape(after),
            [first, after @ ..] => {
                out.push(*first);
                after
            }
            [] => break,
        };
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// Returns the text after an escape sequence: `[`, parameters and a letter; `]` up to the bell; else one byte. A
/// sequence never reaches into the next line.
pub(crate) fn behind_escape(bytes: &[u8]) -> &[u8] {
    let line = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let end = match bytes.first() {
        Some(b'[') => {
            let last = bytes.iter().skip(1).take(line).position(|byte| (0x40..0x7f).contains(byte));
            last.map_or(line, |at| at + 2)
        }
        Some(b']') => bytes.iter().take(line).position(|byte| *byte == 7).map_or(line, |at| at + 1),
        Some(b'\n') | None => 0,
        Some(_) => 1,
    };
    bytes.get(end.min(line.max(1))..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_of_other_systems_are_those_of_clients() {
        let lines = |bytes: &[u8]| String::from_utf8(native(bytes.to_vec())).unwrap();
        assert_eq!(lines(b"a: 1\rb: 2\r"), "a: 1\nb: 2\n");
        assert_eq!(lines(b"\xff\xfea\x00\r\x00b\x00"), "a\nb");
        for kept in ["a\r\nb\r\n", "a\nb\rc", "PBS_MAG!\0\r"] {
            assert_eq!(lines(kept.as_bytes()), kept, "{kept:?}");
        }
    }

    #[test]
    fn bytes_of_other_systems_become_plain() {
        assert_eq!(&*plain(b"\xef\xbb\xbfn1\r\n"), b"n1\r\n");
        assert_eq!(&*plain(b"\xff\xfen\x001\x00\n\x00"), b"n1\n");
        assert_eq!(&*plain(b"\xfe\xff\x00n\x001"), b"n1");
        assert_eq!(&*plain("a\u{a0}=\u{a0}b é".as_bytes()), "a = b é".as_bytes());
        assert_eq!(&*plain(b"\x1b[01;32mn1\x1b[0m\n\x1b]0;title\x07x\n\x1b"), b"n1\nx\n");
        assert_eq!(&*plain(b"\x1b[12\nn1"), b"\nn1");
        assert!(matches!(plain(b"n1\n"), Cow::Borrowed(_)));
    }
}
