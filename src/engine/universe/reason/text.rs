//! The text of a reason as it appears in job comments (rule 7).

use crate::cluster::{Catalogue, LimitScope};

use crate::universe::reason::{LimitHit, Reason, Rejection, Shortage, ShortageDetail};

impl Reason {
    /// Returns the text that follows the prefix of the comment.
    pub fn text(&self, catalogue: &Catalogue) -> String {
        match self {
            Self::Limit(hit) => hit.text(),
            Self::QueueResource(s) => format!("Insufficient amount of queue resource: {}", s.text(catalogue)),
            Self::ServerResource(s) => {
                format!("Insufficient amount of server resource: {}", s.text(catalogue))
            }
            Self::Resource(s) => format!("Insufficient amount of resource: {}", s.text(catalogue)),
            Self::SetTooSmall(set) => format!("Placement set {set} has too few free resources"),
            Self::NodeState(word) => format!("Node is in an ineligible state: {word}"),
            Self::EoeMissing(eoe) => format!("Cannot provision, requested EOE {eoe} not available on vnode"),
            Self::Invalid(text) => text.to_string(),
            Self::CrossPrime { into_prime: true } => "Job will cross into primetime".to_owned(),
            Self::CrossPrime { into_prime: false } => "Job will cross into non-primetime".to_owned(),
            plain => plain.plain_text().to_owned(),
        }
    }

    /// Returns the texts that contain no names or numbers.
    fn plain_text(&self) -> &'static str {
        match self {
            Self::QueueNotStarted => "Queue not started.",
            Self::SubjobLimit => "Number of concurrent running subjobs limit reached",
            Self::DedicatedTime => "Dedicated time conflict",
            Self::CrossDedicated => "Job would cross dedicated time boundary",
            Self::PrimeOnly => "Job will run in primetime only",
            Self::NonPrimeOnly => "Job will run in nonprimetime only",
            Self::UnderThreshold => "Job is under job_sort_formula threshold value",
            Self::NoShares => "Job has zero shares for fairshare",
            Self::StrictOrdering => "Job would break strict sorted order",
            Self::NoFreeNodes => "Not enough free nodes available",
            Self::NoTotalNodes => "Not enough total nodes available",
            Self::NoNodeResources => "No available resources on nodes",
            Self::PreemptionInVain => "Internal Scheduling Error",
            Self::CantSpan => "can't fit in the largest placement set, and can't span psets",
            Self::Conflict => "Job would conflict with reservation or top job",
            Self::NodeNotExclusive => "Job is requesting an exclusive node and node is in use",
            Self::NodeJobLimit => "Node has reached job run limit",
            Self::NodeUserLimit => "Node has reached user run limit",
            Self::NodeGroupLimit => "Node has reached group run limit",
            Self::NoMultinode => "Node can't satisfy a multi-node job",
            Self::Unlicensed => "Node has no PBS license",
            Self::ReservationsDisabled => "Node not eligible for advance reservation",
            Self::ProvisioningOff => "Cannot provision, provisioning disabled on server",
            Self::TooManySubjobs => "qscope starts at most 25000 subjobs in one cycle; the rest waits",
            Self::TooManyChunks => "qscope places at most 131072 groups of equal chunks; the job has more",
            Self::ProvisioningDisabled => "Cannot provision, provisioning disabled on vnode",
            _ => "",
        }
    }
}

/// Maximum length of a comment in bytes: the scheduler's buffer has 1024, of which the last is the terminator (rule
/// 0).
const LONGEST: usize = 1023;

impl Rejection {
    /// Returns the comment that the scheduler writes, cut to its maximum length.
    pub fn comment(&self, catalogue: &Catalogue) -> String {
        let mut text = self.full_comment(catalogue);
        let end = (0..=LONGEST.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or_default());
        text
    }

    /// Returns the comment at full length.
    pub fn full_comment(&self, catalogue: &Catalogue) -> String {
        let prefix = if self.is_permanent { "Can Never Run: " } else { "Not Running: " };
        format!("{prefix}{}", self.reason.text(catalogue))
    }
}

impl Shortage {
    fn text(&self, catalogue: &Catalogue) -> String {
        let name = catalogue.name(self.resource);
        let kind = catalogue.kind(self.resource);
        match &self.detail {
            ShortageDetail::Erased => format!("{name} "),
            ShortageDetail::Amounts { requested, available, total } => {
                // An unset total is written as a bare 0, whatever the kind (case `mem_missing`).
                let t = if total.0.is_nan() { "0".to_owned() } else { total.show(kind) };
                let (r, a) = (requested.show(kind), available.show(kind));
                format!("{name} (R: {r} A: {a} T: {t})")
            }
            ShortageDetail::Differs { requested, found } => format!("{name} ({requested} != {found})"),
        }
    }
}

