//! The picture of nodes over time: its rows, its axis, and the number of free nodes below it. Cycle and Calendar draw
//! the same picture.

mod draw;
mod grouping;
mod rows;
mod small_picture;

use std::sync::Arc;

use crate::views::ViewContext;
use qscope_engine::cluster::{Column, Epoch, Id, JobId, Seconds};
use qscope_engine::universe::{Bit, BucketIx, NodeSet, Occupant, Plan, State};
use qscope_explain::{Schedule, occupant_name, schedule};
use rustc_hash::FxHashSet;

use crate::widgets::gantt::SPANS;

pub(crate) use draw::{TimelineWidget, job_name, row_count, selecting};
pub(crate) use grouping::RowGrouping;
pub(crate) use rows::TimeRow;
pub(crate) use small_picture::{LEAST, PictureSubject, SmallPicture, place};

/// An end more than that many times as far away as all earlier ones is left out of the span, as it would leave these no
/// columns.
const MUCH_LATER: i64 = 12;

/// Where the selected job would fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FitWindow {
    pub(crate) name: String,
    pub(crate) from: Epoch,
    pub(crate) to: Option<Epoch>,
    pub(crate) nodes: Vec<Bit>,
    /// The same nodes as a set, for fast look-up.
    set: NodeSet,
}

impl FitWindow {
    pub(crate) fn new(name: String, from: Epoch, to: Option<Epoch>, nodes: Vec<Bit>) -> Self {
        let capacity = nodes.iter().map(|bit| bit.ix() + 1).max().unwrap_or(0);
        let set = NodeSet::of(capacity, nodes.iter().copied());
        Self { name, from, to, nodes, set }
    }

    pub(crate) fn has(&self, bit: Bit) -> bool {
        self.set.contains(bit)
    }
}

/// The nodes over time at one moment of the cycle, and the visible part of the time.
#[derive(Debug, Default)]
pub(crate) struct TimelineState {
    pub(crate) schedule: Arc<Schedule>,
    /// Index into [`SPANS`] of the length of the axis; `None` to choose it by the plans.
    zoom: Option<usize>,
    /// Start of the axis in seconds from now.
    start: i64,
    /// The bucket of each node.
    buckets: Column<Bit, Option<BucketIx>>,
    /// How nodes are grouped into rows.
    pub(crate) grouping: RowGrouping,
    /// The job that the picture is about.
    subject: Option<JobId>,
    /// The starts in it that the server refuses.
    refused: FxHashSet<Occupant>,
}

impl TimelineState {
    /// Takes the nodes as the scheduler has them at the position; zoom and start are kept.
    pub(crate) fn take_position(&mut self, cx: ViewContext<'_>) {
        self.take_known(Arc::new(schedule(cx.state())), cx.state());
        self.refused.clone_from(cx.run().refused());
    }

    /// The name of what holds nodes.
    pub(crate) fn name(&self, plan: &Plan, occupant: Occupant) -> String {
        let name = occupant_name(plan, occupant);
        if self.refused.contains(&occupant) { format!("{name} (refused)") } else { name }
    }

    /// Takes the nodes at the end of the cycle, which are computed once for all pictures of a snapshot.
    pub(crate) fn take_end(&mut self, cx: ViewContext<'_>) {
        self.take_known(cx.screen.schedule(), cx.run().end_at_server());
    }

    fn take_known(&mut self, schedule: Arc<Schedule>, state: &State) {
        self.schedule = schedule;
        self.refused.clear();
        self.buckets.clone_from(&state.bucket_of);
    }

    /// The length of the axis in seconds.
    pub(crate) fn span(&self, fit: Option<&FitWindow>) -> Seconds {
        let at = self.zoom.unwrap_or_else(|| self.default_zoom(fit));
        Seconds(SPANS.get(at).copied().unwrap_or(SPANS[3]))
    }

    /// The shortest span that covers all plans and the fit of the selected job; without plans, most ends of what runs.
    /// What never ends does not count.
    fn default_zoom(&self, fit: Option<&FitWindow>) -> usize {
        let now = self.schedule.now;
        // A fit after the end of a job without walltime is years ahead, and is shown by an arrow.
        let is_near = |at: &Epoch| (*at - now).0 < Seconds::UNLIMITED.0 / 2;
        let fit = fit.map(|fit| fit.to.unwrap_or(fit.from)).filter(is_near);
        let planned = self.schedule.last_planned().filter(is_near).max(fit);
        let to = planned.or_else(|| self.most_ends()).unwrap_or(now);
        let length = (to - now).0.max(0);
        SPANS.iter().position(|span| *span >= length).unwrap_or(SPANS.len() - 1)
    }

