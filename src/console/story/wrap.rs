//! Wrapping: at spaces, and within long words after `+`, `,` and `:`, so that an exec_vnode breaks between chunks.

use std::ops::Range;

use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

use crate::widgets::text::{Align, fit};
use qscope_explain::words::unbreakable_words;

use super::{Paragraph, TextPiece, table};

/// Wraps paragraphs into lines of at most `columns` columns.
pub(super) fn wrap(paragraphs: &[Paragraph], columns: usize) -> Vec<Vec<TextPiece>> {
    let mut lines = Vec::new();
    for paragraph in paragraphs {
        match paragraph {
            Paragraph::Blank => lines.push(Vec::new()),
            Paragraph::Words { hanging_indent, pieces } => {
                wrap_words(pieces, *hanging_indent, columns, &mut lines);
            }
            Paragraph::Line(pieces) => lines.push(pieces.clone()),
            Paragraph::Cells { name, numbers } => lines.push(cells(name, numbers, columns)),
            Paragraph::Buckets(rows) => lines.extend(table::lines(rows, columns)),
        }
    }
    lines
}

/// The mark of a cut; drawing replaces it with that of the theme's glyphs.
pub(super) const CUT: &str = "…";

/// Minimum width of a name beside several numbers, enough to distinguish it.
const NAME: usize = 16;

/// Returns how many of the numbers fit, and the width they leave for the name.
fn numbers_within(numbers: &[(TextPiece, usize)], columns: usize) -> (usize, usize) {
    let left = |count: usize| {
        let taken: usize = numbers.iter().take(count).map(|(_, width)| width).sum();
        columns.saturating_sub(taken)
    };
    // The last columns are omitted before the name becomes too short to be distinguished.
    let fits = |count: &usize| left(*count) >= if *count > 1 { NAME } else { NAME / 2 };
    let count = (0..=numbers.len()).rev().find(fits).unwrap_or(0);
    (count, left(count))
}

/// The width that the numbers leave for a name before them.
pub(super) fn room_of_name(numbers: &[(TextPiece, usize)], columns: usize) -> usize {
    numbers_within(numbers, columns).1
}

/// Lays out a name and the numbers that fit beside it.
pub(super) fn cells(name: &TextPiece, numbers: &[(TextPiece, usize)], columns: usize) -> Vec<TextPiece> {
    let sign = if name.signed { 2 } else { 0 };
    let (count, room) = numbers_within(numbers, columns.saturating_sub(sign));
    let numbers = numbers.get(..count).unwrap_or_default();
    let named = TextPiece { text: fit(&name.text, room, Align::Left, CUT), ..name.clone() };
    let right = |(piece, width): &(TextPiece, usize)| TextPiece {
        text: fit(&piece.text, *width, Align::Right, CUT),
        ..piece.clone()
    };
    std::iter::once(named).chain(numbers.iter().map(right)).collect()
}

/// A placeholder of two columns for a sign and its gap; cleaned text never contains these characters.
const SIGN: &str = "\u{e000}\u{e000}";

fn wrap_words(pieces: &[TextPiece], hang: usize, columns: usize, lines: &mut Vec<Vec<TextPiece>>) {
    let columns = columns.max(1);
    let indent = " ".repeat(if hang * 2 > columns { 0 } else { hang });
    let mut text = String::new();
    let mut places = Vec::new();
    for piece in pieces {
        let start = text.len();
        text.push_str(if piece.signed { SIGN } else { "" });
        text.push_str(&piece.text);
        places.push((start..text.len(), piece));
    }
    let options = Options::new(columns)
        .subsequent_indent(&indent)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .word_separator(WordSeparator::Custom(words))
        .word_splitter(WordSplitter::NoHyphenation);
    let mut from = 0;
    for (at, line) in textwrap::wrap(&text, options).iter().enumerate() {
        let indent = if at == 0 { "" } else { &indent };
        let body = line.strip_prefix(indent).unwrap_or(line);
        // The blanks at a line break belong to neither line.
        from += text.get(from..).and_then(|rest| rest.find(body)).unwrap_or_default();
        let hanging = (!indent.is_empty()).then(|| TextPiece::plain(indent));
        let shown =
            places.iter().filter_map(|(place, piece)| part(&text, place, from..from + body.len(), piece));
        lines.push(hanging.into_iter().chain(shown).collect());
        from += body.len();
    }
}

