//! Puts the parts of a cluster together.

use std::ops::ControlFlow;

use super::choice::{Chosen, choose};
use super::clock::{now, zone};
use super::context::Context;
use super::files::Files;
use super::identity::Identity;
use super::job::{self, Decoded, Defaults};
use super::known::Known;
use super::log::Log;
use super::record::{DumpKind, Head, Record};
use super::zone::Zone;
use super::{
    SourceError, cross, hand_written, native, node, queue, reservation, resource_defs, scheduler, server,
};
use crate::cluster::{Epoch, FileRecord, Name, Queue, Scheduler, Server, Snapshot, Spot};

/// The project of jobs that name none.
const NO_PROJECT: &str = "_pbs_project_default";

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
/// No vnodes in any form that can be read, or errors in a cluster written by hand.
pub fn load(files: &Files, options: &LoadOptions) -> Result<Snapshot, SourceError> {
    let dumped = ["nodes.json", "nodes.txt"].iter().any(|name| files.get(name).is_some());
    if !dumped && files.get("nodes.toml").is_some() {
        return hand_written::load(files, options);
    }
    let mut log = Log::default();
    let mut loader = Loader::open(files, options, &mut log)?;
    loader.resources(&mut log);
    loader.management(options, &mut log);
    loader.nodes(&mut log)?;
    loader.jobs(&mut log);
    loader.reservations(&mut log);
    let Loader { mut snapshot, zone, .. } = loader;
    native::read(files, &zone, &mut snapshot, &mut log);
    hand_written::add_extra(files, &mut snapshot, &mut log);
    cross::check(&snapshot, &mut log);
    snapshot.diagnostics = log.finish();
    Ok(snapshot)
}

struct Loader<'f> {
    files: &'f Files,
    zone: Zone,
    nodes: Chosen<'f>,
    jobs: Option<Chosen<'f>>,
    snapshot: Snapshot,
}

impl<'f> Loader<'f> {
    /// Decides which files count, and what zone and moment they are about.
    fn open(files: &'f Files, options: &LoadOptions, log: &mut Log) -> Result<Self, SourceError> {
        let mut records = Vec::new();
        let nodes = choose(files, &["nodes.json", "nodes.txt"], DumpKind::Nodes, &mut records, log)
            .ok_or_else(|| SourceError::NoNodes { folder: files.title().clone() })?;
        let names = ["jobs-t.json", "jobs-t.txt", "jobs.json", "jobs.txt"];
        let jobs = choose(files, &names, DumpKind::Jobs, &mut records, log);
        let mut stamps: Vec<(&str, Option<Epoch>)> = Vec::new();
        stamps.extend(jobs.as_ref().map(|jobs| (jobs.name, jobs.timestamp)));
        stamps.push((nodes.name, nodes.timestamp));
        let modified = jobs.as_ref().unwrap_or(&nodes);
        let modified = modified.modified.map(|moment| (modified.name, moment));
        let now_file = files.get("now").and_then(|file| file.bytes.as_deref().ok());
        let (moment, now_source) = now(options.now, now_file, &stamps, modified, log);
        let made = if options.now.is_none() && now_file.is_some() { Some(moment) } else { None };
        let zone = zone(files, options, jobs.as_ref(), made, log);
        let mut snapshot = Snapshot::empty(files.title(), moment);
        snapshot.now_source = now_source;
        snapshot.zone.clone_from(&zone.name);
        snapshot.zone_source.clone_from(&zone.source);
        snapshot.files = records;
        Ok(Self { files, zone, nodes, jobs, snapshot })
    }

    /// Resources first: everything else is typed by them.
    fn resources(&mut self, log: &mut Log) {
        let names = ["resources.txt", "resources.json"];
        let Some(file) = self.choose(&names, DumpKind::Resources, log) else { return };
        let catalogue = &mut self.snapshot.catalogue;
        read(&file, DumpKind::Resources, &mut self.snapshot.files, log, &mut |record, log| {
            resource_defs::define(record, catalogue, log);
        });
    }

