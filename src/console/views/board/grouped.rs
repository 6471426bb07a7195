//! The waiting jobs grouped by another criterion than their reason: by user or by queue.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::lines::{CauseLine, JobLine};

/// What the jobs of a line have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::IntoStaticStr)]
pub(super) enum JobGrouping {
    #[default]
    Reason,
    User,
    Queue,
}

/// Maximum number of reasons named for a user or a queue.
const MAX_REASONS: usize = 4;

impl JobGrouping {
    /// The criterion with that word.
    pub(super) fn named(name: &str) -> Option<Self> {
        [Self::Reason, Self::User, Self::Queue].into_iter().find(|by| by.word() == name)
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Reason => "reason",
            Self::User => "user",
            Self::Queue => "queue",
        }
    }

    /// The title of the pane about the selected line.
    pub(super) fn title(self) -> &'static str {
        self.into()
    }

    /// The next criterion, going round.
    pub(super) fn next(self) -> Self {
        match self {
            Self::Reason => Self::User,
            Self::User => Self::Queue,
            Self::Queue => Self::Reason,
        }
    }

    /// The lines grouped by this criterion, the most core-hours first.
    pub(super) fn lines(self, reasons: &Arc<[CauseLine]>) -> Arc<[CauseLine]> {
        let of = match self {
            Self::Reason => return reasons.clone(),
            Self::User => |job: &JobLine| job.user.clone(),
            Self::Queue => |job: &JobLine| job.queue.clone(),
        };
        let mut groups: BTreeMap<String, Vec<(&CauseLine, Arc<JobLine>)>> = BTreeMap::new();
        for line in reasons.iter() {
            for job in line.jobs.iter() {
                groups.entry(of(job)).or_default().push((line, job.clone()));
            }
        }
        let mut lines: Vec<CauseLine> =
            groups.into_iter().map(|(name, jobs)| self.line(name, jobs)).collect();
        lines.sort_by(|a, b| {
            b.core_hours.total_cmp(&a.core_hours).then_with(|| b.jobs.len().cmp(&a.jobs.len()))
        });
        lines.into()
    }

    fn line(self, name: String, mut jobs: Vec<(&CauseLine, Arc<JobLine>)>) -> CauseLine {
        let mut reasons: Vec<(&str, usize)> = Vec::new();
        for (line, _) in &jobs {
            match reasons.iter_mut().find(|(reason, _)| *reason == line.name) {
                Some((_, count)) => *count += 1,
                None => reasons.push((&line.name, 1)),
            }
        }
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let named = reasons.iter().take(MAX_REASONS).map(|(reason, count)| format!("{count} {reason}"));
        let mut example: Vec<String> = named.collect();
        let more = reasons.len().saturating_sub(MAX_REASONS);
        example.extend((more > 0).then(|| format!("+{more}")));
        let analysed = jobs.iter().all(|(line, _)| line.analysed);
        jobs.sort_by_key(|(_, job)| job.order.unwrap_or(u32::MAX));
        let core_hours = jobs.iter().map(|(_, job)| job.core_hours).sum();
        CauseLine {
            key: format!("{} {name}", self.word()),
            tier: None,
            name,
            object: String::new(),
            job_as: None,
            brief: example.join(", "),
            example: example.join(", "),
            core_hours,
            nodes: None,
            analysed,
            never: None,
            jobs: jobs.into_iter().map(|(_, job)| job).collect(),
        }
    }
}
