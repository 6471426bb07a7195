//! The terminal: state, actions, theme, views and widgets.

pub mod action;
pub mod app;
pub mod event_loop;
pub mod key;
pub mod keymap;
pub mod panics;
pub mod run;
pub mod signals;
pub mod terminal;
pub mod theme;
pub mod widgets;
pub mod worker;
