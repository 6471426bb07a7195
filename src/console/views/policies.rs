//! The nine allocation policies for the selected job: which nodes each would give it, and at what cost.
//!
//! ```text
//! ┏ Policies for 12, before its step ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 2/9 ┓
//! ┃  policy          start      nodes  lost  nodes and tasks                           ┃
//! ┃▸ LASTAVAILABLE * now            2     0  n3x4 n4x6                                 ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ┌ LASTAVAILABLE: by the smallest gap to the next reservation ────────────────────────┐
//! │  node            tasks  of  tier      key                                          │
//! ┌ Nodes in the order of the dump ────────────────────────────────────────────────────┐
//! │ FIRSTAVAILABLE ██░░▒▓ 2                                                             │
//! ```

mod draw;
mod lines;
mod map;
mod tasks;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use std::sync::Arc;
use std::time::Instant;

use crate::action::Action;
use crate::effort::SnapshotPacer;
use crate::layout::inner_area;
use crate::task::TaskNews;
use crate::theme::Role;
use crate::views::{Effect, Grid, Object, Pending, Update, View, ViewContext};
use crate::widgets::bitmap::{Geometry, MapState};
use crate::widgets::frame;
use crate::widgets::table::{Table, TableState, height};
use crate::wording;
use qscope_engine::cluster::{JobId, Snapshot};
use qscope_engine::cycle::Run;
use qscope_exits::ClipboardText;
use qscope_planning::policies::{PolicyAnswer, PolicyComparison, PolicyMeasures};

use lines::{PickLine, PolicyLine, policy_columns};
use map::PolicyMap;

/// The view's state.
#[derive(Debug, Default)]
pub(crate) struct PoliciesView {
    job: Option<(JobId, String)>,
    compared: Option<PolicyComparison>,
    why_not: String,
    /// Where the cycle on the screen places the job.
    cycle: String,
    lines: Vec<PolicyLine>,
    picks: Vec<PickLine>,
    measures: Vec<Option<PolicyMeasures>>,
    measuring: Pending<Vec<Option<PolicyMeasures>>>,
    /// The answer of the user's own program.
    program: Pending<PolicyComparison>,
    table: TableState,
    map: PolicyMap,
    map_state: MapState,
    /// Whether keys move in the map, which is then on the screen.
    on_map: bool,
    /// The cycle of the comparison; an older one than on the screen while snapshots arrive fast.
    compared_run: Option<Arc<Run>>,
    pacer: SnapshotPacer,
}

impl PoliciesView {
    /// The selected job, or the first one considered.
    fn subject(cx: ViewContext<'_>) -> Option<JobId> {
        let first = || cx.run().steps.iter().map(|step| step.outcome.job).next();
        cx.subject().map(|outcome| outcome.job).or_else(first)
    }

    /// Compares the policies for a job.
    fn put(&mut self, job: JobId, cx: ViewContext<'_>) {
        self.job = Some((job, cx.snapshot().jobs[job].short_name().to_owned()));
        self.compare(cx);
        self.refresh(cx);
    }

    /// Compares the policies for the selected job.
    fn put_subject(&mut self, cx: ViewContext<'_>) {
        self.job = None;
        match Self::subject(cx) {
            Some(job) => self.put(job, cx),
            None => {
                self.compare(cx);
                self.refresh(cx);
            }
        }
    }

    /// Whether the comparison is for this cycle and job, or is kept for now because snapshots arrive faster than they
    /// can be compared.
    fn keeps_comparison(&mut self, cx: ViewContext<'_>) -> bool {
        let name = Self::subject(cx).map(|job| cx.snapshot().jobs[job].short_name());
        if self.compared.is_none() || self.job.as_ref().map(|(_, name)| name.as_str()) != name {
            return false;
        }
        if self.compared_run.as_ref().is_some_and(|run| Arc::ptr_eq(run, cx.run())) {
            self.pacer.mark_current();
            return true;
        }
        !self.pacer.may_compute(cx.keeps_pace)
    }

