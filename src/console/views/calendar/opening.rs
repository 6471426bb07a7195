//! Finds the job, reservation or node of the selected row, and opens it.

use super::Calendar;
use crate::screen::CycleRow;
use crate::views::chosen::plain_theme;
use crate::views::timeline::job_name;
use crate::views::{Effect, Object, Update, World};
use qscope_engine::universe::{Occupant, Plan};
use qscope_explain::Held;

impl Calendar {
    /// The job whose bar was clicked, or the first job in the visible part of the selected row.
    pub(super) fn job(&self, world: World<'_>) -> Option<String> {
        let jobs: Vec<String> =
            self.seen(world).iter().filter_map(|held| job_name(world.plan(), held.occupant)).collect();
        let clicked = self.clicked.as_ref().filter(|(row, _)| *row == self.table.selected);
        let clicked = clicked.map(|(_, job)| job).filter(|job| jobs.contains(job)).cloned();
        clicked.or_else(|| jobs.into_iter().next())
    }

    /// The bars of the selected row that are visible in the scrolled time.
    fn seen<'r>(&'r self, world: World<'r>) -> Vec<&'r Held> {
        let row = self.row();
        row.map_or_else(Vec::new, |row| self.drawn(world, plain_theme()).seen(row, self.picture).collect())
    }

    /// The reservation in the selected row, if it comes before any visible job.
    pub(super) fn reservation(&self, world: World<'_>) -> Option<String> {
        if self.clicked.is_some() {
            return None;
        }
        match self.seen(world).first()?.occupant {
            Occupant::Reservation(id) => Some(world.snapshot().reservations[id].name.to_string()),
            Occupant::Job(..) => None,
        }
    }

    pub(super) fn node(&self, plan: &Plan) -> Option<String> {
        self.row()?.nodes.first().map(|bit| plan.node_name(*bit).to_string())
    }

    /// Opens the page of the reservation or of the job, or else of the row's first node.
    pub(super) fn open(&self, world: World<'_>) -> Update {
        let job = self.job(world).filter(|job| CycleRow::named(world.run(), job).is_some());
        if let Some(name) = self.reservation(world) {
            return Update::request(Effect::GoToPage(Object::Reservation(name)));
        }
        match (job, self.node(world.plan())) {
            (Some(job), _) => Update::request(Effect::GoToPage(Object::Job(job))),
            (None, Some(node)) => Update::request(Effect::GoToPage(Object::Node(node))),
            (None, None) => Update::status("no row to open"),
        }
    }
}
