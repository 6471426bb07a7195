//! Dependencies of a job on others (`depend`).

use qscope_engine::cluster::Name;

/// Condition on the other job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DependencyCondition {
    /// `after`: it has started or no longer exists.
    Started,
    /// `afterok`: it ended with exit status 0.
    Succeeded,
    /// `afternotok`: it ended with another exit status.
    Failed,
    /// `afterany`: it has ended.
    Gone,
}

/// A dependency on one job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Dependency {
    pub(crate) condition: DependencyCondition,
    /// Id of that job, without a server name after `@`.
    pub(crate) on: Name,
}

/// Parses the four kinds that the server decides; others are left to the cycle or not modelled.
pub(crate) fn read(text: &str) -> Vec<Dependency> {
    let mut all = Vec::new();
    for list in text.split(',') {
        let Some((kind, ids)) = list.trim().split_once(':') else { continue };
        let condition = match kind {
            "after" => DependencyCondition::Started,
            "afterok" => DependencyCondition::Succeeded,
            "afternotok" => DependencyCondition::Failed,
            "afterany" => DependencyCondition::Gone,
            _ => continue,
        };
        let ids = ids.split(':').map(|id| id.split('@').next().unwrap_or(id).trim());
        all.extend(ids.filter(|id| !id.is_empty()).map(|on| Dependency { condition, on: on.into() }));
    }
    all
}
