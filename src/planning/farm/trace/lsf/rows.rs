//! Finished jobs of LSF as rows of a history.

use super::{ExecutionHosts, FinishedJob, LsfRecordError, read_finished_job};
use crate::farm::criterion::{Criterion, JobProperties};
use crate::farm::trace::history::{TraceHistory, TraceRow};

/// Adds one line of `lsb.acct` to a history. Records of other kinds hold no slots.
///
/// # Errors
/// What is wrong with the record.
pub(in crate::farm::trace) fn take(
    line: &str,
    criterion: &Criterion,
    keep_ids: bool,
    history: &mut TraceHistory,
) -> Result<(), String> {
    if line.starts_with('#') {
        return Ok(());
    }
    history.notes.records += 1;
    let job = match read_finished_job(line.as_bytes()) {
        Ok(job) => job,
        Err(LsfRecordError::Other) => return Ok(()),
        Err(why) => return Err(why.to_string()),
    };
    let span = history.span.get_or_insert((job.ended, job.ended));
    *span = (span.0.min(job.ended), span.1.max(job.ended));
    let Some(start) = job.started else {
        history.notes.unplaced += 1;
        return Ok(());
    };
    let run = u32::try_from(job.ended.saturating_sub(start)).map_err(|_| "runs for longer than 136 years")?;
    let class = history.classes.number(&criterion.class_of(&DescribedFinish(&job)));
    let past =
        |node, slots| TraceRow { submit: job.eligible.min(start), start, run, class, slots, node, job: 0 };
    let parts: Vec<TraceRow> = match &job.hosts {
        ExecutionHosts::Slots(hosts) => {
            hosts.iter().map(|(host, slots)| past(history.nodes.number(host), *slots)).collect()
        }
        ExecutionHosts::Unknown(_) | ExecutionHosts::None => vec![past(u32::MAX, job.asked)],
    };
    for part in &parts {
        crate::farm::slots_of(i64::from(part.slots), "slots")?;
    }
    history.notes.over_vnodes += u64::from(parts.len() > 1);
    let id = keep_ids.then(|| name(&job));
    history.add_job(parts, id.as_deref());
    Ok(())
}

/// Returns the number of a job, with the index of an array's element.
fn name(job: &FinishedJob<'_>) -> String {
    if job.index == 0 { job.id.to_string() } else { format!("{}[{}]", job.id, job.index) }
}

/// A finished job, as described to a criterion.
struct DescribedFinish<'a>(&'a FinishedJob<'a>);

impl JobProperties for DescribedFinish<'_> {
    fn attribute(&self, criterion: &Criterion) -> Option<String> {
        let Self(job) = self;
        match criterion {
            Criterion::Queue => Some(job.queue.to_string()),
            Criterion::User => Some(job.user.to_string()),
            Criterion::Project => Some(job.project.to_string()),
            // The first part of `/group/user`, the account charged by fair share.
            Criterion::Group => job.account.split('/').find(|part| !part.is_empty()).map(str::to_owned),
            _ => None,
        }
    }

    fn name(&self) -> Option<String> {
        Some(self.0.name.to_string())
    }
}
