//! What holds nodes from when to when: running jobs, reservations, and the top jobs that the calendar keeps nodes
//! for, over time.
//!
//! ```text
//! ┏ Calendar after step 4, 04:40 to 09:40 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1/6 ┓
//! ┃  who          what     starts    ends      nodes  04:40                    ┃
//! ┃▸ 2            running            05:10:00      1  ████░░░░░░░░░░░░░░░░░░░  ┃
//! ┃  3            top job  05:40:00  09:40:00      6  ░░░░░░██████████████     ┃
//! ┃ n[1-6]                                                                     ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use rustc_hash::FxHashMap;

use super::list::{Detail, ListModel, when};
use crate::action::Action;
use crate::filter::Filter;
use crate::screen::Row;
use crate::theme::{Role, Theme};
use crate::views::effect::{Effect, Update};
use crate::views::object::Object;
use crate::views::world::World;
use crate::widgets::frame;
use crate::widgets::table::{Cell, Column, Width};
use crate::wording;
use qscope_engine::cluster::{Epoch, Snapshot, short_id};
use qscope_engine::universe::{EventKey, EventKind, Occupant, TimedEvent};
use qscope_session::query::Fields;
use qscope_session::records::{EventRecord, event_fields};

/// A job or a reservation that holds nodes for some time.
#[derive(Debug)]
pub(crate) struct Line {
    who: String,
    job: Option<String>,
    what: &'static str,
    start: Option<Epoch>,
    end: Option<Epoch>,
    nodes: usize,
    list: String,
    first_node: Option<String>,
    /// The event that a filter is applied to: the start, or the end of what runs already.
    key: EventKey,
}

/// The span of time that the list covers.
#[derive(Debug, Default)]
pub(crate) struct Calendar {
    now: Epoch,
    last: Epoch,
}

fn lines(world: World<'_>) -> Vec<Line> {
    let state = world.state();
    let mut at: FxHashMap<Occupant, usize> = FxHashMap::default();
    let mut lines: Vec<Line> = Vec::new();
    for (key, event) in state.timeline.iter() {
        // An end after a start is the end of that line; an end alone is of what runs already.
        if key.kind == EventKind::End
            && let Some(line) = at.get(&event.occupant).and_then(|at| lines.get_mut(*at))
        {
            line.end.get_or_insert(key.at);
            continue;
        }
        at.insert(event.occupant, lines.len());
        lines.push(line(world, key, event));
    }
    lines.sort_by_key(|line| (line.start, line.end));
    lines
}

fn line(world: World<'_>, key: &EventKey, event: &TimedEvent) -> Line {
    let plan = world.plan();
    let starts = key.kind == EventKind::Run;
    let (who, job, what) = match event.occupant {
        Occupant::Job(job, index) => {
            let job = plan.job(job);
            let short = job.short_name();
            let who = index.map_or(short.to_owned(), |index| short.replace("[]", &format!("[{index}]")));
            (who, Some(job.name.to_string()), if starts { "top job" } else { "runs" })
        }
        Occupant::Reservation(id) => {
            let name = &plan.snap.reservations[id].name;
            let short = short_id(name);
            (short.to_owned(), None, if starts { "reserved" } else { "resv runs" })
        }
    };
    let nodes = event.allocation.nodes();
    Line {
        who,
        job,
        what,
        start: starts.then_some(key.at),
        end: (!starts).then_some(key.at),
        nodes: nodes.len(),
        list: wording::node_list(plan, &nodes),
        first_node: nodes.first().map(|bit| plan.node_name(*bit).to_string()),
        key: *key,
    }
}

impl Line {
    fn what_cell(&self) -> Cell<'_> {
        let role = if self.what == "top job" { Role::VerdictWait } else { Role::TextDim };
        Cell::of(role, self.what)
    }
}

impl Calendar {
    /// A line of time so wide: filled while nodes are held.
    fn bar(&self, line: &Line, width: u16, theme: &Theme) -> Cell<'static> {
        let span = (self.last - self.now).0.max(1);
        let cell = |at: Epoch| (at - self.now).0.max(0) * i64::from(width) / span;
        let from = line.start.map_or(0, cell);
        let to = line.end.map_or(i64::from(width), cell).max(from + 1);
        let (held, idle) = (theme.by_set("█", "#"), theme.by_set("·", "."));
        let bar: String =
            (0..i64::from(width)).map(|at| if (from..to).contains(&at) { held } else { idle }).collect();
        Cell::of(if line.start.is_some() { Role::NodeLater } else { Role::NodeBusy }, bar)
    }
}

