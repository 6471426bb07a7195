//! Why: one decision told stage by stage, in plain words with the numbers compared.

mod stages;
mod tier;
mod why;

pub use stages::{ChunkOffer, StageText, stages};
pub use tier::Tier;
pub use why::{Why, why};
