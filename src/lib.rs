//! qscope: a debugger for the scheduling cycle of PBS-family batch systems.
//!
//! # A guided tour
//!
//! Data goes one way, and the modules ("rooms") stand in that order; each imports only from rooms above it:
//!
//! | room | holds |
//! |---|---|
//! | [`exits`] | how text that others wrote leaves: one function for each of screen, plain text, JSON, errors, clipboard, file names |
//! | [`system`] | what is asked of the operating system: input files opened, files put in their place, programs run |
//! | [`cluster`] | what is: nodes, jobs, queues, requests, policy, as an immutable [`cluster::Snapshot`] |
//! | [`source`] | from files: one reader per format, the folder, the watcher |
//! | [`universe`] | what the scheduler derives: node sets, signatures, buckets, pools, and the journal that undoes and redoes |
//! | [`placement`] | where: the choice of path, the bucket path, the node path, placement sets |
//! | [`cycle`] | who and when: job order, the run check, the cycle and its steps |
//! | [`explain`] | why: causes, nodes lost at each condition, the decision in plain words |
//! | [`farm`] | packing policies and the farm simulator: what it costs to concentrate jobs on few nodes |
//! | [`capacity`] | how many nodes of which kind: bin packing over time, the scaler |
//! | [`query`] | which: a small language for filters and breakpoints, whatever has fields |
//! | [`session`] | what is open: the worker that loads and runs, generations, and what can be asked about jobs, nodes, sets, buckets and events |
//! | [`console`] | the terminal: state, actions, theme, views, widgets |
//! | [`command`] | the headless commands |
//!
//! Start reading at [`cluster::Snapshot`], then [`universe::State`] and [`cycle::run_cycle`].

pub mod capacity;
pub mod cluster;
pub mod command;
pub mod console;
pub mod cycle;
pub mod exits;
pub mod explain;
pub mod farm;
pub mod placement;
pub mod query;
pub mod session;
pub mod source;
pub mod system;
pub mod universe;
