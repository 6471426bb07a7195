//! The state of the view: what is simulated, what has been computed, where one looks.

use std::sync::Arc;

use ratatui::layout::{Position, Rect};

use super::compute::{self, Opened, Point};
use super::draw;
use crate::cluster::{Column, Snapshot};
use crate::console::action::Action;
use crate::console::task::{News, Task, Ticket};
use crate::console::view::{Reply, Wish};
use crate::farm::grid::{NodeView, grid_at};
use crate::farm::{Case, ClassNo, Criterion, FarmRun, NodeNo, Wanted, Window};

/// What is simulated.
#[derive(Debug, Clone)]
pub enum Source {
    /// A cluster from now on.
    Snapshot(Arc<Snapshot>),
    /// The files of the wanted case.
    Files,
}

/// The lifetimes that the slider goes through, in seconds; the last has no end.
pub(super) const LADDER: [i64; 13] =
    [0, 60, 300, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 259_200, i64::MAX];

/// The criteria that a key goes through.
const CRITERIA: [Criterion; 4] = [Criterion::Queue, Criterion::Group, Criterion::User, Criterion::Project];

/// What is shown when not all of it fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Panel {
    /// Fill factor, packing index and difference over time.
    #[default]
    Charts,
    /// The farm node by node, under two policies.
    Farm,
    /// Cost against packing index, by lifetime.
    Sweep,
    /// Waits by class and policy.
    Waits,
}

impl Panel {
    pub(super) const ALL: [Self; 4] = [Self::Charts, Self::Farm, Self::Sweep, Self::Waits];

    fn turned(self, by: usize) -> Self {
        let at = Self::ALL.iter().position(|panel| *panel == self).unwrap_or(0);
        Self::ALL.get((at + by) % Self::ALL.len()).copied().unwrap_or_default()
    }
}

/// The farm under two policies at one second.
#[derive(Debug, Clone)]
pub(super) struct Grids {
    t: i64,
    pub left: Column<NodeNo, NodeView>,
    pub right: Column<NodeNo, NodeView>,
}

/// The state.
#[derive(Debug)]
pub struct Study {
    source: Source,
    wanted: Wanted,
    pub(super) case: Option<Arc<Case>>,
    /// Real if known, relaxed, exclusive, none.
    pub(super) runs: Vec<Arc<FarmRun>>,
    /// The lifetime of the slider.
    pub(super) ttl_run: Option<Arc<FarmRun>>,
    pub(super) ttl: usize,
    pub(super) sweep: Vec<Point>,
    pub(super) failed: Option<String>,
    pub(super) progress: Option<(u64, u64)>,
    pub(super) panel: Panel,
    /// The window of the charts and of their means.
    pub(super) window: Window,
    /// The second that is looked at.
    pub(super) cursor: i64,
    /// The place of the class whose index is drawn, among those that pack.
    pub(super) class: usize,
    pub(super) grids: Option<Grids>,
    opening: Option<Ticket>,
    trying: Option<Ticket>,
    sweeping: Option<Ticket>,
}

impl Study {
    /// A study of a cluster from now on.
    #[must_use]
    pub fn new(source: Source) -> Self {
        Self::of(source, Wanted::default())
    }

    /// A study of files.
    #[must_use]
    pub fn of_files(wanted: Wanted) -> Self {
        Self::of(Source::Files, wanted)
    }

    fn of(source: Source, wanted: Wanted) -> Self {
        Self {
            source,
            wanted,
            case: None,
            runs: Vec::new(),
            ttl_run: None,
            ttl: 5,
            sweep: Vec::new(),
            failed: None,
            progress: None,
            panel: Panel::default(),
            window: Window { from: 0, to: 0 },
            cursor: 0,
            class: 0,
            grids: None,
            opening: None,
            trying: None,
            sweeping: None,
        }
    }

    /// Another generation of the cluster.
    pub fn take_source(&mut self, source: Source) {
        self.source = source;
    }

    /// Asks for the case and its first runs; what was computed before stays until they are there.
    pub fn open(&mut self) -> Option<Task> {
        let (source, wanted) = (self.source.clone(), self.wanted.clone());
        let (task, ticket) = Task::new("packing policies", move |progress| {
            let opened = compute::open(&source, &wanted, progress);
            (!progress.is_cancelled()).then(|| opened.map_err(|error| error.to_string()))
        });
        self.opening = Some(ticket);
        self.progress = Some((0, 1));
        Some(task)
    }

