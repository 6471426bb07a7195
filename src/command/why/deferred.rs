//! What takes longer to compute: what blocks the job, when it would start, and what would help.

use std::ops::ControlFlow;

use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::JobId;
use qscope_explain::{
    Blockers, Explanation, Forecast, JobTurn, TriedChanges, find_blockers, forecast, tried_changes,
};
use qscope_session::{Generation, IntervalCoverage, LogHistory, StartPercentiles};

use super::{WhyArgs, most_cycles};
use crate::command::meter::Meter;
use crate::command::open;

/// What takes longer to compute.
pub(super) struct DeferredAnalysis<'a> {
    pub(super) generation: &'a Generation,
    pub(super) job: JobId,
    pub(super) args: &'a WhyArgs,
    pub(super) waits: bool,
    /// Whether it is a subjob that started; the rest of its array may still wait, but its start must not be
    /// estimated.
    pub(super) is_started_subjob: bool,
}

impl DeferredAnalysis<'_> {
    pub(super) fn blame(&self, turn: Option<&JobTurn>, explanation: &Explanation) -> Option<Blockers> {
        let is_due = self.waits && !self.args.fast && !self.args.no_estimate;
        turn.filter(|_| is_due).map(|turn| find_blockers(turn, &explanation.causes))
    }

    /// Returns the estimate and the remedies, which are searched for at the same time; passes the estimate to
    /// `on_estimate` as soon as it is found.
    pub(super) fn estimate_and_remedies(
        &self,
        on_estimate: &dyn Fn(&Forecast) -> Result<()>,
    ) -> Result<(Option<Forecast>, TriedChanges)> {
        std::thread::scope(|scope| {
            let remedies = scope.spawn(|| self.remedies());
            let estimate = self.estimate();
            if let Some(found) = &estimate {
                on_estimate(found)?;
            }
            let remedies = remedies.join().map_err(|_| eyre!("the search for remedies broke off"))?;
            Ok((estimate, remedies))
        })
    }

    fn estimate(&self) -> Option<Forecast> {
        if self.args.fast || self.args.no_estimate || self.is_started_subjob {
            return None;
        }
        let max_cycles = self.args.cycles.unwrap_or_else(|| most_cycles(&self.generation.snapshot));
        forecast(&self.generation.run, self.job, &mut |progress| progress.up_to(max_cycles))
    }

    /// The past to draw from, read; none where the job does not wait, or no logs are named.
    ///
    /// # Errors
    /// Logs that cannot be read.
    pub(super) fn read_history(&self) -> Result<Option<LogHistory>> {
        if !self.waits || self.args.past.is_empty() {
            return Ok(None);
        }
        let opening = open::opening(&self.args.cluster.at.paths, &self.args.cluster.at.form.reading)?;
        let past = LogHistory::new(&opening, self.args.past.clone());
        past.check().map_err(|why| eyre!("--past: {why}"))?;
        Ok(Some(past))
    }

    /// Returns the start as a distribution, and how well such statements held in the past; nothing if Ctrl-C ended
    /// it.
    pub(super) fn start_distribution(
        &self,
        history: Option<&LogHistory>,
    ) -> Result<(Option<StartPercentiles>, Option<IntervalCoverage>)> {
        let Some(past) = history else { return Ok((None, None)) };
        let meter = Meter::new()?;
        let snap = &self.generation.snapshot;
        let shown = |done: u64, all: u64| {
            meter.show(done as f64 / all.max(1) as f64, done, "runs");
            meter.should_continue()
        };
        let spread = past
            .start_percentiles(snap, &snap.jobs[self.job].name, &shown)
            .map_err(|why| eyre!("--past: {why}"))?;
        let held = past.interval_coverage(&shown).map_err(|why| eyre!("--past: {why}"))?;
        meter.clear();
        Ok((spread, held))
    }

    /// Returns whether changes are tried that would let the job start.
    pub(super) fn seeks_remedies(&self) -> bool {
        self.waits && !self.args.fast && !self.args.no_remedies
    }

    fn remedies(&self) -> TriedChanges {
        if !self.seeks_remedies() {
            return TriedChanges::default();
        }
        tried_changes(&self.generation.run, self.job, &mut |_| ControlFlow::Continue(()))
    }
}
