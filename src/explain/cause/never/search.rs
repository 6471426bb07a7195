//! The search for nodes on the idle cluster, where no count rules a job out: the chunk that finds no node, and the
//! placement set that comes nearest.

use qscope_engine::cluster::JobId;
use qscope_engine::placement::{PlacementPath, Probe, place};
use qscope_engine::universe::{JobRequest, Reason, Rejection, ShortageDetail, Spec};

use super::IdleTrial;
use crate::fit_analysis::names;
use crate::turn::placed_in;
use crate::{SearchAttempt, attempts, words};

/// The first chunk spec of a select that does not find its nodes once those before it have theirs.
pub(super) struct UnplacedChunk {
    /// Its place in the select, from 0.
    at: usize,
    spec: Spec,
    /// Number of its chunks that find nodes.
    placed: u32,
    /// Nodes of the chunk specs before it.
    pub(super) taken: Vec<String>,
}

impl UnplacedChunk {
    pub(super) fn sentence(&self) -> String {
        let Self { at, spec, placed, taken } = self;
        let chunk = format!("chunk {} ({} × {})", at + 1, spec.count, spec.chunk_text());
        let finds = match (spec.count, placed) {
            (1, _) | (_, 0) => "finds no node".to_owned(),
            (all, placed) => format!("finds nodes for {placed} of {all}"),
        };
        if taken.is_empty() {
            return format!("{chunk} {finds}");
        }
        let on = words::folded_within(taken.iter().map(String::as_str), 40);
        format!("{chunk} {finds} once those before it are on {on}, and chunks are placed in this order")
    }
}

/// Maximum number of chunk specs placed one after the other.
const MAX_SPECS: usize = 32;

/// Returns the chunk spec at which the search ends; `None` with placement sets, each of which is searched anew, or
/// with very many chunk specs.
pub(super) fn unplaced_chunk(idle: &mut IdleTrial<'_>, job: JobId) -> Option<UnplacedChunk> {
    let path = idle.outcome.path?;
    if idle.request.place.group.is_some() || !idle.outcome.tries.is_empty() {
        return None;
    }
    let specs = idle.request.specs.clone();
    if specs.len() > MAX_SPECS {
        return None;
    }
    let mut taken = Vec::new();
    for (at, spec) in specs.iter().enumerate() {
        let first = |count: u32| {
            let last = Spec { count, ..spec.clone() };
            specs.iter().take(at).cloned().chain([last]).filter(|spec| spec.count > 0).collect::<Vec<_>>()
        };
        match idle.placed_nodes(job, first(spec.count), path) {
            Some(nodes) => taken = nodes,
            None => {
                let (mut fits, mut fails) = (0, spec.count);
                while fails - fits > 1 {
                    let middle = fits.midpoint(fails);
                    match idle.placed_nodes(job, first(middle), path) {
                        Some(_) => fits = middle,
                        None => fails = middle,
                    }
                }
                return Some(UnplacedChunk { at, spec: spec.clone(), placed: fits, taken });
            }
        }
    }
    None
}

/// The placement set that comes nearest to holding a job when empty.
pub(super) struct NearestSet {
    pub(super) name: String,
    /// What it lacks; `None` for a set that has enough in sum, whose nodes were searched in vain.
    pub(super) lack: Option<SetLack>,
}

/// What a job requests in one placement set, and what a set has of it.
pub(super) struct SetLack {
    pub(super) requested: String,
    pub(super) has: String,
    pub(super) resource: String,
    /// The part that it has.
    part: f64,
}

/// Returns the last set that was searched or, if the sums of all are too small, the one that has the largest part;
/// `None` on the bucket path, which compares no sums.
pub(super) fn nearest_set(idle: &mut IdleTrial<'_>, job: JobId) -> Option<NearestSet> {
    let path = idle.outcome.path.filter(|path| *path == PlacementPath::Node)?;
    let trial = idle.state.begin_trial();
    idle.state.refresh_sets();
    let mut probe = Probe::on();
    let _failed = place(idle.state, job, &idle.request, path, &mut probe);
    idle.state.end_trial(trial);
    let tried = attempts(&probe.events);
    let searched = tried.iter().rev().find_map(|attempt| match attempt {
        SearchAttempt::Try(search) => search.set,
        _ => None,
    });
    if let Some(name) = searched {
        return Some(NearestSet { name: name.to_string(), lack: None });
    }
    let lacks = tried.iter().filter_map(|attempt| match attempt {
        SearchAttempt::TooSmall(name, why) => Some((name.to_string(), idle.lack(why)?)),
        _ => None,
    });
    let (name, lack) = lacks.max_by(|(_, a), (_, b)| a.part.total_cmp(&b.part))?;
    Some(NearestSet { name, lack: Some(lack) })
}

impl IdleTrial<'_> {
    /// Returns the nodes that these chunk specs find; `None` if they find none.
    fn placed_nodes(&mut self, job: JobId, specs: Vec<Spec>, path: PlacementPath) -> Option<Vec<String>> {
        let request = JobRequest { specs: specs.into(), totals: Default::default(), ..self.request.clone() };
        let trial = self.state.begin_trial();
        let found = placed_in(self.state, job, &request, path);
        self.state.end_trial(trial);
        found.map(|found| names(&self.state.plan, &found.nodes()))
    }

    /// Returns what a set lacks, if it is an amount of a resource.
    fn lack(&self, why: &Rejection) -> Option<SetLack> {
        let Reason::Resource(shortage) = &why.reason else { return None };
        let ShortageDetail::Amounts { requested, available, .. } = &shortage.detail else { return None };
        let catalogue = &self.state.plan.snap.catalogue;
        let name = catalogue.name(shortage.resource);
        let show = |value: f64| words::amount(catalogue, shortage.resource, value);
        let has = if available.0.is_nan() { 0.0 } else { available.0 };
        Some(SetLack {
            requested: format!("{} {name}", show(requested.0)),
            has: show(has),
            resource: name.to_string(),
            part: has / requested.0,
        })
    }
}
