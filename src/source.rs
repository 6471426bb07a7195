//! Room.

pub mod dedicated;
mod did_you_mean;
pub mod holidays;
pub mod sample;
pub mod sched_config;
pub mod shares;
pub mod toml_form;
