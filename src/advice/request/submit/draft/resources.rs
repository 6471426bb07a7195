//! The resources of a submission, as the server completes and checks them: chunks, the whole job, defaults, bounds.

use qscope_engine::cluster::did_you_mean::unknown_resource;
use qscope_engine::cluster::{
    Amount, Job, Name, ResourceId, ResourceList, ResourceRequest, ResourceType, Select, Value, parse_duration,
};
use qscope_source::{old_style, submitted};

use super::JobDraft;

/// The message that `qsub` prints for an invalid value.
const ILLEGAL: &str = "Illegal attribute or resource value";

impl JobDraft<'_> {
    /// Adds what a request without a select gets from `resources_default` before it becomes one chunk.
    pub(super) fn defaults_for(&mut self, texts: &mut Vec<(String, String)>) {
        let catalogue = &self.snap.catalogue;
        for (list, of) in [(&self.queue.defaults, "the queue"), (&self.snap.server.defaults, "the server")] {
            for (id, value) in list.iter().filter(|(id, _)| catalogue.def(*id).flags.host) {
                let name = catalogue.name(id);
                if !texts.iter().any(|(have, _)| **have == **name) {
                    let value = catalogue.show(id, value);
                    self.added.push(format!("{name}={value} (resources_default of {of})"));
                    texts.push((name.to_string(), value));
                }
            }
        }
        if !texts.iter().any(|(have, _)| have == "ncpus") {
            texts.push(("ncpus".to_owned(), "1".to_owned()));
        }
    }

    /// Returns the select with the chunk defaults; `None` if it is refused.
    pub(super) fn select(&mut self, texts: &[(String, String)]) -> Option<Select> {
        let catalogue = &self.snap.catalogue;
        let asked = match self.text_of(texts, "select") {
            Some(text) => Select::parse(&text),
            None => {
                let pairs: Vec<(&str, &str)> =
                    texts.iter().map(|(name, value)| (&**name, &**value)).collect();
                old_style(&pairs, catalogue)
            }
        };
        let asked = match asked {
            Ok(select) => select,
            Err(error) => {
                self.refuse("select", ILLEGAL, error.to_string());
                return None;
            }
        };
        if asked.chunks.iter().all(|chunk| chunk.count == 0) {
            self.refuse("select", ILLEGAL, "select: expected a chunk at least".to_owned());
            return None;
        }
        let before = self.refusals.len();
        for chunk in asked.chunks.iter() {
            for (at, ResourceRequest { resource, value, .. }) in chunk.requests.iter().enumerate() {
                let mut before = chunk.requests.iter().take(at);
                if before.any(|request| request.resource.eq_ignore_ascii_case(resource)) {
                    let detail = format!("select: `{resource}` is repeated in a chunk");
                    self.refuse("select", ILLEGAL, detail);
                }
                self.chunk_resource(resource, value);
            }
        }
        if self.refusals.len() > before {
            return None;
        }
        let made =
            submitted(&asked, self.queue, &self.snap.server, catalogue).unwrap_or_else(|_| asked.clone());
        let names = |select: &Select| -> Vec<(Name, Name)> {
            select
                .chunks
                .iter()
                .flat_map(|chunk| &chunk.requests)
                .map(|r| (r.resource.clone(), r.value.clone()))
                .collect()
        };
        let asked_for = names(&asked);
        for (name, value) in names(&made) {
            let is_new = !asked_for.iter().any(|(have, _)| have.eq_ignore_ascii_case(&name));
            let text = format!("{name}={value} in each chunk (default_chunk)");
            if is_new && !self.added.contains(&text) {
                self.added.push(text);
            }
        }
        Some(made)
    }

    /// Returns the resource of this name; refuses one that does not exist.
    fn known_resource(&mut self, name: &str) -> Option<ResourceId> {
        let catalogue = &self.snap.catalogue;
        let id = catalogue.id(name);
        if id.is_none() {
            self.refuse("unknown_resource", "Unknown resource", unknown_resource(name, catalogue));
        }
        id
    }

    pub(super) fn chunk_resource(&mut self, name: &str, value: &str) {
        let Some(id) = self.known_resource(name) else { return };
        let def = self.snap.catalogue.def(id);
        if !def.flags.host && !def.guessed {
            let detail =
                format!("`{name}` is no resource of hosts: ask for it with -l {name}=, outside of select");
            self.refuse("not_in_select", "Resource invalid in \"select\" specification", detail);
            return;
        }
        match Value::parse_direct(def.kind, value) {
            Ok(parsed) => self.whole_amount(name, def.kind, &parsed),
            Err(error) => self.refuse("value", ILLEGAL, format!("{name}: {error}")),
        }
    }

    /// Refuses negative amounts, and fractions of resources that are counted.
    fn whole_amount(&mut self, name: &str, kind: ResourceType, value: &Value) {
        let Some(Amount(amount)) = value.amount() else { return };
        if amount < 0.0 {
            self.refuse("value", ILLEGAL, format!("{name}: expected 0 or more"));
        } else if kind == ResourceType::Long && amount.fract() != 0.0 {
            self.refuse("value", ILLEGAL, format!("{name}: expected a whole number"));
        }
    }

    /// Reads one resource of the job as a whole.
    pub(super) fn request(&mut self, list: &mut ResourceList, name: &str, value: &str, selects: bool) {
        let Some(id) = self.known_resource(name) else { return };
        let def = self.snap.catalogue.def(id);
        if selects && def.flags.host && matches!(name, "ncpus" | "mem" | "mpiprocs" | "ompthreads") {
            let detail = format!("`{name}` cannot be asked for beside select: put it into the chunks");
            self.refuse("beside_select", "-lresource= cannot be used with \"select\" or \"place\"", detail);
            return;
        }
        let seconds = || parse_duration(value).filter(|_| id.is_time());
        let parsed = match (seconds(), Value::parse_direct(def.kind, value)) {
            (Some(seconds), _) => Value::Amount(Amount(seconds)),
            (None, Ok(value)) => value,
            (None, Err(error)) => return self.refuse("value", ILLEGAL, format!("{name}: {error}")),
        };
        self.whole_amount(name, def.kind, &parsed);
        list.set(id, parsed);
    }

    /// Adds `resources_default` to the job as a whole: the queue's, then the server's.
    pub(super) fn resource_defaults(&mut self, job: &mut Job) {
        let catalogue = &self.snap.catalogue;
        for (list, of) in [(&self.queue.defaults, "the queue"), (&self.snap.server.defaults, "the server")] {
            for (id, value) in list.iter().filter(|(id, _)| job.requested.get(*id).is_none()) {
                let text = format!(
                    "{}={} (resources_default of {of})",
                    catalogue.name(id),
                    catalogue.show(id, value)
                );
                if !self.added.contains(&text) {
                    self.added.push(text);
                }
            }
            job.requested.fill_missing(list);
        }
    }

    /// Checks `resources_min` and `resources_max` of the queue; resources that the job does not request have no
    /// bounds.
    pub(in crate::request) fn bounds(&mut self, requested: &ResourceList) {
        let (catalogue, queue) = (&self.snap.catalogue, self.queue);
        let bounds = queue
            .minimum
            .iter()
            .map(|bound| (bound, true))
            .chain(queue.maximum.iter().map(|bound| (bound, false)));
        for ((id, bound), is_least) in bounds {
            let (Some(have), Some(limit)) = (requested.amount(id), bound.amount()) else { continue };
            let breaks = if is_least { have < limit } else { have > limit };
            if breaks {
                let (kind, word) =
                    if is_least { ("resources_min", "at least") } else { ("resources_max", "at most") };
                let show = |amount: Amount| catalogue.show(id, &Value::Amount(amount));
                let name = catalogue.name(id);
                let detail = format!(
                    "{name}={} asked for, {word} {} in queue {} ({kind})",
                    show(have),
                    show(limit),
                    queue.name
                );
                self.refuse(kind, "Job violates queue and/or server resource limits", detail);
            }
        }
    }
}
