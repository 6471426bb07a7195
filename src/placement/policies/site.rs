//! The nodes as the policies see them: what each has, how many tasks it holds at a start, and until when
//! (rules 0.3 to 0.7).

use std::sync::Arc;

use super::calendar::Calendar;
use super::candidate::{Candidate, Dropped, Feasible};
use super::options::{Access, Availability, LoadPolicy, MauiOptions, NodeMatch};
use super::task_request::{Requirement, TaskRequest};
use super::tier::Tier;
use super::traits::Known;
use crate::cluster::{Epoch, NodeId, NodeState, ResourceId};
use crate::universe::{Bit, ConsIx, NodeSet, Plan, State};

use super::super::why_not::lacks_condition;

/// Everything that is the same for all policies and all jobs.
pub struct Site<'a> {
    /// The state asked about.
    pub state: &'a State,
    /// The options.
    pub options: &'a MauiOptions,
    /// What is known of each node.
    pub known: Arc<Known>,
    ncpus: Option<ConsIx>,
}

/// One job on the site.
pub struct Asked<'a> {
    /// The site.
    pub site: &'a Site<'a>,
    /// The job.
    pub request: &'a TaskRequest,
    calendar: Calendar,
}

impl<'a> Site<'a> {
    /// The site at a state.
    #[must_use]
    pub fn new(state: &'a State, options: &'a MauiOptions) -> Self {
        Self::knowing(state, options, Arc::new(Known::of(&state.plan.snap, options)))
    }

    /// The same with what is known of the nodes at hand.
    #[must_use]
    pub fn knowing(state: &'a State, options: &'a MauiOptions, known: Arc<Known>) -> Self {
        let ncpus = state.plan.consumables.ix(ResourceId::ncpus());
        Self { state, options, known, ncpus }
    }

    pub(super) fn plan(&self) -> &'a Plan {
        &self.state.plan
    }

    /// Configured processors; 0 where unset.
    #[must_use]
    pub fn configured_procs(&self, bit: Bit) -> f64 {
        let configured = self.ncpus.map_or(0.0, |ix| self.plan().capacity.available(ix, bit));
        if configured.is_nan() { 0.0 } else { configured }
    }
}

impl<'a> Asked<'a> {
    /// A job on the site.
    #[must_use]
    pub fn new(site: &'a Site<'a>, request: &'a TaskRequest) -> Self {
        Self { site, request, calendar: Calendar::new(site.state, request) }
    }

    /// Processors dedicated to others now; what the job's own reservations keep for it is not.
    #[must_use]
    pub fn dedicated_procs(&self, bit: Bit) -> f64 {
        let Some(ix) = self.site.ncpus else { return 0.0 };
        let assigned = self.site.state.floor.assigned[ix][self.site.plan().capacity.home(ix, bit)];
        assigned - self.granted(ix, bit)
    }

    /// Idle processors now: configured less the larger of dedicated and load (rule 1.4).
    #[must_use]
    pub fn idle_procs(&self, candidate: &Candidate) -> f64 {
        let load =
            self.site.known.traits[candidate.node].load.unwrap_or(0.0) + self.started_procs(candidate.bit);
        self.site.configured_procs(candidate.bit) - self.dedicated_procs(candidate.bit).max(load)
    }

    /// Processors given away since the cycle began; they are no load yet, and would draw every job of a cycle
    /// to the same node if they were not counted as such.
    fn started_procs(&self, bit: Bit) -> f64 {
        let Some(ix) = self.site.ncpus else { return 0.0 };
        let home = self.site.plan().capacity.home(ix, bit);
        (self.site.state.floor.assigned[ix][home] - self.site.plan().capacity.assigned()[ix][home]).max(0.0)
    }

    /// What running reservations of the job's keep for it.
    fn granted(&self, ix: ConsIx, bit: Bit) -> f64 {
        let granted = self.calendar.granted.iter().filter(|(at, what, _)| (*at, *what) == (bit, ix));
        granted.map(|(_, _, amount)| amount).sum()
    }

    /// Every moment after now at which something changes.
    pub fn moments(&self) -> impl Iterator<Item = Epoch> {
        let now = self.site.state.now;
        self.calendar.moments.iter().copied().filter(move |at| *at > now)
    }

    /// Nodes that could serve a requirement at a start, without those already taken.
    #[must_use]
    pub fn feasible(&self, part: &Requirement, start: Epoch, taken: &NodeSet) -> Feasible {
        let plan = self.site.plan();
        let mut feasible = Feasible::default();
        for node in plan.snap.nodes.ids() {
            let Some(bit) = plan.bit_of[node].filter(|bit| !taken.contains(*bit)) else { continue };
            match self.candidate(part, node, bit, start) {
                Ok(candidate) => feasible.candidates.push(candidate),
                Err(code) => {
                    if let Some(count) = feasible.dropped.get_mut(code as usize) {
                        *count += 1;
                    }
                }
            }
        }
        feasible
    }

