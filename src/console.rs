//! The terminal: state, actions, theme, views and widgets.

pub mod action;
pub mod key;
pub mod keymap;
pub mod theme;
pub mod widgets;
