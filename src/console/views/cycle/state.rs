//! The state of the cycle view: queue, decision and map of one snapshot, and their cursors.

mod map;

use std::sync::Arc;

use ratatui::layout::Rect;

use super::descent::Descent;
use super::pulse_target::PulseTarget;
use super::reasons::CycleReasons;
use super::rows::CycleQueue;
use super::running::running_story;
use super::two_paths::PathComparison;
use crate::filter::Filter;
use crate::layout::{Pane, cells, indented_inner_area};
use crate::node_map::{NodeMap, NodeMarks};
use crate::screen::{CycleLine, CycleRow, Screen, Serial};
use crate::story::{Story, decision, decision_to_come};
use crate::views::calendar::events::EventLine;
use crate::views::judgement::JudgementRequest;
use crate::views::nodes::groups::NodeGrouping;
use crate::views::place_words::PlaceWords;
use crate::views::table_choices::TableChoices;
use crate::views::timeline::{SmallPicture, TimeRow, TimelineState};
use crate::views::why::WhyView;
use crate::views::{Effect, Pending, ViewContext};
use crate::widgets::bitmap::MapState;
use crate::widgets::table::TableState;
use crate::widgets::text::width;
use crate::wording::start;
use qscope_engine::cluster::{Id, Name, short_id};
use qscope_engine::universe::State;
use qscope_explain::decision::{DecisionTraceRef, Subject};
use qscope_explain::{BucketBits, ResourceUsage, bucket_bits};
use qscope_session::Generation;

/// The cycle view.
#[derive(Debug, Default)]
pub struct CycleView {
    pub(super) focus: Pane,
    /// How the nodes of the map are grouped.
    pub(super) grouping: NodeGrouping,
    /// The name of the resource in `grouping`: unlike its id, the name is valid in the next snapshot.
    pub(super) by_resource: Option<Name>,
    /// All rows.
    pub(super) queue: CycleQueue,
    /// The rows that match the filter.
    pub rows: Vec<CycleLine>,
    /// Indices in `rows` of the jobs that left.
    pub(super) departed_rows: Vec<usize>,
    /// The cursor in the queue.
    pub table: TableState,
    pub(super) filter: Filter,
    /// The selected job that the filter hides, and the first match, which was selected in its place.
    replaced: Option<[CycleRow; 2]>,
    /// The ticket for the complete rows that match, while a worker filters.
    pub(super) filtering: Pending<Vec<CycleLine>>,
    /// The chosen order and columns.
    pub(super) chosen: TableChoices,
    /// The width of the queue's table when last drawn.
    pub(super) columns: u16,
    /// The decision on the selected job.
    pub(super) story: Story,
    /// The first visible line of the story.
    pub(super) scroll: usize,
    /// The levels of the decision that were stepped into.
    pub(super) descent: Option<Descent>,
    /// Which verdicts are likely.
    pub(super) judged: JudgementRequest,
    /// The comparison of both paths, shown instead of the decision.
    pub(super) paths: Option<PathComparison>,
    pub(super) map: NodeMap,
    pub(super) map_state: MapState,
    /// The grouping that the map was made for; `None` if it must be rebuilt.
    map_grouping: Option<NodeGrouping>,
    marks: NodeMarks,
    /// Why the jobs wait, as far as known.
    pub(super) reasons: CycleReasons,
    /// The nodes over time, after the cycle.
    pub(super) timeline: TimelineState,
    /// The rows of that picture, and the first visible one.
    pub(super) time_rows: Vec<TimeRow>,
    pub(super) time_top: usize,
    /// The selected row of the picture, and the job of the bar clicked there.
    pub(super) time_at: usize,
    pub(super) time_job: Option<String>,
    /// The target of the cursor in the pane of reasons, once it was moved.
    pub(super) pulse_target: Option<PulseTarget>,
    /// The snapshot and the number of rows that the picture was made for.
    pub(super) picture: Option<(Serial, usize)>,
    /// The nodes over time after a step.
    pub(super) after_step: SmallPicture,
    /// What ends and starts next.
    pub(super) events: Vec<EventLine>,
    /// How much of each requested consumable is in use.
    pub(super) usage: Vec<ResourceUsage>,
    /// Whether the decision on the selected job was opened at rest.
    pub(super) is_decision_open: bool,
    /// Whether to open it as soon as that job is selected.
    pub(super) open_next: bool,
    /// The bitmaps of the buckets around the step shown.
    pub(super) bits: Vec<BucketBits>,
    /// The answer beside the panes, on very wide screens.
    pub(super) why_view: WhyView,
    /// Whether the user placed the map's cursor; until then it follows the decisions.
    pub(super) node_chosen: bool,
    /// The node under the map's cursor in the previous snapshot.
    node_before: Option<String>,
    /// Where jobs run and start, in words that rows are sorted by.
    pub(super) places: PlaceWords,
    pub(super) requests: Vec<Effect>,
    last_key: Option<CycleViewKey>,
}

