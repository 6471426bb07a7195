//! The whole cluster at one time.

use super::{
    AllocationChoices, Catalogue, Column, DedicatedSlot, Diagnostic, DiagnosticCount, Epoch, FileRecord,
    Holidays, Job, JobId, Name, NameList, Node, NodeId, Origins, Policy, Queue, QueueId, Reservation,
    ResourceId, ResvId, Scheduler, Server, ShareGroup, SharedColumn, SnapshotFact, TimeFileLines,
    UsageRecord, array_id, array_numbered, id_number, number_of, short_id,
};

/// Batch system that the dumps are from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Flavour {
    /// OpenPBS or PBS Pro.
    #[default]
    Pbs,
    /// Torque: the dumps show which jobs run where, but not the order in which jobs are considered.
    Torque,
}

/// One immutable cluster with its own "now". The same snapshot always gives the same cycle, byte for byte.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Name of the folder.
    pub title: Name,
    pub flavour: Flavour,
    /// Current time.
    pub now: Epoch,
    /// Source of `now`, in words.
    pub now_source: String,
    /// Time zone in which dates without one were read, an IANA name or an offset.
    pub zone: String,
    /// Source of the zone, in words.
    pub zone_source: String,
    /// Options of the command line with which the verdicts of a bundle or published file were computed, such as
    /// `--semantics fixed`; empty for the default.
    pub made_with: Name,
    /// All resources.
    pub catalogue: Catalogue,
    pub server: Server,
    /// The scheduler object.
    pub scheduler: Scheduler,
    /// Options of `sched_config`.
    pub policy: Policy,
    /// Vnodes in the order of the dump, which is the server's.
    pub nodes: SharedColumn<NodeId, Node>,
    /// Queues in the order of the dump.
    pub queues: Column<QueueId, Queue>,
    /// Jobs in the order of the dump, arrays before their subjobs.
    pub jobs: SharedColumn<JobId, Job>,
    /// Reservations in the order of the dump.
    pub reservations: Column<ResvId, Reservation>,
    /// `holidays`, if there is such a file.
    pub holidays: Option<Holidays>,
    /// `dedicated_time`, in order of time.
    pub dedicated_time: Vec<DedicatedSlot>,
    /// Lines of these in `holidays` and `dedicated_time`.
    pub time_lines: TimeFileLines,
    /// `resource_group`.
    pub share_groups: Vec<ShareGroup>,
    /// Fair share usage.
    pub usage: Vec<UsageRecord>,
    /// `[maui]` of `policy.toml`: options of the allocation policies, name and value as written.
    pub maui: Vec<(Name, Name)>,
    /// Line numbers in `maui.cfg` of the last of these options.
    pub maui_lines: Vec<usize>,
    /// Allocation policies that a what-if uses instead of the scheduler's node order; no dump contains any.
    pub allocation: AllocationChoices,
    /// Job that an operator starts now by `qrun`, as the scheduler receives it; no dump shows one.
    pub qrun: Option<JobId>,
    /// Origins of what the model assumes; a fact for which readers set no origin counts as read.
    pub origins: Origins,
    /// The files read.
    pub files: Vec<FileRecord>,
    /// Findings of the readers.
    pub diagnostics: Vec<Diagnostic>,
    /// Number of findings by kind.
    pub tallies: Vec<DiagnosticCount>,
}

impl Snapshot {
    /// Returns a cluster without any objects.
    pub fn empty(title: &str, now: Epoch) -> Self {
        Self {
            title: title.into(),
            now,
            now_source: "given".to_owned(),
            zone: "UTC".to_owned(),
            zone_source: "given".to_owned(),
            server: Server { assumed: true, ..Server::default() },
            policy: Policy::as_shipped(),
            ..Self::default()
        }
    }

    /// Returns the name of the file that was read for an input such as `holidays`.
    pub fn file_of<'a>(&'a self, input: &'a str) -> &'a str {
        self.files.iter().find(|file| file.input_name() == input).map_or(input, |file| &file.name)
    }

    /// Returns the number of nodes and jobs, at least 1.
    pub fn size(&self) -> u32 {
        number_of(self.nodes.len() + self.jobs.len()).max(1)
    }

    /// Returns the diagnostic of each file that exists but could not be read.
    pub fn unreadable(&self) -> impl Iterator<Item = &Diagnostic> {
        self.reported(Diagnostic::UNREADABLE)
    }

