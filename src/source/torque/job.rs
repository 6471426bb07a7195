//! Translates a job of Torque into one of PBS.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::node::RecordBuilder;
use super::request::{NodeMatchCounts, TorqueRequest, is_distinct, specs};
use super::slots::slots_by_host;
use super::{TorqueContext, extension, memory, task_request};
use crate::log::DiagnosticLog;
use crate::record::{Attribute, Record};

/// Attributes that are private or have no meaning here.
const LEFT_OUT: [&str; 14] = [
    "exec_port",
    "submit_args",
    "submit_host",
    "init_work_dir",
    "job_arguments",
    "Variable_List",
    "queue_rank",
    "queue_type",
    "hashname",
    "fault_tolerant",
    "job_radix",
    "request_version",
    "cpuset_string",
    "memset_string",
];

/// Resources in `Resource_List` that are not amounts: the request, or options for Maui.
pub(super) const WORDS: [&str; 22] = [
    "nodes",
    "neednodes",
    "procs",
    "ncpus",
    "mem",
    "pmem",
    "vmem",
    "pvmem",
    "nodect",
    "procct",
    "feature",
    "partition",
    "qos",
    "advres",
    "nodeset",
    "gres",
    "software",
    "prologue",
    "epilogue",
    "signal",
    "naccesspolicy",
    "tpn",
];

/// Maximum number of features of a job that are used.
const MAX_FEATURES: usize = 64;

pub(super) fn translated<'a>(
    record: &Record<'a>,
    context: &TorqueContext,
    matched: &mut NodeMatchCounts,
    log: &mut DiagnosticLog,
) -> Record<'a> {
    let mut made = RecordBuilder::new(record.name.clone(), record.position);
    for attribute in record.attributes.iter().filter(|attribute| !LEFT_OUT.contains(&&*attribute.name)) {
        translate_attribute(&mut made, attribute);
    }
    places(&mut made, record, log);
    array(&mut made, record);
    used_walltime(&mut made, record);
    let extensions = record.value("x").map(extension::pairs).unwrap_or_default();
    policies(&mut made, record, &extensions);
    let asked = TorqueSubject { record, extensions: &extensions, context };
    if let Some(request) = asked.request(matched, log) {
        let place = asked.attribute("nodes").or_else(|| record.attributes.first());
        let spot = place.map_or(record.position, Attribute::spot);
        made.at("Resource_List", Some(Cow::Borrowed("select")), request.select(), spot);
        made.at("Resource_List", Some(Cow::Borrowed("place")), request.place(), spot);
    }
    made.record
}

/// Translates one attribute to its PBS name.
fn translate_attribute<'a>(made: &mut RecordBuilder<'a>, attribute: &Attribute<'a>) {
    let value = attribute.value.trim();
    match (&*attribute.name, attribute.resource.as_deref()) {
        ("job_state", None) => {
            // Completed, and kept for a while.
            let letter = if value == "C" { "F" } else { value };
            made.push("job_state", None, letter.to_owned(), attribute);
        }
        ("exec_host" | "exec_gpus" | "exec_mics" | "req_information" | "L_Request", _) => {}
        ("start_time", None) => made.push("stime", None, attribute.value.clone(), attribute),
        ("exit_status", None) => made.push("Exit_status", None, attribute.value.clone(), attribute),
        ("start_count", None) => made.push("run_count", None, attribute.value.clone(), attribute),
        ("Resource_List", Some(name)) if WORDS.contains(&name) => {}
        ("Resource_List" | "resources_used", Some(_)) => {
            let mut copy = attribute.clone();
            if let Some(length) = memory::length(value) {
                copy.value = Cow::Owned(length);
            }
            made.record.attributes.push(copy);
        }
        _ => made.record.attributes.push(attribute.clone()),
    }
}

