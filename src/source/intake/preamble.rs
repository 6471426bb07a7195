//! Removes text above, below and between the records of a dump: banners, prompts, the echo of a shell.
//!
//! Such lines are blanked, so that every other line keeps its number.

use std::borrow::Cow;

use qscope_engine::cluster::count;

use super::kind::{is_attribute, is_node, is_noise};
use crate::record::DumpKind;

/// Maximum number of removed lines that are quoted.
const SHOWN: usize = 2;
/// Maximum length of a quoted line, in characters.
const WIDEST: usize = 60;

/// Lines removed from a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct RemovedLines {
    /// Number of lines above the first record.
    pub(crate) lines_before_records: usize,
    /// Number of prompts and banners after that.
    pub(crate) lines_between_records: usize,
    /// The first of the lines above, shortened.
    pub(crate) first_lines: Vec<String>,
}

impl RemovedLines {
    /// Returns a sentence about it; `None` if nothing was removed.
    pub(crate) fn sentence(&self) -> Option<String> {
        let Self { lines_before_records, lines_between_records, first_lines } = self;
        let lines = |number: &usize| count(*number, "line");
        let such =
            if first_lines.is_empty() { String::new() } else { format!(": {}", first_lines.join(", ")) };
        match (*lines_before_records, *lines_between_records) {
            (0, 0) => None,
            (_, 0) => Some(format!("skipped {} above the first record{such}", lines(lines_before_records))),
            (0, _) => Some(format!("skipped {} of prompts or banners", lines(lines_between_records))),
            _ => Some(format!(
                "skipped {} above the first record{such}, and {} of prompts or banners",
                lines(lines_before_records),
                lines(lines_between_records)
            )),
        }
    }
}

/// Removes lines that belong to no record (sites 2.3). A text without any record is left unchanged.
pub(crate) fn clean(of: DumpKind, bytes: Cow<'_, [u8]>) -> (Cow<'_, [u8]>, RemovedLines) {
    let Some((first, start)) = first_head(of, &bytes) else { return (bytes, RemovedLines::default()) };
    let mut noise = RemovedLines::default();
    let above = bytes.get(..start).unwrap_or_default();
    for line in lines(above).take(first).map(shown).filter(|line| !line.trim().is_empty()) {
        // A comment at the top needs no mention.
        noise.lines_before_records += usize::from(!line.starts_with('#'));
        if noise.first_lines.len() < SHOWN && !line.starts_with('#') {
            noise.first_lines.push(format!("`{}`", shortened(&line)));
        }
    }
    let below = bytes.get(start..).unwrap_or_default();
    noise.lines_between_records = lines(below).filter(|line| is_between(of, line)).count();
    // Only a vnode's name is lost to a comment right above it.
    let is_harmless = of != DumpKind::Nodes || above.trim_ascii().is_empty();
    if noise == RemovedLines::default() && is_harmless {
        return (bytes, noise);
    }
    let mut out = Vec::with_capacity(bytes.len());
    out.resize(first, b'\n');
    for line in below.split_inclusive(|byte| *byte == b'\n') {
        if noise.lines_between_records > 0 && is_between(of, line) {
            out.push(b'\n');
        } else {
            out.extend_from_slice(line);
        }
    }
    (Cow::Owned(out), noise)
}

/// Returns the text before the last record, which may be truncated.
pub(crate) fn without_last_record(of: DumpKind, bytes: &[u8]) -> &[u8] {
    let mut last = 0;
    let mut at = 0;
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let follows = lines.peek().copied().unwrap_or_default();
        if is_head(of, line, follows) {
            last = at;
        }
        at += line.len();
    }
    bytes.get(..last).unwrap_or_default()
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]);
    ends.map(move |end| bytes.get(std::mem::replace(&mut start, end + 1)..end).unwrap_or_default())
}

fn shown(line: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(line)
}

fn shortened(line: &str) -> String {
    line.trim().chars().filter(|c| !c.is_control()).take(WIDEST).collect()
}

/// Whether a line between or after records is a prompt or a banner: it is never indented.
fn is_between(of: DumpKind, line: &[u8]) -> bool {
    let plain = line.first().is_some_and(|first| !first.is_ascii_whitespace());
    if !plain || of == DumpKind::Reservations && memchr::memmem::find(line, b" = ").is_some() {
        return false;
    }
    is_noise(shown(line).trim_end())
}

