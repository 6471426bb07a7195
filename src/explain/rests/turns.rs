//! By which unseen facts a verdict could turn.

mod shown;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use qscope_engine::cluster::{Fact, JobId, JobState, Snapshot};
use qscope_engine::cycle::{Debugger, Outcome, Run, Verdict};
use qscope_engine::placement::{choose_path, nodes_for};
use qscope_engine::universe::{Against, Occupant, Reason, State};

use super::Assumption;
use super::contest::{Contest, Contestant};
use super::cycle_facts::CycleFacts;
use crate::kinds::in_kinds;
use crate::room::Room;
use crate::turn::{decided, fits_in};

/// Facts that decide who is ahead of whom, and so who finds its nodes taken.
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

/// Judges the verdicts of a cycle whose files do not show everything.
#[derive(Debug)]
pub(super) struct Judge {
    pub(super) run: Arc<Run>,
    /// The start of the cycle, to try jobs in.
    start: Box<State>,
    /// Whether a job finds its nodes at the start, by class.
    fits: FxHashMap<u32, bool>,
    /// The jobs that could start in some order, once needed; and whether a class of jobs competes with them.
    contest: Option<Contest>,
    contested: FxHashMap<u32, bool>,
    beside_a_wait: FxHashMap<u32, bool>,
    pub(super) facts: CycleFacts,
}

/// Facts with whether the verdict could turn with each.
type Turns = Vec<(Fact, bool)>;

impl Judge {
    /// None where every fact was seen.
    pub(super) fn new(run: &Arc<Run>) -> Option<Self> {
        let snap = &run.plan.snap;
        if snap.origins.are_all_seen() && snap.policy.server_dyn_res.is_empty() {
            return None;
        }
        let mut debugger = Debugger::new(run.clone());
        debugger.seek(0);
        let start = Box::new(debugger.snapshot_state());
        Some(Self {
            run: run.clone(),
            start,
            fits: FxHashMap::default(),
            contest: None,
            contested: FxHashMap::default(),
            beside_a_wait: FxHashMap::default(),
            facts: CycleFacts::new(run),
        })
    }

    /// What an outcome rests on: the facts that matter to it and were not seen.
    pub(super) fn assumptions(&mut self, outcome: &Outcome) -> Vec<Assumption> {
        let mut turns = self.turns(outcome);
        let mut seen = Vec::new();
        turns.retain(|(fact, _)| {
            let fresh = !seen.contains(fact);
            seen.push(*fact);
            fresh
        });
        let origins = &self.run.plan.snap.origins;
        let job = self.run.plan.job(outcome.job);
        let mut all = Vec::new();
        for (fact, could_turn) in turns {
            match fact {
                Fact::CheckedResources => all.extend(self.on_checked(job, could_turn)),
                Fact::DynamicResources => all.extend(self.on_dynamic(job)),
                _ => {
                    let origin = origins.of(fact).clone();
                    all.push(Assumption { fact, origin, resources: Vec::new(), could_turn });
                }
            }
        }
        // Those of one file stay together, in the order of the facts.
        all.retain(|assumption| !assumption.origin.is_seen());
        all.sort_by_key(|assumption| assumption.fact);
        all
    }

    pub(super) fn snap(&self) -> &Snapshot {
        &self.run.plan.snap
    }

    fn is_unseen(&self, fact: Fact) -> bool {
        !self.snap().origins.of(fact).is_seen()
    }

    fn turns(&mut self, outcome: &Outcome) -> Turns {
        let mut turns = match outcome.verdict {
            Verdict::Run => self.of_start(outcome),
            Verdict::NotConsidered => self.of_not_considered(outcome),
            Verdict::NotNow | Verdict::Never => self.of_wait(outcome),
        };
        // The cycle ends when a reservation is confirmed, and whether its nodes are found depends on all of it.
        if !self.run.confirmations.is_empty()
            && (outcome.verdict != Verdict::NotConsidered || !turns.is_empty())
        {
            turns.extend(self.contest());
        }
        if outcome.verdict != Verdict::NotConsidered {
            turns.push((Fact::CheckedResources, self.depends_on_checked(outcome)));
            turns.push((Fact::DynamicResources, true));
        }
        turns.retain(|(fact, could_turn)| match fact {
            // What is proved is stated too, and resources have origins of their own.
            Fact::CheckedResources | Fact::DynamicResources => true,
            _ => *could_turn && self.is_unseen(*fact),
        });
        turns
    }

    /// A start could turn with what may refuse it, and, where jobs compete, with what decides who comes first.
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

