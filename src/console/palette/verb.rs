//! The verbs of the command line: one table of names and their objects.

/// Declares the verbs once: name, object, description.
macro_rules! verbs {
    ($($(#[doc = $doc:literal])+ $verb:ident $name:literal $takes:ident;)+) => {
        /// A verb of the command line.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Verb { $($(#[doc = $doc])+ $verb,)+ }

        impl Verb {
            /// Every verb, in the order of the list.
            pub(crate) const ALL: &[Self] = &[$(Self::$verb),+];

            /// Returns the verb as typed.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$verb => $name),+ }
            }

            /// Returns the description, in one line.
            pub(crate) fn doc(self) -> &'static str {
                match self { $(Self::$verb => concat!($($doc),+).trim_ascii()),+ }
            }

            /// Returns the kind of object it takes.
            pub(super) fn takes(self) -> VerbArgument {
                match self { $(Self::$verb => VerbArgument::$takes),+ }
            }
        }
    };
}

/// The kind of object after a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VerbArgument {
    Nothing,
    JobOrNode,
    Job,
    Node,
    Queue,
    /// A placement set, or a setting of the what-if.
    SetOrSetting,
    Bucket,
    Reservation,
    Column,
    /// Columns to show or hide, each with its sign.
    Columns,
    Grouping,
    Theme,
    ExportForm,
    /// A filter of the view; the view knows its fields and values.
    Filter,
    /// Any text: a step, a time.
    Text,
}

verbs! {
    /// Explain a job or a node
    Why "why" JobOrNode;
    /// Open the page of a job
    Job "job" Job;
    /// Open the page of a node
    Node "node" Node;
    /// Open a queue
    Queue "queue" Queue;
    /// Open a set, or change a setting: set NAME=VALUE
    Set "set" SetOrSetting;
    /// Save the what-if: save NAME; or open one by name
    WhatIf "whatif" Text;
    /// Open a bucket
    Bucket "bucket" Bucket;
    /// Open a reservation
    Resv "resv" Reservation;
    /// Sort by columns, -COLUMN for the largest first
    Sort "sort" Column;
    /// Show or hide columns: +switch -mem
    Columns "columns" Columns;
    /// Group by bucket, set, host, name or a resource
    Group "group" Grouping;
    /// Filter the rows; save NAME keeps the filter
    Filter "filter" Filter;
    /// Go to a job's step, a step number, a calendar time
    Go "go" Text;
    /// Go to a step by number, or next waiting
    Step "step" Text;
    /// Add a breakpoint, or list them
    Break "break" Text;
    /// Export: text, ansi, svg, csv, json, policy; a file
    Export "export" ExportForm;
    /// Copy the cycle as Markdown, or write it: report FILE
    Report "report" Text;
    /// Show an older snapshot or moment: at 02:03
    At "at" Text;
    /// Compare with an older snapshot by its time
    LeftSide "left" Text;
    /// Show the newest snapshot on the right side
    RightSide "right" Text;
    /// Change the theme: a name, or a file
    Theme "theme" Theme;
    /// List the keys that work here
    Keys "keys" Nothing;
    /// Show a manual page: help why; without one the keys
    Help "help" Text;
    /// List the scheduler's quirks in effect
    Quirks "quirks" Nothing;
}

impl Verb {
    /// Splits a line into the verb it begins with and the rest.
    pub(crate) fn parse(line: &str) -> Option<(Self, &str)> {
        let line = line.trim_start();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let verb = Self::ALL.iter().find(|verb| verb.name() == word)?;
        Some((*verb, rest.trim()))
    }

    /// Returns whether it needs more than the text typed after it so far.
    pub(super) fn needs_object(self, object: &str) -> bool {
        self.takes() == VerbArgument::ExportForm && object.is_empty()
    }

    /// Returns whether the text after it is taken as typed rather than chosen from a list.
    pub(super) fn takes_text(self) -> bool {
        use VerbArgument as T;
        matches!(self.takes(), T::Text | T::Filter | T::Column | T::Columns | T::ExportForm | T::Nothing)
    }
}
