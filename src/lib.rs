//! qscope: a debugger for the scheduling cycle of PBS-family batch systems.
//!
//! # A guided tour
//!
//! Data flows in one direction, through crates and modules ("rooms" of one house); Cargo enforces the direction between
//! crates. This crate is the program: it holds the headless commands and re-exports the other rooms.
//!
//! | room | contents |
//! |---|---|
//! | [`exits`] | escaping of text from outside: one function each for screen, plain text, JSON, errors, clipboard, file names |
//! | [`system`] | the operating system: opening input files, replacing output files, running programs |
//! | [`cluster`] | the input: nodes, jobs, queues, requests, policy, as an immutable [`cluster::Snapshot`] |
//! | [`universe`] | what the scheduler derives from it: node sets, signatures, buckets, pools, and the journal that undoes and redoes |
//! | [`placement`] | where a job fits: the choice of path, the bucket path, the node path, placement sets |
//! | [`cycle`] | which job is next and when it starts: job order, the run check, the cycle and its steps |
//! | [`source`] | files: one reader per format, the folder, the watcher, the collector |
//! | [`explain`] | why a job waits: causes, nodes lost at each condition, the decision in plain words |
//! | [`farm`] | packing policies and the farm simulator: the cost of concentrating jobs on few nodes |
//! | [`advice`] | answers for users and managers: the order of the queue, trial requests, what starts now, checks of settings |
//! | [`capacity`] | the number of nodes of each kind that a queue needs: bin packing over time, the scaler |
//! | [`record`] | recordings: every snapshot as a compressed delta to the previous one, and any of them again |
//! | [`simulate`] | the cycle over simulated time: arrivals, ends, a month under other settings |
//! | [`policies`] | the nine node allocation policies of Maui, over the same cluster |
//! | [`query`] | a small language for filters and breakpoints, over anything that has fields |
//! | [`session`] | the open input: the worker that loads and runs, snapshots, records of jobs, nodes, sets, buckets and events |
//! | [`share`] | output for others at the site: published answers, metrics, events, reports, bundles |
//! | [`console`] | the terminal: state, actions, theme, views, widgets |
//! | [`command`] | the headless commands |
//!
//! `cluster`, `universe`, `placement` and `cycle` are one crate, the engine, which is useful by itself: [`engine`] begins
//! with an example. `farm`, `capacity` and `policies` are another crate, `session` and `query` a third.
//!
//! Start reading at [`cluster::Snapshot`], then [`universe::State`] and [`cycle::run_cycle`]. Comments cite the
//! scheduler's rules by number; [`engine::rules`] has each rule in full, with the cases and tests that hold it.

// In the library rather than in `main.rs`, so that tests and benches use the same allocator as the installed program.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub mod command;
pub mod manual;

pub use qscope_advice as advice;
pub use qscope_console as console;
pub use qscope_engine as engine;
pub use qscope_engine::{cluster, cycle, placement, universe};
pub use qscope_exits as exits;
pub use qscope_explain as explain;
pub use qscope_planning::{capacity, farm, policies};
pub use qscope_record as record;
pub use qscope_session as session;
pub use qscope_session::query;
pub use qscope_share as share;
pub use qscope_simulate as simulate;
pub use qscope_source as source;
pub use qscope_system as system;
