//! The integration tests.

mod console_house;
mod console_terminal;
mod preemption;
mod source_cases;
mod source_forms;
