//! The legend of a ramp map.

use super::super::legend::{self, LegendParts};
use super::{CURSOR_ROLE, RampCell, RampGroup, glyph_and_role};
use crate::theme::Theme;

/// The legend in `columns` columns: signs that do not occur are dropped first, then words are shortened, then the
/// cursor is dropped.
pub(crate) fn legend(groups: &[RampGroup], columns: usize, theme: &Theme) -> LegendParts {
    let all = legend_of(|_| true, OUT, CURSOR, theme);
    let is_there =
        |entry: &RampEntry| groups.iter().flat_map(|group| &group.cells).any(|sign| entry.applies_to(*sign));
    let forms = [(OUT, CURSOR), (OUT_SHORT, CURSOR), (OUT_SHORT, "")];
    let shorter = || {
        let texts = forms.map(|(out, cursor)| legend_of(is_there, out, cursor, theme));
        let last = texts.last().cloned();
        texts.into_iter().find(|text| legend::columns(text) <= columns).or(last)
    };
    if legend::columns(&all) <= columns { all } else { shorter().unwrap_or_default() }
}

/// The legend of signs that are used beside words instead of in cells, as one text; only signs that occur are named.
pub(crate) fn legend_of_signs(signs: &[RampCell], theme: &Theme) -> String {
    let is_there = |entry: &RampEntry| signs.iter().any(|sign| entry.applies_to(*sign));
    legend_of(is_there, OUT_SHORT, "", theme).into_iter().map(|(_, text)| text).collect()
}

const OUT: &str = "out or kept";
const OUT_SHORT: &str = "out";
const CURSOR: &str = "cursor";

/// An entry of the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RampEntry {
    Free,
    Part,
    Full,
    Out,
    Planned,
}

impl RampEntry {
    fn applies_to(self, sign: RampCell) -> bool {
        match sign {
            RampCell::Free(0) => self == Self::Full,
            RampCell::Free(1..=7) => self == Self::Part,
            RampCell::Free(_) => self == Self::Free,
            RampCell::OutOfService => self == Self::Out,
            RampCell::Planned => self == Self::Planned,
        }
    }
}

fn legend_of(is_named: impl Fn(&RampEntry) -> bool, out: &str, cursor: &str, theme: &Theme) -> LegendParts {
    let looks = |sign| glyph_and_role(sign, theme);
    let (free, full) = (looks(RampCell::Free(8)), looks(RampCell::Free(0)));
    let (gone, planned) = (looks(RampCell::OutOfService), looks(RampCell::Planned));
    let entries = [
        (RampEntry::Free, free, "free"),
        (RampEntry::Part, (theme.by_set("▁…▇", "1-7"), looks(RampCell::Free(1)).1), "part"),
        (RampEntry::Full, full, "full"),
        (RampEntry::Out, gone, out),
        (RampEntry::Planned, planned, "planned"),
    ];
    let named = entries.iter().filter(|(entry, ..)| is_named(entry));
    let named = named.map(|(_, (sign, role), word)| (*role, *sign, *word));
    legend::signs(named.chain((!cursor.is_empty()).then_some((CURSOR_ROLE, "[ ]", cursor))))
}
