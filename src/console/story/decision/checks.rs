//! The checks made before any node is examined: in one line, or in a line each.

use super::super::TextPiece;
use super::DecisionWriter;
use crate::theme::Role;
use qscope_explain::decision::{
    DecisionContents, DecisionLine, DecisionPoint, DecisionRow, StageName, decision_contents, decision_lines,
};

impl<'a> DecisionWriter<'a> {
    /// The checks that the job reached, in order, and whether it passed them.
    pub(super) fn found_checks(&self) -> Vec<(StageName, bool, DecisionRow)> {
        use StageName as S;
        let DecisionContents::Level(level) = decision_contents(self.subject, &DecisionPoint::Job) else {
            return Vec::new();
        };
        let check = |row: DecisionRow| match row.point {
            DecisionPoint::Stage(
                name @ (S::Class | S::AllNodes | S::Limits | S::Time | S::Resources | S::Sets | S::Placement),
            ) => Some((name, row.passed?, row)),
            _ => None,
        };
        level.frames.into_iter().filter_map(check).collect()
    }

    /// Adds a line for each check with its sign, name and comparison, except those that have a line below.
    pub(super) fn checks_in_lines(&mut self) {
        let below = decision_lines(self.subject);
        let is_below = |label: &str| {
            below.iter().any(|line| {
                matches!(line, DecisionLine::Stage { passed: Some(false), label: have, .. } if have == label)
            })
        };
        for (_, passed, frame) in self.found_checks() {
            if !passed && is_below(&frame.label) {
                continue;
            }
            let rule = frame.rule.filter(|_| !passed).map(|rule| TextPiece::dim(format!(" · rule {rule}")));
            self.stage(
                Some(passed),
                &frame.label,
                std::iter::once(TextPiece::plain(&frame.text)).chain(rule).collect(),
            );
        }
    }

    /// Adds one line with the sign of every check; failed ones are explained in a line below.
    pub(super) fn checks(&mut self) {
        let mut pieces = Vec::new();
        for (name, passed, frame) in &self.found_checks() {
            if !pieces.is_empty() {
                pieces.push(TextPiece::plain("  "));
            }
            let role = if *passed { Role::VerdictRun } else { Role::VerdictNever };
            pieces.push(TextPiece::signed(role, &frame.label));
            if *name == StageName::AllNodes && *passed {
                pieces.push(TextPiece::dim(format!(" {}", open_nodes(&frame.text))));
            }
        }
        if !pieces.is_empty() {
            self.words(2, pieces);
        }
    }
}

/// Extracts from the text of that check how many nodes are free or part, the number that every job is compared with.
/// Other counts keep their text.
fn open_nodes(text: &str) -> &str {
    let (counted, _requested) = text.rsplit_once(", ").unwrap_or((text, ""));
    match counted.split_once(" node") {
        Some((numbers, "s free or part" | " free or part")) => numbers,
        _ => counted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_is_no_other_is_two_numbers() {
        assert_eq!(open_nodes("6 of 28 nodes free or part, 2 chunks requested"), "6 of 28");
        assert_eq!(open_nodes("1 of 1 node free or part, 1 chunk requested"), "1 of 1");
        let lags = "8 of 28 nodes counted as free, 2 free or part (quirk last-set-only)";
        assert_eq!(open_nodes(&format!("{lags}, 2 chunks requested")), lags);
    }
}
