//! The fast path for the common case: members that are plainly valid JSON.
//!
//! It handles strings without escapes and whole numbers. As in the full parser, a value is accepted only once the
//! next name and its colon, or the object's end, have been seen. At anything else the cursor stays at that member's
//! name, and the full parser takes over.

use super::cursor::Cursor;
use super::string::skip_blanks;
use crate::scan::first_of;

/// Start and end of a range, the end exclusive.
pub(super) type ByteSpan = (usize, usize);

/// Reads members from the cursor's quote on, up to the closing brace or the first member that is not plain. If at
/// least the name of that one is plain, returns its range and the start of its value. Each plain member is passed on
/// with its place, name and value.
#[inline]
pub(super) fn members<'a>(
    cursor: &mut Cursor<'a>,
    mut each: impl FnMut(usize, &'a str, &'a str),
) -> Option<(ByteSpan, usize)> {
    let bytes = cursor.bytes();
    let mut start = cursor.at;
    let (mut name, mut at) = name(bytes, start)?;
    while let Some((value, end)) = value(bytes, at) {
        let Some((key, text)) = cursor.plain(name).zip(cursor.plain(value)) else { break };
        let place = start;
        let next = skip_blanks(bytes, end);
        let following = match bytes.get(next) {
            Some(b',') => {
                start = skip_blanks(bytes, next + 1);
                let Some(following) = self::name(bytes, start) else { break };
                Some(following)
            }
            Some(b'}') => {
                let behind = bytes.get(skip_blanks(bytes, next + 1));
                if !matches!(behind, None | Some(b',' | b'}' | b']' | b'{')) {
                    break;
                }
                start = next;
                None
            }
            _ => break,
        };
        each(place, key, text);
        cursor.at = start;
        (name, at) = following?;
    }
    Some((name, at))
}

/// Reads a plain name in quotes; returns it and where its value starts.
#[inline]
fn name(bytes: &[u8], at: usize) -> Option<(ByteSpan, usize)> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let end = first_of(bytes, at + 1, b'"', b'\\').filter(|end| bytes.get(*end) == Some(&b'"'))?;
    let colon = match bytes.get(end + 1) {
        Some(b':') => end + 1,
        _ => skip_blanks(bytes, end + 1),
    };
    (bytes.get(colon) == Some(&b':')).then(|| ((at + 1, end), skip_blanks(bytes, colon + 1)))
}

/// Reads a plain string or whole number; returns it and where it ends.
#[inline]
fn value(bytes: &[u8], at: usize) -> Option<(ByteSpan, usize)> {
    if bytes.get(at) == Some(&b'"') {
        let end = first_of(bytes, at + 1, b'"', b'\\').filter(|end| bytes.get(*end) == Some(&b'"'))?;
        return Some(((at + 1, end), end + 1));
    }
    let digits = at + usize::from(bytes.get(at) == Some(&b'-'));
    let mut end = digits;
    while bytes.get(end).is_some_and(u8::is_ascii_digit) {
        end += 1;
    }
    let leading_zero = bytes.get(digits) == Some(&b'0') && end > digits + 1;
    let ends = matches!(bytes.get(end), Some(b',' | b'}' | b'\n' | b'\r'));
    (end > digits && !leading_zero && ends).then_some(((at, end), end))
}
