//! A line of the queues: a queue, or a limit below it, and its cells.

use std::borrow::Cow;
use std::rc::Rc;

use super::facts::LineFactsCache;
use super::limit::Limit;
use crate::layout::cells;
use crate::theme::{Role, Theme};
use crate::widgets::bar;
use crate::widgets::table::{Cell, SortKey, TableColumn, Width};

/// The share of a limit from which its bar has the colour of a limit that is reached.
const NEAR: f64 = 0.75;

/// The name of the row for all queues together.
pub(super) const WHOLE_SERVER: &str = "the whole server";

/// A queue, or a limit below its queue.
#[derive(Debug, Default)]
pub(crate) struct QueueLine {
    /// The queue it belongs to; empty for the server.
    pub(super) queue: String,
    pub(super) name: String,
    pub(super) is_limit: bool,
    pub(super) state: &'static str,
    /// Whether it is the queue of a reservation, which is stopped until the reservation begins.
    pub(super) is_reserved: bool,
    pub(super) priority: String,
    /// Number of jobs running, waiting and held in the dump; for a limit, the jobs it stops count as waiting.
    pub(super) jobs: [usize; 3],
    /// The same numbers at the moment in the title.
    pub(super) then: [usize; 3],
    pub(super) used: String,
    pub(super) limit: String,
    /// Usage and limit, for the bar of a limit.
    pub(super) amounts: Option<(f64, f64)>,
    pub(super) full: bool,
    /// Whether exceeding the limit only costs priority.
    pub(super) soft: bool,
    /// The limit as written at the server.
    pub(super) attribute: String,
    /// The limit itself.
    pub(super) of: Option<Limit>,
    /// The first job that waits because of the limit, or in the queue.
    pub(super) first: Option<String>,
    /// The facts shown below the list.
    pub(super) facts: LineFactsCache,
}

impl QueueLine {
    /// A number of jobs in the dump, and at the moment in the title; for a limit only the jobs it stops.
    pub(super) fn count(&self, jobs: usize, then: usize, theme: &Theme) -> Cell<'static> {
        match (jobs, then) {
            (0, _) if self.is_limit => Cell::new(""),
            (n, _) if self.is_limit => Cell::new(n.to_string()),
            (0, 0) => Cell::of(Role::TextDim, "0"),
            (n, then) if n == then => Cell::new(n.to_string()),
            (n, then) => Cell::new(format!("{n}{}{then}", theme.by_set("→", ">"))),
        }
    }

    /// The name, indented below its queue, or with its queue where it may be anywhere in the list.
    pub(super) fn name_cell(&self, is_out_of_place: bool) -> Cell<'_> {
        match self.is_limit {
            true if is_out_of_place => Cell::of(Role::TextDim, self.whole_name()),
            true => Cell::of(Role::TextDim, format!("  {}", self.name)),
            false => Cell::new(&*self.name),
        }
    }

    /// The name with the limit's owner: two queues, or a queue and the server, can have the same limit.
    pub(super) fn whole_name(&self) -> Cow<'_, str> {
        self.name_below("server")
    }

    /// The same with another name for the server.
    pub(super) fn name_below(&self, server: &str) -> Cow<'_, str> {
        let whose = if self.queue.is_empty() { server } else { &*self.queue };
        if self.is_limit { format!("{whose}: {}", self.name).into() } else { (&*self.name).into() }
    }

    /// The usage of a limit as a bar.
    pub(super) fn bar_cell(&self, width: u16, theme: &Theme) -> Cell<'static> {
        let Some((used, limit)) = self.amounts else { return Cell::new("") };
        let is_near = self.full || used > limit * NEAR;
        let role = if is_near { Role::VerdictWait } else { Role::NodeFree };
        let (filled, rest) = bar::bar(used, limit, usize::from(width), theme);
        Cell::of(Role::TextDim, format!("{filled}{rest}"))
            .with_leading_role(role, cells(filled.chars().count()))
    }

    pub(super) fn is_soft_exceeded(&self) -> bool {
        self.soft && self.amounts.is_some_and(|(used, limit)| used > limit)
    }

    /// Usage and limit, with a mark if the limit is reached or a soft limit is exceeded.
    pub(super) fn amounts_cell(&self, theme: &Theme) -> Cell<'static> {
        if self.amounts.is_none() {
            return Cell::new("");
        }
        let (role, mark) = match self.soft {
            true if self.is_soft_exceeded() => (Role::Warning, " ~"),
            false if self.full => (Role::Error, theme.by_set(" ✗", " X")),
            _ => (Role::Text, ""),
        };
        Cell::of(role, format!("{} of {}{mark}", self.used, self.limit))
    }

    pub(super) fn state_cell(&self) -> Cell<'_> {
        match self.state {
            "stopped" if !self.is_reserved => Cell::signed(Role::Warning, self.state),
            state => Cell::of(Role::TextDim, state),
        }
    }
}

pub(super) type QueueLineColumn<'a> = TableColumn<'a, Rc<QueueLine>>;

/// A column of numbers of jobs: in the dump, and after an arrow at the moment in the title; exported as two columns.
pub(super) fn count<'a>(
    [title, then]: [&'static str; 2],
    keep: u8,
    of: fn([usize; 3]) -> usize,
    theme: &'a Theme,
) -> QueueLineColumn<'a> {
    QueueLineColumn::words(title, Width::Between(7, 13), keep, move |line| {
        line.count(of(line.jobs), of(line.then), theme)
    })
    .at_right()
    .sorted_by(move |line: &Rc<QueueLine>| SortKey::Number(of(line.jobs) as f64))
    .in_parts(vec![
        (title, Box::new(move |line| of(line.jobs).into())),
        (then, Box::new(move |line| of(line.then).into())),
    ])
}
