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
//! | a text with colours | [`Ansi::text`] |
//! | JSON | [`json::compact`], [`json::pretty`]; [`Json`] as a page |
//! | a message of an error | [`Lines::line`] too; [`Message`] where it has several |
//! | the clipboard | [`Clip`] |
//! | a file's name | [`file_name`] |
//! | a page of HTML, a picture | [`Html::put`] |
//! | Markdown | [`markdown`], in [`Lines`] |
//! | metrics | [`OpenMetrics::family`] |
//! | rows of a spreadsheet | [`Csv::row`] |
//!
//! [`Lines`], [`Ansi`], [`Json`], [`Clip`], [`Html`], [`Csv`] and [`OpenMetrics`] are types with no other way in, and a file for others is made
//! of an [`Exit`] only: a new exit that takes them cannot be given a raw text.
//!
//! ```compile_fail
//! // What is copied is no text of a job:
//! let clip: qscope_exits::Clip = String::from("a job's name").into();
//! ```
//!
//! ```compile_fail
//! // Nor is what is printed:
//! let lines: qscope_exits::Lines = String::from("a job's comment").into();
//! ```
//!
//! ```compile_fail
//! // Nor rows of a spreadsheet, where a name that begins with `=` is a formula:
//! let rows = qscope_exits::Csv(String::from("=cmd()"));
//! ```
//!
//! ```compile_fail
//! // Nor metrics:
//! let metrics = qscope_exits::OpenMetrics(String::from("a job's name"));
//! ```
//!
//! ```compile_fail
//! // Nor JSON that no serializer wrote:
//! let page = qscope_exits::Json(String::from("{"));
//! ```
//!
//! ```compile_fail
//! // Nor the message of an error:
//! let message = qscope_exits::Message(String::from("a job's name"));
//! ```

mod ansi;
mod ascii;
mod clip;
mod csv;
mod exit;
mod file_name;
mod html;
pub mod json;
mod lines;
mod markdown;
mod message;
mod open_metrics;
mod visible;

pub use ansi::Ansi;
pub use ascii::in_ascii;
pub use clip::Clip;
pub use csv::Csv;
pub use exit::{Archive, Exit};
pub use file_name::file_name;
pub use html::Html;
pub use json::Json;
pub use lines::Lines;
pub use markdown::{fence, markdown};
pub use message::Message;
pub use open_metrics::OpenMetrics;
pub use visible::{acts, drawable, visible};
