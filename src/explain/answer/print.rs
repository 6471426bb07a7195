//! An answer as plain text or Markdown.

use unicode_truncate::UnicodeTruncateStr;
use unicode_width::UnicodeWidthStr;

use super::{AnswerLine, LineKind, Section};
use crate::words;
use qscope_exits::{Lines, fence, markdown, visible};

/// The sections as plain text: sentences in so many columns, rows of a table in others or uncut.
pub fn as_text(sections: &[Section], columns: usize, row_columns: Option<usize>) -> Lines {
    let mut text = Lines::new();
    for (at, section) in sections.iter().enumerate() {
        if at > 0 {
            text.blank();
        }
        let title = AnswerLine::new(LineKind::Sentence, visible(&section.title).into_owned());
        // Uncut rows are for no terminal: there the first line answers as a whole.
        let title_columns = if row_columns.is_some() { columns + TITLE_OUT } else { usize::MAX };
        text.extend(
            wrapped(&title, title_columns).iter().map(|line| line.get(TITLE_OUT..).unwrap_or_default()),
        );
        for line in &section.lines {
            // Visible before it is measured, so that it fits as it is printed.
            let line = AnswerLine { text: visible(&line.text).into_owned(), ..line.clone() };
            let is_row = line.kind == LineKind::Row;
            text.extend(wrapped(&line, if is_row { row_columns.unwrap_or(usize::MAX) } else { columns }));
        }
    }
    text
}

/// Titles begin so many columns before the lines below them.
const TITLE_OUT: usize = 2;

pub fn as_markdown(sections: &[Section]) -> Lines {
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

/// A line in pieces of at most so many columns, indented by two, what follows by four.
pub fn wrapped(line: &AnswerLine, columns: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = match line.kind {
        LineKind::Row => return vec![cut(&format!("  {}", line.text), line.list, columns)],
        LineKind::Note => String::from("  - "),
        LineKind::Sentence => String::from("  "),
    };
    for (nth, part) in parts(line).into_iter().enumerate() {
        // A part begins on a line of its own where it does not fit on the one before.
        if nth > 0 && !piece.trim().is_empty() && piece.width() + part.trim_end().width() > columns {
            pieces.push(next_line(&mut piece));
        }
        for (at, word) in words::unbroken(part, columns / 2).into_iter().enumerate() {
            if at > 0 {
                piece.push(' ');
            }
            if !piece.trim().is_empty() && piece.width() + word.width() > columns {
                pieces.push(next_line(&mut piece));
            }
            piece.push_str(word);
        }
    }
    pieces.push(piece.trim_end().to_owned());
    pieces
}

/// The same where nothing may be wider than the columns: a word too long for a line, such as the nodes of an
/// `exec_vnode`, goes on in the next one.
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

/// In so few columns no word is broken.
const LEAST: usize = 12;

/// Where a piece too wide is broken, in bytes: behind the last sign between parts of a name that stands in the second half
/// of the columns, else where they end.
fn end_of(piece: &str, columns: usize) -> usize {
    let (kept, _) = piece.unicode_truncate(columns);
    let sign = kept.rfind(['+', ',', ';', '/']).map(|at| at + 1);
    sign.filter(|end| *end > columns / 2).unwrap_or(kept.len())
}

/// The line that is full; the next one begins.
fn next_line(piece: &mut String) -> String {
    let full = std::mem::replace(piece, "    ".to_owned());
    full.trim_end().to_owned()
}

/// The parts of a line between which it is broken first.
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

/// A row in so many columns: a list of names at its end, so many bytes long, names fewer of them and counts the rest; where
/// that does not help, the row is cut with a mark.
fn cut(text: &str, list: usize, columns: usize) -> String {
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
    use crate::Topic;

    #[test]
    fn a_sentence_in_parts_is_broken_between_them_first() {
        let mut section = Section::new(Topic::Help, "T");
        section.parts(&["1 aa  ", "bbbb cc, ", "but dddd"], []);
        assert_eq!(wrapped(&section.lines[0], 40), ["  1 aa  bbbb cc, but dddd"]);
        assert_eq!(wrapped(&section.lines[0], 16), ["  1 aa  bbbb cc,", "    but dddd"]);
        assert_eq!(wrapped(&section.lines[0], 12), ["  1 aa", "    bbbb cc,", "    but dddd"]);
        assert_eq!(wrapped(&section.lines[0], 9), ["  1 aa", "    bbbb", "    cc,", "    but", "    dddd"]);
    }

    #[test]
    fn sentences_wrap_and_rows_are_cut() {
        let mut section = Section::new(Topic::Comment, "T");
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
        // The names that do not fit are counted.
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
        let mut section = Section::new(Topic::Comment, "T");
        section.row("a b");
        section.line("done");
        section.lines.push(AnswerLine::new(LineKind::Note, "at once"));
        assert_eq!(as_markdown(&[section]).as_str(), "### T\n\n```\na b\n```\n\n- done\n- at once\n\n");
    }
}
