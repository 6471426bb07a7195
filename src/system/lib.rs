//! What is asked of the operating system, each thing in one way: input files are opened, files are put in their
//! place, programs are run, threads give way.
//!
//! Folders of dumps are shared, links are swapped in them, and the program runs as root on head nodes. What a careless
//! call would do there (wait for a writer, write through a link, run a program of the current folder) is not left to
//! each caller: no other room opens a file, writes one, or starts a program.

pub mod background;
pub mod folder;
pub mod input;
pub mod kernel;
pub mod locale;
pub mod program;
pub mod user;
