//! `qscope why JOB`: why a job waits, or where it starts.

mod deferred;
mod json;
mod nodes;

use std::path::{Path, PathBuf};

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::{NodeId, Snapshot};
use qscope_exits::{Lines, Message};
use qscope_explain::{
    AnswerLine, AnswerSection, Explanation, Funnel, JobTurn, LineKind, LineStatement, PartOnNode, WaitReason,
    as_markdown, as_text, assumption, blockers_section, estimate_section, funnels, on_node, remedies_section,
    sections, why, why_not_here,
};
use qscope_session::as_read::{add_settings, settings_named};
use qscope_session::distribution;
use qscope_source::as_read::SettingLocation;

use super::arguments::ClusterArgs;
use super::plain::{self, NoVerdictsSubject};
use super::{open, output};
use deferred::DeferredAnalysis;
use json::{DistributionJson, EstimateJson, NodeRefusalJson, WhyJson};
use nodes::one_node;

pub(super) use nodes::run as run_node;

/// Width of the text for a ticket, in columns; fewer if the terminal has fewer.
const COLUMNS: usize = 100;

/// Explains one job; the exit code is 1 ("no") while it waits.
///
/// # Errors
/// If the input is bad, there is no such job or node, or the output cannot be written.
pub(super) fn run(args: &WhyArgs) -> Result<u8> {
    let args = &reorder_words(args.clone())?;
    let generation = open::what_if(&args.cluster)?;
    let job = open::job(&generation, &args.job)?;
    if let Some(code) =
        plain::print_if_no_verdicts(&generation, args.cluster.as_json(), NoVerdictsSubject::Job(&args.job))?
    {
        return Ok(code);
    }
    let node = args.node.as_deref().map(|name| node_beside(&generation.snapshot, name)).transpose()?;
    let mut turn = JobTurn::for_named(&generation.run, job, &args.job);
    let mut answer = why(&generation.run, job);
    let is_started_subjob = answer.narrow_to_subjob(&generation.run, &args.job);
    let waits = answer.tier().is_some();
    let queue = &generation.snapshot.jobs[job].queue;
    let settings = settings_named(&generation, queue, &answer.causes, &answer.banners);
    let found = ImmediateFacts {
        funnels: turn.as_mut().filter(|_| waits).map(funnels).unwrap_or_default(),
        lack_on_node: node.and_then(|(id, name)| Some((name, why_not_here(turn.as_mut()?, id)))),
        answer,
        settings,
    };
    let later = DeferredAnalysis { generation: &generation, job, args, waits, is_started_subjob };
    if args.cluster.as_json() {
        found.print_json(&later, turn.as_ref())?;
    } else {
        found.print_text(&later, turn.as_ref())?;
    }
    Ok(u8::from(waits))
}

/// What is known of a job immediately.
struct ImmediateFacts {
    answer: Explanation,
    funnels: Vec<Funnel>,
    /// The settings that the answer names, and where they are set.
    settings: Vec<SettingLocation>,
    /// What the job lacks on the node that was asked about.
    lack_on_node: Option<(String, Vec<PartOnNode>)>,
}

impl ImmediateFacts {
    fn print_json(&self, later: &DeferredAnalysis<'_>, turn: Option<&JobTurn>) -> Result<()> {
        let blame = later.blame(turn, &self.answer).unwrap_or_default();
        let (estimate, tried) = later.estimate_and_remedies(&|_| Ok(()))?;
        let (spread, back_test) = later.start_distribution(later.read_history()?.as_ref())?;
        let mut found = WhyJson::of(later.generation, later.job, &self.answer, &self.funnels);
        found.blame = &blame.ends;
        found.estimate = estimate
            .as_ref()
            .map(|found| EstimateJson { found, assumption: assumption(&later.generation.snapshot) });
        found.distribution = spread.as_ref().map(|spread| DistributionJson { spread, back_test });
        found.remedies = &tried.working;
        found.queues_not_tried = tried.queues_not_tried;
        found.settings = &self.settings;
        found.node = self.lack_on_node.as_ref().map(|(name, parts)| NodeRefusalJson { name, parts });
        found.chain = blame.chain.iter().map(|link| &*link.text).collect();
        output::print_json_about(later.generation, found)
    }

