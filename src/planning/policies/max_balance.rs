//! MAXBALANCE: nodes of equal or most similar speed (rule 1.7).

use super::policy::{AllocationPolicy, CandidateKey, PolicyQuery, key_of};
use super::{Candidate, PolicyName};

/// The range of speeds with the smallest span that holds the job; of equals the slowest, which keeps fast
/// nodes free.
pub(super) struct MaxBalance;

impl AllocationPolicy for MaxBalance {
    fn name(&self) -> PolicyName {
        PolicyName::MaxBalance
    }

    fn key(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> CandidateKey {
        key_of(metric(question, candidate))
    }

    fn order(&self, question: &PolicyQuery<'_>, tier: &[Candidate]) -> Result<Vec<Candidate>, String> {
        let mut keyed: Vec<(f64, Candidate)> =
            tier.iter().map(|candidate| (metric(question, candidate), *candidate)).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.node.cmp(&b.1.node)));
        let (tasks, nodes) = (u64::from(question.part.tasks), question.part.nodes as usize);
        match narrowest(&keyed, tasks, nodes) {
            Some((low, high)) => {
                let inside = keyed.into_iter().filter(|(value, _)| (low..=high).contains(value));
                Ok(inside.map(|(_, candidate)| candidate).collect())
            }
            None => Err("Locality: no range of speeds holds the job".to_owned()),
        }
    }

    fn show_key(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> String {
        let value = metric(question, candidate);
        if question.facts.has_procspeed { format!("{value} MHz") } else { format!("speed {value}") }
    }
}

fn metric(query: &PolicyQuery<'_>, candidate: &Candidate) -> f64 {
    let traits = &query.site_request.site.traits.by_node[candidate.node];
    if query.facts.has_procspeed { traits.procspeed.unwrap_or(0.0) } else { traits.relative_speed() }
}

/// Returns the narrowest range of values that holds the job, of equals the lowest, by a sliding window over
/// the sorted values.
fn narrowest(sorted: &[(f64, Candidate)], tasks: u64, nodes: usize) -> Option<(f64, f64)> {
    let mut best: Option<(f64, f64)> = None;
    let (mut start, mut sum) = (0, 0_u64);
    for (end, (high, candidate)) in sorted.iter().enumerate() {
        sum += u64::from(candidate.tasks);
        while let Some((low, first)) = sorted.get(start) {
            let rest = sum - u64::from(first.tasks);
            // The window only shrinks while it still holds the job.
            if rest < tasks || end - start < nodes.max(1) {
                let holds = sum >= tasks && end + 1 - start >= nodes;
                if holds && best.is_none_or(|(old_low, old_high)| high - low < old_high - old_low) {
                    best = Some((*low, *high));
                }
                break;
            }
            sum = rest;
            start += 1;
        }
    }
    best
}
