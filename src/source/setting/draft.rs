//! The objects of a cluster, as changed by settings.

mod added_nodes;
mod clock;
mod options;
mod request;

use std::collections::BTreeMap;

use super::SettingError;
use super::key::ParsedSetting;
use super::section::SettingSection;
use super::target::SettingTarget;
use crate::attributes::rows;
use crate::context::{AttributeReader, ReadContext};
use crate::guesses::KindGuesses;
use crate::job::ChunkDefaultSources;
use crate::log::DiagnosticLog;
use crate::record::Attribute;
use crate::zone::Zone;
use crate::{limits, maui_cfg, node, queue, reservation, scheduler, server};
use qscope_engine::cluster::did_you_mean::question;
use qscope_engine::cluster::{
    AllocationChoices, Catalogue, Edit, Epoch, Formula, Job, JobId, Name, Node, NodeId, NodeState, Queue,
    QueueId, Reservation, ResvId, Scheduler, Server, Severity, Snapshot,
};

/// Changed copies of a cluster's objects; the cluster itself is not modified.
pub(super) struct SettingDraft<'s> {
    snap: &'s Snapshot,
    readers: ContextParts,
    options: options::DraftOptions,
    server: Option<Server>,
    scheduler: Option<Scheduler>,
    queues: BTreeMap<QueueId, Queue>,
    nodes: BTreeMap<NodeId, Node>,
    jobs: BTreeMap<JobId, Job>,
    reservations: BTreeMap<ResvId, Reservation>,
    maui: Option<Vec<(Name, Name)>>,
    allocation: Option<AllocationChoices>,
    new_nodes: Vec<Node>,
    at: Option<Epoch>,
    notes: Vec<String>,
}

/// Context of the readers of dumps, except the object.
struct ContextParts {
    catalogue: Catalogue,
    zone: Zone,
    guesses: KindGuesses,
}

impl ContextParts {
    fn context(&mut self) -> ReadContext<'_> {
        ReadContext::for_overrides(&mut self.catalogue, &self.zone, &mut self.guesses)
    }
}

impl<'s> SettingDraft<'s> {
    /// Creates a draft without changes.
    pub(super) fn new(snap: &'s Snapshot) -> Self {
        let zone = Zone::named(&snap.zone, &snap.zone_source).unwrap_or_else(Zone::local);
        Self {
            snap,
            readers: ContextParts {
                catalogue: snap.catalogue.clone(),
                zone,
                guesses: KindGuesses::default(),
            },
            options: options::DraftOptions::default(),
            server: None,
            scheduler: None,
            queues: BTreeMap::new(),
            nodes: BTreeMap::new(),
            jobs: BTreeMap::new(),
            reservations: BTreeMap::new(),
            maui: None,
            allocation: None,
            new_nodes: Vec::new(),
            at: None,
            notes: Vec::new(),
        }
    }

    /// Applies one setting.
    ///
    /// # Errors
    /// If the value is not valid for this key.
    pub(super) fn set(&mut self, key: &ParsedSetting<'_>) -> Result<(), SettingError> {
        self.check_names(key)?;
        match key.section {
            SettingSection::Options => self.options.set(key, &self.snap.policy),
            SettingSection::Server => self.set_server(key),
            SettingSection::Scheduler => self.set_scheduler(key),
            SettingSection::Maui => {
                let options = self.maui.get_or_insert_with(|| self.snap.maui.clone());
                maui_cfg::set(options, key.name, key.value);
                Ok(())
            }
            SettingSection::Trial => self.set_trial(key),
            SettingSection::Queue
            | SettingSection::Node
            | SettingSection::Job
            | SettingSection::Reservation => {
                key.targets.iter().try_for_each(|target| self.set_object(key, *target))
            }
        }
    }

    fn set_trial(&mut self, key: &ParsedSetting<'_>) -> Result<(), SettingError> {
        match key.name {
            "at" => self.at = Some(clock::read(key, self.snap)?),
            "policy" => self.allocation().cluster = Some(key.value.into()),
            _ => {
                let added = added_nodes::read(self, key)?;
                self.new_nodes.extend(added);
            }
        }
        Ok(())
    }

