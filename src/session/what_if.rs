//! What-ifs: a cluster with some settings changed, and the cycle run anew over it, apart from the live one.

mod effects;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::compare::Comparison;
use super::{Generation, Opening, SchedLogAt, read_files};
use qscope_engine::cluster::Snapshot;
use qscope_engine::cycle::CycleStart;
use qscope_engine::universe::Quirks;
use qscope_source::{SettingError, Settings, SourceError, load};

pub use effects::Effects;

/// What makes a generation a what-if.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WhatIf {
    /// What was set, each under its full key.
    pub settings: Vec<String>,
    /// Notes on that.
    pub notes: Vec<String>,
}

/// Why there is no what-if.
#[derive(Debug, thiserror::Error)]
pub enum WhatIfError {
    /// There is no cluster.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A setting is none.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

/// Reads an opening, applies these settings, and runs the cycle once; without texts, as it is.
///
/// # Errors
/// No cluster, or a text that is no setting.
pub fn load_what_if<T: AsRef<str>>(opening: &Opening, texts: &[T]) -> Result<Generation, WhatIfError> {
    let started = Instant::now();
    let files = read_files(&opening.origin)?;
    let snapshot = opening.entitled(load(&files, &opening.load)?);
    let settings = Settings::read(texts, &snapshot)?;
    let snapshot = if texts.is_empty() { snapshot } else { snapshot.with(settings.edits()) };
    let mut generation = run(1, snapshot, started.elapsed(), opening.quirks, &settings);
    generation.opened_as(opening);
    generation.sched_log = SchedLogAt::of(&opening.origin, &files);
    Ok(generation)
}

/// What would be, held against what is.
#[derive(Clone, Debug)]
pub struct WhatIfAnswer {
    /// The what-if.
    pub generation: Arc<Generation>,
    /// All that differs.
    pub comparison: Comparison,
    /// What that is for the jobs that wait.
    pub effects: Effects,
}

/// Runs the cycle of a generation with settings over it, and compares.
///
/// # Errors
/// A text that is no setting.
pub fn ask_what_if<T: AsRef<str>>(base: &Generation, texts: &[T]) -> Result<WhatIfAnswer, SettingError> {
    let generation = Arc::new(base.what_if(&Settings::read(texts, &base.snapshot)?));
    let comparison = Comparison::of(&base.run, &generation.run);
    let effects = Effects::of(&base.run, &generation.run, &comparison);
    Ok(WhatIfAnswer { generation, comparison, effects })
}

impl Generation {
    /// The same cluster with these settings, which were read against it, and the cycle over that.
    pub fn what_if(&self, settings: &Settings) -> Self {
        let started = Instant::now();
        let snapshot = self.snapshot.with(settings.edits());
        let mut generation = run(self.number, snapshot, started.elapsed(), self.run.plan.quirks, settings);
        generation.local.clone_from(&self.local);
        generation.as_pbs = self.as_pbs;
        generation.sched_log = self.sched_log.clone();
        generation.origin.clone_from(&self.origin);
        generation
    }
}

fn run(
    number: u64,
    snapshot: Snapshot,
    read_took: Duration,
    quirks: Quirks,
    settings: &Settings,
) -> Generation {
    let build = |snapshot| CycleStart::new(snapshot, quirks);
    let mut generation = Generation::run(number, Arc::new(snapshot), read_took, build);
    let (words, notes) = (settings.words().to_vec(), settings.notes().to_vec());
    generation.what_if = (!words.is_empty()).then(|| Arc::new(WhatIf { settings: words, notes }));
    generation
}
