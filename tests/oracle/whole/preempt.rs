//! Preemption: the jobs that a job displaces (rule 6.10).

use std::rc::Rc;

use qscope_engine::cluster::{LimitScope, NodeState, ResourceId};

use super::check::How;
use super::compare::{IN_ALL, fits};
use super::node_path::Search;
use super::nodes_step::{Path, Placed};
use super::reason::{Code, No};
use super::world::{Doing, Want, What, Who, World, by_node};

const ONE: How = How { path: Path::Node, qrun: false, quick: false, all: false };

/// A job, and the method by which it is displaced.
#[derive(Clone, Debug)]
pub(crate) struct Victim {
    pub(crate) job: usize,
    pub(crate) method: char,
}

impl World {
    /// Returns whether some running job has a lower level (step 1).
    pub(crate) fn may_preempt(&self, job: usize) -> bool {
        let level = self.jobs[job].level;
        if self.qrun == Some(job) {
            return self.jobs.iter().any(super::world::Job::runs);
        }
        if level.express && self.several_express() {
            return self.jobs.iter().any(|other| other.runs() && other.level.priority < level.priority);
        }
        self.level_counts.iter().any(|(entry, count)| *entry > level.entry && *count > 0)
    }

    /// Returns the jobs to displace, in the order taken; none if that does not help.
    pub(crate) fn victims(
        &mut self,
        job: usize,
        qrun: bool,
        failed: Option<&No>,
        sorted: &[usize],
    ) -> Option<Vec<Victim>> {
        let all = How { path: Path::Node, qrun, quick: true, all: true };
        let before = self.last_host.clone();
        let answer = self.check(job, all);
        if self.given.multi_vnode {
            self.last_host = before;
        }
        let mut reasons = answer.reasons;
        // Nodes that were passed over leave their reasons even where others hold the job.
        if answer.placed.is_some() {
            reasons.push(No::no_nodes());
        }
        if reasons.is_empty() || reasons.iter().any(is_hopeless) {
            return None;
        }
        let candidates = self.candidates(job, sorted)?;
        let mut copy = self.copy();
        let (taken, placed) = copy.take_victims(job, qrun, &candidates, &reasons[0], failed)?;
        // Where hosts have one vnode each, only the host used last survives the search (rule 11.7).
        if !self.given.multi_vnode {
            self.last_host.clone_from(&copy.last_host);
        }
        let allocation = Rc::new(placed.allocation);
        copy.begin(job, &allocation);
        let end = copy.now + copy.jobs[job].duration();
        copy.plan(end, What::End, Some(Who::Job(job)), &allocation);
        // After its start it would be preempted itself.
        if copy.jobs[job].level.priority < self.jobs[job].level.priority {
            return None;
        }
        let kept = copy.give_back_unneeded(job, &taken, &reasons);
        let victims: Vec<Victim> = kept
            .into_iter()
            .filter_map(|job| Some(Victim { job, method: self.methods(job).chars().next()? }))
            .collect();
        Some(victims)
    }

    /// Returns the running jobs that match the targets, lowest level first, then the latest start (step 5);
    /// equal ones queue by queue (rule M30).
    fn candidates(&self, job: usize, sorted: &[usize]) -> Option<Vec<usize>> {
        let targets = self.jobs[job].targets.clone().filter(|_| self.snap().scheduler.preempt_targets_enable);
        if targets.as_ref().is_some_and(|targets| targets.iter().any(|t| t.eq_ignore_ascii_case("none"))) {
            return None;
        }
        let matches =
            |other: usize| targets.as_ref().is_none_or(|list| list.iter().any(|t| self.is_target(other, t)));
        // Subjobs that started in this cycle are on no list of running jobs.
        let listed_before = self.snap().jobs.len();
        let runs = |other: &usize| *other < listed_before && self.jobs[*other].doing == Doing::Runs;
        // Jobs in a reservation that the job itself is not in cannot be preempted.
        let own = self.jobs[job].reservation;
        let is_near = |other: &usize| self.jobs[*other].reservation.is_none_or(|resv| own == Some(resv));
        let mut found: Vec<usize> =
            (0..self.jobs.len()).filter(runs).filter(is_near).filter(|other| matches(*other)).collect();
        let by_time = &*self.snap().scheduler.preempt_sort == "min_time_since_start";
        let listed = |queue: usize| {
            self.snap().queues.iter().position(|listed| listed.name == self.queues[queue].name)
        };
        found.sort_by_key(|other| {
            let row = &self.jobs[*other];
            let place = if by_time { sorted.iter().position(|listed| listed == other) } else { None };
            (row.level.priority, if by_time { -row.started } else { 0 }, place, listed(row.queue))
        });
        Some(found)
    }

