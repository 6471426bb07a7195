//! The open cluster: its origin, its snapshots with their cycles, and the worker that reads and runs them.
//!
//! The interface thread never reads a file, parses, or runs a cycle: a worker does, and hands over a finished
//! [`Generation`]. Start reading at [`open`].

pub mod agreement;
pub mod as_read;
mod collecting;
pub mod compare;
mod doubt;
mod engine;
mod event;
pub mod fairshare;
pub mod findings;
mod fix;
mod follow;
mod generation;
pub mod history;
mod kept_run;
mod kept_states;
mod level;
mod local_hook;
mod log_alerts;
pub mod moments;
mod no_verdicts;
pub mod node_facts;
mod opening;
mod patience;
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
mod spread;
mod steps;
mod tape;
pub mod waited;
mod what_if;
mod worker;

pub use collecting::{Collecting, collect};
pub use doubt::{FOLDER_GONE, NOT_THERE};
pub use engine::Engine;
pub use event::{CollectEvent, ReadingAt, SessionEvent};
pub use fix::Fix;
pub use follow::{Session, open, open_recording};
pub use generation::weight::Weighed;
pub use generation::{Generation, StandIn, WhatIf, generation_of};
pub use kept_run::KeptRun;
pub use kept_states::{KeptState, kept_states};
pub use level::MomentLevel;
pub use local_hook::CommandHook;
pub use no_verdicts::NoVerdicts;
pub use opening::{Opening, OpeningOrigin, SchedLogAt, read_files};
pub use scale::Scale;
pub use simulated::Simulated;
pub use spread::{OnProgress, Past, PastShare, RUNS, Spread, distribution, distribution_section};
pub use steps::SessionSteps;
pub use tape::{Tape, To, load_generation};
pub use what_if::{
    Applied, Effects, WhatIfAnswer, WhatIfError, apply, ask_what_if, complete, load_what_if, settings_of,
};
