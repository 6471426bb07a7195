//! Checks whether the cycle over a cluster with other names decides the same: everything except the names is
//! compared.

use std::cell::RefCell;
use std::mem::{Discriminant, discriminant};

use qscope_engine::cluster::{ExecVnode, JobId, deduplicated, short_id};
use qscope_engine::cycle::{Outcome, RefusalStage, Run};
use qscope_engine::placement::PlacementPath;
use qscope_engine::universe::{Allocation, Reason};
use qscope_explain::decided;

use crate::redacted::NameReplacements;

/// Returns the differences between two cycles over the same jobs in the same order, a sentence for each job with its id
/// in the first. The names of the first are translated before the comparison.
pub fn differences(original: &Run, other: &Run, names: &NameReplacements) -> Vec<String> {
    let [ours, theirs] = [original, other].map(|run| &run.plan.snap);
    if ours.jobs.len() != theirs.jobs.len() || ours.nodes.len() != theirs.nodes.len() {
        return vec![format!(
            "{} jobs and {} vnodes became {} and {}",
            ours.jobs.len(),
            ours.nodes.len(),
            theirs.jobs.len(),
            theirs.nodes.len()
        )];
    }
    let mut found = Vec::new();
    let (ours, theirs) = (
        ComparedCycle { run: original, names: Some(RefCell::new(names.clone())) },
        ComparedCycle { run: other, names: None },
    );
    if original.steps.len() != other.steps.len() {
        found.push(format!("{} turns became {}", original.steps.len(), other.steps.len()));
    }
    for (a, b) in original.steps.iter().zip(other.steps.iter()) {
        let name = a.outcome.name(&original.plan.snap);
        let (a, b) = (ours.of(&a.outcome), theirs.of(&b.outcome));
        if a != b {
            found.push(format!("{}: {}", short_id(&name), b.describe_difference(&a)));
        }
    }
    for (job, of) in original.plan.snap.jobs.enumerate() {
        let (a, b) = (ours.job(job), theirs.job(job));
        if a != b {
            let words = a
                .zip(b)
                .map_or("considered in one cycle only".to_owned(), |(a, b)| b.describe_difference(&a));
            found.push(format!("{}: {words}", of.short_name()));
        }
    }
    deduplicated(found)
}

/// The outcome of a job, with comparable names.
#[derive(PartialEq)]
struct ComparableOutcome {
    job: JobId,
    subjob: Option<u32>,
    order: Option<u32>,
    verdict: &'static str,
    path: Option<PlacementPath>,
    rule: Option<u8>,
    stage: Option<&'static str>,
    comment: Option<ComparableComment>,
    vnodes: Option<String>,
    estimate: Option<(i64, String)>,
    victims: Vec<JobId>,
    examined: String,
}

impl ComparableOutcome {
    /// Describes the first difference from the other outcome that a reader of verdicts would see.
    fn describe_difference(&self, other: &Self) -> String {
        if (self.job, self.subjob) != (other.job, other.subjob) {
            "another job at its turn".to_owned()
        } else if self.verdict != other.verdict {
            format!("{} instead of {}", self.verdict, other.verdict)
        } else if self.vnodes != other.vnodes {
            "other vnodes".to_owned()
        } else if self.estimate != other.estimate {
            "another planned start".to_owned()
        } else if self.victims != other.victims {
            "other preempted jobs".to_owned()
        } else if self.order != other.order {
            "another place in the order".to_owned()
        } else if self.comment != other.comment {
            "another reason".to_owned()
        } else {
            "another way to the same decision".to_owned()
        }
    }
}

/// The comparable part of a comment.
struct ComparableComment {
    kind: Discriminant<Reason>,
    /// `None` if its words cannot be translated.
    words: Option<String>,
}

impl PartialEq for ComparableComment {
    /// Compares only the kinds if the words of either cannot be translated.
    fn eq(&self, other: &Self) -> bool {
        let are_known = self.words.is_some() && other.words.is_some();
        self.kind == other.kind && (!are_known || self.words == other.words)
    }
}

struct ComparedCycle<'a> {
    run: &'a Run,
    /// The replacements of its names in the other cycle.
    names: Option<RefCell<NameReplacements>>,
}

impl ComparedCycle<'_> {
    fn job(&self, job: JobId) -> Option<ComparableOutcome> {
        decided(self.run, job).map(|outcome| self.of(outcome))
    }

    fn of(&self, outcome: &Outcome) -> ComparableOutcome {
        ComparableOutcome {
            job: outcome.job,
            subjob: outcome.subjob,
            order: outcome.order,
            verdict: outcome.verdict.word(),
            path: outcome.path,
            rule: outcome.would_use.map(|choice| choice.rule.number()),
            stage: outcome.refused_at.map(RefusalStage::word),
            comment: self.comment(outcome),
            vnodes: outcome.placed.as_ref().map(|placed| self.nodes(&placed.allocation)),
            estimate: outcome.estimate.as_ref().map(|top| (top.start.0, self.nodes(&top.allocation))),
            victims: outcome.victims.iter().map(|(job, _)| *job).collect(),
            examined: format!("{:?}", outcome.examined),
        }
    }

    fn comment(&self, outcome: &Outcome) -> Option<ComparableComment> {
        let rejection = outcome.rejection.as_ref()?;
        let catalogue = &self.run.plan.snap.catalogue;
        let text = rejection.comment(catalogue);
        let words = match &self.names {
            Some(names) => names.borrow().redact_comment(&text, catalogue),
            None => Some(text),
        };
        Some(ComparableComment { kind: discriminant(&rejection.reason), words })
    }

    fn nodes(&self, allocation: &Allocation) -> String {
        let text = allocation.exec_vnode(&self.run.plan);
        match (&self.names, ExecVnode::parse(&text)) {
            (Some(names), Ok(nodes)) => {
                names.borrow_mut().in_placement(&nodes, &self.run.plan.snap).to_string()
            }
            _ => text,
        }
    }
}