    fn try_lifetime(&mut self) -> Option<Task> {
        let case = self.case.clone()?;
        let policy = compute::lifetime(LADDER.get(self.ttl).copied()?);
        let (task, ticket) = Task::new("one lifetime", move |progress| {
            let run = compute::one(&case, policy, progress).ok()?;
            (!progress.is_cancelled()).then_some(run)
        });
        self.trying = Some(ticket);
        Some(task)
    }

    fn try_sweep(&mut self) -> Option<Task> {
        let case = self.case.clone()?;
        let (task, ticket) = Task::new("lifetimes", move |progress| compute::sweep(&case, progress).ok());
        self.sweeping = Some(ticket);
        Some(task)
    }

    /// What became of a task.
    pub fn hear(&mut self, number: u64, news: &News) -> Reply {
        let is = |ticket: &Option<Ticket>| ticket.as_ref().is_some_and(|ticket| ticket.is(number));
        let answer = match news {
            News::Progress(done, of) => {
                let mine = is(&self.opening);
                if mine {
                    self.progress = Some((*done, *of));
                }
                return Reply::changed_if(mine);
            }
            News::Answer(answer) => answer,
        };
        if is(&self.opening) {
            self.opening = None;
            self.progress = None;
            return match answer.downcast_ref::<Result<Opened, String>>() {
                Some(Ok(opened)) => self.take(opened),
                Some(Err(error)) => {
                    self.failed = Some(error.clone());
                    Reply::changed()
                }
                None => Reply::nothing(),
            };
        }
        if is(&self.trying) {
            self.trying = None;
            self.ttl_run = answer.clone().downcast::<FarmRun>().ok();
            self.look();
            return Reply::changed();
        }
        if is(&self.sweeping) {
            self.sweeping = None;
            self.sweep = answer.downcast_ref::<Vec<Point>>().cloned().unwrap_or_default();
            return Reply::changed();
        }
        Reply::nothing()
    }

    fn take(&mut self, opened: &Opened) -> Reply {
        let first = self.case.is_none();
        self.case = Some(opened.case.clone());
        self.runs.clone_from(&opened.runs);
        self.failed = None;
        self.ttl_run = None;
        self.sweep.clear();
        self.class = self.class.min(opened.case.packing.len().saturating_sub(1));
        let whole = self.whole();
        if first || self.window.from < whole.from || self.window.to > whole.to {
            self.window = whole;
            self.cursor = self.moments().get(1).map_or(whole.from, |(_, t)| *t);
        }
        self.look();
        let mut reply = Reply::changed();
        reply.wishes.extend(self.try_lifetime().map(Wish::Ask));
        reply.wishes.extend(self.try_sweep().map(Wish::Ask));
        reply
    }

    /// All of the time that the means are over.
    pub(super) fn whole(&self) -> Window {
        let window = self.run("relaxed").map_or(Window { from: 0, to: 1 }, |run| run.summary.window);
        if window.seconds() == 0 {
            Window { from: window.from, to: window.from.saturating_add(1) }
        } else {
            window
        }
    }

    /// The run of a name.
    pub(super) fn run(&self, name: &str) -> Option<&Arc<FarmRun>> {
        self.runs.iter().find(|run| run.ask.name == name)
    }

    /// The class whose index is drawn.
    pub(super) fn shown_class(&self) -> Option<ClassNo> {
        self.case.as_ref()?.packing.get(self.class).copied()
    }

    /// The runs that the charts draw, with their letters.
    pub(super) fn drawn(&self) -> Vec<(char, &Arc<FarmRun>)> {
        let named = [("real", 'B'), ("relaxed", 'R'), ("exclusive", 'E')];
        let mut drawn: Vec<_> =
            named.iter().filter_map(|(name, letter)| Some((*letter, self.run(name)?))).collect();
        drawn.extend(self.ttl_run.as_ref().map(|run| ('T', run)));
        drawn
    }

    /// The deck's moments that this run has: where to look first.
    pub(super) fn moments(&self) -> Vec<(&'static str, i64)> {
        let whole = self.whole();
        let mut moments = vec![("empty", whole.from)];
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
        moments.push(("steady state", steady));
        moments.dedup_by_key(|(_, t)| *t);
        moments
    }

