//! Number of jobs waiting for each reason, as far as the queue was analysed.

use qscope_engine::cluster::{JobId, found_or_added};

use crate::{BoardBuilder, Tier, WaitReason, waiting_core_hours};

/// All jobs waiting for one reason.
#[derive(Clone, Debug, PartialEq)]
pub struct ReasonTally {
    pub tier: Tier,
    /// The name in tables.
    pub name: String,
    /// The numbers compared for one of the jobs, or a sentence about it to be shown next to its name and reason.
    pub example: String,
    /// What explains the numbers of the example, in a few words.
    pub explanation: Option<String>,
    /// The examples of the first jobs, in the order considered.
    pub first: Vec<String>,
    /// Whether the example holds for all of them, not only for the first.
    pub is_shared: bool,
    /// In the order considered.
    pub jobs: Vec<JobId>,
    /// The core-hours that they request.
    pub core_hours: f64,
    /// Whether all of them were analysed.
    pub analysed: bool,
}

impl ReasonTally {
    fn new(reason: &WaitReason) -> Self {
        Self {
            tier: reason.tier,
            name: reason.name.clone(),
            example: example(reason).to_owned(),
            explanation: reason.explanation.clone().filter(|_| is_measured(reason)),
            first: Vec::new(),
            is_shared: true,
            jobs: Vec::new(),
            core_hours: 0.0,
            analysed: true,
        }
    }
}

/// Maximum number of jobs of a reason whose own example is kept.
const FIRST: usize = 3;

/// Whether the example of a reason is its numbers; for order it is who is ahead.
fn is_measured(reason: &WaitReason) -> bool {
    reason.measure.is_some() && (reason.tier != Tier::Order || reason.short_sentence.is_empty())
}

/// Returns the example for a reason.
fn example(reason: &WaitReason) -> &str {
    match &reason.measure {
        Some(measure) if is_measured(reason) => &measure.text,
        _ => &reason.short_sentence,
    }
}

impl BoardBuilder {
    /// Returns reasons by name with their jobs and core-hours, those with the most core-hours first.
    pub fn tally(&self) -> Vec<ReasonTally> {
        let mut found: Vec<ReasonTally> = Vec::new();
        for (group, reason) in self.groups.iter().filter_map(|group| Some((group, group.reason.as_ref()?))) {
            let hours: f64 = group.jobs.iter().map(|job| waiting_core_hours(&self.run, *job)).sum();
            let new = || ReasonTally::new(reason);
            let one = found_or_added(&mut found, |one| one.name == reason.name, new);
            let room = FIRST.saturating_sub(one.first.len()).min(group.jobs.len());
            one.first.extend(std::iter::repeat_n(example(reason).to_owned(), room));
            one.jobs.extend_from_slice(&group.jobs);
            one.core_hours += hours;
            one.analysed &= reason.analysed;
            one.is_shared &= one.example == example(reason);
        }
        found.sort_by(|a, b| {
            b.core_hours.total_cmp(&a.core_hours).then_with(|| b.jobs.len().cmp(&a.jobs.len()))
        });
        found
    }
}
