//! An answer as plain text or Markdown.

use unicode_truncate::UnicodeTruncateStr;
use unicode_width::UnicodeWidthStr;

use super::{AnswerLine, AnswerSection, HANG, LineKind};
use crate::words;
use qscope_exits::{Lines, fence, markdown, visible};

/// Renders sections as plain text: sentences wrapped to `columns`, table rows cut to `row_columns` or uncut.
pub fn as_text(sections: &[AnswerSection], columns: usize, row_columns: Option<usize>) -> Lines {
    let mut text = Lines::new();
    for (at, section) in sections.iter().enumerate() {
        if at > 0 {
            text.blank();
        }
        let title = AnswerLine::new(LineKind::Sentence, visible(&section.title).into_owned());
        // Uncut rows are not for a terminal; there the first line is the whole answer and is not wrapped.
        let title_columns = if row_columns.is_some() { columns + TITLE_OUT } else { usize::MAX };
        text.extend(
            wrapped(&title, title_columns).iter().map(|line| line.get(TITLE_OUT..).unwrap_or_default()),
        );
        for line in &section.lines {
            // Escaped before measuring, so that the width is that of the printed text.
            let line = AnswerLine { text: visible(&line.text).into_owned(), ..line.clone() };
            let is_row = line.kind == LineKind::Row;
            text.extend(wrapped(&line, if is_row { row_columns.unwrap_or(usize::MAX) } else { columns }));
        }
    }
    text
}

/// Number of columns by which titles are outdented from the lines below.
const TITLE_OUT: usize = 2;

pub fn as_markdown(sections: &[AnswerSection]) -> Lines {
    let mut text = Lines::new();
    for section in sections {
        text.line(format_args!("### {}", markdown(&section.title)));
        text.blank();
        let fence = fence(section.lines.iter().map(|line| line.text.as_str()));
        let mut table = false;
        for line in &section.lines {
            let row = line.kind == LineKind::Row;
            if row != table {
                text.line(&fence);
                if table {
                    text.blank();
                }
                table = row;
            }
            if row {
                text.line(&line.text);
            } else {
                text.line(format_args!("- {}", markdown(&line.text)));
            }
        }
        if table {
            text.line(&fence);
        }
        text.blank();
    }
    text
}

/// Wraps a line to pieces of at most `columns` columns, the first indented by two, the others to the column where the
/// line goes on. A longer word is kept whole.
pub fn wrapped(line: &AnswerLine, columns: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    // In few columns an indent would leave no room.
    let hang = if line.hanging_indent * 3 > columns { HANG } else { line.hanging_indent };
    let mut piece = match line.kind {
        LineKind::Row => return vec![fit_row(&format!("  {}", line.text), line.list, columns)],
        LineKind::Note => String::from("  - "),
        LineKind::Sentence => String::from("  "),
    };
    for (nth, part) in parts(line).into_iter().enumerate() {
        // A part starts a new line if it does not fit on the current one.
        if nth > 0 && !piece.trim().is_empty() && piece.width() + part.trim_end().width() > columns {
            pieces.push(next_line(&mut piece, hang));
        }
        for (at, word) in words::unbreakable_words(part, columns / 2).into_iter().enumerate() {
            if at > 0 {
                piece.push(' ');
            }
            if !piece.trim().is_empty() && piece.width() + word.width() > columns {
                pieces.push(next_line(&mut piece, hang));
            }
            piece.push_str(word);
        }
    }
    pieces.push(piece.trim_end().to_owned());
    pieces
}

/// Like [`wrapped`], but no piece is wider than `columns`: a word too long for a line, such as an `exec_vnode`,
/// continues on the next.
pub fn wrapped_within(line: &AnswerLine, columns: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    for mut piece in wrapped(line, columns) {
        while piece.width() > columns && columns > LEAST {
            let (full, rest) = piece.split_at(end_of(&piece, columns));
            pieces.push(full.to_owned());
            piece = format!("    {rest}");
        }
        pieces.push(piece);
    }
    pieces
}

/// Width in columns up to which no word is broken.
const LEAST: usize = 12;

/// Returns the byte offset at which to break a piece that is too wide: after the last separator within a name, if
/// that is in the second half of the columns, otherwise at the full width.
fn end_of(piece: &str, columns: usize) -> usize {
    let (kept, _) = piece.unicode_truncate(columns);
    let sign = kept.rfind(['+', ',', ';', '/']).map(|at| at + 1);
    sign.filter(|end| *end > columns / 2).unwrap_or(kept.len())
}

/// Takes the full line and starts the next one at a column.
fn next_line(piece: &mut String, hang: usize) -> String {
    let full = std::mem::replace(piece, " ".repeat(hang));
    full.trim_end().to_owned()
}

