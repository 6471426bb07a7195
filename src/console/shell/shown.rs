//! What is on the screen of one generation: the position in its cycle, the job that is looked at, its story, the map.

use std::sync::Arc;

use ratatui::layout::Rect;
use rustc_hash::FxHashSet;

use super::descent::Descent;
use super::node_map::{MapMode, Marks, NodeMap};
use super::rows::{Queue, Row};
use super::summary::Summary;
use super::two_paths::TwoPaths;
use crate::filter::Filter;
use crate::story::{Story, tell};
use crate::widgets::bitmap::MapState;
use crate::widgets::table::TableState;
use qscope_engine::cluster::{Id, JobId, Name};
use qscope_engine::cycle::{Debugger, Outcome, Run};
use qscope_engine::universe::{Bit, State};
use qscope_explain::decision::Sight;
use qscope_session::Generation;

/// One generation on the screen.
#[derive(Debug)]
pub struct Shown {
    /// The generation.
    pub generation: Arc<Generation>,
    /// How far the cycle has been stepped.
    pub debugger: Debugger,
    /// The universe as the job that is looked at found it: like choosing another frame of a stack.
    pub subject_state: Debugger,
    /// The rows that match the filter.
    pub rows: Vec<Row>,
    /// The row that is looked at; not always one of those that match.
    pub subject: Option<Row>,
    /// All rows.
    pub queue: Queue,
    /// What the header and the position bar say of everything.
    pub summary: Summary,
    /// The cursor in the queue.
    pub table: TableState,
    /// Jobs whose verdict is another than in the generation before.
    pub changed: FxHashSet<JobId>,
    /// The decision on the job that is looked at.
    pub story: Story,
    /// The first line of the story on the screen.
    pub scroll: usize,
    /// The nodes.
    pub map: NodeMap,
    /// The cursor in the map.
    pub map_state: MapState,
    /// How far somebody has gone into the decision.
    pub descent: Option<Descent>,
    /// Both paths side by side, in place of the decision.
    pub paths: Option<TwoPaths>,
    mode: Option<MapMode>,
    marks: Marks,
    filter: Filter,
}

impl Shown {
    /// A generation before its first step, with the first job looked at.
    #[must_use]
    pub fn new(generation: Arc<Generation>) -> Self {
        let debugger = Debugger::new(generation.run.clone());
        let queue = Queue::new(&generation.run);
        let rows = queue.matching(&generation.run, &Filter::default());
        let first = rows.iter().copied().find(|row| *row != Row::Gap);
        let mut shown = Self {
            subject_state: debugger.clone(),
            debugger,
            queue,
            summary: Summary::of(&generation.run),
            rows,
            subject: None,
            table: TableState::default(),
            changed: FxHashSet::default(),
            story: Story::default(),
            scroll: 0,
            map: NodeMap::default(),
            map_state: MapState::default(),
            descent: None,
            paths: None,
            mode: None,
            marks: Marks::default(),
            filter: Filter::default(),
            generation,
        };
        if let Some(first) = first {
            shown.look_at(first);
        }
        shown
    }

    /// Another generation than the one on the screen: the same job, node, filter and scroll. Jobs whose verdict is
    /// another than in `base` are marked, unless its dumps do not belong together.
    #[must_use]
    pub fn after(generation: Arc<Generation>, before: &Self, base: Option<&Run>) -> Self {
        let mut shown = Self::new(generation);
        if let Some(base) = base.filter(|_| shown.generation.half.is_none()) {
            shown.changed = changed_verdicts(base, shown.run());
        }
        shown.filter(&before.filter);
        let same = before.subject_name().and_then(|name| Row::named(shown.run(), &name));
        shown.table = before.table;
        if let Some(row) = same {
            shown.look_at(row);
            shown.scroll = before.scroll;
        }
        shown.show_subject();
        shown.map_state = before.map_state;
        if let (Some(mode), Some(node)) = (before.mode, before.node_name()) {
            shown.map_as(mode);
            shown.put_cursor_on(&node);
        }
        shown
    }

