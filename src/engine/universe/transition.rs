//! What starting and ending does to the universe (rule 3.4): the only writers of the state.

pub(in crate::universe) mod hosts;
mod occupy;
pub(in crate::universe) mod preemption;
pub(in crate::universe) mod sets;
pub(in crate::universe) mod shares;
pub(in crate::universe) mod soft_limits;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{NodeState, Sharedness};

use crate::cluster::{Epoch, JobId};
use crate::universe::bucket::Availability;
use crate::universe::nodes::amounts::ConsIx;
use crate::universe::nodes::lists::ListId;
use crate::universe::nodes::node_set::Bit;
use crate::universe::nodes::plan_node::HostIx;
use crate::universe::nodes::sorted::SortedNodes;
use crate::universe::plan::quirk::Quirk;
use crate::universe::reason::Rejection;
use crate::universe::request::allocation::Allocation;
use crate::universe::state::change::Change;
use crate::universe::state::ledger::{ClassId, JobStatus, LedgerChange};
use crate::universe::state::{NodeEvent, State};
use crate::universe::timeline::{EventKey, EventKind, Occupant, TimedEvent};
use crate::universe::transition::shares::{Share, Shares};

impl State {
    /// Starts a job on its nodes, and plans its end.
    pub fn start(
        &mut self,
        occupant: Occupant,
        sharedness: Sharedness,
        allocation: &Arc<Allocation>,
        end: Epoch,
    ) {
        self.begin(occupant, sharedness, allocation);
        if let Occupant::Job(job, None) = occupant
            && let Some(method) = self.ledger.preempted[job]
        {
            self.keep_amounts(job, method, -1.0);
        }
        self.plan_event(end, EventKind::End, occupant, allocation);
        match occupant {
            Occupant::Job(job, None) => {
                let running = JobStatus::Running(allocation.clone());
                self.change(Change::Ledger(LedgerChange::Job(job, running)));
            }
            Occupant::Job(job, Some(_)) => {
                let count = self.ledger.started[job] + 1;
                self.change(Change::Ledger(LedgerChange::Started(job, count)));
            }
            Occupant::Reservation(_) => {}
        }
        self.count_levels(occupant);
    }

    /// Puts an occupant on its nodes and counts it, as a start does now or in a simulation.
    pub fn begin(&mut self, occupant: Occupant, sharedness: Sharedness, allocation: &Arc<Allocation>) {
        let shares = Shares::of(&self.plan, allocation);
        if let Some(inside) = self.inside_of(occupant) {
            self.change_within(inside, |state| state.load(occupant, sharedness, &shares));
            shares.iter().for_each(|share| self.close_behind(sharedness, share.bit));
        } else {
            self.occupy(occupant, sharedness, &shares);
        }
        self.charge(occupant, 1.0);
        self.level_anew(occupant, true);
        self.count_subjob(occupant, true);
        self.resort_pools(Some(&self.sets_with(&shares)));
        self.resort_nodes(occupant);
        // The copies of nodes in a reservation are in no set.
        if self.inside_of(occupant).is_none() {
            self.sort_hosts();
        }
        self.drop_group_pools();
    }

    /// Takes an occupant off its nodes, as an end does in a simulation (rule 3.4).
    pub fn finish(&mut self, occupant: Occupant, allocation: &Arc<Allocation>) {
        let shares = Shares::of(&self.plan, allocation);
        if let Some(inside) = self.inside_of(occupant) {
            self.change_within(inside, |state| {
                shares.iter().for_each(|share| state.unload_node(occupant, share));
            });
        } else {
            shares.iter().for_each(|share| self.vacate(occupant, share));
        }
        self.charge(occupant, -1.0);
        self.level_anew(occupant, false);
        self.count_subjob(occupant, false);
        self.change(Change::Stale(true));
        self.drop_group_pools();
    }

