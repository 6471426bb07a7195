//! Where an action works: the contexts, and the sets of contexts used in the table of actions.

use crate::views::ViewName;

/// Where keys go: the kind of pane that has the focus, or the box over the panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// A table of jobs, nodes or sets.
    List,
    /// A text: the decision, a story, a comparison.
    Detail,
    /// The nodes as a map.
    Map,
    /// Help, or any other box over the panes.
    Overlay,
    /// A box with rows to choose from: breakpoints, columns.
    Rows,
    /// A line that is being typed, where letters are text.
    Prompt,
    /// A view other than the cycle.
    View(ViewName),
}

/// A set of contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contexts(u32);

impl Contexts {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The union of two sets.
    pub const fn or(self, other: Self) -> Self {
        self.union(other)
    }

    const fn one(context: Context) -> Self {
        Self(context.bit())
    }

    /// The set of one view, for keys of its own.
    pub const fn view(view: ViewName) -> Self {
        Self::one(Context::View(view))
    }

    const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set without one context.
    pub const fn without(self, context: Context) -> Self {
        Self(self.0 & !context.bit())
    }

    /// The set without others.
    const fn minus(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Whether the set contains a context.
    pub const fn has(self, context: Context) -> bool {
        self.0 & context.bit() != 0
    }

    /// Whether the set contains only views other than the cycle.
    pub(super) const fn are_views(self) -> bool {
        self.0 & !VIEWS.0 == 0
    }

    /// Whether two sets overlap.
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

pub(super) const LIST: Contexts = Contexts::one(Context::List);
pub(super) const DETAIL: Contexts = Contexts::one(Context::Detail);
pub(super) const MAP: Contexts = Contexts::one(Context::Map);
pub(super) const OVERLAY: Contexts = Contexts::one(Context::Overlay);
pub(super) const ROWS: Contexts = Contexts::one(Context::Rows);
/// Boxes over the panes.
pub(super) const BOXES: Contexts = OVERLAY.union(ROWS);
pub(super) const PROMPT: Contexts = Contexts::one(Context::Prompt);
/// The cycle and the views of its state at the position.
pub(crate) const STATE: Contexts = CYCLE
    .union(Contexts::view(ViewName::Nodes))
    .union(Contexts::view(ViewName::Jobs))
    .union(Contexts::view(ViewName::Buckets))
    .union(Contexts::view(ViewName::Pools))
    .union(Contexts::view(ViewName::Queue))
    .union(Contexts::view(ViewName::Fairshare))
    .union(Contexts::view(ViewName::Calendar));
/// Where something can be played: the cycle, or a recording or simulation.
pub(super) const PLAYING: Contexts = STATE.union(Contexts::view(ViewName::Time));
/// The cycle, the views of its state at the position, and Why; other views use these letters differently.
pub(super) const FOLLOWING: Contexts = STATE.union(Contexts::view(ViewName::Why));
/// Where the two paths of a job can be compared.
pub(super) const PATHS: Contexts = CYCLE.union(WHY);
/// Where marks can be set: every view but two, which use the letter differently.
pub(super) const MARKING: Contexts =
    PANES.without(Context::View(ViewName::Packing)).without(Context::View(ViewName::Policies));
/// The panes of the cycle.
pub(super) const CYCLE: Contexts = LIST.union(DETAIL).union(MAP);
pub(super) const POLICIES: Contexts = Contexts::view(ViewName::Policies);
/// The view of an answer.
pub(super) const WHY: Contexts = Contexts::view(ViewName::Why);
/// The view of what-ifs.
pub(super) const WHAT_IF: Contexts = Contexts::view(ViewName::WhatIf);
/// Every view other than the cycle.
pub(super) const VIEWS: Contexts = Contexts(u32::MAX << FIRST_VIEW);
/// Tables whose columns and order can be chosen.
pub(super) const TABLES: Contexts = LIST
    .union(Contexts::view(ViewName::Nodes))
    .union(Contexts::view(ViewName::Jobs))
    .union(Contexts::view(ViewName::Pools))
    .union(Contexts::view(ViewName::Queue))
    .union(Contexts::view(ViewName::Board))
    .union(Contexts::view(ViewName::Buckets))
    .union(Contexts::view(ViewName::Compare))
    .union(Contexts::view(ViewName::Agreement))
    .union(Contexts::view(ViewName::Problems))
    .union(Contexts::view(ViewName::Fairshare))
    .union(Contexts::view(ViewName::Settings));
/// Where one key cycles through filters of the view and saved ones.
pub(super) const QUICK: Contexts = FILTERING.minus(BOXES);
/// Where the grouping can be changed.
pub(super) const GROUPING: Contexts = CYCLE
    .union(Contexts::view(ViewName::Nodes))
    .union(Contexts::view(ViewName::Jobs))
    .union(Contexts::view(ViewName::Pools))
    .union(Contexts::view(ViewName::Calendar))
    .union(Contexts::view(ViewName::Board))
    .union(Contexts::view(ViewName::Policies));
/// The panes of a view.
pub(super) const PANES: Contexts = CYCLE.union(VIEWS);
/// Where letters are commands.
pub(super) const COMMANDS: Contexts = PANES.union(BOXES);
/// Where a key opens a view: the panes, and a box of text, which the view replaces.
pub(super) const OPENING: Contexts = PANES.union(OVERLAY);
/// Everywhere but in a decision, where left and right step out and in.
pub(super) const NOT_DETAIL: Contexts = LIST.union(MAP).union(VIEWS).union(BOXES).union(PROMPT);
/// Everywhere.
pub(super) const ALL: Contexts = COMMANDS.union(PROMPT);
/// The packing view.
pub(super) const PACKING: Contexts = Contexts::view(ViewName::Packing);
/// The view of differences.
pub(super) const COMPARE: Contexts = Contexts::view(ViewName::Compare);
/// Where two keys move from change to change; packing has its own events.
pub(super) const CHANGING: Contexts = PANES.without(Context::View(ViewName::Packing));
/// Where a change is an event of the calendar or a group of differences instead of a verdict.
pub(crate) const OWN_CHANGES: Contexts =
    Contexts::view(ViewName::Calendar).or(Contexts::view(ViewName::Compare));
/// Where more and less mean speed, zoom or nodes per cell.
pub(super) const SCALING: Contexts = CYCLE
    .union(Contexts::view(ViewName::Time))
    .union(Contexts::view(ViewName::Nodes))
    .union(Contexts::view(ViewName::Calendar));
/// Where there is a next and a previous object of the same kind.
pub(super) const SIBLINGS: Contexts = CYCLE
    .union(WHY)
    .union(Contexts::view(ViewName::Nodes))
    .union(Contexts::view(ViewName::Buckets))
    .union(Contexts::view(ViewName::Page));
/// Where rows can be filtered; includes boxes.
pub(super) const FILTERING: Contexts = COMMANDS
    .without(Context::View(ViewName::Packing))
    .without(Context::View(ViewName::Capacity))
    .without(Context::View(ViewName::Policies))
    .without(Context::View(ViewName::Time));
/// Where sections fold.
pub(super) const FOLDING: Contexts = WHY;
/// Where rows can be switched on and off, or a map to a table.
pub(super) const TOGGLING: Contexts = WHAT_IF.union(Contexts::view(ViewName::Nodes)).union(ROWS);
/// Where rows can be deleted.
pub(super) const DELETING: Contexts = WHAT_IF.union(ROWS);
/// The capacity view.
pub(super) const CAPACITY: Contexts = Contexts::view(ViewName::Capacity);

/// The bit of the first view in a set.
pub(super) const FIRST_VIEW: u32 = 6;

impl Context {
    const fn bit(self) -> u32 {
        match self {
            Self::List => 1,
            Self::Detail => 1 << 1,
            Self::Map => 1 << 2,
            Self::Overlay => 1 << 3,
            Self::Prompt => 1 << 4,
            Self::Rows => 1 << 5,
            Self::View(view) => 1 << (FIRST_VIEW + view as u32),
        }
    }

    /// Every context.
    pub fn all() -> impl Iterator<Item = Self> {
        let views = ViewName::ALL.iter().filter(|view| **view != ViewName::Cycle);
        [Self::List, Self::Detail, Self::Map, Self::Overlay, Self::Rows, Self::Prompt]
            .into_iter()
            .chain(views.map(|view| Self::View(*view)))
    }

    /// The name in the help: the view, and the pane if it has keys of its own.
    pub fn title(self) -> &'static str {
        match self {
            Self::List => "Cycle",
            Self::Detail => "Cycle, decision",
            Self::Map => "Cycle, map",
            Self::Overlay => "text in a box",
            Self::Rows => "rows in a box",
            Self::Prompt => "typing",
            Self::View(view) => view.title(),
        }
    }
}