    /// The server, the scheduler and the queues.
    fn management(&mut self, options: &LoadOptions, log: &mut Log) {
        let mut cx = Context::new(&mut self.snapshot.catalogue, &self.zone);
        let records = &mut self.snapshot.files;
        let mut servers: Vec<Server> = Vec::new();
        if let Some(file) = choose(self.files, &["server.json", "server.txt"], DumpKind::Server, records, log)
        {
            read(&file, DumpKind::Server, records, log, &mut |record, log| {
                servers.push(server::decode(record, &mut cx, log));
            });
        }
        match servers.into_iter().next() {
            Some(server) => self.snapshot.server = server,
            None => missing("server.txt", "server-assumed", "the server's defaults", log),
        }
        if let Some(file) = choose(self.files, &["queues.json", "queues.txt"], DumpKind::Queues, records, log)
        {
            let queues = &mut self.snapshot.queues;
            let mut known = Known::default();
            read(&file, DumpKind::Queues, records, log, &mut |record, log| {
                let queue = queue::decode(record, &mut cx, log);
                known.put(queues, queue.name.clone(), queue, record.spot, log);
            });
        } else {
            missing("queues.txt", "queues-assumed", "started queues named by the jobs", log);
        }
        let mut schedulers: Vec<Scheduler> = Vec::new();
        if let Some(file) =
            choose(self.files, &["sched.txt", "sched.json"], DumpKind::Schedulers, records, log)
        {
            read(&file, DumpKind::Schedulers, records, log, &mut |record, log| {
                schedulers.push(scheduler::decode(record, &mut cx, log));
            });
        }
        if schedulers.is_empty() {
            missing("sched.txt", "sched-assumed", "the scheduler's defaults", log);
        }
        self.snapshot.scheduler = scheduler::pick(schedulers, options.scheduler.as_deref(), log);
    }

    fn nodes(&mut self, log: &mut Log) -> Result<(), SourceError> {
        let mut cx = Context::new(&mut self.snapshot.catalogue, &self.zone);
        let nodes = &mut self.snapshot.nodes;
        let mut known = Known::default();
        let mut stateless = true;
        let head = read(&self.nodes, DumpKind::Nodes, &mut self.snapshot.files, log, &mut |record, log| {
            stateless &= record.value("state").is_none();
            let node = node::decode(record, &mut cx, log);
            known.put(nodes, node.name.clone(), node, record.spot, log);
        });
        let found = match (self.nodes.bytes.len(), head.records) {
            (0, _) => "an empty file, perhaps being written".to_owned(),
            (length, 0) => {
                let why = log.last_error().map(|why| format!(" ({why})")).unwrap_or_default();
                format!("no vnode in {length} bytes{why}")
            }
            _ if stateless => "vnodes without a state, as `pbsnodes -S` and `-L` print".to_owned(),
            _ => return Ok(()),
        };
        let expected = "what `pbsnodes -av` or `pbsnodes -av -F json` prints".to_owned();
        Err(SourceError::Unreadable { file: self.nodes.name.into(), spot: Spot::File, found, expected })
    }

    fn jobs(&mut self, log: &mut Log) {
        let Some(file) = &self.jobs else {
            return missing("jobs.txt", "no-jobs", "no jobs", log);
        };
        let mut cx = Context::new(&mut self.snapshot.catalogue, &self.zone);
        let defaults = Defaults { queues: &self.snapshot.queues, server: &self.snapshot.server };
        let jobs = &mut self.snapshot.jobs;
        let mut known = Known::default();
        let mut gone = 0;
        read(file, DumpKind::Jobs, &mut self.snapshot.files, log, &mut |record, log| {
            let decoded = job::decode(record, &defaults, &mut cx, log);
            match decoded {
                Decoded::Job(job) => known.put(jobs, job.name.clone(), *job, record.spot, log),
                Decoded::Gone => gone += 1,
                Decoded::Unusable => {}
            }
        });
        if gone > 0 {
            log.note("jobs-gone", Spot::File, || format!("left out {gone} finished or moved jobs"));
        }
        self.ordinary_view(log);
        self.assume_queues(log);
        self.fill_projects();
    }

    /// Says what had to be derived because an ordinary user printed the dump.
    fn ordinary_view(&self, log: &mut Log) {
        let mut derived: Vec<(&str, usize)> = Vec::new();
        for name in self.snapshot.jobs.iter().flat_map(|job| &job.derived) {
            match derived.iter_mut().find(|(have, _)| have == name) {
                Some((_, count)) => *count += 1,
                None => derived.push((name, 1)),
            }
        }
        if !derived.is_empty() {
            log.note("ordinary-user", Spot::File, || {
                let list: Vec<_> = derived.iter().map(|(name, n)| format!("{name} of {n} jobs")).collect();
                format!(
                    "seen as an ordinary user: {} attributes inferred ({})",
                    derived.len(),
                    list.join(", ")
                )
            });
        }
    }

