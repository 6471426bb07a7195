//! One job by both paths, side by side: where each would place it, how much each examined, and which nodes differ.
//!
//! Both can be right: the paths examine nodes in different orders and find different, equally good ones.

use rustc_hash::FxHashSet;

use crate::theme::Role;
use crate::wording;
use qscope_engine::cluster::Job;
use qscope_engine::cycle::{Outcome, Run, Verdict};
use qscope_engine::placement::PlacementPath;
use qscope_engine::universe::{Bit, Rejection};

use super::{Paragraph, TextPiece};

/// Nodes by the paths that would take them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PathNodes {
    /// Nodes only the job's own path takes.
    pub only_own: Vec<Bit>,
    /// Nodes only the other path takes.
    pub only_other: Vec<Bit>,
    pub common: Vec<Bit>,
}

impl PathNodes {
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
            common: own.iter().copied().filter(|bit| theirs.contains(bit)).collect(),
            only_own: own.iter().copied().filter(|bit| !theirs.contains(bit)).collect(),
            only_other: other.iter().copied().filter(|bit| !mine.contains(bit)).collect(),
        }
    }
}

/// Width of a column, enough for `bucket path`.
const WIDE: usize = 14;

/// One job by both paths.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathOutcomes<'a> {
    pub(crate) run: &'a Run,
    /// The cycle's decision on it.
    pub(crate) decided: &'a Outcome,
    /// The decision by its own path, without the checks that precede any path.
    pub(crate) own_outcome: &'a Outcome,
    /// The decision by the other path.
    pub(crate) other_outcome: &'a Outcome,
}

