//! What the scheduler's comment on a job proves about settings that no file shows.

use qscope_engine::cluster::{Fact, Snapshot};

/// Texts, in lower case, that the scheduler writes only with a certain setting.
const TEXTS: [(&str, Fact); 15] = [
    ("would break strict sorted order", Fact::StrictOrdering),
    ("conflict with reservation or top job", Fact::StrictOrdering),
    ("primetime", Fact::TimeWindows),
    ("dedicated time", Fact::TimeWindows),
    ("placement set", Fact::PlacementSets),
    ("threshold value", Fact::Formula),
    ("zero shares", Fact::FairShare),
    ("queue not started", Fact::QueueAttributes),
    ("amount of queue resource", Fact::QueueLimits),
    ("amount of server resource", Fact::ServerLimits),
    ("amount of resource: ", Fact::CheckedResources),
    ("subjobs limit", Fact::QueueLimits),
    ("limit on resource", Fact::ServerLimits),
    ("limit reached", Fact::ServerLimits),
    ("limit", Fact::ServerLimits),
];

/// Returns the reason in a comment of the scheduler, without the verdict before it; `None` for comments by others.
pub fn given_reason(comment: &str) -> Option<&str> {
    ["Not Running: ", "Can Never Run: "].iter().find_map(|verdict| comment.strip_prefix(verdict))
}

/// Returns the fact that a scheduler comment is evidence of although it was not seen; `None` if every fact that could
/// have produced the comment was seen.
pub fn evidence(snap: &Snapshot, comment: &str) -> Option<Fact> {
    let rest = given_reason(comment.trim())?.to_ascii_lowercase();
    let fact = TEXTS.iter().find(|(words, _)| rest.contains(words)).map(|(_, fact)| *fact)?;
    let of_queue = fact == Fact::ServerLimits && rest.contains("queue");
    let fact = if of_queue { Fact::QueueLimits } else { fact };
    (!snap.origins.of(fact).is_seen()).then_some(fact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::{Epoch, Grounds, Origin};

    #[test]
    fn a_comment_is_evidence_of_what_was_not_seen() {
        let mut snap = Snapshot::empty("t", Epoch(0));
        let comments = [
            ("Not Running: Queue q job limit has been reached.", Fact::QueueLimits),
            ("Not Running: Server per-user limit reached on resource ncpus", Fact::ServerLimits),
            ("Not Running: would exceed overall limit on resource mem in complex", Fact::ServerLimits),
            ("Not Running: would exceed overall limit on resource mem in queue q", Fact::QueueLimits),
            ("Not Running: User has reached server running job limit.", Fact::ServerLimits),
            ("Not Running: Job would break strict sorted order", Fact::StrictOrdering),
            ("Not Running: Job will run in nonprimetime only", Fact::TimeWindows),
            ("Not Running: Job would cross dedicated time boundary", Fact::TimeWindows),
            ("Not Running: Placement set sw=1 has too few free resources", Fact::PlacementSets),
            ("Not Running: Job is under job_sort_formula threshold value", Fact::Formula),
            ("Not Running: Job has zero shares for fairshare", Fact::FairShare),
            ("Not Running: Queue not started.", Fact::QueueAttributes),
            ("Not Running: Insufficient amount of queue resource: lic (R: 1 A: 0 T: 0)", Fact::QueueLimits),
        ];
        for (comment, fact) in comments {
            assert_eq!(evidence(&snap, comment), None, "{comment}");
            snap.origins.set(fact, Origin::Assumed(Grounds::Other("not there".into())));
            assert_eq!(evidence(&snap, comment), Some(fact), "{comment}");
            snap.origins.set(fact, Origin::Seen);
        }
        assert_eq!(evidence(&snap, "held by root"), None);
    }
}
