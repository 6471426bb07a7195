//! Lists the keys by section, and completes typed text.

use super::key::split_object;
use super::section::SettingSection;
use super::target::named;
use super::values::complete_value;
use crate::attributes::OPTIONS;
use crate::attributes::rows::names;
use crate::record::has_resources;
use crate::{job, limits, maui_cfg, node, queue, reservation, scheduler, server};
use qscope_engine::cluster::{JobState, Snapshot};

/// Keys of jobs in addition to the attributes of their reader.
const OF_JOBS: &[&str] = &["Resource_List", "schedselect", "job_state", "policy"];

impl SettingSection {
    /// Returns the names that can be set.
    pub(super) fn names(self) -> Box<dyn Iterator<Item = &'static str>> {
        let limits = limits::of_running().map(|row| row.name);
        match self {
            Self::Options => Box::new(OPTIONS.iter().map(|row| row.name)),
            Self::Server => Box::new(names(server::ATTRIBUTES).chain(limits)),
            Self::Scheduler => Box::new(names(scheduler::ATTRIBUTES)),
            Self::Queue => Box::new(names(queue::ATTRIBUTES).chain(limits).chain(["policy"])),
            Self::Node => Box::new(names(node::ATTRIBUTES)),
            Self::Job => Box::new(names(job::ATTRIBUTES).chain(OF_JOBS.iter().copied())),
            Self::Reservation => Box::new(names(reservation::ATTRIBUTES)),
            Self::Maui => Box::new(maui_cfg::NAMES.iter().copied()),
            Self::Trial => Box::new(["at", "policy"].into_iter()),
        }
    }
}

/// Returns keys that complete the typed text, best first: complete keys end in `=`, others are to be continued. After
/// a complete key, returns settings with the values that it accepts.
pub fn complete(typed: &str, snap: &Snapshot) -> Vec<String> {
    if let Some((key, value)) = typed.split_once('=') {
        return complete_value(key, value, snap);
    }
    let (stem, mut all) = continuations(typed, snap);
    let rest = typed.get(stem.len()..).unwrap_or_default().to_ascii_lowercase();
    all.retain(|name| name.to_ascii_lowercase().contains(&rest));
    all.sort_by_key(|name| !name.to_ascii_lowercase().starts_with(&rest));
    all.into_iter().map(|name| format!("{stem}{name}")).collect()
}

/// Returns the part of the typed text that is kept, and every name that can follow it.
fn continuations<'t>(typed: &'t str, snap: &Snapshot) -> (&'t str, Vec<String>) {
    let Some((word, rest)) = typed.split_once('.') else { return ("", first_words()) };
    let after = |part: &str| typed.get(..typed.len() - part.len()).unwrap_or_default();
    if word == "add_nodes" {
        return (after(rest), snap.nodes.iter().map(|node| format!("{}=", node.name)).collect());
    }
    let Some(section) = SettingSection::of(word) else {
        return if has_resources(word) { (after(rest), resources(snap)) } else { ("", first_words()) };
    };
    let attribute = if section.has_objects() {
        match split_object(rest, |name| named(section, name, snap).is_some()) {
            Some((_, attribute)) => attribute,
            None => return (after(rest), objects(section, snap)),
        }
    } else {
        rest
    };
    match attribute.split_once('.') {
        Some((name, resource)) if has_resources(name) => (after(resource), resources_of(name, snap)),
        _ => (after(attribute), section.names().map(ended).collect()),
    }
}

fn ended(name: &str) -> String {
    if has_resources(name) && name != "resources" { format!("{name}.") } else { format!("{name}=") }
}

/// Returns the sections, then the keys that need none.
fn first_words() -> Vec<String> {
    let sections = SettingSection::ALL.into_iter().filter(|section| *section != SettingSection::Options);
    let mut words: Vec<String> = sections.map(|section| format!("{}.", section.word())).collect();
    words.extend(["at=", "policy=", "add_nodes."].map(ToOwned::to_owned));
    for section in [SettingSection::Options, SettingSection::Scheduler, SettingSection::Server] {
        words.extend(
            section.names().filter(|name| SettingSection::of_bare(name).len() == 1).map(|name| {
                if section == SettingSection::Options { format!("{name}=") } else { ended(name) }
            }),
        );
    }
    words
}

fn objects(section: SettingSection, snap: &Snapshot) -> Vec<String> {
    let dotted = |name: &str| format!("{name}.");
    match section {
        SettingSection::Queue => snap.queues.iter().map(|queue| dotted(&queue.name)).collect(),
        SettingSection::Node => snap.nodes.iter().map(|node| dotted(&node.name)).collect(),
        SettingSection::Job => {
            let there = snap.jobs.iter().filter(|job| job.state != JobState::Finished);
            there.map(|job| dotted(job.short_name())).collect()
        }
        SettingSection::Reservation => snap.reservations.iter().map(|one| dotted(&one.name)).collect(),
        SettingSection::Options
        | SettingSection::Server
        | SettingSection::Scheduler
        | SettingSection::Maui
        | SettingSection::Trial => Vec::new(),
    }
}

fn resources(snap: &Snapshot) -> Vec<String> {
    snap.catalogue.iter().map(|(_, def)| format!("{}=", def.name)).collect()
}

fn resources_of(attribute: &str, snap: &Snapshot) -> Vec<String> {
    let mut all = resources(snap);
    if attribute != "Resource_List" {
        all.retain(|name| !matches!(name.as_str(), "select=" | "place="));
    }
    all
}
