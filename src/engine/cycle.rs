//! The scheduling cycle: job order, the run check, and the steps of a cycle.
//!
//! [`run_cycle`] considers every job once and returns the journal; a [`Debugger`] moves a replica of the state along
//! that journal. To explain a decision, the replica is moved to just before it and [`consider`] is called again with
//! a recording probe.

pub mod fairshare;
pub mod job_lists;
pub mod job_order;
pub mod picker;
pub mod time_windows;

mod agenda;
mod calendar;
mod candidates;
mod class;
mod confirm;
mod consider;
mod debugger;
mod double_booking;
mod doubts;
mod eligible;
mod exclusion;
mod formula_values;
mod idle_cluster;
mod impossible;
mod limits;
mod outcome;
mod preempt_order;
mod preempt_reasons;
mod preempt_search;
mod preemption;
mod refusals;
mod rehearsal;
mod run;
mod setup;
mod shrink;
mod step;
mod stop_rule;
mod threshold;
mod top_jobs;
mod verdicts;
mod warnings;

pub use agenda::{Agenda, Precedence};
pub use calendar::simulate_until;
pub use class::{JobClasses, classify};
pub use confirm::{ConfirmCheck, Confirmation, ConfirmationTrace};
pub use consider::{ConsiderationMode, at_subjob_limit, consider};
pub use debugger::{Debugger, OutcomeTrace};
pub use double_booking::{DoubleBooking, refused_steps};
pub use doubts::{Doubt, Doubts};
pub use eligible::Eligibility;
pub use exclusion::Exclusion;
pub use idle_cluster::IdleCluster;
pub use impossible::{Impossibility, ImpossibleJobs};
pub use limits::{check_resources, limits_hit};
pub use outcome::{Outcome, QuirkOccurrence, RefusalStage, ServerAction, TopJob, Verdict};
pub use rehearsal::{
    CalendarWindow, Consideration, PreemptionOutcome, PreemptionTrial, Reconsideration, SimulationFocus,
    SimulationRecord,
};
pub use run::{CycleStart, Run, Universe, run_cycle};
pub use setup::{CycleSettings, OrderPolicy, Setup, windows_of};
pub use step::{Step, StepIx};
pub use stop_rule::{DECIDING_RULES, DecidingRule, StopRule};
