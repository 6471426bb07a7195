//! The manual of the program, which `:help` shows page by page.

use qscope_exits::Lines;

/// The pages of the manual.
#[derive(Debug, Clone)]
pub struct Manual {
    /// Their names.
    pub topics: Vec<&'static str>,
    /// The page of a name in lines of so many columns; `None` if there is no such page.
    pub page: fn(&str, usize) -> Option<Lines>,
}

impl Default for Manual {
    fn default() -> Self {
        Self { topics: Vec::new(), page: |_, _| None }
    }
}
