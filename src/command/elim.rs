//! `qscope elim`: the line by which a node would publish how many jobs of each class run on it, printed once or as a
//! daemon.

mod daemon;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use color_eyre::eyre::{Result, WrapErr, eyre};
use serde::Serialize;

use qscope_engine::cluster::{Name, Snapshot};
use qscope_exits::Lines;
use qscope_planning::farm::Criterion;
use qscope_planning::farm::elim::{ElimLine, ElimLineJson};
use qscope_planning::farm::esub::attribute;
use qscope_planning::farm::policy_file::PolicyFile;
use qscope_planning::farm::snapshot_workload::counts_by_node;

use super::arguments::FolderArgs;
use super::{open, output};
use qscope_exits::json::OrderedObject;

/// The arguments of `elim`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: qscope elim n001 --policy-file /etc/qscope/packing.toml --loop")]
pub(super) struct ElimArgs {
    /// The node; `-` for all of them.
    pub node: String,
    /// How jobs fall into classes; by default as the policy file states, without one by group.
    #[arg(long, value_name = "CRITERION")]
    pub class: Option<String>,
    /// The packing policies of the site: each of its classes is published, as 0 if none of its jobs runs.
    #[arg(long, value_name = "FILE")]
    pub policy_file: Option<PathBuf>,
    /// Publish repeatedly, one line each time, as LSF runs an elim: until the parent ends, or a signal arrives.
    #[arg(long = "loop", conflicts_with = "json")]
    pub in_loop: bool,
    /// The time between two lines; by default that of the policy file, or 15 seconds.
    #[arg(long, value_name = "TIME", requires = "in_loop", value_parser = super::arguments::seconds)]
    pub every: Option<f64>,
    /// The folder and the output form.
    #[command(flatten)]
    pub at: FolderArgs,
}

/// The lines of nodes.
#[derive(Serialize)]
struct ElimsJson<'a> {
    /// The criterion by which jobs fall into classes.
    criterion: &'a str,
    nodes: OrderedObject<&'a str, NodeLineJson>,
}

#[derive(Serialize)]
struct NodeLineJson {
    /// `values`, `order` and `warnings` of the line.
    #[serde(flatten)]
    values: ElimLineJson,
    /// The line itself.
    line: String,
    /// The line that the node published.
    published: Option<ElimLineJson>,
}

/// Prints the line of a node, and the published one if `elim.txt` differs, which gives exit code 1.
///
/// # Errors
/// If the input is bad, or there is no such node.
pub(super) fn run(args: &ElimArgs) -> Result<u8> {
    let known = ElimClasses::of(args)?;
    if args.in_loop {
        return daemon::run(args, &known);
    }
    let criterion = &known.criterion;
    let snapshot = open::snapshot(&args.at.paths, &args.at.form.reading)?;
    let nodes: Vec<&str> = if args.node == "-" {
        snapshot.nodes.iter().map(|node| &*node.name).collect()
    } else {
        let name = &args.node;
        let node = snapshot.node_named(name).ok_or_else(|| {
            match name.contains('/') || Path::new(name).is_dir() {
                true => eyre!("which node? `{name}` is a folder; the node, or - for all, comes before it"),
                false => eyre!("no node `{name}` among {} in {}", snapshot.nodes.len(), snapshot.title),
            }
        })?;
        vec![&*snapshot.nodes[node].name]
    };
    let counted = counts_by_node(&snapshot, criterion);
    let all = nodes.len() > 1;
    let mut answers = Vec::new();
    let (mut text, mut differ) = (Lines::new(), false);
    for node in nodes {
        let line = known.with_zeros(&counted, node);
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
            NodeLineJson {
                values: (&line).into(),
                line: line.write(),
                published: was.map(ElimLineJson::from),
            },
        ));
    }
    if !args.at.form.json && answers.iter().all(|(_, line)| line.line == "0") {
        output::print_note(
            "no job of a class runs there: 0 classes; --policy-file names classes published as 0",
        );
    }
    for problem in snapshot.reported("elim") {
        output::print_note(problem);
    }
    let criterion = criterion.to_string();
    let json = || ElimsJson { criterion: &criterion, nodes: OrderedObject(answers) };
    output::answer(&snapshot, args.at.form.json, json, || text)?;
    Ok(u8::from(differ))
}

/// The classes that are known before any job runs.
struct ElimClasses {
    criterion: Criterion,
    /// The classes that are always published.
    classes: Vec<String>,
    /// Seconds between lines.
    interval: Option<f64>,
}

impl ElimClasses {
    fn of(args: &ElimArgs) -> Result<Self> {
        let file = args.policy_file.as_deref().map(read_policies).transpose()?;
        let criterion = criterion(args.class.as_deref(), file.as_ref())?;
        let interval = file.as_ref().map(|file| file.publish_interval);
        let classes = file.into_iter().flat_map(|file| file.classes).map(|(class, _)| class).collect();
        Ok(Self { criterion, classes, interval })
    }

    fn with_zeros(&self, counted: &BTreeMap<Name, BTreeMap<String, u64>>, node: &str) -> ElimLine {
        let counts = counted.get(node).into_iter().flatten().map(|(class, count)| (attribute(class), *count));
        ElimLine::of(counts.chain(self.classes.iter().map(|class| (attribute(class), 0))))
    }
}

/// Returns the criterion by which jobs fall into classes: the requested one, else that of the policy file, else the
/// group.
pub(super) fn criterion(class: Option<&str>, file: Option<&PolicyFile>) -> Result<Criterion> {
    match (class, file) {
        (Some(class), _) => Ok(Criterion::parse(class)?),
        (None, Some(file)) => Ok(file.class.clone()),
        (None, None) => Ok(Criterion::Group),
    }
}

/// Reads the packing policies of a site.
pub(super) fn read_policies(path: &Path) -> Result<PolicyFile> {
    PolicyFile::read(&open::text(path, 1 << 20)?).wrap_err_with(|| path.display().to_string())
}

fn line_of(snapshot: &Snapshot, node: &str, criterion: &Criterion) -> ElimLine {
    let counted = counts_by_node(snapshot, criterion);
    let counts = counted.get(node).into_iter().flatten();
    ElimLine::of(counts.map(|(class, count)| (attribute(class), *count)))
}

/// Returns the counts by attribute, without zeros.
fn named(counts: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    counts.iter().filter(|(_, count)| **count > 0).map(|(class, count)| (attribute(class), *count)).collect()
}

fn line_counts(line: &ElimLine) -> BTreeMap<String, u64> {
    named(&line.counts())
}
