//! Inside a decision: the levels stepped into, and the cursor of each.

use std::sync::Arc;

use crate::bucket_names::BucketNames;
use crate::node_map::NodeMarks;
use crate::screen::{CycleRow, Screen};
use crate::views::{Pending, ViewContext};
use crate::widgets::table::TableState;
use qscope_engine::cluster::{Id, short_id};
use qscope_engine::cycle::{SimulationFocus, SimulationRecord};
use qscope_engine::universe::{Bit, State};
use qscope_explain::decision::{
    DecisionContents, DecisionLevel, DecisionPoint, DecisionRow, DecisionTrace, NodeTest, OwnedSubject,
    StageName, decision_contents, node_test, owners,
};

/// One level of the descent.
#[derive(Debug)]
pub(crate) struct DescentLevel {
    scene: Arc<DecisionTrace>,
    /// What this level is the inside of.
    what: DecisionPoint,
    /// Its name in the breadcrumb.
    pub(crate) title: String,
    /// Its lines.
    pub(crate) level: DecisionLevel,
    /// Its cursor.
    pub(crate) table: TableState,
    /// The test of the node under the cursor, if the line is a node.
    pub(super) test: Option<(Bit, NodeTest)>,
    /// Number of levels below the line under the cursor; `None` until a step is computed again.
    pub(super) levels_below: Option<usize>,
}

/// Where the cursor of a level starts: on the deciding bucket; where nodes were found for a job that starts; where the
/// search failed for another one.
fn begins_at(level: &DecisionLevel, scene: &DecisionTrace) -> usize {
    let frames = &level.frames;
    let position = |passed| frames.iter().position(|frame| frame.passed == Some(passed));
    let is_within = !matches!(frames.first(), Some(DecisionRow { point: DecisionPoint::Stage(_), .. }));
    let last = frames.iter().rposition(|frame| matches!(frame.point, DecisionPoint::Stage(_)));
    let found = || position(true).filter(|_| is_within && scene.is_placed());
    level.deciding_bucket().or_else(found).or_else(|| position(false)).or(last).unwrap_or(0)
}

/// Number of levels below `point`, following the initial cursors; `None` if that needs the step to be computed again.
fn levels_below(scene: &DecisionTrace, what: &DecisionPoint) -> Option<usize> {
    match what {
        DecisionPoint::Node { .. } | DecisionPoint::Fact => Some(0),
        // Nodes are the last level; there may be ten thousand, so they are not listed to know that.
        DecisionPoint::Bucket { .. } | DecisionPoint::Class { .. } => Some(1),
        _ => match decision_contents(scene.as_trace_ref(), what) {
            DecisionContents::Nothing => Some(0),
            DecisionContents::Rehearse(_) => None,
            DecisionContents::Level(level) => {
                let next = level.frames.get(begins_at(&level, scene))?;
                Some(1 + levels_below(scene, &next.point)?)
            }
        },
    }
}

impl DescentLevel {
    fn new(trace: Arc<DecisionTrace>, point: DecisionPoint, title: String, level: DecisionLevel) -> Self {
        let table = TableState { selected: begins_at(&level, &trace), ..TableState::default() };
        let mut depth =
            Self { scene: trace, what: point, title, level, table, test: None, levels_below: None };
        depth.test_node();
        depth
    }

    /// Tests the node under the cursor, and counts the levels below it.
    pub(super) fn test_node(&mut self) {
        self.levels_below = self.frame().and_then(|frame| levels_below(&self.scene, &frame.point));
        let under = self.frame().and_then(|frame| match frame.point {
            DecisionPoint::Node { bit, of: (_, part) } => Some((bit, part)),
            _ => None,
        });
        let test = |(bit, part)| Some((bit, node_test(self.scene.as_trace_ref(), bit, part)?));
        self.test = under.and_then(test);
    }

    /// The node under the cursor.
    pub(super) fn node(&self) -> Option<Bit> {
        match self.frame()?.point {
            DecisionPoint::Node { bit, .. } => Some(bit),
            _ => None,
        }
    }

    /// The title for its lines.
    pub(super) fn heading(&self) -> &'static str {
        match &self.what {
            DecisionPoint::Job => "Decision, stage by stage",
            DecisionPoint::Stage(StageName::Sets) => "Sets, in the order tried",
            DecisionPoint::Stage(StageName::Calendar) => "Moments simulated",
            DecisionPoint::Stage(StageName::Preemption) => "Victims tried",
            DecisionPoint::Stage(_) | DecisionPoint::Attempt(_) => "Chunks of the select",
            DecisionPoint::Part { .. } if self.level.headings.len() > 2 => "Buckets, in the order tried",
            DecisionPoint::Part { .. } => "Nodes, by what became of them",
            DecisionPoint::Bucket { .. } => "Nodes of this bucket, in the order tried",
            DecisionPoint::Class { .. } => "Nodes of this kind, in the order tried",
            DecisionPoint::Window(_)
            | DecisionPoint::Trial(_)
            | DecisionPoint::Node { .. }
            | DecisionPoint::Fact => "Lines",
        }
    }

    /// The line under the cursor.
    pub(crate) fn frame(&self) -> Option<&DecisionRow> {
        self.level.frames.get(self.table.selected)
    }
}

/// The levels stepped into.
#[derive(Debug)]
pub(crate) struct Descent {
    pub(super) depths: Vec<DescentLevel>,
    /// The step being computed again so that its simulation can be entered.
    pub(super) waiting: Pending<SimulationRecord, SimulationFocus>,
}

impl Descent {
    /// The innermost level.
    pub(crate) fn depth(&self) -> Option<&DescentLevel> {
        self.depths.last()
    }

