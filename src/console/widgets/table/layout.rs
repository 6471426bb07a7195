//! Which columns fit into a table, how wide each is, and where it begins.

use ratatui::layout::Rect;

use super::{Cell, TableColumn, Width};

/// The mark of the row under the cursor, before the first column.
pub(super) const MARGIN: u16 = 1;
pub(super) const GAP: u16 = 1;

/// A column on the screen, and how wide it is there.
pub(super) type PlacedColumn<'t, 'a, T> = (&'t TableColumn<'a, T>, u16);

/// Where each column begins.
pub(super) fn starts<T>(area: Rect, placed: &[PlacedColumn<'_, '_, T>]) -> impl Iterator<Item = u16> {
    placed.iter().scan(area.x.saturating_add(MARGIN), |x, (_, width)| {
        let start = *x;
        *x = x.saturating_add(width + GAP);
        Some(start)
    })
}

/// The columns of a text that needs so many and has so many: with those of the blank cells after it, as far as it needs them.
pub(super) fn with_blank_cells(needed: usize, width: u16, after: &[(Cell<'_>, u16)]) -> u16 {
    let blank = after.iter().take_while(|(cell, _)| cell.text.is_empty() && !cell.signed);
    blank.fold(width, |width, (_, more)| if needed > usize::from(width) { width + GAP + more } else { width })
}

/// The width of the column with that title in a table of that width; 0 if it is left out.
pub(crate) fn width_of<T>(columns: &[TableColumn<'_, T>], title: &str, total: u16) -> usize {
    let placed = place(columns, total, &|_| u16::MAX);
    placed.iter().find(|(column, _)| column.title == title).map_or(0, |(_, width)| usize::from(*width))
}

/// Which columns fit, and how wide each is; `content` is how wide what a column shows is.
pub(super) fn place<'t, 'a, T>(
    columns: &'t [TableColumn<'a, T>],
    total: u16,
    content: &dyn Fn(&TableColumn<'a, T>) -> u16,
) -> Vec<PlacedColumn<'t, 'a, T>> {
    let room = total.saturating_sub(MARGIN);
    let mut kept: Vec<&TableColumn<'a, T>> = columns.iter().collect();
    while needed(&kept) > room && kept.len() > 1 {
        let least = kept.iter().map(|column| column.keep).min();
        let Some(at) = kept.iter().rposition(|column| Some(column.keep) == least) else { break };
        kept.remove(at);
    }
    let mut spare = room.saturating_sub(needed(&kept));
    let mut fills = kept.iter().filter(|column| column.fills()).count();
    let mut placed: Vec<PlacedColumn<'t, 'a, T>> =
        kept.into_iter().map(|column| (column, column.width.least().min(room))).collect();
    // The widths of the contents; computed for other columns only where it matters.
    let mut shown = vec![0; placed.len()];
    for ((column, width), shown) in placed.iter_mut().zip(&mut shown) {
        if let Width::Between(least, most) = column.width {
            *shown = if spare > 0 { content(column) } else { least };
            let more = (*shown).clamp(least, most).saturating_sub(least).min(spare);
            *width += more;
            spare -= more;
        }
    }
    for (column, width) in &mut placed {
        if let (true, Ok(shares)) = (column.fills(), u16::try_from(fills)) {
            let share = spare / shares.max(1);
            *width += share;
            spare -= share;
            fills -= 1;
        }
    }
    let is_cut = placed.iter().zip(&shown).any(|((_, width), shown)| shown > width);
    let fills = placed.iter().filter(|(column, _)| column.fills()).count();
    if fills > 1 || (fills == 1 && is_cut) {
        for ((column, width), shown) in placed.iter().zip(&mut shown) {
            match column.width {
                Width::Fixed(_) => *shown = *width,
                Width::Between(least, _) => *shown = (*shown).max(least),
                // The content of a filling column may be narrower than its minimum; the spare room goes to columns that
                // would be cut.
                Width::Fill(_) => *shown = content(column),
            }
        }
        distribute_spare_room(&mut placed, &shown);
    }
    placed
}

/// Moves the unused room of filling columns to columns that would be cut: first to other filling columns, then to those
/// with a maximum width, whose limit only exists to keep room for filling columns.
fn distribute_spare_room<T>(placed: &mut [PlacedColumn<'_, '_, T>], shown: &[u16]) {
    let short = placed.iter().zip(shown).map(|((_, width), shown)| shown.saturating_sub(*width));
    let mut short = short.fold(0, u16::saturating_add);
    let mut left = 0;
    for ((column, width), shown) in placed.iter_mut().zip(shown) {
        let spare = if column.fills() { width.saturating_sub(*shown) } else { 0 };
        let more = spare.min(short);
        (*width, short, left) = (*width - more, short - more, left + more);
    }
    for fills in [true, false] {
        for ((column, width), shown) in placed.iter_mut().zip(shown) {
            let more = if column.fills() == fills { shown.saturating_sub(*width).min(left) } else { 0 };
            (*width, left) = (*width + more, left - more);
        }
    }
}

fn needed<T>(kept: &[&TableColumn<'_, T>]) -> u16 {
    kept.iter().map(|column| column.width.least() + GAP).sum::<u16>().saturating_sub(GAP)
}
