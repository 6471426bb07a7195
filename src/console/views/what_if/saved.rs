//! What-ifs saved under a name: their settings, and the effect of each on the cycle.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::rows::WhatIfRow;
use crate::task::{Computation, TaskNews};
use crate::views::{Effect, Pending};
use qscope_session::{Generation, ask_what_if};

/// The settings of each saved what-if, by name.
pub(crate) type SavedWhatIfs = BTreeMap<String, Vec<String>>;

/// The saved what-ifs, and how they compare with the live cycle.
#[derive(Debug, Default)]
pub(super) struct SavedComparison {
    pub(super) all: SavedWhatIfs,
    pending: Pending<BTreeMap<String, String>>,
    /// The effects by name, as far as they are known.
    effects: Arc<BTreeMap<String, String>>,
}

impl SavedComparison {
    /// Requests the cycle of every saved what-if from a worker; `None` without any.
    pub(super) fn compare(&mut self, base: Option<&Arc<Generation>>) -> Option<Effect> {
        let base = base.filter(|_| !self.all.is_empty())?.clone();
        let all = self.all.clone();
        let compared = Computation::new("comparing what-ifs", move |progress| {
            let mut effects = BTreeMap::new();
            for (at, (name, settings)) in all.iter().enumerate() {
                if !progress.at(at as u64, all.len() as u64) {
                    return None;
                }
                let words = match ask_what_if(&base, settings) {
                    Ok(answer) => effects_summary(&answer.effects.jobs_by_effect()),
                    Err(error) => format!("cannot be set here: {}", error.what),
                };
                effects.insert(name.clone(), words);
            }
            Some(effects)
        });
        Some(self.pending.start(compared))
    }

    /// Takes the comparison; returns whether the news was for this.
    pub(super) fn on_news(&mut self, news: &TaskNews) -> bool {
        let Some(effects) = self.pending.take(news) else { return false };
        self.effects = effects;
        true
    }

    /// Their rows below a heading.
    pub(super) fn rows(&self) -> Vec<WhatIfRow> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let heading = "kept: Enter takes one over, x deletes it · :whatif save NAME keeps the settings above";
        let row = |(name, settings): (&String, &Vec<String>)| {
            let effect = self.effects.get(name).map_or("running", String::as_str);
            WhatIfRow::Saved { name: name.clone(), text: format!("{effect}  ({})", settings.join(", ")) }
        };
        std::iter::once(WhatIfRow::Heading(heading.to_owned())).chain(self.all.iter().map(row)).collect()
    }
}

/// A summary such as `3 start now, 1 waits now`.
pub(super) fn effects_summary(effects: &[(&'static str, Vec<String>)]) -> String {
    let short: Vec<String> = effects.iter().map(|(word, names)| format!("{} {word}", names.len())).collect();
    if short.is_empty() { "no job starts, waits or moves otherwise".to_owned() } else { short.join(", ") }
}
