//! Wrapping: at spaces, and within long words after `+`, `,` and `:`, so that an exec_vnode breaks between chunks.

use crate::widgets::text::{Align, fit, truncate, width};

use super::{Paragraph, Piece};

/// The paragraphs in lines of at most so many columns.
pub(super) fn wrap(paragraphs: &[Paragraph], columns: usize) -> Vec<Vec<Piece>> {
    let mut lines = Vec::new();
    for paragraph in paragraphs {
        match paragraph {
            Paragraph::Blank => lines.push(Vec::new()),
            Paragraph::Words { hang, pieces } => wrap_words(pieces, *hang, columns, &mut lines),
            Paragraph::Cells { name, numbers } => lines.push(cells(name, numbers, columns)),
        }
    }
    lines
}

fn cells(name: &Piece, numbers: &[(Piece, usize)], columns: usize) -> Vec<Piece> {
    let taken: usize = numbers.iter().map(|(_, width)| width).sum();
    let sign = if name.signed { 2 } else { 0 };
    let room = columns.saturating_sub(taken + sign);
    // Where nothing would be left of the name, the numbers go; the sign of a cut is the same in both glyph sets
    // here, since a story does not know the theme.
    let (room, numbers) = if room < 8 { (columns.saturating_sub(sign), &[][..]) } else { (room, numbers) };
    let named = Piece { text: fit(&name.text, room, Align::Left, "~"), ..name.clone() };
    let right = |(piece, width): &(Piece, usize)| Piece {
        text: fit(&piece.text, *width, Align::Right, "~"),
        ..piece.clone()
    };
    std::iter::once(named).chain(numbers.iter().map(right)).collect()
}

/// Fills lines with words.
struct Filler<'a> {
    lines: &'a mut Vec<Vec<Piece>>,
    line: Vec<Piece>,
    used: usize,
    hang: usize,
    columns: usize,
}

fn wrap_words(pieces: &[Piece], hang: usize, columns: usize, lines: &mut Vec<Vec<Piece>>) {
    let columns = columns.max(1);
    let hang = if hang * 2 > columns { 0 } else { hang };
    let mut filler = Filler { lines, line: Vec::new(), used: 0, hang, columns };
    for piece in pieces {
        let mut signed = piece.signed;
        for word in words(&piece.text) {
            filler.put(piece, word, std::mem::take(&mut signed));
        }
        if signed {
            filler.put(piece, "", true);
        }
    }
    let last = std::mem::take(&mut filler.line);
    filler.lines.push(last);
}

impl Filler<'_> {
    fn put(&mut self, piece: &Piece, word: &str, signed: bool) {
        let sign = if signed { 2 } else { 0 };
        let wide = width(word.trim_end()) + sign;
        if self.used + wide > self.columns && self.used > self.hang {
            self.next_line();
        }
        let mut rest = word;
        let mut sign = sign;
        // A word wider than a line is cut wherever the line ends.
        while self.used + sign + width(rest.trim_end()) > self.columns {
            let head = truncate(rest, self.columns.saturating_sub(self.used + sign), "");
            let head =
                if head.is_empty() { rest.chars().take(1).collect::<String>() } else { head.into_owned() };
            self.push(piece, &head, sign > 0);
            rest = rest.get(head.len()..).unwrap_or("");
            sign = 0;
            self.next_line();
        }
        self.push(piece, rest, sign > 0);
    }

    fn push(&mut self, piece: &Piece, text: &str, signed: bool) {
        // A space that ends a line would only count against it.
        let sign = if signed { 2 } else { 0 };
        let text = truncate(text, self.columns.saturating_sub(self.used + sign), "");
        self.used += width(&text) + sign;
        match self.line.last_mut() {
            Some(last) if last.role == piece.role && !signed => last.text.push_str(&text),
            _ => self.line.push(Piece { role: piece.role, text: text.into_owned(), signed }),
        }
    }

    fn next_line(&mut self) {
        self.lines.push(std::mem::take(&mut self.line));
        self.used = self.hang;
        if self.hang > 0 {
            self.line.push(Piece::plain(" ".repeat(self.hang)));
        }
    }
}

/// The words with the spaces after them; words that are long are broken after `+`, `,` and `:`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ').flat_map(|word| {
        let long = word.len() > 24;
        word.split_inclusive(move |c| long && matches!(c, '+' | ',' | ':'))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(paragraph: Paragraph, columns: usize) -> Vec<String> {
        let text = |line: &Vec<Piece>| {
            line.iter().map(|p| format!("{}{}", if p.signed { "! " } else { "" }, p.text)).collect::<String>()
        };
        wrap(&[paragraph], columns).iter().map(text).collect()
    }

    #[test]
    fn words_wrap_at_spaces_and_chunks_at_plus() {
        let pieces = vec![Piece::signed(crate::theme::Role::Warning, "one two"), Piece::plain(" three")];
        assert_eq!(shown(Paragraph::Words { hang: 2, pieces }, 8), ["! one ", "  two ", "  three"]);
        let pieces = vec![Piece::plain("(n1:ncpus=4:mem=1kb)+(n2:ncpus=4:mem=1kb)")];
        assert_eq!(
            shown(Paragraph::Words { hang: 0, pieces }, 22),
            ["(n1:ncpus=4:mem=1kb)+", "(n2:ncpus=4:mem=1kb)"]
        );
    }

    #[test]
    fn numbers_stand_right_and_go_where_they_leave_no_room() {
        let row = || Paragraph::Cells {
            name: Piece::plain("ncpus=8:mem=4gb"),
            numbers: vec![(Piece::plain("12"), 5)],
        };
        assert_eq!(shown(row(), 20), ["ncpus=8:mem=4gb   12"]);
        assert_eq!(shown(row(), 14), ["ncpus=8:~   12"]);
        assert_eq!(shown(row(), 10), ["ncpus=8:m~"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_line_is_wider_than_asked_for(text in "[a-z+:, 語]{0,60}", columns in 2usize..30, hang in 0usize..12, signed: bool) {
            let piece = Piece { signed, ..Piece::plain(&text) };
            let paragraph = Paragraph::Words { hang, pieces: vec![piece] };
            for line in wrap(&[paragraph], columns) {
                let wide: usize = line.iter().map(|p| width(&p.text) + if p.signed { 2 } else { 0 }).sum();
                prop_assert!(wide <= columns.max(4), "{:?}", line);
            }
        }
    }
}