    fn is_target(&self, other: usize, target: &str) -> bool {
        let Some((what, value)) = target.split_once('=') else { return false };
        if what.eq_ignore_ascii_case("queue") {
            return *self.queues[self.jobs[other].queue].name == *value;
        }
        let id = what.strip_prefix("Resource_List.").and_then(|name| self.snap().catalogue.id(name));
        let Some(id) = id else { return false };
        let kind = self.snap().catalogue.kind(id);
        let wanted = qscope_engine::cluster::Amount::parse(kind, value).ok().map(|amount| amount.0);
        wanted.is_some() && self.jobs[other].requested.get(&id).copied() == wanted
    }

    /// Takes victims until the job can run (steps 6 to 10).
    fn take_victims(
        &mut self,
        job: usize,
        qrun: bool,
        candidates: &[usize],
        first: &No,
        failed: Option<&No>,
    ) -> Option<(Vec<usize>, Placed)> {
        let mut reason = first.clone();
        let mut list = self.drawn(job, candidates, &reason);
        let (mut at, mut taken): (usize, Vec<usize>) = (0, Vec::new());
        loop {
            while at < list.len() && !self.can_take(job, list[at]) {
                at += 1;
            }
            let victim = *list.get(at)?;
            self.suspend_in_copy(victim);
            taken.push(victim);
            if taken.iter().any(|other| self.jobs[*other].level.priority > self.jobs[job].level.priority) {
                taken.pop();
                self.jobs[victim].preempt_failed = true;
                self.start_again(victim);
                continue;
            }
            let answer = match failed {
                Some(no) => Err(no.clone()),
                None => {
                    let answer = self.check(job, How { qrun, ..ONE });
                    answer.placed.ok_or_else(|| answer.reasons[0].clone())
                }
            };
            match answer {
                Ok(placed) => return Some((taken, placed)),
                Err(no) if no.code == reason.code && no.resource == reason.resource => at += 1,
                Err(no) => {
                    list = self.drawn(job, candidates, &no);
                    reason = no;
                    at = 0;
                    if list.is_empty() {
                        return None;
                    }
                }
            }
        }
    }

    /// Returns whether a candidate can be taken (step 7).
    fn can_take(&self, job: usize, other: usize) -> bool {
        let row = &self.jobs[other];
        let mine = &self.jobs[job];
        let nodes: Vec<usize> = by_node(&row.allocation).into_iter().map(|(node, _)| node).collect();
        let gone = nodes.iter().any(|node| self.nodes[*node].is_gone());
        let own: Vec<usize> = by_node(&mine.allocation).into_iter().map(|(node, _)| node).collect();
        let shares = own.is_empty() || nodes.iter().any(|node| own.contains(node));
        row.doing == Doing::Runs
            && row.level.priority < mine.level.priority
            && !row.preempt_failed
            && !self.methods(other).is_empty()
            && !gone
            && shares
            && nodes.iter().any(|node| self.is_useful(job, *node))
    }

    /// Returns whether a node could hold a whole chunk when empty; on hosts with several vnodes only
    /// conditions count (rule 11.15).
    fn is_useful(&self, job: usize, node: usize) -> bool {
        let host = &self.nodes[node].host;
        let several =
            self.nodes.iter().filter(|other| other.host == *host && other.copy_of.is_none()).count() > 1;
        self.jobs[job].wish().specs.iter().any(|spec| {
            let counts = |want: &&(ResourceId, Want)| !several || !matches!(want.1, Want::Amount(_));
            let mut wants = spec.wants.iter().filter(counts);
            wants.all(|want| fits(&self.given, want, self.there(node, want.0, 0.0), IN_ALL).is_ok())
        })
    }

    /// Returns the methods that a job allows, in the order of `preempt_order` for the time it has left.
    pub(crate) fn methods(&self, job: usize) -> String {
        let row = &self.jobs[job];
        let letters = self.letters(job);
        letters
            .chars()
            .filter(|letter| match letter {
                'C' => row.checkpointable,
                'R' => row.rerunable,
                _ => true,
            })
            .collect()
    }

