//! Room.

mod did_you_mean;
pub mod sched_config;
