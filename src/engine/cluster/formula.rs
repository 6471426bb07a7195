//! `job_sort_formula` and `fairshare_usage_res`: arithmetic in Python syntax (rules 1.11, 6.5).
//!
//! The scheduler passes these texts to Python. Here they are parsed into a syntax tree with positions, so that an
//! explanation of an order can point at the part that caused it. Supported: numbers, names, `+ - * / // % **`,
//! comparison chains, `and or not`, `a if c else b`, and a few functions.

mod evaluate;
mod lexer;
mod parser;
mod syntax;

use super::Name;
pub use evaluate::{Evaluation, FormulaFault, FormulaTerm};
pub use syntax::{Arithmetic, Expr, FormulaComparison, FormulaNode, Function};

/// A parsed formula.
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
    pub found: String,
    pub expected: &'static str,
}

impl Formula {
    /// Parses a formula.
    ///
    /// # Errors
    /// Returns the first position that is not in the supported part of Python's expression language.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let root = parser::parse(text)?;
        Ok(Self { text: text.into(), root })
    }

    /// Returns the text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the syntax tree.
    pub fn root(&self) -> &Expr {
        &self.root
    }

    /// Returns the names it uses, each once, in the order of first use.
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

    /// Evaluates the formula for one job, with Python's rules for division, remainder and power. Callers count a
    /// fault as 0 with a warning (rule 6.5).
    ///
    /// # Errors
    /// Whatever would raise an exception in Python, and a result that is not a finite real number.
    pub fn evaluate(&self, value_of: &dyn Fn(&str) -> Option<f64>) -> Result<f64, FormulaFault> {
        evaluate::finite(&self.root, value_of)
    }

    /// Evaluates the formula and returns the value of every name too.
    pub fn evaluate_terms(&self, value_of: &dyn Fn(&str) -> Option<f64>) -> Evaluation {
        let terms =
            self.names().into_iter().map(|name| FormulaTerm { name: name.into(), value: value_of(name) });
        let parts = self.root.summands().into_iter().map(|(is_added, part)| {
            let value = evaluate::finite(part, value_of).ok();
            let text = self.text.get(part.at.clone()).unwrap_or_default();
            match is_added {
                true => FormulaTerm { name: text.into(), value },
                false => FormulaTerm { name: format!("-({text})").into(), value: value.map(|value| -value) },
            }
        });
        Evaluation { terms: terms.collect(), parts: parts.collect(), value: self.evaluate(value_of) }
    }
}

#[cfg(test)]
mod tests;
