//! The nodes as the policies see them: their properties, the number of tasks each holds at a start time, and
//! until when (rules 0.3 to 0.7).

mod checks;
mod window;

use std::sync::Arc;

use super::calendar::NodeCalendar;
use super::{Candidate, FeasibleNodes, MauiOptions, NodeTraits, SiteTraits, TaskRequest, TaskRequirement};
use qscope_engine::cluster::{Epoch, ResourceId};
use qscope_engine::universe::{Bit, ConsIx, NodeSet, Plan, State};

/// The input common to all policies and all jobs.
pub struct PolicyInput<'a> {
    /// The state in which jobs are placed.
    pub state: &'a State,
    pub options: &'a MauiOptions,
    /// The traits of each node.
    pub traits: Arc<SiteTraits>,
    ncpus: Option<ConsIx>,
}

pub struct JobPolicyInput<'a> {
    pub site: &'a PolicyInput<'a>,
    /// The job.
    pub request: &'a TaskRequest,
    calendar: NodeCalendar,
}

impl<'a> PolicyInput<'a> {
    pub fn new(state: &'a State, options: &'a MauiOptions) -> Self {
        Self::with_traits(state, options, Arc::new(SiteTraits::of(&state.plan.snap, options)))
    }

    /// Creates the site with traits that are already known.
    pub fn with_traits(state: &'a State, options: &'a MauiOptions, traits: Arc<SiteTraits>) -> Self {
        let ncpus = state.plan.consumables.ix(ResourceId::ncpus());
        Self { state, options, traits, ncpus }
    }

    pub(super) fn plan(&self) -> &'a Plan {
        &self.state.plan
    }

    /// Returns the traits of a node.
    fn traits_of(&self, bit: Bit) -> &NodeTraits {
        &self.traits.by_node[self.plan().nodes[bit].id]
    }

    /// Returns the configured processors; 0 where unset.
    pub fn configured_procs(&self, bit: Bit) -> f64 {
        let configured = self.ncpus.map_or(0.0, |ix| self.plan().capacity.available(ix, bit));
        if configured.is_nan() { 0.0 } else { configured }
    }
}

impl<'a> JobPolicyInput<'a> {
    /// Creates the request of a job on the site.
    pub fn new(input: &'a PolicyInput<'a>, request: &'a TaskRequest) -> Self {
        Self { site: input, request, calendar: NodeCalendar::new(input.state, request) }
    }

    /// Returns the processors dedicated to others now; those kept by the job's own reservations do not count.
    pub fn dedicated_procs(&self, bit: Bit) -> f64 {
        let Some(ix) = self.site.ncpus else { return 0.0 };
        let assigned = self.site.state.occupancy.assigned[ix][self.site.plan().capacity.keeper(ix, bit)];
        assigned - self.assigned_before(ix, bit)
    }

    /// Returns the idle processors now: configured minus the larger of dedicated and load (rule 1.4).
    pub fn idle_procs(&self, candidate: &Candidate) -> f64 {
        let load =
            self.site.traits.by_node[candidate.node].load.unwrap_or(0.0) + self.started_procs(candidate.bit);
        self.site.configured_procs(candidate.bit) - self.dedicated_procs(candidate.bit).max(load)
    }

    /// Returns the processors assigned since the cycle began. They are not part of the load yet, and would
    /// draw every job of a cycle to the same node if they were not added to it.
    fn started_procs(&self, bit: Bit) -> f64 {
        let Some(ix) = self.site.ncpus else { return 0.0 };
        let home = self.site.plan().capacity.keeper(ix, bit);
        (self.site.state.occupancy.assigned[ix][home] - self.site.plan().capacity.assigned()[ix][home])
            .max(0.0)
    }

    /// Returns the amount that running reservations of the job keep for it.
    fn assigned_before(&self, ix: ConsIx, bit: Bit) -> f64 {
        let assigned_before =
            self.calendar.assigned_before.iter().filter(|(at, what, _)| (*at, *what) == (bit, ix));
        assigned_before.map(|(_, _, amount)| amount).sum()
    }

    /// Returns all times after now at which something changes.
    pub fn moments(&self) -> impl Iterator<Item = Epoch> {
        let now = self.site.state.now;
        self.calendar.moments.iter().copied().filter(move |at| *at > now)
    }

    /// Returns the nodes that could serve a requirement at a start time, without those already taken.
    pub fn feasible_nodes(
        &self,
        requirement: &TaskRequirement,
        start: Epoch,
        taken: &NodeSet,
    ) -> FeasibleNodes {
        let plan = self.site.plan();
        let mut feasible = FeasibleNodes::default();
        for node in plan.snap.nodes.ids() {
            let Some(bit) = plan.bit_of[node].filter(|bit| !taken.contains(*bit)) else { continue };
            match self.candidate(requirement, bit, start) {
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
}
