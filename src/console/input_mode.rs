//! What the next key or line is for, if it is not a command.

/// What is typed into the footer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptKind {
    /// A filter of the view.
    Filter,
    /// A line for the visible view, with the label before it.
    Line(&'static str),
}

/// A key that waits for a second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefix {
    /// Expects the letter of a mark to set.
    Mark,
    /// Expects the letter of the mark to go to.
    Jump,
    /// The count typed so far; expects more digits, or the motion to repeat.
    Times(usize),
}
