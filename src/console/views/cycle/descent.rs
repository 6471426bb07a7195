//! Inside a decision: how deep it was stepped into, and where the cursor stands at every depth.

use std::sync::Arc;

use super::state::Cycle;
use crate::action::Action;
use crate::layout::Pane;
use crate::node_map::NodeMarks;
use crate::screen::{Row, Screen};
use crate::task::{News, Task, Ticket};
use crate::views::effect::{Effect, Update};
use crate::views::world::World;
use crate::widgets::table::TableState;
use qscope_engine::cluster::{Id, short_id};
use qscope_engine::cycle::{Focus, Rehearsal};
use qscope_engine::universe::State;
use qscope_explain::decision::{Frame, Inside, Level, Scene, What, inside, owners};

/// One level on the way in.
#[derive(Debug)]
pub(crate) struct Depth {
    scene: Arc<Scene>,
    /// What this is the inside of.
    what: What,
    /// Its name, for the way back.
    pub(crate) title: String,
    /// Its lines.
    pub(crate) level: Level,
    /// The cursor.
    pub(crate) table: TableState,
}

impl Depth {
    fn new(scene: Arc<Scene>, what: What, title: String, level: Level) -> Self {
        let mut table = TableState::default();
        // Where it failed is where one looks first.
        let failed = level.frames.iter().position(|frame| frame.passed == Some(false));
        let last = level.frames.iter().rposition(|frame| matches!(frame.what, What::Stage(_)));
        table.selected = failed.or(last).unwrap_or(0);
        Self { scene, what, title, level, table }
    }

    /// The line under the cursor.
    pub(crate) fn frame(&self) -> Option<&Frame> {
        self.level.frames.get(self.table.selected)
    }
}

/// The way into a decision.
#[derive(Debug)]
pub(crate) struct Descent {
    depths: Vec<Depth>,
    /// A simulation that is being made again, so that one can go into it.
    waiting: Option<(Ticket, Focus)>,
}

impl Descent {
    /// The innermost level.
    pub(crate) fn depth(&self) -> Option<&Depth> {
        self.depths.last()
    }

    /// The names of all levels, the outermost first.
    pub(crate) fn titles(&self) -> impl Iterator<Item = &str> {
        self.depths.iter().map(|depth| &*depth.title)
    }

    /// Whether something is being made again.
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// The universe of the decision stepped into: a simulated one inside a simulation.
    pub(crate) fn state(&self) -> Option<&State> {
        self.depth().map(|depth| &depth.scene.state)
    }

    /// What the map shows: which chunk owns which node, at this level.
    pub(super) fn marks(&self) -> NodeMarks {
        let Some(depth) = self.depth() else { return NodeMarks::default() };
        let what = depth.frame().map_or(&depth.what, |frame| match frame.what {
            What::Fact | What::Stage(_) => &depth.what,
            _ => &frame.what,
        });
        let (owned, rejected) = owners(depth.scene.sight(), what);
        NodeMarks::owned(owned, rejected)
    }

    /// Goes into the line under the cursor.
    fn enter(&mut self) -> Entered {
        let Some(depth) = self.depths.last() else { return Entered::Nothing };
        let Some(frame) = depth.frame().cloned() else { return Entered::Nothing };
        let scene = depth.scene.clone();
        match inside(scene.sight(), &frame.what) {
            Inside::Level(level) => {
                let title = frame.label.split("  ").next().unwrap_or_default().to_owned();
                self.depths.push(Depth::new(scene, frame.what, title, level));
                Entered::Level
            }
            Inside::Rehearse(focus) => Entered::Rehearse(focus),
            Inside::Nothing => Entered::Nothing,
        }
    }

    /// Takes in a step that was made again.
    fn rehearsed(&mut self, focus: Focus, rehearsal: &Arc<Rehearsal>) {
        let Some(depth) = self.depths.last_mut() else { return };
        if focus == Focus::Decision {
            let scene = Scene { rehearsal: Some(rehearsal.clone()), ..(*depth.scene).clone() };
            depth.scene = Arc::new(scene);
            if let Inside::Level(level) = inside(depth.scene.sight(), &depth.what) {
                depth.level = level;
            }
            self.enter();
        } else if let Some(found) = &rehearsal.scene {
            let title = depth.frame().map_or_else(String::new, |frame| frame.label.clone());
            let scene = Arc::new(Scene {
                run: depth.scene.run.clone(),
                outcome: found.outcome.clone(),
                events: found.events.clone(),
                state: found.state.clone(),
                rehearsal: None,
            });
            if let Inside::Level(level) = inside(scene.sight(), &What::Job) {
                self.depths.push(Depth::new(scene, What::Job, title, level));
            }
        }
    }
}

