//! What is open: where a cluster comes from, its generations, and the worker that reads and runs.
//!
//! The interface thread never reads a file, parses, or runs a cycle: a worker does, and hands over a
//! finished [`Generation`].

mod generation;

pub use generation::{Generation, Opening, Origin, SessionEvent, load_generation, read_files};
