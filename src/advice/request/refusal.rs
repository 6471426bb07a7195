//! Why the server would not accept a request.

use serde::Serialize;

/// A reason of the server to refuse a request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SubmitRefusal {
    /// Its name in machine-readable output, such as `acl` or `resources_max`.
    pub kind: &'static str,
    /// The message that `qsub` prints.
    pub message: &'static str,
    /// What exactly is wrong, with both values.
    pub detail: String,
}