/// What the state was made from.
#[derive(Debug)]
struct CycleViewKey {
    generation: Arc<Generation>,
    subject: Option<CycleRow>,
    position: usize,
    /// Position in the selected job's own debugger.
    state_position: usize,
    /// Whether the events of the selected job's step were still missing.
    to_examine: bool,
}

impl CycleView {
    /// Updates what depends on the snapshot, the position and the selected job.
    pub(super) fn take_world(&mut self, cx: ViewContext<'_>) {
        let screen = cx.screen;
        self.requests.extend(self.reasons.take(&screen.analysis.survey));
        self.requests.extend(screen.analysis.starts.ask());
        self.requests.extend(self.judged.take(&screen.analysis.survey));
        let seen = self.last_key.replace(CycleViewKey {
            generation: screen.generation.clone(),
            subject: screen.subject,
            position: screen.debugger.position(),
            state_position: screen.subject_state.position(),
            to_examine: screen.is_to_examine(),
        });
        let Some(seen) = seen else {
            self.take_queue(cx);
            self.take_subject(screen);
            self.show_subject();
            return;
        };
        if !Arc::ptr_eq(&seen.generation, &screen.generation) {
            self.take_snapshot(&seen, cx);
            return;
        }
        if seen.subject != screen.subject {
            self.scroll = 0;
            self.is_decision_open = std::mem::take(&mut self.open_next);
            self.take_subject(screen);
        } else if seen.to_examine && !screen.is_to_examine() {
            self.take_examined(screen);
        } else if seen.position != screen.debugger.position()
            && self.descent.is_none()
            && self.paths.is_none()
        {
            // The same decision, with or without the bits its step moved.
            self.take_subject(screen);
        } else if seen.state_position != screen.subject_state.position() {
            self.map_grouping = None;
        }
        let position = screen.debugger.position();
        if !self.show_subject() && seen.position != position && position > 0 {
            let name = screen.subject_name().unwrap_or_default();
            self.requests
                .push(Effect::SetStatus(format!("the filter hides {}; Esc clears it", short_id(&name))));
        }
    }

    /// Keeps job, node, filter and scroll position in another snapshot.
    fn take_snapshot(&mut self, before: &CycleViewKey, cx: ViewContext<'_>) {
        let screen = cx.screen;
        self.node_before = self.node_name(&before.generation.run.plan);
        // Rows and steps of the snapshot before.
        self.requests.retain(|request| !matches!(request, Effect::SelectJob(_) | Effect::Seek(_)));
        self.replaced = None;
        let name = before.subject.and_then(|row| row.name(&before.generation.run));
        self.take_queue(cx);
        let is_same = name.is_some() && name == screen.subject_name();
        if !is_same {
            self.scroll = 0;
        }
        self.take_subject(screen);
        if !self.show_subject() && !is_same {
            self.select_first();
        }
    }

    fn take_queue(&mut self, cx: ViewContext<'_>) {
        let screen = cx.screen;
        self.queue = CycleQueue::new(screen.ready.queue(), screen.row_marks.departed(), screen.run());
        self.widen_starts(cx);
        self.places.take(cx.run());
        self.arrange(cx);
    }

    fn take_subject(&mut self, screen: &Screen) {
        self.descent = None;
        self.paths = None;
        self.bits.clear();
        if screen.outcome().is_some() {
            let shown = match screen.subject {
                Some(CycleRow::Step(step)) => screen.debugger.position() == step.ix() + 1,
                _ => false,
            };
            let after = shown.then(|| screen.debugger.state());
            self.bits = bucket_bits(screen.subject_state.state(), after);
        }
        self.take_examined(screen);
    }

