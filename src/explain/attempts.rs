//! The attempts for a job, in groups: sets skipped, sets and lists of nodes searched.

use qscope_engine::cluster::Name;
use qscope_engine::placement::Event;
use qscope_engine::universe::Rejection;

/// One attempt.
#[derive(Clone, Debug)]
pub enum Attempt<'a> {
    /// A set was skipped because of its sums.
    TooSmall(&'a Name, &'a Rejection),
    /// All nodes are tried, because no set could ever hold the job.
    Spanning,
    /// All nodes are tried because of a quirk.
    FellThrough,
    /// Number of nodes that the node path may examine.
    Eligible {
        /// Nodes that it may examine.
        candidates: usize,
        /// Nodes that it may not examine.
        refused: usize,
    },
    /// A list of nodes was searched.
    Try(Try<'a>),
}

/// A search of one set or of all nodes.
#[derive(Clone, Debug, Default)]
pub struct Try<'a> {
    /// The set; `None` for all nodes.
    pub set: Option<&'a Name>,
    /// The events of the search.
    pub events: Vec<&'a Event>,
}

/// Groups events by attempt.
pub fn attempts(events: &[Event]) -> Vec<Attempt<'_>> {
    let mut attempts = Vec::new();
    for event in events {
        match event {
            Event::SetTooSmall(name, rejection) => attempts.push(Attempt::TooSmall(name, rejection)),
            Event::SetTried(name) => {
                attempts.push(Attempt::Try(Try { set: Some(name), events: Vec::new() }));
            }
            Event::Spanning => attempts.push(Attempt::Spanning),
            Event::FellThrough => attempts.push(Attempt::FellThrough),
            Event::Eligible { candidates, refused } => {
                attempts.push(Attempt::Eligible { candidates: *candidates, refused: *refused });
            }
            Event::PathChosen(_) | Event::ClassShortcut { .. } | Event::QuickCheck { .. } => {}
            within => match attempts.last_mut() {
                Some(Attempt::Try(tried)) => tried.events.push(within),
                _ => attempts.push(Attempt::Try(Try { set: None, events: vec![within] })),
            },
        }
    }
    attempts
}