    /// The cycle.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.generation.run
    }

    /// What became of the job that is looked at.
    #[must_use]
    pub fn outcome(&self) -> Option<&Outcome> {
        self.subject.and_then(|row| row.outcome(self.run()))
    }

    /// The full id of the job that is looked at.
    #[must_use]
    pub fn subject_name(&self) -> Option<String> {
        self.outcome().map(|outcome| outcome.name(&self.generation.snapshot))
    }

    /// Looks at another job: its story, and the universe as it found it.
    pub fn look_at(&mut self, row: Row) {
        if self.subject == Some(row) {
            self.follow_position();
            return;
        }
        self.subject = Some(row);
        self.descent = None;
        self.paths = None;
        self.scroll = 0;
        let run = self.generation.run.clone();
        let Some(outcome) = row.outcome(&run) else { return };
        let events = match row {
            Row::Step(step) => {
                self.subject_state.seek(step.ix());
                self.subject_state.explain_next().map(|(_, events)| events).unwrap_or_default()
            }
            _ => {
                self.subject_state.seek(self.debugger.position());
                Vec::new()
            }
        };
        let state = self.subject_state.state();
        let sight = Sight { run: &run, outcome, events: &events, state, rehearsal: None };
        self.story = Story::new(tell(sight));
        self.marks = Marks::of(outcome, &events);
        self.mode = None;
    }

    /// A job that was not considered has no moment of its own: the map shows the position then.
    pub fn follow_position(&mut self) {
        if let Some(Row::Other(_)) = self.subject
            && self.subject_state.position() != self.debugger.position()
        {
            self.subject_state.seek(self.debugger.position());
            self.mode = None;
        }
    }

    /// Puts the cursor of the queue on the job that is looked at; false when the filter hides it.
    pub fn show_subject(&mut self) -> bool {
        let at = self.rows.iter().position(|row| Some(*row) == self.subject);
        self.table.selected = at.unwrap_or(self.table.selected).min(self.rows.len().saturating_sub(1));
        at.is_some()
    }

    /// Keeps the rows that match.
    pub fn filter(&mut self, filter: &Filter) {
        if self.filter == *filter {
            return;
        }
        self.filter.clone_from(filter);
        self.rows = self.queue.matching(&self.generation.run, filter);
        if !self.show_subject()
            && let Some(first) = self.rows.iter().copied().find(|row| *row != Row::Gap)
        {
            self.look_at(first);
            self.show_subject();
        }
    }

    /// What the rows are filtered by.
    #[must_use]
    pub fn filtered_by(&self) -> &str {
        self.filter.text()
    }

    /// What the decision's pane tells: the decision, or both paths.
    #[must_use]
    pub fn told(&self) -> &Story {
        self.paths.as_ref().map_or(&self.story, |paths| &paths.story)
    }

    /// Wraps the story for the pane that it stands in.
    pub(super) fn fit_story(&mut self, pane: Rect) {
        let told = self.paths.as_mut().map_or(&mut self.story, |paths| &mut paths.story);
        told.fit(usize::from(pane.width.saturating_sub(2)));
        let last = told.lines().len().saturating_sub(usize::from(pane.height.saturating_sub(2)));
        self.scroll = self.scroll.min(last);
    }

    /// Makes the map, unless it is there already; the cursor stays on its node.
    pub(super) fn map_as(&mut self, mode: MapMode) {
        if self.mode == Some(mode) {
            return;
        }
        let node = self.node_name();
        self.map = match (&self.descent, &self.paths) {
            (_, Some(paths)) => NodeMap::new(self.subject_state.state(), mode, &paths.marks()),
            (Some(descent), None) => NodeMap::new(self.seen(), mode, &descent.marks()),
            (None, None) => NodeMap::new(self.subject_state.state(), mode, &self.marks),
        };
        self.mode = Some(mode);
        if let Some(node) = node {
            self.put_cursor_on(&node);
        }
    }

    /// The universe that is looked at: as the job found it, or a simulated one that somebody went into.
    #[must_use]
    pub fn seen(&self) -> &State {
        self.descent.as_ref().and_then(Descent::state).unwrap_or_else(|| self.subject_state.state())
    }

    /// Has the map made again when it is needed.
    pub(super) fn forget_map(&mut self) {
        self.mode = None;
    }

    /// The node under the map's cursor.
    #[must_use]
    pub fn node(&self) -> Option<Bit> {
        self.map.node(self.map_state.line, self.map_state.node)
    }

    /// Its name.
    #[must_use]
    pub fn node_name(&self) -> Option<String> {
        self.node().map(|bit| self.name_of(bit).to_string())
    }

    fn name_of(&self, bit: Bit) -> &Name {
        self.run().plan.node_name(bit)
    }

    pub(super) fn put_cursor_on(&mut self, name: &str) -> bool {
        let Some(bit) = self.run().plan.bit_named.get(name).copied() else { return false };
        let found = self.map.find(bit, self.map_state.line);
        if let Some((line, node)) = found {
            (self.map_state.line, self.map_state.node) = (line, node);
        }
        found.is_some()
    }
}

/// Jobs of the new run whose verdict or path is another than before; new jobs are not among them.
fn changed_verdicts(before: &Run, now: &Run) -> FxHashSet<JobId> {
    let mut known = rustc_hash::FxHashMap::default();
    for outcome in before.outcomes() {
        known.insert(outcome.name(&before.plan.snap), (outcome.verdict, outcome.path));
    }
    let differs = |outcome: &&Outcome| {
        known
            .get(&outcome.name(&now.plan.snap))
            .is_some_and(|(verdict, path)| *verdict != outcome.verdict || *path != outcome.path)
    };
    now.outcomes().filter(differs).map(|outcome| outcome.job).collect()
}
