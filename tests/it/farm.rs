//! The farm simulator against the answers of three independent reference simulators.

mod command;
mod lines;
mod literal;
mod lsf;
mod options;
mod properties;
mod scenarios;
mod stage;
mod view;
mod workload;