    /// Returns the diagnostics with this code.
    pub fn reported(&self, code: &'static str) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(move |diagnostic| diagnostic.code == code)
    }

    /// Whether some node has the resource, in any amount.
    pub fn is_on_nodes(&self, resource: ResourceId) -> bool {
        self.nodes.iter().any(|node| node.available.get(resource).is_some())
    }

    /// Whether there is no node dump, in which case the absence of nodes means nothing.
    pub fn lacks_nodes(&self) -> bool {
        self.reported(Diagnostic::NO_NODES).next().is_some()
    }

    /// Whether there is no job dump, in which case the absence of jobs means nothing.
    pub fn lacks_jobs(&self) -> bool {
        self.reported(Diagnostic::NO_JOBS).next().is_some()
    }

    /// Whether the whole job dump was read, so that the absence of a job means that there is none.
    pub fn has_all_jobs(&self) -> bool {
        !self.lacks_jobs() && self.origins.of(SnapshotFact::AllJobs).is_seen()
    }

    /// Returns the job of this full id, or of this id without the server part.
    pub fn job_named(&self, name: &str) -> Option<JobId> {
        let exact = self.jobs.enumerate().find(|(_, job)| *job.name == *name);
        let short = || self.jobs.enumerate().find(|(_, job)| job.short_name() == name);
        exact.or_else(short).map(|(id, _)| id)
    }

    /// Returns the job that a user means by an id. Also accepts an array's id without brackets, the id of a waiting
    /// subjob that is not in the dump and a folded list of waiting subjobs, such as `67[2-5]`, for which the array is
    /// returned.
    pub fn job_meant(&self, name: &str) -> Option<JobId> {
        self.job_meant_among(name, |name| self.job_named(name))
    }

    /// The same with a custom lookup of jobs by name.
    pub fn job_meant_among(&self, name: &str, named: impl Fn(&str) -> Option<JobId>) -> Option<JobId> {
        // Of scattered subjobs a row shows the first and the count of the others: `67[2] +6`.
        let is_count = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        let name = name.split_once(" +").filter(|(_, rest)| is_count(rest)).map_or(name, |(name, _)| name);
        let whole = || named(&array_numbered(name)).filter(|_| !name.contains('['));
        let array = |name: &str| Some(self.subjob_among(name, &named)?.0);
        let listed = || array(&NameList::of(name).filter(|list| list.is_bracketed())?.first()?);
        named(name).or_else(whole).or_else(|| array(name)).or_else(listed)
    }

    /// Returns the array and the index of a waiting subjob, which must be among the array's remaining ones.
    pub fn waiting_subjob(&self, name: &str) -> Option<(JobId, u32)> {
        self.subjob_among(name, |name| self.job_named(name))
    }

