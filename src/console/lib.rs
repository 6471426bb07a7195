//! The terminal interface: a debugger's screen over the results of the other crates.
//!
//! Data flows one way here too: the terminal, signals and workers send [`app::AppInput`]s; [`app::App::update`] changes
//! the state and requests [`views::Effect`]s; [`app::App::render`] reads it. [`run::run`] puts this together and always
//! restores the terminal. Start reading at [`app::App`] and at the one table of actions, [`action::TABLE`].
//!
//! [`open()`] is the entry point; [`shell::Shell`] is the app: it holds the state on the screen and the [`views`] of
//! it, which implement one trait, [`views::View`]. **To add a view, read the head of [`views`]**; `views/buckets.rs` is
//! the model.
//!
//! Nothing here reads a file, parses, or runs a cycle: workers do that and hand over the finished result.

pub mod action;
pub mod app;
mod breakpoint_box;
mod breakpoints;
mod bucket_names;
mod chrome;
mod column_box;
mod config_check;
mod display;
mod effort;
mod event_loop;
mod export;
mod filter;
mod following;
mod help;
pub mod incoming;
mod input_mode;
pub mod key;
pub mod keymap;
mod layout;
mod manual;
mod node_map;
mod open;
mod overlay;
mod palette;
pub mod panics;
pub mod run;
pub mod screen;
mod set_counts;
pub mod shell;
mod signals;
mod stored;
mod story;
mod suggestions;
mod survey;
pub mod task;
pub mod terminal;
pub mod theme;
mod theme_file;
pub mod tour;
pub mod views;
pub mod widgets;
mod wording;
pub mod worker;

pub use config_check::config_problems;
pub use manual::Manual;
pub use open::{ConsoleOptions, DisplayOptions, is_for_files, open, open_files};
