//! Inside a decision: how deep somebody has gone, and where the cursor stands at every depth.

use std::sync::Arc;

use super::node_map::Marks;
use super::{Row, Shell, Shown, Work};
use crate::action::Action;
use crate::app::{Effect, Update};
use crate::layout::Pane;
use crate::task::{News, Task, TaskNews, Ticket};
use crate::widgets::table::TableState;
use qscope_engine::cluster::{Id, short_id};
use qscope_engine::cycle::{Focus, Rehearsal};
use qscope_engine::universe::State;
use qscope_explain::decision::{Frame, Inside, Level, Scene, What, inside, owners};

/// One level on the way in.
#[derive(Debug)]
pub struct Depth {
    scene: Arc<Scene>,
    /// What this is the inside of.
    what: What,
    /// Its name, for the way back.
    pub title: String,
    /// Its lines.
    pub level: Level,
    /// The cursor.
    pub table: TableState,
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
    #[must_use]
    pub fn frame(&self) -> Option<&Frame> {
        self.level.frames.get(self.table.selected)
    }
}

/// The way into a decision.
#[derive(Debug)]
pub struct Descent {
    depths: Vec<Depth>,
    /// A simulation that is being made again, so that one can go into it.
    waiting: Option<(Ticket, Focus)>,
}

impl Descent {
    /// The innermost level.
    #[must_use]
    pub fn depth(&self) -> Option<&Depth> {
        self.depths.last()
    }

    /// The names of all levels, the outermost first.
    pub fn titles(&self) -> impl Iterator<Item = &str> {
        self.depths.iter().map(|depth| &*depth.title)
    }

    /// Whether something is being made again.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// The universe of the decision that one is in: a simulated one, if one went into a simulation.
    #[must_use]
    pub fn state(&self) -> Option<&State> {
        self.depth().map(|depth| &depth.scene.state)
    }

    /// What the map shows: who owns which node, as far as one has gone in.
    pub(super) fn marks(&self) -> Marks {
        let Some(depth) = self.depth() else { return Marks::default() };
        let what = depth.frame().map_or(&depth.what, |frame| match frame.what {
            What::Fact | What::Stage(_) => &depth.what,
            _ => &frame.what,
        });
        let (owned, rejected) = owners(depth.scene.sight(), what);
        Marks::owned(owned, rejected)
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

impl Shown {
    /// Goes into the decision that is looked at; false when nobody considered the job.
    fn begin_descent(&mut self) -> bool {
        let run = self.generation.run.clone();
        let Some(Row::Step(step)) = self.subject else { return false };
        self.subject_state.seek(step.ix());
        let Some((mut outcome, events, state)) = self.subject_state.scene_next() else { return false };
        // What the cycle made of it afterwards, by preemption or the calendar, is part of the decision.
        if let Some(step) = run.steps.checked(step) {
            outcome = step.outcome.clone();
        }
        let scene = Arc::new(Scene { run, outcome, events, state, rehearsal: None });
        let Inside::Level(level) = inside(scene.sight(), &What::Job) else { return false };
        let title = self.short_subject();
        let depths = vec![Depth::new(scene, What::Job, title, level)];
        self.descent = Some(Descent { depths, waiting: None });
        self.forget_map();
        true
    }

    /// The short id of the job that is looked at.
    pub(crate) fn short_subject(&self) -> String {
        let name = self.subject_name().unwrap_or_default();
        short_id(&name).to_owned()
    }

    /// One level out; whether there was one.
    fn leave_depth(&mut self) -> bool {
        let Some(descent) = &mut self.descent else { return false };
        descent.depths.pop();
        descent.waiting = None;
        if descent.depths.is_empty() {
            self.descent = None;
        }
        self.forget_map();
        true
    }

    /// Moves the cursor of the innermost level.
    pub(super) fn move_in_depth(&mut self, action: Action, height: usize) -> Option<bool> {
        let depth = self.descent.as_mut()?.depths.last_mut()?;
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
        let Some(depth) = self.descent.as_mut().and_then(|descent| descent.depths.last_mut()) else {
            return false;
        };
        let before = depth.table;
        depth.table.select(row, depth.level.frames.len(), height);
        let moved = depth.table != before;
        if moved {
            self.forget_map();
        }
        moved
    }
}

impl Shell {
    /// Into the decision, or one level deeper.
    pub(super) fn step_into(&mut self) -> Update<Work> {
        let Some(shown) = &mut self.shown else { return Update::nothing() };
        self.following.freeze.get_or_insert(super::Freeze::Stepping);
        self.focus = Pane::Detail;
        let Some(descent) = &mut shown.descent else {
            if !shown.begin_descent() {
                self.say("this job was not considered, so there is no decision to go into");
            }
            return Update::changed();
        };
        match descent.enter() {
            Entered::Level => shown.forget_map(),
            Entered::Nothing => self.say("nothing is inside this; o goes out, j and k go on"),
            Entered::Rehearse(focus) => return self.rehearse(focus),
        }
        Update::changed()
    }

    /// Has the step made again with an ear on its simulations.
    fn rehearse(&mut self, focus: Focus) -> Update<Work> {
        let Some(shown) = &mut self.shown else { return Update::nothing() };
        let (Some(Row::Step(step)), Some(descent)) = (shown.subject, &mut shown.descent) else {
            return Update::nothing();
        };
        let run = shown.generation.run.clone();
        let what = "making the cycle again up to this step";
        let (task, ticket) = Task::new(what, move |_| run.rehearse(step, focus));
        descent.waiting = Some((ticket, focus));
        self.say(what);
        Update::changed().with(Effect::Work(Work::Task(task)))
    }

    /// Takes in a step made again; whether it was asked for here.
    pub(super) fn hear_rehearsal(&mut self, news: &TaskNews) -> bool {
        let Some(shown) = &mut self.shown else { return false };
        let Some(descent) = &mut shown.descent else { return false };
        let Some((_, focus)) = descent.waiting.take_if(|(ticket, _)| ticket.is(news.ticket)) else {
            return false;
        };
        if let News::Answer(answer) = &news.news
            && let Ok(rehearsal) = answer.clone().downcast::<Rehearsal>()
        {
            descent.rehearsed(focus, &rehearsal);
            shown.forget_map();
            self.message.clear();
        }
        true
    }

    /// One level out; whether there was one.
    pub(super) fn step_out(&mut self) -> bool {
        self.shown.as_mut().is_some_and(Shown::leave_depth)
    }
}
