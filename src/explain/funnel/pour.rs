//! Passes the nodes through the conditions: each is lost at the first one it fails.

use qscope_engine::cluster::{NodeId, found_or_added};

use crate::{
    ChunkCapacity, Condition, FailedCondition, Funnel, FunnelStep, LostNodes, NearMiss, NodeMismatch,
};

/// Number of nodes named at each condition.
const SAMPLE: usize = 3;

/// Descriptions of nodes: their names and the jobs on them.
pub(super) struct NodeWords<'a> {
    pub(super) name: &'a dyn Fn(NodeId) -> String,
    pub(super) jobs: &'a dyn Fn(NodeId) -> Vec<String>,
}

/// Builds the funnel from nodes with their failures.
pub(super) fn build_funnel(
    conditions: Vec<Condition>,
    failures: impl Iterator<Item = (NodeId, Vec<FailedCondition>)>,
    about: &NodeWords<'_>,
    part: &str,
    requested: u32,
) -> Funnel {
    let mut lost: Vec<(u64, Vec<NodeMismatch>, Vec<LostNodes>)> =
        conditions.iter().map(|_| (0, Vec::new(), Vec::new())).collect();
    let mut near: Vec<NearMiss> = Vec::new();
    let (mut nodes, mut left) = (0, 0);
    for (id, failed) in failures {
        nodes += 1;
        let Some(first) = failed.first() else {
            left += 1;
            continue;
        };
        let at = conditions.iter().position(|condition| *condition == first.condition);
        if let Some((count, sample, groups)) = at.and_then(|at| lost.get_mut(at)) {
            *count += 1;
            if sample.len() < SAMPLE {
                sample.push(NodeMismatch { node: (about.name)(id), has: first.has.clone() });
            }
            add_lost_node(groups, first, (about.name)(id), (about.jobs)(id));
        }
        // A node can never become the one requested by name.
        if failed.len() == 1 && !first.condition.is_name() {
            add_near_miss(&mut near, first, || (about.name)(id));
        }
    }
    near.sort_by_key(|miss| std::cmp::Reverse(miss.nodes));
    let mut before = nodes;
    let steps = conditions.into_iter().zip(lost).map(|(condition, (count, sample, mut groups))| {
        groups.sort_by_key(|group| std::cmp::Reverse(group.nodes.len()));
        let step = FunnelStep { condition, before, after: before - count, lost: count, sample, groups };
        before = step.after;
        step
    });
    let steps = steps.collect();
    Funnel { part: part.to_owned(), requested, nodes, steps, left, held: ChunkCapacity::default(), near }
}

/// Adds a node to the group lost for the same reason. If nothing is left, the total of the node does not matter.
fn add_lost_node(groups: &mut Vec<LostNodes>, failure: &FailedCondition, node: String, jobs: Vec<String>) {
    let has = match &failure.left {
        // Each of the others has a name of its own.
        _ if failure.condition.is_name() => "others".to_owned(),
        Some(left) => format!("{left} left"),
        None if failure.in_use => "in use".to_owned(),
        None => failure.has.clone(),
    };
    let by_jobs = match failure.condition {
        // Texts and lists of a node do not depend on its jobs.
        Condition::Resource { .. } => failure.left.is_some(),
        Condition::Sharing | Condition::NotExclusive => true,
        _ => false,
    };
    let new = || LostNodes { found: has.clone(), nodes: Vec::new(), jobs: Vec::new() };
    let group = found_or_added(groups, |group| group.found == has, new);
    group.nodes.push(node);
    for job in jobs.into_iter().filter(|_| by_jobs) {
        if !group.jobs.contains(&job) {
            group.jobs.push(job);
        }
    }
}

fn add_near_miss(near: &mut Vec<NearMiss>, failure: &FailedCondition, name: impl FnOnce() -> String) {
    let lacks = failure.condition.label();
    let new = || NearMiss { lacks: lacks.clone(), ..NearMiss::default() };
    let miss = found_or_added(near, |miss| miss.lacks == lacks, new);
    miss.nodes += 1;
    let at = miss.close.iter().position(|have| *have < failure.close).unwrap_or(miss.close.len());
    if at < SAMPLE {
        miss.sample.insert(at, NodeMismatch { node: name(), has: failure.has.clone() });
        miss.close.insert(at, failure.close);
        miss.sample.truncate(SAMPLE);
        miss.close.truncate(SAMPLE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(condition: Condition, has: &str, left: Option<&str>) -> FailedCondition {
        let left = left.map(str::to_owned);
        FailedCondition { condition, has: has.to_owned(), left, in_use: false, close: 0 }
    }

    #[test]
    fn lost_nodes_are_grouped_by_what_they_have_with_who_is_there() {
        let mut groups = Vec::new();
        let cpus = || Condition::resource(0, "ncpus", "8".to_owned(), true);
        for (node, has, left, job) in [
            ("n1", "0 left of 16", "0", "50"),
            ("n2", "0 left of 32", "0", "51"),
            ("n3", "4 left of 16", "4", "52"),
        ] {
            add_lost_node(
                &mut groups,
                &failure(cpus(), has, Some(left)),
                node.to_owned(),
                vec![job.to_owned()],
            );
        }
        let words: Vec<String> = groups.iter().map(LostNodes::words).collect();
        assert_eq!(words, ["0 left: jobs 50 51", "4 left: job 52"]);
        assert_eq!(groups[0].nodes, ["n1", "n2"]);
        // The jobs on a node do not affect its state.
        let mut groups = Vec::new();
        add_lost_node(
            &mut groups,
            &failure(Condition::State, "offline", None),
            "n4".to_owned(),
            vec!["53".to_owned()],
        );
        assert_eq!(groups[0].words(), "offline");
        assert_eq!(groups[0].counted_words(), "offline on 1");
        let (has, nodes) = ("kept by job 40, not in the dump".to_owned(), vec!["n5".to_owned()]);
        let kept = LostNodes { found: has.clone(), nodes, jobs: vec!["40".to_owned()] };
        assert_eq!((kept.words(), kept.counted_words()), (has.clone(), format!("{has}, on 1")));
        assert_eq!(cpus().label(), "ncpus ≥ 8 left");
        assert_eq!(Condition::resource(1, "host", "n1".to_owned(), false).label(), "host=n1");
    }
}
