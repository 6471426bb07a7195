//! What the scheduler's comment on a job proves about settings that no file shows.

use qscope_engine::cluster::{Snapshot, SnapshotFact};

/// Texts, in lower case, that the scheduler writes only with a certain setting.
const TEXTS: [(&str, SnapshotFact); 15] = [
    ("would break strict sorted order", SnapshotFact::StrictOrdering),
    ("conflict with reservation or top job", SnapshotFact::StrictOrdering),
    ("primetime", SnapshotFact::TimeWindows),
    ("dedicated time", SnapshotFact::TimeWindows),
    ("placement set", SnapshotFact::PlacementSets),
    ("threshold value", SnapshotFact::Formula),
    ("zero shares", SnapshotFact::FairShare),
    ("queue not started", SnapshotFact::QueueAttributes),
    ("amount of queue resource", SnapshotFact::QueueLimits),
    ("amount of server resource", SnapshotFact::ServerLimits),
    ("amount of resource: ", SnapshotFact::CheckedResources),
    ("subjobs limit", SnapshotFact::QueueLimits),
    ("limit on resource", SnapshotFact::ServerLimits),
    ("limit reached", SnapshotFact::ServerLimits),
    ("limit", SnapshotFact::ServerLimits),
];

/// Returns the reason in a comment of the scheduler, without the verdict before it; `None` for comments by others.
pub fn given_reason(comment: &str) -> Option<&str> {
    ["Not Running: ", "Can Never Run: "].iter().find_map(|verdict| comment.strip_prefix(verdict))
}

/// Returns the fact that a scheduler comment is evidence of although it was not seen; `None` if every fact that could
/// have produced the comment was seen.
pub fn evidence(snap: &Snapshot, comment: &str) -> Option<SnapshotFact> {
    let rest = given_reason(comment.trim())?.to_ascii_lowercase();
    let fact = TEXTS.iter().find(|(words, _)| rest.contains(words)).map(|(_, fact)| *fact)?;
    let of_queue = fact == SnapshotFact::ServerLimits && rest.contains("queue");
    let fact = if of_queue { SnapshotFact::QueueLimits } else { fact };
    (!snap.origins.of(fact).is_seen()).then_some(fact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::{AssumptionReason, Epoch, Origin};

    #[test]
    fn a_comment_is_evidence_of_what_was_not_seen() {
        let mut snap = Snapshot::empty("t", Epoch(0));
        let comments = [
            ("Not Running: Queue q job limit has been reached.", SnapshotFact::QueueLimits),
            ("Not Running: Server per-user limit reached on resource ncpus", SnapshotFact::ServerLimits),
            (
                "Not Running: would exceed overall limit on resource mem in complex",
                SnapshotFact::ServerLimits,
            ),
            ("Not Running: would exceed overall limit on resource mem in queue q", SnapshotFact::QueueLimits),
            ("Not Running: User has reached server running job limit.", SnapshotFact::ServerLimits),
            ("Not Running: Job would break strict sorted order", SnapshotFact::StrictOrdering),
            ("Not Running: Job will run in nonprimetime only", SnapshotFact::TimeWindows),
            ("Not Running: Job would cross dedicated time boundary", SnapshotFact::TimeWindows),
            ("Not Running: Placement set sw=1 has too few free resources", SnapshotFact::PlacementSets),
            ("Not Running: Job is under job_sort_formula threshold value", SnapshotFact::Formula),
            ("Not Running: Job has zero shares for fairshare", SnapshotFact::FairShare),
            ("Not Running: Queue not started.", SnapshotFact::QueueAttributes),
            (
                "Not Running: Insufficient amount of queue resource: lic (R: 1 A: 0 T: 0)",
                SnapshotFact::QueueLimits,
            ),
        ];
        for (comment, fact) in comments {
            assert_eq!(evidence(&snap, comment), None, "{comment}");
            snap.origins.set(fact, Origin::Assumed(AssumptionReason::Other("not there".into())));
            assert_eq!(evidence(&snap, comment), Some(fact), "{comment}");
            snap.origins.set(fact, Origin::Seen);
        }
        assert_eq!(evidence(&snap, "held by root"), None);
    }
}
