//! Opens and reads the cluster that the command line names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use color_eyre::eyre::{Report, Result, WrapErr, eyre};

use qscope_engine::cluster::{JobId, Snapshot};
use qscope_engine::cycle::StepIx;
use qscope_engine::universe::{NodeRanking, Quirk, Quirks};
use qscope_exits::Message;
use qscope_planning::policies::{LocalHook, PolicyRanking};
use qscope_session::{
    CommandHook, Generation, NoVerdictReason, Opening, OpeningOrigin, WhatIfError, apply, generation_of,
    load_generation, load_what_if, read_files,
};
use qscope_simulate::{SimulationFiles, SimulationInput};
use qscope_source::SettingError;
use qscope_source::{Files, load};
use qscope_system::input::{self, SizeLimit};

use super::arguments::{ClusterArgs, FolderArgs, InputArgs, WhatIfArgs};

/// Reads the text of a file that holds no cluster.
///
/// # Errors
/// If it cannot be read, is no text, or has more than `bytes` bytes.
pub(super) fn text(file: &Path, bytes: u64) -> Result<String> {
    input::read_text(file, SizeLimit { limit: "file-size", bytes })
        .wrap_err_with(|| file.display().to_string())
}

/// Reads a folder and runs the cycle once.
///
/// # Errors
/// If there is no folder, nothing to read in it, or an unknown quirk.
pub(super) fn generation(paths: &[PathBuf], reading: &InputArgs) -> Result<Generation> {
    Ok(load_generation(&opening(paths, reading)?, 1)?)
}

/// Reads a folder and runs the cycle once; also returns the files it was read from.
pub(super) fn generation_with_files(at: &FolderArgs) -> Result<(Generation, Files)> {
    let opening = opening(&at.paths, &at.form.reading)?;
    let files = read_files(&opening.origin)?;
    Ok((generation_of(&opening, &files, 1)?, files))
}

/// Reads a folder, changes the requested settings, and runs the cycle once.
///
/// # Errors
/// The errors of [`generation`], or if a setting is invalid.
pub(super) fn what_if(cluster: &ClusterArgs) -> Result<Generation> {
    changed_generation(&cluster.at.paths, &cluster.at.form.reading, &cluster.set)
}

/// Reads paths, changes the requested settings, and runs the cycle once.
pub(super) fn changed_generation(
    paths: &[PathBuf],
    reading: &InputArgs,
    set: &WhatIfArgs,
) -> Result<Generation> {
    let opening = opening(paths, reading)?;
    load_what_if(&opening, &set.texts()).map_err(|error| match error {
        WhatIfError::Source(error) => error.into(),
        WhatIfError::Setting(error) => unreadable_setting(&error),
    })
}

/// Returns the cluster if its cycle gives verdicts.
///
/// # Errors
/// The reason if it gives none.
pub(super) fn with_verdicts(generation: Generation) -> Result<Generation> {
    match NoVerdictReason::of(&generation.snapshot, generation.as_pbs) {
        Some(why) => Err(eyre!("{}: {why}", generation.snapshot.title)),
        None => Ok(generation),
    }
}

/// Returns an error in a text of the command line, with a mark below its position.
pub(super) fn error_with_mark(what: &str, [text, mark]: &[String; 2]) -> Report {
    Report::new(Message::from_iter([what, &format!("  {text}"), &format!("  {mark}")]))
}

/// Reads a folder without running the cycle.
///
/// # Errors
/// If there is no folder, or nothing to read in it.
pub(super) fn snapshot(paths: &[PathBuf], reading: &InputArgs) -> Result<Snapshot> {
    let opening = opening(paths, reading)?;
    Ok(load(&read_files(&opening.origin)?, &opening.load)?)
}

/// Returns what the arguments request to be opened.
pub(super) fn opening(paths: &[PathBuf], reading: &InputArgs) -> Result<Opening> {
    Ok(Opening {
        origin: OpeningOrigin::of(paths, reading.tz.as_deref())?,
        load: reading.load_options(),
        quirks: quirks(reading)?,
        local_policy: reading.local_policy.clone(),
        as_pbs: reading.batch_system.is_some(),
    })
}

