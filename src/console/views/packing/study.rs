//! The state of the view: what is simulated, what has been computed, where one looks.

mod asking;
mod time;

use std::sync::Arc;

use ratatui::layout::{Position, Rect};

use super::compute::Point;
use super::{draw, farm_map};
use crate::action::Action;
use crate::task::Ticket;
use crate::views::effect::Update;
use qscope_engine::cluster::{Column, Snapshot};
use qscope_planning::farm::grid::{NodeView, grid_at};
use qscope_planning::farm::{Case, ClassNo, Criterion, FarmRun, NodeNo, Wanted, Window};

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
    /// Nodes beyond those that would do, over time.
    Dispersion,
    /// Cost against packing index, by lifetime.
    Sweep,
    /// Waits by class and policy.
    Waits,
}

impl Panel {
    pub(super) const ALL: [Self; 5] = [Self::Charts, Self::Farm, Self::Dispersion, Self::Sweep, Self::Waits];

    /// Its name.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Charts => "Charts",
            Self::Farm => "Farm",
            Self::Dispersion => "Dispersion",
            Self::Sweep => "Lifetimes",
            Self::Waits => "Waits",
        }
    }

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
    /// The node that is looked at.
    pub(super) node: usize,
    /// Whether nodes are shown slot by slot, however many there are.
    pub(super) zoomed: bool,
    opening: Option<Ticket>,
    trying: Option<Ticket>,
    sweeping: Option<Ticket>,
}

impl Study {
    /// A study of a cluster from now on.
    pub fn new(source: Source) -> Self {
        Self::of(source, Wanted::default())
    }

    /// A study of files.
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
            node: 0,
            zoomed: false,
            opening: None,
            trying: None,
            sweeping: None,
        }
    }

    /// Another generation of the cluster.
    pub fn take_source(&mut self, source: Source) {
        self.source = source;
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
    pub fn act(&mut self, action: Action, area: Rect) -> Update {
        let columns = u64::from(draw::chart_columns(area).max(1));
        let column = i64::try_from(self.window.seconds().div_ceil(columns).max(1)).unwrap_or(i64::MAX);
        let before = self.cursor;
        match action {
            Action::NextPane => self.panel = self.panel.turned(1),
            Action::PreviousPane => self.panel = self.panel.turned(Panel::ALL.len() - 1),
            Action::Left | Action::Right | Action::Up | Action::Down if self.panel == Panel::Farm => {
                return self.move_in_farm(action, area);
            }
            Action::Select if self.panel == Panel::Farm => self.zoomed = !self.zoomed,
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
            _ => return Update::unknown(),
        }
        let whole = self.whole();
        self.cursor = self.cursor.clamp(whole.from, whole.to.saturating_sub(1).max(whole.from));
        if self.cursor != before || self.grids.as_ref().is_none_or(|grids| grids.t != self.cursor) {
            self.look();
        }
        Update::changed()
    }

    /// To the node beside, above or below.
    fn move_in_farm(&mut self, action: Action, area: Rect) -> Update {
        let Some(case) = &self.case else { return Update::nothing() };
        let moved = farm_map::moved(case, self.node, self.zoomed, action, draw::farm_area(area));
        Update::changed_if(std::mem::replace(&mut self.node, moved) != moved)
    }

    /// A click into a chart puts the cursor there, one into the farm looks at a node.
    pub fn click(&mut self, at: Position, area: Rect) -> Update {
        let farm = draw::farm_area(area);
        if (self.panel == Panel::Farm || draw::is_wide(area)) && farm.contains(at) {
            let found =
                self.case.as_ref().and_then(|case| farm_map::node_at(case, self.node, self.zoomed, at, farm));
            self.panel = Panel::Farm;
            self.node = found.unwrap_or(self.node);
            return Update::changed();
        }
        let Some(part) = draw::part_of_chart(at, area, self.panel) else { return Update::nothing() };
        let offset = self.window.seconds() as f64 * part;
        self.cursor = self.window.from.saturating_add(offset as i64);
        self.look();
        Update::changed()
    }

    /// Facts for a header, with how long each stays when there is little room.
    pub fn facts(&self) -> Vec<(String, u8)> {
        let Some(case) = &self.case else { return vec![("reading".to_owned(), 80)] };
        let farm = &case.workload;
        let mut facts = vec![
            (format!("{} nodes, {} slots", farm.nodes.len(), farm.total_slots()), 80),
            (format!("{} jobs", farm.jobs.len()), 70),
        ];
        if case.broken > 0 {
            facts.push((format!("records not read: {}", case.broken), 60));
        }
        if let Some(seed) = case.seed {
            facts.push((format!("seed {seed}"), 20));
        }
        facts
    }

    /// The figures over the window, one policy per line.
    pub fn words(&self) -> Vec<String> {
        draw::figures(self)
    }
}
