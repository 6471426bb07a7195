//! The cycle over simulated time: a server whose clock jumps from event to event, with the modelled scheduler
//! deciding in every cycle.
//!
//! [`SimulationInput::read`] reads a folder or a start state: the input of one cycle, arrivals, and how long to simulate.
//! [`Simulation::run`] runs it to its end and returns a [`SimulationResult`]: a row for every job, a row for every cycle
//! that started something, time series and measures. Cycles are run by the engine; this crate models everything
//! around them, by the days rules.

mod answer;
pub mod arrivals;
mod clock;
mod condition;
pub mod confidence;
pub mod decided;
mod dependency;
pub mod difference;
pub mod dump;
mod error;
pub mod figures;
mod input;
pub mod job_result;
pub mod measures;
mod options;
mod rejection;
mod remaining;
mod replications;
pub mod resample;
pub mod result;
pub mod runtimes;
pub mod scale;
pub mod series;
mod server;
mod shares;
mod side_by_side;
mod simulation;
pub mod start_distribution;
mod track;
pub mod unfair;
mod unmodelled;
mod view;
mod waits;

pub use arrivals::{Arrival, Arrivals, JobBehaviour, NodeLifecycleEvent};
pub use condition::{ConditionError, MEASURES, SimulationCondition};
pub use difference::{PastAgreement, SimulationDifference};
pub use error::SimulateError;
pub use input::{ARRIVALS, OPTIONS, SimulationFiles, SimulationInput};
pub use job_result::{JobEnd, JobResult};
pub use measures::Measures;
pub use options::SimulationOptions;
pub use result::{CycleCounters, CycleResult, SimulationResult};
pub use scale::{DemandEstimator, ScalePool, Scaling, ScalingResult};
pub use series::{LoadDetail, LoadSample, LoadSeries};
pub use simulation::{Checkpoints, CycleObserver, MeasuredDetail, Simulation, StopPoint};
pub use waits::WaitedForReason;
