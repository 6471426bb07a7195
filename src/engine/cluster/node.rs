//! Vnodes as `pbsnodes` shows them.

use super::elim::ElimLine;
use super::{Amount, Epoch, Name, NodeState, NodeStates, ResourceId, ResourceList, Sharedness, Value};

/// The `sharing` attribute (rule 2.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Sharing {
    /// Shared unless the job requests otherwise.
    #[default]
    DefaultShared,
    /// Exclusive unless the job requests otherwise.
    DefaultExcl,
    /// The whole host exclusive unless the job requests otherwise.
    DefaultExclhost,
    /// Always shared (`force_shared` is the same).
    #[strum(to_string = "ignore_excl", serialize = "force_shared")]
    IgnoreExcl,
    /// Always exclusive.
    ForceExcl,
    /// Always the whole host exclusive.
    ForceExclhost,
}

impl Sharing {
    /// The value of a printed word.
    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }

    /// The printed word.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Whether a job has a node for itself (rule 2.5, first table).
    pub fn is_exclusive(self, job: Sharedness) -> bool {
        match self {
            Self::IgnoreExcl => false,
            Self::ForceExcl | Self::ForceExclhost => true,
            Self::DefaultShared => matches!(job, Sharedness::Excl | Sharedness::Exclhost),
            Self::DefaultExcl | Self::DefaultExclhost => job != Sharedness::Shared,
        }
    }

    /// Whether a job has the whole host for itself (rule 2.5, last paragraph).
    pub fn is_exclhost(self, job: Sharedness) -> bool {
        match self {
            Self::ForceExclhost => true,
            Self::IgnoreExcl => false,
            Self::DefaultExclhost if job == Sharedness::Unsaid => true,
            _ => job == Sharedness::Exclhost,
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
    pub fn from_text(text: &str) -> Self {
        match text.bytes().next() {
            Some(b'l') => Self::Locked,
            Some(b'c') => Self::Cloud,
            _ => Self::Other,
        }
    }
}

/// What dumps lack and the scheduler does not examine: for the allocation policies, from `extra.toml`, and what the node
/// itself publishes, from `elim.txt`.
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
    /// Whether it can be taken away at any time, as instances of a cloud can.
    pub preemptible: bool,
    /// The partition that allocation policies keep a job in; it hides nothing from the scheduler.
    pub partition: Option<Name>,
    /// The attributes that the node published last: `packing_CLASS` counts the jobs of a class on it.
    pub published: Option<Box<ElimLine>>,
}

/// One vnode.
// In the order of memory: what is read of every node when a cycle begins comes first, as in a job.
#[derive(Clone, PartialEq, Debug, Default)]
#[repr(C)]
pub struct Node {
    pub name: Name,
    /// `resources_available`.
    pub available: ResourceList,
    /// State bits.
    pub states: NodeStates,
    /// How jobs share it.
    pub sharing: Sharing,
    pub license: License,
    /// Whether the host has several vnodes; only managers see it.
    pub in_multivnode_host: Option<bool>,
    /// Refuses jobs that span nodes.
    pub no_multinode_jobs: bool,
    /// Names of jobs on it, each once, in the order listed.
    pub jobs: Vec<Name>,
    /// The queue that owns it.
    pub queue: Option<Name>,
    pub partition: Option<Name>,
    /// At most so many jobs (node path only).
    pub max_running: Option<u32>,
    /// What sorts it by `sort_priority`, if it is set.
    pub priority: Option<i64>,
    /// At most so many jobs of one user (node path only).
    pub max_user_run: Option<u32>,
    /// At most so many jobs of one group (node path only).
    pub max_group_run: Option<u32>,
    /// `resources_assigned`.
    pub assigned: ResourceList,
    /// Whether reservations may use it.
    pub resv_enable: bool,
    /// Whether it may be provisioned.
    pub provision_enable: bool,
    /// The hosts whose daemons report it.
    pub moms: Vec<Name>,
    /// Words of the state list that are unknown.
    pub unknown_states: Vec<Name>,
    /// Names of reservations confirmed on it.
    pub reservations: Vec<Name>,
    /// The operating environment it runs.
    pub current_aoe: Option<Name>,
    /// Its power profile.
    pub current_eoe: Option<Name>,
    /// When a job last used it.
    pub last_used: Option<Epoch>,
    /// Since when it is in its state.
    pub state_since: Option<Epoch>,
    /// Its comment, as found.
    pub comment: Option<String>,
    /// What only the allocation policies examine.
    pub extra: NodeExtra,
}

impl Node {
    /// Whether it states that it has no cpus; one that states nothing may have some.
    pub fn is_cpuless(&self) -> bool {
        self.available.amount(ResourceId::ncpus()).is_some_and(|cpus| cpus.0 <= 0.0)
    }

    /// Whether it is job-busy: its jobs take all its cpus, and none has it for itself.
    pub fn is_busy(&self) -> bool {
        let taken = self.assigned.amount(ResourceId::ncpus()).unwrap_or_default();
        let full = self.available.amount(ResourceId::ncpus()).is_some_and(|there| taken >= there);
        full && taken > Amount::ZERO && !self.jobs.is_empty() && !self.states.has(NodeState::JobExclusive)
    }

    /// The host that it states.
    pub fn host(&self) -> Option<&Name> {
        self.available.get(ResourceId::host())?.texts().first()
    }

    /// A vnode like this one under another name, on a host of its own, up and idle.
    #[must_use]
    pub fn another(&self, name: Name) -> Self {
        let mut extra = self.extra.clone();
        (extra.slot, extra.published) = (None, None);
        extra.load = extra.load.map(|_| 0.0);
        let mut node = Self {
            moms: vec![name.clone()],
            states: NodeStates::FREE,
            unknown_states: Vec::new(),
            in_multivnode_host: self.in_multivnode_host.map(|_| false),
            jobs: Vec::new(),
            reservations: Vec::new(),
            assigned: ResourceList::default(),
            last_used: None,
            state_since: None,
            comment: None,
            extra,
            ..self.clone()
        };
        node.available.set(ResourceId::host(), Value::Texts([name.clone()].into()));
        if node.available.get(ResourceId::vnode()).is_some() {
            node.available.set(ResourceId::vnode(), Value::Texts([name.clone()].into()));
        }
        node.name = name;
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharing_and_place_decide_who_is_alone() {
        use Sharedness as J;
        use Sharing as S;
        let row = |sharing: S| [J::Excl, J::Shared, J::Unsaid].map(|job| sharing.is_exclusive(job));
        assert_eq!(row(S::DefaultShared), [true, false, false]);
        assert_eq!(row(S::DefaultExcl), [true, false, true]);
        assert_eq!(row(S::DefaultExclhost), [true, false, true]);
        assert_eq!(row(S::IgnoreExcl), [false, false, false]);
        assert_eq!(row(S::ForceExcl), [true, true, true]);
        assert_eq!(row(S::ForceExclhost), [true, true, true]);
        assert!(S::DefaultShared.is_exclhost(J::Exclhost) && !S::DefaultShared.is_exclhost(J::Excl));
        assert!(S::DefaultExclhost.is_exclhost(J::Unsaid) && !S::DefaultExclhost.is_exclhost(J::Excl));
        assert!(S::ForceExclhost.is_exclhost(J::Shared) && !S::IgnoreExcl.is_exclhost(J::Exclhost));
    }
}
