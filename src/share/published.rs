//! The published file: a redacted cluster with the answers about its jobs already in it, which any user may read.
//!
//! It is an archive (tar, compressed in two parts). The first part holds the answers alone, so that one job's answer
//! takes neither the cluster nor a cycle; the second the dumps, so that any reader of archives opens the cluster. The
//! head of the first part names the format and how long the file is.

mod advice;
mod answers;
mod paths;
mod reading;
mod text;
mod writing;

pub use advice::{Advice, AdviceError};
pub use answers::{Answer, PublishedEffort, answers};
pub use paths::{Configured, etc, published_path};
pub use reading::{Published, PublishedError};
pub use text::{as_lines, header_line};
pub(crate) use writing::tar_file;
pub use writing::{place, write};

use serde::{Deserialize, Serialize};

/// The version of the format that is written and read.
pub(crate) const FORMAT: u32 = 1;
/// What the comment of the file's head begins with.
pub(crate) const MAGIC: &str = "qscope-published";
/// The archive's first file.
pub(crate) const ANSWERS: &str = "published/answers.jsonl";

/// What stands above the answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PublishedHead {
    /// `qscope-published 1`.
    pub format: String,
    /// The program that wrote it.
    pub written_by: String,
    /// The moment of the dumps, in seconds since 1970.
    pub now: i64,
    /// The same on the clock of the site.
    pub clock: String,
    /// When it was published, in seconds since 1970.
    pub published: i64,
    /// The server's name.
    pub server: String,
    /// How many jobs have an answer.
    pub jobs: usize,
    /// Whether users stand under their own names.
    pub users: bool,
    /// What holds for every job: that scheduling is off, for example.
    pub banners: Vec<String>,
}

/// What [`PublishedHead::format`] is.
pub fn format_name() -> String {
    format!("{MAGIC} {FORMAT}")
}
