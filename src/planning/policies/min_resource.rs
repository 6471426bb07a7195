//! MINRESOURCE: the fewest configured resources that suffice (rule 1.5).

use super::policy::{AllocationPolicy, CandidateKey, PolicyQuery, key_of};
use super::{Candidate, MinResourceKey, PolicyName};
use qscope_engine::cluster::ResourceId;
use qscope_engine::universe::{Bit, ConsIx};

/// Configured (not free) amounts, the smallest first; equal nodes in reverse order of the dump, as Maui
/// scans.
pub(super) struct MinResource;

impl AllocationPolicy for MinResource {
    fn name(&self) -> PolicyName {
        PolicyName::MinResource
    }

    fn key(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> CandidateKey {
        let site = question.site_request.site;
        let amounts = ConfiguredAmounts::of(question, candidate.bit);
        match site.options.min_resource {
            MinResourceKey::Mem => [amounts.mem, amounts.procs, amounts.disk, amounts.swap],
            MinResourceKey::Procs => [amounts.procs, amounts.mem, amounts.disk, amounts.swap],
            MinResourceKey::Vector => key_of(share(question, candidate)),
        }
    }

    fn reverses_ties(&self, _question: &PolicyQuery<'_>) -> bool {
        true
    }

    fn show_key(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> String {
        let amounts = ConfiguredAmounts::of(question, candidate.bit);
        if question.site_request.site.options.min_resource == MinResourceKey::Vector {
            return format!("size {:.3}", share(question, candidate));
        }
        format!("{:.0} MB, {:.0} cpus configured", amounts.mem, amounts.procs)
    }
}

/// The configured amounts of a node, in MB except for processors; 0 where unset.
pub(super) struct ConfiguredAmounts {
    pub mem: f64,
    pub procs: f64,
    pub disk: f64,
    pub swap: f64,
}

impl ConfiguredAmounts {
    pub(super) fn of(question: &PolicyQuery<'_>, bit: Bit) -> Self {
        let site = question.site_request.site;
        let node = &site.plan().snap.nodes[site.plan().nodes[bit].id];
        let amount = |id: Option<ResourceId>| {
            id.and_then(|id| node.available.amount(id)).map_or(0.0, |amount| amount.0)
        };
        Self {
            mem: (amount(Some(ResourceId::mem())) / 1024.0).floor(),
            procs: amount(Some(ResourceId::ncpus())),
            disk: (amount(site.traits.disk) / 1024.0).floor(),
            swap: (amount(site.traits.swap) / 1024.0).floor(),
        }
    }
}

/// Returns the sum of the configured amounts of requested resources, each as a share of the largest node's.
fn share(query: &PolicyQuery<'_>, candidate: &Candidate) -> f64 {
    let plan = query.site_request.site.plan();
    let share = |(ix, largest): &(ConsIx, f64)| {
        let has = plan.capacity.available(*ix, candidate.bit);
        if *largest > 0.0 && has.is_finite() { has / largest } else { 0.0 }
    };
    query.facts.largest.iter().map(share).sum()
}
