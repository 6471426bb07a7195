//! The integration tests.

mod source_cases;
mod source_forms;
