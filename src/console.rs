//! The terminal: a debugger's screen over what the other rooms have found out.
//!
//! Data goes one way here too: the terminal, signals and workers send [`app::Input`]s; [`app::App::update`] changes
//! the state and asks for [`app::Effect`]s; [`app::App::render`] reads it. [`run::run`] puts this together and gives
//! the terminal back whatever happens. Start reading at [`app::App`] and at the one table of actions,
//! [`action::TABLE`].
//!
//! [`open()`] is the way in; [`cycle_app::CycleApp`] is the app, and [`views`] draws it.
//!
//! Nothing here reads a file, parses, or runs a cycle: workers do, and hand over what is finished.

pub mod action;
pub mod app;
pub mod cycle_app;
pub mod event_loop;
pub mod help;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod open;
pub mod overlay;
pub mod panics;
pub mod run;
pub mod signals;
pub mod story;
pub mod terminal;
pub mod theme;
pub mod views;
pub mod widgets;
pub mod wording;
pub mod worker;

pub use open::{Looks, open};
