//! Affinity tiers: how strongly reservations draw a job to a node (rule 0.7). Every policy works inside a
//! tier and goes to the next while tasks or nodes are missing.

/// A tier, the strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum PolicyTier {
    /// The job was submitted into the reservation that has the node.
    Required,
    /// The node lies in a reservation that the job may use.
    Positive,
    /// No reservation is involved.
    #[strum(to_string = "none")]
    Free,
}

impl PolicyTier {
    /// All, in order.
    pub const ALL: [Self; 3] = [Self::Required, Self::Positive, Self::Free];

    pub fn word(self) -> &'static str {
        self.into()
    }

    /// What RESAFFINITY counts (rule 2.5): 1 where the job is drawn to the node, else 0.
    pub fn affinity(self) -> f64 {
        if self == Self::Free { 0.0 } else { 1.0 }
    }
}
