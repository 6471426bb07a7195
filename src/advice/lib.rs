//! Advice from one snapshot, available without the console: which key decided the order of the queue, what would
//! become of a request, what starts now and for how long, and which settings do not do what they state.
//!
//! Nothing here decides anything itself: every answer is read from a cycle of the engine, or is a change whose cycle
//! was run. No file is read and no server is contacted.

pub mod fits;
pub mod lint;
pub mod order;
pub mod request;
mod trial;

pub use trial::{TrialDifference, TrialRun};
