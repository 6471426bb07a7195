//! Moving in time: the window, the seconds with events, the notable moments.

use super::PackingView;
use crate::views::Update;
use qscope_planning::farm::FarmWindow;
use qscope_planning::farm::record::FarmRow;

impl PackingView {
    /// The whole period that the means cover.
    pub(in crate::views::packing) fn full_window(&self) -> FarmWindow {
        let window = self.run("relaxed").map_or(FarmWindow { from: 0, to: 1 }, |run| run.summary.window);
        if window.seconds() == 0 {
            FarmWindow { from: window.from, to: window.from.saturating_add(1) }
        } else {
            window
        }
    }

    /// The notable moments of this run, in order.
    pub(in crate::views::packing) fn moments(&self) -> Vec<(&'static str, i64)> {
        let whole = self.full_window();
        // A farm with jobs running at the start is that of a cluster from now on: it drains, and is never in a steady
        // state.
        let running = self.case.as_ref().is_some_and(|case| !case.workload.residents.is_empty());
        let mut moments = vec![(if running { "now" } else { "empty" }, whole.from)];
        let Some(rows) = self.run("relaxed").and_then(|run| run.recording.as_ref()).map(|r| &r.series.rows)
        else {
            return moments;
        };
        let total = self.case.as_ref().map_or(0, |case| case.workload.total_slots());
        let full = |used: u64| total > 0 && used >= total;
        let mut inside = rows.iter().filter(|row| row.t < whole.to);
        if let Some(onset) = inside.find(|row| full(row.used)) {
            moments.push(("onset of saturation", onset.t));
        }
        if let Some(after) = inside.find(|row| !full(row.used)) {
            moments.push(("after saturation", after.t));
        }
        if let Some(later) = inside.find(|row| full(row.used)) {
            moments.push(("later saturation", later.t));
        }
        let steady = whole.from.saturating_add(i64::try_from(whole.seconds() / 4 * 3).unwrap_or(0));
        if !running {
            moments.push(("steady state", steady));
        }
        moments.dedup_by_key(|(_, t)| *t);
        moments
    }

    pub(in crate::views::packing) fn next_moment(&mut self) -> Update {
        let moments = self.moments();
        let next = moments.iter().find(|(_, t)| *t > self.cursor).or(moments.first());
        let Some((name, t)) = next else { return Update::unchanged() };
        self.cursor = *t;
        self.make_grids();
        Update::status(*name)
    }

    pub(in crate::views::packing) fn shift(&mut self, by: i64) {
        let whole = self.full_window();
        let length = i64::try_from(self.window.seconds()).unwrap_or(i64::MAX);
        let step = (length / 4).max(1).saturating_mul(by);
        let from = self.window.from.saturating_add(step);
        let from = from.min(whole.to.saturating_sub(length)).max(whole.from);
        self.window = FarmWindow { from, to: from.saturating_add(length).min(whole.to) };
    }

    /// Halves or doubles the window, around the cursor.
    pub(in crate::views::packing) fn zoom(&mut self, into: bool) {
        let whole = self.full_window();
        let length = i64::try_from(self.window.seconds()).unwrap_or(i64::MAX);
        let length = if into { (length / 2).max(2) } else { length.saturating_mul(2) };
        let all = i64::try_from(whole.seconds()).unwrap_or(i64::MAX);
        // Halves are rounded, so nearly everything counts as everything.
        let length = if length >= all - all / 64 { all } else { length }.max(1);
        let from = self.cursor.saturating_sub(length / 2);
        let from = from.min(whole.to.saturating_sub(length)).max(whole.from);
        self.window = FarmWindow { from, to: from.saturating_add(length) };
    }

    /// The next second with an event under relaxed or the policy beside it.
    pub(in crate::views::packing) fn event_after(&self, t: i64) -> i64 {
        self.events_near(t, |rows, t| rows.get(rows.partition_point(|row| row.t <= t)).map(|row| row.t))
            .min()
            .unwrap_or(t)
    }

    pub(in crate::views::packing) fn event_before(&self, t: i64) -> i64 {
        let before = |rows: &[FarmRow], t: i64| {
            rows.get(rows.partition_point(|row| row.t < t).checked_sub(1)?).map(|row| row.t)
        };
        self.events_near(t, before).max().unwrap_or(t)
    }

    fn events_near<'a>(
        &'a self,
        t: i64,
        find: impl Fn(&[FarmRow], i64) -> Option<i64> + 'a,
    ) -> impl Iterator<Item = i64> + 'a {
        let runs = [self.run("relaxed"), self.right_run()].into_iter().flatten();
        runs.filter_map(move |run| find(&run.recording.as_ref()?.series.rows, t))
    }
}
