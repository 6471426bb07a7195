//! Resolves the objects named by a key.

use super::section::Section;
use qscope_engine::cluster::did_you_mean::question;
use qscope_engine::cluster::{Job, JobId, JobState, NodeId, QueueId, ResvId, Snapshot, expand};

/// An object that can be changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Queue(QueueId),
    /// A vnode.
    Node(NodeId),
    Job(JobId),
    Reservation(ResvId),
}

/// Returns the objects of a name, a pattern of vnodes, or `*`; `None` if there are none. For a pattern of which only
/// some vnodes exist, the error names a missing one.
pub(super) fn named(section: Section, name: &str, snap: &Snapshot) -> Option<Result<Vec<Target>, String>> {
    match section {
        Section::Queue if name == "*" => Some(Ok(snap.queues.ids().map(Target::Queue).collect())),
        Section::Queue => snap.queue_named(name).map(|id| Ok(vec![Target::Queue(id)])),
        Section::Node if name == "*" => Some(Ok(snap.nodes.ids().map(Target::Node).collect())),
        Section::Node => match snap.node_named(name) {
            Some(id) => Some(Ok(vec![Target::Node(id)])),
            None => pattern(name, snap),
        },
        Section::Job if name == "*" => {
            let waits = snap.jobs.enumerate().filter(|(_, job)| waits(job.state));
            Some(Ok(waits.map(|(id, _)| Target::Job(id)).collect()))
        }
        Section::Job => snap.job_named(name).map(|id| Ok(vec![Target::Job(id)])),
        Section::Reservation if name == "*" => {
            Some(Ok(snap.reservations.ids().map(Target::Reservation).collect()))
        }
        Section::Reservation => {
            let mut all = snap.reservations.enumerate();
            let is_it =
                |whole: &str| whole == name || whole.split_once('.').is_some_and(|(short, _)| short == name);
            let found = all.find(|(_, one)| is_it(&one.name));
            found.map(|(id, _)| Ok(vec![Target::Reservation(id)]))
        }
        Section::Options | Section::Server | Section::Scheduler | Section::Maui | Section::Trial => None,
    }
}

pub(super) fn waits(state: JobState) -> bool {
    matches!(
        state,
        JobState::Queued | JobState::Held | JobState::Waiting | JobState::Begun | JobState::Transit
    )
}

fn pattern(name: &str, snap: &Snapshot) -> Option<Result<Vec<Target>, String>> {
    if !name.contains('[') {
        return None;
    }
    let names = expand(name).ok()?;
    let by_name: rustc_hash::FxHashMap<&str, NodeId> =
        snap.nodes.enumerate().map(|(id, node)| (&*node.name, id)).collect();
    let found: Vec<Target> =
        names.iter().filter_map(|name| by_name.get(name.as_str())).map(|id| Target::Node(*id)).collect();
    if found.is_empty() {
        return None;
    }
    let missing = names.iter().find(|name| !by_name.contains_key(name.as_str()));
    Some(missing.map_or(Ok(found), |missing| Err(format!("no vnode is called `{missing}`"))))
}

/// Returns the message about a name that does not exist.
pub(super) fn not_found(section: Section, name: &str, snap: &Snapshot) -> String {
    let (what, asked) = match section {
        Section::Queue => ("queue", question(name, snap.queues.iter().map(|queue| &*queue.name))),
        Section::Reservation => {
            ("reservation", question(name, snap.reservations.iter().map(|one| &*one.name)))
        }
        Section::Node => ("vnode", question(name, snap.nodes.iter().map(|node| &*node.name))),
        _ => ("job", question(name, snap.jobs.iter().map(Job::short_name))),
    };
    format!("no {what} is called `{name}`{asked}")
}