    /// The snapshot of the comparison.
    fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.compared_run.as_ref().map(|run| &run.plan.snap)
    }

    fn refresh(&mut self, cx: ViewContext<'_>) {
        let Some(run) = self.compared_run.clone() else { return };
        let snap = &run.plan.snap;
        let line = |(at, answer)| PolicyLine::of(snap, self.compared.as_ref(), answer, self.measure_of(at));
        let answers = self.compared.iter().flat_map(|compared| &compared.answers);
        self.lines = answers.enumerate().map(line).collect();
        // An answer that arrives after its snapshot was replaced keeps the map made with it.
        if Arc::ptr_eq(&run, cx.run()) {
            let compared = self.compared.as_ref();
            self.map = compared.map_or_else(PolicyMap::default, |c| PolicyMap::of(cx.found(), c));
        }
        self.refresh_picks();
    }

    fn refresh_picks(&mut self) {
        let Some(snap) = self.snapshot().cloned() else { return self.picks.clear() };
        let reference = self.compared.as_ref().and_then(|compared| {
            let (policy, _) = compared.in_force.as_ref().ok()?;
            compared.answers.iter().find(|answer| answer.policy == *policy)?.now.as_ref()
        });
        let placed = self.selected().and_then(|answer| answer.now.as_ref().or(answer.earliest.as_ref()));
        let picks = placed.iter().flat_map(|placed| &placed.picks);
        self.picks = picks.map(|pick| PickLine::of(&snap, pick, reference)).collect();
    }

    fn selected(&self) -> Option<&PolicyAnswer> {
        self.compared.as_ref()?.answers.get(self.table.selected)
    }

    fn measure_of(&self, at: usize) -> Option<&PolicyMeasures> {
        self.measures.get(at).and_then(Option::as_ref)
    }

    /// The name of the node under the map's cursor.
    fn node_name(&self) -> Option<String> {
        self.map
            .node(self.map_state.node)
            .zip(self.snapshot())
            .map(|(id, snap)| snap.nodes[id].name.to_string())
    }

    /// Moves in the map, whose line is the selected policy.
    fn move_in_map(&mut self, action: Action, area: Rect) -> Update {
        let Some(map) = self.areas(area).map else { return Update::unchanged() };
        let geometry = Geometry::new(&self.map, inner_area(map));
        self.map_state.line = self.table.selected;
        let moved = self.map_state.move_cursor(action, &geometry);
        self.table.selected = self.map_state.line;
        self.refresh_picks();
        Update::changed_if(moved)
    }
}

impl View for PoliciesView {
    fn refresh(&mut self, cx: ViewContext<'_>) {
        if self.keeps_comparison(cx) {
            return;
        }
        self.put_subject(cx);
    }