    /// Builds what depends on the events of the selected job's step, which may arrive after the first picture.
    fn take_examined(&mut self, screen: &Screen) {
        self.map_grouping = None;
        self.story = Story::default();
        self.marks = NodeMarks::default();
        let Some(outcome) = screen.outcome() else {
            self.story = running_story(screen);
            return;
        };
        let state = screen.subject_state.state();
        let sight = DecisionTraceRef {
            run: screen.run(),
            subject: Subject::Job(outcome),
            events: &screen.events,
            state,
            rehearsal: None,
        };
        self.story = match screen.is_to_examine() {
            true => decision_to_come(sight, outcome, &self.bits),
            false => decision(sight, outcome, &self.bits),
        };
        self.marks = NodeMarks::of(outcome, &screen.events);
    }

    /// Widens the column for forecasts that need a date.
    pub(super) fn widen_starts(&mut self, cx: ViewContext<'_>) {
        let snap = cx.snapshot();
        let starts = cx.screen.analysis.starts.moments();
        let wide = starts.map(|at| width(&start("~", snap, at))).max().unwrap_or(0);
        self.queue.widths.start = self.queue.widths.start.max(cells(wide));
    }

    /// Puts the cursor of the queue on the selected job; false if the filter hides it.
    pub(super) fn show_subject(&mut self) -> bool {
        let subject = self.last_key.as_ref().and_then(|seen| seen.subject);
        let at = self.rows.iter().position(|line| line.row().is_some_and(|row| Some(row) == subject));
        self.table.selected = at.unwrap_or(self.table.selected).min(self.rows.len().saturating_sub(1));
        at.is_some()
    }

    pub(super) fn select_first(&mut self) {
        let first = self.rows.iter().find_map(|line| line.row());
        self.requests.extend(first.map(Effect::SelectJob));
    }

    /// Keeps the rows that match.
    pub(super) fn keep_matching(&mut self, filter: &Filter, cx: ViewContext<'_>) {
        if self.filter == *filter {
            return;
        }
        self.filter.clone_from(filter);
        self.arrange(cx);
        if self.select_hidden() {
            return;
        }
        // A row that is not found yet may be among those the worker finds.
        if !self.show_subject() && !self.filtering.is_waiting() {
            self.replace_subject();
        }
    }

    /// Selects the job that the filter before hid, unless the cursor was moved since; false if it is hidden now.
    pub(super) fn select_hidden(&mut self) -> bool {
        let subject = self.last_key.as_ref().and_then(|seen| seen.subject);
        let Some([hidden, _]) = self.replaced.filter(|[_, first]| subject == Some(*first)) else {
            self.replaced = None;
            return false;
        };
        let is_there = self.rows.iter().any(|line| line.row() == Some(hidden));
        if is_there {
            self.replaced = None;
            self.requests.push(Effect::SelectJob(hidden));
        }
        is_there
    }

    /// Selects the first match, if there is one, in place of the selected job.
    pub(super) fn replace_subject(&mut self) {
        let Some(first) = self.rows.iter().find_map(|line| line.row()) else { return };
        let subject = self.last_key.as_ref().and_then(|seen| seen.subject);
        let hidden = self.replaced.map(|[hidden, _]| hidden).or(subject);
        self.replaced = hidden.map(|hidden| [hidden, first]);
        self.requests.push(Effect::SelectJob(first));
    }

    /// What the decision's pane shows: the decision, or both paths.
    pub(super) fn visible_story(&self) -> &Story {
        self.paths.as_ref().map_or(&self.story, |paths| &paths.story)
    }

    /// Wraps the visible story for its pane.
    pub(super) fn fit_story(&mut self, pane: Rect) {
        let story = self.paths.as_mut().map_or(&mut self.story, |paths| &mut paths.story);
        let inner = indented_inner_area(pane);
        let height = usize::from(inner.height);
        story.fit_in(usize::from(inner.width), height);
        let last = story.lines().len().saturating_sub(height);
        self.scroll = self.scroll.min(last);
    }

    /// The position that the state was made for.
    pub(super) fn seen_position(&self) -> Option<usize> {
        self.last_key.as_ref().map(|seen| seen.position)
    }

    /// The state that the map shows: before the step of the selected job, or a simulated one that was stepped into.
    pub(super) fn state<'a>(&'a self, cx: ViewContext<'a>) -> &'a State {
        self.descent.as_ref().and_then(Descent::state).unwrap_or_else(|| cx.found())
    }
}
