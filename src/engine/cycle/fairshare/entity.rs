//! Whose share a job uses.

use super::{EntityId, FairshareTree};
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

/// Whether a name of a job formula is about shares (rule 6.5).
pub fn is_share_name(name: &str) -> bool {
    ["fairshare_perc", "fair_share_perc", "fairshare_tree_usage", "fairshare_factor"].contains(&name)
}

impl FairshareTree {
    /// The entity of a job, by `fairshare_entity`; none where it has none, or the tree does not know it.
    pub fn entity_of(&self, job: &Job, option: &str) -> Option<EntityId> {
        self.find(&entity_of(job, option)?)
    }
}