    /// One node, or the first thing that rules it out.
    fn candidate(
        &self,
        part: &Requirement,
        node: NodeId,
        bit: Bit,
        start: Epoch,
    ) -> Result<Candidate, Dropped> {
        self.in_class(bit)?;
        self.is_up(bit, start)?;
        self.has_features(part, bit)?;
        self.within_limits(part, node, bit, start)?;
        let (tasks, until) = self.window(part, node, bit, start);
        let enough = part.per_node.max(1);
        if tasks < enough {
            return Err(Dropped::Cpu);
        }
        if until.is_some_and(|until| until < start + self.request.walltime) {
            return Err(Dropped::ReserveTime);
        }
        Ok(Candidate { node, bit, tasks: tasks.min(part.tasks), until, tier: self.tier(bit, start) })
    }

    fn in_class(&self, bit: Bit) -> Result<(), Dropped> {
        let plan = self.site.plan();
        let right = match (self.request.reservation, self.request.queue) {
            (Some(id), _) => {
                self.site.state.insides[id].as_ref().is_some_and(|inside| inside.members.contains(bit))
            }
            (None, Some(queue)) => plan.queue_nodes[queue].contains(bit),
            (None, None) => plan.unbound.contains(bit),
        };
        if right { Ok(()) } else { Err(Dropped::Class) }
    }

    /// Exclusive holders go in time; whatever else ails a node does not (rule 13 item 11).
    fn is_up(&self, bit: Bit, start: Epoch) -> Result<(), Dropped> {
        let state = self.site.state;
        let states = state.floor.states[bit];
        let held = states.has(NodeState::JobExclusive) || states.has(NodeState::ResvExclusive);
        let lasting = states
            .without(NodeState::JobExclusive)
            .without(NodeState::ResvExclusive)
            .without(NodeState::JobBusy);
        if !lasting.is_free() || !self.site.plan().licensed.contains(bit) {
            return Err(Dropped::State);
        }
        let mine = self.calendar.own.iter().any(|(_, _, nodes)| nodes.contains(&bit));
        if held && !mine && self.is_used(bit, start) { Err(Dropped::State) } else { Ok(()) }
    }

    /// Whether anybody is on a node at a start.
    fn is_used(&self, bit: Bit, start: Epoch) -> bool {
        let state = self.site.state;
        if start <= state.now {
            return state.floor.load[bit].any();
        }
        let mut parties =
            i64::from(state.floor.load[bit].jobs) + i64::from(state.floor.load[bit].reservations);
        for change in self.calendar.changes[bit].iter().take_while(|change| change.at <= start) {
            parties += if change.takes { 1 } else { -1 };
        }
        parties > 0
    }

    fn has_features(&self, part: &Requirement, bit: Bit) -> Result<(), Dropped> {
        let plan = self.site.plan();
        let mut conditions = plan.shapes.get_shape(part.shape).conditions();
        let lacking =
            conditions.any(|(resource, want)| lacks_condition(plan, *resource, want, bit).is_some());
        if lacking { Err(Dropped::Features) } else { Ok(()) }
    }

    /// NODEACCESSPOLICY, MAXJOB, MAXJOBPERUSER, MAXLOAD, EXACTPROC (rules 3.3, 3.4).
    fn within_limits(&self, part: &Requirement, node: NodeId, bit: Bit, start: Epoch) -> Result<(), Dropped> {
        let site = self.site;
        let alone = site.plan().exclusive_nodes(self.request.sharedness).contains(bit)
            || matches!(site.options.access, Access::SingleJob | Access::SingleTask);
        if alone && self.is_used(bit, start) {
            return Err(Dropped::State);
        }
        if site.options.node_match == NodeMatch::ExactProc
            && site.configured_procs(bit) != f64::from(part.per_node.max(1))
        {
            return Err(Dropped::Cpu);
        }
        if start > site.state.now {
            return Ok(());
        }
        let traits = &site.known.traits[node];
        let snap = &site.plan().snap;
        let users = || {
            let jobs = snap.nodes[node].jobs.iter();
            jobs.filter_map(|name| snap.job_named(name)).map(|job| &snap.jobs[job].user)
        };
        if site.options.access == Access::SingleUser && users().any(|user| *user != self.request.user) {
            return Err(Dropped::Policy);
        }
        let jobs = u32::from(site.state.floor.load[bit].jobs);
        let busy = site.options.load_policy == LoadPolicy::AdjustState
            && traits.max_load.is_some_and(|most| traits.load.is_some_and(|load| load > most));
        let mine = || users().filter(|user| **user == self.request.user).count();
        let full = traits.max_job.is_some_and(|most| jobs >= most)
            || traits.max_job_per_user.is_some_and(|most| mine() >= most as usize);
        match (busy, full) {
            (true, _) => Err(Dropped::State),
            (_, true) => Err(Dropped::Policy),
            _ => Ok(()),
        }
    }