    /// A job that is out by its own state is out whatever the settings; one that its queue keeps out depends on them.
    fn of_not_considered(&self, outcome: &Outcome) -> Turns {
        match outcome.rejection.as_ref().map(|rejection| &rejection.reason) {
            Some(Reason::QueueNotStarted) => Vec::new(),
            Some(
                Reason::DedicatedTime | Reason::PrimeOnly | Reason::NonPrimeOnly | Reason::CrossPrime { .. },
            ) => vec![(Fact::TimeWindows, true), (Fact::QueueAttributes, true)],
            Some(_) => self.contest(),
            None => {
                let job = self.run.plan.job(outcome.job);
                let waits = matches!(job.state, JobState::Queued | JobState::Begun) && !job.is_subjob();
                let remains = job.array.as_ref().is_none_or(|array| !array.remaining.is_empty());
                // Without shares a job can never run, whatever keeps it out now.
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
            // Limits are compared before nodes, and then the job waits for a limit.
            turns.extend([(Fact::ServerLimits, true), (Fact::QueueLimits, true)]);
        }
        if outcome.verdict == Verdict::NotNow {
            turns.push((Fact::QueueAttributes, true));
            turns.push((Fact::FairShare, self.has_shares()));
            turns.push((Fact::TimeWindows, self.has_windows()));
            turns.push((Fact::StrictOrdering, self.may_be_strict()));
            turns.push((Fact::Partitions, self.are_partitions_in_doubt(outcome.job)));
            // More in every chunk may be more than any vnode has.
            if self.run.plan.job(outcome.job).select_derived {
                turns.push((Fact::DefaultChunk, true));
            }
        }
        turns
    }

    /// A limit that was read holds, but who used it up in this cycle depends on the order.
    fn of_limit(&self, outcome: &Outcome) -> Turns {
        let is_behind_a_start = self.facts.first_start.is_some_and(|order| order < outcome.order);
        if is_behind_a_start { self.contest() } else { Vec::new() }
    }

    /// Nodes that are not there at the start of the cycle are there in no order of jobs.
    fn of_nodes(&mut self, outcome: &Outcome) -> Turns {
        if self.fits_at_start(outcome.job) {
            return self.contest();
        }
        let mut turns = Vec::new();
        if outcome.verdict == Verdict::NotNow {
            if self.may_preempt(outcome.job) || self.others_preempt() {
                turns.push((Fact::Preemption, true));
            }
            // Where no set is large enough and jobs may not span them, it can never run.
            if self.chunks(outcome.job) > 1 {
                turns.push((Fact::PlacementSets, self.may_have_sets(outcome.job)));
            }
        }
        turns
    }

    /// Whether the nodes would do if all of them were up.
    fn is_room_for_now_gone(&self, job: JobId) -> bool {
        let start = &self.start;
        let Ok(request) = self.run.plan.request(job, start.ledger.way_back(job)) else { return false };
        let request = in_kinds(&start.capped(job, request)).into_owned();
        let list = nodes_for(start, Occupant::Job(job, None));
        Room::new(start, &request, &list, Against::Total).holds_all()
    }

    /// Whether another job that a dependency ties to this one starts in its place.
    fn starts_instead(&self, job: JobId) -> bool {
        let depend = self.run.plan.job(job).depend.as_deref();
        depend.is_some_and(|text| text.contains("runone:"))
    }

    /// Whether a start depends on what other jobs take.
    fn is_contested(&mut self, job: JobId) -> bool {
        self.enter_contest();
        let class = self.class(job);
        let Self { start, contest, contested, .. } = self;
        let find = || contest.as_ref().is_none_or(|contest| contest.is_contested(start, job, class));
        *contested.entry(class).or_insert_with(find)
    }

    fn is_beside_a_wait(&mut self, job: JobId) -> bool {
        let class = self.class(job);
        let Self { start, contest, beside_a_wait, .. } = self;
        let find = || contest.as_ref().is_none_or(|contest| contest.is_beside_a_wait(start, class));
        *beside_a_wait.entry(class).or_insert_with(find)
    }

    /// A number for all jobs that the scheduler takes for equal; one of its own for a job without class.
    fn class(&self, job: JobId) -> u32 {
        self.run.setup.classes.of[job].map_or(u32::MAX - job.0, |class| class.0)
    }

    /// Whether it is unknown for some resource of a job's chunks whether the scheduler checks it.
    fn is_checking_unsure(&self, job: JobId) -> bool {
        self.on_checked(self.run.plan.job(job), true).iter().any(|one| one.could_turn)
    }

    /// Collects the jobs that could start in some order.
    fn enter_contest(&mut self) {
        if self.contest.is_some() {
            return;
        }
        let mut contest = Contest::default();
        let run = self.run.clone();
        let mut known = FxHashSet::default();
        for job in run.steps.iter().map(|step| step.outcome.job).filter(|job| known.insert(*job)) {
            let Some(outcome) = decided(&run, job).filter(|outcome| outcome.verdict != Verdict::Never) else {
                continue;
            };
            let waits = outcome.verdict != Verdict::Run;
            let takes_nodes = !waits || self.fits_at_start(job) || self.is_checking_unsure(job);
            contest.add(&self.start, Contestant { job, class: self.class(job), waits, takes_nodes });
        }
        self.contest = Some(contest);
    }

    fn contest(&self) -> Turns {
        CONTEST.iter().map(|fact| (*fact, true)).collect()
    }

    fn chunks(&self, job: JobId) -> u64 {
        self.run.plan.request(job, None).map_or(0, qscope_engine::universe::JobRequest::total_chunks)
    }

    fn fits_at_start(&mut self, job: JobId) -> bool {
        let Self { run, start, fits, .. } = self;
        let class = run.setup.classes.of[job].map_or(u32::MAX, |class| class.0);
        if let Some(known) = fits.get(&class).filter(|_| class != u32::MAX) {
            return *known;
        }
        let found = run.plan.request(job, start.ledger.way_back(job)).is_ok_and(|request| {
            let request = in_kinds(&start.capped(job, request)).into_owned();
            let path = choose_path(&run.plan, job, &request, false).path;
            let trial = start.begin_trial();
            let found = fits_in(start, job, &request, path);
            start.end_trial(trial);
            found
        });
        fits.insert(class, found);
        found
    }
}
