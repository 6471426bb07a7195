//! The queues at the position, with their limits, who uses them, and how many jobs each limit stops.
//!
//! ```text
//! ┏ Queues and limits after step 4 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1/6 ┓
//! ┃  queue, or limit            state    prio   run  wait  held  used   limit ┃
//! ┃▸ workq                      started   100     4    12     1               ┃
//! ┃    jobs of user ann                                   3     4       4     ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```
//! On a queue's line the jobs run, wait or are held in the dump; on a limit's line `wait` counts the jobs that this
//! cycle turns away for it.

use std::collections::BTreeSet;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::Widget;

use super::listing::{Listing, when};
use crate::action::Action;
use crate::filter::Filter;
use crate::theme::{Role, Theme};
use crate::views::ViewName;
use crate::views::effect::{Effect, Update};
use crate::views::object::Object;
use crate::views::view::View;
use crate::views::world::World;
use crate::widgets::frame;
use crate::widgets::table::{Cell, Column, Rows, Table, Width};
use crate::wording;
use qscope_engine::cluster::{JobState, Kind, LimitEntry, LimitScope, Limits, Name, QueueId};
use qscope_engine::universe::{MeterKey, Reason, entity_of};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Line {
    /// The queue it belongs to; empty for the server.
    queue: String,
    name: String,
    is_limit: bool,
    state: &'static str,
    priority: String,
    /// Jobs running, waiting and held; of a limit, jobs turned away for it as waiting.
    jobs: [usize; 3],
    used: String,
    limit: String,
    full: bool,
}

/// The view's state.
#[derive(Debug, Default)]
pub struct Queues {
    list: Listing<Line>,
    filter: Filter,
}

const COLUMNS: [Column; 8] = [
    Column::words("queue, or limit", Width::Fill(24), 100),
    Column::words("state", Width::Fixed(9), 60),
    Column::numbers("prio", 5, 20),
    Column::numbers("run", 5, 80),
    Column::numbers("wait", 5, 90),
    Column::numbers("held", 5, 50),
    Column::numbers("used", 9, 85),
    Column::numbers("limit", 9, 88),
];

/// So many users, groups or projects of one limit for everybody are named.
const ENTITIES_MOST: usize = 12;

impl Rows for Queues {
    fn len(&self) -> usize {
        self.list.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        let Some(line) = self.list.line(row) else { return Cell::new("") };
        let count = |n: usize| match n {
            0 if line.is_limit => Cell::new(""),
            0 => Cell::of(Role::TextDim, "0"),
            n => Cell::new(n.to_string()),
        };
        let [run, wait, held] = line.jobs;
        match column {
            0 if line.is_limit => Cell::of(Role::TextDim, format!("  {}", line.name)),
            0 => Cell::new(&*line.name),
            1 if line.state == "stopped" => Cell::signed(Role::Warning, line.state),
            1 => Cell::of(Role::TextDim, line.state),
            2 => Cell::of(Role::TextDim, &*line.priority),
            3 => count(run),
            4 => count(wait),
            5 => count(held),
            6 => Cell::of(if line.full { Role::Warning } else { Role::Text }, &*line.used),
            _ => Cell::new(&*line.limit),
        }
    }
}

fn lines(world: World<'_>) -> Vec<Line> {
    let snap = world.snapshot();
    let mut lines = Vec::new();
    let server = Line { name: "the whole server".to_owned(), ..Line::default() };
    lines.push(Line { jobs: count(world, None), ..server });
    add_limits(world, None, &snap.server.limits, &mut lines);
    for (id, queue) in snap.queues.enumerate() {
        lines.push(Line {
            queue: queue.name.to_string(),
            name: queue.name.to_string(),
            state: if queue.started { "started" } else { "stopped" },
            priority: queue.priority.to_string(),
            jobs: count(world, Some(&queue.name)),
            ..Line::default()
        });
        add_limits(world, Some(id), &queue.limits, &mut lines);
    }
    lines
}

/// Jobs running, waiting and held in the dump.
fn count(world: World<'_>, queue: Option<&Name>) -> [usize; 3] {
    let mut counts = [0; 3];
    let [run, wait, held] = &mut counts;
    for job in world.snapshot().jobs.iter().filter(|job| queue.is_none_or(|queue| job.queue == *queue)) {
        match job.state {
            JobState::Running | JobState::Exiting => *run += 1,
            JobState::Queued | JobState::Begun | JobState::Waiting => *wait += 1,
            JobState::Held => *held += 1,
            _ => {}
        }
    }
    counts
}

fn add_limits(world: World<'_>, queue: Option<QueueId>, limits: &Limits, lines: &mut Vec<Line>) {
    for entry in &limits.entries {
        for entity in entities(world, queue, limits, entry) {
            lines.push(limit_line(world, queue, entry, &entity));
        }
    }
}

