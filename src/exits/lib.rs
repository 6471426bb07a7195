//! The exits of the program for untrusted text: one function per exit.
//!
//! Names, comments and values come from files that every user of a cluster can write into, and from arguments. A
//! terminal obeys some characters, a shell runs a pasted line, and a line break within a value looks like a line of
//! the program. So a value is raw within the program, and passes exactly one of these functions on its way out:
//!
//! | exit | function |
//! |---|---|
//! | a cell or a line of the screen | [`visible`], and [`drawable`] for every cell drawn |
//! | plain text | [`Lines::line`]: one call is one line, whatever is in it |
//! | a text with colours | [`Ansi::text`] |
//! | JSON | [`json::compact`], [`json::pretty`]; [`Json`] as a page |
//! | an error message | [`Lines::line`] too; [`Message`] if it has several lines |
//! | the clipboard | [`ClipboardText`] |
//! | a file name | [`file_name`] |
//! | an HTML page, a picture | [`Html::put`] |
//! | Markdown | [`markdown`], in [`Lines`] |
//! | metrics | [`OpenMetrics::family`] |
//! | spreadsheet rows | [`Csv::row`]; [`csv_cell`] in tables whose lines are written one by one |
//!
//! [`Lines`], [`Ansi`], [`Json`], [`ClipboardText`], [`Html`], [`Csv`] and [`OpenMetrics`] can be filled in no other way, and
//! a file for others is written only from an [`Exit`]: a new exit that takes these types cannot be given raw text.
//!
//! ```compile_fail
//! // The clipboard takes no raw text:
//! let text: qscope_exits::ClipboardText = String::from("a job's name").into();
//! ```
//!
//! ```compile_fail
//! // Nor do lines of output:
//! let lines: qscope_exits::Lines = String::from("a job's comment").into();
//! ```
//!
//! ```compile_fail
//! // Nor do spreadsheet rows, where a name that begins with `=` would be a formula:
//! let rows = qscope_exits::Csv(String::from("=cmd()"));
//! ```
//!
//! ```compile_fail
//! // Nor do metrics:
//! let metrics = qscope_exits::OpenMetrics(String::from("a job's name"));
//! ```
//!
//! ```compile_fail
//! // Nor does JSON, which only a serializer writes:
//! let page = qscope_exits::Json(String::from("{"));
//! ```
//!
//! ```compile_fail
//! // Nor does an error message:
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
pub use clip::ClipboardText;
pub use csv::{Csv, csv_cell};
pub use exit::{Archive, Exit};
pub use file_name::file_name;
pub use html::Html;
pub use json::Json;
pub use lines::Lines;
pub use markdown::{fence, markdown};
pub use message::Message;
pub use open_metrics::OpenMetrics;
pub use visible::{drawable, is_control_or_format, visible};
