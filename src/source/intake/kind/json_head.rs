//! Determines what a JSON answer is about, by its top-level keys.

use super::{DumpDialect, DumpNotation, IntakeKind};
use crate::record::DumpKind;

/// Returns the kind of the object that begins here; `None` if it is not an answer of a client.
pub(super) fn kind(text: &[u8]) -> Option<IntakeKind> {
    let keys = top_keys(text);
    let has_key = |key: &str| keys.contains(&key.as_bytes());
    if has_key("COMMAND") && has_key("RECORDS") {
        return Some(IntakeKind::Lsf("the JSON output"));
    }
    if let Some(of) = DumpKind::ALL.iter().copied().find(|of| has_key(of.section())) {
        return Some(if of == DumpKind::Nodes && is_short(text, of.section()) {
            IntakeKind::ShortNodes
        } else {
            IntakeKind::Dump { of, form: DumpNotation::Json, system: DumpDialect::Pbs }
        });
    }
    let known = ["timestamp", "pbs_version", "pbs_server"].iter().any(|key| has_key(key));
    known.then_some(IntakeKind::EmptyAnswer)
}

/// Whether the nodes of an answer are in the short form, which has only a few attributes.
fn is_short(text: &[u8], section: &str) -> bool {
    let key = format!("\"{section}\"");
    let Some(at) = memchr::memmem::find(text, key.as_bytes()) else { return false };
    let nodes = text.get(at + key.len()..).unwrap_or_default();
    let has_key = |key: &[u8]| memchr::memmem::find(nodes, key).is_some();
    (has_key(b"\"State\"") || has_key(b"\"ncpus f/t\""))
        && !has_key(b"\"state\"")
        && !has_key(b"\"resources_available\"")
}

/// Returns the keys of the outermost object as far as the text goes, skipping strings and inner objects.
fn top_keys(text: &[u8]) -> Vec<&[u8]> {
    let mut keys = Vec::new();
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                let Some(end) = string_end(text, at) else { break };
                let follows = text.get(end..).unwrap_or_default().trim_ascii_start();
                if depth == 1 && follows.first() == Some(&b':') {
                    keys.push(text.get(at + 1..end - 1).unwrap_or_default());
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => break,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    keys
}

/// Returns the position after the closing quote of the string that begins here.
fn string_end(text: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match text.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_outer_keys_count() {
        let text = br#"{"timestamp": 1, "a\"b": {"Jobs": {}}, "nodes": {"n1": {"state": "free"}}}"#;
        let keys: Vec<String> =
            top_keys(text).iter().map(|key| String::from_utf8_lossy(key).into_owned()).collect();
        assert_eq!(keys, ["timestamp", "a\\\"b", "nodes"]);
    }
}