    fn allocation(&mut self) -> &mut AllocationChoices {
        self.allocation.get_or_insert_with(|| self.snap.allocation.clone())
    }

    /// Returns the time to which the clock is moved.
    pub(super) fn at(&self) -> Option<Epoch> {
        self.at
    }

    /// Checks that everything named in a value exists.
    fn check_names(&self, key: &ParsedSetting<'_>) -> Result<(), SettingError> {
        let words = key.value.trim_matches('"').split(',').map(str::trim).filter(|word| !word.is_empty());
        match (key.section, key.name) {
            (SettingSection::Options, "node_group_sort_key") => {
                let value = key.value.trim_start_matches(['"', '\'', ' ']);
                let resource = value.split(char::is_whitespace).next().filter(|word| !word.is_empty());
                resource.map_or(Ok(()), |resource| key.knows(resource, self.snap))
            }
            (SettingSection::Server | SettingSection::Queue, "node_group_key") => {
                words.into_iter().try_for_each(|resource| key.knows(resource, self.snap))
            }
            (SettingSection::Node | SettingSection::Job | SettingSection::Reservation, "queue")
            | (SettingSection::Server, "default_queue") => {
                let unknown = words.into_iter().find(|name| self.snap.queue_named(name).is_none());
                unknown.map_or(Ok(()), |name| {
                    let asked = question(name, self.snap.queues.iter().map(|queue| &*queue.name));
                    Err(key.error_at_part(name, format!("no queue is called `{name}`{asked}")))
                })
            }
            (SettingSection::Server | SettingSection::Scheduler, "job_sort_formula")
                if !key.value.is_empty() =>
            {
                Formula::parse(key.value).map(|_| ()).map_err(|error| {
                    key.error_at_byte(error.at, format!("found {}, expected {}", error.found, error.expected))
                })
            }
            _ => Ok(()),
        }
    }

    fn set_server(&mut self, key: &ParsedSetting<'_>) -> Result<(), SettingError> {
        let mut cx = self.readers.context();
        let server = self.server.get_or_insert_with(|| self.snap.server.clone());
        read_setting(key, &mut cx, |reader| {
            limits::clear(&mut server.limits, reader);
            server::set(server, reader)
        })
    }

    fn set_scheduler(&mut self, key: &ParsedSetting<'_>) -> Result<(), SettingError> {
        let mut cx = self.readers.context();
        let scheduler = self.scheduler.get_or_insert_with(|| self.snap.scheduler.clone());
        read_setting(key, &mut cx, |reader| scheduler::set(scheduler, reader))
    }

    fn set_object(&mut self, key: &ParsedSetting<'_>, target: SettingTarget) -> Result<(), SettingError> {
        let snap = self.snap;
        match target {
            SettingTarget::Queue(id) if key.name == "policy" => {
                self.allocation().queues.insert(id, key.value.into());
                Ok(())
            }
            SettingTarget::Job(id) if key.name == "policy" => {
                self.allocation().jobs.insert(id, key.value.into());
                Ok(())
            }
            SettingTarget::Queue(id) => {
                let mut cx = self.readers.context();
                let queue = self.queues.entry(id).or_insert_with(|| snap.queues[id].clone());
                read_setting(key, &mut cx, |reader| {
                    limits::clear(&mut queue.limits, reader);
                    queue::set(queue, reader)
                })
            }
            SettingTarget::Node(id) => {
                let mut cx = self.readers.context();
                let node = self.nodes.entry(id).or_insert_with(|| snap.nodes[id].clone());
                read_setting(key, &mut cx, |reader| rows::set(node::ATTRIBUTES, node, reader))
            }
            SettingTarget::Reservation(id) => {
                let mut cx = self.readers.context();
                let one = self.reservations.entry(id).or_insert_with(|| snap.reservations[id].clone());
                read_setting(key, &mut cx, |reader| reservation::set(one, reader))
            }
            SettingTarget::Job(id) => {
                let mut cx = self.readers.context();
                let server = self.server.as_ref().unwrap_or(&snap.server);
                let defaults = ChunkDefaultSources { queues: &snap.queues, server };
                let job = self.jobs.entry(id).or_insert_with(|| snap.jobs[id].clone());
                request::set(key, job, &defaults, &mut cx, &mut self.notes)
            }
        }
    }