impl PathOutcomes<'_> {
    /// Both decisions as a table: the result of each, why, which nodes, and how much each examined.
    pub(crate) fn paragraphs(self, shares: &PathNodes) -> Vec<Paragraph> {
        let Self { own_outcome: own, other_outcome: other, .. } = self;
        let names = [own, other].map(|outcome| TextPiece::of(Role::Heading, name(outcome)));
        let takes = if self.decided.path.is_some() { "takes it" } else { "would take it" };
        let verdict = |verdict| TextPiece::of(wording::verdict_role(verdict), wording::verdict(verdict));
        let mut lines = vec![row("", names), row("", [TextPiece::dim(takes), TextPiece::dim("would do")])];
        lines.push(row("verdict", self.verdicts().map(verdict)));
        let given = |outcome: &Outcome| {
            TextPiece::plain(
                outcome.placed.as_ref().map_or(0, |placed| placed.allocation.nodes().len()).to_string(),
            )
        };
        lines.push(row("nodes given", [own, other].map(given)));
        lines.extend(self.nodes(shares));
        lines.push(Paragraph::words(2, [TextPiece::dim(self.compared(shares))]));
        lines.extend(self.reasons().into_iter().map(|words| Paragraph::words(2, [TextPiece::plain(words)])));
        lines.push(Paragraph::Blank);
        lines.extend(self.examined());
        lines
    }

    /// The verdict shown in the job's row, and that of the other path. A job that can never run cannot by either path.
    fn verdicts(self) -> [Verdict; 2] {
        let own = self.run.verdict(self.decided);
        match (own, self.other_outcome.verdict) {
            (Verdict::Never, Verdict::NotNow) => [own, Verdict::Never],
            (_, other) => [own, other],
        }
    }

    /// Lists the nodes each path takes; the numbers are those on the map.
    fn nodes(self, shares: &PathNodes) -> Vec<Paragraph> {
        let only = |outcome, number: u8| format!("only by the {} ({number} on the map): ", name(outcome));
        let lists = [
            ("by both (3 on the map): ".to_owned(), &shares.common),
            (only(self.own_outcome, 1), &shares.only_own),
            (only(self.other_outcome, 2), &shares.only_other),
        ];
        let some = lists.into_iter().filter(|(_, nodes)| !nodes.is_empty());
        some.map(|(words, nodes)| {
            let nodes = wording::node_list(&self.run.plan, nodes);
            Paragraph::words(2, [TextPiece::dim(words), TextPiece::plain(nodes)])
        })
        .collect()
    }

    /// Explains why there is no bucket path, and why the job does not start by one or both paths, in the words of PBS.
    fn reasons(self) -> Vec<String> {
        let Self { run, decided, own_outcome: own, other_outcome: other } = self;
        let mut reasons = Vec::new();
        // What forbids the bucket path is not a property of a bucket: a host in the request, a shared node.
        if let Some(choice) = own.would_use.filter(|choice| choice.path == PlacementPath::Node) {
            let (rule, sentence) = (choice.rule.id(), choice.rule.sentence());
            reasons
                .push(format!("no bucket path · rule {rule}: {sentence}; the right column leaves that out"));
            reasons.extend(unchecked(run.plan.job(decided.job)));
        }
        let comment = |outcome: &Outcome| outcome.rejection.as_ref().map(|found| comment(run, found));
        match decided.path {
            Some(_) => reasons.extend(comment(own).map(|why| format!("the {} (PBS): {why}", name(own)))),
            None => reasons.extend(comment(decided).map(|why| format!("before any path (PBS): {why}"))),
        }
        reasons.extend(comment(other).map(|why| format!("the {} (PBS): {why}", name(other))));
        reasons
    }

    fn compared(self, shares: &PathNodes) -> &'static str {
        let same = shares.only_own.is_empty() && shares.only_other.is_empty();
        match (&self.own_outcome.placed, &self.other_outcome.placed) {
            (Some(_), Some(_)) if same => "both give the same nodes",
            (Some(_), Some(_)) if path(self.own_outcome) == PlacementPath::Bucket => {
                "two different but equally correct allocations"
            }
            (Some(_), Some(_)) => "two different allocations",
            _ => "the paths alone: without the checks before them (equal jobs, all nodes)",
        }
    }

    /// Lists how much each path examined.
    fn examined(self) -> Vec<Paragraph> {
        let Self { own_outcome, other_outcome, .. } = self;
        let set = |outcome: &Outcome| outcome.placed.as_ref().and_then(|placed| placed.set.clone());
        let sets = [set(own_outcome), set(other_outcome)];
        let mut lines = Vec::new();
        if sets.iter().any(Option::is_some) {
            lines.push(row(
                "placement set",
                sets.map(|set| TextPiece::plain(set.as_deref().unwrap_or("none"))),
            ));
        }
        let number = |n: u64| TextPiece::plain(n.to_string());
        let counted = |name, of: fn(&Outcome) -> u64| {
            row(name, [own_outcome, other_outcome].map(|outcome| number(of(outcome))))
        };
        lines.push(counted("sets examined", |outcome| outcome.examined.sets));
        lines.push(counted("buckets examined", |outcome| outcome.examined.buckets));
        lines.push(counted("nodes examined", |outcome| outcome.examined.nodes));
        lines
    }
}

fn path(outcome: &Outcome) -> PlacementPath {
    outcome.would_use.map_or(PlacementPath::Node, |choice| choice.path)
}

fn name(outcome: &Outcome) -> String {
    format!("{} path", path(outcome).word())
}

/// States that buckets ignore names of nodes, if the job requests some.
fn unchecked(job: &Job) -> Option<String> {
    let named: Vec<&str> =
        ["host", "vnode"].into_iter().filter(|resource| job.requests_in_chunks(resource)).collect();
    (!named.is_empty()).then(|| format!("buckets do not check {}", named.join(" and ")))
}

/// Returns the comment of a refusal; some refusals have no reason after the first words.
fn comment(run: &Run, rejection: &Rejection) -> String {
    let text = rejection.full_comment(&run.plan.snap.catalogue);
    match text.trim_end().strip_suffix(':') {
        Some(bare) => format!("{bare}, without a reason"),
        None => text.trim_end().to_owned(),
    }
}

fn row(name: &str, both: [TextPiece; 2]) -> Paragraph {
    let numbers = both.into_iter().map(|piece| (piece, WIDE)).collect();
    Paragraph::Cells { name: TextPiece::plain(name), numbers }
}