fn moment(snap: &Snapshot, at: Option<Epoch>) -> Cell<'static> {
    Cell::new(at.map_or_else(String::new, |at| wording::clock(snap, at)))
}

type LineColumn<'a> = Column<'a, Rc<Line>>;

impl ListModel for Calendar {
    type Line = Line;

    fn lines(&mut self, world: World<'_>) -> Vec<Rc<Line>> {
        let lines = lines(world);
        self.now = world.snapshot().now;
        let ends = lines.iter().flat_map(|line| [line.start, line.end]).flatten();
        self.last = ends.max().unwrap_or(self.now);
        lines.into_iter().map(Rc::new).collect()
    }

    fn is_same(a: &Line, b: &Line) -> bool {
        (&a.who, a.what) == (&b.who, b.what)
    }

    fn keeps(filter: &Filter, line: &Line, world: World<'_>) -> bool {
        let mut events = world.state().timeline.before(Epoch(line.key.at.0.saturating_add(1)));
        filter.is_empty()
            || events
                .find(|(key, _)| **key == line.key)
                .is_some_and(|(key, event)| filter.keeps(&EventRecord::of(world.plan(), key, event)))
    }

    fn fields(_: World<'_>) -> Fields {
        event_fields()
    }

    fn title(&self, world: World<'_>) -> String {
        let snap = world.snapshot();
        let span = format!("{} to {}", wording::clock(snap, self.now), wording::clock(snap, self.last));
        format!("Calendar {}, {span}", when(world.position()))
    }

    fn columns<'a>(&'a self, world: World<'a>, theme: &'a Theme, width: u16) -> Vec<LineColumn<'a>> {
        let snap = world.snapshot();
        // Moments of other days are longer.
        let wide = if wording::clock(snap, self.last).len() > 8 { 16 } else { 8 };
        // What the fixed columns and the gaps leave.
        let bar = width.saturating_sub(2 + 14 + 9 + 2 * wide + 5 + 5).max(4);
        vec![
            LineColumn::words("who", Width::Between(6, 14), 100, |line| Cell::new(&*line.who)),
            LineColumn::words("what", Width::Fixed(9), 80, |line| line.what_cell()),
            LineColumn::words("starts", Width::Fixed(wide), 85, |line| moment(snap, line.start)),
            LineColumn::words("ends", Width::Fixed(wide), 90, |line| moment(snap, line.end)),
            LineColumn::numbers("nodes", 5, 95, |line| Cell::new(line.nodes.to_string())),
            LineColumn::words("from now on", Width::Fill(10), 60, move |line| self.bar(line, bar, theme)),
        ]
    }

    fn why_empty(&self, _: World<'_>) -> Vec<String> {
        vec!["Nothing runs, nothing is reserved, no job is planned.".to_owned()]
    }

    fn act(&mut self, action: Action, line: Option<&Line>, world: World<'_>) -> Option<Update> {
        (action == Action::Select).then(|| match line {
            Some(Line { job: Some(job), .. }) if Row::named(world.run(), job).is_some() => {
                Update::request(Effect::GoTo(Object::Job(job.clone())))
            }
            // What ran before the cycle has no decision, but nodes.
            Some(Line { first_node: Some(node), .. }) => {
                Update::request(Effect::GoTo(Object::Node(node.clone())))
            }
            _ => Update::status("Enter goes to a job's decision, or to the nodes held"),
        })
    }

    fn object(line: &Line) -> Option<Object> {
        line.job.clone().map(Object::Job)
    }

    fn detail(_: Rect) -> Detail {
        Detail { rows: 2, framed: false }
    }

    fn draw_detail(&self, line: &Line, area: Rect, buf: &mut Buffer, _: World<'_>, theme: &Theme) {
        frame::empty(area, buf, theme, &["", &format!("{} on {}", line.who, line.list)]);
    }
}
