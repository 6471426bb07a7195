//! The attempts for a job, in groups: sets skipped, sets and lists of nodes searched.

use qscope_engine::cluster::Name;
use qscope_engine::placement::ProbeEvent;
use qscope_engine::universe::Rejection;

/// One attempt.
#[derive(Clone, Debug)]
pub enum SearchAttempt<'a> {
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
    Try(NodeListSearch<'a>),
}

/// A search of one set or of all nodes.
#[derive(Clone, Debug, Default)]
pub struct NodeListSearch<'a> {
    /// The set; `None` for all nodes.
    pub set: Option<&'a Name>,
    /// The events of the search.
    pub events: Vec<&'a ProbeEvent>,
}

/// Groups events by attempt.
pub fn attempts(events: &[ProbeEvent]) -> Vec<SearchAttempt<'_>> {
    let mut attempts = Vec::new();
    for event in events {
        match event {
            ProbeEvent::SetTooSmall(name, rejection) => {
                attempts.push(SearchAttempt::TooSmall(name, rejection));
            }
            ProbeEvent::SetTried(name) => {
                attempts.push(SearchAttempt::Try(NodeListSearch { set: Some(name), events: Vec::new() }));
            }
            ProbeEvent::Spanning => attempts.push(SearchAttempt::Spanning),
            ProbeEvent::FellThrough => attempts.push(SearchAttempt::FellThrough),
            ProbeEvent::Eligible { candidates, refused } => {
                attempts.push(SearchAttempt::Eligible { candidates: *candidates, refused: *refused });
            }
            ProbeEvent::PathChosen(_) | ProbeEvent::ClassShortcut { .. } | ProbeEvent::QuickCheck { .. } => {}
            within => match attempts.last_mut() {
                Some(SearchAttempt::Try(tried)) => tried.events.push(within),
                _ => attempts.push(SearchAttempt::Try(NodeListSearch { set: None, events: vec![within] })),
            },
        }
    }
    attempts
}
