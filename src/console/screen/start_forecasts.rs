//! Forecasts of when waiting jobs start, made by a worker that runs the cycle forward: the `~05:33` in tables of jobs.
//! They are computed once per snapshot, for the first view that asks, and shared by all views.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::effort::Effort;
use crate::task::{Computation, TaskNews, Ticket};
use crate::views::Effect;
use qscope_engine::cluster::{Epoch, JobId};
use qscope_engine::cycle::Run;
use qscope_explain::forecasts;

/// Maximum time for running the cycle forward; jobs that start later have no forecast.
const MOST: Duration = Duration::from_secs(3);

/// Forecasts for one cycle.
#[derive(Debug)]
pub(crate) struct StartForecasts {
    run: Arc<Run>,
    effort: Effort,
    known: Arc<OnceLock<BTreeMap<JobId, Epoch>>>,
    /// The ticket of the computation, once a view has requested it; it lives as long as the snapshot, not the view.
    ticket: OnceCell<Ticket<()>>,
}

impl StartForecasts {
    pub(super) fn new(run: Arc<Run>, effort: Effort) -> Self {
        Self { run, effort, known: Arc::default(), ticket: OnceCell::new() }
    }

    /// The task of the forecasts; `None` if a view has requested it before.
    pub(crate) fn ask(&self) -> Option<Effect> {
        if self.ticket.get().is_some() {
            return None;
        }
        let (of, known) = (self.run.clone(), self.known.clone());
        let forecast = Computation::new("when waiting jobs start", move |progress| {
            let until = Instant::now() + MOST;
            let found = forecasts(&of, &mut |_| match Instant::now() < until && !progress.is_cancelled() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            });
            (!progress.is_cancelled()).then(|| drop(known.set(found)))
        });
        // The ticket was unset a moment ago, on this thread.
        let Computation { task, ticket } = forecast.counted(&self.effort);
        drop(self.ticket.set(ticket));
        Some(Effect::Compute(task))
    }

    /// Whether the news is that the forecasts are known.
    pub(crate) fn is_answered_by(&self, news: &TaskNews) -> bool {
        self.ticket.get().is_some_and(|ticket| ticket.answer(news).is_some())
    }

    /// When a job of this cycle would start.
    pub(super) fn of(&self, job: JobId) -> Option<Epoch> {
        self.known.get()?.get(&job).copied()
    }

    /// All moments, for the width of their column.
    pub(crate) fn moments(&self) -> impl Iterator<Item = Epoch> {
        self.known.get().into_iter().flat_map(|known| known.values().copied())
    }
}
