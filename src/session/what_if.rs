//! What-ifs: a cluster with changed settings, and a cycle run on it, separate from the live one.

pub(super) mod apply;
mod effects;
mod settings_of_edits;

use std::sync::Arc;
use std::time::Instant;

use qscope_engine::cluster::{Edit, Snapshot, begins_with};
use qscope_engine::universe::Quirks;
use qscope_planning::policies::{NodeChoice, option_words};
use qscope_source::{SettingEdits, SettingError, SourceError, load};

use super::compare::Comparison;
use super::generation::WhatIf;
use super::{CommandHook, Generation, Opening, SchedLogLocation, read_files};

pub use apply::{ChangedCluster, apply};
pub use effects::WhatIfEffects;
pub use settings_of_edits::settings_of;

/// Error: there is no what-if.
#[derive(Debug, thiserror::Error)]
pub enum WhatIfError {
    /// The cluster cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A setting is invalid.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

/// Reads an opening, applies settings, and runs the cycle once; without settings, unchanged.
///
/// # Errors
/// If there is no cluster, or a setting is invalid.
pub fn load_what_if<T: AsRef<str>>(opening: &Opening, texts: &[T]) -> Result<Generation, WhatIfError> {
    let started = Instant::now();
    let files = read_files(&opening.origin)?;
    let snapshot = opening.with_adapted_title(load(&files, &opening.load)?);
    let applied = apply(texts, &snapshot)?;
    let mut generation = run(1, applied, started, opening.quirks, opening.local());
    generation.opened_as(opening);
    generation.sched_log = SchedLogLocation::of(&opening.origin, &files);
    Ok(generation)
}

/// A what-if compared with the actual cluster.
#[derive(Clone, Debug)]
pub struct WhatIfAnswer {
    pub generation: Arc<Generation>,
    /// All differences.
    pub comparison: Comparison,
    /// Effects on waiting jobs.
    pub effects: WhatIfEffects,
}

/// Runs the cycle of a generation with settings, and compares. Meant for a worker thread.
///
/// # Errors
/// If a setting is invalid.
pub fn ask_what_if<T: AsRef<str>>(base: &Generation, texts: &[T]) -> Result<WhatIfAnswer, SettingError> {
    let generation = Arc::new(base.what_if(texts)?);
    let comparison = Comparison::explained(&base.run, &generation.run);
    let effects = WhatIfEffects::of(&base.run, &generation.run, &comparison);
    Ok(WhatIfAnswer { generation, comparison, effects })
}

impl Generation {
    /// Returns the same cluster with these settings, and its cycle.
    ///
    /// # Errors
    /// If a setting is invalid.
    pub fn what_if<T: AsRef<str>>(&self, texts: &[T]) -> Result<Self, SettingError> {
        let started = Instant::now();
        let applied = apply(texts, &self.snapshot)?;
        let mut generation =
            run(self.number, applied, started, self.run.plan.quirks, self.local_hook.clone());
        generation.as_pbs = self.as_pbs;
        generation.sched_log = self.sched_log.clone();
        generation.origin.clone_from(&self.origin);
        Ok(generation)
    }
}

fn run(
    number: u64,
    ChangedCluster { snapshot, settings, notes }: ChangedCluster,
    started: Instant,
    quirks: Quirks,
    hook: Option<CommandHook>,
) -> Generation {
    let build = |snapshot| apply::cycle_start(snapshot, quirks, hook.as_ref());
    let mut generation = Generation::run(number, Arc::new(snapshot), started.elapsed(), build);
    generation.what_if = (!settings.is_empty()).then(|| Arc::new(WhatIf { settings, notes }));
    generation.local_hook = hook;
    generation
}

/// Keys that what is typed may become, best first; behind a whole key, the settings with the values that it takes. None
/// where any text is a value.
pub fn complete(typed: &str, snap: &Snapshot) -> Vec<String> {
    let of_policy = typed.split_once('=').map(|(key, value)| of_policy(key, value, snap));
    of_policy.filter(|found| !found.is_empty()).unwrap_or_else(|| qscope_source::complete(typed, snap))
}

/// A value that the reader of no allocation policy refuses.
const ANY: &str = "?";

/// The settings that `key=typed` may become, where the key is about an allocation policy; the readers leave its words to the
/// policies.
fn of_policy(key: &str, typed: &str, snap: &Snapshot) -> Vec<String> {
    let Ok(read) = SettingEdits::read(&[format!("{key}={ANY}")], snap) else { return Vec::new() };
    let is_choice = !read.policies().is_empty();
    let is_option = read.edits().iter().any(|edit| matches!(edit, Edit::Maui(_)));
    let words = match key.rsplit('.').next() {
        _ if is_choice => NodeChoice::words(typed),
        Some(option) if is_option => option_words(option).into_iter().map(ToOwned::to_owned).collect(),
        _ => Vec::new(),
    };
    words.into_iter().filter(|word| begins_with(word, typed)).map(|word| format!("{key}={word}")).collect()
}
