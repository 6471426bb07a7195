//! Vnodes as `pbsnodes` shows them.

use std::fmt;

use super::{Epoch, Name, ResourceList};

/// One bit of a vnode's state (rule 1.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum NodeState {
    /// The server has not heard from it, or its name does not resolve.
    Unknown,
    /// Not reachable.
    Down,
    /// Its definition is out of date.
    Stale,
    /// Taken out by an operator.
    Offline,
    /// All cpus assigned.
    JobBusy,
    /// An exclusive job has it.
    JobExclusive,
    /// Load too high.
    Busy,
    /// Starting up.
    Initializing,
    /// Being provisioned, or waiting for it.
    Provisioning,
    /// An exclusive reservation has it.
    ResvExclusive,
    /// In maintenance.
    Maintenance,
    /// Powered down.
    Sleep,
}

impl NodeState {
    /// All bits in the order in which `pbsnodes` prints them.
    pub const ALL: [Self; 12] = [
        Self::Unknown,
        Self::Down,
        Self::Stale,
        Self::Offline,
        Self::JobBusy,
        Self::JobExclusive,
        Self::Busy,
        Self::Initializing,
        Self::Provisioning,
        Self::ResvExclusive,
        Self::Maintenance,
        Self::Sleep,
    ];

    /// The word that `pbsnodes` prints.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unknown => "state-unknown",
            Self::Down => "down",
            Self::Stale => "Stale",
            Self::Offline => "offline",
            Self::JobBusy => "job-busy",
            Self::JobExclusive => "job-exclusive",
            Self::Busy => "busy",
            Self::Initializing => "initializing",
            Self::Provisioning => "provisioning",
            Self::ResvExclusive => "resv-exclusive",
            Self::Maintenance => "maintenance",
            Self::Sleep => "sleep",
        }
    }

    /// The bit of a printed word, aliases included; `free` is no bit.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "unresolvable" => return Some(Self::Unknown),
            "wait-provisioning" => return Some(Self::Provisioning),
            "offline_by_mom" => return Some(Self::Offline),
            "stale" => return Some(Self::Stale),
            _ => {}
        }
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// The set of state bits of a vnode; the empty set is `free`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct NodeStates(u16);

impl NodeStates {
    /// No bit: free.
    pub const FREE: Self = Self(0);

    /// Whether the state is exactly `free`.
    #[must_use]
    pub fn is_free(self) -> bool {
        self.0 == 0
    }

    /// Whether this bit is set.
    #[must_use]
    pub fn has(self, state: NodeState) -> bool {
        self.0 & (1 << state as u8) != 0
    }

    /// The same states and this one.
    #[must_use]
    pub fn with(self, state: NodeState) -> Self {
        Self(self.0 | 1 << state as u8)
    }

    /// The same states but this one.
    #[must_use]
    pub fn without(self, state: NodeState) -> Self {
        Self(self.0 & !(1 << state as u8))
    }

    /// The bits as a number, for journals and hashing.
    #[must_use]
    pub fn bits(self) -> u16 {
        self.0
    }

    /// The states of such a number.
    #[must_use]
    pub fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Whether scheduling leaves the vnode out of every bucket: down or offline (rule 3.3).
    #[must_use]
    pub fn is_gone(self) -> bool {
        self.has(NodeState::Down) || self.has(NodeState::Offline)
    }

    /// The word that messages use for a vnode that is not free (rule 1.3, first true wins).
    #[must_use]
    pub fn message_word(self) -> &'static str {
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
        for state in NodeState::ALL {
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

/// The `sharing` attribute (rule 2.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Sharing {
    /// Shared unless the job says otherwise.
    #[default]
    DefaultShared,
    /// Exclusive unless the job says otherwise.
    DefaultExcl,
    /// The whole host exclusive unless the job says otherwise.
    DefaultExclhost,
    /// Always shared (`force_shared` is the same).
    IgnoreExcl,
    /// Always exclusive.
    ForceExcl,
    /// Always the whole host exclusive.
    ForceExclhost,
}

impl Sharing {
    /// The value of a printed word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "default_shared" => Self::DefaultShared,
            "default_excl" => Self::DefaultExcl,
            "default_exclhost" => Self::DefaultExclhost,
            "ignore_excl" | "force_shared" => Self::IgnoreExcl,
            "force_excl" => Self::ForceExcl,
            "force_exclhost" => Self::ForceExclhost,
            _ => return None,
        })
    }

    /// The printed word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::DefaultShared => "default_shared",
            Self::DefaultExcl => "default_excl",
            Self::DefaultExclhost => "default_exclhost",
            Self::IgnoreExcl => "ignore_excl",
            Self::ForceExcl => "force_excl",
            Self::ForceExclhost => "force_exclhost",
        }
    }
}

