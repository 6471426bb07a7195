//! PRIORITYF: a sum of weighted components (rules 2.2 to 2.4).
//!
//! Text that Maui silently drops or misreads is either accepted in its evident meaning with a remark, or an
//! error with a column.

mod parse;

use super::component::Component;

/// A parsed priority function.
#[derive(Clone, PartialEq, Debug)]
pub struct PriorityFormula {
    /// The text as written.
    pub text: String,
    /// The weight of each component that occurs, in the order of first mention.
    pub terms: Vec<(Component, f64)>,
    /// The part of the sum that is the same for every node.
    pub constant: f64,
    /// Differences from how Maui would read it, as sentences.
    pub remarks: Vec<String>,
}

/// Why a text is not a priority function.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("PRIORITYF column {}: {message}", .column + 1)]
pub struct PriorityFormulaError {
    /// Position in characters, from 0.
    pub column: usize,
    /// What was found and what was expected.
    pub message: String,
}

impl PriorityFormula {
    /// Reads a priority function.
    ///
    /// # Errors
    /// The text cannot be read; with the column and the reason.
    pub fn parse(text: &str) -> Result<Self, PriorityFormulaError> {
        parse::parse(text)
    }

    /// Returns the formula that Maui uses when none is set: `PRIORITY + 100*PREF` (rule 2.1).
    pub fn unset() -> Self {
        Self {
            text: "PRIORITY + 100*PREF".to_owned(),
            terms: vec![(Component::Priority, 1.0), (Component::Pref, 100.0)],
            constant: 0.0,
            remarks: Vec::new(),
        }
    }

    /// Returns the weight of a component, 0 where it does not occur.
    #[cfg(test)]
    pub(super) fn weight(&self, component: Component) -> f64 {
        self.terms.iter().find(|(have, _)| *have == component).map_or(0.0, |(_, weight)| *weight)
    }

    /// Returns the components with a weight other than 0.
    pub fn components(&self) -> impl Iterator<Item = Component> {
        self.terms.iter().filter(|(_, weight)| *weight != 0.0).map(|(component, _)| *component)
    }

    /// Returns the value of the function, given that of every component.
    pub fn value(&self, mut of: impl FnMut(Component) -> f64) -> f64 {
        self.terms.iter().fold(self.constant, |sum, (component, weight)| sum + weight * of(*component))
    }
}

#[cfg(test)]
mod tests;