    /// Prints the answer; slower parts follow as they are found.
    fn print_text(&self, deferred: &DeferredAnalysis<'_>, turn: Option<&JobTurn>) -> Result<()> {
        // Logs that cannot be read are bad input, which must be known before anything is printed.
        let past = deferred.read_history()?;
        let (snap, markdown) = (&deferred.generation.snapshot, deferred.args.markdown);
        let short = snap.jobs[deferred.job].short_name();
        let mut page = sections(&self.answer, &self.funnels, str::to_owned);
        if let Some(verdict) = page.first_mut() {
            name_job(verdict, short, &self.answer);
        }
        add_settings(&mut page, &self.settings);
        if let Some((name, parts)) = &self.lack_on_node {
            page.insert(1.min(page.len()), on_node(short, name, parts));
        }
        output::print_about(deferred.generation, &written(&page, markdown))?;
        if let Some(found) =
            deferred.blame(turn, &self.answer).and_then(|blame| blockers_section(snap, &blame))
        {
            print_next(&found, markdown)?;
        }
        let (_, tried) =
            deferred.estimate_and_remedies(&|found| print_next(&estimate_section(snap, found), markdown))?;
        // Many runs of the queue: what is known before stands there while they are counted.
        let (spread, held) = deferred.start_distribution(past.as_ref())?;
        if let Some(spread) = spread {
            print_next(&distribution(snap, &spread, held.as_ref()), markdown)?;
        }
        if deferred.seeks_remedies() {
            print_next(&remedies_section(&tried.working, tried.queues_not_tried), markdown)?;
        }
        Ok(())
    }
}

/// Returns the default maximum number of cycles over which a start is estimated: the larger the cluster, the fewer.
pub(super) fn most_cycles(snap: &Snapshot) -> u32 {
    (600_000 / snap.size()).clamp(25, 5000)
}

/// Puts the words into the order meant: a node may follow the job, and a folder must not precede it.
fn reorder_words(mut args: WhyArgs) -> Result<WhyArgs> {
    let is_there = |path: &Path| path.exists() || path.as_os_str() == "-";
    let first = args.cluster.at.paths.first().cloned();
    let missing = first.filter(|path| !is_there(path) && !path.to_string_lossy().contains(['/', '@']));
    if let Some(word) = missing {
        let word = word.to_string_lossy().into_owned();
        if Path::new(&args.job).is_dir() {
            return Err(eyre!("the job comes before the folder: qscope why {word} {}", args.job));
        }
        // The word is a node if more words follow, or if the built-in sample has a node of that name.
        if args.node.is_none() && (args.cluster.at.paths.len() > 1 || is_of_sample(&args, &word)?) {
            args.node = Some(word);
            args.cluster.at.paths.remove(0);
        }
    }
    Ok(args)
}

/// Returns the node that was named in addition to the job; a second job is an error.
fn node_beside(snap: &Snapshot, name: &str) -> Result<(NodeId, String)> {
    let is_job = snap.node_named(name).is_none() && snap.job_meant(name).is_some();
    if is_job {
        return Err(eyre!(
            "`{name}` is a job, and why is about one: ask for each (qscope why {name} FOLDER)"
        ));
    }
    one_node(snap, name)
}

/// Returns whether a word after the job, without a folder after it, is a node of the built-in sample.
fn is_of_sample(args: &WhyArgs, word: &str) -> Result<bool> {
    let sample = open::snapshot(&[], &args.cluster.at.form.reading)?;
    if sample.node_named(word).is_some() {
        return Ok(true);
    }
    let job = &args.job;
    Err(Message::from_iter([
        format!("no folder `{word}`, and no node of that name in the built-in sample"),
        format!("  a folder of dumps: qscope why {job} FOLDER"),
        format!("  about one node:    qscope why {job} {word} FOLDER"),
    ])
    .into())
}