/// Translates the placement: one part for each host, in the order of its tasks, with the GPUs held there.
fn places<'a>(made: &mut RecordBuilder<'a>, record: &Record<'a>, log: &mut DiagnosticLog) {
    let Some(attribute) = record.attributes.iter().find(|have| have.name == "exec_host") else { return };
    match slots_by_host(&attribute.value) {
        Ok(hosts) => {
            let gpus = [devices(record, "exec_gpus", "-gpu"), devices(record, "exec_mics", "-mic")];
            let parts = hosts.iter().map(|(host, slots)| {
                let amounts = ["ngpus", "nmics"]
                    .iter()
                    .zip(&gpus)
                    .filter_map(|(name, held)| Some(format!(":{name}={}", held.get(host)?)));
                format!("({host}:ncpus={slots}{})", amounts.collect::<String>())
            });
            let parts: Vec<String> = parts.collect();
            made.push("exec_vnode", None, parts.join("+"), attribute);
            made.push("exec_host", None, attribute.value.clone(), attribute);
        }
        Err(part) => log.warn("torque-exec-host", attribute.spot(), || {
            let part: String = part.chars().take(40).collect();
            format!("exec_host: found `{part}`; expected a host and slots such as n1/0-3; left out")
        }),
    }
}

/// Returns the number of devices by host of `n1-gpu/0+n1-gpu/1`.
fn devices<'r>(record: &'r Record<'_>, name: &str, suffix: &str) -> FxHashMap<&'r str, u32> {
    let held = record.value(name).and_then(|text| slots_by_host(text).ok()).unwrap_or_default();
    held.into_iter().map(|(host, count)| (host.strip_suffix(suffix).unwrap_or(host), count)).collect()
}

/// Translates an array's indices, and the index of a subjob.
fn array<'a>(made: &mut RecordBuilder<'a>, record: &Record<'a>) {
    if let Some(attribute) = record.attributes.iter().find(|have| have.name == "job_array_request")
        && record.name.contains("[]")
    {
        let (indices, limit) = attribute.value.split_once('%').unwrap_or((&attribute.value, ""));
        made.push("array_indices_submitted", None, indices.to_owned(), attribute);
        made.push("array_indices_remaining", None, indices.to_owned(), attribute);
        if !limit.is_empty() {
            made.push("max_run_subjobs", None, limit.to_owned(), attribute);
        }
    }
    if let Some(attribute) = record.attributes.iter().find(|have| have.name == "job_array_id") {
        made.push("array_index", None, attribute.value.clone(), attribute);
    }
}

/// Derives the walltime used by a running job, if only the remaining time is printed.
fn used_walltime<'a>(made: &mut RecordBuilder<'a>, record: &Record<'a>) {
    let part = |name: &str, resource: &str| {
        record.attributes.iter().find(|have| have.name == name && have.resource.as_deref() == Some(resource))
    };
    let (Some(left), Some(asked), None) = (
        part("Walltime", "Remaining"),
        part("Resource_List", "walltime"),
        part("resources_used", "walltime"),
    ) else {
        return;
    };
    let seconds = |text: &str| {
        text.trim()
            .split(':')
            .try_fold(0_i64, |sum, part| sum.checked_mul(60)?.checked_add(part.parse::<i64>().ok()?))
    };
    if let (Some(rest), Some(all)) = (seconds(&left.value), seconds(&asked.value))
        && rest <= all
    {
        made.push("resources_used", Some(Cow::Borrowed("walltime")), (all - rest).to_string(), left);
    }
}

/// Translates options for the allocation policies of Maui.
fn policies<'a>(builder: &mut RecordBuilder<'a>, record: &Record<'a>, extensions: &[(String, &str)]) {
    let spot =
        record.attributes.iter().find(|have| have.name == "x").map_or(record.position, Attribute::spot);
    for name in ["NALLOCPOLICY", "TPN"] {
        if let Some(value) = extension::value(extensions, name) {
            builder.at(name, None, value.to_owned(), spot);
        }
    }
    let preferred = record.value("x").map(extension::preferences).unwrap_or_default();
    if !preferred.is_empty() {
        builder.at("PREF", None, preferred.join(":"), spot);
    }
}

