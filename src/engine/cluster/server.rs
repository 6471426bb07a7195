//! The server as `qstat -Bf` shows it, and the scheduler object of `qmgr -c "list sched"`.

use super::{Limits, Name, QueuedLimits, ResourceList, Seconds};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Server {
    pub name: Name,
    /// `server_state`, as printed.
    pub state: Name,
    /// Whether cycles are run at all.
    pub scheduling: Option<bool>,
    /// Where jobs go that name none.
    pub default_queue: Option<Name>,
    /// What limits all jobs together (`resources_available`).
    pub available: ResourceList,
    /// What running jobs take of that (`resources_assigned`).
    pub assigned: ResourceList,
    /// What jobs get that request nothing of it (`resources_default`).
    pub defaults: ResourceList,
    /// `default_chunk`, name and value as written.
    pub default_chunk: Vec<(Name, Name)>,
    /// Whether placement sets are in use.
    pub node_group_enable: bool,
    /// `node_group_key`, split.
    pub node_group_key: Vec<Name>,
    /// `job_sort_formula`, as written.
    pub job_sort_formula: Option<String>,
    /// How many top jobs are planned, if that is set.
    pub backfill_depth: Option<u32>,
    /// `scheduler_iteration`: the time between two cycles that no event asked for, if set.
    pub scheduler_iteration: Option<Seconds>,
    /// Whether the time that jobs wait by no fault of theirs is counted.
    pub eligible_time_enable: bool,
    /// Whether nodes are switched to the profiles that jobs request.
    pub power_provisioning: bool,
    /// `restrict_res_to_release_on_suspend`, split; empty means all.
    pub release_on_suspend: Vec<Name>,
    pub limits: Limits,
    /// What may be in all queues together.
    pub queued: QueuedLimits,
    /// `max_array_size`: the most subjobs of an array, if set.
    pub max_array_size: Option<u32>,
    /// What the server reports of itself (`pbs_version`).
    pub version: Option<Name>,
    /// Whether no dump of the server was read.
    pub assumed: bool,
}

/// `opt_backfill_fuzzy`: the length of a simulation window (rule 0, constants).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fuzzy(pub Seconds);

impl Default for Fuzzy {
    fn default() -> Self {
        Self(Seconds(60))
    }
}

impl Fuzzy {
    /// Reads `off`, `low`, `medium`, `high` or a number of seconds.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(Self(Seconds(match word {
            "off" => 1,
            "low" => 60,
            "medium" | "med" => 600,
            "high" => 3600,
            number => number.parse::<i64>().ok().filter(|n| *n >= 0)?.max(1),
        })))
    }
}

/// The scheduler object; every option has its default when the dump is silent (rule 1.8).
#[derive(Clone, PartialEq, Debug)]
pub struct Scheduler {
    /// Its name, `default` for the first one.
    pub name: Name,
    /// Its partitions; empty for the default scheduler.
    pub partitions: Vec<Name>,
    /// Whether cycles are run at all.
    pub scheduling: Option<bool>,
    /// `state`, as printed.
    pub state: Option<Name>,
    /// What its manager, or the scheduler itself, wrote about it.
    pub comment: Option<String>,
    /// How long a cycle may last (`sched_cycle_length`).
    pub cycle_length: Seconds,
    /// Whether a job has to find all its nodes in one placement set.
    pub do_not_span_psets: bool,
    /// Whether nodes without a value make no set.
    pub only_explicit_psets: bool,
    /// Whether what was suspended must be able to go on (`sched_preempt_enforce_resumption`).
    pub enforce_resumption: bool,
    /// Whether jobs may name whom they send away.
    pub preempt_targets_enable: bool,
    /// `job_sort_formula`, as written.
    pub job_sort_formula: Option<String>,
    /// Below this value of the formula a job waits (`job_sort_formula_threshold`).
    pub formula_threshold: Option<f64>,
    /// Whether it goes on while the server starts jobs.
    pub throughput_mode: bool,
    /// How exactly starts of top jobs are computed (`opt_backfill_fuzzy`).
    pub fuzzy: Fuzzy,
    /// From this priority on a queue is an express queue.
    pub preempt_queue_prio: i64,
    /// `preempt_prio`, as written.
    pub preempt_prio: Name,
    /// `preempt_order`, as written.
    pub preempt_order: Name,
    /// `preempt_sort`, as written.
    pub preempt_sort: Name,
    /// Whether no dump of it was read.
    pub assumed: bool,
}

impl Default for Scheduler {
    fn default() -> Self {
        Self {
            name: "default".into(),
            partitions: Vec::new(),
            scheduling: None,
            state: None,
            comment: None,
            cycle_length: Seconds(1200),
            do_not_span_psets: false,
            only_explicit_psets: false,
            enforce_resumption: false,
            preempt_targets_enable: true,
            job_sort_formula: None,
            formula_threshold: None,
            throughput_mode: true,
            fuzzy: Fuzzy::default(),
            preempt_queue_prio: 150,
            preempt_prio: "express_queue, normal_jobs".into(),
            preempt_order: "SCR".into(),
            preempt_sort: "min_time_since_start".into(),
            assumed: true,
        }
    }
}
