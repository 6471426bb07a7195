//! Assembles the parts of a cluster.

mod jobs;
mod loader;
mod nodes;
mod objects;
mod parallel;
mod piece_decoder;
mod used_amounts;

use std::ops::ControlFlow;

use self::loader::Loader;
use self::parallel::MANY_BYTES;
use super::choice::{ChosenFile, cut_set_aside};
use super::files::{Files, unreadable};
use super::guesses::KindGuesses;
use super::identity::IdentityCheck;
use super::load_options::LoadOptions;
use super::log::DiagnosticLog;
use super::memory::ReadCache;
use super::need::DumpSize;
use super::overview::Overview;
use super::record::{DumpHeader, DumpKind, Record};
use super::toml_form::PolicyPart;
use super::{SourceError, cross, hand_written, made_with, native, origins, partition, published};
use qscope_engine::cluster::{DamageKind, FileRecord, Name, Snapshot};

/// Loads a snapshot from files.
///
/// # Errors
/// If there are no readable vnodes, or a hand-written cluster has errors or needs too much memory.
pub fn load(files: &Files, options: &LoadOptions) -> Result<Snapshot, SourceError> {
    load_with(files, options, None, MANY_BYTES)
}

/// Like [`load`], for files that are read repeatedly: unchanged records are not decoded again.
pub fn load_again(
    files: &Files,
    options: &LoadOptions,
    memory: &mut ReadCache,
) -> Result<Snapshot, SourceError> {
    load_with(files, options, Some(memory), MANY_BYTES)
}

/// Reads both dumps in parallel if each has at least `large` bytes.
pub(crate) fn load_with(
    files: &Files,
    options: &LoadOptions,
    mut memory: Option<&mut ReadCache>,
    large: usize,
) -> Result<Snapshot, SourceError> {
    let mut none = DumpSize::default();
    super::need::check(files, memory.as_deref_mut().map_or(&mut none, ReadCache::counted))?;
    let mut snapshot = load_slots(files, options, memory, large).map_err(|error| error.renamed(files))?;
    files.rename(&mut snapshot);
    Ok(snapshot)
}

/// The same, with the files under the loader's names.
fn load_slots(
    files: &Files,
    options: &LoadOptions,
    mut memory: Option<&mut ReadCache>,
    large: usize,
) -> Result<Snapshot, SourceError> {
    let dumped = ["nodes.json", "nodes.txt"].iter().any(|name| files.get(name).is_some());
    if !dumped && files.get("nodes.toml").is_some() {
        return hand_written::load(files, options);
    }
    let mut guesses = KindGuesses::default();
    let mut log = DiagnosticLog::default();
    let mut snapshot = load_dumps(files, options, &mut guesses, memory.as_deref_mut(), large, &mut log)?;
    // Each round widens a kind, and a kind can be widened at most twice.
    while guesses.take_widened() {
        log = DiagnosticLog::default();
        memory.as_deref_mut().map(ReadCache::clear);
        snapshot = load_dumps(files, options, &mut guesses, memory.as_deref_mut(), large, &mut log)?;
    }
    (snapshot.diagnostics, snapshot.tallies) = log.finish();
    without_empty_lists(&mut snapshot);
    origins::doubt_dumps(files, &mut snapshot);
    super::foreign::conceal(files, &mut snapshot.diagnostics);
    Ok(snapshot)
}

/// Removes reports of empty files for which a failed client is already reported.
fn without_empty_lists(snapshot: &mut Snapshot) {
    let failed: Vec<Name> =
        snapshot.diagnostics_of(DamageKind::ClientFailed).map(|found| found.file.clone()).collect();
    let is_over = |code: &str, file: &Name| code == "empty-file" && failed.contains(file);
    snapshot.diagnostics.retain(|found| !is_over(found.code, &found.file));
    snapshot.tallies.retain(|tally| !is_over(tally.code, &tally.file));
}

fn load_dumps(
    files: &Files,
    options: &LoadOptions,
    guesses: &mut KindGuesses,
    mut cache: Option<&mut ReadCache>,
    large: usize,
    log: &mut DiagnosticLog,
) -> Result<Snapshot, SourceError> {
    let (of_nodes, mut of_jobs) = cache.as_deref_mut().map(ReadCache::parts).unzip();
    log.extend(files.gathered().reported.clone());
    unreadable(files, log);
    let mut loader = Loader::open(files, options, of_jobs.as_deref(), guesses, log)?;
    loader.resources(log);
    loader.management(options, log)?;
    let read = if loader.is_large(large) {
        loader.nodes_and_jobs(of_nodes, of_jobs.as_deref_mut(), log)?
    } else {
        loader.nodes(of_nodes, None, log)?;
        None
    };
    loader.jobs(of_jobs, read, log);
    loader.reservations(log);
    loader.occupy_nodes(cache.as_deref_mut().map(ReadCache::occupied), log);
    loader.count_use(log);
    cut_set_aside(files, &loader.snapshot.files, log);
    let Loader { mut snapshot, zone, .. } = loader;
    native::read_present(files, &zone, true, &mut snapshot, log);
    hand_written::add_policy(files, PolicyPart::Options, &mut snapshot, log);
    origins::infer_origins(files, &mut snapshot);
    let mut anew = Overview::default();
    let overview = cache.map_or(&mut anew, ReadCache::overview);
    overview.follow(&snapshot.nodes);
    partition::infer(options.scheduler.as_deref(), overview, &mut snapshot, log)?;
    native::report_assumed(files, &snapshot, log);
    hand_written::add_extra(files, &mut snapshot, log);
    published::add(files, &mut snapshot, log);
    made_with::add(files, &mut snapshot, log);
    overview.follow(&snapshot.nodes);
    cross::check(&snapshot, overview, log);
    Ok(snapshot)
}

/// Passes every record on, and stores what the file reported about itself.
fn read(
    file: &ChosenFile<'_>,
    kind: DumpKind,
    files: &mut Vec<FileRecord>,
    log: &mut DiagnosticLog,
    each: &mut dyn FnMut(&Record<'_>, &mut DiagnosticLog),
) {
    log.in_file(file.name);
    let mut identity = IdentityCheck::default();
    let head = file.read(kind, log, &mut |record, log| {
        let look = identity.examine(kind, record);
        identity.add(&look);
        each(record, log);
        ControlFlow::Continue(())
    });
    log.in_record("");
    set_down(file, kind, head, identity, files, log);
}

/// Stores what a file reported about itself, and returns it.
fn set_down(
    file: &ChosenFile<'_>,
    kind: DumpKind,
    mut head: DumpHeader,
    identity: IdentityCheck,
    files: &mut Vec<FileRecord>,
    log: &mut DiagnosticLog,
) -> DumpHeader {
    identity.judge(kind, &mut head, log);
    files.push(FileRecord {
        records: head.records,
        timestamp: head.timestamp.or(file.timestamp),
        server: head.server.as_deref().map(Name::from),
        version: head.version.as_deref().map(Name::from),
        ..file.facts()
    });
    head
}

#[cfg(test)]
mod tests;