    /// How many tasks a node holds at a start, and when the first of them is taken away (rule 0.6).
    fn window(&self, part: &Requirement, node: NodeId, bit: Bit, start: Epoch) -> (u32, Option<Epoch>) {
        let plan = self.site.plan();
        let needs = &plan.needs[part.shape];
        let mut left: Vec<f64> = needs.iter().map(|(ix, _)| self.left_now(*ix, bit)).collect();
        let shift = |left: &mut Vec<f64>, change: &super::calendar::NodeChange| {
            let sign = if change.takes { -1.0 } else { 1.0 };
            for (slot, (ix, _)) in left.iter_mut().zip(needs) {
                let amounts = change.amounts.iter().filter(|(have, _)| have == ix);
                *slot += sign * amounts.map(|(_, amount)| amount).sum::<f64>();
            }
        };
        let changes = &self.calendar.changes[bit];
        let later = start > self.site.state.now;
        let past = changes.iter().take_while(|change| later && change.at <= start).count();
        changes.iter().take(past).for_each(|change| shift(&mut left, change));
        let tasks = self.tasks(part, node, bit, &left, !later);
        let alone = plan.exclusive_nodes(self.request.sharedness).contains(bit);
        for change in changes.iter().skip(past) {
            shift(&mut left, change);
            if change.takes
                && (alone || change.exclusive || self.tasks(part, node, bit, &left, false) < tasks)
            {
                return (tasks, Some(change.at));
            }
        }
        (tasks, None)
    }

    /// What is left of a consumable now, what the job's own reservations keep for it included.
    fn left_now(&self, ix: ConsIx, bit: Bit) -> f64 {
        let site = self.site;
        let plan = site.plan();
        if let Some(inside) = self.request.reservation.and_then(|id| site.state.insides[id].as_ref()) {
            return inside.floor.left(plan, ix, bit);
        }
        let available = plan.capacity.available(ix, bit);
        let left = if available.is_nan() {
            site.state.floor.left(plan, ix, bit)
        } else {
            available - site.state.floor.assigned[ix][plan.capacity.home(ix, bit)]
        };
        left + self.granted(ix, bit)
    }

    /// tc(n): how often a task goes into what is left (rules 0.4, 0.5).
    fn tasks(&self, part: &Requirement, node: NodeId, bit: Bit, left: &[f64], now: bool) -> u32 {
        let site = self.site;
        let mut tasks = u32::MAX;
        for ((ix, wanted), left) in site.plan().needs[part.shape].iter().zip(left) {
            if *wanted <= 0.0 {
                continue;
            }
            let measured = now && Some(*ix) == site.ncpus;
            let left = if measured { self.procs_left(node, bit, *left) } else { *left };
            let times = (left / wanted).floor().clamp(0.0, f64::from(u32::MAX));
            tasks = tasks.min(times as u32);
        }
        if self.request.scattered {
            tasks = tasks.min(1);
        }
        tasks - if part.per_node > 0 { tasks % part.per_node } else { 0 }
    }

    /// Processors left now, by the site's availability policy.
    fn procs_left(&self, node: NodeId, bit: Bit, left: f64) -> f64 {
        let site = self.site;
        let traits = &site.known.traits[node];
        let configured = site.configured_procs(bit);
        let load = traits.load.unwrap_or(0.0);
        let left = match site.options.availability {
            Availability::Dedicated => left,
            Availability::Combined => left.min((configured - load).floor()),
            Availability::Utilized => (configured - load).floor(),
        };
        match (site.options.load_policy, traits.max_load) {
            (LoadPolicy::AdjustProcs, Some(most)) => left.min((most - load).floor()),
            _ => left,
        }
    }

    /// How reservations draw the job to a node (rule 0.7).
    fn tier(&self, bit: Bit, start: Epoch) -> Tier {
        if self.request.reservation.is_some() {
            return Tier::Required;
        }
        let end = start + self.request.walltime;
        let drawn = self
            .calendar
            .own
            .iter()
            .any(|(from, to, nodes)| *from < end && *to > start && nodes.contains(&bit));
        if drawn { Tier::Positive } else { Tier::Free }
    }
}
