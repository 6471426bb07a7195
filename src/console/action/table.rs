//! The table itself: one entry per action. Its order is that of the help.

use super::context::{
    ALL, CAPACITY, COMMANDS, COMPARE, CYCLE, DETAIL, FOLLOWING, LIST, MAP, NOT_DETAIL, OVERLAY, PACKING,
    PANES, POLICIES, PROMPT, STATE, VIEWS, WHAT_IF, WHY,
};
use super::{Entry, Group};

/// Declares the actions and their table at one place.
macro_rules! actions {
    ($(
        $(#[doc = $doc:literal])+
        $action:ident $name:literal $group:ident [$($contexts:ident: $($key:literal)+),+] $(hint $rank:literal $word:literal)?;
    )+) => {
        /// Something that a person can do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action { $($(#[doc = $doc])+ $action,)+ }

        /// Every action, in the order in which the help shows them.
        pub const TABLE: &[Entry] = &[$(Entry {
            action: Action::$action,
            name: $name,
            group: Group::$group,
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
    /// Go to the next job with another verdict
    NextVerdict "next-verdict" Step [PANES: "}"] hint 60 "verdict";
    /// Go back to the last job with another verdict
    PreviousVerdict "previous-verdict" Step [PANES: "{"];
    /// Run to the next waiting job
    NextWaiting "next-waiting" Step [FOLLOWING: "w"] hint 58 "waiting";
    /// Run back to the last waiting job
    PreviousWaiting "previous-waiting" Step [FOLLOWING: "W"];
    /// Run to the next job on the node path
    NextNodePath "next-node-path" Step [FOLLOWING: "n"] hint 32 "node path";
    /// Run back to the last job on the node path
    PreviousNodePath "previous-node-path" Step [FOLLOWING: "N"];
    /// Set the breakpoint, a filter
    Condition "condition" Step [FOLLOWING: "B"] hint 31 "breakpoint";
    /// Continue to the next breakpoint
    Continue "continue" Step [FOLLOWING: "c"];
    /// Continue back to the last breakpoint
    ContinueBack "continue-back" Step [FOLLOWING: "C"];
    /// Play or pause the cycle
    Play "play" Step [STATE: "space"] hint 43 "play";
    /// Play faster
    Faster "faster" Step [STATE: "+"];
    /// Play slower
    Slower "slower" Step [STATE: "-"];
    /// Set a mark here; a letter names it
    SetMark "set-mark" Step [STATE: "m"] hint 27 "mark";
    /// Jump to a mark, '' to the last place
    Jump "jump" Step [STATE: "'"];
    /// Type a count or a step number
    Number "number" Step [STATE: "x"] hint 26 "number";
    /// Compare the other path
    TwoPaths "two-paths" Step [CYCLE: "p"] hint 44 "other path";
    /// Go to the start of the cycle
    FirstStep "first-step" Step [PANES: "0"] hint 41 "first";
    /// Go to the end of the cycle
    LastStep "last-step" Step [PANES: "$"] hint 40 "last";
    /// Open the selection
    Select "select" Step [LIST: "enter", MAP: "enter", VIEWS: "enter"] hint 80 "go to";

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

    /// Go to the next bucket or set
    NextLine "next-line" Map [PANES: "]"] hint 30 "next line";
    /// Go to the previous bucket or set
    PreviousLine "previous-line" Map [PANES: "["];
    /// Show the nodes by bucket, by placement set, or by name
    ToggleMap "toggle-map" Map [PANES: "b"] hint 45 "buckets/sets";

    /// To the next second at which something happens
    NextEvent "next-event" Trial [PACKING: "n"] hint 88 "event";
    /// To the second before, at which something happened
    PreviousEvent "previous-event" Trial [PACKING: "p"] hint 87 "back";
    /// To the next moment worth a look: full, after it, later
    NextMoment "next-moment" Trial [PACKING: "m"] hint 86 "moment";
    /// A longer lifetime of holds
    LongerTtl "longer-ttl" Trial [PACKING: "+" "="] hint 85 "ttl up";
    /// A shorter lifetime of holds
    ShorterTtl "shorter-ttl" Trial [PACKING: "-"] hint 84 "down";
    /// Move the window of all means to the left
    WindowLeft "window-left" Trial [PACKING: "("] hint 28 "window";
    /// Move the window of all means to the right
    WindowRight "window-right" Trial [PACKING: ")"];
    /// Half the window, around the cursor
    WindowIn "window-in" Trial [PACKING: "z"] hint 48 "zoom";
    /// Twice the window
    WindowOut "window-out" Trial [PACKING: "Z"];
    /// Let the next class pack
    NextClass "next-class" Trial [PACKING: "c"] hint 47 "class";
    /// Make classes by queue, group, user or project
    NextCriterion "next-criterion" Trial [PACKING: "C"] hint 46 "by";
    /// Let jobs begin later: a longer target time
    LongerTarget "longer-target" Trial [CAPACITY: "+" "="] hint 85 "target up";
    /// Let jobs begin sooner: a shorter target time
    ShorterTarget "shorter-target" Trial [CAPACITY: "-"] hint 84 "down";
    /// More inertia of the scaler
    MoreInertia "more-inertia" Trial [CAPACITY: ")"] hint 49 "beta";
    /// Less inertia of the scaler
    LessInertia "less-inertia" Trial [CAPACITY: "("];
    /// Pack from scratch, or on top of what runs
    ToggleOnTop "toggle-on-top" Trial [CAPACITY: "o"] hint 48 "on top";
    /// Follow the original scaler with its defects, or not
    ToggleCompat "toggle-compat" Trial [CAPACITY: "c"] hint 47 "compat";

    /// Follow the files
    Follow "follow" Data [PANES: "F"] hint 50 "follow";
    /// Freeze this snapshot
    Freeze "freeze" Data [PANES: "f"] hint 35 "freeze";
    /// Show the older snapshot
    OlderSnapshot "older-snapshot" Data [PANES: "<"];
    /// Show the newer snapshot
    NewerSnapshot "newer-snapshot" Data [PANES: ">"];
    /// Show changes since the older snapshot
    Changes "changes" Data [PANES: "d"];
    /// Compare with an older snapshot
    CompareOlder "compare-older" Data [COMPARE: "-"] hint 85 "older";
    /// Compare with a newer snapshot
    CompareNewer "compare-newer" Data [COMPARE: "+" "="] hint 84 "newer";
    /// Read the files again
    Reload "reload" Data [PANES: "r"] hint 20 "reload";

    /// Explain the job or node under the cursor
    AskWhy "ask-why" View [PANES: "a"] hint 75 "why";
    /// Fold the section under the cursor, or open it
    Fold "fold" View [WHY: "space"] hint 62 "fold";
    /// Open all sections, or fold them all
    FoldAll "fold-all" View [WHY: "z"] hint 45 "fold all";
    /// Stop or continue the computation
    Stop "stop" View [WHY: "x"] hint 52 "stop";
    /// Copy the answer as Markdown, for a ticket
    CopyMarkdown "copy-markdown" View [WHY: "Y"] hint 26 "markdown";
    /// Add a setting
    AddSetting "add-setting" View [WHAT_IF: "s" "+"] hint 88 "set";
    /// Turn the setting on or off
    ToggleSetting "toggle-setting" View [WHAT_IF: "t" "space"] hint 87 "on/off";
    /// Delete the setting
    DropSetting "drop-setting" View [WHAT_IF: "x" "delete"] hint 86 "delete";
    /// Step through this what-if in every view
    LookInto "look-into" View [WHAT_IF: "v"] hint 85 "step it";
    /// Change a setting and rerun the cycle
    WhatIf "what-if" View [FOLLOWING: "="];
    /// Measure what each placement costs the jobs behind
    Measure "measure" View [POLICIES: "m"] hint 78 "measure";
    /// Show only what matches
    Filter "filter" View [COMMANDS: "/"] hint 70 "filter";
    /// Cycle quick filters
    QuickFilter "quick-filter" View [CYCLE: "P"] hint 29 "placed";
    /// Copy what is under the cursor to the clipboard
    Copy "copy" View [COMMANDS: "y"] hint 25 "copy";
    /// Accept what is typed
    Accept "accept" View [PROMPT: "enter"] hint 95 "accept";
    /// Complete what is typed
    Complete "complete" View [PROMPT: "tab"];
    /// Delete the letter before the cursor
    DeleteBack "delete-back" View [PROMPT: "backspace" "ctrl-h"];
    /// Delete all that is typed
    DeleteAll "delete-all" View [PROMPT: "ctrl-u"] hint 50 "clear";
    /// Show problems of files and model
    Warnings "warnings" View [PANES: "!"] hint 22 "warnings";
    /// Show files, their age and collection
    Files "files" View [PANES: "D"] hint 18 "files";
    /// Open Cycle
    View1 "view-1" View [PANES: "1"];
    /// Open Nodes
    View2 "view-2" View [PANES: "2"];
    /// Open Buckets
    View3 "view-3" View [PANES: "3"];
    /// Open Pools
    View4 "view-4" View [PANES: "4"];
    /// Open Queues
    View5 "view-5" View [PANES: "5"];
    /// Open Calendar
    View6 "view-6" View [PANES: "6"];
    /// Open Packing
    View7 "view-7" View [PANES: "7"];
    /// Open Agreement
    View8 "view-8" View [PANES: "8"];
    /// Open Capacity
    View9 "view-9" View [PANES: "9"];
    /// The board: what keeps the whole queue waiting
    Board "board" View [PANES: "R"] hint 43 "reasons";
    /// Go back
    Back "back" View [PANES: "backspace" "alt-left"] hint 42 "back";
    /// Go forward again
    Forward "forward" View [PANES: "alt-right"];
    /// Search actions, views and objects
    Palette "palette" View [COMMANDS: ":"] hint 23 "commands";
    /// The next theme
    NextTheme "next-theme" View [COMMANDS: "T"];
    /// Show the keys that work here
    Help "help" View [COMMANDS: "?"];
    /// Close, stop or go out
    Close "close" View [ALL: "esc", OVERLAY: "q"] hint 15 "close";

    /// Leave qscope
    Quit "quit" Program [PANES: "q", ALL: "ctrl-c"] hint 56 "quit";
    /// Stop and give the shell the terminal; fg returns
    Suspend "suspend" Program [ALL: "ctrl-z"];
    /// Draw the screen anew
    Redraw "redraw" Program [ALL: "ctrl-l"];
}
