//! The part of a cluster that is read first: the files that count, the time and zone, resources, the server, queues
//! and schedulers.

use super::read;
use crate::choice::{ChosenFile, choose};
use crate::clock::{determine_now, zone};
use crate::context::ReadContext;
use crate::files::Files;
use crate::guesses::KindGuesses;
use crate::intake::SERVER_DOWN;
use crate::load_options::LoadOptions;
use crate::log::DiagnosticLog;
use crate::memory::{CachedJob, RecordCache};
use crate::record::DumpKind;
use crate::rows_by_name::RowsByName;
use crate::toml_form::PolicyPart;
use crate::zone::Zone;
use crate::{SourceError, hand_written, queue, reservation, resource_defs, scheduler, server};
use qscope_engine::cluster::{Epoch, FilePosition, FileRecord, Scheduler, Server, Snapshot};

/// A cluster being loaded: the files that count, and what has been read from them so far.
pub(super) struct Loader<'f, 'g> {
    pub(super) files: &'f Files,
    pub(super) guesses: &'g mut KindGuesses,
    pub(super) zone: Zone,
    pub(super) nodes: Option<ChosenFile<'f>>,
    pub(super) jobs: Option<ChosenFile<'f>>,
    pub(super) snapshot: Snapshot,
    pub(super) counted_jobs: Option<server::CountedJobs>,
}

impl<'f, 'g> Loader<'f, 'g> {
    /// Decides which files count, and determines the zone and time.
    pub(super) fn open(
        files: &'f Files,
        options: &LoadOptions,
        known: Option<&RecordCache<CachedJob>>,
        guesses: &'g mut KindGuesses,
        log: &mut DiagnosticLog,
    ) -> Result<Self, SourceError> {
        let mut records = files.gathered().unused.clone();
        let nodes = choose_or_fail(files, DumpKind::Nodes, &mut records)?;
        let jobs = choose_or_fail(files, DumpKind::Jobs, &mut records)?;
        let Some(either) = jobs.as_ref().or(nodes.as_ref()) else { return Err(no_objects_error(files)) };
        let mut stamps: Vec<(&str, Option<Epoch>)> = Vec::new();
        stamps.extend(jobs.as_ref().map(|jobs| (jobs.name, jobs.timestamp)));
        stamps.extend(nodes.as_ref().map(|nodes| (nodes.name, nodes.timestamp)));
        let modified = either.modified.map(|moment| (either.name, moment));
        let now_file = files.get("now").and_then(|file| file.bytes.as_deref().ok());
        let (moment, now_source) =
            determine_now(options.now, now_file, &stamps, files.gathered().moment.as_ref(), modified, log);
        let made = if options.now.is_none() && now_file.is_some() { Some(moment) } else { None };
        let zone = zone(files, options, (jobs.as_ref(), known), made, log);
        let mut snapshot = Snapshot::empty(files.title(), moment);
        snapshot.flavour = files.gathered().flavour;
        snapshot.now_source = now_source;
        snapshot.zone.clone_from(&zone.name);
        snapshot.zone_source.clone_from(&zone.source);
        snapshot.files = records;
        Ok(Self { files, guesses, zone, nodes, jobs, snapshot, counted_jobs: None })
    }

    /// Reads the resources first, since everything else is typed by them.
    pub(super) fn resources(&mut self, log: &mut DiagnosticLog) {
        let records = &mut self.snapshot.files;
        if let Some(file) = choose(self.files, DumpKind::Resources, records) {
            let mut cx = ReadContext::new(&mut self.snapshot.catalogue, &self.zone, self.guesses);
            read(&file, DumpKind::Resources, records, log, &mut |record, log| {
                resource_defs::define(record, &mut cx, log);
            });
        }
        hand_written::add_policy(self.files, PolicyPart::Resources, &mut self.snapshot, log);
    }

