//! Places one job under one policy: feasible nodes, tier by tier in the policy's order, are picked and get
//! tasks.

use super::distribute::{NodePicker, TaskShare};
use super::node_sets::within_set;
use super::{
    AllocationPolicy, Candidate, FeasibleNodes, JobPolicyInput, NodeMatchPolicy, PolicyQuery, PolicyTier,
    TaskRequirement,
};
use qscope_engine::cluster::{Epoch, NodeId};
use qscope_engine::universe::{Bit, NodeSet};

/// One node of a placement, and why it was picked.
#[derive(Clone, PartialEq, Debug)]
pub struct PickedNode {
    pub node: NodeId,
    /// Its position in scheduling order.
    pub bit: Bit,
    pub tasks: u32,
    /// Number of tasks it could have taken.
    pub offered: u32,
    pub tier: PolicyTier,
    /// The value it was compared by, in words.
    pub key: String,
    /// Whether its value equals that of the next node, so that the order of the dump decided.
    pub tie: bool,
    /// When the next reservation takes the node away; none if none does.
    pub until: Option<Epoch>,
}

/// The nodes and the start of a job.
#[derive(Clone, PartialEq, Debug)]
pub struct Placement {
    pub start: Epoch,
    /// Its nodes, in the order picked within each part.
    pub picks: Vec<PickedNode>,
}

/// The feasible nodes of every part of a job at a start time; the same for all policies.
pub struct FeasibleParts {
    pub start: Epoch,
    /// The feasible nodes of each part of the select, in its order.
    pub parts: Vec<FeasibleNodes>,
}

impl FeasibleParts {
    pub fn at(site_request: &JobPolicyInput<'_>, start: Epoch) -> Self {
        let none = NodeSet::new(site_request.site.plan().nodes.len());
        let parts = site_request
            .request
            .requirements
            .iter()
            .map(|part| site_request.feasible_nodes(part, start, &none))
            .collect();
        Self { start, parts }
    }

    /// Checks whether tasks and nodes suffice at all, whatever the policy.
    ///
    /// # Errors
    /// What is short, with the numbers of the first part that is short.
    pub fn suffices(&self, site_request: &JobPolicyInput<'_>) -> Result<(), String> {
        for (part, feasible) in site_request.request.requirements.iter().zip(&self.parts) {
            let found = feasible.tasks();
            if found < u64::from(part.tasks) {
                return Err(format!("CPU: {found} of {} tasks fit", part.tasks));
            }
            if feasible.candidates.len() < part.nodes as usize {
                return Err(format!("{} of {} nodes", feasible.candidates.len(), part.nodes));
            }
        }
        Ok(())
    }
}

/// Places a job by a policy on the offered nodes.
///
/// # Errors
/// Why the policy finds no placement.
pub fn allocate(
    site_request: &JobPolicyInput<'_>,
    offer: &FeasibleParts,
    policy: &dyn AllocationPolicy,
) -> Result<Placement, String> {
    offer.suffices(site_request)?;
    let mut taken: Vec<NodeId> = Vec::new();
    let mut picks: Vec<(usize, Vec<PickedNode>)> = Vec::new();
    for at in by_relative_need(site_request, offer) {
        let (Some(part), Some(feasible)) = (site_request.request.requirements.get(at), offer.parts.get(at))
        else {
            continue;
        };
        let rest: Vec<Candidate>;
        let candidates = if taken.is_empty() {
            &feasible.candidates
        } else {
            rest = feasible.candidates.iter().filter(|c| !taken.contains(&c.node)).copied().collect();
            &rest
        };
        let found = place_part(site_request, part, offer.start, candidates, policy)?;
        taken.extend(found.iter().map(|pick| pick.node));
        picks.push((at, found));
    }
    picks.sort_by_key(|(at, _)| *at);
    Ok(Placement { start: offer.start, picks: picks.into_iter().flat_map(|(_, picks)| picks).collect() })
}

/// Returns the parts by the share they need of the tasks that fit, the largest share first (rule 0.11).
fn by_relative_need(site_request: &JobPolicyInput<'_>, offer: &FeasibleParts) -> Vec<usize> {
    let hunger = |at: &usize| {
        let wanted = site_request.request.requirements.get(*at).map_or(0.0, |part| f64::from(part.tasks));
        let found = offer.parts.get(*at).map_or(0.0, |feasible| feasible.tasks() as f64);
        if found > 0.0 { wanted / found } else { f64::INFINITY }
    };
    let mut order: Vec<usize> = (0..offer.parts.len()).collect();
    order.sort_by(|a, b| hunger(b).total_cmp(&hunger(a)));
    order
}

fn place_part(
    site_request: &JobPolicyInput<'_>,
    part: &TaskRequirement,
    start: Epoch,
    candidates: &[Candidate],
    policy: &dyn AllocationPolicy,
) -> Result<Vec<PickedNode>, String> {
    let within = in_node_set(site_request, part, candidates)?;
    let question = PolicyQuery::new(site_request, part, start, &within);
    policy.can_answer(&question)?;
    let mut picking = NodePicker::default();
    let mut refusal = None;
    for tier in PolicyTier::ALL {
        let tier: Vec<Candidate> =
            within.iter().filter(|candidate| candidate.tier == tier).copied().collect();
        if tier.is_empty() {
            continue;
        }
        match policy.order(&question, &tier) {
            Ok(ordered) => picking.pick_in_order(part, &ordered),
            Err(why) => refusal = Some(why),
        }
        if picking.is_done(part) {
            return Ok(picks(&question, policy, picking.shares(part)));
        }
    }
    let short =
        || format!("{} uses only nodes for {} of {} tasks", policy.name(), picking.tasks(), part.tasks);
    Err(refusal.unwrap_or_else(short))
}

/// Returns the candidates that the site's node sets leave (rule 3.5), with the tasks that JOBNODEMATCHPOLICY
/// allows.
fn in_node_set(
    input: &JobPolicyInput<'_>,
    requirement: &TaskRequirement,
    candidates: &[Candidate],
) -> Result<Vec<Candidate>, String> {
    let options = input.site.options;
    let mut all = candidates.to_vec();
    if options.node_match == NodeMatchPolicy::ExactNode && requirement.nodes > 0 {
        all.iter_mut()
            .for_each(|candidate| candidate.tasks = candidate.tasks.min(requirement.per_node.max(1)));
    }
    let Some(sets) = &options.node_sets else { return Ok(all) };
    let traits = |candidate: &Candidate| {
        let traits = &input.site.traits.by_node[candidate.node];
        let snap = &input.site.plan().snap;
        let features = traits.all_features(&snap.nodes[candidate.node], &snap.catalogue);
        (features, traits.procspeed.unwrap_or(0.0))
    };
    let wanted = (u64::from(requirement.tasks), requirement.nodes as usize);
    within_set(sets, &all, wanted, &traits)
}

fn picks(query: &PolicyQuery<'_>, policy: &dyn AllocationPolicy, shares: Vec<TaskShare>) -> Vec<PickedNode> {
    let keys: Vec<super::policy::CandidateKey> =
        shares.iter().map(|share| policy.key(query, &share.candidate)).collect();
    let pick = |(at, share): (usize, TaskShare)| PickedNode {
        node: share.candidate.node,
        bit: share.candidate.bit,
        tasks: share.tasks,
        offered: share.offered,
        tier: share.candidate.tier,
        key: policy.show_key(query, &share.candidate),
        tie: keys.get(at) == keys.get(at + 1) && at + 1 < keys.len(),
        until: share.candidate.until,
    };
    shares.into_iter().enumerate().map(pick).collect()
}
