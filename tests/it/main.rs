//! The integration tests.
mod console_cycle;
mod console_house;
mod console_program;
mod console_terminal;
mod source_cases;
mod source_forms;