/// The `license` attribute (rule 1.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum License {
    /// The dump does not show the attribute.
    #[default]
    Absent,
    /// `l…`: usable.
    Locked,
    /// `c…`: usable until `resources_available.lic_signature`.
    Cloud,
    /// Anything else: not usable.
    Other,
}

impl License {
    /// Reads the attribute's text.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        match text.bytes().next() {
            Some(b'l') => Self::Locked,
            Some(b'c') => Self::Cloud,
            _ => Self::Other,
        }
    }
}

/// What dumps lack and only the allocation policies look at, from `extra.toml`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NodeExtra {
    /// Load average.
    pub load: Option<f64>,
    /// Speed factor, 1.0 is the norm.
    pub speed: Option<f64>,
    /// Processor speed in MHz.
    pub procspeed: Option<f64>,
    /// Position in the rack.
    pub slot: Option<i64>,
    /// Node features.
    pub features: Vec<Name>,
    /// Share of its up-time spent on batch jobs, in percent.
    pub usage: Option<f64>,
    /// A priority function of its own.
    pub priorityf: Option<Name>,
    /// The partition that allocation policies keep a job in; it hides nothing from the scheduler.
    pub partition: Option<Name>,
}

/// One vnode.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Node {
    /// Its name.
    pub name: Name,
    /// The hosts whose daemons report it.
    pub moms: Vec<Name>,
    /// State bits.
    pub states: NodeStates,
    /// Words of the state list that nobody knows.
    pub unknown_states: Vec<Name>,
    /// `Priority`, if set.
    pub priority: Option<i64>,
    /// The queue that owns it.
    pub queue: Option<Name>,
    /// How jobs share it.
    pub sharing: Sharing,
    /// Licence.
    pub license: License,
    /// Partition.
    pub partition: Option<Name>,
    /// Whether the host has several vnodes; only managers see it.
    pub in_multivnode_host: Option<bool>,
    /// Names of jobs on it, each once, in the order listed.
    pub jobs: Vec<Name>,
    /// Names of reservations confirmed on it.
    pub reservations: Vec<Name>,
    /// `resources_available`.
    pub available: ResourceList,
    /// `resources_assigned`.
    pub assigned: ResourceList,
    /// At most so many jobs (node path only).
    pub max_running: Option<u32>,
    /// At most so many jobs of one user (node path only).
    pub max_user_run: Option<u32>,
    /// At most so many jobs of one group (node path only).
    pub max_group_run: Option<u32>,
    /// Refuses jobs that span nodes.
    pub no_multinode_jobs: bool,
    /// Whether reservations may use it.
    pub resv_enable: bool,
    /// The operating environment it runs.
    pub current_aoe: Option<Name>,
    /// Its power profile.
    pub current_eoe: Option<Name>,
    /// Whether it may be provisioned.
    pub provision_enable: bool,
    /// When a job last used it.
    pub last_used: Option<Epoch>,
    /// Its comment, as found.
    pub comment: Option<String>,
    /// What only the allocation policies look at.
    pub extra: NodeExtra,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_print_in_the_servers_order() {
        let s = NodeStates::FREE.with(NodeState::JobExclusive).with(NodeState::Offline);
        assert_eq!(s.to_string(), "offline,job-exclusive");
        assert_eq!(s.message_word(), "offline");
        assert_eq!(s.with(NodeState::JobBusy).message_word(), "job-busy");
        assert!(s.without(NodeState::Offline).without(NodeState::JobExclusive).is_free());
    }

    #[test]
    fn every_word_is_read_back() {
        for state in NodeState::ALL {
            assert_eq!(NodeState::from_word(state.word()), Some(state));
        }
    }
}
