//! CONTIGUOUS: neighbouring nodes (rule 1.6).

use super::policy::{AllocationPolicy, CandidateKey, PolicyQuery, key_of};
use super::traits::trailing_number;
use super::{Candidate, ContiguousFit, PolicyName, PositionSource};
use qscope_engine::cluster::{Id, count};

/// A run of consecutive positions that holds the whole job.
pub(super) struct Contiguous;

impl AllocationPolicy for Contiguous {
    fn name(&self) -> PolicyName {
        PolicyName::Contiguous
    }

    fn key(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> CandidateKey {
        let by = question.site_request.site.traits.positions;
        key_of(position(question, candidate, by).unwrap_or(0) as f64)
    }

    fn order(&self, question: &PolicyQuery<'_>, tier: &[Candidate]) -> Result<Vec<Candidate>, String> {
        let runs = runs(question, tier);
        let holds = |run: &[Candidate]| {
            tasks(run) >= u64::from(question.part.tasks) && run.len() >= question.part.nodes as usize
        };
        let found = match question.site_request.site.options.contiguous {
            ContiguousFit::First => runs.iter().find(|run| holds(run)).cloned(),
            ContiguousFit::Best => shortest(&runs, &holds),
        };
        match found {
            Some(candidates) => Ok(candidates),
            None => {
                let longest = runs.iter().map(|run| tasks(run)).max().unwrap_or(0);
                Err(format!(
                    "Locality: no contiguous run holds the job; the longest holds {}",
                    count(longest, "task")
                ))
            }
        }
    }

    fn show_key(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> String {
        let by = question.site_request.site.traits.positions;
        let at = position(question, candidate, by).map_or_else(|| "?".to_owned(), |at| at.to_string());
        match by {
            PositionSource::Slot => format!("slot {at}"),
            PositionSource::Name => format!("position {at}, from its name"),
            PositionSource::Dump => format!("position {at}, in the dump"),
        }
    }
}

fn position(question: &PolicyQuery<'_>, candidate: &Candidate, by: PositionSource) -> Option<i64> {
    let site = question.site_request.site;
    match by {
        PositionSource::Slot => site.traits.by_node[candidate.node].slot,
        PositionSource::Name => trailing_number(&site.plan().snap.nodes[candidate.node].name),
        PositionSource::Dump => i64::try_from(candidate.node.ix()).ok(),
    }
}

/// Returns the runs of consecutive positions, lowest first, among the nodes of the first candidate's
/// partition.
fn runs(query: &PolicyQuery<'_>, tier: &[Candidate]) -> Vec<Vec<Candidate>> {
    let by = query.site_request.site.traits.positions;
    let nodes = &query.site_request.site.plan().snap.nodes;
    let own = |candidate: &Candidate| {
        let node = &nodes[candidate.node];
        node.extra.partition.as_ref().or(node.partition.as_ref())
    };
    let partition = query.all.first().map(own);
    let mut placed: Vec<(i64, Candidate)> = tier
        .iter()
        .filter(|candidate| Some(own(candidate)) == partition)
        .filter_map(|candidate| Some((position(query, candidate, by)?, *candidate)))
        .collect();
    placed.sort_by_key(|(at, candidate)| (*at, candidate.node));
    let mut runs: Vec<Vec<Candidate>> = Vec::new();
    let mut last = None;
    for (at, candidate) in placed {
        match runs.last_mut() {
            Some(run) if last.is_some_and(|last: i64| at <= last.saturating_add(1)) => run.push(candidate),
            _ => runs.push(vec![candidate]),
        }
        last = Some(at);
    }
    runs
}

/// Returns the shortest stretch of any run that holds the job; of equals the lowest.
fn shortest(runs: &[Vec<Candidate>], holds: &dyn Fn(&[Candidate]) -> bool) -> Option<Vec<Candidate>> {
    let mut best: Option<&[Candidate]> = None;
    for run in runs {
        let mut start = 0;
        for end in 1..=run.len() {
            while run.get(start + 1..end).is_some_and(holds) {
                start += 1;
            }
            let stretch = run.get(start..end).filter(|stretch| holds(stretch));
            if let Some(stretch) = stretch.filter(|new| best.is_none_or(|old| new.len() < old.len())) {
                best = Some(stretch);
            }
        }
    }
    best.map(<[Candidate]>::to_vec)
}

fn tasks(run: &[Candidate]) -> u64 {
    run.iter().map(|candidate| u64::from(candidate.tasks)).sum()
}
