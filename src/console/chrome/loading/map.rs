//! The vnodes read so far as a map, in file order: available before anything is known of buckets or of a cycle.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use qscope_session::LoadProgress;
use qscope_source::{DecodedTally, StripCell};

use crate::chrome::Chrome;
use crate::theme::Theme;
use crate::widgets::legend::{self, LegendParts};
use crate::widgets::ramp::{RampCell, STEPS, glyph_and_role};
use crate::wording;

/// Draws the map, if there is room, with its legend.
pub(in crate::chrome) fn draw(app: &Chrome<'_>, area: Rect, buf: &mut Buffer) {
    let Some((name, percent, so_far)) = app.following.reading_at.iter().find_map(of_vnodes) else { return };
    let area = area.intersection(buf.area);
    let body = Rect { height: area.height.saturating_sub(2), ..area };
    let room = usize::from(body.width) * usize::from(body.height);
    if room == 0 {
        return;
    }
    // The estimated number of vnodes in the whole file.
    let all = so_far.records() * 100 / usize::from(percent.max(1));
    let fits = |step: &&usize| all.div_ceil(**step) <= room;
    let (cells, each) = so_far.strip().cells(STEPS.iter().find(fits).copied().unwrap_or(all.div_ceil(room)));
    let width = usize::from(body.width);
    for (row, at) in cells.chunks(width).zip(body.rows()) {
        for (cell, x) in row.iter().zip(at.left()..at.right()) {
            let (glyph, role) = glyph_and_role(sign(*cell), app.theme);
            buf.set_stringn(x, at.y, glyph, 1, app.theme.style(role));
        }
    }
    let scale = wording::count(each, "vnode");
    let scale = legend::words(format!(" {scale} a cell, in the order of {name}"));
    let line = Rect { y: body.bottom() + 1, height: 1, ..area }.intersection(area);
    legend::draw(&legend::side_by_side([scale, legend_parts(app.theme)]), line, buf, app.theme);
}

/// The file with vnodes, its progress, and what was read of it.
fn of_vnodes(progress: &LoadProgress) -> Option<(&str, u8, &DecodedTally)> {
    match progress {
        LoadProgress::File { name, percent, so_far } if !so_far.strip().is_empty() => {
            Some((name, *percent, so_far))
        }
        _ => None,
    }
}

/// The free share of a cell, where a partly used vnode counts as half free; out if most of its vnodes are out.
fn sign(cell: StripCell) -> RampCell {
    let all = cell.vnodes().max(1);
    if cell.out_of_service * 2 > all {
        return RampCell::OutOfService;
    }
    let halves = 2 * cell.free + cell.part;
    let eighths = match halves {
        0 => 0,
        _ if halves == 2 * all => 8,
        _ => (halves * 4 / all).clamp(1, 7),
    };
    RampCell::Free(u8::try_from(eighths).unwrap_or(0))
}

fn legend_parts(theme: &Theme) -> LegendParts {
    let looks = |sign, word| {
        let (sign, role) = glyph_and_role(sign, theme);
        (role, sign, word)
    };
    let part = (glyph_and_role(RampCell::Free(1), theme).1, theme.by_set("▁…▇", "1-7"), "part");
    let (free, full) = (looks(RampCell::Free(8), "free"), looks(RampCell::Free(0), "full"));
    legend::signs([free, part, full, looks(RampCell::OutOfService, "mostly out")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_shows_its_free_share() {
        let sign_of = |free, part, full, out_of_service| sign(StripCell { free, part, full, out_of_service });
        assert_eq!(sign_of(8, 0, 0, 0), RampCell::Free(8));
        assert_eq!(sign_of(0, 0, 8, 0), RampCell::Free(0));
        assert_eq!(sign_of(999, 0, 1, 0), RampCell::Free(7), "not all of it is free");
        assert_eq!(sign_of(1, 0, 999, 0), RampCell::Free(1), "some of it is free");
        assert_eq!(sign_of(0, 2, 0, 0), RampCell::Free(4));
        assert_eq!((sign_of(1, 0, 0, 2), sign_of(1, 0, 0, 1)), (RampCell::OutOfService, RampCell::Free(4)));
    }
}
