//! Puts the parts of a cluster together.

mod at_once;
mod jobs;
mod nodes;
mod objects;

use std::ops::ControlFlow;

use self::at_once::MANY_BYTES;
use super::choice::{Chosen, choose, cut_set_aside};
use super::clock::{now, zone};
use super::context::Context;
use super::files::Files;
use super::guesses::Guesses;
use super::identity::Identity;
use super::known::ByName;
use super::log::Log;
use super::memory::{JobRead, Memory, Remembered};
use super::need::Counted;
use super::overview::Overview;
use super::record::{DumpKind, Head, Record};
use super::toml_form::PolicyPart;
use super::zone::Zone;
use super::{
    SourceError, cross, hand_written, native, origins, partition, published, queue, reservation,
    resource_defs, scheduler, server,
};
use qscope_engine::cluster::{Diagnostic, Epoch, FileRecord, Name, Scheduler, Server, Snapshot, Spot};

/// What the caller knows better than the files.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The moment everything is about.
    pub now: Option<Epoch>,
    /// The zone of dates: an IANA name or an offset.
    pub zone: Option<String>,
    /// Which scheduler's view to take, when there are several.
    pub scheduler: Option<String>,
}

/// Makes a snapshot of files.
///
/// # Errors
/// No vnodes in any form that can be read, errors in a cluster written by hand, or too little memory for it.
pub fn load(files: &Files, options: &LoadOptions) -> Result<Snapshot, SourceError> {
    load_with(files, options, None, MANY_BYTES)
}

/// The same as [`load`] from files that are read again and again: what did not change since the last time is not decoded
/// again.
///
/// # Errors
/// As [`load`].
pub fn load_again(
    files: &Files,
    options: &LoadOptions,
    memory: &mut Memory,
) -> Result<Snapshot, SourceError> {
    load_with(files, options, Some(memory), MANY_BYTES)
}

/// Reads both dumps at once if each has `large` bytes.
pub(crate) fn load_with(
    files: &Files,
    options: &LoadOptions,
    mut memory: Option<&mut Memory>,
    large: usize,
) -> Result<Snapshot, SourceError> {
    let mut none = Counted::default();
    super::need::check(files, memory.as_deref_mut().map_or(&mut none, Memory::counted))?;
    let mut snapshot = load_slots(files, options, memory, large).map_err(|error| error.renamed(files))?;
    files.rename(&mut snapshot);
    Ok(snapshot)
}

/// The same, with files under the loader's names.
fn load_slots(
    files: &Files,
    options: &LoadOptions,
    mut memory: Option<&mut Memory>,
    large: usize,
) -> Result<Snapshot, SourceError> {
    let dumped = ["nodes.json", "nodes.txt"].iter().any(|name| files.get(name).is_some());
    if !dumped && files.get("nodes.toml").is_some() {
        return hand_written::load(files, options);
    }
    let mut guesses = Guesses::default();
    let mut log = Log::default();
    let mut snapshot = load_dumps(files, options, &mut guesses, memory.as_deref_mut(), large, &mut log)?;
    // Every round widens a kind, and a kind can be widened no more than twice.
    while guesses.take_wider() {
        log = Log::default();
        memory.as_deref_mut().map(Memory::clear);
        snapshot = load_dumps(files, options, &mut guesses, memory.as_deref_mut(), large, &mut log)?;
    }
    (snapshot.diagnostics, snapshot.tallies) = log.finish();
    super::foreign::conceal(files, &mut snapshot.diagnostics);
    Ok(snapshot)
}

fn load_dumps(
    files: &Files,
    options: &LoadOptions,
    guesses: &mut Guesses,
    mut memory: Option<&mut Memory>,
    large: usize,
    log: &mut Log,
) -> Result<Snapshot, SourceError> {
    let (of_nodes, mut of_jobs) = memory.as_deref_mut().map(Memory::parts).unzip();
    log.extend(files.gathered().reported.clone());
    unreadable(files, log);
    let mut loader = Loader::open(files, options, of_jobs.as_deref(), guesses, log)?;
    loader.resources(log);
    loader.management(options, log)?;
    let read = if loader.is_large(large) {
        loader.nodes_and_jobs(of_nodes, of_jobs.as_deref_mut(), log)?
    } else {
        loader.nodes(of_nodes, log)?;
        None
    };
    loader.jobs(of_jobs, read, log);
    loader.reservations(log);
    cut_set_aside(files, &loader.snapshot.files, log);
    let Loader { mut snapshot, zone, .. } = loader;
    native::read_present(files, &zone, true, &mut snapshot, log);
    hand_written::add_policy(files, PolicyPart::Options, &mut snapshot, log);
    origins::settle(files, &mut snapshot);
    let mut anew = Overview::default();
    let overview = memory.map_or(&mut anew, Memory::overview);
    overview.follow(&snapshot.nodes);
    partition::infer(options.scheduler.as_deref(), overview, &mut snapshot, log)?;
    native::report_assumed(files, &snapshot, log);
    hand_written::add_extra(files, &mut snapshot, log);
    published::add(files, &mut snapshot, log);
    overview.follow(&snapshot.nodes);
    cross::check(&snapshot, overview, log);
    Ok(snapshot)
}