/// Returns which quirks are on.
///
/// # Errors
/// If a quirk is unknown.
pub(super) fn quirks(reading: &InputArgs) -> Result<Quirks> {
    let mut quirks = Quirks::of(reading.semantics);
    for text in &reading.quirk {
        let (name, state) = text.split_once('=').unwrap_or((text, "on"));
        let quirk = Quirk::from_name(name).ok_or_else(|| {
            let known: Vec<_> = Quirk::ALL.iter().map(|quirk| quirk.name()).collect();
            eyre!("--quirk: no quirk `{name}`; known are {}", known.join(", "))
        })?;
        match state {
            "on" => quirks.set(quirk, true),
            "off" => quirks.set(quirk, false),
            _ => return Err(eyre!("--quirk {name}: expected on or off, found `{state}`")),
        }
    }
    Ok(quirks)
}

/// Returns the start of a simulation: a folder with its arrivals, or any other input of a cluster.
///
/// # Errors
/// If it does not exist, or cannot be read.
pub(super) fn start(paths: &[PathBuf], input: &InputArgs) -> Result<SimulationFiles> {
    Ok(match OpeningOrigin::of(paths, input.tz.as_deref())? {
        OpeningOrigin::Folder(folder) => SimulationFiles::folder(&folder)?,
        origin => SimulationFiles::of(read_files(&origin)?),
    })
}

/// Returns settings in the form in which answers list them: with the object that they belong to.
///
/// # Errors
/// If a setting is invalid.
pub(super) fn setting_words(settings: &[String], snapshot: &Snapshot) -> Result<Vec<String>> {
    if settings.is_empty() {
        return Ok(Vec::new());
    }
    let applied = apply(settings, snapshot).map_err(|error| unreadable_setting(&error))?;
    Ok(applied.settings)
}

fn unreadable_setting(error: &SettingError) -> Report {
    error_with_mark("the setting cannot be read", &error.pointed())
}

/// Changes settings of a snapshot; returns the notes about them.
///
/// # Errors
/// If a setting is invalid.
pub(super) fn set(snapshot: &mut Snapshot, settings: &[String]) -> Result<Vec<String>> {
    if settings.is_empty() {
        return Ok(Vec::new());
    }
    let applied = apply(settings, snapshot).map_err(|error| unreadable_setting(&error))?;
    *snapshot = applied.snapshot;
    Ok(applied.notes)
}

/// Changes settings of the start of a simulation, including allocation policies.
pub(super) fn set_input(
    input: &mut SimulationInput,
    settings: &[String],
    reading: &InputArgs,
) -> Result<Vec<String>> {
    let notes = set(&mut input.start, settings)?;
    let hook = reading.local_policy.clone().map(CommandHook::new);
    let hook = hook.map(|hook| Arc::new(hook) as Arc<dyn LocalHook>);
    let ranking = PolicyRanking::of(&input.start, hook)?;
    input.ranking = ranking.map(|ranking| Arc::new(ranking) as Arc<dyn NodeRanking>);
    Ok(notes)
}

/// Returns the job of a name.
///
/// # Errors
/// If there is no such job; similar names are suggested.
pub(super) fn job(generation: &Generation, name: &str) -> Result<JobId> {
    job_of(&generation.snapshot, name)
}

pub(super) fn job_of(snapshot: &Snapshot, name: &str) -> Result<JobId> {
    snapshot.job_meant(name).ok_or_else(|| {
        if name.contains('/') || Path::new(name).is_dir() {
            return eyre!("which job? `{name}` is a folder; the job comes before it");
        }
        let near = snapshot.jobs_near(name, 3);
        let hint = if near.is_empty() { String::new() } else { format!("; nearest: {}", near.join(", ")) };
        eyre!("no job `{name}` among {} in {}{hint}", snapshot.jobs.len(), snapshot.title)
    })
}

/// Returns the step that `--after JOB` means: the last one that considers the job, since verdicts and explanations
/// are about its last turn; for a subjob represented by its array, the step that starts it.
///
/// # Errors
/// If there is no such job, or the cycle does not consider it.
pub(super) fn step_after(generation: &Generation, name: &str) -> Result<(JobId, StepIx)> {
    let (snap, run) = (&generation.snapshot, &generation.run);
    let job = job_of(snap, name)?;
    let subjob = snap.job_named(name).is_none().then(|| snap.waiting_subjob(name)).flatten();
    let starts = |(array, index): (JobId, u32)| {
        let mut steps = run.steps.enumerate();
        steps.find(|(_, step)| step.outcome.job == array && step.outcome.subjob == Some(index))
    };
    let own = subjob.and_then(starts).map(|(at, _)| at);
    let step = own.or_else(|| run.last_step_of(job));
    let step =
        step.ok_or_else(|| eyre!("--after {}: the cycle does not consider the job", snap.jobs[job].name))?;
    Ok((job, step))
}