/// Whom a limit is for: the one it names, or everybody with jobs there whom no entry of their own names.
fn entities(world: World<'_>, queue: Option<QueueId>, limits: &Limits, entry: &LimitEntry) -> Vec<Name> {
    match (&entry.entity, entry.scope) {
        (_, LimitScope::Overall) => vec!["".into()],
        (Some(name), _) => vec![name.clone()],
        (None, scope) => {
            let snap = world.snapshot();
            let here = queue.map(|queue| &snap.queues[queue].name);
            let jobs = snap.jobs.iter().filter(|job| here.is_none_or(|queue| job.queue == *queue));
            let own = |name: &Name| {
                limits.entries.iter().any(|other| {
                    (other.scope, other.resource, other.soft) == (scope, entry.resource, entry.soft)
                        && other.entity.as_ref() == Some(name)
                })
            };
            let all: BTreeSet<Name> =
                jobs.map(|job| entity_of(job, scope)).filter(|name| !own(name)).collect();
            all.into_iter().take(ENTITIES_MOST).collect()
        }
    }
}

fn limit_line(world: World<'_>, queue: Option<QueueId>, entry: &LimitEntry, entity: &Name) -> Line {
    let (plan, snap) = (world.plan(), world.snapshot());
    let key = MeterKey::Limit { queue, scope: entry.scope, entity: entity.clone(), resource: entry.resource };
    let used = plan.meters.meter(&key).map_or(0.0, |meter| world.state().ledger.meters[meter]);
    let kind = entry.resource.map_or(Kind::Long, |resource| snap.catalogue.kind(resource));
    let what = entry.resource.map_or("jobs".to_owned(), |resource| snap.catalogue.name(resource).to_string());
    let whom = match entry.scope {
        LimitScope::User => format!(" of user {entity}"),
        LimitScope::Group => format!(" of group {entity}"),
        LimitScope::Project => format!(" of project {entity}"),
        LimitScope::Overall => " of all".to_owned(),
    };
    let soft = if entry.soft { " (soft)" } else { "" };
    Line {
        queue: queue.map_or_else(String::new, |queue| snap.queues[queue].name.to_string()),
        name: format!("{what}{whom}{soft}"),
        is_limit: true,
        jobs: [0, stopped(world, queue, entry, entity), 0],
        used: wording::amount(kind, used),
        limit: entry.amount.show(kind),
        full: used >= entry.amount.0,
        ..Line::default()
    }
}

/// How many jobs this cycle turns away for a limit.
fn stopped(world: World<'_>, queue: Option<QueueId>, entry: &LimitEntry, entity: &Name) -> usize {
    let snap = world.snapshot();
    let here = queue.map(|queue| &snap.queues[queue].name);
    let by_it = |reason: &Reason, job| {
        let Reason::Limit(hit) = reason else { return false };
        let resource = entry.resource.map(|resource| snap.catalogue.name(resource));
        hit.scope == entry.scope
            && hit.entity == entry.entity
            && hit.resource.as_ref() == resource
            && hit.queue.as_ref() == here
            && entity_of(&snap.jobs[job], entry.scope) == *entity
    };
    let turned = world.run().outcomes().filter(|outcome| {
        outcome.rejection.as_ref().is_some_and(|rejection| by_it(&rejection.reason, outcome.job))
    });
    turned.count()
}

impl View for Queues {
    fn refresh(&mut self, world: World<'_>) {
        let filter = &self.filter;
        let keeps = |line: &Line| filter.keeps_text(&format!("{} {} {}", line.queue, line.name, line.state));
        self.list.set(lines(world), keeps, |a, b| (&a.queue, &a.name) == (&b.queue, &b.name));
    }

    fn act(&mut self, action: Action, area: Rect, _: World<'_>) -> Update {
        match (action, self.list.selected()) {
            (Action::Select, Some(line)) if !line.queue.is_empty() => {
                let queue = Object::Queue(line.queue.clone());
                Update::request(Effect::GoToIn(ViewName::Cycle, queue))
            }
            (Action::Select, _) => Update::status("Enter on a queue goes to its first job"),
            _ => self.list.go(action, area),
        }
    }

    fn filter(&mut self, filter: &Filter, _: World<'_>) {
        self.filter = filter.clone();
        self.list.keep(|line| filter.keeps_text(&format!("{} {} {}", line.queue, line.name, line.state)));
    }

    fn show(&mut self, object: &Object, _: World<'_>) -> bool {
        let Object::Queue(name) = object else { return false };
        self.list.put_on(|line| line.queue == *name && !line.is_limit)
    }

    fn here(&self, _: World<'_>) -> Option<Object> {
        let queue = &self.list.selected()?.queue;
        (!queue.is_empty()).then(|| Object::Queue(queue.clone()))
    }

    fn click(&mut self, at: Position, area: Rect, _: World<'_>) -> Update {
        self.list.click(at, area)
    }

    fn render(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let title = format!("Queues and limits {}", when(world.position()));
        let note = self.list.table.position(self.list.len());
        let inner = frame::pane(area, buf, theme, &title, &note, true);
        if self.list.is_empty() {
            frame::empty(inner, buf, theme, &["No queue or limit matches; Esc takes the filter away."]);
            return;
        }
        Table { columns: &COLUMNS, rows: self, state: self.list.table, theme, focused: true }
            .render(inner, buf);
    }
}
