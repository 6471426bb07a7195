//! The state at the start of a cycle, and running the cycle.

use std::sync::{Arc, OnceLock};

use super::no_step::{end_early, exclude_never_picked, find_listed_subjobs, not_considered};
use super::recorder::RunRecorder;
use crate::cluster::{JobId, Period, Snapshot, run_both};
use crate::cycle::agenda::{Agenda, over_shares};
use crate::cycle::class::classify;
use crate::cycle::confirm::confirm_all;
use crate::cycle::setup::{CycleSettings, Setup, period_at};
use crate::cycle::time_windows::PrimeClock;
use crate::cycle::warnings::{no_end, unmodelled, usage_fault};
use crate::cycle::{Eligibility, Run};
use crate::universe::{Ledger, NodeRanking, Plan, PreviousStart, Quirks, State, StateAtStart};

/// The state at the start of a cycle, ready to run.
#[derive(Clone, Debug)]
pub struct CycleStart {
    plan: Arc<Plan>,
    start: Arc<StateAtStart>,
    setup: Arc<Setup>,
    state: State,
    agenda: Agenda,
}

/// The data derived from a snapshot before its cycle; deriving that of the next snapshot can reuse it.
#[derive(Clone, Debug)]
pub struct Universe {
    pub(super) plan: Arc<Plan>,
    pub(super) start: Arc<StateAtStart>,
    pub(super) prime: PrimeClock,
}

impl Universe {
    /// Derives the data of a snapshot, reusing whatever is unchanged from another one, and the setup of its cycle.
    /// `add` may complete the plan before everything else is derived from it; `first` is called while the start is
    /// derived and jobs are assigned to classes.
    pub(in crate::cycle) fn after<T: Send>(
        before: Option<&Self>,
        snap: Arc<Snapshot>,
        quirks: Quirks,
        period: Period,
        add: impl FnOnce(&mut Plan),
        first: impl FnOnce(&Arc<Plan>, &Arc<CycleSettings>) -> T + Send,
    ) -> (Self, Setup, T) {
        let (mut plan, since) = Plan::following(before.map(|before| &*before.plan), snap, quirks, period);
        add(&mut plan);
        let plan = Arc::new(plan);
        let places = &since.places;
        let followed = before.zip(since.changed);
        let followed = followed.map(|(Self { plan, start, .. }, changed)| PreviousStart {
            plan,
            start,
            changed,
            places,
        });
        let objects = plan.nodes.len() + plan.snap.jobs.len();
        let known = before.map(|before| &before.prime);
        let settings = Arc::new(CycleSettings::with_prime_clock(&plan, known));
        let start = || StateAtStart::following(&plan, followed);
        let classes = || classify(&plan);
        let first = || first(&plan, &settings);
        // The calling thread takes the largest part: the other one starts later. A node takes as long as a few jobs.
        let (start, classes, made) = if plan.snap.jobs.len() > plan.nodes.len() * 4 {
            let ((start, classes), made) = run_both(objects, || (start(), classes()), first);
            (start, classes, made)
        } else {
            let ((classes, made), start) = run_both(objects, || (classes(), first()), start);
            (start, classes, made)
        };
        let prime = settings.windows.prime.clone();
        (Self { start: Arc::new(start), prime, plan }, Setup { settings, classes }, made)
    }

    /// The derived data of the snapshot.
    pub(in crate::cycle) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Runs the cycle on another version of the cluster, with the same quirks and allocation policies.
    pub fn run_cycle_on(&self, snap: Arc<Snapshot>) -> Run {
        let ranking = self.plan.ranking.as_ref().and_then(|ranking| ranking.over(&snap));
        CycleStart::after(Some(self), snap, self.plan.quirks, ranking).run()
    }

    /// Returns the state before the first job, with room for the results of `classes` job classes.
    pub(in crate::cycle) fn first_state(&self, classes: usize) -> State {
        State::starting(self.plan.clone(), &self.start, classes)
    }
}

/// Runs one cycle over a snapshot.
pub fn run_cycle(snap: Arc<Snapshot>, quirks: Quirks) -> Run {
    CycleStart::new(snap, quirks).run()
}

impl CycleStart {
    /// Derives the start of a cycle from a snapshot.
    pub fn new(snap: Arc<Snapshot>, quirks: Quirks) -> Self {
        Self::ranked(snap, quirks, None)
    }