impl LimitHit {
    /// Returns the comment text of a limit (rule 6.6, table).
    fn text(&self) -> String {
        match (&self.resource, &self.entity) {
            (None, None) => self.generic_run_text(),
            (None, Some(entity)) => {
                let place = self.queue.as_ref().map_or("Server".to_owned(), |queue| format!("Queue {queue}"));
                format!("{place} job limit reached for {} {entity}", self.scope_word())
            }
            (Some(resource), _) => self.resource_text(resource),
        }
    }

    fn scope_word(&self) -> &'static str {
        self.scope.into()
    }

    fn generic_run_text(&self) -> String {
        match (&self.queue, self.scope) {
            (None, LimitScope::Overall) => "Server job limit has been reached.".to_owned(),
            (None, LimitScope::User) => "User has reached server running job limit.".to_owned(),
            (None, LimitScope::Group) => "Group has reached server running limit.".to_owned(),
            (None, LimitScope::Project) => "Project has reached server running limit.".to_owned(),
            (Some(q), LimitScope::Overall) => format!("Queue {q} job limit has been reached."),
            (Some(q), LimitScope::User) => format!("User has reached queue {q} running job limit."),
            (Some(q), LimitScope::Group) => format!("Group has reached queue {q} running limit."),
            (Some(q), LimitScope::Project) => format!("Project has reached queue {q}'s running limit."),
        }
    }

    fn resource_text(&self, resource: &str) -> String {
        let complex = self.queue.as_ref().map_or("complex".to_owned(), |queue| format!("queue {queue}"));
        let place = self.queue.as_ref().map_or("Server".to_owned(), |queue| format!("Queue {queue}"));
        let word = self.scope_word();
        match (&self.entity, self.scope) {
            (_, LimitScope::Overall) => {
                format!("would exceed overall limit on resource {resource} in {complex}")
            }
            (Some(entity), _) => {
                format!("would exceed {word} {entity}'s limit on resource {resource} in {complex}")
            }
            (None, _) => format!("{place} per-{word} limit reached on resource {resource}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Amount, Name, ResourceId};

    fn text(reason: &Reason) -> String {
        reason.text(&Catalogue::default())
    }

    #[test]
    fn shortages_are_written_as_in_comments() {
        let s = Shortage::amounts(ResourceId::ncpus(), Amount(18.0), Amount(16.0), Amount(16.0));
        let r = Reason::Resource(s);
        assert_eq!(
            r.clone().never().comment(&Catalogue::default()),
            "Can Never Run: Insufficient amount of resource: ncpus (R: 18 A: 16 T: 16)"
        );
        assert_eq!(text(&r.erased()), "Insufficient amount of resource: ncpus ");
        let d = Shortage::differs(ResourceId::host(), "foo", "n1,n2");
        assert_eq!(text(&Reason::Resource(d)), "Insufficient amount of resource: host (foo != n1,n2)");
    }

    /// Rule 0: a comment has at most 1023 bytes and is cut at a character boundary.
    #[test]
    fn long_comments_are_cut() {
        let names: Vec<String> = (0..400).map(|n| format!("nö{n:03}")).collect();
        let long = Reason::Resource(Shortage::differs(ResourceId::host(), "foo", &names.join(","))).never();
        let catalogue = Catalogue::default();
        let (cut, whole) = (long.comment(&catalogue), long.full_comment(&catalogue));
        assert!(whole.starts_with(&cut) && whole.len() > 2400);
        assert!((1022..=1023).contains(&cut.len()), "{}", cut.len());
    }

    #[test]
    fn limits_name_whose_and_where() {
        let hit = |scope, entity: Option<&str>, resource: Option<&str>, queue: Option<&str>| {
            let [entity, resource, queue] = [entity, resource, queue].map(|x| x.map(Name::from));
            text(&Reason::Limit(Box::new(LimitHit { scope, entity, resource, queue })))
        };
        use LimitScope::{Overall, Project, User};
        assert_eq!(hit(User, None, None, None), "User has reached server running job limit.");
        assert_eq!(hit(Project, None, None, Some("q")), "Project has reached queue q's running limit.");
        assert_eq!(hit(User, Some("bob"), None, Some("q")), "Queue q job limit reached for user bob");
        assert_eq!(
            hit(User, None, Some("ncpus"), Some("q")),
            "Queue q per-user limit reached on resource ncpus"
        );
        assert_eq!(
            hit(Overall, None, Some("mem"), None),
            "would exceed overall limit on resource mem in complex"
        );
        assert_eq!(
            hit(User, Some("bob"), Some("mem"), None),
            "would exceed user bob's limit on resource mem in complex"
        );
    }
}