/// The request of a record.
pub(super) struct TorqueSubject<'r, 'a> {
    pub(super) record: &'r Record<'a>,
    /// Options for Maui and Moab.
    pub(super) extensions: &'r [(String, &'r str)],
    pub(super) context: &'r TorqueContext,
}

impl<'r> TorqueSubject<'r, '_> {
    fn attribute(&self, resource: &str) -> Option<&'r Attribute<'r>> {
        self.record.attributes.iter().rev().find(|attribute| {
            attribute.name == "Resource_List" && attribute.resource.as_deref() == Some(resource)
        })
    }

    fn value(&self, resource: &str) -> Option<&'r str> {
        self.attribute(resource).map(|attribute| attribute.value.trim()).filter(|value| !value.is_empty())
    }

    /// Returns the request: `nodes` takes precedence over `-L`, that over `ncpus` and `procs`; a host list set by the
    /// scheduler is the last resort.
    pub(super) fn request(
        &self,
        matched: &mut NodeMatchCounts,
        log: &mut DiagnosticLog,
    ) -> Option<TorqueRequest<'r>> {
        let is_host = |word: &str| self.context.hosts.contains(word);
        let listed = self.value("nodes").or_else(|| self.value("neednodes").filter(|_| self.is_bare()));
        let mut request = match listed {
            Some(text) => match specs(text, &is_host) {
                Ok(specs) => TorqueRequest { specs, ..TorqueRequest::default() },
                Err(part) => {
                    let spot = self.attribute("nodes").map_or(self.record.position, Attribute::spot);
                    log.warn("torque-nodes", spot, || {
                        let part: String = part.chars().take(40).collect();
                        format!("Resource_List.nodes: found `{part}`; expected parts such as 2:ppn=4:fast; the request is unknown")
                    });
                    return None;
                }
            },
            None => self.plain(),
        };
        if listed.is_some() && request.specs.iter().map(|spec| spec.count).fold(0, u32::saturating_add) > 1 {
            request.distinct = is_distinct(self.context.node_match, self.has_words_of_maui());
            let count = if request.distinct { &mut matched.distinct } else { &mut matched.tasks };
            *count += 1;
        }
        self.refine(&mut request);
        Some(request)
    }

    fn is_bare(&self) -> bool {
        ["procs", "ncpus"].iter().all(|name| self.value(name).is_none())
            && self.record.value("L_Request").is_none()
    }

    /// Returns a request without `nodes`.
    fn plain(&self) -> TorqueRequest<'r> {
        if let Some(request) = task_request::request(self.record) {
            return request;
        }
        let number = |name| self.value(name).and_then(|value| value.parse::<u32>().ok());
        match (number("procs"), number("ncpus")) {
            (Some(procs), _) => TorqueRequest::of(procs, 1),
            (None, Some(ncpus)) => TorqueRequest::of(1, ncpus),
            (None, None) => TorqueRequest::of(1, 1),
        }
    }

    /// Adds properties, memory and exclusive use, which are separate from the request.
    fn refine(&self, request: &mut TorqueRequest<'r>) {
        let listed = self.value("feature").into_iter().chain(extension::value(self.extensions, "FEATURE"));
        // `a|b` is a choice, which a select cannot express.
        let features: Vec<&str> =
            listed.filter(|text| !text.contains('|')).flat_map(extension::words).take(MAX_FEATURES).collect();
        request.require(&features);
        request.remember(self.value("mem"), self.value("pmem"));
        let access =
            extension::value(self.extensions, "NACCESSPOLICY").or_else(|| self.value("naccesspolicy"));
        request.exclusive = access.is_some_and(|policy| policy.eq_ignore_ascii_case("singlejob"))
            || self.record.value("node_exclusive").is_some_and(|value| value.eq_ignore_ascii_case("true"));
    }

    fn has_words_of_maui(&self) -> bool {
        !self.extensions.is_empty() || ["partition", "qos"].iter().any(|name| self.value(name).is_some())
    }
}