/// Puts the job into the first line, and also the cause if the reason has no numbers, so that the line alone is an
/// answer.
fn name_job(verdict: &mut AnswerSection, job: &str, answer: &Explanation) {
    let Some(cause) = answer.causes.first() else {
        verdict.title = format!("{job} {}", verdict.title);
        return;
    };
    let Some((reason, numbers)) = WaitReason::of(&answer.causes).map(|reason| reason.headline_parts()) else {
        return;
    };
    let verb = match reason.split(' ').next() {
        Some("can" | "cannot" | "refused" | "preempted") => "",
        _ => " waits:",
    };
    let details = numbers.or_else(|| {
        // The sentence may state more than the cause does.
        let sentence = cause.sentence == answer.headline;
        let is_cause =
            |line: &AnswerLine| line.kind == LineKind::Sentence && line.statement == LineStatement::Cause(0);
        let at = verdict.lines.iter().position(is_cause).filter(|_| sentence)?;
        let text = verdict.lines.remove(at).text;
        Some(text.strip_suffix(&format!(": {job} {reason}")).map_or(text.clone(), str::to_owned))
    });
    let details = details.map_or(String::new(), |details| format!(" – {details}"));
    verdict.title = answer.as_certain(format!("{job}{verb} {reason}{details}"));
}

fn print_next(section: &AnswerSection, markdown: bool) -> Result<()> {
    let mut text = Lines::new();
    if !markdown {
        text.blank();
    }
    text.append(&written(std::slice::from_ref(section), markdown));
    output::print(&text)
}

fn written(sections: &[AnswerSection], markdown: bool) -> Lines {
    if markdown {
        as_markdown(sections)
    } else {
        let columns = output::columns();
        // If the output is not a terminal, no list of nodes is cut.
        as_text(sections, columns.map_or(COLUMNS, |columns| columns.min(COLUMNS)), columns)
    }
}

/// The arguments of `why`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: qscope why 4711 /var/spool/qscope")]
pub(super) struct WhyArgs {
    /// The job, with or without the server part.
    pub job: String,
    /// The folder, the output form, and what to change first.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// Explain also why this node does not take the job.
    #[arg(long, value_name = "NODE")]
    pub node: Option<String>,
    /// Print Markdown.
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Answer from the published file instead of a folder, as qwhy does: all words are jobs; without any, your own
    /// jobs.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub published: Option<Option<PathBuf>>,
    /// Leave out what takes longer: what blocks the job, when it starts, what would start it now.
    #[arg(long)]
    pub fast: bool,
    /// Do not estimate the start.
    #[arg(long)]
    pub no_estimate: bool,
    /// Do not search for remedies.
    #[arg(long)]
    pub no_remedies: bool,
    /// State the start as a distribution too, with run times drawn from this past, as `when --arrivals` takes it
    /// (repeatable).
    #[arg(long, value_name = "LOGS", conflicts_with_all = ["fast", "no_estimate"])]
    pub past: Vec<PathBuf>,
    /// Estimate over at most this many cycles; by default the fewer, the larger the cluster.
    #[arg(long, value_name = "N")]
    pub cycles: Option<u32>,
}

const NODE_EXAMPLE: &str = "Examples:
  qscope why-node n9 FOLDER              why one node takes nothing
  qscope why-node 'n[9-10,14]' FOLDER    the same of three; nodes with the same answer are put together

With --json a node gives an object, and a folded name a list of such objects, one for each node in the order of the name,
also where it stands for one.
Exit code 1: jobs wait that the nodes do not take.";

/// The arguments of `why-node`.
#[derive(Args, Clone, Debug)]
#[command(after_help = NODE_EXAMPLE)]
pub(super) struct WhyNodeArgs {
    /// The node, or up to 64 nodes by a folded name as answers print it: n[9-10].
    pub node: String,
    /// The folder, the output form, and what to change first.
    #[command(flatten)]
    pub cluster: ClusterArgs,
}