    /// Returns the letters of `SCR 80 SC 50 S` for the percentage of time left; exactly on a boundary the
    /// lower range applies (rule 11.14).
    fn letters(&self, job: usize) -> String {
        let order = self.snap().scheduler.preempt_order.clone();
        let words: Vec<&str> = order.split_whitespace().collect();
        let row = &self.jobs[job];
        // The soft length as requested, even where it has passed and was extended.
        let soft = row.requested.get(&ResourceId::soft_walltime()).map(|soft| *soft as i64);
        let length = soft.or(row.hard).or(row.cput);
        // In whole percent: 80.5 is in the range that ends at 80.
        let left = length
            .filter(|length| *length > 0)
            .map(|length| (length - row.used_running).max(0) * 100 / length);
        let mut letters = words.first().copied().unwrap_or("");
        if let Some(left) = left {
            for pair in words.get(1..).unwrap_or(&[]).chunks(2) {
                if let [border, next] = pair
                    && border.parse::<i64>().is_ok_and(|border| left <= border)
                {
                    letters = next;
                }
            }
        }
        letters.to_owned()
    }

    fn suspend_in_copy(&mut self, victim: usize) {
        // Simulated as the first method, whether or not the job allows it.
        self.send_away(victim, self.letters(victim).starts_with('S'));
        let row = &mut self.jobs[victim];
        row.doing = Doing::Waits;
        row.suspended = true;
        row.used = row.used_running;
        self.jobs[victim].back = Some(Rc::new(self.ask_back(victim)));
    }

    fn start_again(&mut self, victim: usize) {
        let allocation = self.jobs[victim].allocation.clone();
        let started = self.jobs[victim].started;
        // For its whole length once more (rule M50).
        let end = self.now + self.jobs[victim].planned_length(self.now);
        self.begin(victim, &allocation);
        (self.jobs[victim].back, self.jobs[victim].used) = (None, 0);
        self.jobs[victim].started = started;
        self.plan(end, What::End, Some(Who::Job(victim)), &allocation);
    }

    /// Returns the candidates that a reason concerns (steps 5, 6).
    fn drawn(&self, job: usize, candidates: &[usize], reason: &No) -> Vec<usize> {
        candidates.iter().copied().filter(|other| self.concerns(job, *other, reason)).collect()
    }

    fn concerns(&self, job: usize, other: usize, reason: &No) -> bool {
        let (a, b) = (&self.jobs[job], &self.jobs[other]);
        let asks = |id: ResourceId| b.requested.contains_key(&id);
        let asks_some = |id: ResourceId| b.requested.get(&id).is_some_and(|amount| *amount > 0.0);
        match (&reason.code, reason.resource) {
            (Code::Resource, Some(id)) => self.uses_resource(job, other, id),
            (Code::QueueResource, Some(id)) => a.queue == b.queue && asks(id),
            (Code::ServerResource, Some(id)) => asks(id),
            (Code::RunLimit(place, scope), _) => self.same_entity(job, other, *place, *scope),
            (Code::ResourceLimit(place, LimitScope::Overall), Some(id)) => {
                place.is_none_or(|_| a.queue == b.queue) && asks_some(id)
            }
            // For the server's limit on projects, jobs of the same user are concerned.
            (Code::ResourceLimit(None, LimitScope::Project), Some(id)) => a.user == b.user && asks(id),
            (Code::ResourceLimit(place, scope), Some(id)) => {
                self.same_entity(job, other, *place, *scope) && asks(id)
            }
            _ => true,
        }
    }

    fn same_entity(&self, job: usize, other: usize, place: Option<usize>, scope: LimitScope) -> bool {
        let same = self.entity(job, place, scope) == self.entity(other, place, scope);
        same && place.is_none_or(|queue| self.jobs[other].queue == queue)
    }

    /// Returns whether a job matters for a node resource: for a named vnode or host if it is there, for a
    /// condition always, for an amount if it requests it.
    fn uses_resource(&self, job: usize, other: usize, id: ResourceId) -> bool {
        if id == ResourceId::vnode() || id == ResourceId::host() {
            let specs = &self.jobs[job].wish().specs;
            let names: Vec<_> =
                specs.iter().flat_map(|spec| &spec.wants).filter(|want| want.0 == id).collect();
            let named = |node: usize| {
                names.iter().any(|(_, want)| match want {
                    Want::Text(name) if id == ResourceId::vnode() => self.nodes[node].name == *name,
                    Want::Text(name) => self.nodes[node].host == *name,
                    _ => false,
                })
            };
            return by_node(&self.jobs[other].allocation).into_iter().any(|(node, _)| named(node));
        }
        if !self.is_consumable(id) {
            return true;
        }
        let specs = &self.jobs[other].ask.specs;
        specs
            .iter()
            .flat_map(|spec| &spec.wants)
            .any(|(have, want)| *have == id && matches!(want, Want::Amount(n) if *n > 0.0))
    }

