//! Leaving people's environments out of a dump of jobs.

const KEY: &[u8] = b"\"Variable_List\":";

/// The dump without `Variable_List`, which clients print as lines of their own.
///
/// # Errors
/// One of them could not be told from the rest, so that it would be kept.
pub(super) fn without_environment(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    if !contains(&bytes) {
        return Ok(bytes);
    }
    let mut kept = Vec::with_capacity(bytes.len());
    let mut closing: Option<Vec<u8>> = None;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Some(end) = &closing {
            let bare = line.trim_ascii_end();
            if bare == end.as_slice() || bare.strip_suffix(b",").is_some_and(|bare| bare == end.as_slice()) {
                closing = None;
                if !bare.ends_with(b",") {
                    drop_last_comma(&mut kept);
                }
            }
            continue;
        }
        let bare = line.trim_ascii();
        if !bare.starts_with(KEY) {
            kept.extend_from_slice(line);
        } else if bare.ends_with(b"{") {
            let indent = line.len() - line.trim_ascii_start().len();
            let mut end = line.get(..indent).unwrap_or_default().to_vec();
            end.push(b'}');
            closing = Some(end);
        } else if !bare.ends_with(b",") {
            drop_last_comma(&mut kept);
        }
    }
    if closing.is_some() || contains(&kept) {
        return Err("people's environments could not be left out of it; --environment keeps them".to_owned());
    }
    Ok(kept)
}

fn contains(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, KEY).is_some()
}

/// What was the last member but one is the last now.
fn drop_last_comma(kept: &mut Vec<u8>) {
    let end = kept.trim_ascii_end().len();
    if kept.get(end.wrapping_sub(1)) == Some(&b',') {
        kept.remove(end - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_out(text: &str) -> Result<String, String> {
        without_environment(text.as_bytes().to_vec()).map(|kept| String::from_utf8(kept).unwrap())
    }

    #[test]
    fn environments_are_left_out_wherever_they_stand() {
        let text = "{\n\t\"1\":\t{\n\t\t\"a\":\t1,\n\t\t\"Variable_List\":\t{\n\t\t\t\"HOME\":\t\"}\"\n\t\t},\n\t\t\"b\":\t2\n\t},\n\t\"2\":\t{\n\t\t\"a\":\t1,\n\t\t\"Variable_List\":\t{\n\t\t\t\"X\":\t\"y\"\n\t\t}\n\t}\n}\n";
        let kept = left_out(text).unwrap();
        assert_eq!(
            kept,
            "{\n\t\"1\":\t{\n\t\t\"a\":\t1,\n\t\t\"b\":\t2\n\t},\n\t\"2\":\t{\n\t\t\"a\":\t1\n\t}\n}\n"
        );
        assert!(serde_json::from_str::<serde_json::Value>(&kept).is_ok());
        assert_eq!(left_out("{\n\"a\": 1,\n\"Variable_List\": \"X=1\"\n}\n").unwrap(), "{\n\"a\": 1\n}\n");
    }

    #[test]
    fn what_cannot_be_left_out_is_refused() {
        assert!(left_out("{\"a\": 1, \"Variable_List\": {\"X\": \"secret\"}}\n").is_err());
        assert!(left_out("{\n\t\"Variable_List\":\t{\n\t\t\"X\":\t\"1\"\n").is_err());
    }
}