    /// The last of most ends, without a few much later ones that would squeeze the others into a column.
    fn most_ends(&self) -> Option<Epoch> {
        let (now, ends) = (self.schedule.now, &self.schedule.events);
        let away = |at: usize| ends.get(at).map_or(0, |end| (*end - now).0);
        let squeezes = |at: usize| {
            let before = at.checked_sub(1).map_or(i64::MAX, |at| away(at).max(SPANS[0]));
            away(at) > before.saturating_mul(MUCH_LATER)
        };
        let mut last = (ends.len() * 9).div_ceil(10).checked_sub(1)?;
        let least = ends.len() - ends.len().div_ceil(4);
        while last >= least && squeezes(last) {
            last -= 1;
        }
        ends.get(last).copied()
    }

    /// Doubles or halves the span; returns whether that was possible.
    pub(crate) fn zoom(&mut self, nearer: bool, fit: Option<&FitWindow>) -> bool {
        let at = self.zoom.unwrap_or_else(|| self.default_zoom(fit));
        let to = if nearer { at.checked_sub(1) } else { Some(at + 1).filter(|at| *at < SPANS.len()) };
        self.zoom = to.or(Some(at));
        to.is_some()
    }

    /// Scrolls by a quarter of the span, never to before now; returns whether it moved.
    pub(crate) fn scroll(&mut self, on: bool, fit: Option<&FitWindow>) -> bool {
        let by = (self.span(fit).0 / 4).max(1);
        let last = (self.schedule.last() - self.schedule.now).0.max(0);
        let to = if on { self.start.saturating_add(by).min(last) } else { (self.start - by).max(0) };
        std::mem::replace(&mut self.start, to) != to
    }

    /// Starts the axis at the next or previous event; returns whether there is one.
    pub(crate) fn go_to_event(&mut self, next: bool) -> bool {
        let (now, start) = (self.schedule.now, self.start);
        let mut events: Vec<Epoch> = self.schedule.events.clone();
        events.extend(self.schedule.edges.iter().map(|edge| edge.at));
        events.sort_unstable();
        let mut events = events.into_iter().map(|at| (at - now).0).filter(|at| *at >= 0);
        let to = match next {
            true => events.find(|at| *at > start),
            false => events.take_while(|at| *at < start).last().or((start > 0).then_some(0)),
        };
        self.start = to.unwrap_or(start);
        to.is_some()
    }

    /// Starts the axis at a moment; false if the moment has passed.
    pub(crate) fn go_to(&mut self, at: Epoch) -> bool {
        let from = (at - self.schedule.now).0;
        if from >= 0 {
            self.start = from;
        }
        from >= 0
    }

    /// Scrolls back to now; returns whether it moved.
    pub(crate) fn go_to_now(&mut self) -> bool {
        std::mem::replace(&mut self.start, 0) != 0
    }

    /// Whether the axis begins now.
    pub(crate) fn is_at_now(&self) -> bool {
        self.start == 0
    }

    /// The first moment on the axis.
    pub(crate) fn from(&self) -> Epoch {
        Epoch(self.schedule.now.0.saturating_add(self.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(events: &[i64]) -> TimelineState {
        let events = events.iter().map(|at| Epoch(*at)).collect();
        TimelineState {
            schedule: Arc::new(Schedule { events, ..Schedule::default() }),
            ..TimelineState::default()
        }
    }

    #[test]
    fn the_axis_is_as_long_as_most_ends_need_and_zooms_from_there() {
        let mut one = timeline(&[500, 1000, 1500, 1700, 1750, 1760, 1770, 1780, 1790, 900_000]);
        assert_eq!(one.span(None), Seconds(1800));
        assert!(one.zoom(true, None));
        assert_eq!(one.span(None), Seconds(600));
        assert!(!one.zoom(true, None));
        assert!(one.zoom(false, None) && one.zoom(false, None));
        assert_eq!(one.span(None), Seconds(3600));
        assert_eq!(timeline(&[]).span(None), Seconds(600));
        assert_eq!(
            timeline(&[1, 560, 600, 345_000]).span(None),
            Seconds(600),
            "one far end is past the axis"
        );
        assert_eq!(timeline(&[5, 7200]).span(None), Seconds(7200));
        assert_eq!(timeline(&[345_000]).span(None), Seconds(345_600), "the only end is on it");
        let fit = FitWindow::new("7".to_owned(), Epoch(5000), None, Vec::new());
        assert_eq!(timeline(&[]).span(Some(&fit)), Seconds(7200));
        let years = FitWindow::new("7".to_owned(), Epoch(Seconds::UNLIMITED.0 - 60), None, Vec::new());
        assert_eq!(timeline(&[600]).span(Some(&years)), Seconds(600));
    }

    #[test]
    fn it_scrolls_between_now_and_the_last_event() {
        let mut one = timeline(&[600, 700, 5000]);
        assert!(!one.scroll(false, None));
        assert!(one.go_to_event(true));
        assert_eq!(one.from(), Epoch(600));
        assert!(one.go_to_event(true) && one.go_to_event(true) && !one.go_to_event(true));
        assert_eq!(one.from(), Epoch(5000));
        assert!(one.go_to_event(false));
        assert_eq!(one.from(), Epoch(700));
        assert!(one.go_to_now() && !one.go_to_now());
    }
}
