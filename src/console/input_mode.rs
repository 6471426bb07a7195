//! What the next key or line is for, where it is no command.

/// What is typed into the last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptKind {
    /// A filter of the view.
    Filter,
    /// A line for the view on the screen, with what stands before it.
    Line(&'static str),
}

/// A key that waits for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefix {
    /// The letter of a mark to be set.
    Mark,
    /// The letter of the mark to go to.
    Jump,
    /// More digits, or the motion to be repeated.
    Times(usize),
}
