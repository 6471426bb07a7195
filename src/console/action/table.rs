//! The table of actions: one entry per action, in the order of the help.

use super::context::{
    ALL, BOXES, CAPACITY, CHANGING, COMMANDS, COMPARE, CYCLE, DELETING, DETAIL, FILTERING, FOLDING,
    FOLLOWING, GROUPING, LIST, MAP, MARKING, NOT_DETAIL, OPENING, OVERLAY, PACKING, PANES, PATHS, PLAYING,
    POLICIES, PROMPT, QUICK, SCALING, SIBLINGS, STATE, TABLES, TOGGLING, VIEWS, WHAT_IF, WHY,
};
use super::{ActionEntry, ActionGroup};

/// Declares the actions together with their table.
macro_rules! actions {
    ($(
        $(#[doc = $doc:literal])+
        $action:ident $name:literal $group:ident [$($contexts:ident: $($key:literal)+),+] $(hint $rank:literal $word:literal)?;
    )+) => {
        /// An action of the user.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action { $($(#[doc = $doc])+ $action,)+ }

        /// Every action, in the order of the help.
        pub const TABLE: &[ActionEntry] = &[$(ActionEntry {
            action: Action::$action,
            name: $name,
            group: ActionGroup::$group,
            doc: concat!($($doc),+).trim_ascii(),
            keys: &[$($(($contexts, $key)),+),+],
            hint: { let hint = (0, ""); $(let _ = hint; let hint = ($rank, $word);)? hint },
        }),+];
    };
}

actions! {
    /// Step forward
    StepForward "step-forward" Step [PANES: "."] hint 90 "step";
    /// Step back
    StepBack "step-back" Step [PANES: ","] hint 89 "back";
    /// Step into the decision
    StepInto "step-into" Step [CYCLE: "i", DETAIL: "enter" "right"] hint 88 "into";
    /// Step out one level
    StepOut "step-out" Step [CYCLE: "o", DETAIL: "left"] hint 46 "out";
    /// Go to the next verdict, event or entry
    NextVerdict "next-change" Step [CHANGING: "}"] hint 60 "change";
    /// Go to the previous verdict, event or entry
    PreviousVerdict "previous-change" Step [CHANGING: "{"];
    /// Run to the next waiting job
    NextWaiting "next-waiting" Step [FOLLOWING: "w"] hint 58 "waiting";
    /// Run back to the previous waiting job
    PreviousWaiting "previous-waiting" Step [FOLLOWING: "W"];
    /// Continue to the next breakpoint
    Continue "continue" Step [FOLLOWING: "c"];
    /// Continue back to the previous breakpoint
    ContinueBack "continue-back" Step [FOLLOWING: "C"];
    /// Show the breakpoint list
    Breakpoints "breakpoints" Step [PANES: "B"] hint 31 "breakpoints";
    /// Play or pause the cycle
    Play "play" Step [PLAYING: "space"] hint 43 "play";
    /// Show more: speed, zoom, nodes a cell
    More "more" Step [SCALING: "+"];
    /// Show less: speed, zoom, nodes a cell
    Less "less" Step [SCALING: "-"];
    /// Go to the first step
    FirstStep "first-step" Step [PANES: "0"] hint 41 "first";
    /// Go to the last step
    LastStep "last-step" Step [PANES: "$"] hint 40 "last";
    /// Set a mark here; a letter names it
    SetMark "set-mark" Step [MARKING: "m"] hint 27 "mark";
    /// Go to a mark, '' to the last place
    Jump "go-to-mark" Step [PANES: "'"];
    /// Type a count or a step number
    Number "number" Step [STATE: "#"] hint 26 "number";
    /// Compare the other path
    TwoPaths "other-path" Step [PATHS: "p"] hint 44 "other path";

    /// Open the selection
    Select "open" Move [LIST: "enter", MAP: "enter", VIEWS: "enter", BOXES: "enter"] hint 80 "open";
    /// Go back
    Back "back" Move [PANES: "backspace" "alt-left"] hint 42 "back";
    /// Go forward again
    Forward "forward" Move [PANES: "alt-right"];
    /// One line up
    Up "up" Move [COMMANDS: "k", ALL: "up"];
    /// One line down
    Down "down" Move [COMMANDS: "j", ALL: "down"];
    /// One cell or column left
    Left "left" Move [COMMANDS: "h", NOT_DETAIL: "left"];
    /// One cell or column right
    Right "right" Move [COMMANDS: "l", NOT_DETAIL: "right"];
    /// One page up
    PageUp "page-up" Move [ALL: "pageup", COMMANDS: "ctrl-u"];
    /// One page down
    PageDown "page-down" Move [ALL: "pagedown", COMMANDS: "ctrl-d"];
    /// To the first line
    Home "home" Move [COMMANDS: "g", ALL: "home"];
    /// To the last line
    End "end" Move [COMMANDS: "G", ALL: "end"];
    /// Focus the next pane
    NextPane "next-pane" Move [PANES: "tab"] hint 55 "pane";
    /// Focus the previous pane
    PreviousPane "previous-pane" Move [PANES: "shift-tab"];
    /// Go to the next bucket, set, job or node
    NextLine "next-sibling" Move [SIBLINGS: "]"] hint 30 "next";
    /// Go to the previous bucket, set, job or node
    PreviousLine "previous-sibling" Move [SIBLINGS: "["];

    /// Filter the rows
    Filter "filter" Table [FILTERING: "/"] hint 70 "filter";
    /// Go to the next match without filtering
    NextMatch "next-match" Table [PANES: "n"];
    /// Go to the previous match without filtering
    PreviousMatch "previous-match" Table [PANES: "N"];
    /// Sort by the next column
    Sort "sort" Table [TABLES: "s"] hint 69 "sort";
    /// Reverse the sort order
    SortReverse "sort-reverse" Table [TABLES: "S"];
    /// Choose the columns
    Columns "columns" Table [TABLES: "K"] hint 34 "columns";
    /// Cycle quick filters
    QuickFilter "quick-filter" Table [QUICK: "P"] hint 29 "quick filter";
    /// Group by the next criterion
    ToggleMap "group-by" Table [GROUPING: "b"] hint 45 "group";
    /// Toggle map and table, or the row on and off
    Toggle "toggle" Table [TOGGLING: "t"] hint 68 "toggle";
    /// Fold or open the section
    Fold "fold" Table [FOLDING: "z"] hint 62 "fold";
    /// Fold or open all sections
    FoldAll "fold-all" Table [FOLDING: "Z"] hint 33 "fold all";
    /// Delete the row
    Delete "delete" Table [DELETING: "x" "delete"] hint 66 "delete";
    /// Copy the selection to the clipboard
    Copy "copy" Table [COMMANDS: "y"] hint 25 "copy";
    /// Copy the answer as Markdown, for a ticket
    CopyMarkdown "copy-markdown" Table [WHY: "Y"] hint 26 "markdown";
    /// Export the screen or the table
    Export "export" Table [PANES: "e"] hint 24 "export";

    /// Go to the next event
    NextEvent "next-event" Trial [PACKING: "}"] hint 88 "event";
    /// Go to the previous event
    PreviousEvent "previous-event" Trial [PACKING: "{"] hint 87 "back";
    /// Go to the next moment: full, after it, later
    NextMoment "next-moment" Trial [PACKING: "m"] hint 86 "moment";
    /// Lengthen the lifetime of holds
    LongerTtl "longer-ttl" Trial [PACKING: "+"] hint 85 "ttl up";
    /// Shorten the lifetime of holds
    ShorterTtl "shorter-ttl" Trial [PACKING: "-"] hint 84 "down";
    /// Move the window of all means to the left
    WindowLeft "window-left" Trial [PACKING: "("] hint 28 "window";
    /// Move the window of all means to the right
    WindowRight "window-right" Trial [PACKING: ")"];
    /// Halve the window, around the cursor
    WindowIn "window-in" Trial [PACKING: "z"] hint 48 "zoom";
    /// Double the window
    WindowOut "window-out" Trial [PACKING: "Z"];
    /// Let the next class pack
    NextClass "next-class" Trial [PACKING: "c"] hint 47 "class";
    /// Make classes by queue, group, user or project
    NextCriterion "next-criterion" Trial [PACKING: "C"] hint 46 "by";
    /// Lengthen the target time
    LongerTarget "longer-target" Trial [CAPACITY: "+"] hint 85 "target up";
    /// Shorten the target time
    ShorterTarget "shorter-target" Trial [CAPACITY: "-"] hint 84 "down";
    /// More inertia of the scaler
    MoreInertia "more-inertia" Trial [CAPACITY: ")"] hint 49 "inertia";
    /// Less inertia of the scaler
    LessInertia "less-inertia" Trial [CAPACITY: "("];
    /// Pack from scratch, or on top of what runs
    ToggleOnTop "toggle-on-top" Trial [CAPACITY: "o"] hint 48 "on top";
    /// Follow Toil's scaler with its defects
    ToggleCompat "toggle-compat" Trial [CAPACITY: "c"] hint 47 "as Toil";
    /// Measure the cost for the jobs behind
    Measure "measure" Trial [POLICIES: "m"] hint 78 "measure";

    /// Follow the files
    Follow "follow" Data [PANES: "F"] hint 50 "follow";
    /// Freeze this snapshot
    Freeze "freeze" Data [PANES: "f"] hint 35 "freeze";
    /// Read the files now
    Reload "reload" Data [PANES: "r", OVERLAY: "r"] hint 20 "reload";
    /// Show the older snapshot
    OlderSnapshot "older-snapshot" Data [PANES: "<"];
    /// Show the newer snapshot
    NewerSnapshot "newer-snapshot" Data [PANES: ">"];
    /// Show changes since the older snapshot
    Changes "changes" Data [PANES: "d"];
    /// Open Time: the recording from end to end
    Time "time" Data [PANES: "H"];
    /// Compare with an older snapshot
    CompareOlder "compare-older" Data [COMPARE: "["] hint 85 "older";
    /// Compare with a newer snapshot
    CompareNewer "compare-newer" Data [COMPARE: "]"] hint 84 "newer";
    /// Change a setting and rerun the cycle
    WhatIf "what-if" Data [PANES: "="] hint 48 "set";
    /// Step through the right side
    LookInto "step-right-side" Data [WHAT_IF: "v"] hint 85 "step it";

    /// Explain the selected job or node
    AskWhy "why" View [PANES: "a"] hint 75 "why";
    /// Open Cycle
    View1 "view-1" View [OPENING: "1"];
    /// Open Nodes
    View2 "view-2" View [OPENING: "2"];
    /// Open Jobs
    View3 "view-3" View [OPENING: "3"];
    /// Open Pools
    View4 "view-4" View [OPENING: "4"];
    /// Open Queues
    View5 "view-5" View [OPENING: "5"];
    /// Open Calendar
    View6 "view-6" View [OPENING: "6"];
    /// Open Why
    View7 "view-7" View [OPENING: "7"];
    /// Open Board
    View8 "view-8" View [OPENING: "8"];
    /// Open Difference
    View9 "view-9" View [OPENING: "9"];
    /// Open Board, as before
    Board "board" View [OPENING: "R"];
    /// Open Problems
    Warnings "problems" View [PANES: "!"] hint 22 "problems";
    /// Open Settings
    Settings "settings" View [PANES: "O"] hint 19 "settings";
    /// Show files, their age and collection
    Files "files" View [PANES: "D"] hint 18 "files";
    /// Type a command
    Palette "command" View [COMMANDS: ":"] hint 23 "command";
    /// Show the next theme
    NextTheme "next-theme" View [COMMANDS: "T"];
    /// List the keys that work here
    Help "help" View [COMMANDS: "?"];
    /// Stop, close or clear
    Close "close" View [ALL: "esc", BOXES: "q"] hint 15 "close";

    /// Apply what is typed
    Accept "accept" Typing [PROMPT: "enter"] hint 95 "apply";
    /// Ask why about what is typed
    AcceptWhy "accept-why" Typing [PROMPT: "alt-enter"];
    /// Complete what is typed
    Complete "complete" Typing [PROMPT: "tab"];
    /// Delete the letter before the cursor
    DeleteBack "delete-back" Typing [PROMPT: "backspace" "ctrl-h"];
    /// Delete all that is typed
    DeleteAll "delete-all" Typing [PROMPT: "ctrl-u"] hint 50 "clear";

    /// Leave qscope
    Quit "quit" Program [PANES: "q", ALL: "ctrl-c"] hint 56 "quit";
    /// Suspend qscope; fg returns
    Suspend "suspend" Program [ALL: "ctrl-z"];
    /// Draw the screen again
    Redraw "redraw" Program [ALL: "ctrl-l"];
}
