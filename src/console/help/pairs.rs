//! Actions and their opposites that share a line of the help.

use crate::action::Action;
use Action as A;

/// An action, its opposite, and one description of both.
pub(super) type ActionPair = (Action, Action, &'static str);

/// The pairs. Where both actions work, the second is listed in the line of the first.
pub(super) const PAIRS: &[ActionPair] = &[
    (A::StepForward, A::StepBack, "Step forward, back"),
    (A::StepInto, A::StepOut, "Step into the decision, out one level"),
    (A::NextVerdict, A::PreviousVerdict, "Go to the next, previous verdict or event"),
    (A::NextWaiting, A::PreviousWaiting, "Run to the next, previous waiting job"),
    (A::Continue, A::ContinueBack, "Continue to the next, previous breakpoint"),
    (A::More, A::Less, "Show more, less: speed, zoom, nodes a cell"),
    (A::FirstStep, A::LastStep, "Go to the first, last step"),
    (A::SetMark, A::Jump, "Set a mark, go to one; '' to the last place"),
    (A::Up, A::Down, "One line up, down"),
    (A::Home, A::End, "To the first, last line"),
    (A::NextLine, A::PreviousLine, "Next, previous bucket, set, job or node"),
    (A::NextMatch, A::PreviousMatch, "Go to the next, previous match"),
    (A::Sort, A::SortReverse, "Sort by the next column, the other way"),
    (A::Fold, A::FoldAll, "Fold or open the section, all sections"),
    (A::Copy, A::CopyMarkdown, "Copy the selection, the answer as Markdown"),
    (A::NextEvent, A::PreviousEvent, "Go to the next, previous event"),
    (A::LongerTtl, A::ShorterTtl, "Lengthen, shorten the lifetime of holds"),
    (A::WindowLeft, A::WindowRight, "Move the window of all means left, right"),
    (A::WindowIn, A::WindowOut, "Halve, double the window around the cursor"),
    (A::LongerTarget, A::ShorterTarget, "Lengthen, shorten the target time"),
    (A::MoreInertia, A::LessInertia, "More, less inertia of the scaler"),
    (A::OlderSnapshot, A::NewerSnapshot, "Show the older, newer snapshot"),
    (A::CompareOlder, A::CompareNewer, "Compare with an older, newer snapshot"),
];

pub(super) fn of(action: Action) -> Option<&'static ActionPair> {
    PAIRS.iter().find(|(first, second, _)| [*first, *second].contains(&action))
}

#[cfg(test)]
mod tests {
    use super::PAIRS;

    /// The same limits as for the texts of single actions.
    #[test]
    fn a_pair_has_one_group_and_a_text_as_long_as_a_column() {
        for (first, second, doc) in PAIRS {
            assert_eq!(first.entry().group, second.entry().group, "{doc}");
            assert!(!doc.ends_with('.') && (5..=45).contains(&doc.len()), "{doc}");
        }
    }
}
