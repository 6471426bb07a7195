//! Offers changes that work, each once, with effect and costs.

use std::ops::ControlFlow;

use qscope_engine::cluster::{Edit, Job, ResourceId};

use super::costs::RemedyCosts;
use super::release::ReleaseEdits;
use super::trial::with_base;
use super::{MAX_NAMED, Remedy, RemedySearch, RemedySearchEvent, WorkingChange, after_qrun};
use crate::words;

impl RemedySearch<'_> {
    /// Tries a change and offers it if it works.
    pub(super) fn offer(&mut self, change: String, edits: &[Edit], size: u32) -> ControlFlow<(), bool> {
        match self.tries(edits)? {
            Some(tried) => {
                self.offer_tried(change, edits, size, &tried)?;
                ControlFlow::Continue(true)
            }
            None => {
                if !change.is_empty() && !self.is_offered(&change) && !self.without_effect.contains(&change) {
                    self.without_effect.push(change);
                }
                ControlFlow::Continue(false)
            }
        }
    }

    /// Like [`offer`](Self::offer), with other things released.
    pub(super) fn offer_with(
        &mut self,
        released: &ReleaseEdits,
        change: String,
        edits: &[Edit],
        size: u32,
    ) -> ControlFlow<(), bool> {
        let base = std::mem::replace(&mut self.base, released.clone());
        let offered = self.offer(change, edits, size);
        self.base = base;
        offered
    }

    /// Offers a change that was tried and works.
    pub(super) fn offer_tried(
        &mut self,
        change: String,
        edits: &[Edit],
        size: u32,
        tried: &WorkingChange,
    ) -> ControlFlow<()> {
        // A change that works with less released need not be offered again.
        if !change.is_empty() && self.is_offered(&change) {
            return ControlFlow::Continue(());
        }
        self.without_effect.retain(|tried| *tried != change);
        let tried = &self.minimal(edits, tried);
        let mut phrases = tried.base.phrases.clone();
        phrases.extend(Some(change).filter(|change| !change.is_empty()));
        let qrun = edits.iter().any(|edit| matches!(edit, Edit::Qrun(_)));
        let RemedyCosts { other_jobs, delayed, doubles, is_harmless, text: costs } = match qrun {
            true => self.costs(&tried.run, &after_qrun(&tried.run)),
            false => self.costs(&tried.run, &tried.run),
        };
        let (effect, nodes) = self.effect(tried);
        let remedy = Remedy {
            about: nodes.into_iter().take(4).chain(other_jobs).collect(),
            change: phrases.join(" and "),
            effect,
            start: tried.start,
            costs,
            delayed,
            is_harmless,
            doubles,
            to_queue: self.queues.under_trial(),
            is_own: self.concerns_only_job(&tried.base, edits),
            edits: with_base(&tried.base, edits),
            size: size + tried.base.size,
        };
        if self.remedies.iter().any(|have| have.change == remedy.change) {
            return ControlFlow::Continue(());
        }
        (self.listener)(RemedySearchEvent::Found(&remedy))?;
        self.remedies.push(remedy);
        ControlFlow::Continue(())
    }

    /// Whether edits concern only the job, and nothing that only an operator or manager may set or release.
    fn concerns_only_job(&self, base: &ReleaseEdits, edits: &[Edit]) -> bool {
        let soft = |job: &Job| job.requested.get(ResourceId::soft_walltime()).cloned();
        let own = self.turn.plan().job(self.turn.job);
        let old = soft(own);
        let may_release = !own.holds.contains(['o', 's']);
        let by_owner = |edit: &Edit| match edit {
            Edit::Job(of, job) => {
                *of == self.turn.job
                    && (old.is_none() || soft(job) == old)
                    && (may_release || job.holds == own.holds)
            }
            _ => false,
        };
        base.edits.iter().chain(edits).all(by_owner)
    }

    /// Whether a change is already offered, alone or with what must be released.
    pub(super) fn is_offered(&self, change: &str) -> bool {
        let with_released = format!(" and {change}");
        self.remedies.iter().any(|have| have.change == change || have.change.ends_with(&with_released))
    }

    /// Describes the effect, and returns the nodes that the job gets.
    pub(super) fn effect(
        &self,
        WorkingChange { run, start, next_failure, .. }: &WorkingChange,
    ) -> (String, Vec<String>) {
        if let Some(at) = start {
            let snap = &self.turn.run.plan.snap;
            // A cycle that confirms a reservation is followed by another at once.
            let when = match *at <= snap.now {
                true => "in the next cycle".to_owned(),
                false => format!("at {} by running the cycle forward", words::moment(snap, *at)),
            };
            return (format!("it can run then, {when}"), Vec::new());
        }
        let outcome = self.outcome(run);
        let nodes: Vec<String> = outcome
            .and_then(|outcome| outcome.placed.as_ref())
            .map(|placed| {
                placed.allocation.nodes().iter().map(|bit| run.plan.node_name(*bit).to_string()).collect()
            })
            .unwrap_or_default();
        let names = words::folded_within(nodes.iter().map(String::as_str), MAX_NAMED);
        let beyond = next_failure.as_ref().map(|beyond| format!(" ({beyond})")).unwrap_or_default();
        let text = format!("starts now on {}: {names}{beyond}", words::count(nodes.len(), "node"));
        (text, nodes)
    }
}
