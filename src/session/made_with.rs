//! Whether a cycle follows the options with which the verdicts of a bundle or published file were computed.

use qscope_engine::universe::Quirks;

use super::Generation;

impl Generation {
    /// Returns a sentence on the options that this cycle is run without, although the files state them; `None` if it
    /// is run with them, or the files state none.
    pub fn made_otherwise(&self) -> Option<String> {
        let made = &*self.snapshot.made_with;
        match Quirks::from_options(made) {
            Some(quirks) if made.is_empty() || quirks == self.run.plan.quirks => None,
            Some(_) => Some(format!(
                "the files were written with {made}: without these options, as here, verdicts may differ"
            )),
            None => Some(format!("the files were written with {made}, which this version does not know")),
        }
    }
}
