//! The keys that the footer shows first in a view: its most frequent actions, in the words of that view.
//!
//! The keys after them are ranked by the table of actions, in the same way everywhere.

use super::Action as A;
use super::context::Context;
use crate::views::ViewName as V;

/// One action or two related ones, and the word for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FooterEntry {
    pub(crate) actions: (A, Option<A>),
    pub(crate) word: &'static str,
}

const fn one(action: A, word: &'static str) -> FooterEntry {
    FooterEntry { actions: (action, None), word }
}

const fn two(first: A, second: A, word: &'static str) -> FooterEntry {
    FooterEntry { actions: (first, Some(second)), word }
}

/// The first keys while an alert has the focus.
pub(crate) const ALERTS: &[FooterEntry] = &[
    one(A::Select, "open"),
    two(A::Left, A::Right, "other alert"),
    one(A::NextPane, "pane"),
    one(A::Close, "leave"),
];

const NODES: &[FooterEntry] = &[
    one(A::Toggle, "map/table"),
    one(A::ToggleMap, "group"),
    two(A::More, A::Less, "cells"),
    one(A::Select, "page"),
    one(A::AskWhy, "why"),
    one(A::NextPane, "pane"),
    one(A::Filter, "filter"),
    one(A::Sort, "sort"),
];
const JOBS: &[FooterEntry] = &[
    one(A::Select, "job page"),
    one(A::AskWhy, "why"),
    one(A::Sort, "sort"),
    one(A::Columns, "columns"),
    one(A::QuickFilter, "quick filter"),
    one(A::Filter, "filter"),
    one(A::NextPane, "pane"),
];
const POOLS: &[FooterEntry] = &[
    one(A::Select, "set page"),
    one(A::ToggleMap, "its buckets"),
    one(A::Sort, "sort"),
    one(A::AskWhy, "why"),
    one(A::Filter, "filter"),
];
const QUEUES: &[FooterEntry] = &[
    one(A::Select, "open"),
    one(A::Sort, "sort"),
    one(A::Filter, "filter"),
    one(A::WhatIf, "set a limit"),
    one(A::AskWhy, "why"),
    one(A::NextPane, "pane"),
];
const CALENDAR: &[FooterEntry] = &[
    two(A::Left, A::Right, "scroll"),
    two(A::More, A::Less, "zoom"),
    one(A::NextVerdict, "next event"),
    one(A::Select, "page"),
    one(A::AskWhy, "why"),
];
const WHY: &[FooterEntry] = &[
    one(A::Select, "open"),
    two(A::PreviousLine, A::NextLine, "other job"),
    two(A::Left, A::Right, "choose link"),
    one(A::Fold, "fold"),
    one(A::WhatIf, "try a change"),
    one(A::CopyMarkdown, "Markdown"),
];
const BOARD: &[FooterEntry] = &[
    one(A::Select, "its jobs"),
    one(A::Sort, "sort"),
    one(A::ToggleMap, "group"),
    one(A::AskWhy, "why"),
    one(A::Export, "export"),
];
const PROBLEMS: &[FooterEntry] = &[
    one(A::Select, "go to it"),
    one(A::Copy, "copy the fix"),
    one(A::Filter, "filter"),
    one(A::Export, "export"),
    one(A::NextPane, "pane"),
];
const SETTINGS: &[FooterEntry] = &[
    one(A::Select, "file line"),
    one(A::WhatIf, "what-if"),
    one(A::Filter, "filter"),
    one(A::Sort, "sort"),
    one(A::QuickFilter, "only changed"),
];
const PAGE: &[FooterEntry] = &[
    one(A::AskWhy, "why"),
    one(A::Select, "open"),
    two(A::PreviousLine, A::NextLine, "previous, next"),
    two(A::Left, A::Right, "choose link"),
    one(A::NextPane, "attributes"),
    one(A::Filter, "filter"),
    one(A::WhatIf, "what-if"),
];
const TIME: &[FooterEntry] = &[
    two(A::Left, A::Right, "move"),
    one(A::Select, "open"),
    two(A::OlderSnapshot, A::NewerSnapshot, "older, newer"),
    one(A::Changes, "compare"),
    one(A::Play, "play"),
];

