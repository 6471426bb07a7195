//! Checks that a client's output is complete.

/// Checks that the bytes are one complete JSON object and nothing else.
///
/// # Errors
/// The reason, as the end of a sentence about the client.
pub(super) fn whole_json(bytes: &[u8]) -> Result<(), String> {
    let Some(start) = bytes.iter().position(|byte| !byte.is_ascii_whitespace()) else {
        return Err("printed nothing".to_owned());
    };
    let rest = bytes.get(start..).unwrap_or_default();
    if rest.first() != Some(&b'{') {
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let shown: String = String::from_utf8_lossy(line).chars().take(60).collect();
        return Err(format!("printed something else than JSON first: `{}`", shown.escape_debug()));
    }
    if closes(rest) || ends_at_the_margin(rest) {
        Ok(())
    } else {
        Err(format!("printed only part of its answer ({} bytes)", bytes.len()))
    }
}

/// Whether the first object closes at the end, ignoring blanks.
fn closes(bytes: &[u8]) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in bytes.iter().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return bytes.get(at + 1..).is_none_or(|rest| rest.iter().all(u8::is_ascii_whitespace));
                }
            }
            _ => {}
        }
    }
    false
}

/// Dumps of some versions contain unescaped quotes, so the ends of strings are unknown. Only a line that closes the
/// object at the left margin still marks its end.
fn ends_at_the_margin(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_end();
    text.ends_with(b"\n}") && text.split(|byte| *byte == b'\n').filter(|line| *line == b"}").count() == 1
}

/// Checks that text ends with a complete line; no text at all is an empty list.
///
/// # Errors
/// The reason, as the end of a sentence about the client.
pub(super) fn whole_text(bytes: &[u8]) -> Result<(), String> {
    match bytes.last() {
        None | Some(b'\n') => Ok(()),
        Some(_) => Err(format!("printed only part of its answer ({} bytes, no end of line)", bytes.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_objects_pass_and_every_prefix_fails() {
        let whole = b"{\n\t\"Jobs\":\t{\n\t\t\"1\":\t{\"a\": \"}\\\"\", \"b\": [1, 2]}\n\t}\n}\n";
        assert!(whole_json(whole).is_ok());
        for end in 0..whole.len() - 2 {
            assert!(whole_json(&whole[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn broken_quotes_do_not_hide_the_end() {
        assert!(whole_json(b"{\n\t\"a\": \"put \"hi\",\n\t\"b\": \"{\"\n}\n").is_ok());
        assert!(whole_json(b"{\n\t\"a\": \"put \"hi\",\n\t\"b\": \"{\"\n").is_err());
    }

    #[test]
    fn what_stands_before_is_shown_escaped() {
        let why = whole_json(b"Password: \x1b[2J\n{}\n").unwrap_err();
        assert_eq!(why, "printed something else than JSON first: `Password: \\u{1b}[2J`");
        assert_eq!(whole_json(b" \n").unwrap_err(), "printed nothing");
        assert!(
            whole_text(b"half a li").is_err() && whole_text(b"").is_ok() && whole_text(b"line\n").is_ok()
        );
    }
}
