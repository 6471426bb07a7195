//! Alerts about the state of nodes in the dump.

use rustc_hash::FxHashMap;

use crate::{AlertItem, words};
use qscope_engine::cluster::{
    Diagnostic, ExecVnode, GhostJob, GhostKind, Job, JobId, JobState, Node, NodeId, NodeState, NodeStates,
    Snapshot, not_listed, short_id,
};

/// Returns nodes on which more of a resource is assigned than they have. A resource borrowed from another node has no
/// amount of its own and is checked at the lender.
pub(super) fn oversubscribed(snap: &Snapshot) -> Vec<AlertItem> {
    let alert_of = |node: &Node| {
        let mut over = Vec::new();
        for (id, value) in node.assigned.iter() {
            let (Some(taken), Some(have)) = (value.amount(), node.available.amount(id)) else { continue };
            if taken.0 > have.0 {
                let show = |value| words::amount(&snap.catalogue, id, value);
                over.push(format!("{} {} of {}", snap.catalogue.name(id), show(taken.0), show(have.0)));
            }
        }
        let brief = over.join(", ");
        let sentence = format!("more is assigned on {} than it has: {brief}", node.name);
        let jobs = node.jobs.iter().map(ToString::to_string).collect();
        (!over.is_empty()).then(|| AlertItem {
            objects: vec![node.name.to_string()],
            jobs,
            sentence,
            effect: format!("more assigned than it has: {brief}"),
            brief,
            finding: None,
        })
    };
    snap.nodes.iter().filter_map(alert_of).collect()
}

/// Returns nodes that are unreachable or stale.
pub(super) fn down(snap: &Snapshot) -> Vec<AlertItem> {
    unavailable_nodes(snap, NodeStates::is_unreachable, "down")
}

/// Returns nodes that an operator set offline, unless they are down too.
pub(super) fn offline(snap: &Snapshot) -> Vec<AlertItem> {
    unavailable_nodes(snap, |states| states.has(NodeState::Offline) && !states.is_unreachable(), "offline")
}

fn unavailable_nodes(snap: &Snapshot, is_away: impl Fn(NodeStates) -> bool, word: &str) -> Vec<AlertItem> {
    let item = |node: &Node| {
        let comment = node.comment.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
        let jobs = node.jobs.len();
        let there = (jobs > 0).then(|| format!("with {} on it", words::count(jobs, "job")));
        let states = node.states.to_string();
        let states = (states != word).then(|| format!("({states})"));
        let effect = match (&states, &there, &node.comment) {
            (None, None, None) => "takes no jobs".to_owned(),
            (None, None, Some(text)) => format!("comment: {text}"),
            _ => {
                let known: Vec<&str> = states.iter().chain(&there).map(String::as_str).collect();
                format!("{}{comment}", known.join(", "))
            }
        };
        let states = states.map(|states| format!(" {states}")).unwrap_or_default();
        let there = there.map(|there| format!(", {there}")).unwrap_or_default();
        AlertItem {
            objects: vec![node.name.to_string()],
            jobs: node.jobs.iter().map(ToString::to_string).collect(),
            sentence: format!("{} is {word}{states}{there}{comment}", node.name),
            brief: String::new(),
            effect,
            finding: None,
        }
    };
    snap.nodes.iter().filter(|node| is_away(node.states)).map(item).collect()
}

/// Returns nodes that keep names of dead jobs.
pub(super) fn dead_jobs(snap: &Snapshot, ghosts: &[GhostJob]) -> Vec<AlertItem> {
    ghost_items(
        snap,
        ghosts,
        |kind| kind == GhostKind::Dead,
        |job, _, nodes| {
            let effect = format!(
                "kept by job {job}, not in the job dump; no resources assigned; restart pbs_server to clear"
            );
            (job.to_owned(), format!("{nodes} {effect}"), effect)
        },
    )
}

/// Returns jobs that nodes list but that are missing or not running in the job dump.
pub(super) fn not_in_dump(snap: &Snapshot, ghosts: &[GhostJob]) -> Vec<AlertItem> {
    let counts = |kind| matches!(kind, GhostKind::Unlisted | GhostKind::NotRunning(_));
    let is_whole = snap.has_all_jobs();
    ghost_items(snap, ghosts, counts, |job, kind, nodes| {
        let (brief, why) = match kind {
            GhostKind::NotRunning(state) => (
                format!("{job} on {nodes} is in state {} by the job dump", state.letter()),
                format!(
                    "is in state {} by the job dump: its start was refused, or it starts or ends just now",
                    state.letter()
                ),
            ),
            _ if !is_whole => (
                format!("{job} on {nodes} is not in the part of the job dump that was read"),
                "is not in the part of the job dump that was read".to_owned(),
            ),
            _ => (
                format!("{job} on {nodes} is not in the job dump"),
                "is not in the job dump: it ended meanwhile, or is hidden".to_owned(),
            ),
        };
        let sentence = format!("{job} is listed on {nodes} and {why}");
        (brief, sentence.clone(), sentence)
    })
}