    /// Makes what drawing the farm needs, for the second that is looked at.
    fn look(&mut self) {
        let grid = |run: Option<&Arc<FarmRun>>| {
            let (case, run) = (self.case.as_ref()?, run?);
            let recording = run.recording.as_ref()?;
            let ask = &run.ask;
            Some(grid_at(
                &case.workload,
                &ask.policies,
                ask.options.anchor,
                &recording.assignment,
                self.cursor,
            ))
        };
        let right = self.right_run();
        let grids = grid(self.run("relaxed")).zip(grid(right));
        self.grids = grids.map(|(left, right)| Grids { t: self.cursor, left, right });
    }

    /// The policy that stands beside relaxed: the lifetime of the slider where it says more than exclusive.
    pub(super) fn right_run(&self) -> Option<&Arc<FarmRun>> {
        self.run("exclusive")
    }

    /// Does what a key asks for.
    pub fn act(&mut self, action: Action, area: Rect) -> Reply {
        let columns = u64::from(draw::chart_columns(area).max(1));
        let column = i64::try_from(self.window.seconds().div_ceil(columns).max(1)).unwrap_or(i64::MAX);
        let before = self.cursor;
        match action {
            Action::NextPane => self.panel = self.panel.turned(1),
            Action::PreviousPane => self.panel = self.panel.turned(Panel::ALL.len() - 1),
            Action::Left => self.cursor = self.cursor.saturating_sub(column),
            Action::Right => self.cursor = self.cursor.saturating_add(column),
            Action::PageUp => self.cursor = self.cursor.saturating_sub(column.saturating_mul(10)),
            Action::PageDown => self.cursor = self.cursor.saturating_add(column.saturating_mul(10)),
            Action::Home | Action::FirstStep => self.cursor = self.window.from,
            Action::End | Action::LastStep => self.cursor = self.window.to.saturating_sub(1),
            Action::Up => self.class = self.class.saturating_sub(1),
            Action::Down => {
                let last = self.case.as_ref().map_or(0, |case| case.packing.len().saturating_sub(1));
                self.class = (self.class + 1).min(last);
            }
            Action::NextEvent | Action::StepForward => self.cursor = self.event_after(self.cursor),
            Action::PreviousEvent | Action::StepBack => self.cursor = self.event_before(self.cursor),
            Action::NextMoment => return self.next_moment(),
            Action::LongerTtl => return self.slide(self.ttl + 1),
            Action::ShorterTtl => return self.slide(self.ttl.saturating_sub(1)),
            Action::WindowLeft => self.shift(-1),
            Action::WindowRight => self.shift(1),
            Action::WindowIn => self.zoom(true),
            Action::WindowOut => self.zoom(false),
            Action::NextCriterion => return self.next_criterion(),
            Action::NextClass => return self.next_class(),
            _ => return Reply::unknown(),
        }
        let whole = self.whole();
        self.cursor = self.cursor.clamp(whole.from, whole.to.saturating_sub(1).max(whole.from));
        if self.cursor != before || self.grids.as_ref().is_none_or(|grids| grids.t != self.cursor) {
            self.look();
        }
        Reply::changed()
    }

    /// A click into a chart puts the cursor there.
    pub fn click(&mut self, at: Position, area: Rect) -> Reply {
        let Some(part) = draw::part_of_chart(at, area, self.panel) else { return Reply::nothing() };
        let offset = self.window.seconds() as f64 * part;
        self.cursor = self.window.from.saturating_add(offset as i64);
        self.look();
        Reply::changed()
    }

    fn next_moment(&mut self) -> Reply {
        let moments = self.moments();
        let next = moments.iter().find(|(_, t)| *t > self.cursor).or(moments.first());
        let Some((name, t)) = next else { return Reply::nothing() };
        self.cursor = *t;
        self.look();
        Reply::say(*name)
    }

    /// The slider moves: the old line stays until the new one is there.
    fn slide(&mut self, to: usize) -> Reply {
        let to = to.min(LADDER.len() - 1);
        if to == self.ttl {
            return Reply::nothing();
        }
        self.ttl = to;
        let mut reply = Reply::changed();
        reply.wishes.extend(self.try_lifetime().map(Wish::Ask));
        reply
    }

