//! Finds the job, reservation or node of the selected row, and opens it.

use std::cmp::Reverse;

use super::CalendarView;
use crate::screen::CycleRow;
use crate::views::timeline::job_name;
use crate::views::{Effect, Object, Update, ViewContext};
use qscope_engine::cluster::Epoch;
use qscope_engine::universe::{Occupant, Plan};
use qscope_explain::Occupancy;

impl CalendarView {
    /// The job whose bar was clicked, or the job named first in the visible part of the selected row.
    pub(super) fn job(&self, cx: ViewContext<'_>) -> Option<String> {
        let seen = self.seen(cx);
        let name = |held: &&Occupancy| job_name(cx.plan(), held.occupant);
        let is_seen = |job: &String| seen.iter().any(|held| name(held).as_ref() == Some(job));
        let clicked = self.clicked.as_ref().filter(|(row, _)| *row == self.table.selected);
        let clicked = clicked.map(|(_, job)| job.clone()).filter(is_seen);
        let named =
            || seen.iter().filter(|held| name(held).is_some()).min_by_key(|held| self.naming_order(held));
        clicked.or_else(|| named().and_then(name))
    }

    /// The order in which bars of one row are named: the earlier one, of those that begin together the longest.
    fn naming_order(&self, occupancy: &Occupancy) -> (Epoch, Reverse<Epoch>) {
        (occupancy.start.max(self.timeline.from()), Reverse(occupancy.end.unwrap_or(Epoch(i64::MAX))))
    }

    /// The bars of the selected row that are visible in the scrolled time.
    fn seen<'r>(&'r self, cx: ViewContext<'r>) -> Vec<&'r Occupancy> {
        let row = self.row();
        row.map_or_else(Vec::new, |row| self.timeline_widget(cx.undrawn()).seen(row, self.picture).collect())
    }

    /// The reservation in the selected row, if it comes before any visible job.
    pub(super) fn reservation(&self, cx: ViewContext<'_>) -> Option<String> {
        if self.clicked.is_some() {
            return None;
        }
        match self.seen(cx).into_iter().min_by_key(|held| self.naming_order(held))?.occupant {
            Occupant::Reservation(id) => Some(cx.snapshot().reservations[id].name.to_string()),
            Occupant::Job(..) => None,
        }
    }

    pub(super) fn node(&self, plan: &Plan) -> Option<String> {
        self.row()?.nodes.first().map(|bit| plan.node_name(*bit).to_string())
    }

    /// Opens the page of the reservation or of the job, or else of the row's first node.
    pub(super) fn open(&self, cx: ViewContext<'_>) -> Update {
        let job = self.job(cx).filter(|job| CycleRow::named(cx.run(), job).is_some());
        if let Some(name) = self.reservation(cx) {
            return Update::request(Effect::GoToPage(Object::Reservation(name)));
        }
        match (job, self.node(cx.plan())) {
            (Some(job), _) => Update::request(Effect::GoToPage(Object::Job(job))),
            (None, Some(node)) => Update::request(Effect::GoToPage(Object::Node(node))),
            (None, None) => Update::status("no row to open"),
        }
    }
}
