//! A cluster with only what others may know of it: what the scheduler's decisions rest on.
//!
//! It fails closed: every object is created anew from the attributes named here, so an attribute that is added to the
//! model later is left out until it is named. What people typed (names of jobs, comments, environments, paths) is not
//! carried over; a comment is carried over only if it is, word by word, one of the scheduler's.

mod job;
mod lists;
mod names;
mod prefixes;
mod server;
mod words;

pub use names::{NameReplacements, NameRole, Treatment};
use prefixes::QueuePrefixes;

use qscope_engine::cluster::{DiagnosticCount, Node, Snapshot};

/// The reader of the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RedactionAudience {
    /// Users of the cluster: names stay, except those of jobs.
    Users,
    /// Users of the cluster, to whom the site does not show who owns jobs.
    UsersWithoutNames,
    /// People who may see the dumps: no name is replaced.
    Colleagues,
    Public,
}

impl RedactionAudience {
    fn treatment(self) -> fn(NameRole) -> Treatment {
        match self {
            Self::Users => |role| if role == NameRole::Title { Treatment::Omit } else { Treatment::Keep },
            Self::UsersWithoutNames => |role| match role {
                NameRole::Title => Treatment::Omit,
                NameRole::User
                | NameRole::Group
                | NameRole::Project
                | NameRole::Account
                | NameRole::Share => Treatment::Rename,
                _ => Treatment::Keep,
            },
            Self::Colleagues => |_| Treatment::Keep,
            Self::Public => |_| Treatment::Rename,
        }
    }
}

/// Returns what a reader may see of a cluster, under this title, and the names that were replaced.
pub fn redacted(snap: &Snapshot, reader: RedactionAudience, title: &str) -> (Snapshot, NameReplacements) {
    let mut names = NameReplacements::new(reader.treatment(), QueuePrefixes::of(&snap.policy));
    // The first pass collects the names, the second replaces them.
    let _collected = redacted_snapshot(snap, &mut names, title);
    names.assign_replacements();
    (redacted_snapshot(snap, &mut names, title), names)
}

/// Returns the cluster with its names replaced.
fn redacted_snapshot(snap: &Snapshot, names: &mut NameReplacements, title: &str) -> Snapshot {
    let catalogue = &snap.catalogue;
    Snapshot {
        flavour: snap.flavour,
        zone: snap.zone.clone(),
        zone_source: "the original".to_owned(),
        now_source: "the original".to_owned(),
        catalogue: catalogue.clone(),
        server: server::server(snap, names),
        scheduler: server::scheduler(snap, names),
        policy: server::policy(snap, names),
        nodes: snap.nodes.iter().map(|one| node(one, snap, names)).collect(),
        queues: snap.queues.iter().map(|queue| server::queue(queue, snap, names)).collect(),
        jobs: snap.jobs.iter().map(|one| job::job(one, snap, names)).collect(),
        reservations: snap.reservations.iter().map(|one| job::reservation(one, snap, names)).collect(),
        holidays: snap.holidays.clone(),
        dedicated_time: snap.dedicated_time.clone(),
        share_groups: server::share_groups(snap, names),
        usage: server::usage(snap, names),
        qrun: snap.qrun,
        origins: snap.origins.clone(),
        tallies: Vec::<DiagnosticCount>::new(),
        ..Snapshot::empty(title, snap.now)
    }
}

fn node(node: &Node, snap: &Snapshot, names: &mut NameReplacements) -> Node {
    Node {
        name: names.of(NameRole::Host, &node.name),
        moms: node.moms.iter().map(|host| names.of(NameRole::Host, host)).collect(),
        states: node.states,
        priority: node.priority,
        queue: node.queue.as_ref().map(|queue| names.of(NameRole::Queue, queue)),
        sharing: node.sharing,
        license: node.license,
        partition: node.partition.as_ref().map(|part| names.of(NameRole::Partition, part)),
        in_multivnode_host: node.in_multivnode_host,
        jobs: node.jobs.iter().map(|id| lists::id(id, names)).collect(),
        reservations: node.reservations.iter().map(|id| lists::id(id, names)).collect(),
        available: lists::resources(&node.available, snap, names),
        assigned: lists::resources(&node.assigned, snap, names),
        max_running: node.max_running,
        max_user_run: node.max_user_run,
        max_group_run: node.max_group_run,
        no_multinode_jobs: node.no_multinode_jobs,
        resv_enable: node.resv_enable,
        current_aoe: node.current_aoe.as_ref().map(|aoe| names.of(NameRole::Value, aoe)),
        current_eoe: node.current_eoe.as_ref().map(|eoe| names.of(NameRole::Value, eoe)),
        provision_enable: node.provision_enable,
        last_used: node.last_used,
        ..Node::default()
    }
}
