//! Moves a text that is indented as a whole, as documents show output, back to the left margin.

use std::borrow::Cow;

use qscope_engine::cluster::count;

use super::kind::is_attribute;
use super::preamble::is_head;
use crate::record::DumpKind;

/// A text without its left margin.
pub(super) struct MovedText {
    /// The text. Lines outside the indented part are blank, so that all others keep their numbers.
    pub(super) bytes: Vec<u8>,
    /// Number of lines after the first header that were outside.
    outside: usize,
}

impl MovedText {
    /// Returns a sentence about it.
    pub(super) fn sentence(&self) -> String {
        let moved = "removed the indentation of the whole text";
        match self.outside {
            0 => moved.to_owned(),
            lines => format!("{moved}, and {} outside it", count(lines, "line")),
        }
    }
}

/// Returns a text whose records of the kind are indented with their headers, without that indentation; of any kind of
/// dump if none is given. `None` if no header is indented.
pub(super) fn removed(of: Option<DumpKind>, bytes: &[u8]) -> Option<MovedText> {
    let (start, margin) = margin(of, bytes)?;
    let (above, below) = bytes.split_at_checked(start)?;
    let mut moved = MovedText { bytes: above.to_vec(), outside: 0 };
    for line in below.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_prefix(margin) {
            Some(rest) => moved.bytes.extend_from_slice(rest),
            None => {
                moved.outside += usize::from(!line.trim_ascii().is_empty());
                moved.bytes.push(b'\n');
            }
        }
    }
    Some(moved)
}

/// Returns the byte offset of the first header that is indented, and its indentation. The line after it must be an
/// attribute and begin with the same indentation.
fn margin(of: Option<DumpKind>, bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut at = 0;
    let mut above: Option<(usize, &[u8])> = None;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        if line.trim_ascii().is_empty() {
            continue;
        }
        if let Some((start, header)) = above.replace((start, line)) {
            let blanks = header.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let (margin, header) = header.split_at_checked(blanks)?;
            if let Some(follows) = line.strip_prefix(margin).filter(|_| !margin.is_empty())
                && DumpKind::ALL
                    .iter()
                    .filter(|kind| of.is_none_or(|of| **kind == of))
                    .any(|kind| is_head(*kind, header, follows) && is_attribute_of(*kind, follows))
            {
                return Some((start, margin));
            }
        }
    }
    None
}

/// Whether a line is an attribute: those of reservations are not indented.
fn is_attribute_of(of: DumpKind, line: &[u8]) -> bool {
    let shown = String::from_utf8_lossy(line);
    let line = if of == DumpKind::Reservations { Cow::Owned(format!(" {shown}")) } else { shown };
    is_attribute(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOBS: &str =
        "Job Id: 1.s\n    Job_Name = a\n    comment = long\n\ttext\n\nJob Id: 2.s\n    Job_Name = b\n";

    fn moved(of: Option<DumpKind>, text: &str) -> Option<(String, usize)> {
        removed(of, text.as_bytes()).map(|moved| (String::from_utf8(moved.bytes).unwrap(), moved.outside))
    }

    fn indented(text: &str, by: &str) -> String {
        text.split_inclusive('\n')
            .map(|line| if line == "\n" { line.into() } else { format!("{by}{line}") })
            .collect()
    }

    #[test]
    fn a_text_in_a_document_returns_to_the_margin() {
        let nodes = "n1\n     Mom = n1\n     state = free\n\nn2\n     Mom = n2\n";
        let reservations = "Resv ID: R1.s\nReserve_Name = a\nreserve_state = 2\n";
        for by in ["  ", "    ", "\t", " \t"] {
            for (of, text) in
                [(DumpKind::Jobs, JOBS), (DumpKind::Nodes, nodes), (DumpKind::Reservations, reservations)]
            {
                let whole = Some((text.to_owned(), 0));
                assert_eq!(moved(Some(of), &indented(text, by)), whole, "{by:?} {text}");
                assert_eq!(moved(None, &indented(text, by)), whole, "{by:?} {text}");
                assert_eq!(moved(None, text), None, "{text}");
            }
        }
    }

    #[test]
    fn text_around_the_records_stays_outside_and_lines_keep_their_numbers() {
        let text = format!("Output of qstat:\n\n{}The second one waits.\n", indented(JOBS, "    "));
        let expected = format!("Output of qstat:\n\n{JOBS}\n");
        assert_eq!(moved(None, &text), Some((expected, 1)));
        let sentence = removed(None, text.as_bytes()).unwrap().sentence();
        assert_eq!(sentence, "removed the indentation of the whole text, and 1 line outside it");
    }

    #[test]
    fn other_indented_text_is_left_alone() {
        assert_eq!(moved(None, "To do:\n    buy milk\n    n1 is down\n"), None);
        assert_eq!(moved(Some(DumpKind::Nodes), &indented(JOBS, "  ")), None);
        assert_eq!(moved(None, ""), None);
    }
}