    /// Puts an event on the timeline.
    pub fn plan_event(
        &mut self,
        at: Epoch,
        kind: EventKind,
        occupant: Occupant,
        allocation: &Arc<Allocation>,
    ) {
        let key = self.fresh_event_key(at, kind);
        let event = TimedEvent { occupant, allocation: allocation.clone() };
        self.change(Change::Timeline(Box::new((key, Some(event)))));
    }

    /// Takes an event off the timeline: it has come true.
    pub fn take_event(&mut self, key: EventKey) {
        self.change(Change::Timeline(Box::new((key, None))));
    }

    /// Whether an event is the start of a top job at the very moment of the cycle, with nothing before it at that moment:
    /// simulations go on from the first event that was planned for now or later, and such a start stands before it
    /// (rule M11).
    pub fn is_at_once(&self, key: &EventKey, event: &TimedEvent) -> bool {
        let is_job = matches!(event.occupant, Occupant::Job(..));
        key.kind == EventKind::Run && is_job && key.at == self.plan.snap.now && !self.begins_with_event
    }

    /// What is planned before a moment, in order, as far as it keeps nodes from other jobs: nothing that lies in the past, and no
    /// start at the very moment of the cycle (rules M9, M11, M40).
    pub fn coming(&self, end: Epoch) -> impl Iterator<Item = (&EventKey, &TimedEvent)> {
        self.timeline.before(end).filter(|(key, event)| key.at >= self.now && !self.is_at_once(key, event))
    }

    /// Takes the starts of top jobs at the very moment of the cycle off their nodes, though not off the timeline,
    /// as copies of the universe do (measured): no bucket waits for them there.
    pub fn forget_starts_at_once(&mut self) {
        let soon = self.timeline.before(Epoch(self.plan.snap.now.0.saturating_add(1)));
        let at_once = soon.filter(|(key, event)| self.is_at_once(key, event));
        let starts: Vec<TimedEvent> = at_once.map(|(_, event)| event.clone()).collect();
        for event in starts {
            event.allocation.nodes().into_iter().for_each(|bit| self.forget_event(bit, event.occupant));
        }
    }

    /// Moves the clock.
    pub fn set_clock(&mut self, now: Epoch) {
        if now != self.now {
            self.change(Change::Clock(now));
        }
    }

    /// Makes a job a top job: its start and end are planned, and its nodes are busy later (rule 3.4).
    pub fn make_top(&mut self, occupant: Occupant, at: Epoch, end: Epoch, allocation: &Arc<Allocation>) {
        self.plan_event(at, EventKind::Run, occupant, allocation);
        self.plan_event(end, EventKind::End, occupant, allocation);
        for bit in allocation.nodes() {
            self.add_node_event(bit, NodeEvent { at, occupant });
        }
        if let Occupant::Job(job, _) = occupant {
            self.change(Change::Ledger(LedgerChange::Top(job, true)));
        }
        self.drop_group_pools();
    }

    fn add_node_event(&mut self, bit: Bit, event: NodeEvent) {
        let mut events: Vec<NodeEvent> =
            self.node_events[bit].iter().flat_map(|list| list.iter().copied()).collect();
        let at = events.partition_point(|have| have.at <= event.at);
        events.insert(at, event);
        self.change(Change::NodeEvents(bit, Some(events.into())));
        if let Some(bucket) = self.bucket_of[bit]
            && self.buckets[bucket].free.contains(bit)
        {
            let mut counts = self.buckets[bucket].counts;
            counts.add(Availability::Free, -1);
            counts.add(Availability::Later, 1);
            self.change(Change::Availability(bucket, bit, Availability::Later));
            self.change(Change::Counts(bucket, counts));
        }
        if !self.plan.has(Quirk::CalendarNotInSets) {
            self.update_set_buckets(bit);
        }
    }

    /// Raises or lowers the meters of a job. They never fall below nothing: what the dump shows as assigned of a
    /// queue's resources may be less than what ends there (rule 3.4, as for nodes).
    fn charge(&mut self, occupant: Occupant, sign: f64) {
        let plan = self.plan.clone();
        let amounts = if sign > 0.0 {
            plan.meters.charges_of_occupant(occupant)
        } else {
            plan.meters.released_by(occupant)
        };
        for (meter, amount) in amounts.iter() {
            let value = (self.ledger.meters[*meter] + sign * amount).max(0.0);
            self.change(Change::Ledger(LedgerChange::Meter(*meter, value)));
        }
    }

