//! What is known of a recording or simulation: its moments, and the state of the cluster at those read so far.
//!
//! A recording is read in the background, coarse first: the ends, the middle, the quarters; so a picture of the whole
//! is there long before everything is read. For a simulation everything is known.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::task::{Computation, TaskNews};
use crate::views::{Effect, Pending, ViewContext};
use qscope_engine::cluster::Epoch;
use qscope_session::{ClusterSummary, Generation, Opening, OpeningOrigin, Tape};

/// Maximum number of moments read; a screen does not have more columns.
const MOST: usize = 512;

/// Number of moments read before the picture is drawn again.
const BATCH: usize = 8;

/// The answer of a worker: the tape, and the state of the cluster at some indices.
type TapeAnswer = Result<(Arc<Tape>, Vec<(usize, Option<ClusterSummary>)>), String>;

/// A recording or simulation as far as it is known.
#[derive(Debug, Default)]
pub(super) struct TimeSurvey {
    opening: Option<Opening>,
    tape: Option<Arc<Tape>>,
    moments: Vec<Epoch>,
    /// By index; `None` for a moment that cannot be read.
    levels: BTreeMap<usize, Option<ClusterSummary>>,
    /// Indices in the order they are read.
    plan: Vec<usize>,
    pending: Pending<TapeAnswer>,
    is_stopped: bool,
    failure: Option<String>,
}

impl TimeSurvey {
    /// Sets the recording or simulation; later calls have no effect.
    pub(super) fn open(&mut self, cx: ViewContext<'_>) {
        let Some(opening) = cx.following.opening.as_ref().filter(|opening| opening.has_tape()) else {
            return;
        };
        if self.opening.is_none() {
            self.opening = Some(opening.clone());
        }
    }

    /// When each snapshot was taken.
    pub(super) fn moments(&self) -> &[Epoch] {
        &self.moments
    }

    pub(super) fn moment(&self, nth: usize) -> Option<Epoch> {
        self.moments.get(nth).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.moments.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.moments.is_empty()
    }

    /// The state of the cluster at an index; `None` if it is not read yet, `Some(None)` if it cannot be read.
    pub(super) fn level(&self, nth: usize) -> Option<&Option<ClusterSummary>> {
        self.levels.get(&nth)
    }

    /// The states read, in chronological order.
    pub(super) fn levels(&self) -> impl Iterator<Item = (usize, &ClusterSummary)> {
        self.levels.iter().filter_map(|(nth, level)| Some((*nth, level.as_ref()?)))
    }

    /// Whether there is a recording or simulation at all.
    pub(super) fn has_tape(&self) -> bool {
        self.opening.is_some()
    }

    /// Whether it is a simulation.
    pub(super) fn is_simulated(&self) -> bool {
        matches!(self.opening.as_ref().map(|opening| &opening.origin), Some(OpeningOrigin::Simulation { .. }))
    }

    /// The word for one of its moments.
    pub(super) fn unit(&self) -> &'static str {
        if self.is_simulated() { "cycle" } else { "snapshot" }
    }

    /// Why opening it failed, if it did.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Number of moments read and to be read, and whether reading is stopped; `None` when all are read.
    pub(super) fn progress(&self) -> Option<(usize, usize, bool)> {
        let all = self.plan.len();
        let done = self.plan.iter().filter(|nth| self.levels.contains_key(nth)).count();
        (done < all).then_some((done, all, self.is_stopped))
    }

    /// The index of the snapshot shown.
    pub(super) fn place_of(&self, generation: &Generation) -> Option<usize> {
        self.tape.as_ref()?.place_of(generation)
    }

    /// Requests the next moments from a worker, the one under the cursor first.
    pub(super) fn request(&mut self, at: usize) -> Option<Effect> {
        let opening =
            self.opening.clone().filter(|_| !self.pending.is_waiting() && self.failure.is_none())?;
        let tape = self.tape.clone();
        let mut next: Vec<usize> = if self.is_stopped { Vec::new() } else { self.next() };
        let is_known = self.levels.contains_key(&at) || tape.is_none();
        if !is_known {
            next.insert(0, at);
        }
        if tape.is_some() && next.is_empty() {
            return None;
        }
        let levels = Computation::new("reading how the cluster stood", move |progress| {
            let tape = match tape.clone().map_or_else(|| opened(&opening), Ok) {
                Ok(tape) => tape,
                Err(why) => return Some(TapeAnswer::Err(why)),
            };
            let mut read = Vec::new();
            for (done, nth) in next.iter().enumerate() {
                if !progress.at(done as u64, next.len() as u64) {
                    return None;
                }
                read.push((*nth, tape.level(&opening, *nth).ok()));
            }
            Some(TapeAnswer::Ok((tape, read)))
        });
        Some(self.pending.start(levels))
    }

    fn next(&self) -> Vec<usize> {
        let unread = self.plan.iter().filter(|nth| !self.levels.contains_key(nth));
        unread.take(BATCH).copied().collect()
    }

    /// Takes what was read; returns whether the news was for this.
    pub(super) fn take(&mut self, news: &TaskNews) -> bool {
        let Some(answer) = self.pending.take(news) else { return false };
        match &*answer {
            Ok((tape, read)) => {
                if self.tape.is_none() {
                    self.moments = tape.moments();
                    self.plan = coarse_first(tape.len());
                    let known = tape.levels().unwrap_or_default().iter().enumerate();
                    self.levels = known.map(|(nth, level)| (nth, Some(level.clone()))).collect();
                    self.tape = Some(tape.clone());
                }
                self.levels.extend(read.iter().cloned());
            }
            Err(why) => self.failure = Some(why.clone()),
        }
        true
    }

    /// Stops reading; false if nothing is being read.
    pub(super) fn stop(&mut self) -> bool {
        let is_under_way = !self.is_stopped && self.progress().is_some();
        if is_under_way {
            (self.is_stopped, self.pending) = (true, Pending::default());
        }
        is_under_way
    }

    /// Continues reading; false if it was not stopped.
    pub(super) fn resume(&mut self) -> bool {
        std::mem::take(&mut self.is_stopped)
    }
}

fn opened(opening: &Opening) -> Result<Arc<Tape>, String> {
    match opening.tape() {
        Ok(Some(tape)) => Ok(Arc::new(tape)),
        Ok(None) => Err("there is no recording".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// At most [`MOST`] of `count` indices, evenly spread: the first and the last, then those that halve the gaps.
fn coarse_first(count: usize) -> Vec<usize> {
    let chosen = count.min(MOST);
    let place = |nth: usize| if chosen > 1 { nth * (count - 1) / (chosen - 1) } else { 0 };
    let mut order: Vec<usize> = Vec::with_capacity(chosen);
    let mut is_in = vec![false; chosen];
    let mut gap = chosen.next_power_of_two();
    while gap > 0 && chosen > 0 {
        for nth in (0..chosen).step_by(gap).chain([chosen - 1]) {
            if let Some(seen @ false) = is_in.get_mut(nth) {
                *seen = true;
                order.push(place(nth));
            }
        }
        gap /= 2;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_comes_once_and_the_ends_come_first() {
        assert_eq!(coarse_first(0), Vec::<usize>::new());
        assert_eq!(coarse_first(1), [0]);
        assert_eq!(coarse_first(5), [0, 4, 2, 1, 3]);
        for count in [2, 3, 7, 8, 100, 511, 512, 513, 5000] {
            let mut order = coarse_first(count);
            assert_eq!(order[..2], [0, count - 1]);
            order.sort_unstable();
            order.dedup();
            assert_eq!(order.len(), count.min(MOST));
        }
    }
}
