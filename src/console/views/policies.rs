//! The nine allocation policies on the job that is looked at: who would give it which nodes, and at what cost.
//!
//! ```text
//! ┏ Policies for 12, as it found the cluster ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 2/9 ┓
//! ┃  policy          start      nodes  lost  nodes and tasks                           ┃
//! ┃▸ LASTAVAILABLE * now            2     0  n3x4 n4x6                                 ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ┌ LASTAVAILABLE: by the smallest gap to the next reservation ────────────────────────┐
//! │  node            tasks  of  tier      key                                          │
//! ```

mod lines;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::widgets::Widget;

use crate::cluster::JobId;
use crate::console::action::Action;
use crate::console::filter::Filter;
use crate::console::shell::inside;
use crate::console::task::{News, Task, Ticket};
use crate::console::theme::{Role, Theme};
use crate::console::view::{Object, Reply, View, Wish};
use crate::console::widgets::frame;
use crate::console::widgets::table::{Table, TableState};
use crate::console::world::World;
use crate::placement::policies::{Comparison, MauiOptions, Measures, Yardstick, compare_policies};

use lines::{PICK_COLUMNS, POLICY_COLUMNS, PickLine, Picks, Policies as Lines, PolicyLine};

/// So many jobs behind are measured.
const BEHIND: usize = 48;
/// From this width on the nodes stand beside the policies.
const WIDE: u16 = 130;

/// The view's state.
#[derive(Debug, Default)]
pub struct Policies {
    job: Option<(JobId, String)>,
    compared: Option<Comparison>,
    why_not: String,
    lines: Lines,
    picks: Picks,
    measures: Vec<Option<Measures>>,
    ticket: Option<Ticket>,
    table: TableState,
}

impl Policies {
    /// The job that is looked at, or the first one considered.
    fn subject(world: World<'_>) -> Option<JobId> {
        let first = || world.run().steps.iter().map(|step| step.outcome.job).next();
        world.subject().map(|outcome| outcome.job).or_else(first)
    }

    fn compare(&mut self, world: World<'_>) {
        self.compared = None;
        self.measures = Vec::new();
        self.ticket = None;
        let Some((job, _)) = self.job else { return };
        let options = MauiOptions::read(world.snapshot());
        match compare_policies(world.found(), &options, job, None) {
            Ok(compared) => self.compared = Some(compared),
            Err(why) => self.why_not = why.to_string(),
        }
    }

    fn refresh(&mut self, world: World<'_>) {
        let snap = world.snapshot();
        let line = |(at, answer)| PolicyLine::of(snap, self.compared.as_ref(), answer, self.measure_of(at));
        let answers = self.compared.iter().flat_map(|compared| &compared.answers);
        let lines: Vec<PolicyLine> = answers.enumerate().map(line).collect();
        self.lines = Lines(lines);
        self.refresh_picks(world);
    }

    fn refresh_picks(&mut self, world: World<'_>) {
        let snap = world.snapshot();
        let reference = self.compared.as_ref().and_then(|compared| {
            let (policy, _) = compared.in_force.as_ref().ok()?;
            compared.answers.iter().find(|answer| answer.policy == *policy)?.now.as_ref()
        });
        let placed = self.selected().and_then(|answer| answer.now.as_ref().or(answer.earliest.as_ref()));
        let picks = placed.iter().flat_map(|placed| &placed.picks);
        self.picks = Picks(picks.map(|pick| PickLine::of(snap, pick, reference)).collect());
    }

    fn selected(&self) -> Option<&crate::placement::policies::PolicyAnswer> {
        self.compared.as_ref()?.answers.get(self.table.selected)
    }

    fn measure_of(&self, at: usize) -> Option<&Measures> {
        self.measures.get(at).and_then(Option::as_ref)
    }

    /// Has a worker find out what each placement costs the jobs behind.
    fn ask_for_measures(&mut self, world: World<'_>) -> Reply {
        let (Some((job, name)), Some(compared)) = (&self.job, &self.compared) else {
            return Reply::say("no job to measure");
        };
        let (state, compared, job) = (world.found().clone(), compared.clone(), *job);
        let steps = world.run().steps.iter().map(|step| step.outcome.job);
        let behind: Vec<JobId> = steps.skip_while(|other| *other != job).skip(1).take(BEHIND).collect();
        let (task, ticket) = Task::new(format!("what each placement of {name} costs"), move |progress| {
            let options = MauiOptions::read(&state.plan.snap);
            let yardstick = Yardstick::new(&state, &options, &compared.request, &behind);
            let all = compared.answers.len() as u64;
            let mut measures = Vec::new();
            for (done, answer) in (0..).zip(&compared.answers) {
                if !progress.at(done, all) {
                    return None;
                }
                measures.push(answer.now.as_ref().map(|placed| yardstick.measure(placed)));
            }
            Some(measures)
        });
        self.ticket = Some(ticket);
        Reply::wish(Wish::Ask(task))
    }

