//! What leaves the operator's folder for other people at the site, and how it is kept from disclosing too much.
//!
//! [`redacted()`] is the gate: everything that users and strangers get is made from what it lets pass. [`published`] is
//! the file that `qwhy` answers from.

pub mod bundle;
pub mod dump;
mod equivalence;
pub mod events;
pub mod metrics;
pub mod notice;
mod parts;
pub mod published;
pub mod redacted;
pub mod report;

pub use equivalence::differences;
pub use redacted::{RedactionAudience, redacted};