/// Splits a line at its preferred breaks.
fn parts(line: &AnswerLine) -> Vec<&str> {
    let mut parts = Vec::with_capacity(line.breaks.len() + 1);
    let mut rest = &*line.text;
    for at in line.breaks.iter().rev() {
        if let Some((before, part)) = rest.split_at_checked(*at) {
            parts.push(part);
            rest = before;
        }
    }
    parts.push(rest);
    parts.reverse();
    parts
}

/// Cuts a row to `columns`. A list of names in its last `list` bytes is shortened to fewer names and a count; if that
/// is not enough, the row is cut and marked.
fn fit_row(text: &str, list: usize, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let parts = text.split_at_checked(text.len().saturating_sub(list)).filter(|(_, list)| !list.is_empty());
    let again = parts.and_then(|(head, list)| {
        let again = words::folded_again(list, columns.checked_sub(head.width())?)?;
        Some(format!("{head}{again}"))
    });
    again.unwrap_or_else(|| {
        let (kept, _) = text.unicode_truncate(columns.saturating_sub(1));
        format!("{kept}…")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnswerTopic;

    #[test]
    fn a_sentence_in_parts_is_broken_between_them_first() {
        let mut section = AnswerSection::new(AnswerTopic::Help, "T");
        section.parts(&["1 aa  ", "bbbb cc, ", "but dddd"], []);
        assert_eq!(wrapped(&section.lines[0], 40), ["  1 aa  bbbb cc, but dddd"]);
        assert_eq!(wrapped(&section.lines[0], 16), ["  1 aa  bbbb cc,", "    but dddd"]);
        assert_eq!(wrapped(&section.lines[0], 12), ["  1 aa", "    bbbb cc,", "    but dddd"]);
        assert_eq!(wrapped(&section.lines[0], 9), ["  1 aa", "    bbbb", "    cc,", "    but", "    dddd"]);
    }

    #[test]
    fn a_sentence_goes_on_below_its_column() {
        let line = AnswerLine {
            hanging_indent: 8,
            ..AnswerLine::new(LineKind::Sentence, "✗ nodes 6 of 28 nodes free")
        };
        assert_eq!(wrapped(&line, 24), ["  ✗ nodes 6 of 28 nodes", "        free"]);
        assert_eq!(wrapped(&line, 20), ["  ✗ nodes 6 of 28", "    nodes free"]);
    }

    #[test]
    fn sentences_wrap_and_rows_are_cut() {
        let mut section = AnswerSection::new(AnswerTopic::Comment, "T");
        section.line("aaaa bbbb cccc dddd");
        section.row("0123456789");
        assert_eq!(
            as_text(&[section], 12, None).as_str(),
            "T\n  aaaa bbbb\n    cccc\n    dddd\n  0123456789\n"
        );
    }

    #[test]
    fn a_row_that_is_cut_ends_with_a_mark() {
        let row = AnswerLine::new(LineKind::Row, "0123456789");
        assert_eq!(wrapped(&row, 12), ["  0123456789"]);
        assert_eq!(wrapped(&row, 11), ["  01234567…"]);
        assert_eq!(wrapped(&row, 1), ["…"]);
        // Names that do not fit are counted.
        let list = "cn[001-003] gpu7 +16";
        let row = AnswerLine { list: list.len(), ..AnswerLine::new(LineKind::Row, format!("ncpus: {list}")) };
        assert_eq!(wrapped(&row, 25), ["  ncpus: cn[001-003] +17"]);
        assert_eq!(wrapped(&row, 14), ["  ncpus: cn[0…"]);
    }

    #[test]
    fn a_word_longer_than_a_line_goes_on_in_the_next() {
        let line =
            AnswerLine::new(LineKind::Sentence, "on (cn001:ncpus=16)+(cn002:ncpus=16)+(cn003:ncpus=16)");
        let pieces = wrapped_within(&line, 40);
        assert_eq!(
            pieces,
            ["  on", "    (cn001:ncpus=16)+(cn002:ncpus=16)+", "    (cn003:ncpus=16)"],
            "broken behind a sign"
        );
        assert_eq!(wrapped(&line, 40).len(), 2, "text for programs keeps its words whole");
        let pieces = wrapped_within(&AnswerLine::new(LineKind::Sentence, "x".repeat(50)), 20);
        assert_eq!(pieces.len(), 3, "{pieces:?}");
        assert!(pieces.iter().all(|piece| piece.width() <= 20), "{pieces:?}");
    }

    #[test]
    fn markdown_fences_tables() {
        let mut section = AnswerSection::new(AnswerTopic::Comment, "T");
        section.row("a b");
        section.line("done");
        section.lines.push(AnswerLine::new(LineKind::Note, "at once"));
        assert_eq!(as_markdown(&[section]).as_str(), "### T\n\n```\na b\n```\n\n- done\n- at once\n\n");
    }
}
