//! Translates a node of Torque into one of PBS.

use std::borrow::Cow;

use super::slots::slots_by_job;
use super::status;
use crate::log::DiagnosticLog;
use crate::record::{Attribute, Record, Text};
use qscope_engine::cluster::FilePosition;

/// A record under construction: attributes keep the place of the originals.
pub(super) struct RecordBuilder<'a> {
    pub(super) record: Record<'a>,
}

impl<'a> RecordBuilder<'a> {
    pub(super) fn new(name: Text<'a>, position: FilePosition) -> Self {
        Self { record: Record { name, position, attributes: Vec::new() } }
    }

    /// Adds an attribute at the place of the original.
    pub(super) fn push(
        &mut self,
        name: &'static str,
        resource: Option<Text<'a>>,
        value: impl Into<Text<'a>>,
        from: &Attribute<'_>,
    ) {
        self.at(name, resource, value, from.spot());
    }

    pub(super) fn at(
        &mut self,
        name: &'static str,
        resource: Option<Text<'a>>,
        value: impl Into<Text<'a>>,
        spot: FilePosition,
    ) {
        let (name, value) = (Cow::Borrowed(name), value.into());
        self.record.attributes.push(match spot {
            FilePosition::Line(line) => Attribute::on_line(name, resource, value, line),
            FilePosition::Byte(byte) => Attribute::at_byte(name, resource, value, byte),
            _ => Attribute::at_byte(name, resource, value, 0),
        });
    }
}

/// Torque's words of states, and those of PBS (sites 4.1). All slots taken means busy, not exclusive use.
const STATES: [(&str, &str); 9] = [
    ("job-exclusive", "job-busy"),
    ("job-sharing", "job-busy"),
    ("reserve", "resv-exclusive"),
    ("busy", "busy"),
    ("down", "down"),
    ("offline", "offline"),
    ("state-unknown", "state-unknown"),
    ("MOM-list-not-sent", "state-unknown"),
    ("time-shared", "offline"),
];

/// Translates one node.
pub(super) fn translated<'a>(record: &Record<'a>, log: &mut DiagnosticLog) -> Record<'a> {
    let mut made = RecordBuilder::new(record.name.clone(), record.position);
    let mut asleep = None;
    made.at("Mom", None, record.name.clone(), record.position);
    for attribute in &record.attributes {
        match &*attribute.name {
            "state" => made.push("state", None, states(&attribute.value), attribute),
            "power_state" if attribute.value != "Running" => asleep = Some(attribute),
            "np" => amount(&mut made, "ncpus", attribute),
            "gpus" => amount(&mut made, "ngpus", attribute),
            "mics" => amount(&mut made, "nmics", attribute),
            "properties" => properties(&mut made, attribute),
            "jobs" => jobs(&mut made, attribute, log),
            "status" => reported(&mut made, attribute),
            "note" => made.push("comment", None, attribute.value.clone(), attribute),
            "ntype" if attribute.value == "time-shared" => {
                made.push("state", None, "offline", attribute);
                log.note("torque-time-shared", attribute.spot(), || {
                    "a time-shared node, which no job is given; taken as offline".to_owned()
                });
            }
            _ => {}
        }
    }
    if let Some(attribute) = asleep {
        let have = made.record.value("state").filter(|state| *state != "free");
        let state = have.map_or_else(|| "sleep".to_owned(), |have| format!("{have},sleep"));
        made.push("state", None, state, attribute);
    }
    report_left_over(record, &made.record, log);
    made.record
}

/// Reports jobs that the daemon runs and the server does not list on the node.
fn report_left_over(record: &Record<'_>, made: &Record<'_>, log: &mut DiagnosticLog) {
    let Some(attribute) = record.attributes.iter().find(|attribute| attribute.name == "status") else {
        return;
    };
    let short = |id: &str| id.split(['.', '/']).next().unwrap_or_default().trim().to_owned();
    let listed: Vec<String> = made.value("jobs").unwrap_or_default().split(',').map(short).collect();
    let parts = status::parts(&attribute.value);
    let running = status::value(&parts, "jobs").unwrap_or_default().split_whitespace();
    let is_id = |id: &&str| id.starts_with(|c: char| c.is_ascii_digit()) && id.contains('.');
    let left: Vec<&str> = running.filter(is_id).filter(|id| !listed.contains(&short(id))).collect();
    if !left.is_empty() {
        log.warn("torque-left-over", attribute.spot(), || {
            format!("its daemon runs {}, which the server does not list on it: left over", left.join(", "))
        });
    }
}

/// Returns when the daemon of a translated node last reported, in epoch seconds; `None` for one that is down, which is
/// stated.
pub(super) fn last_report(made: &Record<'_>) -> Option<i64> {
    let is_down = made.value("state").is_some_and(|state| state.split(',').any(|word| word == "down"));
    made.value("rectime").filter(|_| !is_down)?.parse().ok()
}

fn states(text: &str) -> String {
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    let known = |word| STATES.iter().find(|(torque, _)| *torque == word).map_or(word, |(_, pbs)| *pbs);
    words.map(known).collect::<Vec<_>>().join(",")
}

fn amount<'a>(made: &mut RecordBuilder<'a>, resource: &'static str, attribute: &Attribute<'a>) {
    made.push("resources_available", Some(Cow::Borrowed(resource)), attribute.value.clone(), attribute);
}

/// Adds one boolean resource for each property; Maui uses them as features.
fn properties<'a>(made: &mut RecordBuilder<'a>, attribute: &Attribute<'a>) {
    made.push("properties", None, attribute.value.clone(), attribute);
    for property in attribute.value.split(',').map(str::trim).filter(|property| !property.is_empty()) {
        let resource = Some(Cow::Owned(property.to_owned()));
        made.push("resources_available", resource, "True", attribute);
    }
}

/// Translates the jobs on the node, and the slots that they hold in total.
fn jobs<'a>(made: &mut RecordBuilder<'a>, attribute: &Attribute<'a>, log: &mut DiagnosticLog) {
    match slots_by_job(&attribute.value) {
        Ok(jobs) => {
            let held = jobs.iter().fold(0_u32, |sum, (_, slots)| sum.saturating_add(*slots));
            let names: Vec<String> = jobs.iter().map(|(id, _)| format!("{id}/0")).collect();
            made.push("jobs", None, names.join(", "), attribute);
            made.push("resources_assigned", Some(Cow::Borrowed("ncpus")), held.to_string(), attribute);
        }
        Err(part) => log.warn("torque-jobs", attribute.spot(), || {
            let part: String = part.chars().take(40).collect();
            format!("jobs: found `{part}`; expected slots and a job such as 0-3/12.srv; left out")
        }),
    }
}

/// Translates measurements of the daemon: memory, load, and its own error message.
fn reported<'a>(builder: &mut RecordBuilder<'a>, attribute: &Attribute<'a>) {
    let parts = status::parts(&attribute.value);
    let value = |key: &str| status::value(&parts, key).map(str::to_owned);
    let resource = |name: &'static str| Some(Cow::Borrowed(name));
    if let Some(memory) = value("physmem") {
        builder.push("resources_available", resource("mem"), memory, attribute);
    }
    if let Some(memory) = value("totmem") {
        builder.push("resources_available", resource("vmem"), memory, attribute);
    }
    if let Some(load) = value("loadave") {
        builder.push("loadave", None, load, attribute);
    }
    if let Some(moment) = value("rectime") {
        builder.push("rectime", None, moment, attribute);
    }
    if let Some(message) = value("message").filter(|message| message.starts_with("ERROR")) {
        builder.push("comment", None, message, attribute);
    }
}
