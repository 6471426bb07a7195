//! What a job waits for of others (`depend`).

use qscope_engine::cluster::Name;

/// What has to have become of the other job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DependencyCondition {
    /// `after`: it started, or is gone.
    Started,
    /// `afterok`: it ended with exit status 0.
    Succeeded,
    /// `afternotok`: it ended with another.
    Failed,
    /// `afterany`: it is gone.
    Gone,
}

/// One job that another waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Dependency {
    /// What has to have become of it.
    pub(crate) condition: DependencyCondition,
    /// Its id, without the server's name behind `@`.
    pub(crate) on: Name,
}

/// Reads the four kinds that the server decides; others are left to the cycle, or not modelled.
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
