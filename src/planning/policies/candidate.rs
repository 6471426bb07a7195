//! Feasible nodes, and the reasons why others are not (rules 0.3 to 0.6).

use qscope_engine::cluster::{Epoch, NodeId};
use qscope_engine::universe::Bit;

/// A node that could serve a requirement at some start time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate {
    /// The node; ids are in the order of the node dump, which breaks all ties.
    pub node: NodeId,
    /// Its position in scheduling order.
    pub bit: Bit,
    /// Number of tasks that it holds.
    pub tasks: u32,
    /// When the next reservation takes some of them away; none if none does.
    pub until: Option<Epoch>,
    /// Its affinity tier.
    pub tier: PolicyTier,
}

/// Why a node is not feasible, in Maui's words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, strum::IntoStaticStr)]
pub enum InfeasibleReason {
    /// The node is not up, or it is used exclusively.
    State,
    /// It belongs to another queue.
    Class,
    /// A condition of the chunk does not hold.
    Features,
    /// Too little processor, memory or other resource left.
    #[strum(to_string = "CPU")]
    Cpu,
    /// A reservation starts before the job would end.
    ReserveTime,
    /// A limit of the site is reached.
    Policy,
}

impl InfeasibleReason {
    /// All reasons.
    pub const ALL: [Self; 6] =
        [Self::State, Self::Class, Self::Features, Self::Cpu, Self::ReserveTime, Self::Policy];

    /// Returns Maui's word.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// The feasible nodes in the order of the dump, and the number of others.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FeasibleNodes {
    pub candidates: Vec<Candidate>,
    /// Number of infeasible nodes by reason.
    pub dropped: [usize; InfeasibleReason::ALL.len()],
}

impl FeasibleNodes {
    /// Returns the number of tasks that they hold together.
    pub fn tasks(&self) -> u64 {
        self.candidates.iter().map(|candidate| u64::from(candidate.tasks)).sum()
    }

    /// Returns the reasons with their counts, as text.
    pub fn dropped_text(&self) -> String {
        let counts = InfeasibleReason::ALL.iter().zip(self.dropped).filter(|(_, count)| *count > 0);
        counts.map(|(code, count)| format!("{count} {}", code.word())).collect::<Vec<_>>().join(", ")
    }
}

/// Affinity tiers: how strongly reservations draw a job to a node (rule 0.7), the strongest first. Every
/// policy works inside a tier and continues with the next while tasks or nodes are missing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum PolicyTier {
    /// The job was submitted into the reservation that has the node.
    Required,
    /// The node is part of a reservation that the job may use.
    Positive,
    /// No reservation is involved.
    #[strum(to_string = "none")]
    Free,
}

impl PolicyTier {
    /// All tiers, the strongest first.
    pub const ALL: [Self; 3] = [Self::Required, Self::Positive, Self::Free];

    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Returns the value of RESAFFINITY (rule 2.5): 1 where a reservation draws the job to the node, else 0.
    pub fn affinity(self) -> f64 {
        if self == Self::Free { 0.0 } else { 1.0 }
    }
}
