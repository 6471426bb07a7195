//! Whose share a job uses.

use crate::cluster::{Job, Name};

/// The name of a job's entity, by `fairshare_entity` (rule 1.11); none for an unknown option, or a job
/// without an account.
pub fn entity_of(job: &Job, option: &str) -> Option<Name> {
    match option {
        "euser" => Some(job.user.clone()),
        "egroup" => Some(job.group.clone()),
        "Account_Name" => job.account.clone(),
        "queue" => Some(job.queue.clone()),
        "egroup:euser" => Some(format!("{}:{}", job.group, job.user).into()),
        _ => None,
    }
}
