//! Overlapping bars in one row: which are joined into one, and how they are named.

use super::super::text::width;
use super::{BarKind, GanttBar};
use qscope_engine::cluster::Epoch;

/// Overlapping bars of one kind, drawn as one: a node shared by several jobs is in use as long as any of them is there.
struct JoinedBars<'s> {
    group: Vec<&'s GanttBar>,
    /// The index of the bar that covers its beginning.
    over: Option<usize>,
}

impl JoinedBars<'_> {
    /// The joined bar: all names if they are short; else the name of the longest bar and the number of others. `hidden`
    /// others are covered by it.
    fn union(&self, hidden: usize) -> Option<GanttBar> {
        let first = *self.group.first()?;
        let end = |span: &GanttBar| span.to.map_or(i64::MAX, |to| to.0);
        let longest = self.group.iter().max_by_key(|span| end(span).saturating_sub(span.from.0))?;
        let mut names: Vec<&str> = self.group.iter().map(|span| &*span.name).collect();
        names.dedup();
        let all = names.join(" ");
        let (name, more) = match names.len() {
            1 => (all, 0),
            _ if width(&all) <= MAX_NAMES => (all, 0),
            more => (longest.name.clone(), more - 1),
        };
        let name = name + &qscope_explain::words::more(more + hidden);
        let endless = self.group.iter().any(|span| span.to.is_none());
        let to = if endless { None } else { longest_end(&self.group) };
        Some(GanttBar { from: first.from, to, name, ..first.clone() })
    }
}

/// The joined bars of a row in drawing order.
pub(super) struct DrawnBars<'s>(Vec<JoinedBars<'s>>);

impl<'s> DrawnBars<'s> {
    pub(super) fn of(spans: &'s [GanttBar]) -> Self {
        let mut all: Vec<JoinedBars<'_>> =
            joined(spans).into_iter().map(|group| JoinedBars { group, over: None }).collect();
        all.sort_by_key(|one| one.group.first().map(|span| layer(span)));
        for at in 0..all.len() {
            let Some((below, above)) = all.get_mut(at..).and_then(<[_]>::split_first_mut) else { break };
            let Some(first) = below.group.first().copied() else { continue };
            let covers = |one: &JoinedBars<'_>| {
                one.group.iter().any(|span| {
                    layer(span) > layer(first)
                        && span.from <= first.from
                        && span.to.is_none_or(|to| to > first.from)
                })
            };
            below.over = above.iter().position(covers).map(|above| at + 1 + above);
        }
        Self(all)
    }

    /// The bars; each names its occupants, and counts those that it covers and whose names are not drawn elsewhere in
    /// the row.
    pub(super) fn bars(&self, is_named: impl Fn(usize) -> bool) -> Vec<GanttBar> {
        let mut hidden = vec![0; self.0.len()];
        for (at, JoinedBars { group, over }) in self.0.iter().enumerate() {
            let covered = group.len() + hidden.get(at).copied().unwrap_or_default();
            if let Some(over) = over.filter(|_| !is_named(at)).and_then(|over| hidden.get_mut(over)) {
                *over += covered;
            }
        }
        self.0.iter().zip(hidden).filter_map(|(one, hidden)| one.union(hidden)).collect()
    }
}

/// The layer of a bar: bars of one layer are joined if they overlap; later layers cover earlier ones.
fn layer(bar: &GanttBar) -> (bool, BarKind) {
    (bar.is_subject, bar.fill)
}

fn joined(spans: &[GanttBar]) -> Vec<Vec<&GanttBar>> {
    let mut sorted: Vec<&GanttBar> = spans.iter().collect();
    sorted.sort_by_key(|span| (layer(span), span.from));
    let mut groups: Vec<Vec<&GanttBar>> = Vec::new();
    for span in sorted {
        let overlaps = |group: &Vec<&GanttBar>| {
            group.iter().any(|other| layer(other) == layer(span) && other.to.is_none_or(|to| to > span.from))
        };
        match groups.last_mut().filter(|group| overlaps(group)) {
            Some(group) => group.push(span),
            None => groups.push(vec![span]),
        }
    }
    groups
}

fn longest_end(group: &[&GanttBar]) -> Option<Epoch> {
    group.iter().filter_map(|span| span.to).max()
}

/// Maximum columns for naming all occupants of a shared bar.
const MAX_NAMES: usize = 8;
