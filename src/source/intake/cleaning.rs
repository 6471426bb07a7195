//! Prepares a text of records for its reader.

use std::borrow::Cow;

use super::kind::HEAD;
use super::margin::MovedText;
use super::{encoding, indent, margin, preamble};
use crate::record::DumpKind;

/// Removes banners and prompts, restores the usual indentation, and returns a remark on both. Torque's `qmgr list`
/// indents by a tab, which is replaced by the usual blanks; a truncated text is cut before its last record.
pub(super) fn clean_text(kind: DumpKind, is_cut: bool, bytes: Vec<u8>) -> (Vec<u8>, Option<String>) {
    let bytes = encoding::into_plain(bytes);
    let moved = if preamble::has_record(kind, &bytes) { None } else { margin::removed(Some(kind), &bytes) };
    let to_margin = moved.as_ref().map(MovedText::sentence);
    let mut bytes = moved.map_or(bytes, |moved| moved.bytes);
    if is_cut {
        let whole = preamble::without_last_record(kind, &bytes).len();
        bytes.truncate(whole);
    }
    let (clean, noise) = preamble::clean(kind, Cow::Owned(bytes));
    let clean = clean.into_owned();
    let is_listed = matches!(kind, DumpKind::Queues | DumpKind::Server | DumpKind::Nodes)
        && clean.get(..HEAD.min(clean.len())).is_some_and(|head| {
            let colon = [kind.header().as_bytes(), b":"].concat();
            memchr::memmem::find(head, b"\n\t").is_some() && memchr::memmem::find(head, &colon).is_none()
        });
    let clean = if is_listed { without_tabs(&clean) } else { clean };
    let restored = indent::restored(kind, &clean);
    let remark = restored.is_some().then(|| "restored the indentation of attributes".to_owned());
    let remarks: Vec<String> = noise.sentence().into_iter().chain(to_margin).chain(remark).collect();
    (restored.unwrap_or(clean), (!remarks.is_empty()).then(|| remarks.join("; ")))
}

fn without_tabs(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_prefix(b"\t") {
            Some(rest) => {
                out.extend_from_slice(b"    ");
                out.extend_from_slice(rest);
            }
            None => out.extend_from_slice(line),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_indented_as_a_whole_is_moved_before_anything_else() {
        let text = b"Output:\n\tn1\n\t     Mom = n1\n\n\tn2\n\t     Mom = n";
        let (tidy, remark) = clean_text(DumpKind::Nodes, true, text.to_vec());
        assert_eq!(String::from_utf8(tidy).unwrap(), "\nn1\n     Mom = n1\n\n");
        let expected =
            "skipped 1 line above the first record: `Output:`; removed the indentation of the whole text";
        assert_eq!(remark.as_deref(), Some(expected));
    }

    #[test]
    fn tabs_of_torques_lists_are_blanks() {
        let text =
            b"Queue batch\n\tqueue_type = Execution\n\tenabled = True\n\nQueue long\n\tqueue_type = Route\n";
        let (clean, reported) = clean_text(DumpKind::Queues, false, text.to_vec());
        let clean = String::from_utf8(clean).unwrap();
        assert!(
            clean.starts_with("Queue batch\n    queue_type = Execution\n    enabled = True\n"),
            "{clean}"
        );
        assert_eq!(reported, None);
        // A folded line of `qstat -Qf` stays folded.
        let text = b"Queue: batch\n    acl_users = ann,\n\tbob\n";
        let (clean, _) = clean_text(DumpKind::Queues, false, text.to_vec());
        assert_eq!(clean, text);
    }
}
