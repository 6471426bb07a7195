//! Bars: a part of a whole, in eighths of a cell.
//!
//! ```text
//! █████▋····   5.7 of 10
//! ▏·········   more than nothing, but less than an eighth
//! ```

use crate::theme::{GlyphSet, Theme};

const EIGHTHS: [&str; 9] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];

/// The filled cells of a bar and the empty cells after them, `width` columns together. The bar is empty if `want` is 0,
/// and full if `have` exceeds `want`: the numbers beside it show that.
pub(crate) fn bar(have: f64, want: f64, width: usize, theme: &Theme) -> (String, String) {
    let filled = filled_cells(have, want, width, theme);
    let rest = width.saturating_sub(filled.chars().count());
    (filled, theme.by_set("·", ".").repeat(rest))
}

/// The possible lengths of bars, longest first.
const LENGTHS: [usize; 4] = [32, 24, 14, 8];

/// Columns of the gap after a bar.
pub(crate) const GAP: usize = 2;

/// The length of bars in rows of `columns` columns: at most a third of the row, and the longest that leaves room for a
/// `text` of that width. If none does, the shortest that fits, so that the text is cut; 0 if no bar fits.
pub(crate) fn length(columns: usize, text: usize) -> usize {
    let mut fit = LENGTHS.into_iter().filter(|bar| bar * 3 <= columns);
    let shortest = fit.clone().next_back().unwrap_or(0);
    fit.find(|bar| bar + GAP + text <= columns).unwrap_or(shortest)
}

/// The filled cells of a bar.
pub(crate) fn filled_cells(have: f64, want: f64, width: usize, theme: &Theme) -> String {
    let share = if want > 0.0 && have > 0.0 { (have / want).min(1.0) } else { 0.0 };
    let cells = share * width as f64;
    match theme.theme_options().glyphs {
        GlyphSet::Ascii => {
            let whole = if cells > 0.0 { (cells.round() as usize).max(1) } else { 0 };
            "#".repeat(whole.min(width))
        }
        GlyphSet::Unicode => eighths(have, want, width),
    }
}

/// The filled cells in eighths, for any glyph set.
pub(crate) fn eighths(have: f64, want: f64, width: usize) -> String {
    let share = if want > 0.0 && have > 0.0 { (have / want).min(1.0) } else { 0.0 };
    let cells = share * width as f64;
    let eighths = (cells * 8.0).round() as usize;
    let eighths = if cells > 0.0 { eighths.max(1) } else { 0 }.min(width * 8);
    let part = EIGHTHS.get(eighths % 8).copied().unwrap_or_default();
    format!("{}{part}", "█".repeat(eighths / 8))
}

/// Replaces the glyphs of bars by ASCII.
pub(crate) fn in_ascii(text: &str) -> String {
    let sign = |letter: char| match letter {
        '▏' | '▎' | '▍' | '▌' | '▋' | '▊' | '▉' | '█' => '#',
        '┄' => '.',
        other => other,
    };
    text.chars().map(sign).collect()
}

/// The fills of parts in order; the last one is for the rest.
pub(crate) const FILLS: [(&str, &str); 6] =
    [("█", "#"), ("▓", "="), ("▒", "-"), ("░", ":"), ("▚", "%"), ("·", ".")];

/// Parts of a whole side by side, each with its own fill, `width` columns together; parts too thin for a cell are added
/// to the last part, which stands for the rest.
pub(crate) fn stacked(parts: &[f64], width: usize, theme: &Theme) -> Vec<String> {
    let whole: f64 = parts.iter().sum();
    let mut used = 0;
    let cell = |part: f64| if whole > 0.0 { (part / whole * width as f64).round() as usize } else { 0 };
    let mut cells: Vec<usize> = parts.iter().map(|part| cell(*part)).collect();
    for count in &mut cells {
        *count = (*count).min(width - used);
        used += *count;
    }
    if let Some(last) = cells.last_mut().filter(|_| whole > 0.0) {
        *last += width - used;
    }
    let fill = |at: usize| {
        let (unicode, ascii) = FILLS.get(at).copied().unwrap_or(("·", "."));
        theme.by_set(unicode, ascii)
    };
    cells.iter().enumerate().map(|(at, count)| fill(at).repeat(*count)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn theme(glyphs: GlyphSet) -> Theme {
        Theme::mono(glyphs)
    }

    #[test]
    fn a_bar_is_as_long_as_its_share_and_the_rest_is_dotted() {
        let text = |have, want, glyphs| {
            let (filled, rest) = bar(have, want, 10, &theme(glyphs));
            filled + &rest
        };
        assert_eq!(text(5.0, 16.0, GlyphSet::Unicode), "███▏······");
        assert_eq!(text(0.001, 1.0, GlyphSet::Unicode), "▏·········");
        assert_eq!(text(0.0, 0.0, GlyphSet::Unicode), "··········");
        assert_eq!(text(20.0, 10.0, GlyphSet::Unicode), "██████████");
        assert_eq!(text(5.0, 16.0, GlyphSet::Ascii), "###.......");
        assert_eq!(text(f64::NAN, 16.0, GlyphSet::Ascii), "..........");
        assert_eq!(in_ascii("██▌ ┄┄▏ −4"), "### ..# −4");
    }

    #[test]
    fn a_bar_is_as_long_as_its_row_and_its_text_allow() {
        assert_eq!(length(120, 40), 32);
        assert_eq!(length(120, 90), 24, "24 and 2 and 90 are within 120 columns");
        assert_eq!(length(76, 30), 24);
        assert_eq!(length(76, 60), 14);
        assert_eq!(length(76, 66), 8);
        assert_eq!(length(76, 200), 8, "the text is cut");
        assert_eq!(length(23, 4), 0);
    }

    #[test]
    fn parts_fill_the_whole_width() {
        let parts = stacked(&[50.0, 30.0, 0.1, 19.9], 20, &theme(GlyphSet::Unicode));
        assert_eq!(parts.concat(), "██████████▓▓▓▓▓▓░░░░");
        assert_eq!(stacked(&[0.0, 0.0], 9, &theme(GlyphSet::Ascii)).concat(), "");
    }

    proptest! {
        #[test]
        fn a_bar_is_always_as_wide_as_its_place(have in any::<f64>(), want in any::<f64>(), width in 0usize..60) {
            for glyphs in [GlyphSet::Unicode, GlyphSet::Ascii] {
                let (filled, rest) = bar(have, want, width, &theme(glyphs));
                prop_assert_eq!(filled.chars().count() + rest.chars().count(), width);
            }
        }
    }
}
