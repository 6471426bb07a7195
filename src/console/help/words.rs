//! The meaning of the words and letters in a view.

use crate::action::Context;
use crate::views::ViewName;

/// Returns the words of a view with their meanings.
pub(super) fn of(context: Context) -> &'static [(&'static str, &'static str)] {
    match context {
        Context::View(ViewName::Packing) => &PACKING,
        Context::Detail => &CYCLE,
        Context::List | Context::Map => {
            let [without_buckets @ .., _] = &CYCLE;
            without_buckets
        }
        Context::View(ViewName::Jobs | ViewName::Nodes) => {
            let [without_marks @ .., _, _] = &CYCLE;
            without_marks
        }
        Context::View(ViewName::Pools) => &POOLS,
        _ => &[],
    }
}

/// First the words of views that show verdicts and nodes (console.md 6 and 7.1), then the queue's marks, last the words
/// of a decision down to its buckets. [`of`] cuts off the end where it does not apply.
const CYCLE: [(&str, &str); 15] = [
    (
        "verdict",
        "run: starts in this cycle. wait: not in this cycle. never: cannot start as configured. skip: not considered.",
    ),
    ("run? never?", "Could turn with a fact that no file shows; a lists them."),
    (
        "start",
        "now, the planned time of a top job, or ~ by a forecast. unknown: behind a job without walltime. —: none found.",
    ),
    ("bucket path", "Whole nodes from sets of nodes that are alike."),
    ("node path", "Nodes examined one by one."),
    ("free", "A vnode in state free without a job on it."),
    ("part", "State free, jobs on it, some of every amount left."),
    ("full", "Nothing to give: busy, exclusive, no cpus, or used up."),
    ("out", "Offline, down, unknown, or kept by a job that is not in the job dump."),
    ("c-h", "Core-hours: the cpus for the walltime, or 1h00 without."),
    ("rule", "What stopped a job, or chose the path of one that starts: :help rules lists the ids."),
    ("top job", "Its start is planned, and nodes are kept for it."),
    ("refused", "The server refuses the start: a node was given twice."),
    ("Δ + −", "Changed, new, left since the snapshot last shown."),
    (
        "left, soon",
        "Nodes of a bucket: those left by chunks before; those passed over, as something starts there too soon.",
    ),
];

/// The view of placement sets.
const POOLS: [(&str, &str); 6] = [
    ("nodes", "Free or part, as the scheduler counts them, of all."),
    ("job", "What each set had for the selected job at its turn."),
    ("enough", "Enough in sum, and not on single nodes as requested."),
    ("not needed", "The job had its nodes before it came to the set."),
    (
        "no key",
        "Its place without node_group_sort_key, and how far the key moves it; new: only with the key.",
    ),
    ("sums", "A queue's pool without a key of its own keeps those that it had when the cycle began."),
];

/// The packing view (packing rule 3).
const PACKING: [(&str, &str); 11] = [
    (
        "R E T",
        "Relaxed: prefers nodes where its own kind runs. Exclusive: keeps others out of them, too. T: for the slider's time after its latest start there. none: spreads its jobs.",
    ),
    ("B", "Before: what really ran, by the placement in the logs."),
    ("FF", "Fill factor: slots in use, by all slots."),
    (
        "PI",
        "Packing index: nodes that would do, by nodes used. With jobs of several slots a bound: by slots, not by packing.",
    ),
    ("dispersion", "Nodes used beyond those that would do."),
    ("mixed", "Nodes of the class with jobs of others on them."),
    ("at risk", "Those jobs of others: a hanging node takes them along."),
    (
        "costs",
        "Mean slots in use under relaxed, less those under the other, over the window. What is put off is done later: it depends on the window, and can be below zero.",
    ),
    ("held", "Nodes closed to others, and their free slots."),
    ("wait h", "Hours in the queue, summed over jobs."),
    ("slot h", "Hours on slots, summed: the CPU time that was given."),
];

#[cfg(test)]
mod tests {
    use super::{CYCLE, PACKING, POOLS};

    #[test]
    fn every_word_fits_before_its_text() {
        for (word, doc) in PACKING.iter().chain(&CYCLE).chain(&POOLS) {
            assert!((1..=12).contains(&word.len()), "{word}: {doc}");
        }
    }
}