const COMPARE: &[FooterEntry] = &[
    two(A::CompareOlder, A::CompareNewer, "older, newer"),
    one(A::Select, "go to it"),
    one(A::NextVerdict, "next group"),
    one(A::AskWhy, "why"),
    one(A::Filter, "filter"),
    one(A::NextPane, "pane"),
];
const BUCKETS: &[FooterEntry] = &[
    one(A::Select, "bucket page"),
    two(A::PreviousLine, A::NextLine, "another set"),
    one(A::Sort, "sort"),
    one(A::Filter, "filter"),
];
const FAIRSHARE: &[FooterEntry] = &[
    one(A::Select, "its jobs"),
    one(A::AskWhy, "why"),
    one(A::Sort, "sort"),
    one(A::Filter, "filter"),
    one(A::QuickFilter, "over their share"),
    one(A::NextPane, "pane"),
];
const AGREEMENT: &[FooterEntry] =
    &[one(A::Select, "go to job"), one(A::AskWhy, "why"), one(A::Filter, "filter")];
const WHAT_IF: &[FooterEntry] = &[
    one(A::WhatIf, "add a setting"),
    one(A::Select, "edit"),
    one(A::Toggle, "on/off"),
    one(A::Delete, "delete"),
    one(A::LookInto, "step it"),
];
const PACKING: &[FooterEntry] = &[
    two(A::NextEvent, A::PreviousEvent, "event"),
    one(A::NextMoment, "moment"),
    two(A::LongerTtl, A::ShorterTtl, "ttl"),
    one(A::Select, "zoom nodes"),
    one(A::NextPane, "pane"),
    two(A::WindowIn, A::WindowOut, "zoom"),
    one(A::NextClass, "class"),
    one(A::NextCriterion, "classes by"),
];
const CAPACITY: &[FooterEntry] = &[
    two(A::LongerTarget, A::ShorterTarget, "target"),
    one(A::NextPane, "next tab"),
    one(A::ToggleOnTop, "on top"),
    two(A::MoreInertia, A::LessInertia, "inertia"),
    one(A::ToggleCompat, "as Toil"),
];
const POLICIES: &[FooterEntry] = &[
    one(A::Measure, "measure"),
    one(A::Select, "go to node"),
    one(A::NextPane, "table/map"),
    one(A::AskWhy, "why"),
];

const DECISION: &[FooterEntry] = &[
    one(A::StepInto, "into"),
    one(A::StepOut, "out"),
    two(A::StepForward, A::StepBack, "step, back"),
    one(A::AskWhy, "why"),
    one(A::TwoPaths, "other path"),
];

const HELP: &[FooterEntry] = &[one(A::Select, "run"), one(A::Close, "close")];
const ROWS: &[FooterEntry] =
    &[one(A::Select, "change"), one(A::Toggle, "on/off"), one(A::Delete, "delete"), one(A::Close, "close")];

/// The first keys of a context.
pub(crate) fn first(context: Context) -> &'static [FooterEntry] {
    let view = match context {
        Context::View(view) => view,
        // Of the help; in a box of text Enter is idle.
        Context::Overlay => return HELP,
        Context::Rows => return ROWS,
        Context::Detail => return DECISION,
        _ => return &[],
    };
    match view {
        V::Nodes => NODES,
        V::Jobs => JOBS,
        V::Pools => POOLS,
        V::Queue => QUEUES,
        V::Calendar => CALENDAR,
        V::Why => WHY,
        V::Board => BOARD,
        V::Problems => PROBLEMS,
        V::Settings => SETTINGS,
        V::Page => PAGE,
        // A recording is stepped by snapshots.
        V::Time => TIME,
        V::Compare => COMPARE,
        V::Buckets => BUCKETS,
        V::Fairshare => FAIRSHARE,
        V::Agreement => AGREEMENT,
        V::WhatIf => WHAT_IF,
        V::Packing => PACKING,
        V::Capacity => CAPACITY,
        V::Policies => POLICIES,
        // The cycle orders its keys by what is selected, and other views need none first.
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keymap::Keymap;

    #[test]
    fn what_comes_first_in_a_view_works_there() {
        let keymap = Keymap::default();
        for view in V::ALL {
            let context = Context::View(*view);
            for one in first(context) {
                let actions = std::iter::once(one.actions.0).chain(one.actions.1);
                assert!(
                    actions.into_iter().all(|action| keymap.keys(action, context).next().is_some()),
                    "{view:?} {one:?}"
                );
            }
        }
    }
}
