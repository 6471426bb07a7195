//! The facts that matter to an outcome, by verdict, and whether it could turn with each.

use qscope_engine::cluster::Fact;
use qscope_engine::cycle::{Outcome, Verdict};
use qscope_engine::universe::Reason;

use super::Judge;

/// Facts that decide the order of jobs, and so which of them find their nodes taken.
const CONTEST: [Fact; 11] = [
    Fact::JobOrder,
    Fact::Formula,
    Fact::StrictOrdering,
    Fact::FairShare,
    Fact::NodeOrder,
    Fact::PlacementSets,
    Fact::TimeWindows,
    Fact::Preemption,
    Fact::ServerLimits,
    Fact::QueueLimits,
    Fact::DefaultChunk,
];

/// Facts, each with whether the verdict could turn with it.
type Turns = Vec<(Fact, bool)>;

impl Judge {
    /// Returns the facts that matter; some may appear twice.
    pub(super) fn turns(&mut self, outcome: &Outcome) -> Turns {
        let mut turns = match outcome.verdict {
            Verdict::Run => self.of_start(outcome),
            Verdict::NotConsidered => self.of_not_considered(outcome),
            Verdict::NotNow | Verdict::Never => self.of_wait(outcome),
        };
        // The cycle ends when a reservation is confirmed, and whether its nodes are found depends on all of these.
        if !self.run.confirmations.is_empty()
            && (outcome.verdict != Verdict::NotConsidered || !turns.is_empty())
        {
            turns.extend(self.contest());
        }
        if outcome.verdict != Verdict::NotConsidered {
            turns.push((Fact::CheckedResources, self.depends_on_checked(outcome)));
            turns.push((Fact::DynamicResources, true));
            turns.push((Fact::AllNodes, true));
            turns.push((Fact::OneMoment, self.is_on_used_nodes(outcome)));
            turns.push((Fact::AllJobs, outcome.verdict != Verdict::Never));
        }
        // A job excluded by its own state stays excluded, whatever it requests.
        let job = self.run.plan.job(outcome.job);
        turns.push((Fact::JobRequest, job.request_assumed && job.state.is_queued()));
        turns.retain(|(fact, could_turn)| match fact {
            // Proved resources are reported too, and resources have origins of their own.
            Fact::CheckedResources | Fact::DynamicResources => true,
            _ => *could_turn && self.is_unseen(*fact),
        });
        turns
    }

    /// A start could turn with anything that may refuse it and, if jobs compete, with what decides their order.
    fn of_start(&mut self, outcome: &Outcome) -> Turns {
        let job = outcome.job;
        let contested = outcome.by_preemption || self.is_contested(job);
        let is_behind =
            contested || self.may_stop_others() && self.facts.is_any_left || self.is_beside_a_wait(job);
        let preempt = outcome.by_preemption || self.facts.considered > 1 && self.others_preempt();
        let sets = self.may_have_sets(job);
        let snap = self.snap();
        let has_formula = snap.server.job_sort_formula.is_some() || snap.scheduler.job_sort_formula.is_some();
        vec![
            (Fact::TimeWindows, self.has_windows()),
            (Fact::ServerLimits, true),
            (Fact::QueueLimits, true),
            (Fact::QueueAttributes, true),
            (Fact::DefaultChunk, true),
            (Fact::Formula, contested || has_formula),
            (Fact::FairShare, contested || self.has_shares()),
            (Fact::Partitions, self.are_partitions_in_doubt(job)),
            (Fact::NodeOrder, contested),
            (Fact::JobOrder, contested),
            (Fact::StrictOrdering, is_behind),
            (Fact::PlacementSets, sets),
            (Fact::Preemption, preempt),
        ]
    }

