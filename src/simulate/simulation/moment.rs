//! Steps of the simulation: the events of one time, then at most one cycle (days rules 2, 3, 10).

use std::sync::Arc;

use qscope_engine::cluster::{Epoch, Seconds};
use qscope_engine::cycle::{CycleStart, Run};
use qscope_engine::universe::may_preempt;

use super::{CycleObserver, Simulation, policies_of_jobs};
use crate::LoadDetail;
use crate::answer::CycleDecisions;
use crate::waits::reasons_of;
use qscope_explain::free_capacity;

impl Simulation {
    /// Returns when the next events or the next cycle are due; `None` when the simulation is over.
    pub(super) fn next_moment(&mut self) -> Option<Epoch> {
        let event = self.server.next_event();
        if let Some(event) = event {
            self.skip_empty_cycles(event);
        }
        let cycle = self.next_cycle();
        if event.is_none() && self.is_over(cycle) {
            return None;
        }
        let next = event.map_or(cycle, |event| event.min(cycle));
        (next <= self.options.until).then_some(next)
    }

    /// Counts all empty cycles before an event but the last one at once: they change nothing (days rule 3). Fair share
    /// is kept in each.
    fn skip_empty_cycles(&mut self, event: Epoch) {
        let Some(last) = self.last.cycle.filter(|_| !self.server.asked && self.shares.is_none()) else {
            return;
        };
        let step = self.timer().0;
        let more = ((event.min(self.options.until) - last).0 - 1) / step - 1;
        if more <= 0 || self.server.has_work() {
            return;
        }
        self.last.cycle = Some(last + Seconds(step * more));
        self.counters.empty_cycles += more.unsigned_abs();
        self.server.cycle += more.unsigned_abs();
    }

    /// Returns the time from a cycle to the next one if nothing asks for one before.
    fn timer(&self) -> Seconds {
        self.options.iteration.max(self.options.min_interval)
    }

    /// Returns when the next cycle is due if no event comes before.
    fn next_cycle(&self) -> Epoch {
        let now = self.server.now();
        match self.last.cycle {
            None => now,
            Some(last) if self.server.asked => now.max(last + self.options.min_interval),
            Some(last) => last + self.timer(),
        }
    }

    /// Whether nothing can change any more, or nothing has for too long (days rule 10).
    fn is_over(&self, cycle: Epoch) -> bool {
        if self.server.asked || !self.server.running.is_empty() {
            return false;
        }
        self.server.waiting() == 0 || cycle > self.last.life + self.options.patience
    }

    /// Processes the events of a time, then at most one cycle. Returns false if the watcher ends the simulation.
    pub(super) fn go_to(&mut self, at: Epoch, watch: &mut dyn CycleObserver) -> bool {
        let goes_on = self.moment(at, watch);
        self.server.observe_pools();
        goes_on
    }

    /// Processes the events, and the cycle if it is due.
    fn moment(&mut self, at: Epoch, watch: &mut dyn CycleObserver) -> bool {
        if at > self.server.now() {
            self.sample();
            if let Some(waits) = &mut self.waits {
                waits.add((at - self.server.now()).0, &mut self.server);
            }
        }
        self.server.advance(at);
        let asked = std::mem::take(&mut self.server.asked);
        if self.server.handle_due() {
            self.last.moment = at;
            if self.server.asked {
                self.last.life = at;
            }
        }
        self.server.asked |= asked;
        if self.next_cycle() > at {
            return true;
        }
        if self.stop.is_some_and(|stop| stop.is_reached(at, self.counters.cycles)) && self.server.has_work() {
            self.server.bring_up_to_date(true);
            if let Some(shares) = &mut self.shares {
                shares.accumulate(&mut self.server);
            }
            self.is_stopped = true;
            return true;
        }
        self.cycle(watch)
    }

    /// Runs a cycle.
    fn cycle(&mut self, watch: &mut dyn CycleObserver) -> bool {
        let now = self.server.now();
        self.server.asked = false;
        self.server.cycle += 1;
        self.last.cycle = Some(now);
        self.last.moment = now;
        let is_used = self.shares.is_some() || may_preempt(&self.server.snap);
        self.server.bring_up_to_date(is_used || watch.reads_usage());
        if let Some(shares) = &mut self.shares {
            shares.accumulate(&mut self.server);
        }
        let goes_on = if self.server.has_work() {
            self.counters.cycles += 1;
            self.decide(watch)
        } else {
            self.counters.empty_cycles += 1;
            true
        };
        if let Some(shares) = &self.shares {
            shares.mark(&mut self.server);
        }
        if !self.server.running.is_empty() {
            self.last.life = now;
        }
        goes_on
    }

    /// Adds a sample of the load.
    pub(super) fn sample(&mut self) {
        let detail = self.has_load_detail.then(|| {
            let snap = Arc::clone(&self.server.snap);
            let start = CycleStart::after(self.universe.as_ref(), snap, self.quirks, None);
            self.universe = Some(start.universe());
            LoadDetail::of(&self.server, free_capacity(start.state()))
        });
        self.series.sample(&self.server, detail);
    }

    /// Runs one cycle with the allocation policies of the simulation.
    fn under_policies(&mut self) -> Run {
        let ranking = self.ranking.as_ref().and_then(|ranking| {
            let jobs = policies_of_jobs(&self.job_policies, &self.server.snap);
            Arc::make_mut(&mut self.server.snap).allocation.jobs = jobs;
            ranking.over(&self.server.snap)
        });
        let snap = Arc::clone(&self.server.snap);
        let start = CycleStart::after(self.universe.as_ref(), snap, self.quirks, ranking);
        self.universe = Some(start.universe());
        start.run()
    }

    /// Runs the scheduler and applies its decisions.
    fn decide(&mut self, watch: &mut dyn CycleObserver) -> bool {
        let run = Arc::new(self.under_policies());
        if !watch.cycle(&run, &self.counters) {
            return false;
        }
        let answer = CycleDecisions::of(&run, &self.server);
        let reasons = self.waits.is_some().then(|| reasons_of(&run, &self.server));
        drop(run);
        let applied = answer.apply(&mut self.server);
        if let Some((waits, reasons)) = self.waits.as_mut().zip(reasons) {
            waits.give(reasons, &self.server);
        }
        self.counters.refused += applied.refused;
        self.server.asked = applied.cycle_follows;
        self.server.order_nodes();
        if let Some(run) = applied.run {
            self.last.life = run.at;
            let goes_on = watch.started(&run);
            self.runs.push(run);
            return goes_on;
        }
        true
    }
}
