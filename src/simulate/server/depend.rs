//! Jobs with dependencies (`depend`): released or deleted as soon as the outcome is known (days rule 6).

use std::collections::BTreeSet;

use qscope_engine::cluster::{Name, count, first_names};

use super::SimulatedServer;
use crate::arrivals::NAMED;
use crate::dependency::{Dependency, DependencyCondition};
use crate::job_result::JobEnd;
use crate::track::SimulatedJobId;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DependencyStatus {
    Met,
    Open,
    Never,
}

/// Dependencies on ids that the server had never had when they were decided.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct UnknownDependencies {
    ids: BTreeSet<Name>,
    released: usize,
    deleted: usize,
}

impl UnknownDependencies {
    /// Returns a sentence, if there were any.
    pub(crate) fn sentence(&self) -> Option<String> {
        let Self { ids, released, deleted } = self;
        let names: Vec<&Name> = ids.iter().collect();
        let names = first_names(&names, NAMED);
        let jobs = count(released + deleted, "dependent job");
        let deleted = if *deleted > 0 {
            format!(", so {} (afternotok)", deleted_words(*deleted))
        } else {
            String::new()
        };
        (!ids.is_empty()).then(|| {
            format!(
                "unknown-depend: {jobs} of ids that the server did not have ({names}): these count as ended with exit status 0{deleted}"
            )
        })
    }
}

fn deleted_words(count: usize) -> String {
    if count == 1 { "1 was deleted".to_owned() } else { format!("{count} were deleted") }
}

impl SimulatedServer {
    /// Releases jobs whose dependencies are met and deletes jobs whose dependencies cannot be met, in server order
    /// until nothing changes. Returns whether a job was released.
    pub(crate) fn settle_depends(&mut self) -> bool {
        let mut released = false;
        loop {
            let mut changed = false;
            for id in self.dependants.clone() {
                if !self.tracks[id].is_at_server || !self.tracks[id].hold.depends {
                    continue;
                }
                let fate = self.fate(id);
                if fate != DependencyStatus::Open {
                    self.note_unknown(id, fate);
                }
                match fate {
                    DependencyStatus::Open => continue,
                    DependencyStatus::Met => {
                        self.tracks[id].hold.depends = false;
                        self.settle_state(id);
                        released = true;
                    }
                    DependencyStatus::Never => self.leave(id, JobEnd::Deleted, 271),
                }
                changed = true;
            }
            let tracks = &self.tracks;
            self.dependants.retain(|id| tracks[*id].is_at_server && tracks[*id].hold.depends);
            if !changed {
                return released;
            }
        }
    }

    /// Notes the dependencies of a decided job on ids that the server has never had.
    fn note_unknown(&mut self, id: SimulatedJobId, fate: DependencyStatus) {
        let Self { tracks, unknown_depends, .. } = self;
        let unknown: Vec<&Dependency> =
            tracks[id].depends.iter().filter(|one| tracks.find_named(&one.on).is_none()).collect();
        if unknown.is_empty() {
            return;
        }
        let is_deleted = fate == DependencyStatus::Never
            && unknown.iter().any(|one| one.condition == DependencyCondition::Failed);
        unknown_depends.deleted += usize::from(is_deleted);
        unknown_depends.released += usize::from(!is_deleted);
        unknown_depends.ids.extend(unknown.into_iter().map(|one| one.on.clone()));
    }

    fn fate(&self, id: SimulatedJobId) -> DependencyStatus {
        let mut all = DependencyStatus::Met;
        for dependency in &self.tracks[id].depends {
            match self.status_of(dependency) {
                DependencyStatus::Met => {}
                DependencyStatus::Open => all = DependencyStatus::Open,
                DependencyStatus::Never => return DependencyStatus::Never,
            }
        }
        all
    }

    /// Whether a dependency is still undecided.
    pub(crate) fn is_open(&self, dependency: &Dependency) -> bool {
        self.status_of(dependency) == DependencyStatus::Open
    }

    /// Returns the status of one dependency; a job that the server never had counts as ended successfully.
    fn status_of(&self, dependency: &Dependency) -> DependencyStatus {
        let Some(on) = self.tracks.find_named(&dependency.on) else {
            return if dependency.condition == DependencyCondition::Failed {
                DependencyStatus::Never
            } else {
                DependencyStatus::Met
            };
        };
        let track = &self.tracks[on];
        let ended_well = track.exit.map(|exit| exit == 0);
        match (dependency.condition, ended_well) {
            (DependencyCondition::Started, None) if track.has_started() => DependencyStatus::Met,
            (_, None) => DependencyStatus::Open,
            (DependencyCondition::Succeeded, Some(false)) | (DependencyCondition::Failed, Some(true)) => {
                DependencyStatus::Never
            }
            (_, Some(_)) => DependencyStatus::Met,
        }
    }
}
