//! Finds where a string ends, and unescapes it.

use memchr::memchr;

/// Role of a string, which determines what may follow it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StringRole {
    /// A name: a colon follows.
    Key,
    /// A value within an object: the end, or a comma and the next name.
    Member,
    /// A value within an array.
    Element,
}

/// Returns the position of the first byte from `at` on that is not whitespace.
#[inline]
pub(super) fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// Whether the quote at `quote` can end a string of this role, judged by what follows. In valid JSON every unescaped
/// quote can; within a comment printed without escapes hardly any can.
pub(super) fn closes(bytes: &[u8], quote: usize, role: StringRole) -> bool {
    let at = skip_blanks(bytes, quote + 1);
    match (role, bytes.get(at)) {
        (StringRole::Key, next) => next == Some(&b':'),
        (_, None) => true,
        (StringRole::Element, next) => matches!(next, Some(b',' | b']')),
        (StringRole::Member, Some(b'}')) => {
            matches!(bytes.get(skip_blanks(bytes, at + 1)), None | Some(b',' | b'}' | b']' | b'{'))
        }
        (StringRole::Member, Some(b',')) => {
            let mut next = at;
            while bytes.get(next) == Some(&b',') {
                next = skip_blanks(bytes, next + 1);
            }
            match bytes.get(next) {
                None | Some(b'}') => true,
                Some(b'"') => key_follows(bytes, next).unwrap_or(true),
                Some(_) => false,
            }
        }
        (StringRole::Member, Some(b'"')) => key_follows(bytes, at) == Some(true),
        (StringRole::Member, Some(_)) => false,
    }
}

/// Whether a name and a colon start at this quote, if enough bytes follow. A name that contains an escape is
/// accepted.
fn key_follows(bytes: &[u8], quote: usize) -> Option<bool> {
    let length = bytes.get(quote + 1..).and_then(|rest| memchr(b'"', rest))?;
    let end = quote + 1 + length;
    if length > 0 && bytes.get(end - 1) == Some(&b'\\') {
        return Some(true);
    }
    bytes.get(skip_blanks(bytes, end + 1)).map(|next| *next == b':')
}

/// Undoes escapes; also returns the position of the first invalid escape. Invalid ones are kept unchanged.
pub(super) fn unescape(text: &[u8]) -> (Vec<u8>, Option<usize>) {
    let mut out = Vec::with_capacity(text.len());
    let mut bad = None;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let plain = memchr(b'\\', rest).unwrap_or(rest.len());
        out.extend_from_slice(rest.get(..plain).unwrap_or_default());
        at += plain;
        let Some(escape) = text.get(at + 1..).filter(|_| plain < rest.len()) else { break };
        let (length, known) = one_escape(escape, &mut out);
        if !known {
            bad = bad.or(Some(at));
            out.push(b'\\');
        }
        at += 1 + length;
    }
    (out, bad)
}

/// Undoes the escape after a backslash; returns its length in bytes, and whether it is valid.
fn one_escape(escape: &[u8], out: &mut Vec<u8>) -> (usize, bool) {
    let byte = match escape.first() {
        Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'u') => return unicode(escape, out),
        _ => return (0, false),
    };
    out.push(byte);
    (1, true)
}

/// Undoes `uXXXX`, and `uXXXX\uXXXX` for characters that need a surrogate pair.
fn unicode(escape: &[u8], out: &mut Vec<u8>) -> (usize, bool) {
    let hex = |from: usize| {
        let digits = escape.get(from..from + 4).filter(|d| d.iter().all(u8::is_ascii_hexdigit))?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let Some(high) = hex(1) else { return (0, false) };
    let (code, length) = match high {
        0xD800..0xDC00 if escape.get(5..7) == Some(b"\\u") => match hex(7) {
            Some(low @ 0xDC00..0xE000) => (0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00), 11),
            _ => return (0, false),
        },
        code => (code, 5),
    };
    let Some(character) = char::from_u32(code) else { return (0, false) };
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    (length, true)
}

/// Whether a bare text is a JSON number or one of JSON's three words.
pub(super) fn is_json_word(text: &[u8]) -> bool {
    matches!(text, b"true" | b"false" | b"null") || is_number(text)
}

fn is_number(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, text) = digits(text);
    if whole.is_empty() || (whole.len() > 1 && whole.first() == Some(&b'0')) {
        return false;
    }
    let text = match text.split_first() {
        Some((b'.', rest)) => match digits(rest) {
            ([], _) => return false,
            (_, rest) => rest,
        },
        _ => text,
    };
    match text.split_first() {
        None => true,
        Some((b'e' | b'E', rest)) => {
            let rest = rest.strip_prefix(b"+").or_else(|| rest.strip_prefix(b"-")).unwrap_or(rest);
            let (power, rest) = digits(rest);
            !power.is_empty() && rest.is_empty()
        }
        Some(_) => false,
    }
}

/// Splits off the leading digits.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let length = text.iter().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(length).unwrap_or((text, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_json() {
        for good in ["0", "-1", "1.5", "1e5", "1.79522624380975e+15", "true", "null"] {
            assert!(is_json_word(good.as_bytes()), "{good}");
        }
        for bad in ["005", "1.", ".5", "1e", "+1", "True", "12kb", ""] {
            assert!(!is_json_word(bad.as_bytes()), "{bad}");
        }
    }

    #[test]
    fn bad_escapes_are_kept() {
        assert_eq!(unescape(br"a\'b\,c\n"), (b"a\\'b\\,c\n".to_vec(), Some(1)));
        assert_eq!(unescape(br"\ud83d\ude00\u00e9"), ("😀é".as_bytes().to_vec(), None));
        assert_eq!(unescape(br"\ud83d!"), (br"\ud83d!".to_vec(), Some(0)));
        assert_eq!(unescape(br"\u00"), (br"\u00".to_vec(), Some(0)));
    }

    #[test]
    fn only_a_plausible_quote_closes() {
        let bytes = br#""reported "down", ok", "next": 1"#;
        let quotes: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'"').collect();
        let closing: Vec<bool> = quotes.iter().map(|at| closes(bytes, *at, StringRole::Member)).collect();
        assert_eq!(closing, [false, false, false, true, false, false]);
    }
}
