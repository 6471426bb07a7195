//! Conceals the content of files that are not what their names claim.
//!
//! A link can lead to a file of root that was never meant for readers of dumps, and messages about its lines would
//! end up in pages that are meant for tickets. If no line of a file has the form that its name implies, one sentence
//! reports that, and quotes nothing.

use super::Files;
use super::maui_cfg;
use super::sched_config::is_option;
use super::shares::is_printed_line;
use qscope_engine::cluster::{DayKind, Diagnostic, FilePosition, Severity};

/// Number of lines checked per file, since each is compared with many names; if none of them matches, the file is
/// foreign.
const LINES: usize = 10_000;

/// Whether a line has the form expected in a file.
type LinePredicate = fn(&str) -> bool;

/// Files made of lines, with the form of a line. Dumps report by record, and never quote anything outside of records.
const FORMS: [(&str, LinePredicate); 7] = [
    ("dedicated_time", |line| line.contains('/') && is_date(first(line))),
    ("elim.txt", |line| line.split_whitespace().nth(1).is_some_and(is_number)),
    ("fairshare.txt", |line| is_printed_line(line) || line.starts_with("Fairshare usage units")),
    ("holidays", |line| is_day(first(line))),
    ("maui.cfg", |line| is_parameter(first(line))),
    ("resource_group", |line| line.split_whitespace().nth(1).is_some_and(is_number)),
    ("sched_config", |line| line.split_once(':').is_some_and(|(name, _)| is_option(name.trim()))),
];

fn is_date(word: &str) -> bool {
    is_made_of(word, |byte| byte.is_ascii_digit() || byte == b'/')
}

fn is_day(word: &str) -> bool {
    is_number(word) || word.eq_ignore_ascii_case("year") || DayKind::named(word).is_some()
}

fn is_parameter(word: &str) -> bool {
    let is_known = || maui_cfg::NAMES.iter().any(|name| name.eq_ignore_ascii_case(word));
    is_known()
        || word.len() > 2 && is_made_of(word, |byte| byte.is_ascii_uppercase() || b"_[]".contains(&byte))
}

fn first(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

fn is_number(word: &str) -> bool {
    is_made_of(word, |byte| byte.is_ascii_digit())
}

fn is_made_of(word: &str, of: impl Fn(u8) -> bool) -> bool {
    !word.is_empty() && word.bytes().all(of)
}

/// Replaces everything reported about a file that is not what it claims by one sentence.
pub(crate) fn conceal(files: &Files, reported: &mut Vec<Diagnostic>) {
    for (name, form) in FORMS {
        let Some(Ok(bytes)) = files.get(name).map(|file| &file.bytes) else { continue };
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}');
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !is_comment(line)).collect();
        if lines.is_empty() || lines.iter().take(LINES).any(|line| form(line)) {
            continue;
        }
        let lines = match lines.len() {
            LINES.. => format!("first {LINES}"),
            fewer => fewer.to_string(),
        };
        reported.retain(|reported| &*reported.file != name);
        let message =
            format!("none of its {lines} lines is of the form expected; what stands in it is not shown");
        reported.push(Diagnostic::new(Severity::Error, "file-foreign", name, FilePosition::File, message));
    }
}

fn is_comment(line: &str) -> bool {
    line.is_empty() || line.starts_with(['#', '*', ';'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_makes_no_file_foreign() {
        let count = |line: &str| {
            let mut files = Files::new("t");
            files.insert("dedicated_time", format!("\u{feff}{line}\n").as_str(), None);
            let mut reported = Vec::new();
            conceal(&files, &mut reported);
            reported.len()
        };
        assert_eq!((count("11/21/2026 03:00 11/21/2026 05:00"), count("root:x:0:0")), (0, 1));
    }
}