    fn areas(area: Rect) -> (Rect, Rect) {
        let [first, second] = if area.width >= WIDE {
            Layout::horizontal([Constraint::Percentage(58), Constraint::Fill(1)]).areas(area)
        } else {
            Layout::vertical([Constraint::Max(12), Constraint::Fill(1)]).areas(area)
        };
        (first, second)
    }

    fn render_picks(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let Some(answer) = self.selected() else { return };
        let title = format!("{}: by {}", answer.policy, answer.policy.prefers());
        let note = format!("{} nodes", self.picks.0.len());
        let inner = frame::pane(area, buf, theme, &title, &note, false);
        let about =
            lines::wrapped(&lines::about(answer, self.measure_of(self.table.selected)), inner.width.into());
        let room = u16::try_from(about.len()).unwrap_or(u16::MAX).min(inner.height.saturating_sub(2));
        let [table, text] = Layout::vertical([Constraint::Fill(1), Constraint::Length(room)]).areas(inner);
        if !self.picks.0.is_empty() {
            let state = TableState { selected: usize::MAX, offset: 0 };
            Table { columns: &PICK_COLUMNS, rows: &self.picks, state, theme, focused: false }
                .render(table, buf);
        }
        let about: Vec<&str> = about.iter().map(String::as_str).collect();
        frame::empty(text, buf, theme, &about);
    }
}

impl View for Policies {
    fn look(&mut self, world: World<'_>) {
        self.job = Self::subject(world).map(|job| (job, world.snapshot().jobs[job].short_name().to_owned()));
        self.compare(world);
        self.refresh(world);
    }

    fn act(&mut self, action: Action, area: Rect, world: World<'_>) -> Reply {
        let height = Table::<Lines>::height(inside(Self::areas(area).0));
        match action {
            Action::Measure => self.ask_for_measures(world),
            Action::Select => match self.picks.0.first() {
                Some(pick) => Reply::wish(Wish::Go(Object::Node(pick.node.clone()))),
                None => Reply::say("this policy gives it no nodes"),
            },
            Action::Left | Action::Right => Reply::nothing(),
            _ if action.moves() => {
                let moved = self.table.go(action, self.lines.0.len(), height);
                self.refresh_picks(world);
                Reply::changed_if(moved)
            }
            _ => Reply::unknown(),
        }
    }

    fn filter(&mut self, _: &Filter, _: World<'_>) {}

    fn show(&mut self, object: &Object, world: World<'_>) -> bool {
        let Object::Job(name) = object else { return false };
        let Some(job) = world.snapshot().job_named(name) else { return false };
        self.job = Some((job, world.snapshot().jobs[job].short_name().to_owned()));
        self.compare(world);
        self.refresh(world);
        true
    }

    fn here(&self, world: World<'_>) -> Option<Object> {
        self.job.as_ref().map(|(job, _)| Object::Job(world.snapshot().jobs[*job].name.to_string()))
    }

    fn click(&mut self, at: Position, area: Rect, world: World<'_>) -> Reply {
        let area = inside(Self::areas(area).0);
        let Some(row) = Table::<Lines>::row_at(self.table, self.lines.0.len(), area, at.y) else {
            return Reply::nothing();
        };
        let before = self.table;
        self.table.select(row, self.lines.0.len(), Table::<Lines>::height(area));
        self.refresh_picks(world);
        Reply::changed_if(self.table != before)
    }

    fn hear(&mut self, ticket: u64, news: &News, world: World<'_>) -> Reply {
        let News::Answer(answer) = news else { return Reply::nothing() };
        if !self.ticket.as_ref().is_some_and(|have| have.is(ticket)) {
            return Reply::nothing();
        }
        if let Some(measures) = answer.downcast_ref::<Vec<Option<Measures>>>() {
            self.measures.clone_from(measures);
            self.refresh(world);
        }
        Reply::changed()
    }

    fn copy(&self, _: World<'_>) -> Option<(&'static str, String)> {
        let text: Vec<String> =
            self.lines.0.iter().map(|line| format!("{} {}", line.name, line.nodes)).collect();
        (!text.is_empty()).then(|| ("policies", text.join("\n")))
    }

    fn render(&self, area: Rect, buf: &mut Buffer, _: World<'_>, theme: &Theme) {
        let (top, bottom) = Self::areas(area);
        let Some((_, name)) = &self.job else {
            let inner = frame::pane(area, buf, theme, "Policies", "", true);
            frame::empty(inner, buf, theme, &["No job was considered; go to one in the cycle first."]);
            return;
        };
        let title = format!("Allocation policies for {name}, as it found the cluster");
        let inner = frame::pane(top, buf, theme, &title, &self.table.position(self.lines.0.len()), true);
        if self.compared.is_none() {
            frame::empty(inner, buf, theme, &[self.why_not.as_str()]);
            return;
        }
        Table { columns: &POLICY_COLUMNS, rows: &self.lines, state: self.table, theme, focused: true }
            .render(inner, buf);
        self.render_picks(bottom, buf, theme);
    }
}

/// The role of a start: now, later, never.
fn start_role(now: bool, later: bool) -> Role {
    if now {
        Role::NodeFree
    } else if later {
        Role::NodeLater
    } else {
        Role::TextDim
    }
}
