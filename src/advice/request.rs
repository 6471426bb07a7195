//! Tries a request: whether the server would accept it, whether it would start now and where, otherwise when and why,
//! and which smaller request would start at once.

mod answer;
mod indices;
mod nodes_option;
mod options;
mod queued;
mod refusal;
mod script;
mod submit;

pub use answer::{RequestAnswer, RequestEffort, RequestStart, SubjobCounts, answer};
pub use indices::{OptionError, SubjobIndices};
pub use options::SubmitRequest;
pub use refusal::SubmitRefusal;
pub use script::{is_script, read_script};
pub use submit::{AcceptedRequest, submit};
