//! For everyone at the site: what leaves the operator's folder, and how it is kept from carrying too much.
//!
//! [`redacted()`] is the gate: what users and strangers get is made from what it lets pass. [`published`] is the file
//! that `qwhy` answers from.

pub mod bundle;
pub mod dump;
pub mod events;
pub mod metrics;
pub mod notice;
pub mod published;
pub mod redacted;
pub mod report;
mod same;

pub use redacted::{RedactedReader, redacted};
pub use same::differences;
