//! Writing into cells of the screen.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

/// Writes a text into at most `columns` columns of a line. Plain ASCII has one column per byte, which avoids splitting
/// it into graphemes and measuring them: the main cost of a screen full of text.
pub(crate) fn put(buf: &mut Buffer, (x, y): (u16, u16), text: &str, columns: usize, style: Style) {
    if !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        buf.set_stringn(x, y, text, columns, style);
        return;
    }
    let room = usize::from(buf.area.right().saturating_sub(x)).min(columns);
    for (x, byte) in (x..).zip(text.bytes().take(room)) {
        if let Some(cell) = buf.cell_mut((x, y)) {
            cell.set_char(char::from(byte)).set_style(style);
        }
    }
}

/// Writes a sign of the theme, which is one column wide, into a cell.
pub(crate) fn put_sign(buf: &mut Buffer, at: (u16, u16), sign: &str, style: Style) {
    if let Some(cell) = buf.cell_mut(at).filter(|_| !sign.is_empty()) {
        cell.set_symbol(sign).set_style(style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ratatui::layout::Rect;

    proptest! {
        /// The fast path draws the same as the slow one, at every place of the buffer and beyond its edge.
        #[test]
        fn plain_text_is_put_as_the_library_does(
            text in "[ -~]{0,12}|[ -~éß·█漢]{0,8}",
            x in 0u16..9,
            columns in 0usize..14,
        ) {
            let area = Rect::new(0, 0, 8, 1);
            let style = Style::new().bold();
            let (mut ours, mut theirs) = (Buffer::empty(area), Buffer::empty(area));
            put(&mut ours, (x, 0), &text, columns, style);
            theirs.set_stringn(x, 0, &text, columns, style);
            prop_assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn a_sign_is_one_cell_and_none_beside_the_buffer() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 2, 1));
        put_sign(&mut buf, (1, 0), "█", Style::new());
        put_sign(&mut buf, (1, 0), "", Style::new());
        put_sign(&mut buf, (5, 3), "x", Style::new());
        assert_eq!(buf, Buffer::with_lines([" █"]));
    }
}
