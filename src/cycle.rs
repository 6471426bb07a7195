//! Who runs, and when: job order, the run check, the cycle and its steps.
//!
//! [`run_cycle`] considers every job once and keeps the journal; a [`Debugger`] moves a replica of the
//! state along it. To explain a decision, the replica is put before it and [`consider`] is called again
//! with a probe that listens.

pub mod fairshare;
pub mod job_order;
pub mod picker;
pub mod time_windows;

mod class;
mod consider;
mod debugger;
mod eligible;
mod limits_check;
mod order;
mod outcome;
mod run;
mod warnings;

pub use class::{Classes, classify};
pub use consider::consider;
pub use debugger::Debugger;
pub use eligible::{Standing, standing};
pub use outcome::{Outcome, Stage, Verdict, Witness};
pub use run::{CycleStart, Run, Step, StepIx, run_cycle};
