//! Origins of the facts of a cluster: read from a file, inferred from other data, or assumed.

use std::collections::{BTreeMap, BTreeSet};

use super::Name;

/// A kind of fact on which verdicts depend and that may be missing from the files.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum SnapshotFact {
    /// Resources that the scheduler checks (`resources` of `sched_config`).
    CheckedResources,
    /// Order of jobs: sort keys, `by_queue`, `round_robin`.
    JobOrder,
    /// Order of nodes: `node_sort_key`, `smp_cluster_dist`.
    NodeOrder,
    /// `strict_ordering` and top jobs.
    StrictOrdering,
    /// Whether fair share is used, and the shares.
    FairShare,
    /// Prime time and dedicated time.
    TimeWindows,
    /// Whether and how jobs are preempted.
    Preemption,
    /// Resources whose amounts a program of the site reports.
    DynamicResources,
    /// Limits of the server on jobs and resources.
    ServerLimits,
    /// Default resources of chunks.
    DefaultChunk,
    /// Formula of job priority, and its threshold.
    Formula,
    /// Resources that define placement sets, and whether jobs may span sets.
    PlacementSets,
    QueueLimits,
    /// Whether queues are started, and their kind and priority.
    QueueAttributes,
    /// Which scheduler serves which partition.
    Partitions,
    /// Types and flags of the site's resources.
    ResourceDefinitions,
    /// Requests of jobs whose records have no `Resource_List`.
    JobRequest,
    /// Whether all vnodes were read.
    AllNodes,
    /// Whether all jobs were read.
    AllJobs,
    /// Whether the amounts of nodes are from the same time as the jobs.
    OneMoment,
    /// Behaviour of the scheduler for which the model has no certain rule; not a matter of files.
    Model,
}

impl SnapshotFact {
    /// All kinds of facts.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns the word used in output for programs.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Returns the words for display: the word for programs, or a longer text if that is unclear.
    pub fn words(self) -> String {
        match self {
            Self::TimeWindows => "prime and dedicated time".to_owned(),
            Self::Formula => "job sort formula".to_owned(),
            Self::Model => "rule of the model".to_owned(),
            Self::OneMoment => "one moment of nodes and jobs".to_owned(),
            _ => self.word().replace('_', " "),
        }
    }

    /// Returns the name of the file that contains the fact, and the command that prints it.
    pub fn source(self) -> &'static str {
        match self {
            Self::CheckedResources
            | Self::JobOrder
            | Self::NodeOrder
            | Self::StrictOrdering
            | Self::FairShare
            | Self::TimeWindows
            | Self::Preemption
            | Self::DynamicResources => "sched_config",
            Self::ServerLimits | Self::DefaultChunk | Self::Formula | Self::PlacementSets => {
                "server.txt (qstat -B -f)"
            }
            Self::QueueLimits | Self::QueueAttributes => "queues.txt (qstat -Q -f)",
            Self::Partitions => "sched.txt (qmgr -c \"list sched\")",
            Self::ResourceDefinitions => "resources.txt (qmgr -c \"list resource\")",
            Self::AllNodes => "nodes.json (pbsnodes -a -v -F json)",
            Self::OneMoment => "nodes.json and jobs.json of one moment",
            Self::AllJobs | Self::JobRequest => "jobs.json (qstat -f -F json)",
            Self::Model => "no file",
        }
    }
}

/// Origin of a fact.
#[derive(Clone, PartialEq, Eq, Debug, Default, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Origin {
    /// Read from a file.
    #[default]
    Seen,
    /// Inferred; names what from.
    Inferred(Name),
    /// A default; gives the reason.
    Assumed(AssumptionReason),
}

/// Why a fact is assumed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AssumptionReason {
    /// Missing inputs, one clause each: `no sched_config`.
    Lacking(Vec<Name>),
    /// Another reason, in words.
    Other(Name),
}

impl AssumptionReason {
    /// Returns the reason in words: `no sched_config, no server dump`.
    pub fn words(&self) -> String {
        match self {
            Self::Lacking(files) => files.join(", "),
            Self::Other(words) => words.to_string(),
        }
    }
}

impl Origin {
    /// Returns the word used in output for programs.
    pub fn word(&self) -> &'static str {
        self.into()
    }

    /// Whether the fact was read from a file.
    pub fn is_seen(&self) -> bool {
        *self == Self::Seen
    }

    /// Returns the words to show after a fact: `assumed (no sched_config)`; empty for a fact that was read.
    pub fn words(&self) -> String {
        match self {
            Self::Seen => String::new(),
            Self::Inferred(from) => format!("inferred from {from}"),
            Self::Assumed(why) => format!("assumed ({})", why.words()),
        }
    }
}

/// Origins of the facts of a snapshot; a fact that is not listed was read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origins {
    facts: BTreeMap<SnapshotFact, Origin>,
    resources: BTreeMap<Name, Origin>,
    /// Resources that a comment of the scheduler names.
    proved: BTreeSet<Name>,
}

impl Origins {
    /// Sets the origin of a fact.
    pub fn set(&mut self, fact: SnapshotFact, origin: Origin) {
        if origin.is_seen() {
            self.facts.remove(&fact);
        } else {
            self.facts.insert(fact, origin);
        }
    }

    /// Returns the origin of a fact.
    pub fn of(&self, fact: SnapshotFact) -> &Origin {
        self.facts.get(&fact).unwrap_or(&Origin::Seen)
    }

    /// Sets the origin of the fact that the scheduler checks a resource.
    pub fn set_checked(&mut self, resource: &Name, origin: Origin) {
        self.resources.insert(resource.clone(), origin);
    }

    /// Records that a comment of the scheduler names a resource, which proves that it is checked.
    pub fn set_proved(&mut self, resource: &Name, origin: Origin) {
        self.set_checked(resource, origin);
        self.proved.insert(resource.clone());
    }

    /// Whether a comment of the scheduler proves that a resource is checked.
    pub fn is_proved(&self, resource: &str) -> bool {
        self.proved.contains(resource)
    }

    /// Returns the origin of the fact that the scheduler checks a resource; `None` if only the file would show it.
    pub fn of_checked(&self, resource: &str) -> Option<&Origin> {
        self.resources.get(resource)
    }

    /// Whether every fact was read.
    pub fn are_all_seen(&self) -> bool {
        self.facts.is_empty()
    }

    /// Returns the facts that were not read, in order.
    pub fn unseen(&self) -> impl Iterator<Item = (SnapshotFact, &Origin)> {
        self.facts.iter().map(|(fact, origin)| (*fact, origin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_listed_was_seen() {
        let mut origins = Origins::default();
        assert!(SnapshotFact::ALL.iter().all(|fact| origins.of(*fact).is_seen()));
        origins.set(
            SnapshotFact::ServerLimits,
            Origin::Assumed(AssumptionReason::Lacking(vec!["no server dump".into()])),
        );
        assert_eq!(origins.of(SnapshotFact::ServerLimits).words(), "assumed (no server dump)");
        assert_eq!(origins.unseen().map(|(fact, _)| fact.word()).collect::<Vec<_>>(), ["server_limits"]);
        origins.set(SnapshotFact::ServerLimits, Origin::Seen);
        assert!(origins.are_all_seen());
    }

    #[test]
    fn every_fact_has_a_word_of_its_own() {
        let words: std::collections::BTreeSet<_> = SnapshotFact::ALL.iter().map(|fact| fact.word()).collect();
        assert_eq!(words.len(), SnapshotFact::ALL.len());
    }
}
