//! All actions of the user in one table: name, group, a line of explanation, contexts, keys.
//!
//! The keymap, the footer, the help overlay and the manual's page of keys are generated from it, so that they all match
//! the behaviour. To add an action, add one entry to `action/table.rs`; tests fail for what is missing.

mod context;
mod footer_entries;
mod table;

pub use context::{Context, Contexts};
pub(crate) use context::{OWN_CHANGES, STATE};
pub(crate) use footer_entries::{ALERTS, FooterEntry, first};
pub use table::{Action, TABLE};

/// The heading of an action in the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::VariantArray)]
pub enum ActionGroup {
    /// Lifetimes, windows and classes; targets of the scaler.
    Trial,
    /// Moving through the cycle.
    Step,
    /// Views and boxes over them.
    View,
    /// The cursor, the panes, and going back.
    Move,
    /// Rows: which, in what order, and exporting them.
    Table,
    /// Following, freezing and comparing.
    Data,
    /// The line that is being typed.
    Typing,
    /// The program itself.
    Program,
}

impl ActionGroup {
    /// Every group, in the order of the help.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Trial => "Try out",
            Self::Step => "Step",
            Self::Move => "Move",
            Self::Table => "Table",
            Self::Data => "Data",
            Self::View => "Go",
            Self::Typing => "Typing",
            Self::Program => "Program",
        }
    }
}

/// An entry of the table of actions.
#[derive(Debug, Clone, Copy)]
pub struct ActionEntry {
    pub action: Action,
    /// Its name in configuration files and in the palette.
    pub name: &'static str,
    /// Its heading in the help.
    pub group: ActionGroup,
    /// What it does, in one line.
    pub doc: &'static str,
    /// Default keys, and where they work.
    pub keys: &'static [(Contexts, &'static str)],
    /// Priority of its hint in the footer (0: none), and the word there.
    pub hint: (u8, &'static str),
}

impl Action {
    /// The action's entry in the table.
    #[expect(
        clippy::indexing_slicing,
        reason = "the macro writes one entry per variant, in order; a test holds it"
    )]
    pub fn entry(self) -> &'static ActionEntry {
        &TABLE[self as usize]
    }

    /// The action with that name.
    pub fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|entry| entry.name == name).map(|entry| entry.action)
    }

    /// Whether it moves a cursor.
    pub fn moves(self) -> bool {
        (Self::Up as usize..=Self::End as usize).contains(&(self as usize))
    }

    /// Whether it only works in views other than the cycle.
    pub fn is_of_a_view(self) -> bool {
        self.entry().keys.iter().all(|(contexts, _)| contexts.are_views())
    }

    /// The number of the view that the action opens, from 1; `None` for other actions.
    pub fn view(self) -> Option<usize> {
        (Self::View1 as usize..=Self::View9 as usize)
            .contains(&(self as usize))
            .then(|| self as usize - Self::View1 as usize + 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::key::Key;

    #[test]
    fn every_action_has_a_name_of_its_own_a_doc_and_a_key() {
        let mut names = BTreeSet::new();
        for (at, entry) in TABLE.iter().enumerate() {
            assert_eq!(entry.action as usize, at);
            assert!(names.insert(entry.name), "{} twice", entry.name);
            assert!(entry.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
            // Short enough for a column of the help; a verb first, no full stop (console.md 7.2).
            assert!(!entry.doc.ends_with('.') && (5..=45).contains(&entry.doc.len()), "{}", entry.name);
            assert!(!entry.keys.is_empty(), "{}", entry.name);
            assert_eq!(Action::named(entry.name), Some(entry.action));
        }
    }

    #[test]
    fn no_key_means_two_things_in_one_context() {
        let bound: Vec<_> =
            TABLE.iter().flat_map(|e| e.keys.iter().map(move |(c, k)| (e.name, *c, *k))).collect();
        for (at, (name, contexts, key)) in bound.iter().enumerate() {
            let parsed: Key = key.parse().unwrap();
            for (other, elsewhere, second) in &bound[at + 1..] {
                let clash = parsed == second.parse().unwrap() && contexts.intersects(*elsewhere);
                assert!(!clash, "{key}: {name} and {other}");
            }
        }
    }

    #[test]
    fn views_count_from_one() {
        assert_eq!(Action::View1.view(), Some(1));
        assert_eq!(Action::View9.view(), Some(9));
        assert_eq!(Action::NextTheme.view(), None);
    }
}