/// States which files are there but cannot be read.
pub(super) fn unreadable(files: &Files, log: &mut Log) {
    for (name, why) in files.unreadable() {
        log.in_file(name);
        log.error(Diagnostic::UNREADABLE, Spot::File, || cannot_be_read(why));
    }
}

/// How it is reported that a file is there and cannot be read.
pub(super) fn cannot_be_read(why: &str) -> String {
    format!("cannot be read: {why}")
}

struct Loader<'f, 'g> {
    files: &'f Files,
    guesses: &'g mut Guesses,
    zone: Zone,
    nodes: Option<Chosen<'f>>,
    jobs: Option<Chosen<'f>>,
    snapshot: Snapshot,
}

impl<'f, 'g> Loader<'f, 'g> {
    /// Decides which files count, and what zone and moment they are about.
    fn open(
        files: &'f Files,
        options: &LoadOptions,
        known: Option<&Remembered<JobRead>>,
        guesses: &'g mut Guesses,
        log: &mut Log,
    ) -> Result<Self, SourceError> {
        let mut records = files.gathered().unused.clone();
        let names = ["nodes.json", "nodes.txt"];
        let nodes = choose_or_fail(files, &names, DumpKind::Nodes, &mut records)?;
        let names = ["jobs-t.json", "jobs-t.txt", "jobs.json", "jobs.txt"];
        let jobs = choose_or_fail(files, &names, DumpKind::Jobs, &mut records)?;
        let Some(either) = jobs.as_ref().or(nodes.as_ref()) else { return Err(nothing(files)) };
        let mut stamps: Vec<(&str, Option<Epoch>)> = Vec::new();
        stamps.extend(jobs.as_ref().map(|jobs| (jobs.name, jobs.timestamp)));
        stamps.extend(nodes.as_ref().map(|nodes| (nodes.name, nodes.timestamp)));
        let modified = either.modified.map(|moment| (either.name, moment));
        let now_file = files.get("now").and_then(|file| file.bytes.as_deref().ok());
        let (moment, now_source) =
            now(options.now, now_file, &stamps, files.gathered().moment.as_ref(), modified, log);
        let made = if options.now.is_none() && now_file.is_some() { Some(moment) } else { None };
        let zone = zone(files, options, (jobs.as_ref(), known), made, log);
        let mut snapshot = Snapshot::empty(files.title(), moment);
        snapshot.flavour = files.gathered().flavour;
        snapshot.now_source = now_source;
        snapshot.zone.clone_from(&zone.name);
        snapshot.zone_source.clone_from(&zone.source);
        snapshot.files = records;
        Ok(Self { files, guesses, zone, nodes, jobs, snapshot })
    }

    /// Resources first: everything else is typed by them.
    fn resources(&mut self, log: &mut Log) {
        let names = ["resources.txt", "resources.json"];
        if let Some(file) = self.choose(&names, DumpKind::Resources) {
            let mut cx = Context::new(&mut self.snapshot.catalogue, &self.zone, self.guesses);
            read(&file, DumpKind::Resources, &mut self.snapshot.files, log, &mut |record, log| {
                resource_defs::define(record, &mut cx, log);
            });
        }
        hand_written::add_policy(self.files, PolicyPart::Resources, &mut self.snapshot, log);
    }

