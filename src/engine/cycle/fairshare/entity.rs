//! Fair share entities of jobs.

use super::{EntityId, FairshareTree};
use crate::cluster::{Job, Name};

/// Returns the name of a job's entity according to `fairshare_entity` (rule 1.11); `None` for an unknown option or a
/// job without an account.
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

/// Whether a name in a job formula is a fair share value (rule 6.5).
pub fn is_share_name(name: &str) -> bool {
    ["fairshare_perc", "fair_share_perc", "fairshare_tree_usage", "fairshare_factor"].contains(&name)
}

impl FairshareTree {
    /// Returns the fair share value of an entity by its name in a job formula; `None` for any other name.
    pub(in crate::cycle) fn value_named(&self, entity: EntityId, name: &str) -> Option<f64> {
        match name {
            "fairshare_perc" | "fair_share_perc" => Some(self.percentage(entity)),
            "fairshare_tree_usage" => Some(self.tree_usage(entity)),
            "fairshare_factor" => Some(self.factor(entity)),
            _ => None,
        }
    }

    /// Returns the entity of a job according to `fairshare_entity`; `None` if it has none or the tree lacks it.
    pub fn entity_of(&self, job: &Job, option: &str) -> Option<EntityId> {
        self.find(&entity_of(job, option)?)
    }
}
