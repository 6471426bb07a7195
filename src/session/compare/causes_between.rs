//! Finds what happened in between that affects a job with a changed verdict: jobs that ended or started on its nodes,
//! nodes that returned to or left service, settings. This states facts of the dumps, and is not a proof; a single
//! setting can be proved by a what-if.

use rustc_hash::FxHashMap;

use super::{JobChange, JobChangeKind, JobSituation, NodeChange, SettingChange};
use qscope_engine::cluster::{ExecVnode, Name, NodeStates, short_id};
use qscope_explain::words;

/// Maximum number of columns for a list of jobs or nodes.
const NAMED: usize = 40;

/// Everything that changed, by node.
pub(super) struct ChangeIndex {
    ended_jobs: FxHashMap<Name, Vec<Name>>,
    started: FxHashMap<Name, Vec<Name>>,
    /// Nodes that are new.
    new: Vec<Name>,
    /// Nodes that returned to service; `lost_nodes` are those that left it.
    returned_nodes: Vec<Name>,
    lost_nodes: Vec<Name>,
    settings: Vec<String>,
    /// All jobs that started or ended, in words.
    jobs: Vec<String>,
}

impl ChangeIndex {
    /// Sorts the changes by node.
    pub(super) fn of(jobs: &[JobChange], nodes: &[NodeChange], settings: &[SettingChange]) -> Self {
        use JobChangeKind as K;
        let by_node = |kinds: &[K], stand: fn(&JobChange) -> Option<&JobSituation>| {
            let mut found: FxHashMap<Name, Vec<Name>> = FxHashMap::default();
            for change in jobs.iter().filter(|change| kinds.contains(&change.kind)) {
                for node in nodes_of(stand(change)) {
                    found.entry(node).or_default().push(change.job.clone());
                }
            }
            found
        };
        let is_out = |states: Option<NodeStates>| states.is_none_or(NodeStates::is_out_of_service);
        let moved = |from: bool, to: bool| {
            let those = nodes.iter().filter(|node| (is_out(node.before), is_out(node.after)) == (from, to));
            those.map(|node| node.node.clone()).collect()
        };
        let new = nodes.iter().filter(|node| node.before.is_none() && !is_out(node.after));
        let those = |kinds: &[K], what: &str| {
            let found = jobs.iter().filter(|change| kinds.contains(&change.kind));
            let mut names = found.map(|change| short_id(&change.job)).peekable();
            names.peek().is_some().then(|| format!("{} {what}", listed(names)))
        };
        Self {
            new: new.map(|node| node.node.clone()).collect(),
            ended_jobs: by_node(&[K::Ended, K::Stopped], |change| change.before.as_ref()),
            started: by_node(&[K::Started], |change| change.after.as_ref()),
            returned_nodes: moved(true, false),
            lost_nodes: moved(false, true),
            settings: settings.iter().map(SettingChange::subject).collect(),
            jobs: [those(&[K::Ended, K::Stopped], "ended"), those(&[K::Started], "started")]
                .into_iter()
                .flatten()
                .collect(),
        }
    }

    /// Returns what affects a job, in words; `None` for changes that are their own cause, and if nothing does.
    pub(super) fn words(&self, change: &JobChange) -> Option<String> {
        use JobChangeKind as K;
        let facts = match change.kind {
            K::Started | K::Verdict | K::Nodes if starts(change.after.as_ref()) => {
                self.freed_room(change.after.as_ref())
            }
            K::Verdict if starts(change.before.as_ref()) => self.takers_of_nodes(change),
            K::Verdict | K::Reason | K::Path | K::Estimate | K::Nodes => Vec::new(),
            _ => return None,
        };
        match (facts.is_empty(), self.settings.is_empty()) {
            (false, _) => Some(facts.join(", ")),
            (true, false) => Some(format!("changed: {}", listed(self.settings.iter().map(String::as_str)))),
            // Which nodes a job waits for is not compared, so all that happened on any node is listed.
            (true, true) => {
                let waits = ![&change.before, &change.after].into_iter().any(|side| starts(side.as_ref()));
                (waits && !self.jobs.is_empty()).then(|| self.jobs.join(", "))
            }
        }
    }

