//! One job by both paths, side by side: where each would place it, how much each examined, and which nodes differ.
//!
//! Both can be right: the paths go through nodes in other orders, and give other, equally good ones.

use rustc_hash::FxHashSet;

use crate::theme::Role;
use crate::wording;
use qscope_engine::cycle::{Outcome, Run};
use qscope_engine::placement::Path;
use qscope_engine::universe::Bit;

use super::{Paragraph, Piece};

/// Nodes by the paths that would take them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Only the job's own path.
    pub own: Vec<Bit>,
    /// Only the other one.
    pub other: Vec<Bit>,
    pub both: Vec<Bit>,
}

impl Shares {
    /// The shares of two decisions.
    pub(crate) fn of(own: &Outcome, other: &Outcome) -> Self {
        let nodes = |outcome: &Outcome| {
            let mut nodes: Vec<Bit> = outcome.placed.iter().flat_map(|p| p.allocation.nodes()).collect();
            nodes.sort_unstable();
            nodes
        };
        let (own, other) = (nodes(own), nodes(other));
        let theirs: FxHashSet<Bit> = other.iter().copied().collect();
        let mine: FxHashSet<Bit> = own.iter().copied().collect();
        Self {
            both: own.iter().copied().filter(|bit| theirs.contains(bit)).collect(),
            own: own.iter().copied().filter(|bit| !theirs.contains(bit)).collect(),
            other: other.iter().copied().filter(|bit| !mine.contains(bit)).collect(),
        }
    }
}

/// Columns wide enough for `bucket path`.
const WIDE: usize = 14;

/// Both decisions as a table.
pub(crate) fn both_paths(run: &Run, own: &Outcome, other: &Outcome, shares: &Shares) -> Vec<Paragraph> {
    let path = |outcome: &Outcome| outcome.would_use.map_or(Path::Node, |choice| choice.path);
    let name = |outcome| format!("{} path", path(outcome).word());
    let mut lines =
        vec![row("", [Piece::of(Role::Heading, name(own)), Piece::of(Role::Heading, name(other))])];
    lines.push(row("", [Piece::dim("takes it"), Piece::dim("would do")]));
    let verdict = |outcome: &Outcome| {
        Piece::of(wording::verdict_role(outcome.verdict), wording::verdict(outcome.verdict))
    };
    lines.push(row("verdict", [verdict(own), verdict(other)]));
    let set = |outcome: &Outcome| outcome.placed.as_ref().and_then(|placed| placed.set.clone());
    if set(own).is_some() || set(other).is_some() {
        let word = |outcome| Piece::plain(set(outcome).as_deref().unwrap_or("none"));
        lines.push(row("placement set", [word(own), word(other)]));
    }
    let number = |n: u64| Piece::plain(n.to_string());
    lines.push(row("sets examined", [number(own.examined.sets), number(other.examined.sets)]));
    lines.push(row("buckets examined", [number(own.examined.buckets), number(other.examined.buckets)]));
    lines.push(row("nodes examined", [number(own.examined.nodes), number(other.examined.nodes)]));
    let given =
        |outcome: &Outcome| outcome.placed.as_ref().map_or(0, |placed| placed.allocation.nodes().len());
    lines.push(row("nodes given", [number(given(own) as u64), number(given(other) as u64)]));
    lines.push(Paragraph::Blank);
    let mut list = |words: &str, nodes: &[Bit]| {
        if !nodes.is_empty() {
            let nodes = wording::node_list(&run.plan, nodes);
            lines.push(Paragraph::words(2, [Piece::dim(words), Piece::plain(nodes)]));
        }
    };
    list("by both (3 on the map): ", &shares.both);
    list(&format!("only by the {} (1): ", name(own)), &shares.own);
    list(&format!("only by the {} (2): ", name(other)), &shares.other);
    for outcome in [own, other] {
        if let Some(rejection) = &outcome.rejection {
            let why = rejection.uncut(&run.plan.snap.catalogue);
            let words = format!("the {}: {}", name(outcome), why.trim_end());
            lines.push(Paragraph::words(2, [Piece::plain(words)]));
        }
    }
    // What forbids buckets is no property of a bucket: a host in the request, a shared node.
    if let Some(choice) = own.would_use.filter(|choice| choice.path == Path::Node) {
        let words = format!("no bucket path · rule {}: {}", choice.rule.id(), choice.rule.sentence());
        lines.push(Paragraph::words(2, [Piece::plain(words)]));
    }
    lines.push(Paragraph::Blank);
    let same = shares.own.is_empty() && shares.other.is_empty();
    let last = match (&own.placed, &other.placed) {
        (Some(_), Some(_)) if same => "both give the same nodes",
        (Some(_), Some(_)) if path(own) == Path::Bucket => "two different but equally correct allocations",
        (Some(_), Some(_)) => "two different allocations",
        _ => "checks before any path (equal jobs, all nodes) are left out here",
    };
    lines.push(Paragraph::words(2, [Piece::dim(last)]));
    lines
}

fn row(name: &str, both: [Piece; 2]) -> Paragraph {
    let numbers = both.into_iter().map(|piece| (piece, WIDE)).collect();
    Paragraph::Cells { name: Piece::plain(name), numbers }
}
