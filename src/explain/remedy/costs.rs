//! What a change that starts a job costs others.

use rustc_hash::FxHashMap;

use super::{MAX_NAMED, NO_COSTS, Search};
use crate::turn::starting;
use crate::words;
use qscope_engine::cluster::{JobId, short_id};
use qscope_engine::cycle::{Outcome, Run, ServerAction};
use qscope_engine::universe::Bit;

impl Search<'_> {
    /// Which running jobs are preempted with the change and not without it.
    fn interrupted(&self, run: &Run) -> Option<String> {
        let preempted = |run: &Run| -> Vec<JobId> {
            let job = |action: &ServerAction| match action {
                ServerAction::Preempt(job, _) => Some(*job),
                ServerAction::Resume(_) | ServerAction::ExtendSoft(..) => None,
            };
            run.actions.iter().filter_map(job).collect()
        };
        let (before, jobs) = (preempted(&self.turn.run), &self.turn.run.plan.snap.jobs);
        let new = preempted(run).into_iter().filter(|job| !before.contains(job));
        let names: Vec<&str> = new.map(|job| jobs[job].short_name()).collect();
        (!names.is_empty())
            .then(|| format!("preempts {}", words::folded_within(names.into_iter(), MAX_NAMED)))
    }

    /// Who starts without the change and not with it, which top jobs move, and who is preempted for it.
    /// `run` is the cycle with the change, `then` the next one where the change is a qrun.
    pub(super) fn costs(&self, run: &Run, then: &Run) -> (Vec<String>, String) {
        let before = &self.turn.run;
        let snap = &before.plan.snap;
        let (mut delayed, mut moved, mut costs) = (Vec::new(), Vec::new(), Vec::new());
        // By subjob: of an array others may start, or fewer.
        let placed = |outcome: &Outcome| outcome.placed.as_ref().map(|placed| placed.allocation.nodes());
        let starts: FxHashMap<(JobId, Option<u32>), Vec<Bit>> = then
            .outcomes()
            .filter_map(|outcome| Some(((outcome.job, outcome.subjob), placed(outcome)?)))
            .collect();
        for outcome in before.outcomes() {
            let other = (outcome.job != self.turn.job).then(|| starting(then, outcome.job)).flatten();
            let Some(other) = other else { continue };
            if let Some(nodes) = placed(outcome) {
                match starts.get(&(outcome.job, outcome.subjob)) {
                    None => delayed.push(outcome.name(snap)),
                    Some(others) if *others != nodes => moved.push(outcome.name(snap)),
                    Some(_) => {}
                }
            }
            if let (Some(old), Some(new)) = (&outcome.estimate, &other.estimate)
                && new.start > old.start
            {
                let (top, later) = (snap.jobs[outcome.job].short_name(), new.start - old.start);
                costs.push(format!("top job {top} starts {} later", words::duration(later)));
            }
        }
        if !delayed.is_empty() {
            let names = words::folded_within(delayed.iter().map(|name| short_id(name)), MAX_NAMED);
            costs.insert(0, format!("{names} {}", if delayed.len() == 1 { "waits" } else { "wait" }));
        }
        costs.extend(self.interrupted(run));
        if !moved.is_empty() {
            let names = words::folded_within(moved.iter().map(|name| short_id(name)), MAX_NAMED);
            let verb = if moved.len() == 1 { "starts" } else { "start" };
            costs.push(format!("{names} {verb} on other nodes"));
        }
        let text = if costs.is_empty() { NO_COSTS.to_owned() } else { costs.join("; ") };
        (delayed, text)
    }
}
