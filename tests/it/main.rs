//! The integration tests.
mod console_terminal;