    /// The server, the scheduler and the queues.
    fn management(&mut self, options: &LoadOptions, log: &mut Log) -> Result<(), SourceError> {
        let mut cx = Context::new(&mut self.snapshot.catalogue, &self.zone, self.guesses);
        let records = &mut self.snapshot.files;
        let mut servers: Vec<Server> = Vec::new();
        if let Some(file) = choose(self.files, &["server.json", "server.txt"], DumpKind::Server, records) {
            read(&file, DumpKind::Server, records, log, &mut |record, log| {
                servers.push(server::decode(record, &mut cx, log));
            });
        }
        if servers.len() > 1 {
            log.error("two-servers", Spot::File, || {
                let names: Vec<&str> = servers.iter().map(|server| &*server.name).collect();
                format!("found servers {}; expected one, took the first", names.join(", "))
            });
        }
        match servers.into_iter().next() {
            Some(server) => self.snapshot.server = server,
            None => {
                let names = ["server.txt", "server.json"];
                missing(self.files, &names, "server-assumed", "the server's defaults", log);
                self.snapshot.server.default_chunk = server::shipped_default_chunk();
            }
        }
        if let Some(file) = choose(self.files, &["queues.json", "queues.txt"], DumpKind::Queues, records) {
            let queues = &mut self.snapshot.queues;
            let mut known = ByName::default();
            read(&file, DumpKind::Queues, records, log, &mut |record, log| {
                let queue = queue::decode(record, &mut cx, log);
                known.put(queues, queue.name.clone(), queue, record.spot, log);
            });
        } else {
            let names = ["queues.txt", "queues.json"];
            missing(self.files, &names, "queues-assumed", "started queues named by the jobs", log);
        }
        let mut schedulers: Vec<Scheduler> = Vec::new();
        if let Some(file) = choose(self.files, &["sched.txt", "sched.json"], DumpKind::Schedulers, records) {
            read(&file, DumpKind::Schedulers, records, log, &mut |record, log| {
                schedulers.push(scheduler::decode(record, &mut cx, log));
            });
        }
        if schedulers.is_empty() {
            let names = ["sched.txt", "sched.json"];
            missing(self.files, &names, "sched-assumed", "the scheduler's defaults", log);
        }
        self.snapshot.scheduler = scheduler::pick(schedulers, options.scheduler.as_deref(), log)?;
        hand_written::add_policy(self.files, PolicyPart::Attributes, &mut self.snapshot, log);
        Ok(())
    }

    fn reservations(&mut self, log: &mut Log) {
        let names = ["resvs.txt", "resvs.json"];
        let Some(file) = self.choose(&names, DumpKind::Reservations) else { return };
        let mut cx = Context::new(&mut self.snapshot.catalogue, &self.zone, self.guesses);
        let reservations = &mut self.snapshot.reservations;
        read(&file, DumpKind::Reservations, &mut self.snapshot.files, log, &mut |record, log| {
            reservations.push(reservation::decode(record, &mut cx, log));
        });
    }

    fn choose(&mut self, names: &[&'static str], kind: DumpKind) -> Option<Chosen<'f>> {
        choose(self.files, names, kind, &mut self.snapshot.files)
    }
}

/// Hands every record on, and sets down what the file reported about itself.
fn read(
    file: &Chosen<'_>,
    kind: DumpKind,
    files: &mut Vec<FileRecord>,
    log: &mut Log,
    each: &mut dyn FnMut(&Record<'_>, &mut Log),
) {
    log.in_file(file.name);
    let mut identity = Identity::default();
    let head = file.read(kind, log, &mut |record, log| {
        let look = identity.look(kind, record);
        identity.add(&look);
        each(record, log);
        ControlFlow::Continue(())
    });
    log.in_record("");
    set_down(file, kind, head, identity, files, log);
}

/// Sets down what a file reported about itself, and returns it.
fn set_down(
    file: &Chosen<'_>,
    kind: DumpKind,
    mut head: Head,
    identity: Identity,
    files: &mut Vec<FileRecord>,
    log: &mut Log,
) -> Head {
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

/// The file to read among those without which no question can be answered: one that is there and cannot be read is not the
/// same as none.
fn choose_or_fail<'f>(
    files: &'f Files,
    names: &[&'static str],
    kind: DumpKind,
    records: &mut Vec<FileRecord>,
) -> Result<Option<Chosen<'f>>, SourceError> {
    let chosen = choose(files, names, kind, records);
    match files.unreadable_of(names).filter(|_| chosen.is_none()) {
        Some((file, why)) => Err(SourceError::CannotRead { file: file.into(), why: why.to_owned() }),
        None => Ok(chosen),
    }
}

/// What is reported where there are neither nodes nor jobs.
fn nothing(files: &Files) -> SourceError {
    let folder = files.title().clone();
    let found: Vec<String> = files.gathered().reported.iter().map(ToString::to_string).collect();
    if found.is_empty() { SourceError::NoNodes { folder } } else { SourceError::Nothing { folder, found } }
}

/// States what is assumed instead of a file that is not there, or is and cannot be read.
fn missing(files: &Files, names: &[&'static str], code: &'static str, assumed: &str, log: &mut Log) {
    let unreadable = files.unreadable_of(names).map(|(name, _)| name);
    log.in_file(unreadable.or(names.first().copied()).unwrap_or_default());
    let state = if unreadable.is_some() { "cannot be read" } else { "not there" };
    log.note(code, Spot::File, || format!("{state}; assumed {assumed}"));
}

#[cfg(test)]
mod tests;