    /// Counts a subjob that starts or ends, which `max_run_subjobs` limits (rule 6.4 step 4).
    fn count_subjob(&mut self, occupant: Occupant, starts: bool) {
        let Occupant::Job(job, index) = occupant else { return };
        let Some(array) = index.map_or(self.plan.array_of[job], |_| Some(job)) else { return };
        let running = self.ledger.running_subjobs[array];
        let running = if starts { running.saturating_add(1) } else { running.saturating_sub(1) };
        self.change(Change::Ledger(LedgerChange::RunningSubjobs(array, running)));
    }

    /// Closes the server's own node to all others when an exclusive job starts on its copy in a reservation (rule 6.9).
    fn close_behind(&mut self, sharedness: Sharedness, bit: Bit) {
        let states = self.floor.states[bit].with(NodeState::JobExclusive);
        if self.plan.exclusive_nodes(sharedness).contains(bit) && states != self.floor.states[bit] {
            self.change(Change::States(bit, states));
        }
    }

    /// Takes a job off one node.
    fn vacate(&mut self, occupant: Occupant, share: Share<'_>) {
        if self.floor.states[share.bit].is_gone() {
            return;
        }
        self.unload_node(occupant, share);
        if self.floor.load[share.bit].jobs == 0 {
            self.return_to_bucket(share.bit);
        }
    }

    /// Unloads one node of the floor.
    fn unload_node(&mut self, occupant: Occupant, share: Share<'_>) {
        let bit = share.bit;
        let mut load = self.floor.load[bit];
        match occupant {
            Occupant::Job(..) => load.jobs = load.jobs.saturating_sub(1),
            Occupant::Reservation(_) => load.reservations = load.reservations.saturating_sub(1),
        }
        self.change(Change::Load(bit, load));
        let mut states = self.floor.states[bit].without(NodeState::JobBusy);
        states = match occupant {
            Occupant::Job(..) => states.without(NodeState::JobExclusive),
            // An exclusive job inside may have closed the server's own node.
            Occupant::Reservation(_) => {
                states.without(NodeState::ResvExclusive).without(NodeState::JobExclusive)
            }
        };
        if states != self.floor.states[bit] {
            self.change(Change::States(bit, states));
        }
        for (ix, amount) in share.amounts {
            let home = self.plan.capacity.home(*ix, bit);
            let left = (self.floor.assigned[*ix][home] - amount).max(0.0);
            self.change(Change::Assigned(*ix, home, left));
        }
    }

    /// Puts a node without jobs back into the bucket recorded for it; running reservations and its
    /// state are not considered (rule 3.4).
    fn return_to_bucket(&mut self, bit: Bit) {
        let Some(at) = self.bucket_of[bit] else { return };
        let availability =
            if self.node_events[bit].is_some() { Availability::Later } else { Availability::Free };
        let mut counts = self.buckets[at].counts;
        counts.add(availability, 1);
        counts.add(Availability::Busy, -1);
        self.change(Change::Availability(at, bit, availability));
        self.change(Change::Counts(at, counts));
    }

    /// Sorts the lists of nodes that a start sorts, where a key reads what is unused or assigned (rule 4.3): the server's,
    /// and that of the job's queue. Ends sort nothing.
    fn resort_nodes(&mut self, occupant: Occupant) {
        if !self.sorts_nodes() || self.inside_of(occupant).is_some() {
            return;
        }
        self.sort_list(ListId::Server, &self.lists.server.clone());
        if let Occupant::Job(job, _) = occupant
            && let Some(queue) = self.plan.queue_of(job)
            && self.plan.masks.owns_nodes(queue)
        {
            let nodes: Vec<Bit> = self.plan.nodes.ids().collect();
            self.sort_list(ListId::Queue(queue), &nodes);
        }
    }

