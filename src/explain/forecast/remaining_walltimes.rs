//! Remaining times of the running jobs by their declared walltimes, on which the error of a forecast depends.

use qscope_engine::cluster::{JobId, JobState, Seconds};
use qscope_engine::cycle::Run;
use qscope_engine::universe::{EventKind, Occupant};

use crate::blame::end_by_walltime;
use crate::overdue::Overdue;
use crate::turn::decided;
use crate::words::{count, duration, is_without_walltime};

/// Remaining times of the running jobs by their walltimes; any of them may end earlier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RemainingWalltimes {
    /// Number of jobs that run or start in this cycle.
    pub jobs: u32,
    /// Median remaining time of the jobs whose walltime may hold.
    pub median: Seconds,
    /// Longest remaining time of these jobs.
    pub longest: Seconds,
    /// Number of jobs without a walltime.
    pub endless: u32,
    /// Number of overdue jobs, which are assumed to end at once or to have ended.
    pub overdue: u32,
    /// Number of overdue jobs assumed to have ended when their walltime was over.
    pub past: u32,
}

impl RemainingWalltimes {
    /// Collects them for the jobs that run now or start in this cycle.
    pub(super) fn of(run: &Run) -> Option<Self> {
        let snap = &run.plan.snap;
        // A top job has an end too, but is not running yet.
        let runs = |job: JobId| {
            snap.jobs[job].state == JobState::Running
                || snap.jobs[job].state == JobState::Begun
                || decided(run, job).is_some_and(|outcome| outcome.placed.is_some())
        };
        let (mut found, mut left) = (Self::default(), Vec::new());
        let state = run.end_at_server();
        for (key, event) in state.timeline.iter() {
            let Occupant::Job(job, subjob) = event.occupant else { continue };
            if key.kind != EventKind::End || subjob.is_none() && !runs(job) {
                continue;
            }
            found.jobs += 1;
            let at = end_by_walltime(state, key, event).unwrap_or(key.at);
            match Overdue::of(&run.plan, job) {
                Some(overdue) => {
                    found.overdue += 1;
                    found.past += u32::from(overdue.end <= snap.now);
                }
                None if is_without_walltime(at - snap.now) => found.endless += 1,
                None => left.push(Seconds((at - snap.now).0.max(0))),
            }
        }
        left.sort_unstable();
        found.median = left.get(left.len() / 2).copied().unwrap_or_default();
        found.longest = left.last().copied().unwrap_or_default();
        (found.jobs > 0).then_some(found)
    }

    /// Describes the error in one sentence.
    pub fn words(&self) -> String {
        if self.jobs == self.overdue {
            let who = match self.jobs {
                1 => "the job that runs, which is overdue, goes on".to_owned(),
                jobs => format!("the {jobs} jobs that run, all overdue, go on"),
            };
            return format!("later if {who}: {}", self.ends_assumed());
        }
        let (runs, starts) = if self.jobs == 1 { ("runs", "starts") } else { ("run", "start") };
        let all = count(self.jobs, "job");
        let later = match self.overdue {
            0 => String::new(),
            1 => format!("; later if 1 that is overdue goes on: {}", self.ends_assumed()),
            late => format!("; later if {late} that are overdue go on: {}", self.ends_assumed()),
        };
        match self.jobs == 1 {
            true => format!(
                "sooner if jobs end early: {all} {runs} or {starts} in this cycle, and {}",
                self.one()
            ),
            false => format!(
                "sooner if jobs end early: of {all} that {runs} or {starts} in this cycle {}{later}",
                self.some()
            ),
        }
    }

    /// Describes the end of a single job that is not overdue.
    fn one(&self) -> String {
        match self.endless {
            0 => format!("ends within {} by its walltime", duration(self.longest)),
            _ => "has no walltime: 5 years are assumed".to_owned(),
        }
    }

    /// Describes the ends of several jobs, ignoring overdue ones.
    fn some(&self) -> String {
        let (median, longest) = (duration(self.median), duration(self.longest));
        let holding = self.jobs - self.endless - self.overdue;
        let ends = match holding {
            0 => None,
            _ if holding == self.jobs => {
                Some(format!("half end within {median} by their walltimes, the last after {longest}"))
            }
            1 => Some(format!("1 ends within {longest} by its walltime")),
            some => Some(format!(
                "{some} end by their walltimes, half of these within {median}, the last after {longest}"
            )),
        };
        let endless = match self.endless {
            0 => None,
            1 => Some("1 has no walltime: 5 years are assumed".to_owned()),
            jobs => Some(format!("{jobs} have no walltime: 5 years are assumed")),
        };
        [ends, endless].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// States which ends are assumed for overdue jobs.
    fn ends_assumed(&self) -> &'static str {
        match (self.overdue, self.past) {
            (1, 0) => "its end is assumed in 1s",
            (1, _) => "its end is assumed when its walltime was over",
            (_, 0) => "their ends are assumed in 1s",
            (overdue, past) if overdue == past => "their ends are assumed when their walltimes were over",
            _ => "their ends are assumed in 1s, or when their walltimes were over",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_walltimes_that_may_hold_are_counted_as_ends() {
        let of = |jobs, endless, overdue, past| {
            let (median, longest) = (Seconds(3600), Seconds(7200));
            RemainingWalltimes { jobs, median, longest, endless, overdue, past }.words()
        };
        let sooner = |of: &str| format!("sooner if jobs end early: {of}");
        for ((jobs, endless, overdue, past), words) in [
            ((1, 0, 0, 0), sooner("1 job runs or starts in this cycle, and ends within 2h00 by its walltime")),
            ((1, 1, 0, 0), sooner("1 job runs or starts in this cycle, and has no walltime: 5 years are assumed")),
            (
                (7, 0, 0, 0),
                sooner(
                    "of 7 jobs that run or start in this cycle half end within 1h00 by their walltimes, the last \
                     after 2h00",
                ),
            ),
            (
                (7, 1, 2, 0),
                sooner(
                    "of 7 jobs that run or start in this cycle 4 end by their walltimes, half of these within 1h00, the \
                     last after 2h00, 1 has no walltime: 5 years are assumed; later if 2 that are overdue go on: their \
                     ends are assumed in 1s",
                ),
            ),
            (
                (2, 0, 1, 1),
                sooner(
                    "of 2 jobs that run or start in this cycle 1 ends within 2h00 by its walltime; later if 1 that is \
                     overdue goes on: its end is assumed when its walltime was over",
                ),
            ),
            (
                (1, 0, 1, 0),
                "later if the job that runs, which is overdue, goes on: its end is assumed in 1s".to_owned(),
            ),
            (
                (3, 0, 3, 1),
                "later if the 3 jobs that run, all overdue, go on: their ends are assumed in 1s, or when their \
                 walltimes were over"
                    .to_owned(),
            ),
        ] {
            assert_eq!(of(jobs, endless, overdue, past), words);
        }
    }
}
