//! Where the facts of a cluster come from: seen in a file, inferred from another one, or assumed.

use std::collections::{BTreeMap, BTreeSet};

use super::Name;

/// A kind of fact that verdicts rest on, and that a person may not have seen.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum Fact {
    /// Which resources the scheduler checks (`resources` of `sched_config`).
    CheckedResources,
    /// The order of jobs: sort keys, `by_queue`, `round_robin`.
    JobOrder,
    /// The order of nodes: `node_sort_key`, `smp_cluster_dist`.
    NodeOrder,
    /// `strict_ordering` and what is planned ahead.
    StrictOrdering,
    /// Whether usage decides, and who has shares.
    FairShare,
    /// Prime time and dedicated time.
    TimeWindows,
    /// Whether and how jobs are preempted.
    Preemption,
    /// Resources whose amounts a program of the site prints.
    DynamicResources,
    /// Limits at the server, on jobs and on resources.
    ServerLimits,
    /// What chunks request that do not name it.
    DefaultChunk,
    /// The formula of the priority of jobs, and its threshold.
    Formula,
    /// Which resources make placement sets, and whether jobs may span them.
    PlacementSets,
    QueueLimits,
    /// Whether queues are started, their kind and priority.
    QueueAttributes,
    /// Which scheduler serves which partition.
    Partitions,
    /// Kinds and flags of resources of the site.
    ResourceDefinitions,
    /// What jobs request whose records have no `Resource_List`.
    JobRequest,
    /// Whether the vnodes read are all that there are.
    AllNodes,
    /// Whether the jobs read are all that there are.
    AllJobs,
    /// Whether nodes have what they have of the moment at which jobs ran.
    OneMoment,
    /// What the scheduler does where the model has no certain rule; not a matter of files.
    Model,
}

impl Fact {
    /// All of them.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The word for programs.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The words for people: those for programs, unless these are too short to be understood.
    pub fn words(self) -> String {
        match self {
            Self::TimeWindows => "prime and dedicated time".to_owned(),
            Self::Formula => "job sort formula".to_owned(),
            Self::Model => "rule of the model".to_owned(),
            Self::OneMoment => "one moment of nodes and jobs".to_owned(),
            _ => self.word().replace('_', " "),
        }
    }

    /// What the file is called that shows it, and the command that prints it.
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

/// Where a fact comes from.
#[derive(Clone, PartialEq, Eq, Debug, Default, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Origin {
    /// It stands in a file that was read.
    #[default]
    Seen,
    /// It follows from something else, in words.
    Inferred(Name),
    /// It is a default, and why.
    Assumed(Grounds),
}

/// Why a fact is assumed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Grounds {
    /// What would show it was not read, a clause each: `no sched_config`.
    Lacking(Vec<Name>),
    /// Something else, in words.
    Other(Name),
}

impl Grounds {
    /// In words: `no sched_config, no server dump`.
    pub fn words(&self) -> String {
        match self {
            Self::Lacking(files) => files.join(", "),
            Self::Other(words) => words.to_string(),
        }
    }
}

impl Origin {
    /// The word for programs.
    pub fn word(&self) -> &'static str {
        self.into()
    }

    /// Whether it was read.
    pub fn is_seen(&self) -> bool {
        *self == Self::Seen
    }

    /// The words after a fact: `assumed (no sched_config)`; empty for what was seen.
    pub fn words(&self) -> String {
        match self {
            Self::Seen => String::new(),
            Self::Inferred(from) => format!("inferred from {from}"),
            Self::Assumed(why) => format!("assumed ({})", why.words()),
        }
    }
}

/// The origins of the facts of a snapshot; what is not listed was seen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origins {
    facts: BTreeMap<Fact, Origin>,
    resources: BTreeMap<Name, Origin>,
    /// The resources that a comment of the scheduler names.
    proved: BTreeSet<Name>,
}

impl Origins {
    /// Sets where a fact comes from.
    pub fn set(&mut self, fact: Fact, origin: Origin) {
        if origin.is_seen() {
            self.facts.remove(&fact);
        } else {
            self.facts.insert(fact, origin);
        }
    }

    /// Where a fact comes from.
    pub fn of(&self, fact: Fact) -> &Origin {
        self.facts.get(&fact).unwrap_or(&Origin::Seen)
    }

    /// Sets from what it follows that the scheduler checks a resource.
    pub fn set_checked(&mut self, resource: &Name, origin: Origin) {
        self.resources.insert(resource.clone(), origin);
    }

    /// Sets that a comment of the scheduler names a resource, which it therefore checks.
    pub fn set_proved(&mut self, resource: &Name, origin: Origin) {
        self.set_checked(resource, origin);
        self.proved.insert(resource.clone());
    }

    /// Whether a comment of the scheduler proves that a resource is checked.
    pub fn is_proved(&self, resource: &str) -> bool {
        self.proved.contains(resource)
    }

    /// From what it follows that the scheduler checks a resource; none where nothing but the file would show it.
    pub fn of_checked(&self, resource: &str) -> Option<&Origin> {
        self.resources.get(resource)
    }

    /// Whether every fact was seen.
    pub fn are_all_seen(&self) -> bool {
        self.facts.is_empty()
    }

    /// The facts that were not seen, in their order.
    pub fn unseen(&self) -> impl Iterator<Item = (Fact, &Origin)> {
        self.facts.iter().map(|(fact, origin)| (*fact, origin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_listed_was_seen() {
        let mut origins = Origins::default();
        assert!(Fact::ALL.iter().all(|fact| origins.of(*fact).is_seen()));
        origins.set(Fact::ServerLimits, Origin::Assumed(Grounds::Lacking(vec!["no server dump".into()])));
        assert_eq!(origins.of(Fact::ServerLimits).words(), "assumed (no server dump)");
        assert_eq!(origins.unseen().map(|(fact, _)| fact.word()).collect::<Vec<_>>(), ["server_limits"]);
        origins.set(Fact::ServerLimits, Origin::Seen);
        assert!(origins.are_all_seen());
    }

    #[test]
    fn every_fact_has_a_word_of_its_own() {
        let words: std::collections::BTreeSet<_> = Fact::ALL.iter().map(|fact| fact.word()).collect();
        assert_eq!(words.len(), Fact::ALL.len());
    }
}
