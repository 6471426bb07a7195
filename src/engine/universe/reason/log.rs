//! The scheduler's log text of a reason where it differs from the job comment (rule 7, second column).

use crate::cluster::{Catalogue, LimitScope, Name};

use crate::universe::reason::Reason;

impl Reason {
    /// Returns the line that the scheduler logs for a job that does not run for this reason.
    pub fn log_text(&self, catalogue: &Catalogue) -> String {
        let plain = match self {
            Self::Limit(hit) if hit.resource.is_none() && hit.entity.is_none() => {
                return run_limit(hit.scope, hit.queue.as_ref());
            }
            Self::SetTooSmall(set) => {
                return format!("Placement set {set} has too few free resources or is too small");
            }
            Self::QueueNotStarted => "Queue not started",
            Self::PreemptionInVain => "A scheduling error has occurred",
            Self::DedicatedTime => "Dedicated Time",
            Self::CrossDedicated => "Job would not finish before dedicated time",
            Self::PrimeOnly => "Job only runs in primetime",
            Self::NonPrimeOnly => "Job only runs in nonprimetime",
            Self::CrossPrime { into_prime: true } => "Job would cross into primetime",
            Self::CrossPrime { into_prime: false } => "Job would cross into non-primetime",
            Self::CantSpan => "Can't fit in the largest placement set, and can't span placement sets",
            same => return same.text(catalogue),
        };
        plain.to_owned()
    }
}

/// Returns the text for a limit on the number of running jobs that names no entity.
fn run_limit(scope: LimitScope, queue: Option<&Name>) -> String {
    let place = queue.map_or("Server".to_owned(), |queue| format!("Queue {queue}"));
    let kind = match (scope, queue) {
        (LimitScope::Overall, _) => "job limit",
        (LimitScope::User, _) => "per-user job limit",
        (LimitScope::Group, Some(_)) => "per-group job limit",
        (LimitScope::Group, None) => "per-group limit",
        (LimitScope::Project, Some(_)) => "per-project job limit",
        (LimitScope::Project, None) => "per-project limit",
    };
    format!("{place} {kind} reached")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::universe::reason::LimitHit;

    /// Rule 7: some reasons have a different text in the log.
    #[test]
    fn the_log_has_words_of_its_own() {
        let text = |reason: &Reason| reason.log_text(&Catalogue::default());
        let hit = |scope, queue: Option<&str>| {
            Reason::Limit(Box::new(LimitHit {
                scope,
                entity: None,
                resource: None,
                queue: queue.map(Name::from),
            }))
        };
        assert_eq!(text(&hit(LimitScope::User, None)), "Server per-user job limit reached");
        assert_eq!(text(&hit(LimitScope::Overall, None)), "Server job limit reached");
        assert_eq!(text(&hit(LimitScope::Group, Some("q"))), "Queue q per-group job limit reached");
        assert_eq!(text(&hit(LimitScope::Project, None)), "Server per-project limit reached");
        assert_eq!(text(&Reason::DedicatedTime), "Dedicated Time");
        assert_eq!(text(&Reason::PreemptionInVain), "A scheduling error has occurred");
        assert_eq!(text(&Reason::NoFreeNodes), "Not enough free nodes available");
        assert_eq!(
            text(&Reason::SetTooSmall("k=v".into())),
            "Placement set k=v has too few free resources or is too small"
        );
    }
}
