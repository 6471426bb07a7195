//! The server as `qstat -Bf` shows it, and the scheduler object of `qmgr -c "list sched"`.

use super::{Limits, Name, QueuedLimits, ResourceList, Seconds};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Server {
    pub name: Name,
    /// `server_state`, as printed.
    pub state: Name,
    /// Whether scheduling cycles run.
    pub scheduling: Option<bool>,
    /// Queue of jobs that name none.
    pub default_queue: Option<Name>,
    /// Total amounts available to all jobs (`resources_available`).
    pub available: ResourceList,
    /// Amounts used by running jobs (`resources_assigned`).
    pub assigned: ResourceList,
    /// Job-wide defaults for resources that a job does not request (`resources_default`).
    pub defaults: ResourceList,
    /// `default_chunk`, names and values as written.
    pub default_chunk: Vec<(Name, Name)>,
    /// Whether placement sets are in use.
    pub node_group_enable: bool,
    /// Keys of `node_group_key`.
    pub node_group_key: Vec<Name>,
    /// `job_sort_formula`, as written.
    pub job_sort_formula: Option<String>,
    /// Number of top jobs planned, if set.
    pub backfill_depth: Option<u32>,
    /// Time between two cycles without a triggering event (`scheduler_iteration`), if set.
    pub scheduler_iteration: Option<Seconds>,
    /// Whether eligible waiting time is counted.
    pub eligible_time_enable: bool,
    /// Whether nodes are switched to the power profiles that jobs request.
    pub power_provisioning: bool,
    /// Resources of `restrict_res_to_release_on_suspend`; empty means all.
    pub release_on_suspend: Vec<Name>,
    pub limits: Limits,
    /// Limits on jobs in all queues together.
    pub queued: QueuedLimits,
    /// Maximum number of subjobs of an array (`max_array_size`), if set.
    pub max_array_size: Option<u32>,
    /// Version that the server reports (`pbs_version`).
    pub version: Option<Name>,
    /// Whether no dump of the server was read.
    pub assumed: bool,
}

/// `opt_backfill_fuzzy`: the length of a simulation window (rule 0, constants).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackfillFuzzy(pub Seconds);

impl Default for BackfillFuzzy {
    fn default() -> Self {
        Self(Seconds(60))
    }
}

impl BackfillFuzzy {
    /// Parses `off`, `low`, `medium`, `high` or a number of seconds.
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

/// The scheduler object; options missing from the dump have their defaults (rule 1.8).
#[derive(Clone, PartialEq, Debug)]
pub struct Scheduler {
    /// Name; `default` for the first scheduler.
    pub name: Name,
    /// Partitions that it serves; empty for the default scheduler.
    pub partitions: Vec<Name>,
    /// Whether scheduling cycles run.
    pub scheduling: Option<bool>,
    /// `state`, as printed.
    pub state: Option<Name>,
    /// Comment by a manager or the scheduler itself.
    pub comment: Option<String>,
    /// Maximum length of a cycle (`sched_cycle_length`).
    pub cycle_length: Seconds,
    /// Whether a job must fit into one placement set.
    pub do_not_span_psets: bool,
    /// Whether nodes without a value are in no set.
    pub only_explicit_psets: bool,
    /// Whether suspended jobs must be able to resume (`sched_preempt_enforce_resumption`).
    pub enforce_resumption: bool,
    /// Whether jobs may name their preemption victims.
    pub preempt_targets_enable: bool,
    /// `job_sort_formula`, as written.
    pub job_sort_formula: Option<String>,
    /// Value of the formula below which a job waits (`job_sort_formula_threshold`).
    pub formula_threshold: Option<f64>,
    /// Whether the cycle continues while the server starts jobs.
    pub throughput_mode: bool,
    /// Precision with which starts of top jobs are computed (`opt_backfill_fuzzy`).
    pub fuzzy: BackfillFuzzy,
    /// Minimum priority of an express queue.
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
            fuzzy: BackfillFuzzy::default(),
            preempt_queue_prio: 150,
            preempt_prio: "express_queue, normal_jobs".into(),
            preempt_order: "SCR".into(),
            preempt_sort: "min_time_since_start".into(),
            assumed: true,
        }
    }
}
