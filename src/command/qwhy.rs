//! `qwhy [JOB…]`: why jobs wait, from the published file alone. It starts no client of the batch system and reads no
//! folder.

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::SystemTime;

use clap::{Args, Parser};
use color_eyre::eyre::{Result, eyre};
use serde::Serialize;

use qscope_engine::cluster::{Epoch, array_id, array_numbered, id_number, short_id};
use qscope_exits::Lines;
use qscope_share::published::{
    Advice, PublishedAnswer, PublishedFile, PublishedHeader, as_lines, etc, header_line, published_path,
};
use qscope_system::user::own_name;

use super::output;

/// Why a job waits, when it starts, and what would help: at most three lines for each job.
#[derive(Parser, Clone, Debug)]
#[command(
    name = "qwhy",
    version,
    after_help = "Examples:
  qwhy                 all your jobs
  qwhy 4711 4712       these jobs
  qwhy --json 4711     for programs

Reads the file that the site publishes (qscope publish) and asks no server.
Exit codes: 0 nothing waits; 1 a job waits; 2 bad input, also where only some of the jobs are known."
)]
pub(super) struct QwhyCli {
    #[command(flatten)]
    pub args: QwhyArgs,
}

/// The arguments of `qwhy`.
#[derive(Args, Clone, Debug)]
pub(super) struct QwhyArgs {
    /// The jobs, with or without the server part; without any, all jobs of the user.
    #[arg(value_name = "JOB")]
    pub jobs: Vec<String>,
    /// The published file; by default that of QSCOPE_PUBLISHED, of `published` in /etc/qscope/config.toml, or
    /// /var/spool/qscope/published. After a space, a word that begins with a digit is a job, not a file.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub published: Option<Option<PathBuf>>,
    /// The user whose jobs to list instead of your own.
    #[arg(long, value_name = "NAME", conflicts_with = "jobs")]
    pub user: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Returns whether a word is the option `--published`, with or without a file.
pub(super) fn is_published(word: &OsStr) -> bool {
    word.to_str().is_some_and(|word| word.split('=').next() == Some(PUBLISHED))
}

const PUBLISHED: &str = "--published";

/// Joins `--published FILE` into `--published=FILE`: the option may also precede the jobs without a file. A job's id
/// begins with a digit, so a word that does not is the file.
pub(super) fn with_file_joined(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for word in words {
        match joined.last_mut() {
            Some(option) if *option == PUBLISHED && is_file(&word) => {
                option.push("=");
                option.push(word);
            }
            _ => joined.push(word),
        }
    }
    joined
}

fn is_file(word: &OsStr) -> bool {
    word.as_encoded_bytes().first().is_some_and(|first| !first.is_ascii_digit() && *first != b'-')
}

/// The answer as JSON.
#[derive(Serialize)]
struct QwhyJson<'a> {
    #[serde(flatten)]
    head: &'a PublishedHeader,
    answers: Vec<AnswerJson<'a>>,
}

/// An answer, and what would help.
#[derive(Serialize)]
struct AnswerJson<'a> {
    #[serde(flatten)]
    answer: &'a PublishedAnswer,
    helps: Option<String>,
}

/// Prints answers; the exit code is 1 ("no") while one of the jobs waits. Jobs that are not in the file are named
/// alongside the answers about the others, and are bad input (2).
///
/// # Errors
/// If there is no published file, none of the jobs is in it, or the output cannot be written.
pub(super) fn run(args: &QwhyArgs) -> Result<u8> {
    let etc = etc();
    let option = args.published.as_ref().and_then(Option::as_deref);
    let path = published_path(option, &etc).map_err(|why| eyre!(why))?;
    let published =
        PublishedFile::open(&path.path).map_err(|why| eyre!("{why} (path from {})", path.source))?;
    let (found, missing) = found(args, &published)?;
    // A mistake in the site's advice must not cost a user the answer.
    let advice = Advice::read(&etc).unwrap_or_else(|why| {
        output::print_note(format_args!("{why}; the answer is without the site's advice"));
        Advice::default()
    });
    let answers =
        || found.iter().map(|answer| AnswerJson { answer, helps: advice.for_answer(answer) }).collect();
    let json = || QwhyJson { head: &published.header, answers: answers() };
    output::print_json_or_text(args.json, json, || text(&published.header, &found, &advice, args))?;
    if missing.is_empty() { Ok(u8::from(found.iter().any(waits))) } else { Ok(2) }
}

