//! The checks that rule out a node, in Maui's order (rules 0.3, 3.3, 3.4), and the tier of a feasible one.

use crate::policies::{
    Candidate, InfeasibleReason, JobPolicyInput, LoadPolicy, NodeAccessPolicy, NodeMatchPolicy, PolicyTier,
    TaskRequirement,
};
use qscope_engine::cluster::{Epoch, NodeState};
use qscope_engine::placement::lacks_condition;
use qscope_engine::universe::Bit;

impl JobPolicyInput<'_> {
    /// Returns the node as a candidate, or the first check that it fails.
    pub(super) fn candidate(
        &self,
        part: &TaskRequirement,
        bit: Bit,
        start: Epoch,
    ) -> Result<Candidate, InfeasibleReason> {
        self.check_class(bit)?;
        self.is_up(bit, start)?;
        self.has_features(part, bit)?;
        self.within_limits(part, bit, start)?;
        let (tasks, until) = self.window(part, bit, start);
        let enough = part.per_node.max(1);
        if tasks < enough {
            return Err(InfeasibleReason::Cpu);
        }
        if until.is_some_and(|until| until < start + self.request.walltime) {
            return Err(InfeasibleReason::ReserveTime);
        }
        let node = self.site.plan().nodes[bit].id;
        Ok(Candidate { node, bit, tasks: tasks.min(part.tasks), until, tier: self.tier(bit, start) })
    }

    fn check_class(&self, bit: Bit) -> Result<(), InfeasibleReason> {
        let plan = self.site.plan();
        let right = match (self.request.reservation, self.request.queue) {
            (Some(id), _) => self.site.state.reservation_nodes[id]
                .as_ref()
                .is_some_and(|inside| inside.members.contains(bit)),
            (None, Some(queue)) => plan.masks.queue_nodes[queue].contains(bit),
            (None, None) => plan.masks.unbound.contains(bit),
        };
        if right { Ok(()) } else { Err(InfeasibleReason::Class) }
    }

    /// Checks the state of a node. An exclusive occupant leaves in time; any other bad state is assumed to
    /// stay (rule 13 item 11).
    fn is_up(&self, bit: Bit, start: Epoch) -> Result<(), InfeasibleReason> {
        let state = self.site.state;
        let states = state.occupancy.states[bit];
        let held = states.has(NodeState::JobExclusive) || states.has(NodeState::ResvExclusive);
        if !states.without_occupancy().is_free() || !self.site.plan().masks.licensed.contains(bit) {
            return Err(InfeasibleReason::State);
        }
        let mine = self.calendar.own.iter().any(|(_, _, nodes)| nodes.contains(&bit));
        if held && !mine && self.is_used(bit, start) { Err(InfeasibleReason::State) } else { Ok(()) }
    }

    /// Returns whether a job is on a node at a start time.
    fn is_used(&self, bit: Bit, start: Epoch) -> bool {
        let state = self.site.state;
        if start <= state.now {
            return state.occupancy.load[bit].is_busy();
        }
        let mut occupants =
            i64::from(state.occupancy.load[bit].jobs) + i64::from(state.occupancy.load[bit].reservations);
        for change in self.calendar.changes[bit].iter().take_while(|change| change.at <= start) {
            occupants += if change.takes { 1 } else { -1 };
        }
        occupants > 0
    }

    fn has_features(&self, part: &TaskRequirement, bit: Bit) -> Result<(), InfeasibleReason> {
        let plan = self.site.plan();
        let mut conditions = plan.shapes[part.shape].conditions();
        let lacking =
            conditions.any(|(resource, want)| lacks_condition(plan, *resource, want, bit).is_some());
        if lacking { Err(InfeasibleReason::Features) } else { Ok(()) }
    }

    /// Checks NODEACCESSPOLICY, MAXJOB, MAXJOBPERUSER, MAXLOAD, EXACTPROC (rules 3.3, 3.4).
    fn within_limits(
        &self,
        requirement: &TaskRequirement,
        bit: Bit,
        start: Epoch,
    ) -> Result<(), InfeasibleReason> {
        let site = self.site;
        let alone = site.plan().exclusive_nodes(self.request.sharedness).contains(bit)
            || matches!(site.options.access, NodeAccessPolicy::SingleJob | NodeAccessPolicy::SingleTask);
        if alone && self.is_used(bit, start) {
            return Err(InfeasibleReason::State);
        }
        if site.options.node_match == NodeMatchPolicy::ExactProc
            && site.configured_procs(bit) != f64::from(requirement.per_node.max(1))
        {
            return Err(InfeasibleReason::Cpu);
        }
        if start > site.state.now {
            return Ok(());
        }
        let traits = site.traits_of(bit);
        let snap = &site.plan().snap;
        let users = || {
            let jobs = site.plan().node(bit).jobs.iter();
            jobs.filter_map(|name| snap.job_named(name)).map(|job| &snap.jobs[job].user)
        };
        if site.options.access == NodeAccessPolicy::SingleUser
            && users().any(|user| *user != self.request.user)
        {
            return Err(InfeasibleReason::Policy);
        }
        let jobs = u32::from(site.state.occupancy.load[bit].jobs);
        let busy = site.options.load_policy == LoadPolicy::AdjustState
            && traits.max_load.is_some_and(|most| traits.load.is_some_and(|load| load > most));
        let own_jobs = || users().filter(|user| **user == self.request.user).count();
        let full = traits.max_job.is_some_and(|most| jobs >= most)
            || traits.max_job_per_user.is_some_and(|most| own_jobs() >= most as usize);
        match (busy, full) {
            (true, _) => Err(InfeasibleReason::State),
            (_, true) => Err(InfeasibleReason::Policy),
            _ => Ok(()),
        }
    }

    /// Returns the affinity tier of a node (rule 0.7).
    fn tier(&self, bit: Bit, start: Epoch) -> PolicyTier {
        if self.request.reservation.is_some() {
            return PolicyTier::Required;
        }
        let end = start + self.request.walltime;
        let drawn = self
            .calendar
            .own
            .iter()
            .any(|(from, to, nodes)| *from < end && *to > start && nodes.contains(&bit));
        if drawn { PolicyTier::Positive } else { PolicyTier::Free }
    }
}
