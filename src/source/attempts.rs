//! The attempts of one job in an accounting log: when it ran, and when it only tried to (sites 6.3).

/// What a record states about a job's life, in the order of the log. Times are epoch seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    Starts(i64),
    /// E: it ran from one moment to another; a start of 0 is none.
    Ends {
        /// The start that the record repeats.
        start: i64,
        /// The end.
        end: i64,
    },
    /// R or C: an attempt is over, and the job goes back to its queue.
    GoesBack(i64),
    /// D, A or M: it leaves without having run, unless a run follows.
    Leaves(i64),
}

/// What became of a job.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Attempts {
    /// Runs, each from its start up to its end, which is not within it.
    pub runs: Vec<(i64, i64)>,
    /// Starts that were repeated without an end between: they occupied nothing.
    pub failed_starts: usize,
    /// When it left without having run since.
    pub withdrawn: Option<i64>,
    /// A start that has no end: it may still run.
    pub open: Option<i64>,
}

impl Attempts {
    /// Goes through the events of one job.
    pub fn of(events: impl IntoIterator<Item = Event>) -> Self {
        let mut all = Self::default();
        for event in events {
            match event {
                Event::Starts(at) => {
                    all.failed_starts += usize::from(all.open.is_some());
                    (all.open, all.withdrawn) = (Some(at), None);
                }
                Event::Ends { start, end } if start <= 0 => {
                    // Deleted before it ran.
                    all.withdrawn = Some(end);
                }
                Event::Ends { start, end } => {
                    // The end repeats the start that counts; an earlier one failed.
                    all.failed_starts += usize::from(all.open.is_some_and(|open| open != start));
                    all.runs.push((start, end.max(start)));
                    (all.open, all.withdrawn) = (None, None);
                }
                Event::GoesBack(at) => {
                    if let Some(start) = all.open.take() {
                        all.runs.push((start, at.max(start)));
                    }
                }
                Event::Leaves(at) => {
                    if all.open.is_none() {
                        all.withdrawn.get_or_insert(at);
                    }
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Event::{Ends, GoesBack, Leaves, Starts};

    #[test]
    fn starts_that_fail_and_runs_that_go_back() {
        let all = Attempts::of([Starts(100), Starts(160), Starts(220), Ends { start: 220, end: 500 }]);
        assert_eq!((all.runs, all.failed_starts), (vec![(220, 500)], 2));
        let all = Attempts::of([Starts(100), GoesBack(150), Starts(300), Ends { start: 300, end: 900 }]);
        assert_eq!((all.runs, all.failed_starts), (vec![(100, 150), (300, 900)], 0));
        let all = Attempts::of([Ends { start: 0, end: 50 }]);
        assert_eq!((all.runs.len(), all.withdrawn), (0, Some(50)));
    }

    #[test]
    fn what_begins_before_the_log_and_what_ends_behind_it() {
        assert_eq!(Attempts::of([Ends { start: 10, end: 50 }]).runs, [(10, 50)]);
        assert_eq!(Attempts::of([Starts(10)]).open, Some(10));
        let all = Attempts::of([Leaves(5), Leaves(6)]);
        assert_eq!(all.withdrawn, Some(5));
        // Deleted while it ran: its end shows.
        let all = Attempts::of([Starts(10), Leaves(20), Ends { start: 10, end: 22 }]);
        assert_eq!((all.runs, all.withdrawn), (vec![(10, 22)], None));
    }

    proptest::proptest! {
        #[test]
        fn no_run_ends_before_it_starts(events in proptest::collection::vec((0_u8..4, -5_i64..100, -5_i64..100), 0..20)) {
            let events = events.into_iter().map(|(kind, one, other)| match kind {
                0 => Starts(one),
                1 => Ends { start: one, end: other },
                2 => GoesBack(one),
                _ => Leaves(one),
            });
            proptest::prop_assert!(Attempts::of(events).runs.iter().all(|(from, to)| from <= to));
        }
    }
}
