//! The farm simulator against the answers of three independent reference simulators.

mod literal;
mod properties;
mod scenarios;