    /// Reads the server, the scheduler and the queues.
    pub(super) fn management(
        &mut self,
        options: &LoadOptions,
        log: &mut DiagnosticLog,
    ) -> Result<(), SourceError> {
        let mut cx = ReadContext::new(&mut self.snapshot.catalogue, &self.zone, self.guesses);
        let records = &mut self.snapshot.files;
        let mut servers: Vec<Server> = Vec::new();
        let mut counted_jobs: Option<server::CountedJobs> = None;
        if let Some(file) = choose(self.files, DumpKind::Server, records) {
            read(&file, DumpKind::Server, records, log, &mut |record, log| {
                counted_jobs = counted_jobs.or_else(|| server::counted_jobs(record));
                servers.push(server::decode(record, &mut cx, log));
            });
        }
        self.counted_jobs = counted_jobs;
        if servers.len() > 1 {
            log.error("two-servers", FilePosition::File, || {
                let names: Vec<&str> = servers.iter().map(|server| &*server.name).collect();
                format!("found servers {}; expected one, took the first", names.join(", "))
            });
        }
        match servers.into_iter().next() {
            Some(server) => self.snapshot.server = server,
            None => {
                report_missing(self.files, DumpKind::Server, "server-assumed", "the server's defaults", log);
                self.snapshot.server.default_chunk = server::shipped_default_chunk();
            }
        }
        if let Some(file) = choose(self.files, DumpKind::Queues, records) {
            let queues = &mut self.snapshot.queues;
            let mut known = RowsByName::default();
            read(&file, DumpKind::Queues, records, log, &mut |record, log| {
                let queue = queue::decode(record, &mut cx, log);
                known.put(queues, queue.name.clone(), queue, record.position, log);
            });
        } else {
            let assumed = "started queues named by the jobs";
            report_missing(self.files, DumpKind::Queues, "queues-assumed", assumed, log);
        }
        let mut schedulers: Vec<Scheduler> = Vec::new();
        if let Some(file) = choose(self.files, DumpKind::Schedulers, records) {
            read(&file, DumpKind::Schedulers, records, log, &mut |record, log| {
                schedulers.push(scheduler::decode(record, &mut cx, log));
            });
        }
        if schedulers.is_empty() {
            report_missing(
                self.files,
                DumpKind::Schedulers,
                "sched-assumed",
                "the scheduler's defaults",
                log,
            );
        }
        self.snapshot.scheduler = scheduler::pick(schedulers, options.scheduler.as_deref(), log)?;
        hand_written::add_policy(self.files, PolicyPart::Attributes, &mut self.snapshot, log);
        Ok(())
    }

    /// Reads the reservations, if there is a dump of them.
    pub(super) fn reservations(&mut self, log: &mut DiagnosticLog) {
        let records = &mut self.snapshot.files;
        let Some(file) = choose(self.files, DumpKind::Reservations, records) else { return };
        let mut cx = ReadContext::new(&mut self.snapshot.catalogue, &self.zone, self.guesses);
        let reservations = &mut self.snapshot.reservations;
        read(&file, DumpKind::Reservations, records, log, &mut |record, log| {
            reservations.push(reservation::decode(record, &mut cx, log));
        });
    }
}

/// Chooses the file of a kind without which nothing can be answered: a file that exists but cannot be read is an
/// error, unlike a missing one.
fn choose_or_fail<'f>(
    files: &'f Files,
    kind: DumpKind,
    records: &mut Vec<FileRecord>,
) -> Result<Option<ChosenFile<'f>>, SourceError> {
    let chosen = choose(files, kind, records);
    match files.unreadable_of(kind.files()).filter(|_| chosen.is_none()) {
        Some((file, why)) => Err(SourceError::CannotRead { file: file.into(), why: why.to_owned() }),
        None => Ok(chosen),
    }
}

/// Returns the error for a folder with neither nodes nor jobs.
fn no_objects_error(files: &Files) -> SourceError {
    let folder = files.title().clone();
    let reported = &files.gathered().reported;
    if reported.iter().any(|found| found.code == SERVER_DOWN) {
        return SourceError::ServerDown { folder };
    }
    let found: Vec<String> = reported.iter().map(ToString::to_string).collect();
    if found.is_empty() { SourceError::NoNodes { folder } } else { SourceError::Nothing { folder, found } }
}

/// Reports what is assumed instead of a dump that is missing or cannot be read. Nothing can be answered without nodes or
/// jobs, so that is a warning.
pub(super) fn report_missing(
    files: &Files,
    kind: DumpKind,
    code: &'static str,
    assumed: &str,
    log: &mut DiagnosticLog,
) {
    let names = kind.files();
    let (first, others) = names.split_first().map_or(("", &[][..]), |(first, others)| (*first, others));
    let unreadable = files.unreadable_of(names).map(|(name, _)| (name, "cannot be read"));
    let empty = || names.iter().find(|name| files.get(name).is_some()).map(|name| (*name, "nothing in it"));
    let there = unreadable.or_else(empty);
    let (name, state) = there.unwrap_or((first, "not there"));
    let also = if there.is_some() { String::new() } else { format!(" (nor {})", others.join(", ")) };
    let message = || format!("{state}; assumed {assumed}{also}");
    log.in_file(name);
    match kind {
        DumpKind::Nodes | DumpKind::Jobs => log.warn(code, FilePosition::File, message),
        _ => log.note(code, FilePosition::File, message),
    }
}
