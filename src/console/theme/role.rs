//! The roles: everything on the screen that can look different from plain text.

/// Declares the roles once: variant, name in theme files, and purpose.
macro_rules! roles {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal,)+) => {
        /// The meaning of a part of the screen; a theme gives its look.
        ///
        /// The dotted names form a tree: values that a theme does not set for `node.free` are taken from `node`, and
        /// from there from `text`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role { $($(#[doc = $doc])+ $variant,)+ }

        impl Role {
            /// Every role, parents before children.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the role's name in a theme file.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// Returns the purpose of the role, in one line.
            pub fn purpose(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii()),+ }
            }
        }
    };
}

roles! {
    /// Plain text, and the background.
    Text = "text",
    /// Less important text: units, explanations, disabled items.
    TextDim = "text.dim",
    /// Titles of panes and columns.
    Heading = "heading",
    /// The line or cell under the cursor, in the pane that has the focus.
    Cursor = "cursor",
    /// The cursor in a pane without the focus.
    CursorOther = "cursor.other",
    /// Lines around panes.
    Border = "border",
    /// Lines around the pane that has the focus.
    BorderFocus = "border.focus",
    /// A key that can be pressed, in hints and help.
    Key = "key",
    /// Text that matches a search.
    Match = "match",
    /// Something unexpected.
    Warning = "warning",
    /// Something that failed.
    Error = "error",
    /// A state in the header.
    Badge = "badge",
    /// The screen follows the files.
    BadgeLive = "badge.live",
    /// The cycle steps by itself.
    BadgePlay = "badge.play",
    /// The screen is frozen.
    BadgePaused = "badge.paused",
    /// The files are older than they should be.
    BadgeStale = "badge.stale",
    /// A file could not be read.
    BadgeError = "badge.error",
    /// A node in the map.
    Node = "node",
    /// Free now, and not planned.
    NodeFree = "node.free",
    /// Free now, planned later.
    NodeLater = "node.later",
    /// Running a job.
    NodeBusy = "node.busy",
    /// Down, offline or not known to be up.
    NodeDown = "node.down",
    /// Taken by the decision on the screen.
    NodeTaken = "node.taken",
    /// Examined and refused by the decision on the screen.
    NodeRejected = "node.rejected",
    /// Several nodes of different states in one cell.
    NodeMixed = "node.mixed",
    /// The verdict on a job.
    Verdict = "verdict",
    /// It starts in this cycle.
    VerdictRun = "verdict.run",
    /// It could start, but not now.
    VerdictWait = "verdict.wait",
    /// It can never start as it is.
    VerdictNever = "verdict.never",
    /// It was not considered.
    VerdictSkipped = "verdict.skipped",
    /// The allocation path of a job.
    Path = "path",
    /// The bucket path.
    PathBucket = "path.bucket",
    /// The node path.
    PathNode = "path.node",
    /// How far the cycle has been stepped.
    Step = "step",
    /// A job that has been considered.
    StepDone = "step.done",
    /// The job that was considered last.
    StepHere = "step.here",
    /// The filled part of a bar.
    Gauge = "gauge",
    /// A bar over time: its name, on its fill.
    Bar = "bar",
    /// Of what has started before.
    BarRunning = "bar.running",
    /// Of what starts in this cycle.
    BarStarting = "bar.starting",
    /// Of what is planned.
    BarPlanned = "bar.planned",
    /// A change since the previous snapshot.
    Changed = "changed",
}

impl Role {
    /// Returns the role of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.name() == name)
    }

    /// Returns the role that supplies the values a theme does not set for this one; `None` for `text`.
    pub fn parent(self) -> Option<Self> {
        match self.name().rsplit_once('.') {
            Some((parent, _)) => Self::named(parent),
            None => (self != Self::Text).then_some(Self::Text),
        }
    }

    /// The states of a node in a map, in the order of a legend.
    pub const NODES: [Self; 7] = [
        Self::NodeFree,
        Self::NodeLater,
        Self::NodeBusy,
        Self::NodeDown,
        Self::NodeTaken,
        Self::NodeRejected,
        Self::NodeMixed,
    ];

    /// The verdicts.
    pub const VERDICTS: [Self; 4] =
        [Self::VerdictRun, Self::VerdictWait, Self::VerdictNever, Self::VerdictSkipped];
}
