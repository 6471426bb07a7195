//! Areas and sparklines: a number over time, in eighths of a cell, one to six rows high.
//!
//! ```text
//! ▂▂▄▄▄▄▂▂▂▇▇▇███
//! ```

use crate::theme::{GlyphSet, Theme};

const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The ASCII glyphs, with five heights.
const ASCII: [char; 6] = [' ', '_', '.', '-', '=', '#'];

/// The rows of an area from top to bottom, with one column per value; `most` is the value that fills all rows. Zeros
/// are dots in the lowest row, to distinguish them from missing data.
pub(crate) fn area(values: &[u64], most: u64, rows: usize, theme: &Theme) -> Vec<String> {
    let glyphs: &[char] = match theme.theme_options().glyphs {
        GlyphSet::Unicode => &EIGHTHS,
        GlyphSet::Ascii => &ASCII,
    };
    let steps = (glyphs.len() - 1) as u64;
    let all = steps.saturating_mul(rows as u64);
    let height = |value: u64| match most {
        _ if value == 0 => 0,
        0 => all,
        // A positive value always has some height.
        most => (value.min(most).saturating_mul(all) + most / 2).checked_div(most).unwrap_or(0).max(1),
    };
    let heights: Vec<u64> = values.iter().map(|value| height(*value)).collect();
    let row = |row: usize| {
        let below = steps.saturating_mul((rows - row - 1) as u64);
        let zero = if row + 1 == rows { dot(theme) } else { ' ' };
        let cell = |height: &u64| match height.saturating_sub(below).min(steps) {
            0 if *height == 0 => zero,
            step => glyphs.get(usize::try_from(step).unwrap_or(0)).copied().unwrap_or(' '),
        };
        heights.iter().map(cell).collect()
    };
    (0..rows).map(row).collect()
}

fn dot(theme: &Theme) -> char {
    theme.by_set("·", ".").chars().next().unwrap_or('.')
}

/// The numbers below an area: each value where it changes, if there is room.
pub(crate) fn numbers(values: &[u64]) -> String {
    let mut line = String::new();
    let mut before = None;
    for (at, value) in values.iter().enumerate() {
        let text = value.to_string();
        let free = line.is_empty() || at > line.len();
        // A value that lasts for fewer columns than it has digits would seem to belong to the next one.
        let lasts = values.get(at..at + text.len()).is_some_and(|run| run.iter().all(|same| same == value));
        if before != Some(*value) && free && lasts {
            line.push_str(&" ".repeat(at - line.len()));
            line.push_str(&text);
            before = Some(*value);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn theme(glyphs: GlyphSet) -> Theme {
        Theme::mono(glyphs)
    }

    #[test]
    fn heights_are_shares_of_the_most() {
        let spark = |values: &[u64], glyphs| area(values, 8, 1, &theme(glyphs)).concat();
        assert_eq!(spark(&[0, 1, 4, 8, 9], GlyphSet::Unicode), "·▁▄██");
        assert_eq!(spark(&[0, 1, 4, 8], GlyphSet::Ascii), "._-#");
        assert_eq!(spark(&[0, 0], GlyphSet::Unicode), "··");
        let two = area(&[0, 8, 12, 16], 16, 2, &theme(GlyphSet::Unicode));
        assert_eq!(two, ["  ▄█", "·███"]);
        assert!(area(&[1], 1, 0, &theme(GlyphSet::Unicode)).is_empty());
    }

    #[test]
    fn numbers_stand_under_changes_with_room() {
        assert_eq!(numbers(&[5, 5, 15, 15, 15, 16, 8, 8]), "5 15  8");
        assert_eq!(numbers(&[5, 5, 5, 25, 25, 25]), "5  25");
        assert_eq!(numbers(&[]), "");
    }
}