    fn shift(&mut self, by: i64) {
        let whole = self.whole();
        let length = i64::try_from(self.window.seconds()).unwrap_or(i64::MAX);
        let step = (length / 4).max(1).saturating_mul(by);
        let from = self.window.from.saturating_add(step);
        let from = from.min(whole.to.saturating_sub(length)).max(whole.from);
        self.window = Window { from, to: from.saturating_add(length).min(whole.to) };
    }

    /// Half or twice the window, around the cursor.
    fn zoom(&mut self, into: bool) {
        let whole = self.whole();
        let length = i64::try_from(self.window.seconds()).unwrap_or(i64::MAX);
        let length = if into { (length / 2).max(2) } else { length.saturating_mul(2) };
        let length = length.min(i64::try_from(whole.seconds()).unwrap_or(i64::MAX)).max(1);
        let from = self.cursor.saturating_sub(length / 2);
        let from = from.min(whole.to.saturating_sub(length)).max(whole.from);
        self.window = Window { from, to: from.saturating_add(length) };
    }

    /// The seconds with events under relaxed and the policy beside it.
    fn event_after(&self, t: i64) -> i64 {
        self.around(t, |rows, t| rows.get(rows.partition_point(|row| row.t <= t)).map(|row| row.t))
            .min()
            .unwrap_or(t)
    }

    fn event_before(&self, t: i64) -> i64 {
        let before = |rows: &[crate::farm::record::Row], t: i64| {
            rows.get(rows.partition_point(|row| row.t < t).checked_sub(1)?).map(|row| row.t)
        };
        self.around(t, before).max().unwrap_or(t)
    }

    fn around<'a>(
        &'a self,
        t: i64,
        find: impl Fn(&[crate::farm::record::Row], i64) -> Option<i64> + 'a,
    ) -> impl Iterator<Item = i64> + 'a {
        let runs = [self.run("relaxed"), self.right_run()].into_iter().flatten();
        runs.filter_map(move |run| find(&run.recording.as_ref()?.series.rows, t))
    }

    fn next_criterion(&mut self) -> Reply {
        if self.case.as_ref().is_some_and(|case| case.by.is_empty()) {
            return Reply::say("the file names the classes itself");
        }
        let at = CRITERIA.iter().position(|criterion| *criterion == self.wanted.criterion);
        let next = at.map_or(0, |at| (at + 1) % CRITERIA.len());
        self.wanted.criterion = CRITERIA.get(next).cloned().unwrap_or_default();
        self.wanted.pack.clear();
        self.again(format!("classes by {}", self.wanted.criterion))
    }

    /// Another class packs, in the order of their work.
    fn next_class(&mut self) -> Reply {
        let Some(case) = &self.case else { return Reply::nothing() };
        let work = case.work_by_class();
        let mut classes: Vec<_> = case.workload.classes.enumerate().zip(work).collect();
        classes.sort_by_key(|(_, work)| std::cmp::Reverse(*work));
        let here = case.packing.first();
        let at = classes.iter().position(|((class, _), _)| Some(class) == here);
        let next = classes.get(at.map_or(0, |at| (at + 1) % classes.len().max(1)));
        let Some(((_, name), _)) = next else { return Reply::say("there is only one class") };
        let name = name.to_string();
        self.wanted.pack = vec![name.clone()];
        self.again(format!("{name} packs"))
    }

    fn again(&mut self, said: String) -> Reply {
        let mut reply = Reply::say(said);
        reply.changed = true;
        reply.wishes.extend(self.open().map(Wish::Ask));
        reply
    }

    /// Facts for a header, with how long each stays when there is little room.
    #[must_use]
    pub fn facts(&self) -> Vec<(String, u8)> {
        let Some(case) = &self.case else { return vec![("reading".to_owned(), 80)] };
        let farm = &case.workload;
        let mut facts = vec![
            (format!("{} nodes, {} slots", farm.nodes.len(), farm.total_slots()), 80),
            (format!("{} jobs", farm.jobs.len()), 70),
        ];
        if case.broken > 0 {
            facts.push((format!("{} records could not be read", case.broken), 60));
        }
        if let Some(seed) = case.seed {
            facts.push((format!("seed {seed}"), 20));
        }
        facts
    }

    /// The figures over the window, one policy per line.
    #[must_use]
    pub fn words(&self) -> String {
        draw::figures(self).join("\n")
    }
}
