//! A whole cycle under one policy: it orders the nodes of the node path, job by job.

use std::sync::Arc;

use super::allocate::Offer;
use super::compare::policy_of;
use super::local::LocalHook;
use super::name::PolicyName;
use super::options::MauiOptions;
use super::policy::Question;
use super::site::{Site, SiteRequest};
use super::task_request::TaskRequest;
use super::tier::Tier;
use super::traits::SiteTraits;
use qscope_engine::cluster::{JobId, Snapshot};
use qscope_engine::universe::{Bit, NodeRanking, NodeSet, State};

/// One policy in the place of the scheduler's node order.
#[derive(Debug)]
pub struct PolicyRanking {
    policy: PolicyName,
    options: MauiOptions,
    traits: Arc<SiteTraits>,
    hook: Option<Box<dyn LocalHook>>,
}

impl PolicyRanking {
    /// A policy over a cluster; `hook` is what LOCAL asks.
    pub fn new(policy: PolicyName, snap: &Snapshot, hook: Option<Box<dyn LocalHook>>) -> Self {
        let options = MauiOptions::read(snap);
        Self { policy, traits: Arc::new(SiteTraits::of(snap, &options)), options, hook }
    }
}

impl NodeRanking for PolicyRanking {
    fn name(&self) -> &str {
        self.policy.word()
    }

    /// Nodes that could serve the first part of the select, in the policy's order, then the others as they
    /// stood.
    fn rank(&self, state: &State, job: JobId, nodes: Vec<Bit>) -> Vec<Bit> {
        let Ok(request) = TaskRequest::of(&state.plan, &self.options, job) else { return nodes };
        let Some(part) = request.requirements.first() else { return nodes };
        let site = Site::with_traits(state, &self.options, self.traits.clone());
        let site_request = SiteRequest::new(&site, &request);
        let allowed = NodeSet::of(state.plan.nodes.len(), nodes.iter().copied());
        let offer = Offer::at(&site_request, state.now);
        let Some(feasible) = offer.parts.first() else { return nodes };
        let all: Vec<_> = feasible.candidates.iter().filter(|c| allowed.contains(c.bit)).copied().collect();
        let question = Question::new(&site_request, part, state.now, &all);
        let policy = policy_of(self.policy, &self.options, self.hook.as_deref());
        let mut ranked = Vec::with_capacity(nodes.len());
        let mut placed = NodeSet::new(state.plan.nodes.len());
        for tier in Tier::ALL {
            let tier: Vec<_> = all.iter().filter(|candidate| candidate.tier == tier).copied().collect();
            // A policy that finds nothing in a tier leaves its nodes as they stood.
            for candidate in policy.order(&question, &tier).unwrap_or_default() {
                if !placed.contains(candidate.bit) {
                    placed.insert(candidate.bit);
                    ranked.push(candidate.bit);
                }
            }
        }
        ranked.extend(nodes.into_iter().filter(|bit| !placed.contains(*bit)));
        ranked
    }
}
