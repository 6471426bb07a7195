//! Data about a cluster that several rules need.

use std::sync::Arc;

use qscope_engine::cluster::{
    Amount, ByPeriod, Edit, JobId, JobState, LimitEntry, Limits, Node, Policy, Queue, QueueId, ResourceId,
    Scheduler, Server, Snapshot, Value,
};
use qscope_engine::cycle::Run;
use qscope_source::Files;

use super::place::{self, LintObject, LintPlace};

/// A cluster, its cycle and its input files.
pub(super) struct LintContext<'a> {
    pub(super) run: &'a Arc<Run>,
    pub(super) files: &'a Files,
}

impl<'a> LintContext<'a> {
    pub(super) fn new(run: &'a Arc<Run>, files: &'a Files) -> Self {
        Self { run, files }
    }

    pub(super) fn snap(&self) -> &Snapshot {
        &self.run.plan.snap
    }

    pub(super) fn policy(&self) -> &Policy {
        &self.snap().policy
    }

    /// Returns the value of an option in the period of the cycle.
    pub(super) fn is_enabled(&self, option: &ByPeriod<bool>) -> bool {
        *option.get(self.run.plan.period)
    }

    pub(super) fn name(&self, id: ResourceId) -> &str {
        self.snap().catalogue.name(id)
    }

    /// Formats an amount as users write it.
    pub(super) fn show(&self, id: ResourceId, amount: Amount) -> String {
        self.snap().catalogue.show(id, &Value::Amount(amount))
    }

    /// Returns the total of a resource on all nodes, whatever their state.
    pub(super) fn total(&self, id: ResourceId) -> f64 {
        self.snap().nodes.iter().filter_map(|node| node.available.amount(id)).map(|amount| amount.0).sum()
    }

    /// Returns the waiting jobs, without subjobs.
    pub(super) fn waiting(&self) -> impl Iterator<Item = JobId> + '_ {
        let jobs = self.snap().jobs.enumerate();
        jobs.filter(|(_, job)| job.state == JobState::Queued && !job.is_subjob()).map(|(id, _)| id)
    }

    pub(super) fn waiting_in(&self, queue: &str) -> Vec<JobId> {
        self.waiting().filter(|job| *self.snap().jobs[*job].queue == *queue).collect()
    }

    pub(super) fn queues(&self) -> impl Iterator<Item = (QueueId, &Queue)> {
        self.snap()
            .queues
            .enumerate()
            .filter(|(_, queue)| !queue.assumed && !self.is_of_reservation(&queue.name))
    }

    fn is_of_reservation(&self, queue: &str) -> bool {
        self.snap().reservations.iter().any(|r| r.queue.as_deref() == Some(queue))
    }

    /// Returns the places where `sched_config` sets an option.
    pub(super) fn option(&self, name: &str) -> Vec<LintPlace> {
        place::options(self.files, name)
    }

    pub(super) fn attribute(&self, object: LintObject<'_>, name: &str) -> Option<LintPlace> {
        let aside =
            |slot: &str| self.snap().files.iter().any(|file| file.input_name() == slot && !file.is_used());
        place::attribute(self.files, object, name, |slot| !aside(slot))
    }

    pub(super) fn edit_policy(&self, change: impl FnOnce(&mut Policy)) -> Vec<Edit> {
        let mut policy = self.policy().clone();
        change(&mut policy);
        vec![Edit::Policy(Box::new(policy))]
    }

    pub(super) fn edit_server(&self, change: impl FnOnce(&mut Server)) -> Vec<Edit> {
        let mut server = self.snap().server.clone();
        change(&mut server);
        vec![Edit::Server(Box::new(server))]
    }

    pub(super) fn edit_scheduler(&self, change: impl FnOnce(&mut Scheduler)) -> Vec<Edit> {
        let mut scheduler = self.snap().scheduler.clone();
        change(&mut scheduler);
        vec![Edit::Scheduler(Box::new(scheduler))]
    }

    pub(super) fn edit_queue(&self, id: QueueId, change: impl FnOnce(&mut Queue)) -> Vec<Edit> {
        let mut queue = self.snap().queues[id].clone();
        change(&mut queue);
        vec![Edit::Queue(id, Box::new(queue))]
    }

    pub(super) fn edit_nodes(&self, is_one: impl Fn(&Node) -> bool, change: impl Fn(&mut Node)) -> Vec<Edit> {
        let edit = |(id, node): (_, &Node)| {
            let mut node = node.clone();
            change(&mut node);
            Edit::Node(id, Box::new(node))
        };
        self.snap().nodes.enumerate().filter(|(_, node)| is_one(node)).map(edit).collect()
    }

    /// Returns every limit of the server and the queues.
    pub(super) fn limits(&self) -> Vec<LimitSetting<'_>> {
        let queues = self.queues().map(|(id, queue)| (Some(id), &queue.limits));
        let all = std::iter::once((None, &self.snap().server.limits)).chain(queues);
        all.flat_map(|(queue, limits)| {
            let entries = limits.entries.iter().enumerate();
            entries.map(move |(at, entry)| LimitSetting { queue, limits, at, entry })
        })
        .collect()
    }

    pub(super) fn without_limit(&self, limit: &LimitSetting<'_>) -> Vec<Edit> {
        let take = |limits: &mut Limits| {
            limits.entries.remove(limit.at);
        };
        match limit.queue {
            None => self.edit_server(|server| take(&mut server.limits)),
            Some(id) => self.edit_queue(id, |queue| take(&mut queue.limits)),
        }
    }

    /// Formats a limit as it is written: `max_run_res.ncpus [u:ann=8] of queue big`.
    pub(super) fn limit_words(&self, limit: &LimitSetting<'_>) -> String {
        let entry = limit.entry;
        let amount = match entry.resource {
            Some(id) => self.show(id, entry.amount),
            None => entry.amount.0.to_string(),
        };
        format!("{} [{}={amount}] of {}", self.limit_attribute(limit), entry.holder(), self.owner(limit))
    }

    pub(super) fn limit_attribute(&self, limit: &LimitSetting<'_>) -> String {
        let resource = limit.entry.resource.map(|id| self.name(id));
        let name = limit.limits.attribute(limit.entry.scope, resource);
        let (head, tail) =
            name.split_once('.').map_or((&*name, String::new()), |(head, tail)| (head, format!(".{tail}")));
        if limit.entry.soft { format!("{head}_soft{tail}") } else { name.clone() }
    }

    pub(super) fn owner(&self, limit: &LimitSetting<'_>) -> String {
        limit
            .queue
            .map_or_else(|| "the server".to_owned(), |id| format!("queue {}", self.snap().queues[id].name))
    }

    pub(super) fn limit_place(&self, limit: &LimitSetting<'_>) -> Option<LintPlace> {
        let object =
            limit.queue.map_or(LintObject::Server, |id| LintObject::Queue(&self.snap().queues[id].name));
        self.attribute(object, &self.limit_attribute(limit))
    }
}

/// One limit and its owner; without a queue, the server.
#[derive(Clone, Copy)]
pub(super) struct LimitSetting<'a> {
    pub(super) queue: Option<QueueId>,
    pub(super) limits: &'a Limits,
    /// Its index among the entries.
    pub(super) at: usize,
    pub(super) entry: &'a LimitEntry,
}
