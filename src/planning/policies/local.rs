//! LOCAL: a program of the site chooses (rule 1.9).

use super::policy::{AllocationPolicy, CandidateKey, PolicyQuery, key_of};
use super::{Candidate, PolicyName};
use qscope_engine::cluster::{Id, NodeId};

/// One candidate as passed to the site's program.
#[derive(Clone, PartialEq, Debug)]
pub struct HookNode {
    pub name: String,
    /// Number of tasks it holds.
    pub tasks: u32,
    /// Configured processors.
    pub procs: f64,
    pub idle: f64,
    /// Load average.
    pub load: Option<f64>,
    /// Relative speed.
    pub speed: Option<f64>,
    /// Processor speed in MHz.
    pub procspeed: Option<f64>,
    /// Position number.
    pub slot: Option<i64>,
    /// The administrator's constant.
    pub priority: f64,
    pub features: Vec<String>,
    /// When the next reservation takes it away, in epoch seconds; none if none does.
    pub until: Option<i64>,
}

/// The question to the site's program.
#[derive(Clone, PartialEq, Debug)]
pub struct HookRequest {
    /// The job's id.
    pub job: String,
    /// T: number of tasks.
    pub tasks: u32,
    /// N: number of nodes; 0 is any number.
    pub nodes: u32,
    /// TPN: number of tasks per node; 0 is any number.
    pub per_node: u32,
    /// Start time in epoch seconds.
    pub start: i64,
    /// The walltime in seconds.
    pub walltime: i64,
    /// All candidates in the order of the dump.
    pub candidates: Vec<HookNode>,
}

/// The site's program, from the user's own configuration.
pub trait LocalHook: Send + Sync + std::fmt::Debug {
    /// Returns the names of the nodes to take, the best first.
    ///
    /// # Errors
    /// The program failed, took too long, or gave an invalid answer.
    fn order(&self, request: &HookRequest) -> Result<Vec<String>, String>;
}

/// The policy that asks the site's own program.
pub(super) struct Local<'h> {
    /// The program, if one is configured.
    pub hook: Option<&'h dyn LocalHook>,
}

impl AllocationPolicy for Local<'_> {
    fn name(&self) -> PolicyName {
        PolicyName::Local
    }

    fn key(&self, _question: &PolicyQuery<'_>, candidate: &Candidate) -> CandidateKey {
        key_of(candidate.node.ix() as f64)
    }

    fn waits(&self) -> bool {
        self.hook.is_some()
    }

    fn order(&self, question: &PolicyQuery<'_>, tier: &[Candidate]) -> Result<Vec<Candidate>, String> {
        let Some(hook) = self.hook else { return Err("LOCAL: no hook configured".to_owned()) };
        let nodes = &question.site_request.site.plan().snap.nodes;
        let names = hook.order(&request(question, tier)).map_err(|why| format!("LOCAL: {why}"))?;
        let by_name: rustc_hash::FxHashMap<&str, &Candidate> =
            tier.iter().map(|candidate| (&*nodes[candidate.node].name, candidate)).collect();
        let mut seen: rustc_hash::FxHashSet<NodeId> = rustc_hash::FxHashSet::default();
        let mut candidates = Vec::with_capacity(names.len());
        for name in &names {
            let Some(candidate) = by_name.get(name.as_str()) else {
                return Err(format!("LOCAL: invalid answer: `{}` is no candidate", name.escape_debug()));
            };
            if !seen.insert(candidate.node) {
                return Err(format!("LOCAL: invalid answer: `{}` twice", name.escape_debug()));
            }
            candidates.push(**candidate);
        }
        Ok(candidates)
    }

    fn show_key(&self, _question: &PolicyQuery<'_>, _candidate: &Candidate) -> String {
        "the site's own order".to_owned()
    }
}

fn request(query: &PolicyQuery<'_>, tier: &[Candidate]) -> HookRequest {
    let site = query.site_request.site;
    let snap = &site.plan().snap;
    let features = |candidate: &Candidate| {
        let traits = &site.traits.by_node[candidate.node];
        let all = traits.all_features(&snap.nodes[candidate.node], &snap.catalogue);
        all.iter().map(ToString::to_string).collect()
    };
    let node = |candidate: &Candidate| {
        let traits = &site.traits.by_node[candidate.node];
        HookNode {
            name: snap.nodes[candidate.node].name.to_string(),
            tasks: candidate.tasks,
            procs: site.configured_procs(candidate.bit),
            idle: query.site_request.idle_procs(candidate),
            load: traits.load,
            speed: traits.speed,
            procspeed: traits.procspeed,
            slot: traits.slot,
            priority: traits.priority,
            features: features(candidate),
            until: candidate.until.map(|until| until.0),
        }
    };
    HookRequest {
        job: snap.jobs[query.site_request.request.job].name.to_string(),
        tasks: query.part.tasks,
        nodes: query.part.nodes,
        per_node: query.part.per_node,
        start: query.start.0,
        walltime: query.site_request.request.walltime.0,
        candidates: tier.iter().map(node).collect(),
    }
}
