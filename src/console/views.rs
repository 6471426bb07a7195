//! The views, and the one list that names them.
//!
//! # Adding a view
//!
//! 1. Write `views/NAME.rs` (and a folder of the same name when it grows). A list implements
//!    `ListModel`: its rows, its columns, its keys; `buckets.rs` is the model. Anything else
//!    implements [`View`]: `refresh` makes what drawing needs, `act` changes the state and returns an
//!    [`Update`], `render` only reads.
//! 2. Add one line to the list below; the position in that list determines the number key.
//! 3. For keys of its own, add entries to [`super::action`]'s table with the context `Contexts::view(ViewName::Name)`;
//!    all other actions (`j k g G / y Enter ?` …) reach `act` unchanged.
//!
//! Slow computations (a forecast, a what-if, a large cluster) run on a worker: begin one in a `Pending`, which holds
//! the request, and take its answer in `on_news`.
//!
//! `render` only reads; whatever takes time is prepared in `refresh` and `act`.

pub(crate) mod agreement;
mod analysed;
pub(crate) mod bit_rows;
mod board;
pub(crate) mod buckets;
pub(crate) mod calendar;
pub(crate) mod capacity;
pub(crate) mod compare;
pub mod cycle;
mod effect;
mod excerpt;
pub(crate) mod fairshare;
pub(crate) mod jobs;
mod judgement;
mod line_record;
pub(crate) mod list;
pub(crate) mod names;
pub(crate) mod nodes;
mod object;
pub mod packing;
pub(crate) mod page;
mod pending;
mod place_words;
pub(crate) mod policies;
pub(crate) mod pools;
pub(crate) mod problems;
pub(crate) mod queues;
pub(crate) mod reason_values;
pub(crate) mod records;
pub(crate) mod settings;
mod sides;
pub(crate) mod table_choices;
pub mod time;
pub(crate) mod timeline;
mod view;
mod view_context;
pub(crate) mod what_if;
pub(crate) mod why;

use rustc_hash::FxHashMap;

use super::wording;
pub use effect::{Effect, MomentPurpose, Update};
pub(crate) use object::MAX_NAMED;
pub use object::Object;
pub(crate) use pending::Pending;
use qscope_engine::cycle::Run;
use qscope_engine::placement::{PathRule, PlacementPath};
pub use settings::setting_fields;
pub(crate) use view::QuickFilter;
pub use view::{FileView, Grid, View};
pub(crate) use view_context::{CycleStamp, StepStamp};
pub use view_context::{Stamp, ViewContext};

/// Declares the views in the order of their number keys.
macro_rules! views {
    ($($(#[doc = $doc:literal])+ $name:ident $word:literal $title:literal $view:ty;)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ViewName { $($(#[doc = $doc])+ $name,)+ }

        impl ViewName {
            /// Every view; the first nine have number keys.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// Its word in the palette.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word),+ }
            }

            /// Its title in the line of tabs.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title),+ }
            }

            /// What it shows, in one line.
            pub fn purpose(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_ascii().trim_end_matches('.')),+ }
            }

            /// A new view of this name.
            pub(crate) fn make(self) -> Box<dyn View> {
                match self { $(Self::$name => Box::<$view>::default()),+ }
            }
        }
    };
}

views! {
    /// The cycle job by job: queue, decision, nodes.
    Cycle "cycle" "Cycle" cycle::CycleView;
    /// Which nodes are free, part, full, out: map or table.
    Nodes "nodes" "Nodes" nodes::NodesView;
    /// Every job: waiting, running and held, sortable.
    Jobs "jobs" "Jobs" list::ListView<jobs::JobListModel>;
    /// Placement sets in the order tried, with their sums.
    Pools "pools" "Pools" pools::PoolsView;
    /// Queues and limits, and who uses them.
    Queue "queues" "Queues" list::ListView<queues::QueueListModel>;
    /// What holds nodes from when to when.
    Calendar "calendar" "Calendar" calendar::CalendarView;
    /// Why a job waits or a node takes nothing, what helps.
    Why "why" "Why" why::WhyView;
    /// What keeps the whole queue waiting, by reason.
    Board "board" "Board" board::BoardView;
    /// What differs between two snapshots or settings.
    Compare "difference" "Difference" list::ListView<compare::ComparisonListModel>;
    /// What is wrong with the cluster, the data or the model.
    Problems "problems" "Problems" list::ListView<problems::ProblemListModel>;
    /// Every setting in effect, and where it stands.
    Settings "settings" "Settings" list::ListView<settings::SettingListModel>;
    /// The page of one job or node.
    Page "page" "Page" page::PageView;
    /// The whole cycle again with other settings.
    WhatIf "what-if" "What if" what_if::WhatIfView;
    /// What each node bucket holds, and how much is free.
    Buckets "buckets" "Buckets" list::ListView<buckets::BucketListModel>;
    /// Usage against shares, and whose jobs go first.
    Fairshare "fairshare" "Fair share" list::ListView<fairshare::FairshareListModel>;
    /// What it costs to concentrate jobs on few nodes.
    Packing "packing" "Packing" packing::PackingView;
    /// The live scheduler's records compared with the model.
    Agreement "agreement" "Agreement" list::ListView<agreement::AgreementListModel>;
    /// How many nodes would start the queue in time.
    Capacity "capacity" "Capacity" capacity::CapacityView;
    /// A recording or simulation from end to end.
    Time "time" "Time" time::TimeView;
    /// Which nodes each allocation policy would choose.
    Policies "policies" "Policies" policies::PoliciesView;
}

impl ViewName {
    /// The view with that number key, from 1.
    pub fn numbered(number: usize) -> Option<Self> {
        Self::ALL.get(number.checked_sub(1)?).copied()
    }

    /// Whether the view is opened over another one, on an object or temporarily, and closed again: a page, an answer, a
    /// what-if. Of the views with number keys only [`ViewName::Why`] is.
    pub(crate) fn is_opened(self) -> bool {
        self == Self::Why || self.number().is_none()
    }

    /// Its number key, for the first nine.
    pub fn number(self) -> Option<usize> {
        let at = Self::ALL.iter().position(|view| *view == self)?;
        (at < 9).then_some(at + 1)
    }
}

/// Where no job takes the bucket path, states that the buckets are unused, and by which rules, with each rule's share
/// of the jobs.
pub fn idle_buckets(run: &Run) -> Option<String> {
    let choices: Vec<_> = run.steps.iter().filter_map(|step| step.outcome.would_use).collect();
    if choices.is_empty() || choices.iter().any(|choice| choice.path == PlacementPath::Bucket) {
        return None;
    }
    let mut shares: FxHashMap<PathRule, usize> = FxHashMap::default();
    for choice in &choices {
        *shares.entry(choice.rule).or_default() += 1;
    }
    let mut shares: Vec<(PathRule, usize)> = shares.into_iter().collect();
    shares.sort_by_key(|(rule, jobs)| (std::cmp::Reverse(*jobs), *rule));
    let words = |(rule, jobs): &(PathRule, usize)| {
        format!("{} of {} by rule {} ({})", jobs, choices.len(), rule.number(), rule.name())
    };
    let shares: Vec<String> = shares.iter().map(words).collect();
    let jobs = wording::count(choices.len(), "job");
    Some(format!("buckets are unused: {jobs}, none on the bucket path; {}", shares.join(", ")))
}
