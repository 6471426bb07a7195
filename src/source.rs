//! Room.

mod did_you_mean;
pub mod sample;
pub mod sched_config;
