//! The bitmaps of a bucket, one row each for free, later and busy; bits that a step set or cleared are marked
//! (console.md 4).
//!
//! ```text
//!   free   · · · · · · · · · · ·    0
//!   later  · · · · · · · · · ◇ ◇    2 → 0
//!   busy   ▪ ▪ ▪ ▪ ▪ ▪ ▪ ▪ ▪ ◆ ◆    9 → 11
//! ```
//! Where a bucket has more nodes than columns, equal bits are folded into a run: `▪×400`.

use ratatui::text::{Line, Span};

use crate::theme::{Role, Theme};
use crate::widgets::text::width;
use qscope_engine::universe::Availability;
use qscope_explain::{BitMove, BucketBits};

/// Columns for the name of a bitmap, and for the counts after the bits.
pub(crate) const NAME: u16 = 9;
const COUNTS: u16 = 14;

/// The three bitmaps, in the order of the rows.
pub(crate) const BITMAPS: [(&str, Availability); 3] =
    [("free", Availability::Free), ("later", Availability::Later), ("busy", Availability::Busy)];

/// Columns from one bit to the next in a row of `columns`; `None` if the bucket has too many bits for one cell each.
pub(crate) fn pitch(bits: usize, columns: u16) -> Option<u16> {
    let room = usize::from(columns.saturating_sub(NAME + COUNTS));
    [2_u16, 1].into_iter().find(|pitch| bits * usize::from(*pitch) <= room)
}

/// How a bit of a bitmap is drawn: whether it is set, and whether the step changed it.
fn bit_style(one: &BitMove, bitmap: Availability, theme: &Theme) -> (&'static str, Role) {
    let is_set = one.after == bitmap;
    let was_set = one.before == Some(bitmap);
    match (is_set, was_set) {
        (true, false) if one.before.is_some() => (theme.by_set("◆", "@"), Role::NodeTaken),
        (false, true) => (theme.by_set("◇", "o"), Role::NodeTaken),
        (false, false) => (theme.by_set("·", "."), Role::TextDim),
        (true, _) => match bitmap {
            Availability::Free => (theme.by_set("█", "8"), Role::NodeFree),
            Availability::Later => (theme.by_set("▒", "p"), Role::NodeLater),
            Availability::Busy | Availability::Out => (theme.by_set("▪", "#"), Role::NodeBusy),
        },
    }
}

/// One bitmap of a bucket as a line of `columns` columns, ending in the number of set bits.
pub(crate) fn bits(
    bucket: &BucketBits,
    word: &str,
    bitmap: Availability,
    theme: &Theme,
    columns: u16,
) -> Line<'static> {
    let word = format!("  {word:<width$}", width = usize::from(NAME) - 2);
    let mut line = Line::from(Span::styled(word, theme.style(Role::TextDim)));
    let looks = bucket.bits.iter().map(|one| bit_style(one, bitmap, theme));
    match pitch(bucket.bits.len(), columns) {
        Some(pitch) => {
            let gap = if pitch == 2 { " " } else { "" };
            looks.for_each(|(sign, role)| {
                line.push_span(Span::styled(format!("{sign}{gap}"), theme.style(role)));
            });
        }
        None => runs(looks, usize::from(columns.saturating_sub(NAME + COUNTS)), theme, &mut line),
    }
    let (before, after) = (bucket.before(bitmap), bucket.after(bitmap));
    let (text, role) = match before == after {
        true => (format!("{after:>5}"), Role::TextDim),
        false => (format!("{before:>5} {} {after}", theme.by_set("→", ">")), Role::NodeTaken),
    };
    line.push_span(Span::styled(text, theme.style(role)));
    line
}

/// Appends runs of equal bits, as many as fit.
fn runs(
    looks: impl Iterator<Item = (&'static str, Role)>,
    room: usize,
    theme: &Theme,
    line: &mut Line<'static>,
) {
    let mut runs: Vec<((&str, Role), usize)> = Vec::new();
    for look in looks {
        match runs.last_mut() {
            Some((last, count)) if *last == look => *count += 1,
            _ => runs.push((look, 1)),
        }
    }
    let mut used = 0;
    for ((sign, role), count) in runs {
        let text = format!("{sign}{}{count} ", theme.by_set("×", "x"));
        if used + width(&text) + 2 > room {
            line.push_span(Span::styled(theme.ellipsis(), theme.style(Role::TextDim)));
            break;
        }
        used += width(&text);
        line.push_span(Span::styled(text, theme.style(role)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::GlyphSet;
    use qscope_engine::cluster::Id;
    use qscope_engine::universe::Bit;

    /// Console.md 4, bits: `◆` was set and `◇` cleared by this step, `2 → 0` follows; runs where there are too many
    /// bits.
    #[test]
    fn bits_show_what_a_step_set_and_cleared_and_fold_to_runs() {
        use Availability as A;
        let theme = Theme::mono(GlyphSet::Unicode);
        let one = |(at, (before, after)): (usize, (A, A))| BitMove {
            bit: Bit::at(at),
            before: Some(before),
            after,
        };
        let bucket = |moves: Vec<(A, A)>| BucketBits {
            name: "b".to_owned(),
            bits: moves.into_iter().enumerate().map(one).collect(),
        };
        let small = bucket(vec![(A::Busy, A::Busy), (A::Later, A::Busy), (A::Free, A::Free)]);
        let row = |bucket: &BucketBits, (word, bitmap), columns| {
            bits(bucket, word, bitmap, &theme, columns).to_string()
        };
        assert_eq!(row(&small, BITMAPS[0], 60).trim_end(), "  free   · · █     1");
        assert_eq!(row(&small, BITMAPS[1], 60).trim_end(), "  later  · ◇ ·     1 → 0");
        assert_eq!(row(&small, BITMAPS[2], 60).trim_end(), "  busy   ▪ ◆ ·     1 → 2");
        let large = bucket([vec![(A::Free, A::Busy); 30], vec![(A::Busy, A::Busy); 400]].concat());
        assert_eq!(row(&large, BITMAPS[2], 60).trim_end(), "  busy   ◆×30 ▪×400   400 → 430");
    }
}
