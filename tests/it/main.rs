//! The integration tests.

mod source_cases;