    /// The names of all levels for the screen, outermost first.
    pub(super) fn named_levels(&self, cx: ViewContext<'_>) -> Vec<String> {
        let buckets = BucketNames::of(cx.state());
        self.depths.iter().map(|depth| buckets.full_name(&depth.title)).collect()
    }

    /// Whether a step is being computed again.
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting.is_waiting()
    }

    /// The state of the innermost level: a simulated one inside a simulation.
    pub(crate) fn state(&self) -> Option<&State> {
        self.depth().map(|depth| &depth.scene.state)
    }

    /// The marks of the map at this level: which chunk owns which node.
    pub(super) fn marks(&self) -> NodeMarks {
        let Some(depth) = self.depth() else { return NodeMarks::default() };
        let what = depth.frame().map_or(&depth.what, |frame| match frame.point {
            DecisionPoint::Fact | DecisionPoint::Stage(_) => &depth.what,
            _ => &frame.point,
        });
        let (owned, rejected) = owners(depth.scene.as_trace_ref(), what);
        NodeMarks::owned(owned, rejected)
    }

    /// Steps into the line under the cursor.
    pub(super) fn enter(&mut self) -> DescentOutcome {
        let Some(depth) = self.depths.last() else { return DescentOutcome::Nothing };
        let Some(frame) = depth.frame().cloned() else { return DescentOutcome::Nothing };
        let scene = depth.scene.clone();
        match decision_contents(scene.as_trace_ref(), &frame.point) {
            DecisionContents::Level(level) => {
                let title = frame.label.split("  ").next().unwrap_or_default().to_owned();
                self.depths.push(DescentLevel::new(scene, frame.point, title, level));
                DescentOutcome::Level
            }
            DecisionContents::Rehearse(focus) => DescentOutcome::Rehearse(focus),
            DecisionContents::Nothing => DescentOutcome::Nothing,
        }
    }

    /// Continues with a step that was computed again.
    pub(super) fn rehearsed(&mut self, focus: SimulationFocus, rehearsal: &Arc<SimulationRecord>) {
        let Some(depth) = self.depths.last_mut() else { return };
        if focus == SimulationFocus::Decision {
            let scene = DecisionTrace { rehearsal: Some(rehearsal.clone()), ..(*depth.scene).clone() };
            depth.scene = Arc::new(scene);
            if let DecisionContents::Level(level) = decision_contents(depth.scene.as_trace_ref(), &depth.what)
            {
                depth.level = level;
                depth.test_node();
            }
            self.enter();
        } else if let Some(found) = &rehearsal.focus_consideration {
            let title = depth.frame().map_or_else(String::new, |frame| frame.label.clone());
            let scene = Arc::new(DecisionTrace {
                run: depth.scene.run.clone(),
                decided: OwnedSubject::Job(Box::new(found.outcome.clone())),
                events: found.events.clone(),
                state: found.state.clone(),
                rehearsal: None,
            });
            if let DecisionContents::Level(level) =
                decision_contents(scene.as_trace_ref(), &DecisionPoint::Job)
            {
                self.depths.push(DescentLevel::new(scene, DecisionPoint::Job, title, level));
            }
        }
    }
}

/// The result of stepping into a line.
pub(super) enum DescentOutcome {
    Level,
    Rehearse(SimulationFocus),
    Nothing,
}

impl Descent {
    /// Steps into the decision on the selected job; `None` if it was not considered.
    pub(super) fn begin(screen: &Screen) -> Option<Self> {
        let Some(CycleRow::Step(step)) = screen.subject else { return None };
        let run = Arc::clone(&screen.generation.run);
        let mut debugger = screen.subject_state.clone();
        debugger.seek(step.ix());
        let found = debugger.consideration_next()?;
        // What the cycle did with the job later, by preemption or in the calendar, is part of the decision.
        let outcome = run.steps.checked(step).map_or(found.outcome, |step| step.outcome.clone());
        let decided = OwnedSubject::Job(Box::new(outcome));
        let scene = DecisionTrace { run, decided, events: found.events, state: found.state, rehearsal: None };
        let scene = Arc::new(scene);
        let DecisionContents::Level(level) = decision_contents(scene.as_trace_ref(), &DecisionPoint::Job)
        else {
            return None;
        };
        let name = screen.subject_name().unwrap_or_default();
        let depths = vec![DescentLevel::new(scene, DecisionPoint::Job, short_id(&name).to_owned(), level)];
        Some(Self { depths, waiting: Pending::default() })
    }

    /// Steps into the confirmation that ended the cycle before any job was considered; `None` if there was none.
    pub(super) fn of_cycle_end(screen: &Screen) -> Option<Self> {
        let run = &screen.generation.run;
        let last = run.confirmations.iter().rfind(|tried| tried.is_confirmed())?;
        Self::of_reservation(screen, &run.plan.snap.reservations[last.reservation].name)
    }

    /// Steps into the confirmation of a reservation; `None` if it did not wait to be confirmed.
    pub(super) fn of_reservation(screen: &Screen, name: &str) -> Option<Self> {
        let run = &screen.generation.run;
        let id = run.plan.snap.reservation_named(name)?;
        let scene = Arc::new(DecisionTrace::of_reservation(run, id)?);
        let DecisionContents::Level(level) = decision_contents(scene.as_trace_ref(), &DecisionPoint::Job)
        else {
            return None;
        };
        let depths = vec![DescentLevel::new(
            scene,
            DecisionPoint::Job,
            format!("reservation {}", short_id(name)),
            level,
        )];
        Some(Self { depths, waiting: Pending::default() })
    }
}
