//! By which unseen facts a verdict could turn.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Catalogue, Fact, Job, JobId, JobState, LimitEntry, Origin, Snapshot};
use qscope_engine::cycle::{Debugger, Outcome, Run, Stage, Verdict};
use qscope_engine::placement::choose_path;
use qscope_engine::universe::{Reason, State};

use super::Assumption;
use crate::kinds::in_kinds;
use crate::turn::fits_in;

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
    run: Arc<Run>,
    /// The start of the cycle, to try jobs in.
    start: Box<State>,
    /// Whether a job finds its nodes at the start, by class.
    fits: FxHashMap<u32, bool>,
    /// Jobs that the cycle considers, arrays once.
    considered: usize,
    running: bool,
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
        let mut considered: Vec<JobId> = run.steps.iter().map(|step| step.outcome.job).collect();
        considered.sort_unstable();
        considered.dedup();
        let running = snap.jobs.iter().any(|job| job.state == JobState::Running);
        Some(Self {
            run: run.clone(),
            start,
            fits: FxHashMap::default(),
            considered: considered.len(),
            running,
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

    fn snap(&self) -> &Snapshot {
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

    /// A start could turn with everything that may refuse it.
    fn of_start(&self, outcome: &Outcome) -> Turns {
        let mut turns = vec![
            (Fact::TimeWindows, true),
            (Fact::ServerLimits, true),
            (Fact::QueueLimits, true),
            (Fact::QueueAttributes, true),
            (Fact::Formula, true),
            (Fact::FairShare, true),
            (Fact::Partitions, self.are_partitions_in_doubt(outcome.job)),
        ];
        let contested = self.considered > 1;
        turns.push((Fact::NodeOrder, contested));
        if contested {
            turns.extend([(Fact::JobOrder, true), (Fact::StrictOrdering, true)]);
        }
        if contested || self.chunks(outcome.job) > 1 {
            turns.push((Fact::PlacementSets, true));
        }
        if contested || outcome.by_preemption {
            turns.push((Fact::Preemption, true));
        }
        if contested || self.run.plan.job(outcome.job).select_derived {
            turns.push((Fact::DefaultChunk, true));
        }
        turns
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
                if !waits || !remains {
                    return Vec::new();
                }
                let mut turns = vec![(Fact::Partitions, true), (Fact::QueueAttributes, true)];
                turns.push((Fact::DefaultChunk, true));
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
            Some(Reason::StrictOrdering | Reason::Conflict) => self.contest(),
            _ => self.of_nodes(outcome),
        };
        if outcome.verdict == Verdict::NotNow {
            turns.push((Fact::QueueAttributes, true));
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
        let before = |other: &Outcome| other.placed.is_some() && other.order < outcome.order;
        if self.run.outcomes().any(before) { self.contest() } else { Vec::new() }
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
                turns.push((Fact::PlacementSets, true));
            }
        }
        turns
    }

    /// Whether the folder shows prime or dedicated time, so that a queue may be for it alone.
    fn has_windows(&self) -> bool {
        self.snap().holidays.is_some() || !self.snap().dedicated_time.is_empty()
    }

    fn contest(&self) -> Turns {
        CONTEST.iter().map(|fact| (*fact, true)).collect()
    }

    fn chunks(&self, job: JobId) -> u64 {
        self.run.plan.request(job, false).map_or(0, qscope_engine::universe::JobRequest::total_chunks)
    }

    fn fits_at_start(&mut self, job: JobId) -> bool {
        let Self { run, start, fits, .. } = self;
        let class = run.setup.classes.of[job].map_or(u32::MAX, |class| class.0);
        if let Some(known) = fits.get(&class).filter(|_| class != u32::MAX) {
            return *known;
        }
        let found = run.plan.request(job, start.ledger.returns(job)).is_ok_and(|request| {
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

    /// Whether settings that were not seen could let a job preempt others.
    fn may_preempt(&self, id: JobId) -> bool {
        let snap = self.snap();
        if !self.running || !self.is_unseen(Fact::Preemption) && !self.is_unseen(Fact::QueueAttributes) {
            return false;
        }
        let queue = self.run.plan.queue_of(id).map(|queue| &snap.queues[queue]);
        let levels = &snap.scheduler.preempt_prio;
        let soft = |entries: &[LimitEntry]| entries.iter().any(|entry| entry.soft);
        let softly = soft(&snap.server.limits.entries)
            || snap.queues.iter().any(|queue| soft(&queue.limits.entries))
            || self.is_unseen(Fact::ServerLimits)
            || self.is_unseen(Fact::QueueLimits);
        let shares = snap.policy.assumed || snap.policy.fair_share.prime || snap.policy.fair_share.non_prime;
        let is_level = |word: &str| snap.scheduler.assumed || levels.contains(word);
        let express = queue.is_none_or(|queue| queue.assumed || snap.scheduler.assumed && queue.priority > 0);
        express || softly && is_level("softlimits") || shares && is_level("fairshare")
    }

    /// Whether a job that waits could keep those behind it out, whose verdict would be another word then.
    fn may_be_strict(&self) -> bool {
        let policy = &self.snap().policy;
        let strict = [policy.strict_ordering, policy.strict_fifo];
        self.considered > 1
            && (policy.assumed || strict.iter().any(|strict| strict.prime || strict.non_prime))
    }

    /// Whether nodes could become free for a job in this cycle, or be free already, by what others are made to leave.
    fn others_preempt(&self) -> bool {
        let snap = self.snap();
        let suspended = snap.jobs.iter().any(|job| job.state == JobState::Suspended);
        !self.run.actions.is_empty()
            || suspended && (snap.server.assumed || snap.policy.assumed)
            || self.run.steps.iter().any(|step| self.may_preempt(step.outcome.job))
    }

    fn are_partitions_in_doubt(&self, id: JobId) -> bool {
        let snap = self.snap();
        let queue = self.run.plan.queue_of(id).map(|queue| &snap.queues[queue]);
        queue.is_none_or(|queue| queue.assumed || queue.partition.is_some())
            || snap.nodes.iter().any(|node| node.partition.is_some())
    }

    /// The resources that a job requests in chunks and that are not known to be checked, or known only by inference.
    fn on_checked(&self, job: &Job, could_turn: bool) -> Vec<Assumption> {
        let origins = &self.snap().origins;
        if origins.of(Fact::CheckedResources).is_seen() {
            return Vec::new();
        }
        let mut found: Vec<Assumption> = Vec::new();
        for name in requested(job) {
            let origin = origins.of_checked(name);
            if self.is_certain(name) && !origin.is_some_and(is_by_comment) {
                continue;
            }
            let proved = origin.is_some_and(is_by_comment);
            let origin = match origin {
                Some(origin) if proved => origin.clone(),
                _ => origins.of(Fact::CheckedResources).clone(),
            };
            let could_turn = could_turn && !proved;
            match found.iter_mut().find(|have| have.origin == origin) {
                Some(have) => have.resources.push(name.to_owned()),
                None => found.push(Assumption {
                    fact: Fact::CheckedResources,
                    origin,
                    resources: vec![name.to_owned()],
                    could_turn,
                }),
            }
        }
        found
    }

    /// Whether it is known without the file whether the scheduler checks a resource.
    fn is_certain(&self, name: &str) -> bool {
        matches!(self.snap().origins.of_checked(name), Some(Origin::Inferred(_)))
    }

    /// Whether a verdict depends on resources that are not known to be checked: where the sums over all nodes lack one
    /// that is known, it does not.
    fn depends_on_checked(&self, outcome: &Outcome) -> bool {
        let Some(Reason::Resource(shortage)) = outcome.rejection.as_ref().map(|rejection| &rejection.reason)
        else {
            return true;
        };
        let named = self.snap().catalogue.name(shortage.resource);
        !(outcome.refused_at == Some(Stage::AllNodes) && self.is_certain(named))
    }

    /// What a job requests of resources whose amounts a program prints, or may print: those that no vnode carries.
    fn on_dynamic(&self, job: &Job) -> Option<Assumption> {
        let snap = self.snap();
        let origin = match snap.origins.of(Fact::DynamicResources) {
            Origin::Seen => Origin::Assumed("what its program prints is in no dump".into()),
            unseen => unseen.clone(),
        };
        let is_seen = snap.origins.of(Fact::DynamicResources).is_seen();
        let whole = job.requested.iter().map(|(id, _)| &**snap.catalogue.name(id));
        let mut names: Vec<String> = Vec::new();
        for name in requested(job).chain(whole) {
            let is_dynamic = if is_seen {
                snap.policy.server_dyn_res.iter().any(|have| **have == *name)
            } else {
                self.is_of_site(name) && !self.is_carried(name)
            };
            if is_dynamic && !names.iter().any(|have| have == name) {
                names.push(name.to_owned());
            }
        }
        let resources = names;
        (!resources.is_empty()).then_some(Assumption {
            fact: Fact::DynamicResources,
            origin,
            resources,
            could_turn: true,
        })
    }

    /// Whether a resource is defined by the site, and so may be one that a program counts.
    fn is_of_site(&self, name: &str) -> bool {
        Catalogue::default().id(name).is_none()
    }

    fn is_carried(&self, name: &str) -> bool {
        let snap = self.snap();
        let id = snap.catalogue.id(name);
        id.is_some_and(|id| snap.nodes.iter().any(|node| node.available.get(id).is_some()))
    }
}

/// The names of what a job requests in chunks.
fn requested(job: &Job) -> impl Iterator<Item = &str> {
    let chunks = job.select.iter().flat_map(|select| &select.chunks);
    let mut seen: Vec<&str> = Vec::new();
    chunks.flat_map(|chunk| &chunk.requests).filter_map(move |request| {
        let name = &*request.resource;
        let fresh = !seen.contains(&name);
        seen.push(name);
        fresh.then_some(name)
    })
}

fn is_by_comment(origin: &Origin) -> bool {
    matches!(origin, Origin::Inferred(from) if from.starts_with("the comment"))
}
