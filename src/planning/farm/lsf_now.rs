//! The running and pending jobs in the tables of LSF, as work for a farm. The tables do not have run times:
//! all jobs count as endless.

use std::collections::BTreeMap;

use qscope_engine::cluster::{Id, Name};

use super::criterion::{Criterion, JobProperties};
use super::trace::lsf::{ListedJob, hosts, jobs};
use super::{ClassNo, FarmError, FarmJob, FarmNode, MAX_SLOTS, NodeNo, Resident, Workload};

/// Run time in seconds of a job whose end is unknown: five years.
const ENDLESS: u32 = 5 * 365 * 86_400;

/// Counts of what was assumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct LsfNotes {
    /// Hosts that accept no jobs.
    pub(super) unavailable_hosts: u64,
    /// Hosts without a limit of slots, assumed to have as many as are in use.
    pub(super) without_limit: u64,
    /// Lines that are not rows.
    pub(super) skipped: u64,
}

struct DescribedLsfJob<'a>(&'a ListedJob);

impl JobProperties for DescribedLsfJob<'_> {
    fn attribute(&self, criterion: &Criterion) -> Option<String> {
        match criterion {
            Criterion::Queue => Some(self.0.queue.clone()),
            Criterion::User => Some(self.0.user.clone()),
            _ => None,
        }
    }

    fn name(&self) -> Option<String> {
        Some(self.0.name.clone())
    }
}

/// Reads the output of `bhosts -w` and, if given, of `bjobs`.
///
/// # Errors
/// No text is a table of hosts.
pub(super) fn from_tables(
    title: &str,
    texts: &[String],
    criterion: &Criterion,
) -> Result<(Workload, LsfNotes), FarmError> {
    let listed = texts.iter().find_map(|text| hosts(text)).ok_or_else(|| FarmError::File {
        file: title.to_owned(),
        what: "has no hosts: give the output of `bhosts -w` too".to_owned(),
    })?;
    let running = texts.iter().find_map(|text| jobs(text));
    let mut notes = LsfNotes { skipped: listed.skipped as u64, ..LsfNotes::default() };
    let mut workload = Workload::default();
    let mut numbers: BTreeMap<&str, NodeNo> = BTreeMap::new();
    for host in &listed.rows {
        notes.without_limit += u64::from(host.slots.is_none());
        notes.unavailable_hosts += u64::from(host.fails());
        let slots = if host.fails() { host.taken } else { host.slots.unwrap_or(host.taken) };
        let node = FarmNode { name: host.name.as_str().into(), slots: slots.min(MAX_SLOTS), memory: None };
        numbers.insert(&host.name, workload.nodes.push(node));
    }
    let Some(running) = running else { return Ok((workload, notes)) };
    notes.skipped += running.skipped as u64;
    let class_of = |job: &ListedJob| criterion.class_of(&DescribedLsfJob(job));
    let mut names: Vec<String> = running.rows.iter().map(class_of).collect();
    names.sort_unstable();
    names.dedup();
    workload.classes = names.iter().map(|name| Name::from(name.as_str())).collect();
    let class = |job: &ListedJob| ClassNo::at(names.binary_search(&class_of(job)).unwrap_or(0));
    for job in &running.rows {
        if job.status == "PEND" {
            let slots = job.slots.unwrap_or(1);
            let class = class(job);
            workload.jobs.push(FarmJob { submit: 0, run: ENDLESS, class, slots, priority: 0, memory: 0 });
            workload.ids.push(job.id.as_str().into());
        }
        for (host, slots) in &job.hosts {
            let Some(node) = numbers.get(host.as_str()) else { continue };
            workload.residents.push(Resident {
                id: job.id.as_str().into(),
                class: class(job),
                node: *node,
                start: 0,
                end: i64::from(ENDLESS),
                slots: *slots,
                memory: 0,
            });
        }
    }
    Ok((workload, notes))
}
