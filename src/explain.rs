//! Why: what keeps a job waiting, what stands in its way, when it would start, and what change would let it.
//!
//! [`why`] answers for one job, fast: every cause that applies, the decision stage by stage, and whether the
//! scheduler's own comment tells the truth. [`funnels`] counts the nodes lost at every condition.

mod answer;
mod cause;
mod comment;
mod funnel;
mod log_lines;
mod node_check;
mod node_story;
mod room;
mod sets;
mod stages;
mod tier;
mod turn;
mod why;
pub mod words;

pub use answer::{Line, Section, as_markdown, as_text, on_node, sections, wrapped};
pub use cause::{Ahead, Cause, causes, fits_idle};
pub use comment::{Comment, judge};
pub use funnel::{Funnel, FunnelStep, NearMiss, funnels};
pub use log_lines::{log_lines, request_at};
pub use node_check::{Condition, Failure};
pub use node_story::{NodeStory, PartOnNode, Turned, why_node, why_not_here};
pub use stages::{ChunkOffer, StageText, stages};
pub use tier::Tier;
pub use turn::Turn;
pub use why::{Why, why};
