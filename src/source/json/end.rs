//! Finds the true end of a dump in JSON.

use memchr::memchr3;

use super::header::object_start;
use super::string::skip_blanks;
use crate::scan::first_of;

/// Where a search for the end of an object stops.
enum ObjectEnd {
    /// At this byte, behind the outermost brace.
    Closed(usize),
    /// Within an object.
    Open,
    /// Within a string that begins with a brace: most likely behind a string, since a quote is printed without an
    /// escape.
    Unclear,
}

/// Number of lines after the end of JSON that are examined for it, such as what `time` prints.
const MAX_LINES_AFTER: usize = 20;

/// Whether JSON ends with its outermost brace, whatever text or zero bytes follow that. Another object that follows
/// must end too.
pub fn has_json_end(bytes: &[u8]) -> bool {
    let Some(mut at) = object_start(bytes) else { return false };
    if is_indented_to_end(bytes, at) {
        return true;
    }
    loop {
        let end = match object_end(bytes, at) {
            ObjectEnd::Closed(end) => end,
            ObjectEnd::Open => return false,
            ObjectEnd::Unclear => return has_brace_at_end(bytes),
        };
        let rest = bytes.get(end..).unwrap_or_default();
        // Behind a brace too many, records go on.
        if matches!(rest.get(skip_blanks(rest, 0)), Some(b',' | b'}' | b'"')) {
            return has_brace_at_end(bytes);
        }
        let Some(next) = object_start(rest) else { return true };
        at = end + next;
    }
}

/// Whether the lines of the object that begins here are indented, except the last one, which is its brace: clients
/// print so, and what they print is as long as a cluster is large.
fn is_indented_to_end(bytes: &[u8], start: usize) -> bool {
    let body = bytes.get(start + 1..).unwrap_or_default();
    let is_indented = matches!(body, [b'\n', b' ' | b'\t', ..]);
    is_indented && without_padding(body).ends_with(b"\n}")
}

/// Returns where the object that begins here ends.
fn object_end(bytes: &[u8], start: usize) -> ObjectEnd {
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr3(b'"', b'{', b'}', rest)) {
        at += found + 1;
        match bytes.get(at - 1) {
            Some(b'"') => match string_end(bytes, at) {
                Some(end) => at = end,
                None if bytes.get(skip_blanks(bytes, at)) == Some(&b'}') => return ObjectEnd::Unclear,
                None => return ObjectEnd::Open,
            },
            Some(b'{') => depth += 1,
            _ if depth <= 1 => return ObjectEnd::Closed(at),
            _ => depth -= 1,
        }
    }
    ObjectEnd::Open
}

/// Returns the position behind the quote that ends a string: one that what can follow a string follows.
fn string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at = first_of(bytes, at, b'"', b'\\')?;
        if bytes.get(at) == Some(&b'\\') {
            at += 2;
            continue;
        }
        at += 1;
        if matches!(bytes.get(skip_blanks(bytes, at)), None | Some(b':' | b',' | b'}' | b']')) {
            return Some(at);
        }
    }
}

/// Whether a brace that looks like the outermost one stands at the end, at the beginning of one of the last lines, or at
/// the end of one that begins with the object.
fn has_brace_at_end(bytes: &[u8]) -> bool {
    let content = without_padding(bytes);
    let ends = |line: &[u8]| {
        let is_brace = line.first() == Some(&b'}') && !without_padding(line).ends_with(b",");
        is_brace || line.starts_with(b"{") && without_padding(line).ends_with(b"}")
    };
    content.ends_with(b"}") || content.rsplit(|byte| *byte == b'\n').take(MAX_LINES_AFTER).any(ends)
}

/// Returns the bytes before blanks and zeros at the end, which a file system may leave after a crash.
fn without_padding(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().rposition(|byte| !byte.is_ascii_whitespace() && *byte != 0);
    length.and_then(|last| bytes.get(..=last)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOBS: &str =
        r#"{"timestamp":1,"Jobs":{"1.s":{"Job_Name":"a } {","comment":"\"x\\"},"2.s":{"n":["a","b"]}}}"#;

    #[test]
    fn json_before_other_text_is_whole() {
        let whole = [
            "{\n}\n",
            "{\n  \"a\":{\n  }\n}",
            "{\"a\":{}}\nreal 1s\n",
            "{\"a\":{}} real 1s {",
            "{\n}\0\0",
            "{\n}[root@head ~]# \n",
            "{\"a\":{}}\0\0\nx",
            "{\"a\":1,\n\"Jobs\":{}}\n\nreal 1s\n",
            "{\"a\":\"b\"}{\"c\":\"d\"}\n",
            "$ qstat\n{\"a\":\"b\"}\n",
            "{\"a\":{\"comment\":\"wrote \"no\" to it\"}}\n",
            "{\"a\":{\"comment\":\"wrote \", and left\"\n}}\n",
        ];
        for text in whole.into_iter().chain([JOBS]) {
            assert!(has_json_end(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn json_cut_anywhere_is_not_whole() {
        for end in 0..JOBS.len() {
            assert!(!has_json_end(&JOBS.as_bytes()[..end]), "{}", &JOBS[..end]);
        }
        let lines = "{\n  \"Jobs\":{\n    \"1.s\":{\n      \"a\":\"b\"\n    },\n    \"2.s\":{\n    }\n  }\n}";
        for end in 0..lines.len() {
            assert!(!has_json_end(&lines.as_bytes()[..end]), "{}", &lines[..end]);
        }
        for text in ["{\n},\n  \"a", "", "\0\0", "no object }", "{\"a\":{}}\n{\"b\":{", "{\"a\":{}\0\0"] {
            assert!(!has_json_end(text.as_bytes()), "{text:?}");
        }
    }
}
