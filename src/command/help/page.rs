//! A page of the manual as plain text: renders only the Markdown that the pages use.

use qscope_console::Manual;
use qscope_exits::Lines;
use textwrap::{Options, WordSplitter, wrap};
use unicode_width::UnicodeWidthStr;

use crate::manual::{TOPICS, topic};

/// Maximum width of a page, in columns.
const WIDTH: usize = 100;
const BOLD: &str = "\x1b[1m";
const PLAIN: &str = "\x1b[0m";

/// Returns the page in lines of at most [`WIDTH`] columns, or the columns of the output if they are fewer; headings are
/// bold if the output accepts styles.
pub(super) fn lines(text: &str, styles: bool, columns: Option<usize>) -> Lines {
    lines_within(text, styles, columns.map_or(WIDTH, |columns| columns.min(WIDTH)))
}

/// The same in lines of so many columns.
fn lines_within(text: &str, styles: bool, width: usize) -> Lines {
    let mut lines = Lines::new();
    let mut source = text.lines().peekable();
    while let Some(line) = source.next() {
        if line.starts_with("```") {
            source.by_ref().take_while(|line| !line.starts_with("```")).for_each(|line| {
                lines.line(format_args!("    {line}"));
            });
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            while let Some(row) = source.next_if(|line| line.starts_with('|')) {
                rows.push(cells(row));
            }
            table(&mut lines, &rows, width);
        } else if let Some(heading) = line.strip_prefix('#') {
            let heading = heading.trim_start_matches('#').trim();
            let (before, after) = if styles { (BOLD, PLAIN) } else { ("", "") };
            lines.styled(before, heading, after);
        } else if line.is_empty() {
            lines.blank();
        } else {
            let mut paragraph = line.to_owned();
            // A line that begins with inline code does not end the paragraph.
            let is_block = |line: &str| line.starts_with(['#', '|']) || line.starts_with("```");
            let goes_on = |line: &&str| !line.is_empty() && !is_block(line) && !is_item(line);
            while let Some(more) = source.next_if(goes_on) {
                paragraph.push(' ');
                paragraph.push_str(more.trim());
            }
            prose(&mut lines, &paragraph, width);
        }
    }
    lines
}

/// Returns whether a line begins a list item: `1. ` or `- `.
fn is_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    line.starts_with("- ") || (rest.len() < line.len() && rest.starts_with(". "))
}

fn prose(lines: &mut Lines, paragraph: &str, width: usize) {
    let indent = if is_item(paragraph) { "   " } else { "" };
    for line in wrap(&plain(paragraph), options(width).subsequent_indent(indent)) {
        lines.line(line);
    }
}

/// Wraps at `columns` columns, only between words: options and names are copied from here.
fn options(columns: usize) -> Options<'static> {
    Options::new(columns).word_splitter(WordSplitter::NoHyphenation)
}

/// Returns the text without marks of emphasis and code.
fn plain(text: &str) -> String {
    text.replace('`', "").replace("**", "")
}

/// Returns the cells of a row; `\|` is a bar within a cell.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim().trim_start_matches('|').replace("\\|", "\u{1}");
    row.trim_end_matches('|').split('|').map(|cell| plain(cell.trim()).replace('\u{1}', "|")).collect()
}

fn table(lines: &mut Lines, rows: &[Vec<String>], most: usize) {
    let is_rule = |row: &&Vec<String>| row.iter().any(|cell| !cell.chars().all(|letter| letter == '-'));
    let rows: Vec<&Vec<String>> = rows.iter().filter(is_rule).collect();
    let widths = widths(&rows, most);
    for row in rows {
        let wrapped: Vec<Vec<String>> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| wrap(cell, options(*width)).into_iter().map(String::from).collect())
            .collect();
        for at in 0..wrapped.iter().map(Vec::len).max().unwrap_or(0) {
            let cells = wrapped.iter().zip(&widths).map(|(cell, width)| {
                let text = cell.get(at).map_or("", String::as_str);
                format!("{text:<width$}  ")
            });
            lines.line(format_args!("  {}", cells.collect::<String>()));
        }
    }
}

/// Returns the width of each column. Starts from the longest cells and narrows the widest columns until a row fits,
/// but none below its longest word while another can still be narrowed: names are copied from here.
fn widths(rows: &[&Vec<String>], most: usize) -> Vec<usize> {
    let columns = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let longest =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
    let mut widths: Vec<usize> = (0..columns).map(|column| longest(column).unwrap_or(0)).collect();
    let word = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.flat_map(|cell| cell.split(' ')).map(UnicodeWidthStr::width).max().unwrap_or(0)
    };
    let words: Vec<usize> = (0..columns).map(word).collect();
    // The margin before a row is as wide as the gap after a column.
    while widths.iter().map(|width| width + 2).sum::<usize>() > most {
        let narrowed = |least: &[usize]| {
            let wider = widths.iter().zip(least).enumerate().filter(|(_, (width, least))| width > least);
            wider.max_by_key(|(_, (width, _))| **width).map(|(column, _)| column)
        };
        let column = narrowed(&words).or_else(|| narrowed(&vec![1; columns]));
        let Some(width) = column.and_then(|column| widths.get_mut(column)) else { break };
        *width -= 1;
    }
    widths
}

/// The pages of the manual, for `:help`.
pub(in crate::command) fn manual() -> Manual {
    Manual {
        topics: TOPICS.iter().map(|topic| topic.name).collect(),
        page: |name, width| Some(lines_within(topic(name)?.text, false, width)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manual::TOPICS;

    #[test]
    fn headings_code_lists_and_tables_become_text() {
        let page = "# Title\n\nOne `word`\n`and` more.\n\n1. first\n   part\n2. second\n\n```text\nqscope  x\n```\n\n\
                    | key | does |\n|---|---|\n| `a` `\\|` | explains |\n";
        assert_eq!(
            lines(page, false, None).as_str(),
            "Title\n\nOne word and more.\n\n1. first part\n2. second\n\n    qscope  x\n\n  key  does\n  a |  explains\n"
        );
        assert!(lines(page, true, None).as_str().starts_with("\x1b[1mTitle\x1b[0m\n"));
        let long = format!("{} --over-time", "x".repeat(90));
        assert!(lines(&long, false, None).as_str().ends_with("\n--over-time\n"), "an option stays whole");
    }

    #[test]
    fn a_name_stays_whole_beside_a_long_text() {
        let name = "sched_preempt_enforce_resumption_of_jobs";
        let cells = |row: [&str; 2]| row.map(str::to_owned).to_vec();
        let rows = [cells([name, &"word ".repeat(30)]), cells(["short", "text"])];
        let widths = widths(&rows.iter().collect::<Vec<_>>(), WIDTH);
        assert_eq!(widths, [name.len(), WIDTH - name.len() - 4]);
    }

    #[test]
    fn text_fits_a_terminal_of_80_columns() {
        for topic in TOPICS {
            let text = lines(topic.text, false, Some(80));
            for line in text.as_str().lines().filter(|line| !line.starts_with("    ")) {
                assert!(line.trim_end().width() <= 80, "{}: {line}", topic.name);
            }
        }
    }

    #[test]
    fn every_page_is_readable_text() {
        for topic in TOPICS {
            let text = lines(topic.text, false, None);
            assert!(!text.as_str().contains("```") && !text.as_str().contains("|---"), "{}", topic.name);
            for line in text.as_str().lines().filter(|line| !line.starts_with("    ")) {
                assert!(line.chars().count() <= WIDTH + 4, "{}: {line}", topic.name);
            }
        }
    }
}
