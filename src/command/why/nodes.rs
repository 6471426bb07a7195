//! `qscope why-node NODE`: why a node takes nothing; several nodes can be named by a folded name.

use color_eyre::eyre::{Result, eyre};
use rustc_hash::FxHashMap;

use qscope_engine::cluster::did_you_mean::question;
use qscope_engine::cluster::{NameList, NodeId, Snapshot, expand};
use qscope_engine::cycle::Run;
use qscope_exits::Lines;
use qscope_explain::words::{compact, folded_within};
use qscope_explain::{NodeReport, node_sections, why_node};

use super::{WhyNodeArgs, written};
use crate::command::plain::{self, NoVerdictsSubject};
use crate::command::{open, output};

/// Maximum number of nodes that a folded name stands for: an answer has a page for each.
const MAX_NODES: usize = 64;

/// Explains one node, or several by a folded name; the exit code is 1 ("no") if jobs wait that they do not take.
///
/// # Errors
/// If the input is bad, there is no such node, or the output cannot be written.
pub(in crate::command) fn run(args: &WhyNodeArgs) -> Result<u8> {
    let generation = open::what_if(&args.cluster)?;
    let as_json = args.cluster.as_json();
    if let Some(code) =
        plain::print_if_no_verdicts(&generation, as_json, NoVerdictsSubject::Node(&args.node))?
    {
        return Ok(code);
    }
    let about = output::AnswerContext::as_a_whole(&generation);
    let named = NamedNodes::of(&generation.snapshot, &args.node)?;
    let stories: Vec<NodeReport> = named.ids().map(|id| why_node(&generation.run, id)).collect();
    match (&named, stories.as_slice(), as_json) {
        (NamedNodes::Exact(..), [story], true) => output::print_json_about(about, story)?,
        (_, all, true) => output::print_json_list(about, all)?,
        (_, all, false) => output::print_about(about, &text(&generation.run, all))?,
    }
    Ok(u8::from(stories.iter().any(|story| !story.refusals.is_empty())))
}

fn text(run: &Run, stories: &[NodeReport]) -> Lines {
    let mut text = Lines::new();
    for (at, story) in merge_equal(stories).iter().enumerate() {
        if at > 0 {
            text.blank();
        }
        text.append(&written(&node_sections(run, story), false));
    }
    text
}

/// Merges the nodes with equal stories into one story under their folded names.
fn merge_equal(stories: &[NodeReport]) -> Vec<NodeReport> {
    let mut found: Vec<(NodeReport, Vec<&str>)> = Vec::new();
    for story in stories {
        let nameless = NodeReport { node: String::new(), ..story.clone() };
        match found.iter_mut().find(|(other, _)| *other == nameless) {
            Some((_, names)) => names.push(&story.node),
            None => found.push((nameless, vec![&story.node])),
        }
    }
    let named =
        |(story, names): (NodeReport, Vec<&str>)| NodeReport { node: compact(names.into_iter()), ..story };
    found.into_iter().map(named).collect()
}

/// Returns the one node that a name stands for.
///
/// # Errors
/// If it stands for none, or for several.
pub(super) fn one_node(snap: &Snapshot, name: &str) -> Result<(NodeId, String)> {
    match NamedNodes::of(snap, name)? {
        NamedNodes::Exact(id) => Ok((id, name.to_owned())),
        NamedNodes::Folded(nodes) => match nodes.as_slice() {
            [id] => Ok((*id, snap.nodes[*id].name.to_string())),
            all => Err(eyre!(
                "`{name}` stands for {} nodes; expected one: qscope why-node takes several",
                all.len()
            )),
        },
    }
}

/// What a name stands for.
enum NamedNodes {
    /// The node with exactly this name.
    Exact(NodeId),
    /// The nodes of a folded name such as `n[9-10]`, in its order.
    Folded(Vec<NodeId>),
}

impl NamedNodes {
    /// # Errors
    /// If there is no such node, a range is invalid, or there are more nodes than an answer has pages for.
    fn of(snap: &Snapshot, name: &str) -> Result<Self> {
        if let Some(id) = snap.node_named(name) {
            return Ok(Self::Exact(id));
        }
        let meant = || question(name, snap.nodes.iter().map(|node| &*node.name));
        let unknown = || eyre!("no node `{name}` among {} in {}{}", snap.nodes.len(), snap.title, meant());
        if !name.contains('[') {
            return Err(unknown());
        }
        let names = expand(name).map_err(|why| eyre!("`{name}`: {why}{}", meant()))?;
        if names.len() > MAX_NODES {
            return Err(eyre!(
                "`{name}` stands for {} nodes; qscope why-node takes {MAX_NODES} at most",
                names.len()
            ));
        }
        let by_name: FxHashMap<&str, NodeId> =
            snap.nodes.enumerate().map(|(id, node)| (&*node.name, id)).collect();
        let looked_up = |names: Vec<String>| -> (Vec<_>, Vec<_>) {
            names.into_iter().map(|name| by_name.get(&*name).copied().ok_or(name)).partition(Result::is_ok)
        };
        let (mut known, mut missing) = looked_up(names);
        if known.is_empty() {
            (known, missing) =
                looked_up(NameList::of(name).map(NameList::bracketed_names).unwrap_or_default());
        }
        if known.is_empty() {
            return Err(unknown());
        }
        let missing: Vec<String> = missing.into_iter().filter_map(Result::err).collect();
        if !missing.is_empty() {
            let missing = folded_within(missing.iter().map(String::as_str), 60);
            return Err(eyre!("{name}: no node {missing} among {} in {}", snap.nodes.len(), snap.title));
        }
        Ok(Self::Folded(known.into_iter().flatten().collect()))
    }

    fn ids(&self) -> impl Iterator<Item = NodeId> {
        match self {
            Self::Exact(id) => std::slice::from_ref(id),
            Self::Folded(all) => all,
        }
        .iter()
        .copied()
    }
}
