//! `qscope try`: tries a request on a cluster, from dumps alone.

use std::path::{Path, PathBuf};

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_advice::request::{
    RequestAnswer, RequestEffort, SubjobIndices, SubmitRequest, answer, is_script, read_script,
};
use qscope_engine::cluster::short_id;
use qscope_exits::Lines;
use qscope_explain::{queues_left, words};
use qscope_session::Generation;
use qscope_system::input::{self, SizeLimit};

use super::arguments::{ClusterArgs, FolderArgs};
use super::plain;
use super::table::paragraph;
use super::{open, output};

/// Maximum size of a job script that is read.
const SCRIPT: SizeLimit = SizeLimit { limit: "script-size", bytes: 4 * 1024 * 1024 };

const EXAMPLE: &str = "Examples:
  qscope try -l select=4:ncpus=8 -l walltime=2:00:00 -q workq --as ann FOLDER
  qscope try job.sh FOLDER         the #PBS lines of a script; options hold over them

Nothing is submitted and no server is asked. Exit code 0: it would start now; 1: it waits, or is refused.";

/// The arguments of `try`.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLE, mut_arg("batch_system", |arg| arg.long("torque-as")))]
pub(super) struct TryArgs {
    /// A resource, as for qsub: select=2:ncpus=4, place=excl, walltime=1:00:00 (repeatable).
    #[arg(short = 'l', value_name = "NAME=VALUE")]
    pub resources: Vec<String>,
    /// The queue; by default the server's default_queue.
    #[arg(short, long)]
    pub queue: Option<String>,
    /// Who submits it, and in which group; by default the user of the environment, and the group of that user's jobs
    /// in the dumps.
    #[arg(long = "as", value_name = "USER[:GROUP]", env = "USER", hide_env = true)]
    pub user: Option<String>,
    /// The project.
    #[arg(short = 'P', long)]
    pub project: Option<String>,
    /// The account.
    #[arg(short = 'A', long)]
    pub account: Option<String>,
    /// An attribute, as for qsub: x=PREF(FEATURE:FAST), x=NALLOCPOLICY:FASTEST, group_list=GROUP (repeatable).
    #[arg(short = 'W', value_name = "NAME=VALUE")]
    pub attributes: Vec<String>,
    /// The priority, from -1024 to 1023.
    #[arg(short, long, allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(-1024..=1023))]
    pub priority: Option<i64>,
    /// An array: its subjobs, and how many of them may run at once.
    #[arg(short = 'J', long = "array", value_name = "FIRST-LAST[:STEP][%MOST]")]
    pub array: Option<String>,
    /// Do not estimate the start.
    #[arg(long)]
    pub no_estimate: bool,
    /// Do not search for smaller requests that would start at once.
    #[arg(long)]
    pub no_smaller: bool,
    /// Estimate over at most this many cycles; by default the fewer, the larger the cluster.
    #[arg(long, value_name = "N")]
    pub cycles: Option<u32>,
    /// The folder, the output form, and what to change first; a job script among the files is read for its #PBS
    /// lines.
    #[command(flatten)]
    pub cluster: ClusterArgs,
}

