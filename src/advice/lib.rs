//! Advice from one snapshot, for those who do not run the console: which key decided the order of the queue, what would
//! become of a request, what starts now and for how long, and which settings do not do what they state.
//!
//! Nothing here decides anything by itself: every answer is read from the cycle of the engine, or is a change whose
//! cycle was run. No file is read and no server is asked.

pub mod fits;
pub mod lint;
pub mod order;
pub mod request;
mod trial;

pub use trial::{Trial, TrialDifference};