/// Wraps a text into lines of at most `columns` columns: at blanks, and within long words after `+`, `,` and `:`.
pub(crate) fn wrap_text(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    wrap_words(&[TextPiece::plain(text)], 0, columns, &mut lines);
    lines.iter().map(|line| line.iter().map(|piece| &*piece.text).collect()).collect()
}

fn part(text: &str, place: &Range<usize>, line: Range<usize>, piece: &TextPiece) -> Option<TextPiece> {
    let part =
        text.get(place.start.max(line.start)..place.end.min(line.end)).filter(|part| !part.is_empty())?;
    let bare = part.trim_start_matches(SIGN);
    let signed = bare.len() < part.len();
    Some(TextPiece { text: bare.to_owned(), signed, ..piece.clone() })
}

/// Splits a text into words with the spaces after them. Long words can break after `+`, `,` and `:`, those of several
/// chunks in parentheses only between the chunks.
fn words(text: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let mut from = 0;
    let whole = unbreakable_words(text, LONG).into_iter().map(move |word| {
        // Includes the blank after the word.
        let end = (from + word.len() + 1).min(text.len());
        let word = text.get(from..end).unwrap_or_default();
        from = end;
        word
    });
    Box::new(whole.flat_map(|word| {
        let (long, chunks) = (word.len() > LONG, word.contains(")+("));
        let breaks = move |c| if chunks { c == '+' } else { matches!(c, '+' | ',' | ':') };
        word.split_inclusive(move |c| long && breaks(c)).map(Word::from)
    }))
}

/// Words longer than this (in bytes) can be broken.
const LONG: usize = 24;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::widgets::text::width;

    fn shown(paragraph: Paragraph, columns: usize) -> Vec<String> {
        let text = |line: &Vec<TextPiece>| {
            line.iter().map(|p| format!("{}{}", if p.signed { "! " } else { "" }, p.text)).collect::<String>()
        };
        wrap(&[paragraph], columns).iter().map(text).collect()
    }

    #[test]
    fn words_wrap_at_spaces_and_chunks_at_plus() {
        let pieces =
            vec![TextPiece::signed(crate::theme::Role::Warning, "one two"), TextPiece::plain(" three")];
        assert_eq!(shown(Paragraph::Words { hanging_indent: 2, pieces }, 8), ["! one", "  two", "  three"]);
        let pieces = vec![TextPiece::plain("(n1:ncpus=4:mem=1kb)+(n2:ncpus=4:mem=1kb)")];
        assert_eq!(
            shown(Paragraph::Words { hanging_indent: 0, pieces }, 22),
            ["(n1:ncpus=4:mem=1kb)+", "(n2:ncpus=4:mem=1kb)"]
        );
    }

    #[test]
    fn numbers_stand_right_and_go_where_they_leave_no_room() {
        let row = || Paragraph::Cells {
            name: TextPiece::plain("ncpus=8:mem=4gb"),
            numbers: vec![(TextPiece::plain("12"), 5)],
        };
        assert_eq!(shown(row(), 20), ["ncpus=8:mem=4gb   12"]);
        assert_eq!(shown(row(), 14), ["ncpus=8:…   12"]);
        assert_eq!(shown(row(), 10), ["ncpus=8:m…"]);
    }

    #[test]
    fn the_last_columns_go_first() {
        let number = |text| (TextPiece::plain(text), 6);
        let row = |columns| {
            let numbers = vec![number("12"), number("3"), number("∙∙◆")];
            shown(Paragraph::Cells { name: TextPiece::plain("ncpus=8:mem=4gb"), numbers }, columns)
        };
        assert_eq!(row(34), ["ncpus=8:mem=4gb     12     3   ∙∙◆"]);
        assert_eq!(row(30), ["ncpus=8:mem=4gb       12     3"]);
        assert_eq!(row(22), ["ncpus=8:mem=4gb     12"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_line_is_wider_than_asked_for(text in "[a-z+:, 語]{0,60}", columns in 2usize..30, hang in 0usize..12, signed: bool) {
            let piece = TextPiece { signed, ..TextPiece::plain(&text) };
            let paragraph = Paragraph::Words { hanging_indent: hang, pieces: vec![piece] };
            for line in wrap(&[paragraph], columns) {
                let wide: usize = line.iter().map(|p| width(&p.text) + if p.signed { 2 } else { 0 }).sum();
                prop_assert!(wide <= columns.max(4), "{:?}", line);
            }
        }
    }
}
