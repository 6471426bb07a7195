//! Scripts of actions.
