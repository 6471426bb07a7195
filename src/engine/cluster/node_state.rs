//! States of a vnode: single bits, and sets of them (rule 1.3).

use std::fmt;

/// One bit of a vnode's state (rule 1.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::IntoStaticStr, strum::VariantArray)]
#[repr(u8)]
#[strum(serialize_all = "kebab-case", const_into_str)]
pub enum NodeState {
    /// The server has not reached it yet, or its name does not resolve.
    #[strum(to_string = "state-unknown")]
    Unknown,
    /// Not reachable.
    Down,
    /// Its definition is outdated.
    #[strum(to_string = "Stale")]
    Stale,
    /// Taken out of service by an operator.
    Offline,
    /// All cpus assigned.
    JobBusy,
    JobExclusive,
    /// Its load is too high.
    Busy,
    /// Starting up.
    Initializing,
    /// Being provisioned, or waiting for it.
    Provisioning,
    /// Used by an exclusive reservation.
    ResvExclusive,
    Maintenance,
    /// Powered down.
    Sleep,
}

impl NodeState {
    /// All bits in the order in which `pbsnodes` prints them.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns the word that `pbsnodes` prints.
    pub const fn word(self) -> &'static str {
        self.into_str()
    }

    /// Returns the bit of a printed word, including aliases; `free` is not a bit.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "unresolvable" => return Some(Self::Unknown),
            "wait-provisioning" => return Some(Self::Provisioning),
            "offline_by_mom" => return Some(Self::Offline),
            "stale" => return Some(Self::Stale),
            _ => {}
        }
        Self::ALL.iter().copied().find(|state| state.word() == word)
    }
}

/// The set of state bits of a vnode; the empty set is `free`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct NodeStates(u16);

impl NodeStates {
    /// No bits: free.
    pub const FREE: Self = Self(0);

    /// Whether the state is exactly `free`.
    pub fn is_free(self) -> bool {
        self.0 == 0
    }

    /// Whether `state` is set.
    pub fn has(self, state: NodeState) -> bool {
        self.0 & (1 << state as u8) != 0
    }

    /// Returns these states plus `state`.
    #[must_use]
    pub fn with(self, state: NodeState) -> Self {
        Self(self.0 | 1 << state as u8)
    }

    /// Replaces all states by `state`, as the scheduler does: only `offline` is kept (rule 1.3).
    #[must_use]
    pub fn set_to(self, state: NodeState) -> Self {
        let kept =
            if self.has(NodeState::Offline) { Self::FREE.with(NodeState::Offline) } else { Self::FREE };
        kept.with(state)
    }

    /// Returns these states without `state`.
    #[must_use]
    pub fn without(self, state: NodeState) -> Self {
        Self(self.0 & !(1 << state as u8))
    }

    /// Returns these states with or without `state`, depending on `holds`.
    #[must_use]
    pub fn with_if(self, state: NodeState, holds: bool) -> Self {
        if holds { self.with(state) } else { self.without(state) }
    }

    /// Whether the vnode is in no bucket: down or offline (rule 3.3).
    pub fn is_gone(self) -> bool {
        self.has(NodeState::Down) || self.has(NodeState::Offline)
    }

    /// Whether the vnode is unreachable or outdated: down, unknown or stale.
    pub fn is_unreachable(self) -> bool {
        [NodeState::Down, NodeState::Unknown, NodeState::Stale].into_iter().any(|state| self.has(state))
    }

    /// Returns these states without those that jobs and reservations cause.
    #[must_use]
    pub fn without_occupancy(self) -> Self {
        let occupied = [NodeState::JobBusy, NodeState::JobExclusive, NodeState::ResvExclusive];
        occupied.into_iter().fold(self, Self::without)
    }

    /// Whether the vnode is out of service for reasons other than jobs and reservations: down, offline, stale, in
    /// maintenance, busy by load and so on.
    pub fn is_out_of_service(self) -> bool {
        !self.without_occupancy().is_free()
    }

    /// Returns the state that messages name for a vnode that is not free (rule 1.3, first match wins). Sleep is named
    /// only if the server controls the power of vnodes (`power_provisioning`).
    pub fn message_word(self, power_provisioning: bool) -> &'static str {
        use NodeState as S;
        if self.has(S::JobBusy) {
            return S::JobBusy.word();
        }
        if self.is_free() {
            return "free";
        }
        [
            S::Down,
            S::Offline,
            S::ResvExclusive,
            S::JobExclusive,
            S::Busy,
            S::Stale,
            S::Provisioning,
            S::Sleep,
            S::Maintenance,
        ]
        .into_iter()
        .filter(|state| power_provisioning || *state != S::Sleep)
        .find(|state| self.has(*state))
        .map_or("state-unknown", NodeState::word)
    }
}

impl fmt::Display for NodeStates {
    /// Writes the comma-separated list that `pbsnodes` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_free() {
            return f.write_str("free");
        }
        let mut first = true;
        for state in NodeState::ALL.iter().copied() {
            if self.has(state) {
                if !first {
                    f.write_str(",")?;
                }
                f.write_str(state.word())?;
                first = false;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_print_in_the_servers_order() {
        let s = NodeStates::FREE.with(NodeState::JobExclusive).with(NodeState::Offline);
        assert_eq!(s.to_string(), "offline,job-exclusive");
        assert_eq!(s.message_word(false), "offline");
        assert_eq!(s.with(NodeState::JobBusy).message_word(false), "job-busy");
        assert!(s.without(NodeState::Offline).without(NodeState::JobExclusive).is_free());
        let busy = s.with(NodeState::Busy).set_to(NodeState::JobBusy);
        assert_eq!(busy.to_string(), "offline,job-busy");
    }

    /// Rule 1.3: messages have no word for a sleeping vnode, unless the server controls the power of vnodes.
    #[test]
    fn sleep_counts_with_power_provisioning_alone() {
        let asleep = NodeStates::FREE.with(NodeState::Sleep);
        assert!(!asleep.is_free());
        assert_eq!([asleep.message_word(true), asleep.message_word(false)], ["sleep", "state-unknown"]);
        assert_eq!(asleep.with(NodeState::Maintenance).message_word(false), "maintenance");
    }

    #[test]
    fn every_word_is_read_back() {
        for state in NodeState::ALL.iter().copied() {
            assert_eq!(NodeState::from_word(state.word()), Some(state));
        }
    }
}