    /// A job excluded by its own state stays so whatever the settings; one excluded by its queue depends on them.
    fn of_not_considered(&self, outcome: &Outcome) -> Turns {
        match outcome.rejection.as_ref().map(|rejection| &rejection.reason) {
            Some(Reason::QueueNotStarted) => Vec::new(),
            Some(
                Reason::DedicatedTime | Reason::PrimeOnly | Reason::NonPrimeOnly | Reason::CrossPrime { .. },
            ) => vec![(Fact::TimeWindows, true), (Fact::QueueAttributes, true)],
            Some(_) => self.contest(),
            None => {
                let job = self.run.plan.job(outcome.job);
                let waits = job.state.is_queued() && !job.is_subjob();
                let remains = job.array.as_ref().is_none_or(|array| !array.remaining.is_empty());
                // Without shares a job can never run, whatever excludes it now.
                let mut turns = vec![(Fact::FairShare, self.has_shares())];
                if !waits || !remains {
                    return turns;
                }
                if self.starts_instead(outcome.job) {
                    turns.extend(self.contest());
                }
                turns.extend(
                    [Fact::Partitions, Fact::QueueAttributes, Fact::DefaultChunk].map(|fact| (fact, true)),
                );
                turns
            }
        }
    }

    fn of_wait(&mut self, outcome: &Outcome) -> Turns {
        let mut turns = match outcome.rejection.as_ref().map(|rejection| &rejection.reason) {
            Some(
                Reason::Limit(_)
                | Reason::SubjobLimit
                | Reason::TooManySubjobs
                | Reason::QueueResource(_)
                | Reason::ServerResource(_),
            ) => self.of_limit(outcome),
            Some(Reason::CrossDedicated | Reason::CrossPrime { .. } | Reason::DedicatedTime) => {
                vec![(Fact::TimeWindows, true), (Fact::FairShare, true)]
            }
            Some(Reason::UnderThreshold) => vec![(Fact::Formula, true)],
            Some(Reason::NoShares) => vec![(Fact::FairShare, true)],
            Some(Reason::StrictOrdering | Reason::Conflict | Reason::NothingLeft) => self.contest(),
            _ => self.of_nodes(outcome),
        };
        if outcome.verdict == Verdict::Never && self.is_room_for_now_gone(outcome.job) {
            // Limits are compared before nodes, in which case the job would wait for a limit.
            turns.extend([(Fact::ServerLimits, true), (Fact::QueueLimits, true)]);
        }
        if outcome.verdict == Verdict::NotNow {
            turns.push((Fact::QueueAttributes, true));
            turns.push((Fact::FairShare, self.has_shares()));
            turns.push((Fact::TimeWindows, self.has_windows()));
            turns.push((Fact::StrictOrdering, self.may_be_strict()));
            turns.push((Fact::Partitions, self.are_partitions_in_doubt(outcome.job)));
            // A larger chunk may exceed what any vnode has.
            if self.run.plan.job(outcome.job).select_derived {
                turns.push((Fact::DefaultChunk, true));
            }
        }
        turns
    }

    /// A limit that was read is certain, but which jobs used it up in this cycle depends on the order.
    fn of_limit(&self, outcome: &Outcome) -> Turns {
        let is_behind_a_start = self.facts.first_start.is_some_and(|order| order < outcome.order);
        if is_behind_a_start { self.contest() } else { Vec::new() }
    }

    /// Nodes missing at the start of the cycle are missing in every order of jobs.
    fn of_nodes(&mut self, outcome: &Outcome) -> Turns {
        if self.fits_at_start(outcome.job) {
            return self.contest();
        }
        let mut turns = Vec::new();
        if outcome.verdict == Verdict::NotNow {
            if self.may_preempt(outcome.job) || self.others_preempt() {
                turns.push((Fact::Preemption, true));
            }
            // If no set is large enough and jobs may not span sets, it can never run.
            if self.chunks(outcome.job) > 1 {
                turns.push((Fact::PlacementSets, self.may_have_sets(outcome.job)));
            }
        }
        turns
    }

    fn contest(&self) -> Turns {
        CONTEST.iter().map(|fact| (*fact, true)).collect()
    }
}
