//! The first waiting job, which is explained when why is asked about the server or a queue.

use std::collections::BTreeMap;

use qscope_engine::cluster::Name;
use qscope_engine::cycle::{Run, Verdict};

/// The first waiting job in the order considered: of the server, and of each queue that has one.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct FirstWaiting {
    pub(crate) of_all: Option<String>,
    pub(crate) by_queue: BTreeMap<Name, String>,
}

impl FirstWaiting {
    pub(super) fn of(run: &Run) -> Self {
        let snap = &run.plan.snap;
        let mut first = Self::default();
        for outcome in run.outcomes().filter(|outcome| run.verdict(outcome) != Verdict::Run) {
            let queue = &snap.jobs[outcome.job].queue;
            if !first.by_queue.contains_key(queue) {
                let name = outcome.name(snap);
                first.of_all.get_or_insert_with(|| name.clone());
                first.by_queue.insert(queue.clone(), name);
            }
        }
        first
    }
}
