//! The state of a vnode: words, and the set of them (rule 1.3).

use std::fmt;

/// One bit of a vnode's state (rule 1.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::IntoStaticStr, strum::VariantArray)]
#[repr(u8)]
#[strum(serialize_all = "kebab-case", const_into_str)]
pub enum NodeState {
    /// The server has not been able to reach it, or its name does not resolve.
    #[strum(to_string = "state-unknown")]
    Unknown,
    /// Not reachable.
    Down,
    /// Its definition is out of date.
    #[strum(to_string = "Stale")]
    Stale,
    /// Taken out by an operator.
    Offline,
    /// All cpus assigned.
    JobBusy,
    JobExclusive,
    /// Load too high.
    Busy,
    /// Starting up.
    Initializing,
    /// Being provisioned, or waiting for it.
    Provisioning,
    /// An exclusive reservation has it.
    ResvExclusive,
    Maintenance,
    /// Powered down.
    Sleep,
}

impl NodeState {
    /// All bits in the order in which `pbsnodes` prints them.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The word that `pbsnodes` prints.
    pub const fn word(self) -> &'static str {
        self.into_str()
    }

    /// The bit of a printed word, aliases included; `free` is no bit.
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
    /// No bit: free.
    pub const FREE: Self = Self(0);

    /// Whether the state is exactly `free`.
    pub fn is_free(self) -> bool {
        self.0 == 0
    }

    /// Whether this bit is set.
    pub fn has(self, state: NodeState) -> bool {
        self.0 & (1 << state as u8) != 0
    }

    /// The same states and this one.
    #[must_use]
    pub fn with(self, state: NodeState) -> Self {
        Self(self.0 | 1 << state as u8)
    }

    /// This state in place of all others, as the scheduler sets one: only `offline` stays (rule 1.3).
    #[must_use]
    pub fn set_to(self, state: NodeState) -> Self {
        let kept =
            if self.has(NodeState::Offline) { Self::FREE.with(NodeState::Offline) } else { Self::FREE };
        kept.with(state)
    }

    /// The same states but this one.
    #[must_use]
    pub fn without(self, state: NodeState) -> Self {
        Self(self.0 & !(1 << state as u8))
    }

    /// The same states with this one, or without it.
    #[must_use]
    pub fn with_if(self, state: NodeState, holds: bool) -> Self {
        if holds { self.with(state) } else { self.without(state) }
    }

    /// Whether scheduling leaves the vnode out of every bucket: down or offline (rule 3.3).
    pub fn is_gone(self) -> bool {
        self.has(NodeState::Down) || self.has(NodeState::Offline)
    }

    /// Whether it is out of reach or out of date: down, unknown or stale.
    pub fn is_unreachable(self) -> bool {
        [NodeState::Down, NodeState::Unknown, NodeState::Stale].into_iter().any(|state| self.has(state))
    }

    /// The states that are not the doing of jobs and reservations.
    #[must_use]
    pub fn without_occupancy(self) -> Self {
        let occupied = [NodeState::JobBusy, NodeState::JobExclusive, NodeState::ResvExclusive];
        occupied.into_iter().fold(self, Self::without)
    }

    /// Whether it is out of service, whatever jobs and reservations do: down, offline, stale, in maintenance, busy by
    /// its load.
    pub fn is_out_of_service(self) -> bool {
        !self.without_occupancy().is_free()
    }

    /// The word that messages use for a vnode that is not free (rule 1.3, first true wins). Sleep is one only where the server
    /// switches the power of vnodes (`power_provisioning`).
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
    /// The comma list that `pbsnodes` prints.
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

    /// Rule 1.3: a vnode that sleeps is in no state that messages know, unless the server switches its power.
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