/// Whether a text has a record that begins at the left margin.
pub(super) fn has_record(of: DumpKind, bytes: &[u8]) -> bool {
    first_head(of, bytes).is_some()
}

/// Returns the number of lines above the first record, and its byte offset.
fn first_head(of: DumpKind, bytes: &[u8]) -> Option<(usize, usize)> {
    let mut at = 0;
    let mut blank_since: Option<(usize, usize, &[u8])> = None;
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if of == DumpKind::Nodes {
            // The next line that is not blank shows whether the one before it is a name.
            if !line.trim_ascii().is_empty() {
                if let Some((number, at, head)) = blank_since
                    && is_head(of, head, line)
                {
                    return Some((number, at));
                }
                blank_since = Some((number, at, line));
            }
        } else if is_head(of, line, b"") {
            return Some((number, at));
        }
        at += line.len();
    }
    None
}

/// Whether a record begins with this line.
pub(super) fn is_head(kind: DumpKind, line: &[u8], follows: &[u8]) -> bool {
    let head = kind.header().as_bytes();
    if let Some(rest) = line.strip_prefix(head) {
        let name = rest.strip_prefix(b": ").or_else(|| rest.strip_prefix(b" ")).unwrap_or_default();
        if !name.trim_ascii().is_empty() && name.trim_ascii().iter().all(|byte| *byte != b' ') {
            return true;
        }
    }
    let (line, follows) = (shown(line), shown(follows));
    kind == DumpKind::Nodes && is_attribute(&follows) && is_node(&line, &follows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(of: DumpKind, text: &str) -> (String, RemovedLines) {
        let (bytes, noise) = clean(of, Cow::Borrowed(text.as_bytes()));
        (String::from_utf8(bytes.into_owned()).unwrap(), noise)
    }

    #[test]
    fn a_banner_is_no_vnode_and_costs_none() {
        let (text, noise) =
            cleaned(DumpKind::Nodes, "Welcome\nmaintenance tonight\nn1\n     Mom = n1\n     state = free\n");
        assert_eq!(text, "\n\nn1\n     Mom = n1\n     state = free\n");
        assert_eq!(noise.lines_before_records, 2);
        assert_eq!(
            noise.sentence().unwrap(),
            "skipped 2 lines above the first record: `Welcome`, `maintenance tonight`"
        );
        let (text, noise) = cleaned(DumpKind::Nodes, "maintenance\nn1\n     state = free\n");
        assert_eq!((&*text, noise.lines_before_records), ("\nn1\n     state = free\n", 1));
    }

    #[test]
    fn prompts_between_records_are_blanked_and_values_stay() {
        let jobs = "$ qstat -f\nJob Id: 1.s\n    Job_Name = a\nb\n[ann@head ~]$ qstat -f 2\nJob Id: 2.s\n    Job_Name = b\nreal\t0m1.2s\n";
        let (text, noise) = cleaned(DumpKind::Jobs, jobs);
        assert_eq!(text, "\nJob Id: 1.s\n    Job_Name = a\nb\n\nJob Id: 2.s\n    Job_Name = b\n\n");
        assert_eq!((noise.lines_before_records, noise.lines_between_records), (1, 2));
    }

    #[test]
    fn a_clean_text_is_not_copied() {
        let text = "Job Id: 1.s\n    Job_Name = a\n";
        assert!(matches!(clean(DumpKind::Jobs, Cow::Borrowed(text.as_bytes())).0, Cow::Borrowed(_)));
        let text = "no record at all\n";
        assert_eq!(cleaned(DumpKind::Jobs, text).0, text);
    }

    #[test]
    fn a_cut_text_ends_before_its_last_record() {
        let text = b"n1\n     Mom = n1\n\nn2\n     Mom = n";
        assert_eq!(without_last_record(DumpKind::Nodes, text), b"n1\n     Mom = n1\n\n");
        assert_eq!(without_last_record(DumpKind::Jobs, b"Job Id: 1.s\n    a"), b"");
    }
}