    /// Gives subjobs, which are printed without one, their array's project.
    fn fill_projects(&mut self) {
        let arrays = self.snapshot.jobs.iter().filter(|job| job.is_array());
        let projects: rustc_hash::FxHashMap<Name, Name> =
            arrays.map(|job| (job.name.clone(), job.project.clone())).collect();
        for job in self.snapshot.jobs.iter_mut().filter(|job| job.project.is_empty()) {
            let parent = job.array.as_ref().and_then(|array| array.parent.as_ref());
            let project = parent.and_then(|parent| projects.get(parent)).filter(|name| !name.is_empty());
            job.project = project.cloned().unwrap_or_else(|| NO_PROJECT.into());
        }
    }

    /// Makes up the queues that jobs are in and no dump shows.
    fn assume_queues(&mut self, log: &mut Log) {
        let mut known: rustc_hash::FxHashSet<Name> =
            self.snapshot.queues.iter().map(|queue| queue.name.clone()).collect();
        for job in &self.snapshot.jobs {
            if !job.queue.is_empty() && known.insert(job.queue.clone()) {
                self.snapshot.queues.push(Queue { assumed: true, ..Queue::named(&job.queue) });
                log.note("queue-assumed", Spot::File, || {
                    format!("queue `{}` is in no queue dump; assumed started, without limits", job.queue)
                });
            }
        }
    }

    fn reservations(&mut self, log: &mut Log) {
        let names = ["resvs.txt", "resvs.json"];
        let Some(file) = self.choose(&names, DumpKind::Reservations, log) else { return };
        let mut cx = Context::new(&mut self.snapshot.catalogue, &self.zone);
        let reservations = &mut self.snapshot.reservations;
        read(&file, DumpKind::Reservations, &mut self.snapshot.files, log, &mut |record, log| {
            reservations.push(reservation::decode(record, &mut cx, log));
        });
    }

    fn choose(&mut self, names: &[&'static str], kind: DumpKind, log: &mut Log) -> Option<Chosen<'f>> {
        choose(self.files, names, kind, &mut self.snapshot.files, log)
    }
}

/// Hands every record on, and sets down what the file said about itself.
fn read(
    file: &Chosen<'_>,
    kind: DumpKind,
    files: &mut Vec<FileRecord>,
    log: &mut Log,
    each: &mut dyn FnMut(&Record<'_>, &mut Log),
) -> Head {
    log.in_file(file.name);
    let mut identity = Identity::default();
    let mut head = file.read(kind, log, &mut |record, log| {
        identity.look(kind, record);
        each(record, log);
        ControlFlow::Continue(())
    });
    log.in_record("");
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

/// Says what is assumed instead of a file that is not there.
fn missing(file: &'static str, code: &'static str, assumed: &str, log: &mut Log) {
    log.in_file(file);
    log.note(code, Spot::File, || format!("not there; assumed {assumed}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_sample_loads_without_a_complaint() {
        let snapshot = load(&Files::built_in(), &LoadOptions::default()).unwrap();
        assert!(!snapshot.jobs.is_empty());
        let bad: Vec<_> =
            snapshot.diagnostics.iter().filter(|d| d.severity > crate::cluster::Severity::Note).collect();
        assert!(bad.is_empty(), "{bad:#?}");
    }

    #[test]
    fn subjobs_have_their_arrays_project() {
        let mut files = Files::built_in();
        files.insert(
            "jobs-t.json",
            r#"{"Jobs":{"7[].s":{"Job_Name":"a","job_state":"B","project":"p","array":"True"},
                "7[1].s":{"Job_Name":"a","job_state":"R"},"8.s":{"Job_Name":"b","job_state":"Q"}}}"#,
            None,
        );
        let snapshot = load(&files, &LoadOptions::default()).unwrap();
        let projects: Vec<_> = snapshot.jobs.iter().map(|job| &*job.project).collect();
        assert_eq!(projects, ["p", "p", NO_PROJECT]);
    }

    #[test]
    fn no_nodes_is_an_error_that_names_the_files() {
        let files = Files::new("here");
        let error = load(&files, &LoadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("here") && error.contains("nodes.json"), "{error}");
        let mut files = Files::new("here");
        files.insert("nodes.txt", "", None);
        let error = load(&files, &LoadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("nodes.txt") && error.contains("pbsnodes -av"), "{error}");
    }
}
