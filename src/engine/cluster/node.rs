//! Vnodes as `pbsnodes` shows them.

use super::elim::ElimLine;
use super::{Amount, Epoch, Name, NodeState, NodeStates, PlaceSharing, ResourceId, ResourceList, Value};

/// The `sharing` attribute (rule 2.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Sharing {
    /// Shared unless the job requests otherwise.
    #[default]
    DefaultShared,
    /// Exclusive unless the job requests otherwise.
    DefaultExcl,
    /// Whole host exclusive unless the job requests otherwise.
    DefaultExclhost,
    /// Always shared (`force_shared` is the same).
    #[strum(to_string = "ignore_excl", serialize = "force_shared")]
    IgnoreExcl,
    /// Always exclusive.
    ForceExcl,
    /// Whole host always exclusive.
    ForceExclhost,
}

impl Sharing {
    /// Parses a printed word.
    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }

    /// Returns the printed word.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Whether a job with this sharing gets the node exclusively (rule 2.5, first table).
    pub fn is_exclusive(self, job: PlaceSharing) -> bool {
        match self {
            Self::IgnoreExcl => false,
            Self::ForceExcl | Self::ForceExclhost => true,
            Self::DefaultShared => matches!(job, PlaceSharing::Excl | PlaceSharing::Exclhost),
            Self::DefaultExcl | Self::DefaultExclhost => job != PlaceSharing::Shared,
        }
    }

    /// Whether a job with this sharing gets the whole host exclusively (rule 2.5, last paragraph).
    pub fn is_exclhost(self, job: PlaceSharing) -> bool {
        match self {
            Self::ForceExclhost => true,
            Self::IgnoreExcl => false,
            Self::DefaultExclhost if job == PlaceSharing::Unsaid => true,
            _ => job == PlaceSharing::Exclhost,
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
    /// Parses the attribute's text.
    pub fn from_text(text: &str) -> Self {
        match text.bytes().next() {
            Some(b'l') => Self::Locked,
            Some(b'c') => Self::Cloud,
            _ => Self::Other,
        }
    }
}

/// Data that dumps lack and the scheduler does not read: input of the allocation policies from `extra.toml`, and
/// attributes that the node publishes, from `elim.txt`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NodeExtra {
    /// Load average.
    pub load: Option<f64>,
    /// Speed factor; 1.0 is normal.
    pub speed: Option<f64>,
    /// Processor speed in MHz.
    pub procspeed: Option<f64>,
    /// Position in the rack.
    pub slot: Option<i64>,
    pub features: Vec<Name>,
    /// Share of its up-time used by batch jobs, in percent.
    pub usage: Option<f64>,
    /// Priority function of this node.
    pub priorityf: Option<Name>,
    /// Whether it can be withdrawn at any time, as cloud instances can.
    pub preemptible: bool,
    /// Partition within which allocation policies keep a job; the scheduler ignores it.
    pub partition: Option<Name>,
    /// Attributes that the node published last; `packing_CLASS` counts the jobs of a class on it.
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
    /// Whether the host has several vnodes; visible to managers only.
    pub in_multivnode_host: Option<bool>,
    /// Whether it refuses multi-node jobs.
    pub no_multinode_jobs: bool,
    /// Names of jobs on it, each once, in the order listed.
    pub jobs: Vec<Name>,
    /// Queue that it is bound to.
    pub queue: Option<Name>,
    pub partition: Option<Name>,
    /// Maximum number of jobs (node path only).
    pub max_running: Option<u32>,
    /// `Priority`, by which `sort_priority` sorts; `None` if unset.
    pub priority: Option<i64>,
    /// Maximum number of jobs of one user (node path only).
    pub max_user_run: Option<u32>,
    /// Maximum number of jobs of one group (node path only).
    pub max_group_run: Option<u32>,
    /// `resources_assigned`.
    pub assigned: ResourceList,
    /// Whether reservations may use it.
    pub resv_enable: bool,
    /// Whether it may be provisioned.
    pub provision_enable: bool,
    /// Hosts whose MoMs report it.
    pub moms: Vec<Name>,
    /// Unknown words of the state list.
    pub unknown_states: Vec<Name>,
    /// Names of reservations confirmed on it.
    pub reservations: Vec<Name>,
    /// Operating environment that it runs.
    pub current_aoe: Option<Name>,
    /// Power profile.
    pub current_eoe: Option<Name>,
    /// Time when a job last used it.
    pub last_used: Option<Epoch>,
    /// Time since which it has been in its state.
    pub state_since: Option<Epoch>,
    /// Comment as found.
    pub comment: Option<String>,
    /// Data that only the allocation policies and packing read.
    pub extra: NodeExtra,
}

impl Node {
    /// Whether it has zero cpus; false if the number is unset.
    pub fn is_cpuless(&self) -> bool {
        self.available.amount(ResourceId::ncpus()).is_some_and(|cpus| cpus.0 <= 0.0)
    }

    /// Whether it is job-busy, judged by its amounts: its jobs use all its cpus, and none holds it exclusively.
    pub fn is_busy(&self) -> bool {
        let taken = self.assigned.amount(ResourceId::ncpus()).unwrap_or_default();
        let full = self.available.amount(ResourceId::ncpus()).is_some_and(|there| taken >= there);
        full && taken > Amount::ZERO && !self.jobs.is_empty() && !self.states.has(NodeState::JobExclusive)
    }

    /// Returns its `host` resource.
    pub fn host(&self) -> Option<&Name> {
        self.available.get(ResourceId::host())?.texts().first()
    }

    /// Returns a copy of this vnode with another name, on a host of its own, up and idle.
    #[must_use]
    pub fn idle_copy(&self, name: Name) -> Self {
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
        use PlaceSharing as J;
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
