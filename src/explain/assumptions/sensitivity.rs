//! Determines the unseen facts by which a verdict could turn.

mod by_verdict;
mod seen_facts;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use qscope_engine::cluster::{JobId, Snapshot, SnapshotFact};
use qscope_engine::cycle::{Debugger, Outcome, Run, Verdict};
use qscope_engine::placement::{choose_path, nodes_for};
use qscope_engine::universe::{AmountBasis, JobRequest, Occupant, State};

use super::Assumption;
use super::contention::{Contender, Contention};
use super::cycle_facts::CycleFacts;
use crate::equal_specs::merge_equal_specs;
use crate::fit_analysis::FitAnalysis;
use crate::turn::{decided, fits_in};

/// Judges the verdicts of a cycle whose files do not show everything.
#[derive(Debug)]
pub(super) struct Judge {
    pub(super) run: Arc<Run>,
    /// The state at the start of the cycle, for trying jobs.
    start: Box<State>,
    /// Whether a job fits at the start, by class.
    fits: FxHashMap<u32, bool>,
    /// The jobs that could start in some order, once needed; and whether each class competes with them.
    contest: Option<Contention>,
    contested: FxHashMap<u32, bool>,
    beside_a_wait: FxHashMap<u32, bool>,
    pub(super) facts: CycleFacts,
}

impl Judge {
    /// Returns `None` if every fact was seen.
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

    /// Returns what an outcome rests on: the facts that matter to it and were not seen.
    pub(super) fn assumptions(&mut self, outcome: &Outcome) -> Vec<Assumption> {
        let mut turns = self.sensitivities(outcome);
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
                SnapshotFact::CheckedResources => all.extend(self.on_checked(job, could_turn)),
                SnapshotFact::DynamicResources => all.extend(self.on_dynamic(job)),
                _ => {
                    let origin = origins.of(fact).clone();
                    all.push(Assumption { fact, origin, resources: Vec::new(), could_turn });
                }
            }
        }
        // Facts from one file stay together, in the order of the facts.
        all.retain(|assumption| !assumption.origin.is_seen());
        all.sort_by_key(|assumption| assumption.fact);
        all
    }

    pub(super) fn snap(&self) -> &Snapshot {
        &self.run.plan.snap
    }

    /// Whether an outcome places a job on a node that another job uses without being listed there.
    fn is_on_used_nodes(&self, outcome: &Outcome) -> bool {
        let used = &self.facts.used_unlisted;
        let placed = outcome.placed.as_ref().filter(|_| !used.is_empty());
        placed.is_some_and(|placed| placed.allocation.pieces.iter().any(|piece| used.contains(&piece.bit)))
    }

    fn is_unseen(&self, fact: SnapshotFact) -> bool {
        !self.snap().origins.of(fact).is_seen()
    }

    /// Whether the nodes would be sufficient if all of them were up.
    fn is_room_for_now_gone(&self, job: JobId) -> bool {
        let start = &self.start;
        let Ok(request) = self.run.plan.request(job, start.ledger.preempted[job]) else { return false };
        let request = merge_equal_specs(&start.capped(job, request)).into_owned();
        let list = nodes_for(start, Occupant::Job(job, None));
        FitAnalysis::new(start, &request, &list, AmountBasis::Total).holds_all_chunks()
    }

    /// Whether a dependency lets another job start instead of this one.
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

    /// Returns one number for all jobs that the scheduler considers equal, and an own one for a job without a class.
    fn class(&self, job: JobId) -> u32 {
        self.run.setup.classes.by_job[job].map_or(u32::MAX - job.0, |class| class.0)
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
        let mut contest = Contention::default();
        let run = self.run.clone();
        let mut known = FxHashSet::default();
        for job in run.steps.iter().map(|step| step.outcome.job).filter(|job| known.insert(*job)) {
            let Some(outcome) = decided(&run, job).filter(|outcome| outcome.verdict != Verdict::Never) else {
                continue;
            };
            let is_waiting = outcome.verdict != Verdict::Run;
            let takes_nodes = !is_waiting || self.fits_at_start(job) || self.is_checking_unsure(job);
            contest.add(&self.start, Contender { job, class: self.class(job), is_waiting, takes_nodes });
        }
        self.contest = Some(contest);
    }

    fn chunks(&self, job: JobId) -> u64 {
        self.run.plan.request(job, None).map_or(0, JobRequest::total_chunks)
    }

    fn fits_at_start(&mut self, job: JobId) -> bool {
        let Self { run, start, fits, .. } = self;
        let class = run.setup.classes.by_job[job].map_or(u32::MAX, |class| class.0);
        if let Some(known) = fits.get(&class).filter(|_| class != u32::MAX) {
            return *known;
        }
        let found = run.plan.request(job, start.ledger.preempted[job]).is_ok_and(|request| {
            let request = merge_equal_specs(&start.capped(job, request)).into_owned();
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