    /// Returns what made room on the nodes of a job that starts.
    fn freed_room(&self, stand: Option<&JobSituation>) -> Vec<String> {
        let nodes = nodes_of(stand);
        let ended = jobs_on(&self.ended_jobs, &nodes, "");
        let among = |those: &[Name]| -> Vec<&str> {
            nodes.iter().filter(|node| those.contains(node)).map(|node| &**node).collect()
        };
        let (new, mut back) = (among(&self.new), among(&self.returned_nodes));
        back.retain(|node| !new.contains(node));
        let new = (!new.is_empty()).then(|| format!("{} added", words::compact(new.into_iter())));
        let ended = (!ended.is_empty())
            .then(|| format!("{} ended there", listed(ended.iter().map(|job| short_id(job)))));
        let back =
            (!back.is_empty()).then(|| format!("{} back in service", words::compact(back.into_iter())));
        ended.into_iter().chain(new).chain(back).collect()
    }

    /// Returns what took the nodes on which a job was going to start.
    fn takers_of_nodes(&self, change: &JobChange) -> Vec<String> {
        let nodes = nodes_of(change.before.as_ref());
        let taken = jobs_on(&self.started, &nodes, &change.job);
        let out: Vec<&str> =
            nodes.iter().filter(|node| self.lost_nodes.contains(node)).map(|node| &**node).collect();
        let taken = (!taken.is_empty())
            .then(|| format!("{} started there", listed(taken.iter().map(|job| short_id(job)))));
        let out = (!out.is_empty()).then(|| format!("{} out of service", words::compact(out.into_iter())));
        taken.into_iter().chain(out).collect()
    }
}

/// Whether it runs, or starts in this cycle.
fn starts(stand: Option<&JobSituation>) -> bool {
    stand.is_some_and(|stand| stand.nodes.is_some())
}

/// Returns the vnodes of a placement, each once.
fn nodes_of(situation: Option<&JobSituation>) -> Vec<Name> {
    let placement = situation.and_then(|stand| stand.nodes.as_deref()).map(ExecVnode::parse);
    let Some(Ok(placement)) = placement else { return Vec::new() };
    placement.vnodes().into_iter().cloned().collect()
}

/// Returns the jobs on some nodes, each once, in the order of the nodes; one job is left out.
fn jobs_on<'a>(by_node: &'a FxHashMap<Name, Vec<Name>>, nodes: &[Name], without: &str) -> Vec<&'a Name> {
    let mut found: Vec<&Name> = Vec::new();
    for job in nodes.iter().filter_map(|node| by_node.get(node)).flatten() {
        if **job != *without && !found.contains(&job) {
            found.push(job);
        }
    }
    found
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    words::folded_within(names, NAMED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::JobState;

    fn change(job: &str, kind: JobChangeKind) -> JobChange {
        let stand = |state| JobSituation {
            state,
            verdict: None,
            path: None,
            tier: None,
            reason: None,
            nodes: None,
            estimate: None,
        };
        let (before, after) = (Some(stand(JobState::Queued)), Some(stand(JobState::Queued)));
        JobChange { job: job.into(), kind, before, after, altered: Vec::new(), since: None }
    }

    #[test]
    fn a_job_that_waits_for_another_reason_has_all_that_started_and_ended() {
        use JobChangeKind as K;
        let waits = change("5.s", K::Reason);
        let words = |others: &[JobChange]| ChangeIndex::of(others, &[], &[]).words(&waits);
        let others = [change("1.s", K::Started), change("2.s", K::Started), change("3.s", K::Ended)];
        assert_eq!(words(&others).as_deref(), Some("3 ended, 1 2 started"));
        assert_eq!(words(&[]), None);
    }
}
