//! The facts that matter to an outcome, by verdict, and whether it could turn with each.

use qscope_engine::cluster::SnapshotFact;
use qscope_engine::cycle::{Outcome, Verdict};
use qscope_engine::universe::Reason;

use super::Judge;

/// Facts that decide the order of jobs, and so which of them find their nodes taken.
const CONTEST: [SnapshotFact; 11] = [
    SnapshotFact::JobOrder,
    SnapshotFact::Formula,
    SnapshotFact::StrictOrdering,
    SnapshotFact::FairShare,
    SnapshotFact::NodeOrder,
    SnapshotFact::PlacementSets,
    SnapshotFact::TimeWindows,
    SnapshotFact::Preemption,
    SnapshotFact::ServerLimits,
    SnapshotFact::QueueLimits,
    SnapshotFact::DefaultChunk,
];

/// Facts, each with whether the verdict could turn with it.
type FactSensitivities = Vec<(SnapshotFact, bool)>;

impl Judge {
    /// Returns the facts that matter; some may appear twice.
    pub(super) fn sensitivities(&mut self, outcome: &Outcome) -> FactSensitivities {
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
            turns.push((SnapshotFact::CheckedResources, self.depends_on_checked(outcome)));
            turns.push((SnapshotFact::DynamicResources, true));
            turns.push((SnapshotFact::AllNodes, true));
            turns.push((SnapshotFact::OneMoment, self.is_on_used_nodes(outcome)));
            turns.push((SnapshotFact::AllJobs, outcome.verdict != Verdict::Never));
        }
        // A job excluded by its own state stays excluded, whatever it requests.
        let job = self.run.plan.job(outcome.job);
        turns.push((SnapshotFact::JobRequest, job.request_assumed && job.state.is_queued()));
        turns.retain(|(fact, could_turn)| match fact {
            // Proved resources are reported too, and resources have origins of their own.
            SnapshotFact::CheckedResources | SnapshotFact::DynamicResources => true,
            _ => *could_turn && self.is_unseen(*fact),
        });
        turns
    }

    /// A start could turn with anything that may refuse it and, if jobs compete, with what decides their order.
    fn of_start(&mut self, outcome: &Outcome) -> FactSensitivities {
        let job = outcome.job;
        let contested = outcome.by_preemption || self.is_contested(job);
        let is_behind =
            contested || self.may_stop_others() && self.facts.is_any_waiting || self.is_beside_a_wait(job);
        let preempt = outcome.by_preemption || self.facts.considered > 1 && self.others_preempt();
        let sets = self.may_have_sets(job);
        let snap = self.snap();
        let has_formula = snap.server.job_sort_formula.is_some() || snap.scheduler.job_sort_formula.is_some();
        vec![
            (SnapshotFact::TimeWindows, self.has_windows()),
            (SnapshotFact::ServerLimits, true),
            (SnapshotFact::QueueLimits, true),
            (SnapshotFact::QueueAttributes, true),
            (SnapshotFact::DefaultChunk, true),
            (SnapshotFact::Formula, contested || has_formula),
            (SnapshotFact::FairShare, contested || self.has_shares()),
            (SnapshotFact::Partitions, self.are_partitions_in_doubt(job)),
            (SnapshotFact::NodeOrder, contested),
            (SnapshotFact::JobOrder, contested),
            (SnapshotFact::StrictOrdering, is_behind),
            (SnapshotFact::PlacementSets, sets),
            (SnapshotFact::Preemption, preempt),
        ]
    }

    /// A job excluded by its own state stays so whatever the settings; one excluded by its queue depends on them.
    fn of_not_considered(&self, outcome: &Outcome) -> FactSensitivities {
        match outcome.rejection.as_ref().map(|rejection| &rejection.reason) {
            Some(Reason::QueueNotStarted) => Vec::new(),
            Some(
                Reason::DedicatedTime | Reason::PrimeOnly | Reason::NonPrimeOnly | Reason::CrossPrime { .. },
            ) => vec![(SnapshotFact::TimeWindows, true), (SnapshotFact::QueueAttributes, true)],
            Some(_) => self.contest(),
            None => {
                let job = self.run.plan.job(outcome.job);
                let waits = job.state.is_queued() && !job.is_subjob();
                let remains = job.array.as_ref().is_none_or(|array| !array.remaining.is_empty());
                // Without shares a job can never run, whatever excludes it now.
                let mut turns = vec![(SnapshotFact::FairShare, self.has_shares())];
                if !waits || !remains {
                    return turns;
                }
                if self.starts_instead(outcome.job) {
                    turns.extend(self.contest());
                }
                turns.extend(
                    [SnapshotFact::Partitions, SnapshotFact::QueueAttributes, SnapshotFact::DefaultChunk]
                        .map(|fact| (fact, true)),
                );
                turns
            }
        }
    }

    fn of_wait(&mut self, outcome: &Outcome) -> FactSensitivities {
        let mut turns = match outcome.rejection.as_ref().map(|rejection| &rejection.reason) {
            Some(
                Reason::Limit(_)
                | Reason::SubjobLimit
                | Reason::TooManySubjobs
                | Reason::QueueResource(_)
                | Reason::ServerResource(_),
            ) => self.of_limit(outcome),
            Some(Reason::CrossDedicated | Reason::CrossPrime { .. } | Reason::DedicatedTime) => {
                vec![(SnapshotFact::TimeWindows, true), (SnapshotFact::FairShare, true)]
            }
            Some(Reason::UnderThreshold) => vec![(SnapshotFact::Formula, true)],
            Some(Reason::NoShares) => vec![(SnapshotFact::FairShare, true)],
            Some(Reason::StrictOrdering | Reason::Conflict | Reason::NoSubjobLeft) => self.contest(),
            _ => self.of_nodes(outcome),
        };
        if outcome.verdict == Verdict::Never && self.is_room_for_now_gone(outcome.job) {
            // Limits are compared before nodes, in which case the job would wait for a limit.
            turns.extend([(SnapshotFact::ServerLimits, true), (SnapshotFact::QueueLimits, true)]);
        }
        if outcome.verdict == Verdict::NotNow {
            turns.push((SnapshotFact::QueueAttributes, true));
            turns.push((SnapshotFact::FairShare, self.has_shares()));
            turns.push((SnapshotFact::TimeWindows, self.has_windows()));
            turns.push((SnapshotFact::StrictOrdering, self.may_be_strict()));
            turns.push((SnapshotFact::Partitions, self.are_partitions_in_doubt(outcome.job)));
            // A larger chunk may exceed what any vnode has.
            if self.run.plan.job(outcome.job).select_derived {
                turns.push((SnapshotFact::DefaultChunk, true));
            }
        }
        turns
    }

    /// A limit that was read is certain, but which jobs used it up in this cycle depends on the order.
    fn of_limit(&self, outcome: &Outcome) -> FactSensitivities {
        let is_behind_a_start = self.facts.first_start.is_some_and(|order| order < outcome.order);
        if is_behind_a_start { self.contest() } else { Vec::new() }
    }

    /// Nodes missing at the start of the cycle are missing in every order of jobs.
    fn of_nodes(&mut self, outcome: &Outcome) -> FactSensitivities {
        if self.fits_at_start(outcome.job) {
            return self.contest();
        }
        let mut turns = Vec::new();
        if outcome.verdict == Verdict::NotNow {
            if self.may_preempt(outcome.job) || self.others_preempt() {
                turns.push((SnapshotFact::Preemption, true));
            }
            // If no set is large enough and jobs may not span sets, it can never run.
            if self.chunks(outcome.job) > 1 {
                turns.push((SnapshotFact::PlacementSets, self.may_have_sets(outcome.job)));
            }
        }
        turns
    }

    fn contest(&self) -> FactSensitivities {
        CONTEST.iter().map(|fact| (*fact, true)).collect()
    }
}
