//! Who holds nodes from when to when: running jobs, reservations, and the top jobs that the calendar keeps nodes
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

use rustc_hash::FxHashMap;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::Widget;

use super::listing::{Listing, when};
use crate::action::Action;
use crate::filter::Filter;
use crate::screen::Row;
use crate::theme::{Role, Theme};
use crate::views::effect::{Effect, Update};
use crate::views::object::Object;
use crate::views::view::View;
use crate::views::world::World;
use crate::widgets::frame;
use crate::widgets::table::{Cell, Column, Rows, Table, Width};
use crate::wording;
use qscope_engine::cluster::{Epoch, Snapshot, short_id};
use qscope_engine::universe::{EventKey, EventKind, Occupant, TimedEvent};
use qscope_session::query::Fields;
use qscope_session::records::{EventRecord, event_fields};

/// Somebody who holds nodes for some time.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    who: String,
    job: Option<String>,
    what: &'static str,
    start: Option<Epoch>,
    end: Option<Epoch>,
    nodes: usize,
    list: String,
    first_node: Option<String>,
    /// The event that a filter looks at: the start, or the end of what runs already.
    key: EventKey,
}

/// The view's state.
#[derive(Debug, Default)]
pub struct Calendar {
    list: Listing<Line>,
    filter: Filter,
    now: Epoch,
    last: Epoch,
}

fn lines(world: World<'_>) -> Vec<Line> {
    let state = world.state();
    let mut at: FxHashMap<Occupant, usize> = FxHashMap::default();
    let mut lines: Vec<Line> = Vec::new();
    for (key, event) in state.timeline.iter() {
        // Somebody starts, and later ends; who only ends runs already.
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

fn keeps(filter: &Filter, world: World<'_>, line: &Line) -> bool {
    let mut events = world.state().timeline.before(Epoch(line.key.at.0.saturating_add(1)));
    filter.is_empty()
        || events
            .find(|(key, _)| **key == line.key)
            .is_some_and(|(key, event)| filter.keeps(&EventRecord::of(world.plan(), key, event)))
}

/// The rows, with what drawing needs besides.
struct Drawn<'a> {
    calendar: &'a Calendar,
    snap: &'a Snapshot,
    theme: &'a Theme,
    bar: u16,
}

impl Drawn<'_> {
    /// A line of time: filled while nodes are held.
    fn bar(&self, line: &Line) -> String {
        let span = (self.calendar.last - self.calendar.now).0.max(1);
        let cell = |at: Epoch| (at - self.calendar.now).0.max(0) * i64::from(self.bar) / span;
        let from = line.start.map_or(0, cell);
        let to = line.end.map_or(i64::from(self.bar), cell).max(from + 1);
        let (held, idle) = (self.theme.by_set("█", "#"), self.theme.by_set("·", "."));
        (0..i64::from(self.bar)).map(|at| if (from..to).contains(&at) { held } else { idle }).collect()
    }

    fn moment(&self, at: Option<Epoch>) -> String {
        at.map_or_else(String::new, |at| wording::clock(self.snap, at))
    }
}

impl Rows for Drawn<'_> {
    fn len(&self) -> usize {
        self.calendar.list.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        let Some(line) = self.calendar.list.line(row) else { return Cell::new("") };
        match column {
            0 => Cell::new(&*line.who),
            1 if line.what == "top job" => Cell::of(Role::VerdictWait, line.what),
            1 => Cell::of(Role::TextDim, line.what),
            2 => Cell::new(self.moment(line.start)),
            3 => Cell::new(self.moment(line.end)),
            4 => Cell::new(line.nodes.to_string()),
            _ => {
                Cell::of(if line.start.is_some() { Role::NodeLater } else { Role::NodeBusy }, self.bar(line))
            }
        }
    }
}

/// The columns; moments of other days are longer.
fn columns(moment: u16) -> [Column; 6] {
    [
        Column::words("who", Width::Between(6, 14), 100),
        Column::words("what", Width::Fixed(9), 80),
        Column::words("starts", Width::Fixed(moment), 85),
        Column::words("ends", Width::Fixed(moment), 90),
        Column::numbers("nodes", 5, 95),
        Column::words("from now on", Width::Fill(10), 60),
    ]
}

impl View for Calendar {
    fn refresh(&mut self, world: World<'_>) {
        let lines = lines(world);
        self.now = world.snapshot().now;
        let ends = lines.iter().flat_map(|line| [line.start, line.end]).flatten();
        self.last = ends.max().unwrap_or(self.now);
        self.list.set(
            lines,
            |line| keeps(&self.filter, world, line),
            |a, b| (&a.who, a.what) == (&b.who, b.what),
        );
    }

    fn act(&mut self, action: Action, area: Rect, world: World<'_>) -> Update {
        match (action, self.list.selected()) {
            (Action::Select, Some(Line { job: Some(job), .. })) if Row::named(world.run(), job).is_some() => {
                Update::request(Effect::GoTo(Object::Job(job.clone())))
            }
            // Nothing was decided about what ran before; its nodes say more.
            (Action::Select, Some(Line { first_node: Some(node), .. })) => {
                Update::request(Effect::GoTo(Object::Node(node.clone())))
            }
            (Action::Select, _) => Update::status("Enter goes to a job's decision, or to the nodes held"),
            _ => self.list.go(action, Rect { height: area.height.saturating_sub(2), ..area }),
        }
    }

    fn fields(&self, _: World<'_>) -> Fields {
        event_fields()
    }

    fn filter(&mut self, filter: &Filter, world: World<'_>) {
        self.filter = filter.clone();
        self.list.keep(|line| keeps(filter, world, line));
    }

    fn show(&mut self, object: &Object, _: World<'_>) -> bool {
        let Object::Job(name) = object else { return false };
        self.list.put_on(|line| line.job.as_ref() == Some(name))
    }

    fn here(&self, _: World<'_>) -> Option<Object> {
        self.list.selected().and_then(|line| line.job.clone()).map(Object::Job)
    }

    fn click(&mut self, at: Position, area: Rect, _: World<'_>) -> Update {
        self.list.click(at, Rect { height: area.height.saturating_sub(2), ..area })
    }

    fn render(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let snap = world.snapshot();
        let span = format!("{} to {}", wording::clock(snap, self.now), wording::clock(snap, self.last));
        let title = format!("Calendar {}, {span}", when(world.position()));
        let note = self.list.table.position(self.list.len());
        let inner = frame::pane(area, buf, theme, &title, &note, true);
        if self.list.is_empty() {
            let why = match self.list.has_nothing() {
                true => "Nothing runs, nothing is reserved, and no job has nodes kept for it.",
                false => "Nothing matches; Esc takes the filter away.",
            };
            frame::empty(inner, buf, theme, &[why]);
            return;
        }
        let (table, words) = crate::layout::cut_rows(inner, inner.height.saturating_sub(2));
        let moment = if wording::clock(snap, self.last).len() > 8 { 16 } else { 8 };
        let columns = columns(moment);
        // What the fixed columns and the gaps leave.
        let bar = table.width.saturating_sub(2 + 14 + 9 + 2 * moment + 5 + 5);
        let rows = Drawn { calendar: self, snap, theme, bar: bar.max(4) };
        Table { columns: &columns, rows: &rows, state: self.list.table, theme, focused: true }
            .render(table, buf);
        if let Some(line) = self.list.selected() {
            frame::empty(words, buf, theme, &["", &format!("{} on {}", line.who, line.list)]);
        }
    }
}
