//! `job_sort_formula` and `fairshare_usage_res`: arithmetic in Python's notation (rules 1.11, 6.5).
//!
//! The scheduler hands these texts to Python. Here they are a syntax tree with positions, so that an
//! explanation of an order can point at the part that made it. What is understood: numbers, names, `+ - * / //
//! % **`, comparison chains, `and or not`, `a if c else b`, and a handful of functions.

mod evaluate;
mod lexer;
mod parser;
mod syntax;

use super::Name;
pub use evaluate::{Evaluation, FormulaFault, FormulaTerm};
pub use syntax::{Arithmetic, Expr, FormulaComparison, FormulaNode, Function};

/// A formula that could be read.
#[derive(Clone, PartialEq, Debug)]
pub struct Formula {
    text: Name,
    root: Expr,
}

/// Why a text is not a formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("formula, byte {at}: found {found}, expected {expected}")]
pub struct FormulaError {
    /// Byte offset in the text.
    pub at: usize,
    /// What stands there.
    pub found: String,
    /// What would have been right.
    pub expected: &'static str,
}

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    /// The first place that is not Python's expression language as far as it is understood here.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let root = parser::parse(text)?;
        Ok(Self { text: text.into(), root })
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The tree.
    pub fn root(&self) -> &Expr {
        &self.root
    }

    /// The names it uses, each once, in the order of their first use.
    pub fn names(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.root.visit(&mut |expr| {
            if let FormulaNode::Name(name) = &expr.node
                && !found.contains(&&**name)
            {
                found.push(&**name);
            }
        });
        found
    }

    /// The value for one job, with Python's rules for division, remainder and power. Whoever calls counts
    /// a fault as 0 with a warning (rule 6.5).
    ///
    /// # Errors
    /// Whatever Python would raise, and a result that is not a finite real number.
    pub fn evaluate(&self, value_of: &dyn Fn(&str) -> Option<f64>) -> Result<f64, FormulaFault> {
        evaluate::finite(&self.root, value_of)
    }

    /// The value together with the value of every name, to show where it comes from.
    pub fn evaluate_terms(&self, value_of: &dyn Fn(&str) -> Option<f64>) -> Evaluation {
        let terms =
            self.names().into_iter().map(|name| FormulaTerm { name: name.into(), value: value_of(name) });
        Evaluation { terms: terms.collect(), value: self.evaluate(value_of) }
    }
}

#[cfg(test)]
mod tests;
