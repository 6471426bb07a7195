//! The number of tasks a node holds at a start time, and until when (rules 0.4 to 0.6).

use crate::policies::calendar::CalendarChange;
use crate::policies::{AvailabilityPolicy, JobPolicyInput, LoadPolicy, TaskRequirement};
use qscope_engine::cluster::Epoch;
use qscope_engine::universe::{Bit, ConsIx};

impl JobPolicyInput<'_> {
    /// Returns the number of tasks a node holds at a start time, and when the first of them is taken away
    /// (rule 0.6).
    pub(super) fn window(&self, part: &TaskRequirement, bit: Bit, start: Epoch) -> (u32, Option<Epoch>) {
        let plan = self.site.plan();
        let needs = &plan.needs[part.shape];
        let mut left: Vec<f64> = needs.iter().map(|(ix, _)| self.left_now(*ix, bit)).collect();
        let shift = |left: &mut Vec<f64>, change: &CalendarChange| {
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
        let tasks = self.tasks(part, bit, &left, !later);
        let alone = plan.exclusive_nodes(self.request.sharedness).contains(bit);
        for change in changes.iter().skip(past) {
            shift(&mut left, change);
            if change.takes && (alone || change.exclusive || self.tasks(part, bit, &left, false) < tasks) {
                return (tasks, Some(change.at));
            }
        }
        (tasks, None)
    }

    /// Returns what is left of a consumable now, including what the job's own reservations keep for it.
    fn left_now(&self, ix: ConsIx, bit: Bit) -> f64 {
        let site = self.site;
        let plan = site.plan();
        if let Some(inside) =
            self.request.reservation.and_then(|id| site.state.reservation_nodes[id].as_ref())
        {
            return inside.occupancy.left(plan, ix, bit);
        }
        let available = plan.capacity.available(ix, bit);
        let left = if available.is_nan() {
            site.state.occupancy.left(plan, ix, bit)
        } else {
            available - site.state.occupancy.assigned[ix][plan.capacity.keeper(ix, bit)]
        };
        left + self.assigned_before(ix, bit)
    }

    /// Returns tc(n), the number of tasks that fit into what is left (rules 0.4, 0.5).
    fn tasks(&self, requirement: &TaskRequirement, bit: Bit, left: &[f64], now: bool) -> u32 {
        let site = self.site;
        let mut tasks = u32::MAX;
        for ((ix, wanted), left) in site.plan().needs[requirement.shape].iter().zip(left) {
            if *wanted <= 0.0 {
                continue;
            }
            let measured = now && Some(*ix) == site.ncpus;
            let left = if measured { self.procs_left(bit, *left) } else { *left };
            let times = (left / wanted).floor().clamp(0.0, f64::from(u32::MAX));
            tasks = tasks.min(times as u32);
        }
        if self.request.scattered {
            tasks = tasks.min(1);
        }
        tasks - if requirement.per_node > 0 { tasks % requirement.per_node } else { 0 }
    }

    /// Returns the processors left now, by the site's availability policy.
    fn procs_left(&self, bit: Bit, left: f64) -> f64 {
        let site = self.site;
        let traits = site.traits_of(bit);
        let configured = site.configured_procs(bit);
        let load = traits.load.unwrap_or(0.0);
        let left = match site.options.availability {
            AvailabilityPolicy::Dedicated => left,
            AvailabilityPolicy::Combined => left.min((configured - load).floor()),
            AvailabilityPolicy::Utilized => (configured - load).floor(),
        };
        match (site.options.load_policy, traits.max_load) {
            (LoadPolicy::AdjustProcs, Some(most)) => left.min((most - load).floor()),
            _ => left,
        }
    }
}
