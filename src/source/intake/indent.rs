//! Restores the indentation of attributes that was changed by copying a text through a terminal or a document.

use std::borrow::Cow;

use super::kind::is_attribute;
use super::preamble::is_head;
use crate::record::DumpKind;

/// Indentation of attributes in what `qstat` and `qmgr list` print.
const USUAL: &[u8] = b"    ";

/// Returns a text with its attributes indented by four blanks; `None` if they are, or if the kind is printed otherwise.
pub(super) fn restored(of: DumpKind, bytes: &[u8]) -> Option<Vec<u8>> {
    if matches!(of, DumpKind::Nodes | DumpKind::Reservations) {
        return None;
    }
    let indent = first_indent(of, bytes).filter(|indent| *indent != USUAL)?;
    // A tab also begins the rest of a folded value.
    let is_indented = |line: &[u8]| indent != b"\t" || is_attribute(&shown(line));
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_prefix(indent).filter(|_| is_indented(line)) {
            Some(rest) => {
                out.extend_from_slice(USUAL);
                out.extend_from_slice(rest);
            }
            None => out.extend_from_slice(line),
        }
    }
    Some(out)
}

/// Returns the blanks or tabs before the first attribute of the first record.
fn first_indent(kind: DumpKind, bytes: &[u8]) -> Option<&[u8]> {
    let mut lines = bytes.split(|byte| *byte == b'\n').skip_while(|line| !is_head(kind, line, b"")).skip(1);
    let first = lines.find(|line| !line.trim_ascii().is_empty())?;
    let indent = first.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    is_attribute(&shown(first)).then(|| first.get(..indent)).flatten()
}

fn shown(line: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL_TEXT: &str =
        "Job Id: 1.s\n    Job_Name = a\n    comment = long\n\ttext = b\n\nJob Id: 2.s\n    Job_Name = b\n";

    fn of_jobs(text: &str) -> Option<String> {
        restored(DumpKind::Jobs, text.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn attributes_stand_behind_four_blanks_again() {
        assert_eq!(of_jobs(USUAL_TEXT), None);
        for indent in ["\n  ", "\n        ", "\n\t  "] {
            let changed = USUAL_TEXT.replace("\n    ", indent);
            assert_eq!(of_jobs(&changed).as_deref(), Some(USUAL_TEXT), "{indent:?}");
        }
        assert_eq!(restored(DumpKind::Nodes, b"n1\n     Mom = n1\n"), None);
    }

    /// The rest of a folded value stays what it is.
    #[test]
    fn a_tab_before_an_attribute_is_replaced_and_one_within_a_value_stays() {
        let text = "Job Id: 1.s\n\tJob_Name = a\n\tcomment = long\n\tand longer\n";
        let usual = "Job Id: 1.s\n    Job_Name = a\n    comment = long\n\tand longer\n";
        assert_eq!(of_jobs(text).as_deref(), Some(usual));
    }

    #[test]
    fn deeper_lines_keep_the_difference() {
        let text = "Job Id: 1.s\n        comment = long\n            text\n";
        assert_eq!(of_jobs(text).as_deref(), Some("Job Id: 1.s\n    comment = long\n        text\n"));
    }
}
