//! The open cluster: its origin, its snapshots with their cycles, and the worker that reads and runs them.
//!
//! The interface thread never reads a file, parses, or runs a cycle: a worker does, and hands over a finished
//! [`Generation`]. Start reading at [`open`].

pub mod agreement;
pub mod as_read;
mod cluster_summary;
mod collecting;
pub mod compare;
mod doubt;
pub mod dump_times;
mod engine;
mod event;
pub mod fairshare;
pub mod findings;
mod fix;
mod follow;
mod generation;
pub mod history;
mod kept_states;
mod lazy_run;
mod local_hook;
mod log_alerts;
mod made_with;
mod no_verdict_reason;
pub mod node_facts;
mod opening;
mod pipe;
pub mod plain_facts;
pub mod problems;
pub mod query;
pub mod quirk_effects;
mod reader;
mod recorded;
mod recording;
pub mod records;
mod scale;
pub mod settings;
mod simulated;
mod stability;
mod start_distribution;
mod steps;
mod tape;
pub mod wait_history;
mod what_if;
mod worker;

pub use cluster_summary::ClusterSummary;
pub use collecting::{CollectorHandle, collect};
pub use doubt::{FOLDER_GONE, NOT_THERE};
pub use engine::SessionInterfaces;
pub use event::{CollectEvent, LoadProgress, SessionEvent};
pub use fix::Fix;
pub use follow::{Session, open, open_recording};
pub use generation::weight::MemoryEstimate;
pub use generation::{Generation, SubstituteFile, WhatIf, generation_of};
pub use kept_states::{JobStatePeriod, kept_states};
pub use lazy_run::LazyRun;
pub use local_hook::CommandHook;
pub use no_verdict_reason::NoVerdictReason;
pub use opening::{Opening, OpeningOrigin, SchedLogLocation, read_files};
pub use scale::ScaleOptions;
pub use simulated::SimulationHistory;
pub use start_distribution::{
    IntervalCoverage, LogHistory, ProgressCallback, RUNS, StartPercentiles, distribution,
    distribution_section,
};
pub use steps::SteppedSession;
pub use tape::{Tape, TapeTarget, load_generation};
pub use what_if::{
    ChangedCluster, WhatIfAnswer, WhatIfEffects, WhatIfError, apply, ask_what_if, complete, load_what_if,
    settings_of,
};
