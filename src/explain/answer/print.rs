//! An answer as plain text or Markdown.

use unicode_width::UnicodeWidthStr;

use super::{Line, Section};

/// The sections as plain text of so many columns.
#[must_use]
pub fn as_text(sections: &[Section], columns: usize) -> String {
    let mut text = String::new();
    for (at, section) in sections.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        text.push_str(&section.title);
        text.push('\n');
        for line in &section.lines {
            for piece in wrapped(line, columns) {
                text.push_str(piece.trim_end());
                text.push('\n');
            }
        }
    }
    text
}

/// The sections as Markdown.
#[must_use]
pub fn as_markdown(sections: &[Section]) -> String {
    let mut text = String::new();
    for section in sections {
        text.push_str(&format!("### {}\n\n", section.title));
        let mut table = false;
        for line in &section.lines {
            if line.row != table {
                text.push_str(if line.row { "```\n" } else { "```\n\n" });
                table = line.row;
            }
            if line.row {
                text.push_str(&format!("{}\n", line.text.trim_end()));
            } else {
                text.push_str(&format!("- {}\n", line.text.trim_start_matches("- ")));
            }
        }
        text.push_str(if table { "```\n\n" } else { "\n" });
    }
    text
}

/// A line in pieces of at most so many columns, indented by two, what follows by four.
#[must_use]
pub fn wrapped(line: &Line, columns: usize) -> Vec<String> {
    let text = &line.text;
    if line.row {
        let mut cut = String::from("  ");
        for character in text.chars() {
            if cut.width() + 1 >= columns {
                break;
            }
            cut.push(character);
        }
        return vec![cut];
    }
    let mut pieces = Vec::new();
    let mut piece = String::from("  ");
    for word in text.split(' ') {
        let room = piece.trim().is_empty() || piece.width() + 1 + word.width() <= columns;
        if !room {
            pieces.push(std::mem::replace(&mut piece, "    ".to_owned()));
            piece.push_str(word);
        } else {
            if !piece.ends_with("  ") || !piece.trim().is_empty() {
                piece.push(' ');
            }
            piece.push_str(word);
        }
    }
    pieces.push(piece);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::Topic;

    #[test]
    fn sentences_wrap_and_rows_are_cut() {
        let mut section = Section::new(Topic::Said, "T");
        section.say("aaaa bbbb cccc dddd");
        section.row("0123456789");
        assert_eq!(as_text(&[section], 12), "T\n  aaaa bbbb\n    cccc\n    dddd\n  012345678\n");
    }

    #[test]
    fn markdown_fences_tables() {
        let mut section = Section::new(Topic::Said, "T");
        section.row("a b");
        section.say("done");
        assert_eq!(as_markdown(&[section]), "### T\n\n```\na b\n```\n\n- done\n\n");
    }
}
