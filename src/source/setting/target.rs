//! Resolves the objects named by a key.

use super::section::SettingSection;
use qscope_engine::cluster::did_you_mean::question;
use qscope_engine::cluster::{Job, JobId, JobState, NodeId, QueueId, ResvId, Snapshot, expand};

/// An object that can be changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SettingTarget {
    Queue(QueueId),
    /// A vnode.
    Node(NodeId),
    Job(JobId),
    Reservation(ResvId),
}

/// Returns the objects of a name, a pattern of vnodes, or `*`; `None` if there are none. For a pattern of which only
/// some vnodes exist, the error names a missing one.
pub(super) fn named(
    section: SettingSection,
    name: &str,
    snap: &Snapshot,
) -> Option<Result<Vec<SettingTarget>, String>> {
    match section {
        SettingSection::Queue if name == "*" => {
            Some(Ok(snap.queues.ids().map(SettingTarget::Queue).collect()))
        }
        SettingSection::Queue => snap.queue_named(name).map(|id| Ok(vec![SettingTarget::Queue(id)])),
        SettingSection::Node if name == "*" => Some(Ok(snap.nodes.ids().map(SettingTarget::Node).collect())),
        SettingSection::Node => match snap.node_named(name) {
            Some(id) => Some(Ok(vec![SettingTarget::Node(id)])),
            None => pattern(name, snap),
        },
        SettingSection::Job if name == "*" => {
            let waits = snap.jobs.enumerate().filter(|(_, job)| waits(job.state));
            Some(Ok(waits.map(|(id, _)| SettingTarget::Job(id)).collect()))
        }
        SettingSection::Job => snap.job_named(name).map(|id| Ok(vec![SettingTarget::Job(id)])),
        SettingSection::Reservation if name == "*" => {
            Some(Ok(snap.reservations.ids().map(SettingTarget::Reservation).collect()))
        }
        SettingSection::Reservation => {
            let mut all = snap.reservations.enumerate();
            let is_it =
                |whole: &str| whole == name || whole.split_once('.').is_some_and(|(short, _)| short == name);
            let found = all.find(|(_, one)| is_it(&one.name));
            found.map(|(id, _)| Ok(vec![SettingTarget::Reservation(id)]))
        }
        SettingSection::Options
        | SettingSection::Server
        | SettingSection::Scheduler
        | SettingSection::Maui
        | SettingSection::Trial => None,
    }
}

pub(super) fn waits(state: JobState) -> bool {
    matches!(
        state,
        JobState::Queued | JobState::Held | JobState::Waiting | JobState::Begun | JobState::Transit
    )
}

fn pattern(name: &str, snap: &Snapshot) -> Option<Result<Vec<SettingTarget>, String>> {
    if !name.contains('[') {
        return None;
    }
    let names = expand(name).ok()?;
    let by_name: rustc_hash::FxHashMap<&str, NodeId> =
        snap.nodes.enumerate().map(|(id, node)| (&*node.name, id)).collect();
    let found: Vec<SettingTarget> = names
        .iter()
        .filter_map(|name| by_name.get(name.as_str()))
        .map(|id| SettingTarget::Node(*id))
        .collect();
    if found.is_empty() {
        return None;
    }
    let missing = names.iter().find(|name| !by_name.contains_key(name.as_str()));
    Some(missing.map_or(Ok(found), |missing| Err(format!("no vnode is called `{missing}`"))))
}

/// Returns the message about a name that does not exist.
pub(super) fn not_found(section: SettingSection, name: &str, snap: &Snapshot) -> String {
    let (what, asked) = match section {
        SettingSection::Queue => ("queue", question(name, snap.queues.iter().map(|queue| &*queue.name))),
        SettingSection::Reservation => {
            ("reservation", question(name, snap.reservations.iter().map(|one| &*one.name)))
        }
        SettingSection::Node => ("vnode", question(name, snap.nodes.iter().map(|node| &*node.name))),
        _ => ("job", question(name, snap.jobs.iter().map(Job::short_name))),
    };
    format!("no {what} is called `{name}`{asked}")
}
