//! Running jobs whose walltime was over before the dumps were made. The scheduler expects each of them to end one second
//! later (rule 6.8); that end is assumed, and any answer that rests on it states that.

use qscope_engine::cluster::{Epoch, Job, JobId, JobState, Seconds, Snapshot};
use qscope_engine::universe::Plan;

use super::words;

/// How late a running job is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overdue {
    /// When its walltime was over.
    pub since: Epoch,
    /// How long ago that was.
    pub by: Seconds,
}

impl Overdue {
    /// Of a job that runs; none of one that is within its walltime, or exits.
    pub fn of(plan: &Plan, id: JobId) -> Option<Self> {
        let length = plan.requests.checked(id)?.as_ref().ok()?.hard_duration;
        Self::of_length(&plan.snap.jobs[id], length, plan.snap.now)
    }

    /// Of a job that may run so long.
    pub(crate) fn of_length(job: &Job, length: Seconds, now: Epoch) -> Option<Self> {
        let started = job.started.filter(|_| job.state == JobState::Running)?;
        let since = started + length;
        (since < now).then(|| Self { since, by: now - since })
    }

    /// By how much, since when, and which end is assumed: what is stated of the job after its name and `is`.
    pub fn words(self, snap: &Snapshot) -> String {
        let (by, since) = (words::duration(self.by), words::clock(snap, self.since));
        let end = words::moment(snap, snap.now + Seconds::EXITING);
        format!("overdue by {by}: its walltime was over at {since}, and its end is assumed at {end}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_overdue_once_its_walltime_is_over() {
        let snap = Snapshot::empty("t", Epoch(100_000));
        let late = |ago: i64, state| {
            let job = Job { started: Some(Epoch(100_000 - ago)), state, ..Job::default() };
            Overdue::of_length(&job, Seconds(3600), snap.now)
        };
        assert_eq!([late(3599, JobState::Running), late(3600, JobState::Running)], [None, None]);
        assert_eq!([late(9000, JobState::Exiting), late(9000, JobState::Queued)], [None, None]);
        let found = late(9000, JobState::Running).unwrap();
        assert_eq!(found, Overdue { since: Epoch(94_600), by: Seconds(5400) });
        let text =
            "overdue by 1h30: its walltime was over at 02:16:40, and its end is assumed at 03:46:41 (in 1s)";
        assert_eq!(found.words(&snap), text);
    }
}
