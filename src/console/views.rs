//! The views, and the one list that names them.
//!
//! # Adding a view
//!
//! 1. Write `views/NAME.rs` (and a folder of the same name when it grows): a struct for its state that implements
//!    [`View`](super::view::View). Model: [`buckets`], a table over the state at the position.
//!    `look` makes what drawing needs, `act` changes the state and answers with a
//!    [`Reply`](super::view::Reply), `render` only reads.
//! 2. Give it one line in the list below. Its place there is its number key.
//! 3. Keys of its own: entries in [`super::action`]'s table whose contexts are
//!    `Contexts::view(ViewName::Name)`; everything else (`j k g G / y Enter ?` …) comes to `act` as it is.
//!
//! What takes long (a forecast, a what-if, a farm) goes to a worker: keep a [`Ticket`](super::task::Ticket), answer
//! with [`Wish::Ask`](super::view::Wish::Ask), and take the answer in `hear`.
//!
//! Views only read; whatever costs time is made in `look` and `act`.

pub mod agreement;
pub mod buckets;
pub mod cycle;
pub mod packing;

use super::view::View;

/// Declares the views in the order of their number keys.
macro_rules! views {
    ($($(#[doc = $doc:literal])+ $name:ident $word:literal $title:literal $make:expr;)+) => {
        /// A view by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ViewName { $($(#[doc = $doc])+ $name,)+ }

        impl ViewName {
            /// Every view, in the order of the number keys.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// Its word in the palette.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word),+ }
            }

            /// Its title in the line of tabs.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title),+ }
            }

            /// What it shows, in one line.
            #[must_use]
            pub fn purpose(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_ascii()),+ }
            }

            /// A view of this name that has seen nothing yet; none for the cycle, which is the shell's own.
            #[must_use]
            pub fn make(self) -> Option<Box<dyn View>> {
                let make: Option<fn() -> Box<dyn View>> = match self { $(Self::$name => $make),+ };
                make.map(|make| make())
            }
        }
    };
}

views! {
    /// The cycle, job by job: the queue, the decision, the nodes.
    Cycle "cycle" "Cycle" None;
    /// Node buckets: what each holds, and how much of it is free.
    Buckets "buckets" "Buckets" Some(|| Box::<buckets::Buckets>::default());
    /// Packing policies: what it costs to concentrate jobs on few nodes.
    Packing "packing" "Packing" Some(|| Box::<packing::Packing>::default());
    /// What the live scheduler said and did, against what the model says.
    Agreement "agreement" "Agreement" Some(|| Box::<agreement::Agreement>::default());
}

impl ViewName {
    /// The view with that number key, from 1.
    #[must_use]
    pub fn numbered(number: usize) -> Option<Self> {
        Self::ALL.get(number.checked_sub(1)?).copied()
    }

    /// Its number key, for the first nine.
    #[must_use]
    pub fn number(self) -> Option<usize> {
        let at = Self::ALL.iter().position(|view| *view == self)?;
        (at < 9).then_some(at + 1)
    }
}
