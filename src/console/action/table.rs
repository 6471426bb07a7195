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
    /// Step to the next decision.
    StepForward "step-forward" Step [PANES: "."] hint 90 "step";
    /// Step back over the last decision.
    StepBack "step-back" Step [PANES: ","] hint 89 "back";
    /// Into the decision, and into what is under the cursor.
    StepInto "step-into" Step [CYCLE: "i", DETAIL: "enter" "right"] hint 88 "into";
    /// Out again, one level.
    StepOut "step-out" Step [CYCLE: "o", DETAIL: "left"] hint 46 "out";
    /// Go to the next job with another verdict.
    NextVerdict "next-verdict" Step [PANES: "}"] hint 60 "verdict";
    /// Go back to the last job with another verdict.
    PreviousVerdict "previous-verdict" Step [PANES: "{"];
    /// Run to the next job that waits.
    NextWaiting "next-waiting" Step [FOLLOWING: "w"] hint 58 "waiting";
    /// Run back to the last job that waits.
    PreviousWaiting "previous-waiting" Step [FOLLOWING: "W"];
    /// Run to the next job on the node path.
    NextNodePath "next-node-path" Step [FOLLOWING: "n"] hint 32 "node path";
    /// Run back to the last job on the node path.
    PreviousNodePath "previous-node-path" Step [FOLLOWING: "N"];
    /// Say what to run to, in the language of the filter.
    Condition "condition" Step [FOLLOWING: "B"] hint 31 "run to";
    /// Run to the next job that meets the condition.
    Continue "continue" Step [FOLLOWING: "c"];
    /// Run back to the last job that meets the condition.
    ContinueBack "continue-back" Step [FOLLOWING: "C"];
    /// Play: steps by themselves, or a pause.
    Play "play" Step [STATE: "space"] hint 43 "play";
    /// Play faster.
    Faster "faster" Step [STATE: "+"];
    /// Play slower.
    Slower "slower" Step [STATE: "-"];
    /// Set a mark here; a letter names it.
    SetMark "set-mark" Step [STATE: "m"] hint 27 "mark";
    /// Jump to a mark; '' goes back to before the last jump.
    Jump "jump" Step [STATE: "'"];
    /// A number: a motion that often, or Enter to that step.
    Number "number" Step [STATE: "x"] hint 26 "number";
    /// Show what the other path would do, or the decision again.
    TwoPaths "two-paths" Step [CYCLE: "p"] hint 44 "other path";
    /// Go to the start of the cycle.
    FirstStep "first-step" Step [PANES: "0"] hint 41 "first";
    /// Go to the end of the cycle.
    LastStep "last-step" Step [PANES: "$"] hint 40 "last";
    /// Go to what is under the cursor, or to its step.
    Select "select" Step [LIST: "enter", MAP: "enter", VIEWS: "enter"] hint 80 "go to";

    /// One line up.
    Up "up" Move [COMMANDS: "k", ALL: "up"];
    /// One line down.
    Down "down" Move [COMMANDS: "j", ALL: "down"];
    /// One cell or column left.
    Left "left" Move [COMMANDS: "h", NOT_DETAIL: "left"];
    /// One cell or column right.
    Right "right" Move [COMMANDS: "l", NOT_DETAIL: "right"];
    /// One page up.
    PageUp "page-up" Move [ALL: "pageup", COMMANDS: "ctrl-u"];
    /// One page down.
    PageDown "page-down" Move [ALL: "pagedown", COMMANDS: "ctrl-d"];
    /// To the first line.
    Home "home" Move [COMMANDS: "g", ALL: "home"];
    /// To the last line.
    End "end" Move [COMMANDS: "G", ALL: "end"];
    /// Give the next pane the focus.
    NextPane "next-pane" Move [PANES: "tab"] hint 55 "pane";
    /// Give the pane before the focus.
    PreviousPane "previous-pane" Move [PANES: "shift-tab"];

    /// Go to the next bucket or set.
    NextLine "next-line" Map [PANES: "]"] hint 30 "next line";
    /// Go to the bucket or set before.
    PreviousLine "previous-line" Map [PANES: "["];
    /// Show the nodes by bucket, by placement set, or by name.
    ToggleMap "toggle-map" Map [PANES: "b"] hint 45 "buckets/sets";

    /// To the next second at which something happens.
    NextEvent "next-event" Trial [PACKING: "n"] hint 88 "event";
    /// To the second before, at which something happened.
    PreviousEvent "previous-event" Trial [PACKING: "p"] hint 87 "back";
    /// To the next moment worth a look: full, after it, later.
    NextMoment "next-moment" Trial [PACKING: "m"] hint 86 "moment";
    /// A longer lifetime of holds.
    LongerTtl "longer-ttl" Trial [PACKING: "+" "="] hint 85 "ttl up";
    /// A shorter lifetime of holds.
    ShorterTtl "shorter-ttl" Trial [PACKING: "-"] hint 84 "down";
    /// Move the window of all means to the left.
    WindowLeft "window-left" Trial [PACKING: "("] hint 28 "window";
    /// Move the window of all means to the right.
    WindowRight "window-right" Trial [PACKING: ")"];
    /// Half the window, around the cursor.
    WindowIn "window-in" Trial [PACKING: "z"] hint 48 "zoom";
    /// Twice the window.
    WindowOut "window-out" Trial [PACKING: "Z"];
    /// Let the next class pack.
    NextClass "next-class" Trial [PACKING: "c"] hint 47 "class";
    /// Make classes by queue, group, user or project.
    NextCriterion "next-criterion" Trial [PACKING: "C"] hint 46 "by";
    /// Let jobs begin later: a longer target time.
    LongerTarget "longer-target" Trial [CAPACITY: "+" "="] hint 85 "target up";
    /// Let jobs begin sooner: a shorter target time.
    ShorterTarget "shorter-target" Trial [CAPACITY: "-"] hint 84 "down";
    /// More inertia of the scaler.
    MoreInertia "more-inertia" Trial [CAPACITY: ")"] hint 49 "beta";
    /// Less inertia of the scaler.
    LessInertia "less-inertia" Trial [CAPACITY: "("];
    /// Pack from scratch, or on top of what runs.
    ToggleOnTop "toggle-on-top" Trial [CAPACITY: "o"] hint 48 "on top";
    /// Follow the original scaler with its defects, or not.
    ToggleCompat "toggle-compat" Trial [CAPACITY: "c"] hint 47 "compat";

    /// Follow the files: always show the newest generation.
    Follow "follow" Data [PANES: "F"] hint 50 "follow";
    /// Freeze: stay with this generation while newer ones load.
    Freeze "freeze" Data [PANES: "f"] hint 35 "freeze";
    /// Look at the generation before, and stay there.
    OlderGeneration "older-generation" Data [PANES: "<"];
    /// Look at the generation after.
    NewerGeneration "newer-generation" Data [PANES: ">"];
    /// Show what changed since the generation before.
    Changes "changes" Data [PANES: "d"];
    /// Compare with an older generation.
    CompareOlder "compare-older" Data [COMPARE: "-"] hint 85 "older";
    /// Compare with a newer generation.
    CompareNewer "compare-newer" Data [COMPARE: "+" "="] hint 84 "newer";
    /// Read the files again.
    Reload "reload" Data [PANES: "r"] hint 20 "reload";

    /// Ask why: the job or the node under the cursor.
    AskWhy "ask-why" View [PANES: "a"] hint 75 "why";
    /// Fold the section under the cursor, or open it.
    Fold "fold" View [WHY: "space"] hint 62 "fold";
    /// Open all sections, or fold them all.
    FoldAll "fold-all" View [WHY: "z"] hint 45 "fold all";
    /// End what is being computed, or go on with it.
    Stop "stop" View [WHY: "x"] hint 52 "end";
    /// Copy the answer as Markdown, for a ticket.
    CopyMarkdown "copy-markdown" View [WHY: "Y"] hint 26 "markdown";
    /// Add a setting that is not so.
    AddSetting "add-setting" View [WHAT_IF: "s" "+"] hint 88 "set";
    /// Turn the setting on or off.
    ToggleSetting "toggle-setting" View [WHAT_IF: "t" "space"] hint 87 "on/off";
    /// Take the setting away.
    DropSetting "drop-setting" View [WHAT_IF: "x" "delete"] hint 86 "drop";
    /// Look at the cycle with these settings, in every view.
    LookInto "look-into" View [WHAT_IF: "v"] hint 85 "view it";
    /// Ask what if: set something else and run the cycle again.
    WhatIf "what-if" View [FOLLOWING: "="];
    /// Measure what each placement costs the jobs behind.
    Measure "measure" View [POLICIES: "m"] hint 78 "measure";
    /// Show only what matches.
    Filter "filter" View [COMMANDS: "/"] hint 70 "filter";
    /// Keep jobs that one path placed, those that wait, or all.
    QuickFilter "quick-filter" View [CYCLE: "P"] hint 29 "placed";
    /// Copy what is under the cursor to the clipboard.
    Copy "copy" View [COMMANDS: "y"] hint 25 "copy";
    /// Accept what is typed.
    Accept "accept" View [PROMPT: "enter"] hint 95 "accept";
    /// Complete what is typed.
    Complete "complete" View [PROMPT: "tab"];
    /// Delete the letter before the cursor.
    DeleteBack "delete-back" View [PROMPT: "backspace" "ctrl-h"];
    /// Delete all that is typed.
    DeleteAll "delete-all" View [PROMPT: "ctrl-u"] hint 50 "clear";
    /// Show what was odd in the files, and what is not modelled.
    Warnings "warnings" View [PANES: "!"] hint 22 "warnings";
    /// Show the files, how old they are, and what collects them.
    Files "files" View [PANES: "D"] hint 18 "files";
    /// The first view, the cycle.
    View1 "view-1" View [PANES: "1"];
    /// The second view.
    View2 "view-2" View [PANES: "2"];
    /// The third view.
    View3 "view-3" View [PANES: "3"];
    /// The fourth view.
    View4 "view-4" View [PANES: "4"];
    /// The fifth view.
    View5 "view-5" View [PANES: "5"];
    /// The sixth view.
    View6 "view-6" View [PANES: "6"];
    /// The seventh view.
    View7 "view-7" View [PANES: "7"];
    /// The eighth view.
    View8 "view-8" View [PANES: "8"];
    /// The ninth view.
    View9 "view-9" View [PANES: "9"];
    /// The board: what keeps the whole queue waiting.
    Board "board" View [PANES: "R"] hint 43 "reasons";
    /// Back to where you were before.
    Back "back" View [PANES: "backspace" "alt-left"] hint 42 "was here";
    /// Forward again after going back.
    Forward "forward" View [PANES: "alt-right"];
    /// Search all actions, views and objects, and do or open one.
    Palette "palette" View [COMMANDS: ":"] hint 23 "commands";
    /// The next theme.
    NextTheme "next-theme" View [COMMANDS: "T"];
    /// Show the keys that work here.
    Help "help" View [COMMANDS: "?"];
    /// Close what lies on top, or go back; never quits.
    Close "close" View [ALL: "esc", OVERLAY: "q"] hint 15 "close";

    /// Leave qscope.
    Quit "quit" Program [PANES: "q", ALL: "ctrl-c"] hint 56 "quit";
    /// Stop and give the shell the terminal; fg returns.
    Suspend "suspend" Program [ALL: "ctrl-z"];
    /// Draw the screen anew.
    Redraw "redraw" Program [ALL: "ctrl-l"];
}