    /// Returns the array and the indices of waiting subjobs, of one by its id or of several by a folded list such as
    /// `67[2-5]`; `None` for any other name.
    pub fn waiting_subjobs(&self, name: &str) -> Option<(JobId, Vec<u32>)> {
        if let Some((array, index)) = self.waiting_subjob(name) {
            return Some((array, vec![index]));
        }
        let list = NameList::of(short_id(name)).filter(|list| list.is_bracketed())?;
        let (array, _) = self.waiting_subjob(&list.first()?)?;
        let of = self.jobs[array].array.as_ref()?;
        let ranges: Vec<(u32, u32)> = list
            .runs()
            .map(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)))
            .collect::<Option<_>>()?;
        let is_meant = |index: &u32| ranges.iter().any(|(from, to)| (from..=to).contains(&index));
        Some((array, of.remaining.iter().copied().filter(is_meant).collect()))
    }

    fn subjob_among(&self, name: &str, named: impl Fn(&str) -> Option<JobId>) -> Option<(JobId, u32)> {
        let (array, index) = array_id(name)?;
        let (array, index) = (named(&array)?, index.parse().ok()?);
        let of = self.jobs[array].array.as_ref()?;
        of.remaining.contains(&index).then_some((array, index))
    }

    /// Returns the short ids of up to `most` jobs for which an id may be a typing error: those that start with it,
    /// those with one digit less, then those with the nearest numbers. Empty if the id has no number.
    pub fn jobs_near(&self, name: &str, most: usize) -> Vec<&str> {
        let Some(wanted) = id_number(name) else { return Vec::new() };
        let jobs = self.jobs.iter().filter(|job| !job.is_subjob()).map(super::Job::short_name);
        let has_one_less = |job: &str| {
            job.len() + 1 == name.len()
                && name.char_indices().any(|(at, letter)| {
                    let (head, tail) = name.split_at(at);
                    job.strip_prefix(head) == tail.strip_prefix(letter)
                })
        };
        let rank = |job: &str| match job {
            longer if longer.starts_with(name) => 0,
            shorter if has_one_less(shorter) => 1,
            _ => 2,
        };
        let mut near: Vec<(u8, u64, &str)> =
            jobs.filter_map(|job| Some((rank(job), id_number(job)?.abs_diff(wanted), job))).collect();
        near.sort_unstable();
        near.into_iter().take(most).map(|(.., job)| job).collect()
    }

    /// Returns up to `most` names of vnodes that differ from `name` only in their last number, the nearest number first:
    /// `cn002` for `cn2`. Empty for a name without a number at its end.
    pub fn nodes_near(&self, name: &str, most: usize) -> Vec<&str> {
        let head = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let number = |name: &str| name.strip_prefix(head)?.parse::<u64>().ok();
        let Some(wanted) = number(name) else { return Vec::new() };
        let names = self.nodes.iter().map(|node| &*node.name);
        let mut near: Vec<(u64, &str)> =
            names.filter_map(|name| Some((number(name)?.abs_diff(wanted), name))).collect();
        near.sort_unstable();
        near.into_iter().take(most).map(|(_, name)| name).collect()
    }

    pub fn queue_named(&self, name: &str) -> Option<QueueId> {
        self.queues.enumerate().find(|(_, queue)| *queue.name == *name).map(|(id, _)| id)
    }

    pub fn reservation_named(&self, name: &str) -> Option<ResvId> {
        self.reservations.enumerate().find(|(_, one)| *one.name == *name).map(|(id, _)| id)
    }

    /// Returns the vnode of this name.
    pub fn node_named(&self, name: &str) -> Option<NodeId> {
        self.nodes.enumerate().find(|(_, node)| *node.name == *name).map(|(id, _)| id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{ArrayAttributes, Job, Node};

    #[test]
    fn a_node_is_near_by_its_last_number() {
        let mut snap = Snapshot::empty("t", Epoch(0));
        for name in ["cn001", "cn002", "cn010", "gpu2", "cn-login"] {
            snap.nodes.push(Node { name: name.into(), ..Node::default() });
        }
        assert_eq!(snap.nodes_near("cn2", 2), ["cn002", "cn001"]);
        assert_eq!(snap.nodes_near("cn99", 1), ["cn010"]);
        assert!(snap.nodes_near("cn", 2).is_empty() && snap.nodes_near("x2", 2).is_empty());
    }

    #[test]
    fn an_array_is_meant_by_its_number_and_a_slip_has_neighbours() {
        let mut snap = Snapshot::empty("t", Epoch(0));
        for name in ["541.s", "5411.s", "67[].s", "68.s"] {
            snap.jobs.push(Job { name: name.into(), ..Job::default() });
        }
        let meant = |name| snap.job_meant(name).map(|id| snap.jobs[id].short_name());
        assert_eq!(
            (meant("67"), meant("67.s"), meant("68"), meant("69")),
            (Some("67[]"), Some("67[]"), Some("68"), None)
        );
        let array = snap.job_named("67[]").unwrap();
        let info = ArrayAttributes { is_parent: true, remaining: vec![2, 4], ..ArrayAttributes::default() };
        snap.jobs[array].array = Some(Box::new(info));
        let subjobs = ["67[2]", "67[4].s", "67[3]", "67[-2]", "67[x]", "68[2]"];
        let found = subjobs.map(|name| snap.job_meant(name) == Some(array));
        assert_eq!(found, [true, true, false, false, false, false]);
        let lists =
            ["67[2-4]", "67[2,4].s", "67[2,…]", "67[2] +6", "67[3-4]", "68[2-4]", "cn[2-4]", "67[2] +x"];
        let found = lists.map(|name| snap.job_meant(name) == Some(array));
        assert_eq!(found, [true, true, true, true, false, false, false, false]);
        assert_eq!(snap.jobs_near("5412", 2), ["541", "5411"]);
        assert_eq!(snap.jobs_near("54", 2), ["541", "5411"]);
        assert_eq!(snap.jobs_near("72", 2), ["68", "67[]"]);
        assert!(snap.jobs_near("cn1", 2).is_empty());
    }
}
