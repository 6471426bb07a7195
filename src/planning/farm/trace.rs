//! Work from files: accounting logs, traces and rows, read as streams.

pub use qscope_source::accounting;
pub mod history;
mod kind;
mod logs;
pub mod lsf;
mod reader;
mod replay;
pub mod swf;

pub use history::{TraceHistory, TraceNotes, TraceRow, UnknownNodesError};
pub use kind::{TraceKind, holds_logs, kind_of};
pub use reader::{ByteProgress, read_history};
pub use replay::replay;
