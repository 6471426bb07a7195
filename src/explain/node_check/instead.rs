//! What would have to be different for a node to pass.

use qscope_engine::cluster::{NodeId, each_once};
use qscope_engine::universe::Bit;

use super::{Condition, Failure, NodeCheck};
use crate::schedule::{Held, held_on, occupant_name};
use crate::words;

impl NodeCheck<'_> {
    /// What would have to be different for a node that fails these conditions; none where nothing does that the job or
    /// time could change.
    pub(crate) fn would_pass(&self, id: NodeId, failures: &[Failure]) -> Option<String> {
        let bit = self.plan().bit_of[id]?;
        let all: Option<Vec<String>> = failures.iter().map(|failure| self.instead(bit, failure)).collect();
        let all = each_once(all?);
        (!all.is_empty()).then(|| all.join(" and "))
    }

    /// What would meet one condition.
    fn instead(&self, bit: Bit, failure: &Failure) -> Option<String> {
        match &failure.condition {
            Condition::Queue => {
                let queue = self.plan().snap.nodes[self.plan().nodes[bit].id].queue.as_ref()?;
                Some(format!("queue={queue}"))
            }
            Condition::Resource { name, is_amount, .. } => match &failure.left {
                Some(left) if failure.close > 0 => Some(format!("{name} ≤ {left}")),
                Some(_) => self.freed(bit),
                None if failure.has.is_empty() || failure.has == "none" || *is_amount => None,
                None => Some(format!("{name}={}", failure.has)),
            },
            Condition::Sharing | Condition::NotExclusive => self.freed(bit),
            Condition::Time => {
                let event = self.state.first_event(bit)?;
                let left = event.at - self.state.now;
                let who = occupant_name(self.plan(), event.occupant);
                let fits = format!("walltime ≤ {} (ends before {who})", words::duration(left));
                (left.0 > 0).then_some(fits)
            }
            Condition::State
            | Condition::Reservation { .. }
            | Condition::OwnNodes
            | Condition::Partition
            | Condition::NodeLimit
            | Condition::Set => None,
        }
    }

    /// That what is on a node has ended, and when the last of it does; none where that is not known.
    fn freed(&self, bit: Bit) -> Option<String> {
        let schedule = held_on(self.state, bit);
        let now: Vec<&Held> = schedule.iter().filter(|held| held.from <= self.state.now).collect();
        let last = now.iter().map(|held| held.to).try_fold(None, |last, to| Some(last.max(Some(to?))))??;
        let who: Vec<String> = now.iter().map(|held| occupant_name(self.plan(), held.occupant)).collect();
        let when = words::time_of_day(&self.plan().snap, last);
        let what = if who.len() == 1 { "ended" } else { "all ended" };
        Some(format!("{} {what} ({when})", words::some(&who, 4)))
    }
}
