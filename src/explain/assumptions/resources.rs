//! Resources that could turn a verdict: those not known to be checked, and those supplied by a program.

use qscope_engine::cluster::{AssumptionReason, Job, Origin, SnapshotFact};
use qscope_engine::cycle::{Outcome, RefusalStage};
use qscope_engine::universe::Reason;

use super::Assumption;
use super::sensitivity::Judge;

impl Judge {
    /// Returns the resources that a job requests in chunks and that are not known to be checked, or only by
    /// inference.
    pub(super) fn on_checked(&self, job: &Job, could_turn: bool) -> Vec<Assumption> {
        let origins = &self.snap().origins;
        if origins.of(SnapshotFact::CheckedResources).is_seen() {
            return Vec::new();
        }
        let mut found: Vec<Assumption> = Vec::new();
        for name in requested(job) {
            let origin = origins.of_checked(name);
            let proved = origins.is_proved(name);
            if self.is_certain(name) && !proved {
                continue;
            }
            let origin = match origin {
                Some(origin) if proved => origin.clone(),
                _ => origins.of(SnapshotFact::CheckedResources).clone(),
            };
            let could_turn = could_turn && !proved;
            match found.iter_mut().find(|have| have.origin == origin) {
                Some(have) => have.resources.push(name.to_owned()),
                None => found.push(Assumption {
                    fact: SnapshotFact::CheckedResources,
                    origin,
                    resources: vec![name.to_owned()],
                    could_turn,
                }),
            }
        }
        found
    }

    /// Whether it is known even without `sched_config` that the scheduler checks a resource.
    fn is_certain(&self, name: &str) -> bool {
        matches!(self.snap().origins.of_checked(name), Some(Origin::Inferred(_)))
    }

    /// Whether a verdict depends on resources not known to be checked. It does not if the sums over all nodes lack a
    /// resource that is known to be.
    pub(super) fn depends_on_checked(&self, outcome: &Outcome) -> bool {
        let Some(Reason::Resource(shortage)) = outcome.rejection.as_ref().map(|rejection| &rejection.reason)
        else {
            return true;
        };
        let named = self.snap().catalogue.name(shortage.resource);
        !(outcome.refused_at == Some(RefusalStage::AllNodes) && self.is_certain(named))
    }

    /// Returns the resources requested by a job whose amounts a program supplies or may supply, that is, those that
    /// no vnode has.
    pub(super) fn on_dynamic(&self, job: &Job) -> Option<Assumption> {
        let snap = self.snap();
        let origin = match snap.origins.of(SnapshotFact::DynamicResources) {
            Origin::Seen => {
                Origin::Assumed(AssumptionReason::Other("what its program prints is in no dump".into()))
            }
            unseen => unseen.clone(),
        };
        let is_seen = snap.origins.of(SnapshotFact::DynamicResources).is_seen();
        let whole = job.requested.iter().map(|(id, _)| &**snap.catalogue.name(id));
        let mut names: Vec<String> = Vec::new();
        for name in requested(job).chain(whole) {
            let is_dynamic = if is_seen {
                snap.policy.server_dyn_res.iter().any(|have| **have == *name)
            } else {
                self.facts.is_of_site(name) && !self.facts.is_carried(snap.catalogue.id(name))
            };
            if is_dynamic && !names.iter().any(|have| have == name) {
                names.push(name.to_owned());
            }
        }
        let resources = names;
        (!resources.is_empty()).then_some(Assumption {
            fact: SnapshotFact::DynamicResources,
            origin,
            resources,
            could_turn: true,
        })
    }
}

/// Returns the names of the resources that a job requests in chunks.
fn requested(job: &Job) -> impl Iterator<Item = &str> {
    let mut seen: Vec<&str> = Vec::new();
    job.chunk_requests().filter_map(move |request| {
        let name = &*request.resource;
        let fresh = !seen.contains(&name);
        seen.push(name);
        fresh.then_some(name)
    })
}
