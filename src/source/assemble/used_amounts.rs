//! What running jobs and reservations use of vnodes and of the resources of the server and of queues, where no dump
//! states it: a script of `qmgr` contains only what an administrator sets (sites 3.2, 3.4).

use rustc_hash::FxHashMap;

use super::loader::Loader;
use crate::log::DiagnosticLog;
use crate::reader::ReaderKind;
use crate::record::DumpKind;
use crate::toml_form::{occupy_all, values};
use qscope_engine::cluster::{
    FilePosition, Job, Name, Node, NodeId, ResourceId, ResourceList, SharedColumn, Snapshot, deduplicated,
};

impl Loader<'_, '_> {
    /// Counts what is used of the server's and the queues' resources, unless a dump of them states it.
    pub(super) fn count_use(&mut self, log: &mut DiagnosticLog) {
        let (server, queues) = (self.stating_no_use(DumpKind::Server), self.stating_no_use(DumpKind::Queues));
        if let Some(file) = server {
            report(&file, "server-counted", &count_of_server(&mut self.snapshot), &self.snapshot, log);
        }
        if let Some(file) = queues {
            report(&file, "queues-counted", &count_of_queues(&mut self.snapshot), &self.snapshot, log);
        }
    }

    /// Puts running jobs and reservations on their vnodes if these were read from a script, which lists neither, and
    /// completes the ids that a table lists without the server. Vnodes that are as they were after the last reading are
    /// shared with it.
    pub(super) fn occupy_nodes(
        &mut self,
        last: Option<&mut SharedColumn<NodeId, Node>>,
        log: &mut DiagnosticLog,
    ) {
        let Some(file) = self.file_read(DumpKind::Nodes) else { return };
        let jobs = match self.reader_of(&file) {
            Some(ReaderKind::Script) => Some(occupy_all(&mut self.snapshot)),
            Some(ReaderKind::NodeTable) => {
                complete_job_ids(&mut self.snapshot);
                None
            }
            _ => return,
        };
        if let Some(last) = last {
            self.snapshot.nodes.share_equal(last);
            last.clone_from(&self.snapshot.nodes);
        }
        let Some(jobs) = jobs else { return };
        log.in_file(&file);
        log.note("nodes-counted", FilePosition::File, || {
            format!(
                "a script lists no jobs and no vnode that is down; put {jobs} running jobs on the vnodes of their exec_vnode"
            )
        });
    }

    /// Returns the file of a kind, or its usual name, if it does not state what is used.
    fn stating_no_use(&self, kind: DumpKind) -> Option<Name> {
        match self.file_read(kind) {
            Some(read) => Some(read).filter(|read| self.is_script(read)),
            None => kind.files().first().copied().map(Name::from),
        }
    }

    /// Returns the file that a kind was read from.
    fn file_read(&self, kind: DumpKind) -> Option<Name> {
        let used = self.snapshot.files.iter().filter(|file| file.is_used());
        used.map(|file| &file.name).find(|name| kind.files().contains(&&***name)).cloned()
    }

    fn is_script(&self, file: &str) -> bool {
        matches!(self.reader_of(file), Some(ReaderKind::Script))
    }

    fn reader_of(&self, file: &str) -> Option<&ReaderKind> {
        self.files.get(file).map(|file| &file.reader)
    }
}

/// Adds the server to the ids that vnodes list without it: that of the job of this number, or of the first job for one
/// that is not in the job dump.
fn complete_job_ids(snapshot: &mut Snapshot) {
    let server = |job: &Job| job.name.split_once('.').map(|(_, server)| server.to_owned());
    let Some(first) = snapshot.jobs.iter().find_map(server) else { return };
    let names: FxHashMap<&str, &Name> =
        snapshot.jobs.iter().map(|job| (job.short_name(), &job.name)).collect();
    let full =
        |id: &Name| names.get(&**id).map_or_else(|| format!("{id}.{first}").into(), |name| (*name).clone());
    let lists_short = |_, node: &Node| node.jobs.iter().any(|id| !id.contains('.'));
    snapshot.nodes.change_where(lists_short, |_, node| {
        for id in node.jobs.iter_mut().filter(|id| !id.contains('.')) {
            *id = full(id);
        }
    });
}

/// Reports the resources whose use was counted.
fn report(
    file: &str,
    code: &'static str,
    counted: &[ResourceId],
    snapshot: &Snapshot,
    log: &mut DiagnosticLog,
) {
    if counted.is_empty() {
        return;
    }
    log.in_file(file);
    log.note(code, FilePosition::File, || {
        let names: Vec<&str> = counted.iter().map(|id| &**snapshot.catalogue.name(*id)).collect();
        format!("shows no use of {}; counted what running jobs request", names.join(", "))
    });
}

/// Counts for the server, against which jobs in reservations do not count; the reservations do.
fn count_of_server(snapshot: &mut Snapshot) -> Vec<ResourceId> {
    let mut assigned = ResourceList::default();
    let limited = limited(snapshot, &snapshot.server.available);
    for id in &limited {
        let jobs = snapshot.jobs.iter().filter(|job| job.reservation.is_none() && holds(snapshot, job, *id));
        let reservations = snapshot.reservations.iter().filter(|one| one.is_running());
        let requests = jobs.map(|job| &*job.requested).chain(reservations.map(|one| &one.requested));
        add_all(&mut assigned, requests, *id);
    }
    snapshot.server.assigned = assigned;
    limited
}

/// Counts for each queue.
fn count_of_queues(snapshot: &mut Snapshot) -> Vec<ResourceId> {
    let mut counted: Vec<ResourceId> = Vec::new();
    let mut sums: Vec<ResourceList> = Vec::new();
    for queue in &snapshot.queues {
        let mut assigned = ResourceList::default();
        let limited = limited(snapshot, &queue.available);
        for id in &limited {
            let jobs = snapshot.jobs.iter();
            let jobs = jobs.filter(|job| job.queue == queue.name && holds(snapshot, job, *id));
            add_all(&mut assigned, jobs.map(|job| &*job.requested), *id);
        }
        counted.extend(limited);
        sums.push(assigned);
    }
    for (queue, assigned) in snapshot.queues.iter_mut().zip(sums) {
        queue.assigned = assigned;
    }
    deduplicated(counted)
}

/// Returns the resources of a list of which the server counts what is used.
fn limited(snapshot: &Snapshot, available: &ResourceList) -> Vec<ResourceId> {
    let is_counted = |id: &ResourceId| {
        let def = snapshot.catalogue.def(*id);
        def.flags.summed && def.kind.is_consumable()
    };
    available.iter().map(|(id, _)| id).filter(is_counted).collect()
}

/// Whether a job holds its amount of a resource: it runs, or was suspended without releasing it.
fn holds(snapshot: &Snapshot, job: &Job, id: ResourceId) -> bool {
    let released = &snapshot.server.release_on_suspend;
    let keeps = || !released.contains(snapshot.catalogue.name(id));
    job.state.has_nodes() || job.released_part().is_some() && keeps()
}

fn add_all<'r>(sums: &mut ResourceList, requests: impl Iterator<Item = &'r ResourceList>, id: ResourceId) {
    for amount in requests.filter_map(|request| request.amount(id)) {
        values::add(sums, id, amount);
    }
}
