//! Where text that others wrote leaves the program: one function per exit.
//!
//! Names, comments and values come from files that every user of a cluster can write into, and from arguments. A terminal
//! obeys some characters, a shell runs a pasted line, and a line break within a value looks like a line of ours. So a
//! value is raw within the program, and passes exactly one of these on its way out:
//!
//! | exit | function |
//! |---|---|
//! | a cell or a line of the screen | [`visible`], and [`drawable`] over every cell that is drawn |
//! | plain text | [`Lines::line`]: one call is one line, whatever is in it |
//! | JSON | [`json::compact`], [`json::pretty`] |
//! | a message of an error | [`Lines::line`] too; [`Message`] where it has several |
//! | the clipboard | [`Clip`] |
//! | a file's name | [`file_name`] |
//!
//! [`Lines`] and [`Clip`] are types with no other way in, so a new exit that takes them cannot be given a raw text.

mod clip;
mod file_name;
pub mod json;
mod lines;
mod markdown;
mod message;
mod visible;

pub use clip::Clip;
pub use file_name::file_name;
pub use lines::Lines;
pub use markdown::{fence, markdown};
pub use message::Message;
pub use visible::{acts, drawable, visible};
