//! The jobs of a cluster, and what follows from them.

use super::super::context::Context;
use super::super::job::{self, Decoded, Defaults};
use super::super::known::ByName;
use super::super::log::Log;
use super::super::record::DumpKind;
use super::{Loader, missing, read};
use qscope_engine::cluster::{Column, LimitScope, Limits, Name, Queue, Spot};

/// The project of jobs that name none.
pub(super) const NO_PROJECT: &str = "_pbs_project_default";

impl Loader<'_, '_> {
    /// Reads the jobs, and what follows from them.
    pub(super) fn jobs(&mut self, log: &mut Log) {
        let Some(file) = &self.jobs else {
            return missing(self.files, &["jobs.txt"], "no-jobs", "no jobs", log);
        };
        let mut cx = Context::new(&mut self.snapshot.catalogue, &self.zone, self.guesses);
        let defaults = Defaults { queues: &self.snapshot.queues, server: &self.snapshot.server };
        let jobs = &mut self.snapshot.jobs;
        let mut known = ByName::default();
        let mut gone = 0;
        let mut servers: Vec<Name> = Vec::new();
        read(file, DumpKind::Jobs, &mut self.snapshot.files, log, &mut |record, log| {
            let decoded = job::decode(record, &defaults, &mut cx, log);
            match decoded {
                Decoded::Job(job) => {
                    if known.put(jobs, job.name.clone(), *job, record.spot, log) {
                        let server = record.value("server").unwrap_or_default();
                        servers.push(cx.name(server.trim().split('.').next().unwrap_or_default()));
                    }
                }
                Decoded::Gone => gone += 1,
                Decoded::Unusable => {}
            }
        });
        if gone > 0 {
            log.note("jobs-gone", Spot::File, || {
                let jobs = if gone == 1 { "job" } else { "jobs" };
                format!("left out {gone} finished or moved {jobs}")
            });
        }
        self.leave_out_others(&servers, log);
        self.ordinary_view(log);
        self.doubt_groups(log);
        self.assume_queues(log);
        self.fill_projects();
    }

    /// Leaves out the jobs of other servers than most, given the server of each: they wait for other nodes.
    fn leave_out_others(&mut self, servers: &[Name], log: &mut Log) {
        let mut counts: rustc_hash::FxHashMap<&Name, usize> = rustc_hash::FxHashMap::default();
        for server in servers.iter().filter(|server| !server.is_empty()) {
            *counts.entry(server).or_default() += 1;
        }
        let Some((main, _)) = counts.iter().max_by_key(|(name, count)| (**count, std::cmp::Reverse(**name)))
        else {
            return;
        };
        if counts.len() < 2 {
            return;
        }
        let stays = |server: &Name| server.is_empty() || server == *main;
        let left = servers.iter().filter(|server| !stays(server)).count();
        log.error("two-servers", Spot::File, || {
            format!("left out {left} jobs of other servers; expected `{main}`, whose most of them are")
        });
        let jobs = std::mem::take(&mut self.snapshot.jobs).into_iter().zip(servers);
        let kept: Vec<_> = jobs.filter(|(_, server)| stays(server)).map(|(job, _)| job).collect();
        self.snapshot.jobs = Column::from(kept);
    }

    /// States what had to be derived because an ordinary user printed the dump.
    fn ordinary_view(&self, log: &mut Log) {
        let mut derived: Vec<(&str, usize)> = Vec::new();
        for name in self.snapshot.jobs.iter().flat_map(|job| &job.derived) {
            match derived.iter_mut().find(|(have, _)| have == name) {
                Some((_, count)) => *count += 1,
                None => derived.push((name, 1)),
            }
        }
        if !derived.is_empty() {
            log.note("ordinary-user", Spot::File, || {
                let list: Vec<_> = derived
                    .iter()
                    .map(|(name, n)| format!("{name} of {n} job{}", if *n == 1 { "" } else { "s" }))
                    .collect();
                format!(
                    "seen as an ordinary user: {} attribute{} inferred ({})",
                    derived.len(),
                    if derived.len() == 1 { "" } else { "s" },
                    list.join(", ")
                )
            });
        }
    }

    /// Names the doubt that jobs without a group bring where groups are limited.
    fn doubt_groups(&self, log: &mut Log) {
        let of_groups = |limits: &Limits| limits.entries.iter().any(|entry| entry.scope == LimitScope::Group);
        let server = of_groups(&self.snapshot.server.limits).then_some("the server");
        let queues = self.snapshot.queues.iter().filter(|queue| of_groups(&queue.limits));
        let limited: Vec<&str> = server.into_iter().chain(queues.map(|queue| &*queue.name)).collect();
        let unknown = self.snapshot.jobs.iter().filter(|job| job.group.is_empty()).count();
        if unknown > 0 && !limited.is_empty() {
            log.warn("group-unknown", Spot::File, || {
                let limited = limited.join(", ");
                format!(
                    "{unknown} jobs show no group, and groups have limits (at {limited}): not applied to them"
                )
            });
        }
    }

    /// Gives subjobs, which are printed without one, their array's project.
    fn fill_projects(&mut self) {
        let arrays = self.snapshot.jobs.iter().filter(|job| job.is_array());
        let projects: rustc_hash::FxHashMap<Name, Name> =
            arrays.map(|job| (job.name.clone(), job.project.clone())).collect();
        for job in self.snapshot.jobs.iter_mut().filter(|job| job.project.is_empty()) {
            let parent = job.array.as_ref().and_then(|array| array.parent.as_ref());
            let project = parent.and_then(|parent| projects.get(parent)).filter(|name| !name.is_empty());
            job.project = project.cloned().unwrap_or_else(|| NO_PROJECT.into());
        }
    }

    /// Makes up the queues that jobs are in and no dump shows.
    fn assume_queues(&mut self, log: &mut Log) {
        let mut known: rustc_hash::FxHashSet<Name> =
            self.snapshot.queues.iter().map(|queue| queue.name.clone()).collect();
        for job in &self.snapshot.jobs {
            if !job.queue.is_empty() && known.insert(job.queue.clone()) {
                self.snapshot.queues.push(Queue { assumed: true, ..Queue::named(&job.queue) });
                log.note("queue-assumed", Spot::File, || {
                    format!("queue `{}` is in no queue dump; assumed started, without limits", job.queue)
                });
            }
        }
    }
}
