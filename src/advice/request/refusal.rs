//! Why the server would not accept a request.

use serde::Serialize;

/// A reason of the server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SubmitRefusal {
    /// The word for programs, such as `acl` or `resources_max`.
    pub kind: &'static str,
    /// What `qsub` prints.
    pub message: &'static str,
    /// What exactly is wrong, with both values.
    pub detail: String,
}