    /// Like [`new`](Self::new), but nodes are ordered by `ranking` for the jobs that it ranks.
    pub fn ranked(snap: Arc<Snapshot>, quirks: Quirks, ranking: Option<Arc<dyn NodeRanking>>) -> Self {
        Self::after(None, snap, quirks, ranking)
    }

    /// Like [`ranked`](Self::ranked), but reuses whatever is unchanged from the universe of another snapshot; the
    /// result is the same. It is fast if few nodes differ and unchanged records are shared.
    pub fn after(
        before: Option<&Universe>,
        snap: Arc<Snapshot>,
        quirks: Quirks,
        ranking: Option<Arc<dyn NodeRanking>>,
    ) -> Self {
        let period = period_at(&snap, snap.now);
        let add = |plan: &mut Plan| {
            plan.ranking = ranking;
            plan.over_share = over_shares(plan);
        };
        let first = |plan: &Arc<Plan>, settings: &Arc<CycleSettings>| {
            let ledger = Ledger::starting(plan, 0);
            let agenda = Agenda::starting(plan.clone(), &ledger, settings);
            (ledger, agenda)
        };
        let (universe, setup, (mut ledger, agenda)) =
            Universe::after(before, snap, quirks, period, add, first);
        ledger.size_classes(setup.classes.count);
        let Universe { plan, start, .. } = universe;
        let state = State::with_ledger(plan.clone(), &start, ledger);
        Self { plan, start, setup: Arc::new(setup), state, agenda }
    }

    /// Returns the derived data, for use with the next snapshot.
    pub fn universe(&self) -> Universe {
        let prime = self.setup.windows.prime.clone();
        Universe { plan: self.plan.clone(), start: self.start.clone(), prime }
    }

    /// Returns the state before the first job.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Considers every job.
    pub fn run(self) -> Run {
        self.run_noting(&mut |_| {})
    }

    /// Considers every job and reports those that do not start to `turned_down`.
    pub(in crate::cycle) fn run_noting(self, turned_down: &mut dyn FnMut(JobId)) -> Run {
        let Self { plan, start, setup, mut state, mut agenda } = self;
        let standing = agenda.eligibility.clone();
        let mut cycle = RunRecorder::starting(&plan, &setup);
        // Most jobs fail, and their classes with them; a start makes some more changes.
        state.reserve_changes(plan.snap.jobs.len() * 3);
        let confirmations = confirm_all(&mut state, &setup);
        let confirmed = confirmations.iter().rfind(|tried| tried.is_confirmed());
        if confirmed.is_none() {
            while let Some(job) = agenda.next(&state)
                && cycle.may_consider(&plan, &agenda, job)
            {
                cycle.step(&mut state, &setup, &mut agenda, job, None);
                if cycle.is_last_job_refused() {
                    turned_down(job);
                }
            }
        }
        let usage_fault = usage_fault(&plan, &setup);
        let mut warnings = unmodelled(&state, &setup, &agenda, usage_fault.as_deref());
        warnings.extend(cycle.endlessly_preempted().map(|job| no_end(&plan, job)));
        drop(agenda);
        let mut standing = Arc::unwrap_or_clone(standing);
        if let Some(confirmed) = confirmed {
            end_early(&plan, &mut standing, confirmed.reservation);
        }
        let last_step_of = cycle.last_steps();
        let mut step_of = std::mem::take(&mut cycle.step_of);
        let considered = cycle.considered as usize;
        find_listed_subjobs(&plan, &cycle.steps, &mut step_of, &mut standing);
        exclude_never_picked(&state, &step_of, cycle.early_end(&plan), &mut standing);
        // Strict ordering stopped these jobs, whatever else would have excluded them.
        cycle.stopped_by_order.iter().for_each(|stopped| standing[stopped.job] = Eligibility::Considered);
        let mut not_considered = not_considered(&plan, &standing);
        not_considered.append(&mut cycle.stopped_by_order);
        not_considered.sort_by_key(|outcome| outcome.job);
        Run {
            considered,
            not_considered,
            eligibility: standing,
            confirmations,
            warnings,
            usage_fault,
            plan,
            setup,
            steps: cycle.steps,
            end: state,
            start,
            actions: cycle.actions,
            witnesses: cycle.witnesses,
            held_nodes: cycle.held_nodes,
            step_of,
            last_step_of,
            agenda: OnceLock::new(),
            impossible: OnceLock::new(),
            double_bookings: OnceLock::new(),
            refused: OnceLock::new(),
            at_server: OnceLock::new(),
        }
    }
}
