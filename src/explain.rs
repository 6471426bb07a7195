//! Why: one decision told stage by stage, in plain words with the numbers compared.

mod log_lines;
mod stages;
mod tier;
mod why;

pub use log_lines::{log_lines, request_at};
pub use stages::{ChunkOffer, StageText, stages};
pub use tier::Tier;
pub use why::{Why, why};
