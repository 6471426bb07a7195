//! Bars that lie over each other in one row: which are one, and how they name their occupants.

use super::super::text::width;
use super::{Fill, Span};
use qscope_engine::cluster::Epoch;

/// Bars of one kind that lie over each other as one: on a node that several share each is seen for as long as any is
/// there.
struct Joined<'s> {
    group: Vec<&'s Span>,
    /// How many occupants have their names below it, in bars that it lies over.
    hidden: usize,
}

impl Joined<'_> {
    /// The bar: all are named where that is short; else the longest is, and the others are counted.
    fn union(&self) -> Option<Span> {
        let first = *self.group.first()?;
        let end = |span: &Span| span.to.map_or(i64::MAX, |to| to.0);
        let longest = self.group.iter().max_by_key(|span| end(span).saturating_sub(span.from.0))?;
        let mut names: Vec<&str> = self.group.iter().map(|span| &*span.name).collect();
        names.dedup();
        let all = names.join(" ");
        let (name, more) = match names.len() {
            1 => (all, 0),
            _ if width(&all) <= MAX_NAMES => (all, 0),
            more => (longest.name.clone(), more - 1),
        };
        let name = name + &qscope_explain::words::more(more + self.hidden);
        let endless = self.group.iter().any(|span| span.to.is_none());
        let to = if endless { None } else { longest_end(&self.group) };
        Some(Span { from: first.from, to, name, ..first.clone() })
    }
}

/// The bars of a row in the order drawn: each names its occupants, and counts those whose names it lies over.
pub(super) fn drawn(spans: &[Span]) -> Vec<Span> {
    let mut all: Vec<Joined<'_>> =
        joined(spans).into_iter().map(|group| Joined { group, hidden: 0 }).collect();
    all.sort_by_key(|one| one.group.first().map(|span| layer(span)));
    for at in 0..all.len() {
        let Some((below, above)) = all.get_mut(at..).and_then(<[_]>::split_first_mut) else { break };
        let Some(first) = below.group.first().copied() else { continue };
        let covers = |one: &&mut Joined<'_>| {
            one.group.iter().any(|span| {
                layer(span) > layer(first)
                    && span.from <= first.from
                    && span.to.is_none_or(|to| to > first.from)
            })
        };
        if let Some(over) = above.iter_mut().find(covers) {
            over.hidden += below.group.len() + below.hidden;
        }
    }
    all.iter().filter_map(Joined::union).collect()
}

/// Bars of one layer are one where they meet; a later layer lies over the earlier ones.
fn layer(span: &Span) -> (bool, Fill) {
    (span.is_subject, span.fill)
}

fn joined(spans: &[Span]) -> Vec<Vec<&Span>> {
    let mut sorted: Vec<&Span> = spans.iter().collect();
    sorted.sort_by_key(|span| (layer(span), span.from));
    let mut groups: Vec<Vec<&Span>> = Vec::new();
    for span in sorted {
        let overlaps = |group: &Vec<&Span>| {
            group.iter().any(|other| layer(other) == layer(span) && other.to.is_none_or(|to| to > span.from))
        };
        match groups.last_mut().filter(|group| overlaps(group)) {
            Some(group) => group.push(span),
            None => groups.push(vec![span]),
        }
    }
    groups
}

fn longest_end(group: &[&Span]) -> Option<Epoch> {
    group.iter().filter_map(|span| span.to).max()
}

/// At most so many letters name the occupants of a bar that several share.
const MAX_NAMES: usize = 8;
