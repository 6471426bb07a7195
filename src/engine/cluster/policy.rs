//! The scheduler's own options, from `sched_config` (rule 1.11).

use super::{GroupSortKey, JobSortKey, Name, NodeSortKey, Seconds};

/// Prime or non-prime time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Period {
    /// Prime time.
    #[default]
    Prime,
    /// The rest.
    NonPrime,
}

/// An option that may differ between prime and non-prime time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByPeriod<T> {
    /// In prime time.
    pub prime: T,
    /// In non-prime time.
    pub non_prime: T,
}

impl<T> ByPeriod<T> {
    /// The same in both.
    pub fn both(value: T) -> Self
    where
        T: Clone,
    {
        Self { prime: value.clone(), non_prime: value }
    }

    /// Both values, that of prime time first.
    pub fn each(&self) -> [&T; 2] {
        [&self.prime, &self.non_prime]
    }

    /// The value in this period.
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
    /// Fill one host after the other.
    #[default]
    Pack,
    /// The next host for every job.
    RoundRobin,
}

/// `provision_policy`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProvisionPolicy {
    /// Provision whenever requested.
    #[default]
    Aggressive,
    /// Prefer nodes that need none.
    Avoid,
}

/// Fair share options.
#[derive(Clone, PartialEq, Debug)]
pub struct FairsharePolicy {
    /// `fairshare_usage_res`, a resource or an expression.
    pub usage_res: Name,
    /// Whom usage is counted for (`fairshare_entity`).
    pub entity: Name,
    /// How often usage decays (`fairshare_decay_time`).
    pub decay_time: Seconds,
    /// What is left of usage when it decays (`fairshare_decay_factor`).
    pub decay_factor: f64,
    /// The part of those whom `resource_group` does not list.
    pub unknown_shares: f64,
    /// Whether entities without a part never run (`fairshare_enforce_no_shares`).
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

/// All options; [`Policy::program_defaults`] when the file lacks them, [`Policy::as_shipped`] when the
/// file itself is missing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Policy {
    /// Whether queues take turns.
    pub round_robin: ByPeriod<bool>,
    /// Whether they are served one after the other.
    pub by_queue: ByPeriod<bool>,
    /// Whether no job may overtake one that does not fit.
    pub strict_ordering: ByPeriod<bool>,
    /// `strict_fifo`, obsolete but alive.
    pub strict_fifo: ByPeriod<bool>,
    /// Whether jobs are ordered by past usage.
    pub fair_share: ByPeriod<bool>,
    /// `backfill`, obsolete.
    pub backfill: ByPeriod<bool>,
    /// Whether jobs must end before the next change of the period.
    pub backfill_prime: ByPeriod<bool>,
    /// Whether that spares jobs of queues that no prefix ties to a period.
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
    /// Which vnodes are provisioned (`provision_policy`).
    pub provision: ProvisionPolicy,
    /// `resources`, by name; none when the option is missing, which restricts nothing.
    pub resources: Option<Vec<Name>>,
    /// How jobs that name no placement are spread over hosts.
    pub smp_cluster_dist: ByPeriod<SmpDist>,
    /// Fair share.
    pub fairshare: FairsharePolicy,
    /// Whether jobs may send others away.
    pub preemptive_sched: ByPeriod<bool>,
    /// `resource_unset_infinite`, besides `mpiprocs` and `ompthreads`.
    pub resource_unset_infinite: Vec<Name>,
    /// `resv_confirm_ignore` names dedicated_time.
    pub resv_ignores_dedicated: bool,
    /// Whether jobs that request an operating environment may be top jobs.
    pub allow_aoe_calendar: bool,
    /// How many victims are tried.
    pub preempt_attempts: Option<u32>,
    /// How many jobs one cycle considers.
    pub max_job_check: Option<u32>,
    /// Resources whose amount a program prints (`server_dyn_res`); what it would print is unknown.
    pub server_dyn_res: Vec<Name>,
    /// Peer queues configured; not modelled.
    pub peer_queues: Vec<Name>,
    /// `node_group_sort_key`, in order; designed, never shipped (rule 5.6).
    pub node_group_sort_key: ByPeriod<Vec<GroupSortKey>>,
    /// Whether `node_group_sort_key` was requested by hand, so that it counts whatever the real one knows.
    pub node_group_sort_requested: bool,
    /// `node_group_sort_tuples: partial`: sets for values of some of three or more keys too, which the
    /// design does not mention.
    pub node_group_sort_partial: bool,
    /// `node_group_sort_text: natural`: `sw9` before `sw10`, which the design leaves open.
    pub node_group_sort_natural: bool,
    /// Whether no file was read.
    pub assumed: bool,
}

impl Policy {
    /// What the program assumes for options that a file lacks.
    pub fn program_defaults() -> Self {
        Self { backfill: ByPeriod::both(true), ..Self::default() }
    }

    /// The file as shipped: what is assumed when `sched_config` cannot be read.
    pub fn as_shipped() -> Self {
        let priority = NodeSortKey { term: super::NodeSortTerm::Priority, direction: super::Direction::High };
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
