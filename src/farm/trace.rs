//! Work from files: accounting logs, traces, rows, read as streams.

pub mod accounting;
pub mod history;
mod lines;
mod logs;
mod placed;
mod reader;
pub mod swf;

pub use history::{History, Notes, Past, Unplaced};
pub use placed::replay;
pub use reader::{Kind, Progress, holds_logs, kind_of, read_history};
