//! The integration tests.
mod console_house;
mod console_terminal;
mod live;
