//! The result at the end of a simulation (days rule 11).

use crate::rejection;
use crate::shares::Shares;
use crate::{JobEnd, JobResult, Measures, Simulated, Simulation};

impl Simulation {
    /// Returns the result.
    pub(super) fn finish(mut self) -> Simulated {
        self.series.sample(&self.server);
        let rejected = self.server.rejected.iter().map(|(arrival, _)| JobResult {
            state: JobEnd::Rejected,
            ..JobResult::new(arrival.name.clone(), arrival.at, false)
        });
        let mut jobs: Vec<JobResult> = rejected.collect();
        for (id, track) in self.server.tracks.iter() {
            let mut result = track.result.clone();
            if result.end.is_none()
                && let Some(job) = self.server.job(id)
            {
                result.state = JobEnd::Left(job.state.letter());
            }
            jobs.push(result);
        }
        jobs.sort_by_key(|job| job.at);
        if self.is_cut || self.options.until < self.window.1 {
            // The part of the window that was not reached is not measured.
            self.window.1 = self.window.1.min(self.last.moment);
        }
        self.warnings.extend(rejection::sentences(&self.server.rejected));
        let measures = Measures::of(&jobs, &self.series, self.from, self.window);
        Simulated {
            from: self.from,
            to: self.last.moment,
            counters: self.counters,
            jobs,
            runs: self.runs,
            usage: self.shares.as_ref().map(Shares::kept),
            series: self.series,
            measures,
            warnings: self.warnings,
            is_cut: self.is_cut,
            scaled: self.server.scaling.map(|scaling| scaling.scaled(self.last.moment)).unwrap_or_default(),
        }
    }
}