enum Entered {
    Level,
    Rehearse(Focus),
    Nothing,
}

impl Descent {
    /// Into the decision on the selected job; none when it was not considered.
    fn begin(screen: &Screen) -> Option<Self> {
        let Some(Row::Step(step)) = screen.subject else { return None };
        let run = screen.generation.run.clone();
        let mut debugger = screen.subject_state.clone();
        debugger.seek(step.ix());
        let (mut outcome, events, state) = debugger.scene_next()?;
        // What the cycle made of it afterwards, by preemption or the calendar, is part of the decision.
        if let Some(step) = run.steps.checked(step) {
            outcome = step.outcome.clone();
        }
        let scene = Arc::new(Scene { run, outcome, events, state, rehearsal: None });
        let Inside::Level(level) = inside(scene.sight(), &What::Job) else { return None };
        let name = screen.subject_name().unwrap_or_default();
        let depths = vec![Depth::new(scene, What::Job, short_id(&name).to_owned(), level)];
        Some(Self { depths, waiting: None })
    }
}

impl Cycle {
    /// One level out; whether there was one.
    pub(super) fn leave_depth(&mut self) -> bool {
        let Some(descent) = &mut self.descent else { return false };
        descent.depths.pop();
        descent.waiting = None;
        if descent.depths.is_empty() {
            self.descent = None;
        }
        self.forget_map();
        true
    }

    fn innermost(&mut self) -> Option<&mut Depth> {
        self.descent.as_mut()?.depths.last_mut()
    }

    /// Moves the cursor of the innermost level.
    pub(super) fn move_in_depth(&mut self, action: Action, height: usize) -> Option<bool> {
        let depth = self.innermost()?;
        let action = match action {
            Action::StepForward => Action::Down,
            Action::StepBack => Action::Up,
            other => other,
        };
        let moved = depth.table.go(action, depth.level.frames.len(), height);
        if moved {
            self.forget_map();
        }
        Some(moved)
    }

    /// Puts the cursor of the innermost level on a line.
    pub(super) fn select_in_depth(&mut self, row: usize, height: usize) -> bool {
        let Some(depth) = self.innermost() else { return false };
        let before = depth.table;
        depth.table.select(row, depth.level.frames.len(), height);
        let moved = depth.table != before;
        if moved {
            self.forget_map();
        }
        moved
    }

    /// Into the decision, or one level deeper.
    pub(super) fn step_into(&mut self, world: World<'_>) -> Update {
        self.focus = Pane::Detail;
        let update = Update::changed().with(Effect::Freeze);
        let Some(descent) = &mut self.descent else {
            self.descent = Descent::begin(world.screen);
            self.forget_map();
            return match self.descent {
                Some(_) => update,
                None => update.with(Effect::SetStatus("this job was not considered: no decision".to_owned())),
            };
        };
        match descent.enter() {
            Entered::Level => self.forget_map(),
            Entered::Nothing => {
                return update.with(Effect::SetStatus("innermost level; o steps out".to_owned()));
            }
            Entered::Rehearse(focus) => return update.and(self.rehearse(focus, world)),
        }
        update
    }

    /// Computes the step again with its simulations recorded.
    fn rehearse(&mut self, focus: Focus, world: World<'_>) -> Update {
        let (Some(Row::Step(step)), Some(descent)) = (world.screen.subject, &mut self.descent) else {
            return Update::nothing();
        };
        let run = world.run().clone();
        let what = "running the cycle again up to this step";
        let (task, ticket) = Task::new(what, move |_| run.rehearse(step, focus));
        descent.waiting = Some((ticket, focus));
        Update::status(what).with(Effect::Compute(task))
    }

    /// Takes in a step computed again.
    pub(super) fn on_rehearsal(&mut self, ticket: u64, news: &News) -> Update {
        let Some(descent) = &mut self.descent else { return Update::nothing() };
        let Some((_, focus)) = descent.waiting.as_ref().filter(|(waiting, _)| waiting.is(ticket)) else {
            return Update::nothing();
        };
        let focus = *focus;
        let News::Answer(answer) = news else { return Update::changed() };
        descent.waiting = None;
        if let Ok(rehearsal) = answer.clone().downcast::<Rehearsal>() {
            descent.rehearsed(focus, &rehearsal);
        }
        self.forget_map();
        Update::status("")
    }
}