/// Returns jobs that run on nodes which do not list them. The dumps were taken at different times, and the cycle uses
/// the nodes as dumped.
pub(super) fn not_listing(snap: &Snapshot) -> Vec<AlertItem> {
    let findings = findings(snap, Diagnostic::NOT_ON_NODE);
    let item = |(job, nodes): (JobId, Vec<NodeId>)| {
        let job = snap.jobs.checked(job)?;
        let nodes: Vec<&str> = nodes.iter().filter_map(|id| Some(&*snap.nodes.checked(*id)?.name)).collect();
        let finding = findings.get(&*job.name).map(|found| Box::new((*found).clone()));
        Some(AlertItem { finding, ..without_node(job, &nodes) })
    };
    not_listed(snap).into_iter().filter_map(item).collect()
}

/// Returns the diagnostics with this code by the record that they are about.
fn findings<'s>(snap: &'s Snapshot, code: &'static str) -> FxHashMap<&'s str, &'s Diagnostic> {
    snap.reported(code).filter_map(|found| Some((found.record.as_deref()?, found))).collect()
}

fn without_node(job: &Job, nodes: &[&str]) -> AlertItem {
    let short = job.short_name();
    let on = words::folded_within(nodes.iter().copied(), NODE_COLUMNS);
    let appear = match nodes.len() {
        1 => "it appears freer than it is",
        _ => "they appear freer than they are",
    };
    AlertItem {
        objects: nodes.iter().map(|name| (*name).to_owned()).collect(),
        jobs: vec![job.name.to_string()],
        brief: format!("{short} runs on {on}, not listed there"),
        effect: format!("{short} runs there by the job dump: {appear}"),
        sentence: format!(
            "{short} runs on {on} by the job dump, and the node dump does not list it there: the dumps are of different \
             moments, and {appear}"
        ),
        finding: None,
    }
}

/// Maximum width of a list of nodes, in columns.
const NODE_COLUMNS: usize = 34;

/// Creates an item for each ghost that counts. `about` returns the brief text, the sentence and the effect for a job
/// and its nodes.
fn ghost_items(
    snap: &Snapshot,
    ghosts: &[GhostJob],
    counts: impl Fn(GhostKind) -> bool,
    about: impl Fn(&str, GhostKind, &str) -> (String, String, String),
) -> Vec<AlertItem> {
    let findings = findings(snap, Diagnostic::JOB_UNLISTED);
    let item = |ghost: &GhostJob| {
        let objects: Vec<String> = ghost.nodes.iter().map(|id| snap.nodes[*id].name.to_string()).collect();
        let names = words::folded_within(objects.iter().map(String::as_str), NODE_COLUMNS);
        let (brief, sentence, effect) = about(short_id(&ghost.job), ghost.kind, &names);
        let jobs = vec![ghost.job.to_string()];
        let finding = findings.get(&*ghost.job).map(|found| Box::new((*found).clone()));
        AlertItem { objects, jobs, sentence, brief, effect, finding }
    };
    ghosts.iter().filter(|ghost| counts(ghost.kind)).map(item).collect()
}

/// Returns the nodes with several running jobs, each with its jobs. Most nodes of most clusters have at most one.
fn shared(snap: &Snapshot) -> FxHashMap<&str, Vec<&Job>> {
    let mut first: FxHashMap<&str, &Job> = FxHashMap::default();
    let mut shared: FxHashMap<&str, Vec<&Job>> = FxHashMap::default();
    for job in snap.jobs.iter().filter(|job| job.state == JobState::Running) {
        for part in job.exec_vnode.iter().flat_map(ExecVnode::parts) {
            let known = *first.entry(&part.vnode).or_insert(job);
            if known.name == job.name {
                continue;
            }
            let jobs = shared.entry(&part.vnode).or_insert_with(|| vec![known]);
            if !jobs.iter().any(|known| known.name == job.name) {
                jobs.push(job);
            }
        }
    }
    shared
}

/// Returns nodes shared by several jobs although one of them requests exclusive use.
pub(super) fn shared_though_alone(snap: &Snapshot) -> Vec<AlertItem> {
    let shared = shared(snap);
    if shared.is_empty() {
        return Vec::new();
    }
    let item = |id: NodeId| {
        let node = &snap.nodes[id];
        let jobs = shared.get(&*node.name)?;
        let is_requested_alone =
            |job: &&&Job| job.place.as_ref().is_some_and(|place| node.sharing.is_exclusive(place.sharedness));
        let alone = jobs.iter().find(is_requested_alone)?;
        let others: Vec<String> =
            jobs.iter().filter(|job| job.name != alone.name).map(|job| job.short_name().to_owned()).collect();
        let brief = format!(
            "has {}, which requests it alone, and {}",
            alone.short_name(),
            words::first_names(&others, 2)
        );
        Some(AlertItem {
            objects: vec![node.name.to_string()],
            jobs: jobs.iter().map(|job| job.name.to_string()).collect(),
            sentence: format!("{} {brief}", node.name),
            effect: brief.clone(),
            brief,
            finding: None,
        })
    };
    snap.nodes.ids().filter_map(item).collect()
}
