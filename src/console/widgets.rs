//! The parts that views are made of. None knows what a job or a node is: each takes a small model of its own.

pub mod bitmap;
pub mod footer;
pub mod frame;
pub mod header;
pub mod prompt;
pub mod table;
pub mod text;
