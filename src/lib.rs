//! qscope: a debugger for the scheduling cycle of PBS-family batch systems.
//!
//! # A guided tour
//!
//! Data goes one way, through crates ("rooms" of one house) whose arrows Cargo holds. This crate is the program:
//! the headless commands, and the other rooms under one roof.
//!
//! | room | holds |
//! |---|---|
//! | [`exits`] | how text from outside leaves: one function for each of screen, plain text, JSON, errors, clipboard, file names |
//! | [`system`] | the operating system: input files opened, files put in their place, programs run |
//! | [`cluster`] | what is: nodes, jobs, queues, requests, policy, as an immutable [`cluster::Snapshot`] |
//! | [`universe`] | what the scheduler derives: node sets, signatures, buckets, pools, and the journal that undoes and redoes |
//! | [`placement`] | where: the choice of path, the bucket path, the node path, placement sets |
//! | [`cycle`] | who and when: job order, the run check, the cycle and its steps |
//! | [`source`] | from files: one reader per format, the folder, the watcher, the collector |
//! | [`explain`] | why: causes, nodes lost at each condition, the decision in plain words |
//! | [`farm`] | packing policies and the farm simulator: what it costs to concentrate jobs on few nodes |
//! | [`advice`] | what users and managers ask: the order of the queue, requests tried out, what starts now, settings checked |
//! | [`capacity`] | how many nodes of which kind: bin packing over time, the scaler |
//! | [`record`] | recordings: every snapshot as a compressed delta to the one before, and any moment of them again |
//! | [`simulate`] | the cycle over simulated time: arrivals, ends, what a month under other settings would be |
//! | [`policies`] | the nine node allocation policies of Maui over the cluster at hand |
//! | [`query`] | which: a small language for filters and breakpoints, whatever has fields |
//! | [`session`] | what is open: the worker that loads and runs, snapshots, and what can be asked about jobs, nodes, sets, buckets and events |
//! | [`share`] | what leaves for others at the site: published answers, metrics, events, reports, bundles |
//! | [`console`] | the terminal: state, actions, theme, views, widgets |
//! | [`command`] | the headless commands |
//!
//! Four of them are one crate, the engine, which is of use without the others: [`engine`] opens with an example.
//! `farm`, `capacity` and `policies` are another, `session` and `query` a third.
//!
//! Start reading at [`cluster::Snapshot`], then [`universe::State`] and [`cycle::run_cycle`]. Comments cite the
//! scheduler's rules by number; [`engine::rules`] has each rule in full, with the cases and tests that hold it.

// Here and not in the program's own file, so that tests and benches measure what is installed.
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
