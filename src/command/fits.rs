//! `qscope fits`: the largest requests that start now, per queue and kind of node, and their maximum walltime.

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_advice::fits::{FitAnswer, FitQuestion, FreeWindow, RequestFit, fits, picture};
use qscope_engine::cluster::did_you_mean::question;
use qscope_engine::cluster::value_of;
use qscope_exits::Lines;
use qscope_explain::words;
use qscope_session::Generation;

use super::arguments::ClusterArgs;
use super::plain;
use super::table::{COLUMNS, grid, paragraph};
use super::{open, output};

const EXAMPLE: &str = "Examples:
  qscope fits FOLDER                  every queue and kind of node
  qscope fits -q workq --as ann FOLDER

Each window was started by running the cycle with it; one node or one minute more does not start. A chunk of a
smaller kind of node also takes larger ones. `delays`: jobs that would start now and would not beside it;
`preempts`: running jobs that it takes the nodes of.
Exit code 0: something starts now; 1: nothing does.";

/// The arguments of `fits`.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLE, mut_arg("batch_system", |arg| arg.long("torque-as")))]
pub(super) struct FitsArgs {
    /// Only this queue.
    #[arg(short, long)]
    pub queue: Option<String>,
    /// The user who would submit, and in which group; by default one whom every queue admits, and the group of that
    /// user's jobs in the dump.
    #[arg(long = "as", value_name = "USER[:GROUP]")]
    pub user: Option<String>,
    /// Maximum number of windows shown for a queue and kind of node.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1000))]
    pub most: usize,
    /// The folder, the output form, and what to change first.
    #[command(flatten)]
    pub cluster: ClusterArgs,
}

/// Shows what starts now; the exit code is 1 ("no") if nothing does.
///
/// # Errors
/// If the input is bad, there is no such queue, or the output cannot be written.
pub(super) fn run(args: &FitsArgs) -> Result<u8> {
    let generation = open::what_if(&args.cluster)?;
    if let Some(code) = plain::answer_plain_for_user(&generation, args.cluster.as_json())? {
        return Ok(code);
    }
    let snap = &generation.snapshot;
    if let Some(name) = args.queue.as_deref().filter(|name| snap.queue_named(name).is_none()) {
        let hint = question(name, snap.queues.iter().map(|queue| &*queue.name));
        return Err(eyre!("no queue `{name}` among {} in {}{hint}", snap.queues.len(), snap.title));
    }
    let who = args
        .user
        .as_deref()
        .map(|who| who.split_once(':').map_or((who, None), |(user, group)| (user, Some(group))));
    let asked = FitQuestion {
        queue: args.queue.clone(),
        user: who.map(|(user, _)| user.to_owned()),
        group: who.and_then(|(_, group)| group.map(str::to_owned)),
        most: args.most,
    };
    let found = fits(&generation.run, &asked);
    let about = output::AnswerContext::as_a_whole(&generation).with_scheduling();
    output::answer(about, args.cluster.as_json(), || &found, || to_text(&found, &generation))?;
    Ok(u8::from(found.fits.iter().all(|fit| fit.windows.is_empty())))
}

fn to_text(found: &FitAnswer, generation: &Generation) -> Lines {
    let mut text = Lines::new();
    let who = found.user.as_ref().map_or_else(|| "anyone".to_owned(), |user| format!("user {user}"));
    text.line(format_args!("Whole nodes (place=scatter:excl) that start in this cycle, for {who}"));
    text.blank();
    let kinds = found.kinds.iter().map(|kind| {
        let counts = [kind.nodes, kind.free, kind.large_enough].map(|count| count.to_string());
        std::iter::once(kind.chunk.clone()).chain(counts).chain([kind.example.clone()]).collect()
    });
    // Larger nodes can serve too: more may start than nodes of the kind were free.
    let heading = ["kind of node", "nodes", "free before", "large enough", "such as"];
    text.append(&grid(&heading, &kinds.collect::<Vec<Vec<String>>>(), &[1, 2, 3]));
    for of_queue in found.fits.chunk_by(|a, b| a.queue == b.queue) {
        for fit in of_queue.iter().filter(|fit| !fit.windows.is_empty()) {
            text.blank();
            text.append(&fit_text(fit, generation));
        }
        text.append(&nothing_text(of_queue));
    }
    for (queue, why) in &found.closed {
        text.blank();
        text.append(&paragraph(&format!("queue {queue}: "), &format!("takes no such job: {why}")));
    }
    text
}

/// Returns the kinds of nodes on which nothing of a queue starts, grouped by reason.
fn nothing_text(of_queue: &[RequestFit]) -> Lines {
    let mut reasons: Vec<((&str, bool), Vec<&str>)> = Vec::new();
    for fit in of_queue.iter().filter(|fit| fit.windows.is_empty()) {
        let why = fit.none.as_deref().unwrap_or("not known");
        value_of(&mut reasons, (why, fit.never)).push(&fit.chunk);
    }
    let mut text = Lines::new();
    for ((why, never), kinds) in reasons {
        let queue = of_queue.first().map(|fit| &*fit.queue).unwrap_or_default();
        let kinds = if kinds.len() == of_queue.len() { "any node".to_owned() } else { kinds.join(", ") };
        text.blank();
        let what = if never { "nothing can ever run" } else { "nothing starts now" };
        text.append(&paragraph("", &format!("queue {queue}, {kinds}: {what}: {why}")));
    }
    text
}

fn fit_text(fit: &RequestFit, generation: &Generation) -> Lines {
    let mut text = Lines::new();
    text.line(format_args!("queue {}, {}", fit.queue, fit.chunk));
    let preempts = fit.windows.iter().any(|window| window.preempts > 0);
    let heading: &[&str] = if preempts {
        &["nodes", "walltime", "until", "delays", "preempts", "limited by"]
    } else {
        &["nodes", "walltime", "until", "delays", "limited by"]
    };
    let rows: Vec<Vec<String>> =
        fit.windows.iter().map(|window| window_row(window, preempts, generation)).collect();
    text.append(&grid(heading, &rows, if preempts { &[0, 1, 3, 4] } else { &[0, 1, 3] }));
    if fit.windows.len() > 1 {
        text.extend(picture(fit, COLUMNS));
    }
    text
}

/// Returns the cells of a window, including the number of preempted jobs if any window of the table has some.
fn window_row(window: &FreeWindow, preempts: bool, generation: &Generation) -> Vec<String> {
    let jobs = |count: usize| if count > 0 { count.to_string() } else { "-".to_owned() };
    let until = window.end().map_or_else(|| "-".to_owned(), |at| words::clock(&generation.snapshot, at));
    let why = match &window.longer {
        Some(longer) if *longer == window.wider => longer.clone(),
        Some(longer) => format!("longer: {longer}; wider: {}", window.wider),
        None => format!("wider: {}", window.wider),
    };
    let mut row = vec![window.nodes.to_string(), window.length(), until, jobs(window.delays)];
    row.extend(preempts.then(|| jobs(window.preempts)));
    row.push(clipped(&why, if preempts { 30 } else { 40 }));
    row
}

/// Cuts a text to at most `most` characters; JSON has all of it.
fn clipped(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most - 1).collect();
    format!("{}…", head.trim_end())
}
