//! The only access to the operating system, with one way for each task: opening input files, putting files in their
//! place, running programs, lowering the priority of threads.
//!
//! Folders of dumps are shared, links in them can be replaced, and the program runs as root on head nodes. Careless
//! calls there could wait for a writer, write through a link, or run a program of the current folder. Protection
//! against this is not left to each caller: no other crate opens a file, writes one, or starts a program.

pub mod background;
pub mod folder;
pub mod input;
pub mod kernel;
pub mod locale;
pub mod program;
pub mod user;
