//! Fair share usage from cycle to cycle (days rule 9).
//!
//! Usage is stored by leaf, and each cycle builds its tree from it. The time between a job's last cycle and its end
//! is never counted.

use std::collections::BTreeMap;

use qscope_engine::cluster::{ByPeriod, Epoch, Formula, Job, Name, Seconds, Snapshot, UsageRecord};
use qscope_engine::cycle::fairshare::{FairshareTree, entity_of};

use crate::server::SimulatedServer;

/// Usage by leaf, and the time of the last decay.
#[derive(Clone, Debug)]
pub(crate) struct FairshareUsage {
    usage: BTreeMap<Name, f64>,
    decayed: Epoch,
    formula: Option<Formula>,
}

impl FairshareUsage {
    /// Reads the usage at the start; `None` if nothing depends on it.
    pub(crate) fn new(snap: &Snapshot) -> Option<Self> {
        if !are_used(snap) {
            return None;
        }
        let (tree, _) = FairshareTree::new(&snap.share_groups, snap.policy.fairshare.unknown_shares);
        let is_group = |name: &Name| snap.share_groups.iter().any(|group| group.parent == *name);
        let leaves = snap.share_groups.iter().map(|group| &group.name);
        let recorded = snap.usage.iter().map(|record| (&record.name, record.usage));
        let mut usage: BTreeMap<Name, f64> = BTreeMap::new();
        let all = leaves.map(|name| (name, FairshareTree::LEAST_USAGE)).chain(recorded);
        for (name, amount) in all.filter(|(name, _)| !is_group(name)) {
            // The group of entities that the tree does not name is not a leaf.
            if tree.find(name) != Some(FairshareTree::UNKNOWN) && tree.find(name) != Some(FairshareTree::ROOT)
            {
                usage.insert(name.clone(), amount);
            }
        }
        let decayed = snap.usage.iter().filter_map(|record| record.decayed).max().unwrap_or(snap.now);
        Some(Self { usage, decayed, formula: Formula::parse(&snap.policy.fairshare.usage_res).ok() })
    }

    /// Returns the usage by leaf, and the time of the last decay.
    pub(crate) fn usage_and_decay(&self) -> (BTreeMap<Name, f64>, Epoch) {
        (self.usage.clone(), self.decayed)
    }

    /// Before a cycle: adds what running jobs used since the last one, and applies the decays that are due.
    pub(crate) fn accumulate(&mut self, server: &mut SimulatedServer) {
        self.count(server);
        self.decay(server.now(), &server.snap.policy.fairshare.decay_time.clone(), server);
        let usage = self.usage.iter().map(|(name, usage)| UsageRecord {
            name: name.clone(),
            usage: *usage,
            // Decays that are due have been applied already.
            decayed: None,
        });
        server.snap_mut().usage = usage.collect();
    }

    fn count(&mut self, server: &mut SimulatedServer) {
        for id in server.running.clone() {
            let Some(job) = server.job(id) else { continue };
            let used = self.used(&server.snap, job);
            let name = leaf_of(job, &server.snap);
            if let Some(last) = server.tracks[id].counted {
                *self.usage.entry(name).or_insert(FairshareTree::LEAST_USAGE) += (used - last).max(0.0);
                server.tracks[id].counted = Some(used);
            }
        }
    }

    /// After a cycle: usage of jobs running now counts from here on.
    pub(crate) fn mark(&self, server: &mut SimulatedServer) {
        for id in server.running.clone() {
            if server.tracks[id].counted.is_some() {
                continue;
            }
            // A new start begins with no usage; what a resumed job used before has been counted.
            let is_new = std::mem::take(&mut server.tracks[id].run.is_new);
            let used = match server.job(id) {
                Some(job) if !is_new => self.used(&server.snap, job),
                _ => 0.0,
            };
            server.tracks[id].counted = Some(used);
        }
    }

    /// Evaluates `fairshare_usage_res` with what a job has used or, for resources without usage, what it requests.
    fn used(&self, snap: &Snapshot, job: &Job) -> f64 {
        let value = |name: &str| {
            let resource = snap.catalogue.id(name)?;
            let amount = job.used.amount(resource).or_else(|| job.requested.amount(resource));
            Some(amount.map_or(0.0, |amount| amount.0))
        };
        self.formula.as_ref().and_then(|formula| formula.evaluate(&value).ok()).unwrap_or(0.0)
    }

    fn decay(&mut self, now: Epoch, time: &Seconds, server: &SimulatedServer) {
        let factor = server.snap.policy.fairshare.decay_factor;
        if time.0 <= 0 || now < self.decayed {
            return;
        }
        let (mut since, mut decayed) = (now - self.decayed, false);
        while since > *time {
            for usage in self.usage.values_mut() {
                *usage = (*usage * factor).max(FairshareTree::LEAST_USAGE);
            }
            since.0 -= time.0;
            decayed = true;
        }
        if decayed {
            self.decayed = now - Seconds((now - self.decayed).0 % time.0);
        }
    }
}

/// Whether order or preemption depends on usage at any time of day.
fn are_used(snap: &Snapshot) -> bool {
    let at_any_time = |option: &ByPeriod<bool>| option.prime || option.non_prime;
    let formulas = [&snap.server.job_sort_formula, &snap.scheduler.job_sort_formula];
    let names_shares = |text: &String| text.contains("fairshare") || text.contains("fair_share");
    at_any_time(&snap.policy.fair_share) || formulas.into_iter().flatten().any(names_shares)
}

/// Returns the leaf to which a job's usage is charged.
fn leaf_of(job: &Job, snap: &Snapshot) -> Name {
    let option = &snap.policy.fairshare.entity;
    entity_of(job, option).unwrap_or_else(|| format!("{}:{}", job.group, job.user).into())
}