fn waits(answer: &PublishedAnswer) -> bool {
    answer.tier.is_some()
}

/// Returns the answers, and the names of jobs that are not in the file, each of which is reported.
fn found<'a>(args: &'a QwhyArgs, published: &PublishedFile) -> Result<(Vec<PublishedAnswer>, Vec<&'a str>)> {
    let damaged = |why: String| eyre!("the published file is damaged: {why}");
    if args.jobs.is_empty() {
        if !published.header.users {
            return Err(eyre!("the site does not publish whose jobs they are: name them, as in `qwhy 4711`"));
        }
        let user = requested_user(args)?;
        return Ok((published.answers(&|_, of| of == user).map_err(damaged)?, Vec::new()));
    }
    let (mut all, mut missing) = (Vec::new(), Vec::new());
    for name in &args.jobs {
        let mut of_it = published.answers(&|job, _| is_named(job, name)).map_err(damaged)?;
        // A subjob that has not started is found as its array; so is the number alone.
        if of_it.is_empty() {
            let array = array_id(name).map_or_else(|| array_numbered(name), |(array, _)| array.to_string());
            of_it = published.answers(&|job, _| is_named(job, &array)).map_err(damaged)?;
            of_it = of_it.into_iter().map(|answer| answer.of_starting(name).unwrap_or(answer)).collect();
        }
        if of_it.is_empty() {
            missing.push(&**name);
        }
        all.append(&mut of_it);
    }
    let newest = if missing.is_empty() { None } else { newest(published).map_err(damaged)? };
    let about = |name: &str| {
        let PublishedHeader { jobs, clock, .. } = &published.header;
        let hint = match id_number(name) > newest {
            true => "; newer jobs follow when the site publishes again",
            false => "",
        };
        format!("no job `{name}` among {jobs} as of {clock}{hint}")
    };
    match missing.first() {
        Some(first) if all.is_empty() => Err(eyre!(about(first))),
        _ => {
            missing.iter().for_each(|name| output::print_note(format_args!("{}", about(name))));
            Ok((all, missing))
        }
    }
}

/// Returns the number of the newest job in the file.
fn newest(published: &PublishedFile) -> Result<Option<u64>, String> {
    let newest = Cell::new(None);
    published.answers(&|job, _| {
        newest.set(newest.get().max(id_number(job)));
        false
    })?;
    Ok(newest.get())
}

fn is_named(job: &str, name: &str) -> bool {
    job == name || short_id(job) == name
}

/// Returns the user whose jobs are meant: that of this process, whatever the environment states. If the system has no
/// name for that user, the environment's name is enough, since the file holds no secrets of others.
fn requested_user(args: &QwhyArgs) -> Result<String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let user =
        args.user.clone().or_else(own_name).or_else(|| variable("LOGNAME")).or_else(|| variable("USER"));
    user.ok_or_else(|| eyre!("the system has no name for this user: give --user NAME"))
}

fn text(head: &PublishedHeader, found: &[PublishedAnswer], advice: &Advice, args: &QwhyArgs) -> Lines {
    let Epoch(clock) = SystemTime::now().into();
    let mut lines = Lines::new();
    lines.line(header_line(head, clock));
    if found.is_empty() {
        let user = requested_user(args).unwrap_or_default();
        lines.line(format_args!("no job of {user} among {}; --user NAME lists those of another", head.jobs));
    }
    let width = output::columns().unwrap_or(usize::MAX / 2);
    for answer in found {
        lines.extend(as_lines(answer, advice, width));
    }
    lines
}
