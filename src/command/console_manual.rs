//! The manual as the console shows it.

use qscope_console::Manual;

use super::help::page;
use crate::manual::{TOPICS, topic};

/// The pages of the manual, for `:help`.
pub(super) fn manual() -> Manual {
    Manual {
        topics: TOPICS.iter().map(|topic| topic.name).collect(),
        page: |name, width| Some(page::lines_within(topic(name)?.text, false, width)),
    }
}