    /// The key that changes the grouping in other views does the same as Tab.
    fn inactive_actions(&self, _: ViewContext<'_>) -> &'static [Action] {
        &[Action::ToggleMap]
    }

    fn due(&self, cx: ViewContext<'_>) -> Option<Instant> {
        self.pacer.due(cx.keeps_pace)
    }

    fn requests(&mut self) -> Vec<Effect> {
        self.program.request().into_iter().collect()
    }

    fn is_last_pane(&self, forward: bool, _: Rect, _: ViewContext<'_>) -> bool {
        self.on_map == forward
    }

    fn has_more_panes(&self) -> bool {
        true
    }

    fn act(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> Update {
        let height = self.areas(area).table.map_or(0, |table| height(inner_area(table)));
        match action {
            Action::Measure => self.ask_for_measures(cx),
            Action::ToggleMap | Action::NextPane | Action::PreviousPane => {
                self.on_map = !self.on_map;
                Update::changed()
            }
            Action::Select => {
                let node = match self.on_map {
                    true => self.node_name(),
                    false => self.picks.first().map(|pick| pick.node.clone()),
                };
                match node {
                    Some(name) => Update::request(Effect::GoTo(Object::Node(name))),
                    None => Update::status("this policy gives it no nodes"),
                }
            }
            _ if self.on_map && action.moves() => self.move_in_map(action, area),
            Action::Left | Action::Right => Update::unchanged(),
            _ if action.moves() => {
                let moved = self.table.move_cursor(action, self.lines.len(), height);
                self.refresh_picks();
                Update::changed_if(moved)
            }
            _ => Update::unknown(),
        }
    }

    fn show(&mut self, object: &Object, cx: ViewContext<'_>) -> bool {
        let Object::Job(name) = object else { return false };
        let Some(job) = cx.job_named(name) else { return false };
        self.put(job, cx);
        true
    }

    fn object_at_cursor(&self, _: ViewContext<'_>) -> Option<Object> {
        if self.on_map {
            return self.node_name().map(Object::Node);
        }
        self.job.as_ref().zip(self.snapshot()).map(|((job, _), snap)| Object::of_job(*job, snap))
    }

    fn click(&mut self, at: Position, area: Rect, _: ViewContext<'_>) -> Update {
        let areas = self.areas(area);
        let before = (self.table, self.map_state, self.on_map);
        if let Some(table) = areas.table.filter(|table| table.contains(at)) {
            self.on_map = false;
            self.table.click(self.lines.len(), inner_area(table), at.y);
        } else if let Some(map) = areas.map.filter(|map| map.contains(at)) {
            self.on_map = true;
            if self.map_state.click(at, &Geometry::new(&self.map, inner_area(map))) {
                self.table.selected = self.map_state.line;
            }
        }
        self.refresh_picks();
        Update::changed_if((self.table, self.map_state, self.on_map) != before)
    }

    fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        self.take_answer(news, cx)
    }

    fn copy(&self, _: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        let lines = self.lines.iter().map(|line| format!("{} {}", line.name, line.nodes));
        let clip: ClipboardText = lines.collect();
        (!clip.is_empty()).then_some(("policies", clip))
    }

    fn grid(&self, _: ViewContext<'_>) -> Option<Grid> {
        let columns = policy_columns();
        self.compared.as_ref().map(|_| Grid::of(columns.iter(), self.lines.iter()))
    }

    fn render(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let theme = cx.theme;
        let Some((_, name)) = &self.job else {
            let inner = frame::pane(area, buf, theme, "Policies", "", true);
            frame::empty(inner, buf, theme, &["No job was considered; go to one in the cycle first."]);
            return;
        };
        let areas = self.areas(area);
        if self.compared.is_none() {
            let inner = frame::pane(area, buf, theme, &format!("Allocation policies for {name}"), "", true);
            frame::empty(inner, buf, theme, &[self.why_not.as_str()]);
            return;
        }
        if let Some(table) = areas.table {
            let title = format!("Allocation policies for {name}, before its step");
            let moment = self.snapshot().filter(|_| self.pacer.is_behind());
            let moment = moment.map(|snap| format!(" · {}", wording::analysed_at(snap, snap.now)));
            let place = self.table.position(self.lines.len());
            let note = format!("{} · {place}{}", self.cycle, moment.unwrap_or_default());
            let inner = frame::pane(table, buf, theme, &title, &note, !self.on_map);
            let columns = policy_columns();
            let policies = Table::new(&columns, &self.lines, self.table, theme);
            Table { focused: !self.on_map, ..policies }.render(inner, buf);
        }
        if let Some(picks) = areas.picks {
            self.render_picks(picks, buf, theme);
        }
        if let Some(map) = areas.map {
            self.render_map(map, buf, theme);
        }
    }
}

/// The role of a start: now, later or never.
fn start_role(now: bool, later: bool) -> Role {
    if now {
        Role::NodeFree
    } else if later {
        Role::NodeLater
    } else {
        Role::TextDim
    }
}
