//! The parts that views are made of. None knows what a job or a node is: each takes a small model of its own.

pub mod text;
