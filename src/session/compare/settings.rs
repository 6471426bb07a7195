//! Compares settings of the server, the scheduler, the queues and the reservations, under the names by which they are
//! set.

use serde::Serialize;

use super::FieldChange;
use crate::settings::options;
use qscope_engine::cluster::{Name, Snapshot, deduplicated};
use qscope_engine::universe::{Plan, Quirk};
use qscope_source::attributes::{
    Setting, queue_settings, reservation_settings, scheduler_settings, server_settings,
};

/// A setting that changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SettingChange {
    /// Its object: `server`, `sched`, `sched_config`, `queue workq`, `reservation R1`, `qscope`.
    pub object: String,
    /// Its queue, if it belongs to one.
    #[serde(skip)]
    pub queue: Option<String>,
    /// The setting, and its values. For an object that exists on one side only, `there`.
    #[serde(flatten)]
    pub field: FieldChange,
}

/// Name used instead of a setting for an object that exists on one side only.
pub(super) const THERE: &str = "there";

impl SettingChange {
    /// Returns the change in few words: the setting, or the object that came or went.
    pub(super) fn subject(&self) -> String {
        match (self.field.name.as_str(), &self.field.after) {
            (THERE, Some(_)) => format!("{} is new", self.object),
            (THERE, None) => format!("{} is gone", self.object),
            (name, _) => name.to_owned(),
        }
    }
}

/// Returns all settings that changed. What only one side has read is not compared.
pub(super) fn changes(before: &Plan, after: &Plan) -> Vec<SettingChange> {
    let (old, new) = (&before.snap, &after.snap);
    let silent = read_once(old, new);
    let is_compared = |what: &str| !silent.contains(&what);
    let mut all = Vec::new();
    if is_compared("server") {
        all.extend(of_one("server", &server_settings(old), &server_settings(new)));
    }
    if is_compared("sched") {
        all.extend(of_one("sched", &scheduler_settings(old), &scheduler_settings(new)));
    }
    if is_compared("sched_config") {
        all.extend(of_one("sched_config", &options(&old.policy), &options(&new.policy)));
    }
    if is_compared("queues") {
        all.extend(of_many("queue", queues(old), queues(new)));
    }
    if is_compared("reservations") {
        all.extend(of_many("reservation", reservations(old), reservations(new)));
    }
    all.extend(of_one("maui", &maui(old), &maui(new)));
    all.extend(of_one("qscope", &quirks(before), &quirks(after)));
    all
}

/// Returns the kinds of objects for which only one side has a dump, and the other side neither a dump nor a
/// hand-written file.
pub(super) fn read_once(before: &Snapshot, after: &Snapshot) -> Vec<&'static str> {
    let has_file = |snap: &Snapshot, start: &str| {
        snap.files.iter().any(|file| file.is_used() && file.name.starts_with(start))
    };
    let by_hand = |snap: &Snapshot| has_file(snap, "policy.toml") || has_file(snap, "queue.toml");
    let dumps = [
        ("server", "server."),
        ("sched", "sched."),
        ("sched_config", "sched_config"),
        ("queues", "queues."),
        ("reservations", "resvs."),
    ];
    let once = |(_, start): &(&str, &str)| match (has_file(before, start), has_file(after, start)) {
        (true, false) => !by_hand(after),
        (false, true) => !by_hand(before),
        _ => false,
    };
    dumps.into_iter().filter(once).map(|(what, _)| what).collect()
}

fn of_one(object: &str, before: &[Setting], after: &[Setting]) -> Vec<SettingChange> {
    let fields = differences(before, after).into_iter();
    fields.map(|field| SettingChange { object: object.to_owned(), queue: None, field }).collect()
}

fn of_many(
    kind: &str,
    before: Vec<(Name, Vec<Setting>)>,
    mut after: Vec<(Name, Vec<Setting>)>,
) -> Vec<SettingChange> {
    let of = |name: &Name, field| SettingChange {
        object: format!("{kind} {name}"),
        queue: (kind == "queue").then(|| name.to_string()),
        field,
    };
    let there = |name: &Name, before, after| of(name, FieldChange { name: THERE.to_owned(), before, after });
    let yes = || Some("yes".to_owned());
    let mut all = Vec::new();
    for (name, fields) in before {
        match after.iter().position(|(new, _)| *new == name) {
            Some(at) => {
                let changed = differences(&fields, &after.remove(at).1);
                all.extend(changed.into_iter().map(|field| of(&name, field)));
            }
            None => all.push(there(&name, yes(), None)),
        }
    }
    all.extend(after.iter().map(|(name, _)| there(name, None, yes())));
    all
}

/// Returns the fields that differ. Fields with the same name are compared together, such as the entries of a limit.
pub(super) fn differences(before: &[Setting], after: &[Setting]) -> Vec<FieldChange> {
    if before == after {
        return Vec::new();
    }
    let value = |fields: &[Setting], name: &str| {
        let same = fields.iter().filter(|(have, _)| have == name).filter_map(|(_, value)| value.clone());
        let values: Vec<String> = same.collect();
        (!values.is_empty()).then(|| values.join(","))
    };
    let names = deduplicated(before.iter().chain(after).map(|(name, _)| name));
    let change = |name: &String| FieldChange {
        name: name.clone(),
        before: value(before, name),
        after: value(after, name),
    };
    names.into_iter().map(change).filter(|change| change.before != change.after).collect()
}

fn text(name: &str, value: &impl ToString) -> Setting {
    (name.to_owned(), Some(value.to_string()).filter(|text| !text.is_empty()))
}

fn queues(snap: &Snapshot) -> Vec<(Name, Vec<Setting>)> {
    // A queue that no dump lists is assumed from its jobs, and comes and goes with them.
    let listed = snap.queues.iter().filter(|queue| !queue.assumed);
    listed.map(|queue| (queue.name.clone(), queue_settings(snap, queue))).collect()
}

fn reservations(snap: &Snapshot) -> Vec<(Name, Vec<Setting>)> {
    let settings = |one| reservation_settings(snap, one);
    snap.reservations.iter().map(|one| (one.name.clone(), settings(one))).collect()
}

fn maui(snap: &Snapshot) -> Vec<Setting> {
    snap.maui.iter().map(|(name, value)| text(name, value)).collect()
}

fn quirks(plan: &Plan) -> Vec<Setting> {
    Quirk::ALL
        .iter()
        .map(|quirk| text(quirk.name(), &if plan.quirks.has(*quirk) { "on" } else { "off" }))
        .collect()
}