    /// Returns the resulting edits, and the remarks.
    pub(super) fn finish(self) -> (Vec<Edit>, Vec<String>) {
        let snap = self.snap;
        let (policy, mut notes) = self.options.finish();
        notes.extend(self.notes);
        let mut edits = Vec::new();
        let mut put = |differs: bool, edit: Edit| edits.extend(differs.then_some(edit));
        if let Some(policy) = policy {
            put(policy != snap.policy, Edit::Policy(Box::new(policy)));
        }
        if let Some(server) = self.server {
            put(server != snap.server, Edit::Server(Box::new(server)));
        }
        if let Some(scheduler) = self.scheduler {
            put(scheduler != snap.scheduler, Edit::Scheduler(Box::new(scheduler)));
        }
        for (id, queue) in self.queues {
            put(queue != snap.queues[id], Edit::Queue(id, Box::new(queue)));
        }
        for (id, node) in self.nodes {
            put(node != snap.nodes[id], Edit::Node(id, Box::new(node)));
        }
        for (id, job) in self.jobs {
            put(job != snap.jobs[id], Edit::Job(id, Box::new(job)));
        }
        for (id, one) in self.reservations {
            put(one != snap.reservations[id], Edit::Reservation(id, Box::new(one)));
        }
        if let Some(maui) = self.maui {
            put(maui != snap.maui, Edit::Maui(maui));
        }
        if let Some(choices) = self.allocation {
            put(choices != snap.allocation, Edit::Allocation(choices));
        }
        for node in self.new_nodes {
            put(true, Edit::NewNode(Box::new(node)));
        }
        (edits, notes)
    }
}

/// Passes a setting to a reader of dumps. Anything that would be repaired or left out in a dump is an error here.
fn read_setting(
    key: &ParsedSetting<'_>,
    cx: &mut ReadContext<'_>,
    read: impl FnOnce(&mut AttributeReader<'_, '_>) -> bool,
) -> Result<(), SettingError> {
    read_setting_as(key, (key.name, key.resource, key.value), cx, read)
}

/// The same for the attribute that a key represents, with its resource and value.
fn read_setting_as(
    key: &ParsedSetting<'_>,
    (name, resource, value): (&str, Option<&str>, &str),
    cx: &mut ReadContext<'_>,
    read: impl FnOnce(&mut AttributeReader<'_, '_>) -> bool,
) -> Result<(), SettingError> {
    let attribute = Attribute::on_line(name.into(), resource.map(Into::into), value.into(), 1);
    let mut log = DiagnosticLog::of_refusals();
    if !read(&mut AttributeReader { attribute: &attribute, cx, log: &mut log }) {
        return Err(key.error_at_part(key.name, format!("`{}` cannot be set here", key.name)));
    }
    let reported = log.finish().0;
    match reported.into_iter().find(|reported| reported.severity > Severity::Note) {
        Some(reported) => Err(key.error_at_part(value, refused(key, &reported.message))),
        None => Ok(()),
    }
}

/// Returns the message of a reader, completed by the words it expects.
fn refused(setting: &ParsedSetting<'_>, message: &str) -> String {
    if !matches!((setting.section, setting.name), (SettingSection::Node, "state")) {
        return message.to_owned();
    }
    let words: Vec<&str> = NodeState::ALL.iter().map(|state| state.word()).chain(["free"]).collect();
    let asked = question(setting.value, words.iter().copied());
    if asked.is_empty() {
        format!("{message}; expected {}", words.join(", "))
    } else {
        format!("{message}{asked}")
    }
}
