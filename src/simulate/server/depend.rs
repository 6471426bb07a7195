//! Jobs that wait for others (`depend`): released or deleted as soon as that is decided (days rule 6).

use qscope_engine::cluster::Name;

use super::Server;
use crate::result::JobEnd;
use crate::track::TrackId;

/// What has to have become of the other job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Condition {
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
    pub(crate) condition: Condition,
    /// Its id, without the server's name behind `@`.
    pub(crate) on: Name,
}

/// How a dependency stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Met,
    Open,
    Never,
}

/// Reads the four kinds that the server decides; others are left to the cycle, or not modelled.
pub(crate) fn read(text: &str) -> Vec<Dependency> {
    let mut all = Vec::new();
    for list in text.split(',') {
        let Some((kind, ids)) = list.trim().split_once(':') else { continue };
        let condition = match kind {
            "after" => Condition::Started,
            "afterok" => Condition::Succeeded,
            "afternotok" => Condition::Failed,
            "afterany" => Condition::Gone,
            _ => continue,
        };
        let ids = ids.split(':').map(|id| id.split('@').next().unwrap_or(id).trim());
        all.extend(ids.filter(|id| !id.is_empty()).map(|on| Dependency { condition, on: on.into() }));
    }
    all
}

impl Server {
    /// Releases what may go on and deletes what never may, in server order until nothing changes. Returns whether a
    /// job was released.
    pub(crate) fn settle_depends(&mut self) -> bool {
        let mut released = false;
        loop {
            let mut changed = false;
            for id in self.dependants.clone() {
                if !self.tracks[id].is_here || !self.tracks[id].hold.depends {
                    continue;
                }
                match self.fate(id) {
                    Fate::Open => continue,
                    Fate::Met => {
                        self.tracks[id].hold.depends = false;
                        self.settle_state(id);
                        released = true;
                    }
                    Fate::Never => self.leave(id, JobEnd::Deleted, 271),
                }
                changed = true;
            }
            let tracks = &self.tracks;
            self.dependants.retain(|id| tracks[*id].is_here && tracks[*id].hold.depends);
            if !changed {
                return released;
            }
        }
    }

    fn fate(&self, id: TrackId) -> Fate {
        let mut all = Fate::Met;
        for dependency in &self.tracks[id].depends {
            match self.standing_of(dependency) {
                Fate::Met => {}
                Fate::Open => all = Fate::Open,
                Fate::Never => return Fate::Never,
            }
        }
        all
    }

    /// Whether it is not decided yet what a dependency comes to.
    pub(crate) fn is_open(&self, dependency: &Dependency) -> bool {
        self.standing_of(dependency) == Fate::Open
    }

    /// How one dependency stands; a job that the server never had counts as gone and well.
    fn standing_of(&self, dependency: &Dependency) -> Fate {
        let Some(on) = self.tracks.find(&dependency.on) else {
            return if dependency.condition == Condition::Failed { Fate::Never } else { Fate::Met };
        };
        let track = &self.tracks[on];
        let ended_well = track.exit.map(|exit| exit == 0);
        match (dependency.condition, ended_well) {
            (Condition::Started, None) if track.has_started() => Fate::Met,
            (_, None) => Fate::Open,
            (Condition::Succeeded, Some(false)) | (Condition::Failed, Some(true)) => Fate::Never,
            (_, Some(_)) => Fate::Met,
        }
    }
}
