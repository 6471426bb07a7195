//! When waiting jobs would start, as far as a worker ran the cycle forward: the `~05:33` of the queue.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::task::{News, Task, Ticket};
use crate::views::effect::Effect;
use qscope_engine::cluster::{Epoch, JobId};
use qscope_engine::cycle::Run;
use qscope_explain::forecasts;

/// So long the cycle is run forward; jobs that start later have no forecast.
const MOST: Duration = Duration::from_secs(3);

/// Forecasts of one cycle.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    run: Option<Arc<Run>>,
    ticket: Option<Ticket>,
    known: Arc<BTreeMap<JobId, Epoch>>,
}

impl Starts {
    /// Begins with another cycle; none when it is known.
    pub(crate) fn take(&mut self, run: &Arc<Run>) -> Option<Effect> {
        if self.run.as_ref().is_some_and(|have| Arc::ptr_eq(have, run)) {
            return None;
        }
        let of = run.clone();
        let (task, ticket) = Task::new("when waiting jobs start", move |progress| {
            let until = Instant::now() + MOST;
            let found = forecasts(&of, &mut |_| match Instant::now() < until && !progress.is_cancelled() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            });
            (!progress.is_cancelled()).then_some(found)
        });
        *self = Self { run: Some(run.clone()), ticket: Some(ticket), known: Arc::default() };
        Some(Effect::Compute(task))
    }

    /// Takes in the forecasts; whether the news were about them.
    pub(crate) fn on_news(&mut self, ticket: u64, news: &News) -> bool {
        let Some(answer) = Ticket::answer(&mut self.ticket, ticket, news) else { return false };
        self.known = answer.downcast().unwrap_or_default();
        true
    }

    /// When a job would start.
    pub(crate) fn of(&self, job: JobId) -> Option<Epoch> {
        self.known.get(&job).copied()
    }

    /// All moments, for the width of their column.
    pub(super) fn moments(&self) -> impl Iterator<Item = Epoch> {
        self.known.values().copied()
    }
}
