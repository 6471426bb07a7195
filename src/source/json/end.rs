//! Finds the end of a dump in JSON behind which other text may stand.

/// Number of lines after the end of JSON, such as what `time` prints.
const MAX_LINES_AFTER: usize = 20;

/// Whether JSON ends with its outermost brace, also if other text or zero bytes follow that. The brace is taken for the
/// outermost one at the end of the file, at the beginning of a line, or at the end of a line that begins with the object.
pub fn has_json_end(bytes: &[u8]) -> bool {
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

    #[test]
    fn the_end_of_json_is_found_before_other_text_and_zeros() {
        let whole = [
            "{\n}\n",
            "{\"a\":{}}",
            "{\"a\":{}}\nreal 1s\n",
            "{\n}\0\0",
            "{\n}[root@head ~]# \n",
            "{\"a\":{}}\0\0\nx",
        ];
        for text in whole {
            assert!(has_json_end(text.as_bytes()), "{text:?}");
        }
        for text in ["{\n  \"a\":{\n  },\n", "{\"a\":{\"b\":1", "{\n},\n  \"a", "", "\0\0"] {
            assert!(!has_json_end(text.as_bytes()), "{text:?}");
        }
    }
}