    /// Gives back, from the last taken to the first, the victims that do not help or can run next to the job
    /// (step 11).
    fn give_back_unneeded(&mut self, job: usize, taken: &[usize], reasons: &[No]) -> Vec<usize> {
        let mut kept = Vec::new();
        for &victim in taken.iter().rev() {
            // The victim is given back, but in the copy it does not start again (rule M22).
            if reasons.iter().all(|reason| self.is_unlike(job, victim, reason)) {
                continue;
            }
            if self.check(victim, ONE).placed.is_some() {
                self.start_again(victim);
            } else {
                kept.push(victim);
            }
        }
        kept
    }

    /// Returns the reasons of single nodes that concern every victim, before those of all nodes (rule M44).
    pub(crate) fn single_nodes(&self, job: usize, qrun: bool) -> Vec<No> {
        let nodes = self.list_of(job);
        let closed = nodes.iter().any(|node| self.is_closed_behind(*node));
        let limited = nodes.iter().any(|node| self.is_at_limit(job, *node, qrun));
        let mut found = Vec::new();
        if closed {
            found.push(No::new(Code::NodeState, ""));
        }
        if limited {
            found.push(No::new(Code::NodeLimit, ""));
        }
        found
    }

    /// Returns whether a node that was free when read has since been closed by an exclusive job inside a
    /// reservation: a reason that concerns every victim (rule M44).
    fn is_closed_behind(&self, node: usize) -> bool {
        let row = &self.nodes[node];
        let read = self.snap().nodes.iter().find(|read| read.name == row.name);
        let was_free = read.is_some_and(|node| node.states.is_free());
        row.copy_of.is_none() && was_free && row.states.has(NodeState::JobExclusive) && row.jobs.is_empty()
    }

    /// Returns whether a free node's limits refuse the job, or the node refuses multi-node jobs: also such a
    /// reason.
    fn is_at_limit(&self, job: usize, node: usize, qrun: bool) -> bool {
        let ask = self.jobs[job].wish().clone();
        let search = Search::new(self, Who::Job(job), &ask, self.ends_of(Who::Job(job)), &[node], qrun);
        search.refusal(node, qrun).is_some_and(|no| matches!(no.code, Code::NodeLimit | Code::Multinode))
    }

    fn is_unlike(&self, job: usize, victim: usize, reason: &No) -> bool {
        match reason.code {
            Code::RunLimit(place, scope) | Code::ResourceLimit(place, scope) => {
                !self.same_entity(job, victim, place, scope)
            }
            Code::QueueResource => {
                self.jobs[job].queue != self.jobs[victim].queue
                    || !self.asks_limited(victim, Some(self.jobs[job].queue))
            }
            Code::ServerResource => !self.asks_limited(victim, None),
            Code::NoFreeNodes
            | Code::Resource
            | Code::InUse
            | Code::SetTooSmall
            | Code::NoNodes
            | Code::Conflict => {
                let mine: Vec<usize> =
                    by_node(&self.jobs[job].allocation).into_iter().map(|(node, _)| node).collect();
                !by_node(&self.jobs[victim].allocation).iter().any(|(node, _)| mine.contains(node))
            }
            _ => false,
        }
    }

    fn asks_limited(&self, job: usize, queue: Option<usize>) -> bool {
        let available = match queue {
            Some(queue) => self.queues[queue].available.clone(),
            None => super::read::amounts(&self.snap().server.available),
        };
        available.keys().any(|id| self.jobs[job].requested.contains_key(id))
    }
}

fn is_hopeless(no: &No) -> bool {
    let code = matches!(
        no.code,
        Code::NotRunnable
            | Code::Beforehand
            | Code::Dedicated
            | Code::Prime
            | Code::NonPrime
            | Code::CrossDedicated
            | Code::CrossPrime
            | Code::CannotSpan
            | Code::MaxSubjobs
            | Code::Provision
    );
    code || no.never
}