    /// Whether a sort key in force reads what is unused or assigned.
    pub fn sorts_nodes(&self) -> bool {
        let keys = self.plan.snap.policy.node_sort_key.get(self.plan.period);
        keys.iter().any(crate::cluster::NodeSortKey::is_per_job)
    }

    /// Sorts one list of these nodes as things are now.
    pub fn sort_list(&mut self, list: ListId, nodes: &[Bit]) {
        let order = self.sorted_now(nodes);
        self.put_list(list, nodes, order);
    }

    /// The same as if a job had taken this as well.
    pub fn sort_list_beside(&mut self, list: ListId, nodes: &[Bit], job: &Allocation) {
        let mut taken: FxHashMap<(ConsIx, Bit), f64> = FxHashMap::default();
        for piece in &job.pieces {
            for (ix, amount) in Allocation::taken(&self.plan, piece) {
                *taken.entry((ix, self.plan.capacity.home(ix, piece.bit))).or_insert(0.0) += amount;
            }
        }
        let of = |ix, home| taken.get(&(ix, home)).copied().unwrap_or(0.0);
        let order = SortedNodes::new(self, nodes.to_vec(), &of).into_nodes();
        self.put_list(list, nodes, order);
    }

    fn put_list(&mut self, list: ListId, nodes: &[Bit], order: Vec<Bit>) {
        let now = self.lists.order(list).map_or(nodes, |order| order);
        if *order != *now {
            self.change(Change::NodeOrder(list, Some(order.into())));
        }
    }

    /// Notes which host got the last packed chunk.
    pub fn set_last_host(&mut self, host: Option<HostIx>) {
        if host != self.last_host {
            self.change(Change::LastHost(host));
        }
    }

    /// Closes an array whose last subjob was started.
    pub fn close_array_when_done(&mut self, job: JobId) {
        let count = self.plan.job(job).array.as_ref().map_or(0, |array| array.remaining.len());
        if usize::try_from(self.ledger.started[job]).is_ok_and(|started| started >= count) {
            let done = JobStatus::Running(Arc::new(Allocation::default()));
            self.change(Change::Ledger(LedgerChange::Job(job, done)));
        }
    }

    /// Takes out the other jobs of a runone dependency when one of them starts (rule 6.2).
    pub fn stop_run_one(&mut self, job: JobId) {
        let plan = self.plan.clone();
        let Some(depend) = &plan.job(job).depend else { return };
        for part in depend.split(',').filter_map(|part| part.strip_prefix("runone:")) {
            for name in part.split(':') {
                let name = name.split_once('@').map_or(name, |(name, _)| name);
                if let Some(other) = plan.snap.job_named(name).filter(|other| *other != job) {
                    self.change(Change::Ledger(LedgerChange::Job(other, JobStatus::Out)));
                }
            }
        }
    }

    /// Notes that a job was refused, and with it its class.
    pub fn refuse(&mut self, job: JobId, class: Option<ClassId>, rejection: &Rejection) {
        self.change(Change::Ledger(LedgerChange::Job(job, JobStatus::Refused)));
        if let Some(class) = class {
            self.fail_class(job, class, rejection);
        }
    }

    /// Notes that a class failed with one of its jobs, unless it had failed before.
    pub fn fail_class(&mut self, job: JobId, class: ClassId, rejection: &Rejection) {
        if self.ledger.failed[class].is_none() {
            let why = Some(Arc::new(rejection.clone()));
            self.change(Change::Ledger(LedgerChange::Failed(class, why, Some(job))));
        }
    }

    /// Takes an occupant's own start off a node's list.
    fn forget_event(&mut self, bit: Bit, occupant: Occupant) {
        let Some(events) = &self.node_events[bit] else { return };
        if !events.iter().any(|event| event.occupant == occupant) {
            return;
        }
        let rest: Vec<_> = events.iter().copied().filter(|event| event.occupant != occupant).collect();
        self.change(Change::NodeEvents(bit, (!rest.is_empty()).then(|| rest.into())));
    }
}