/// Tries a request; the exit code is 1 ("no") unless it would start now.
///
/// # Errors
/// If the input is bad, an option is invalid, or the output cannot be written.
pub(super) fn run(args: &TryArgs) -> Result<u8> {
    let (scripts, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        args.cluster.at.paths.iter().cloned().partition(|path| script(path).is_some());
    let mut request = request_from_args(args)?;
    for path in &scripts {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        read_script(&mut request, &name, &script(path).unwrap_or_default())?;
    }
    let ClusterArgs { at: FolderArgs { form, .. }, set } = &args.cluster;
    let generation = open::changed_generation(&paths, &form.reading, set)?;
    if request.is_empty() {
        return Err(eyre!("nothing is asked for: expected -l select=… or a job script"));
    }
    if let Some(code) = plain::answer_plain_for_user(&generation, form.json)? {
        return Ok(code);
    }
    request.fill_group(&generation.snapshot);
    let found = answer(&generation.run, &request, effort(args, &generation));
    let about = output::AnswerContext::as_a_whole(&generation);
    output::answer(about, form.json, || &found, || to_text(&found, &request))?;
    Ok(u8::from(!found.starts()))
}

/// Returns the text of a job script, if the path is one.
fn script(path: &Path) -> Option<Vec<u8>> {
    let text = path.is_file().then(|| input::read(path, SCRIPT).ok()).flatten()?;
    is_script(&text).then_some(text)
}

fn request_from_args(args: &TryArgs) -> Result<SubmitRequest> {
    let mut request = SubmitRequest {
        queue: args.queue.clone(),
        project: args.project.clone(),
        account: args.account.clone(),
        priority: args.priority,
        ..SubmitRequest::default()
    };
    if let Some(text) = &args.array {
        request.array = Some(SubjobIndices::parse(text).map_err(|error| eyre!("-J {error}"))?);
    }
    let who = args.user.as_deref().unwrap_or("user");
    let (user, group) = who.split_once(':').map_or((who, None), |(user, group)| (user, Some(group)));
    (request.user, request.group) = (user.to_owned(), group.map(str::to_owned));
    args.attributes.iter().for_each(|text| request.attribute_list(text));
    for text in &args.resources {
        request.resource_list(text).map_err(|error| eyre!("-l {error}"))?;
    }
    Ok(request)
}

fn effort(args: &TryArgs, generation: &Generation) -> RequestEffort {
    let snap = &generation.snapshot;
    let cycles = args.cycles.unwrap_or((400_000 / snap.size()).clamp(10, 5000));
    RequestEffort { cycles: if args.no_estimate { 0 } else { cycles }, smaller: !args.no_smaller }
}

fn add(text: &mut Lines, label: &str, body: &str) {
    text.append(&paragraph(&format!("{label:<10}"), body));
}

fn to_text(found: &RequestAnswer, request: &SubmitRequest) -> Lines {
    let mut text = Lines::new();
    let group = request.group.as_ref().map(|group| format!(", group {group}")).unwrap_or_default();
    add(&mut text, "as", &format!("{}{group}", found.user));
    if let Some(queue) = &found.queue {
        let given = if request.queue.is_some() { "" } else { " (default_queue)" };
        add(&mut text, "queue", &format!("{queue}{given}"));
    }
    for left_out in &request.left_out {
        add(&mut text, "left out", &format!("{left_out}: not modelled"));
    }
    if !found.accepted {
        refused(&mut text, found);
        return text;
    }
    request_text(&mut text, found);
    let doubts = found.doubts.join("; ");
    let accepted = if doubts.is_empty() {
        "yes".to_owned()
    } else {
        format!("as far as the dumps show; not shown: {doubts}")
    };
    add(&mut text, "accepted", &accepted);
    for banner in &found.banners {
        add(&mut text, "note", banner);
    }
    if found.starts() {
        starts(&mut text, found);
    } else {
        waits(&mut text, found);
    }
    text
}

fn refused(text: &mut Lines, found: &RequestAnswer) {
    for refusal in &found.refusals {
        add(text, "refused", &format!("{}: {}", refusal.message, refusal.detail));
    }
    if !found.other_queues.is_empty() {
        add(text, "instead", &format!("accepted by: {}", found.other_queues.join(", ")));
    }
}

fn request_text(text: &mut Lines, found: &RequestAnswer) {
    let mut parts = vec![format!("select={}", found.select.as_deref().unwrap_or("-"))];
    parts.extend(found.place.as_ref().map(|place| format!("place={place}")));
    parts.extend(found.walltime().map(|length| format!("walltime={length}")));
    add(text, "request", &parts.join(" "));
    if !found.added.is_empty() {
        add(text, "added", &found.added.join(", "));
    }
}

fn starts(text: &mut Lines, found: &RequestAnswer) {
    let nodes = words::compact(found.nodes.iter().map(String::as_str));
    let path = found.path.map(|path| format!(" ({path} path)")).unwrap_or_default();
    if let Some(subjobs) = found.subjobs {
        let total = words::count(subjobs.total, "subjob");
        add(
            text,
            "array",
            &format!(
                "{} of {total} would start now; the nodes below are those of the first",
                subjobs.starting
            ),
        );
    }
    add(text, "starts", &format!("now, on {}{path}: {nodes}", words::count(found.nodes.len(), "node")));
    if !found.preempts.is_empty() {
        add(text, "preempts", &folded_jobs(&found.preempts));
    }
    if !found.delays.is_empty() {
        let jobs = words::count(found.delays.len(), "job");
        add(text, "delays", &format!("{jobs} that would start now: {}", folded_jobs(&found.delays)));
    }
}

/// Returns jobs by short id, subjobs of an array together; at most two lines of them.
fn folded_jobs(names: &[String]) -> String {
    words::folded_within(names.iter().map(|name| short_id(name)), 120)
}

fn waits(text: &mut Lines, answer: &RequestAnswer) {
    let never = answer.final_verdict == Some("never") || answer.tier == Some("never");
    add(text, "starts", if never { "never, as it is" } else { "not now" });
    add(text, "why", &answer.headline);
    if let Some(when) = &answer.when {
        add(text, "when", &when.words);
    }
    let queues = words::count(answer.starts_in.len(), "queue");
    let instead = (!answer.starts_in.is_empty())
        .then(|| format!("starts now in {queues}: {}", answer.starts_in.join(", ")));
    let left = (answer.queues_not_tried > 0).then(|| queues_left(answer.queues_not_tried));
    let instead: Vec<String> = instead.into_iter().chain(left).collect();
    if !instead.is_empty() {
        add(text, "instead", &instead.join("; "));
    }
    if answer.smaller.is_empty() && answer.tier != Some("not_eligible") {
        add(text, "smaller", "nothing found that starts at once");
    }
    for (at, remedy) in answer.smaller.iter().take(6).enumerate() {
        let label = if at == 0 { "starts if" } else { "" };
        let has_costs = !remedy.delayed.is_empty() || remedy.doubles;
        let costs = if has_costs { format!("; {}", remedy.costs) } else { String::new() };
        add(text, label, &format!("{}: {}{costs}", remedy.change, remedy.effect));
    }
}
