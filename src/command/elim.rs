//! `qscope elim`: the line by which a node would publish how many jobs of each class run on it.

use std::collections::BTreeMap;

use clap::Args;
use color_eyre::eyre::{Result, eyre};
use serde::Serialize;
use serde_json::Value;

use qscope_exits::Lines;
use qscope_planning::farm::Criterion;
use qscope_planning::farm::elim::{ElimLine, elim_json};
use qscope_planning::farm::esub::attribute;
use qscope_planning::farm::now::counts_by_node;

use super::cli::FolderArgs;
use super::{open, output};
use qscope_exits::json::Keyed;

/// What `elim` takes.
#[derive(Args, Clone, Debug)]
pub(super) struct ElimArgs {
    /// The node; `-` for all of them.
    pub node: String,
    /// By what jobs fall into classes.
    #[arg(long, default_value = "group", value_name = "CRITERION")]
    pub class: String,
    /// The folder and the form.
    #[command(flatten)]
    pub at: FolderArgs,
}

/// The lines of nodes.
#[derive(Serialize)]
struct ElimsJson<'a> {
    /// By what jobs fall into classes.
    criterion: &'a str,
    nodes: Keyed<&'a str, NodeJson>,
}

/// The line of one node.
#[derive(Serialize)]
struct NodeJson {
    /// `values`, `order` and `warnings` of the line.
    #[serde(flatten)]
    values: Value,
    /// The line itself.
    line: String,
    /// The line that the node published.
    published: Option<Value>,
}

/// Prints the line of a node, and the published one where `elim.txt` has another: exit code 1.
///
/// # Errors
/// Bad input, no such node.
pub(super) fn run(args: &ElimArgs) -> Result<u8> {
    let criterion = Criterion::parse(&args.class)?;
    let snapshot = open::snapshot(&args.at.paths, &args.at.reading)?;
    let counted = counts_by_node(&snapshot, &criterion);
    let nodes: Vec<&str> = if args.node == "-" {
        snapshot.nodes.iter().map(|node| &*node.name).collect()
    } else {
        let found = snapshot.node_named(&args.node);
        let node = found.ok_or_else(|| eyre!("no node `{}` among {}", args.node, snapshot.nodes.len()))?;
        vec![&*snapshot.nodes[node].name]
    };
    let all = nodes.len() > 1;
    let mut answers = Vec::new();
    let (mut text, mut differ) = (Lines::new(), false);
    for node in nodes {
        let counts = counted.get(node).into_iter().flatten();
        let line = ElimLine::of(counts.map(|(class, count)| (attribute(class), *count)));
        let id = snapshot.node_named(node);
        let was = id.and_then(|id| snapshot.nodes[id].extra.published.as_deref());
        let apart = was.is_some_and(|was| named(&was.counts()) != line_counts(&line));
        differ |= apart;
        let name = if all { format!("{node}: ") } else { String::new() };
        text.line(format_args!("{name}{}", line.write()));
        if let Some(was) = was.filter(|_| apart) {
            text.line(format_args!("{name}published: {}", was.write()));
        }
        answers.push((
            node,
            NodeJson { values: elim_json(&line), line: line.write(), published: was.map(elim_json) },
        ));
    }
    for problem in snapshot.diagnostics.iter().filter(|found| found.code == "elim") {
        output::complain(&Lines::from_iter([problem]));
    }
    if args.at.json {
        output::print_json_about(&snapshot, ElimsJson { criterion: &args.class, nodes: Keyed(answers) })?;
    } else {
        output::print_about(&snapshot, &text)?;
    }
    Ok(u8::from(differ))
}

/// Counts by attribute, without those that are zero.
fn named(counts: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    counts.iter().filter(|(_, count)| **count > 0).map(|(class, count)| (attribute(class), *count)).collect()
}

fn line_counts(line: &ElimLine) -> BTreeMap<String, u64> {
    named(&line.counts())
}
