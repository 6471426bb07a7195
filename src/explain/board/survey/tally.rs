//! How many jobs wait for each reason, as far as the queue was analysed.

use qscope_engine::cluster::{JobId, found_or_added};

use crate::{Survey, Tier, WaitReason, waiting_core_hours};

/// All jobs that wait for one reason.
#[derive(Clone, Debug, PartialEq)]
pub struct ReasonTally {
    pub tier: Tier,
    /// As tables name it.
    pub name: String,
    /// The numbers compared for one of the jobs, or a sentence about it that stands beside its name and that of the reason.
    pub example: String,
    /// Whether the example holds for all of them, and not for the first alone.
    pub is_shared: bool,
    /// In the order considered.
    pub jobs: Vec<JobId>,
    /// The cpu time that they request, in hours.
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
            is_shared: true,
            jobs: Vec::new(),
            core_hours: 0.0,
            analysed: true,
        }
    }
}

/// What stands for a reason in one line: of order who is ahead, of other reasons the numbers.
fn example(reason: &WaitReason) -> &str {
    match &reason.measure {
        Some(measure) if reason.tier != Tier::Order || reason.beside.is_empty() => &measure.text,
        _ => &reason.beside,
    }
}

impl Survey {
    /// Reasons by name with their jobs and what these request, those that keep the most cpu time first.
    pub fn tally(&self) -> Vec<ReasonTally> {
        let mut found: Vec<ReasonTally> = Vec::new();
        for (group, reason) in self.groups.iter().filter_map(|group| Some((group, group.reason.as_ref()?))) {
            let hours: f64 = group.jobs.iter().map(|job| waiting_core_hours(&self.run, *job)).sum();
            let new = || ReasonTally::new(reason);
            let one = found_or_added(&mut found, |one| one.name == reason.name, new);
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
