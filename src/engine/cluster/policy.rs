//! The scheduler's own options, from `sched_config` (rule 1.11).

use super::{GroupSortKey, JobSortKey, Name, NodeSortKey, Seconds};

/// Prime or non-prime time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Period {
    /// Prime time.
    #[default]
    Prime,
    /// Non-prime time.
    NonPrime,
}

/// An option that may differ between prime and non-prime time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByPeriod<T> {
    /// Value in prime time.
    pub prime: T,
    /// Value in non-prime time.
    pub non_prime: T,
}

impl<T> ByPeriod<T> {
    /// Creates an option with the same value in both periods.
    pub fn both(value: T) -> Self
    where
        T: Clone,
    {
        Self { prime: value.clone(), non_prime: value }
    }

    /// Returns both values, that of prime time first.
    pub fn both_periods(&self) -> [&T; 2] {
        [&self.prime, &self.non_prime]
    }

    /// Returns the value in this period.
    pub fn get(&self, period: Period) -> &T {
        match period {
            Period::Prime => &self.prime,
            Period::NonPrime => &self.non_prime,
        }
    }
}

/// `smp_cluster_dist`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SmpDist {
    /// Fills one host after the other.
    #[default]
    Pack,
    /// Uses the next host for every packed job.
    RoundRobin,
}

/// `provision_policy`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProvisionPolicy {
    /// Provisions whenever requested.
    #[default]
    Aggressive,
    /// Prefers nodes that need no provisioning.
    Avoid,
}

/// Fair share options.
#[derive(Clone, PartialEq, Debug)]
pub struct FairsharePolicy {
    /// `fairshare_usage_res`, a resource or an expression.
    pub usage_res: Name,
    /// Kind of entity for which usage is counted (`fairshare_entity`).
    pub entity: Name,
    /// Interval at which usage decays (`fairshare_decay_time`).
    pub decay_time: Seconds,
    /// Factor by which usage decays (`fairshare_decay_factor`).
    pub decay_factor: f64,
    /// Shares of all entities that `resource_group` does not list (`unknown_shares`).
    pub unknown_shares: f64,
    /// Whether entities without shares never run (`fairshare_enforce_no_shares`).
    pub enforce_no_shares: bool,
}

impl Default for FairsharePolicy {
    fn default() -> Self {
        Self {
            usage_res: "cput".into(),
            entity: "euser".into(),
            decay_time: Seconds(86_400),
            decay_factor: 0.5,
            unknown_shares: 0.0,
            enforce_no_shares: true,
        }
    }
}

/// All options of `sched_config`. Options that the file lacks have [`Policy::program_defaults`]; if the file itself
/// is missing, [`Policy::as_shipped`] is assumed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Policy {
    /// Whether queues take turns.
    pub round_robin: ByPeriod<bool>,
    /// Whether queues are served one after the other.
    pub by_queue: ByPeriod<bool>,
    /// Whether no job may overtake one that cannot run.
    pub strict_ordering: ByPeriod<bool>,
    /// `strict_fifo`, obsolete but still effective.
    pub strict_fifo: ByPeriod<bool>,
    /// Whether jobs are ordered by past usage.
    pub fair_share: ByPeriod<bool>,
    /// `backfill`, obsolete.
    pub backfill: ByPeriod<bool>,
    /// Whether jobs must end before the next change of period.
    pub backfill_prime: ByPeriod<bool>,
    /// Whether jobs of queues that no prefix ties to a period are exempt from that.
    pub prime_exempt_anytime_queues: bool,
    /// `prime_spill`, by the period named on its line.
    pub prime_spill: ByPeriod<Seconds>,
    /// `primetime_prefix`; an empty one matches every queue.
    pub primetime_prefix: Name,
    /// `nonprimetime_prefix`; an empty one matches every queue.
    pub nonprimetime_prefix: Name,
    /// `dedicated_prefix`; an empty one matches every queue.
    pub dedicated_prefix: Name,
    /// `job_sort_key`, in order.
    pub job_sort_key: ByPeriod<Vec<JobSortKey>>,
    /// `node_sort_key`, in order.
    pub node_sort_key: ByPeriod<Vec<NodeSortKey>>,
    /// When vnodes are provisioned (`provision_policy`).
    pub provision: ProvisionPolicy,
    /// `resources`, by name; `None` if the option is missing, which restricts nothing.
    pub resources: Option<Vec<Name>>,
    /// How jobs without a placement are distributed over hosts.
    pub smp_cluster_dist: ByPeriod<SmpDist>,
    /// Fair share.
    pub fairshare: FairsharePolicy,
    pub preemptive_sched: ByPeriod<bool>,
    /// `resource_unset_infinite`, without the implied `mpiprocs` and `ompthreads`.
    pub resource_unset_infinite: Vec<Name>,
    /// Whether `resv_confirm_ignore` names dedicated_time.
    pub resv_ignores_dedicated: bool,
    /// Whether jobs that request an operating environment may be top jobs.
    pub allow_aoe_calendar: bool,
    /// Maximum number of preemption attempts for a job.
    pub preempt_attempts: Option<u32>,
    /// Maximum number of jobs that a cycle considers.
    pub max_job_check: Option<u32>,
    /// Resources whose amounts a program reports (`server_dyn_res`); the amounts are unknown.
    pub server_dyn_res: Vec<Name>,
    /// Configured peer queues; not modelled.
    pub peer_queues: Vec<Name>,
    /// `node_group_sort_key`, in order; designed but never released (rule 5.6).
    pub node_group_sort_key: ByPeriod<Vec<GroupSortKey>>,
    /// Whether `node_group_sort_key` was requested explicitly, so that it applies whatever the real scheduler
    /// supports.
    pub node_group_sort_requested: bool,
    /// `node_group_sort_tuples: partial`: subsets of three or more keys are combined too, which the design does not
    /// mention.
    pub node_group_sort_partial: bool,
    /// `node_group_sort_text: natural`: `sw9` sorts before `sw10`; the design leaves this open.
    pub node_group_sort_natural: bool,
    /// Whether no file was read.
    pub assumed: bool,
}

impl Policy {
    /// Returns the defaults of the program for options that a file lacks.
    pub fn program_defaults() -> Self {
        Self { backfill: ByPeriod::both(true), ..Self::default() }
    }

    /// Returns the policy of the file as shipped, which is assumed if `sched_config` cannot be read.
    pub fn as_shipped() -> Self {
        let priority =
            NodeSortKey { term: super::NodeSortTerm::Priority, direction: super::SortDirection::High };
        Self {
            by_queue: ByPeriod::both(true),
            primetime_prefix: "p_".into(),
            nonprimetime_prefix: "np_".into(),
            dedicated_prefix: "ded".into(),
            node_sort_key: ByPeriod::both(vec![priority]),
            resources: Some(["ncpus", "mem", "arch", "host", "vnode", "aoe", "eoe"].map(Name::from).to_vec()),
            preemptive_sched: ByPeriod::both(true),
            assumed: true,
            ..Self::program_defaults()
        }
    }
}
