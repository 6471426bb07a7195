//! Running jobs whose walltime was over before the dumps were made. On the timeline each of them ends one second
//! later; one that also has a soft walltime has ended with its walltime (rule 6.8; rule 11 item 2). These ends are
//! assumed, and any answer based on them states it.

use qscope_engine::cluster::{Epoch, Job, JobId, JobState, Seconds, Snapshot};
use qscope_engine::universe::{Plan, planned_end};

use super::words;

/// How late a running job is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overdue {
    /// When its walltime was over.
    pub since: Epoch,
    /// The time since then.
    pub duration: Seconds,
    /// Its end on the timeline: one second from now, or in the past.
    pub end: Epoch,
}

impl Overdue {
    /// Returns how late a running job is; `None` for one within its walltime or exiting.
    pub fn of(plan: &Plan, id: JobId) -> Option<Self> {
        let length = plan.requests.checked(id)?.as_ref().ok()?.hard_duration;
        let (job, now) = (plan.job(id), plan.snap.now);
        let since = over_since(job, length).filter(|since| *since < now)?;
        Some(Self { since, duration: now - since, end: planned_end(plan, id)? })
    }

    /// Describes by how much, since when, and which end is assumed, to follow the job's name and `is`.
    pub fn words(self, snap: &Snapshot) -> String {
        let (by, since) = (words::duration(self.duration), words::clock(snap, self.since));
        let end = match self.end {
            end if end > snap.now => format!("its end is assumed at {}", words::moment(snap, end)),
            end if end == self.since => "its end is assumed then, though it still runs".to_owned(),
            end => format!("its end is assumed at {}, though it still runs", words::moment(snap, end)),
        };
        format!("overdue by {by}: its walltime was over at {since}, and {end}")
    }
}

/// Returns when the walltime of a running job is over.
fn over_since(job: &Job, length: Seconds) -> Option<Epoch> {
    let started = job.started.filter(|_| job.state == JobState::Running)?;
    Some(started + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walltime_of_a_job_that_runs_is_over_once_it_has_passed() {
        let over = |state| {
            let job = Job { started: Some(Epoch(100_000)), state, ..Job::default() };
            over_since(&job, Seconds(3600))
        };
        assert_eq!(over(JobState::Running), Some(Epoch(103_600)));
        assert_eq!([over(JobState::Exiting), over(JobState::Queued)], [None, None]);
    }

    #[test]
    fn the_end_that_is_assumed_is_stated() {
        let snap = Snapshot::empty("t", Epoch(100_000));
        let words =
            |end| Overdue { since: Epoch(94_600), duration: Seconds(5400), end: Epoch(end) }.words(&snap);
        let over = "overdue by 1h30: its walltime was over at 02:16:40, and its end is assumed";
        assert_eq!(words(100_001), format!("{over} at 03:46:41 (in 1s)"));
        assert_eq!(words(94_600), format!("{over} then, though it still runs"));
        assert_eq!(words(96_400), format!("{over} at 02:46:40 (1h00 ago), though it still runs"));
    }
}
