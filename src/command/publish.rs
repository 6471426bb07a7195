//! `qscope publish FOLDER --to PATH`: writes one file with every job's answer, which any user may read.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_engine::cycle::run_cycle;
use qscope_exits::Archive;
use qscope_explain::{scheduling_off, words};
use qscope_session::Generation;
use qscope_share::published::{
    Advice, PublishedEffort, PublishedHeader, answers, etc, format_name, place, write,
};
use qscope_share::{RedactionAudience, dump, redacted};

use super::follow::{self, FollowArgs, FollowOptions};
use super::output;
use super::stop::StopSignal;

/// The arguments of `publish`.
#[derive(Args, Clone, Debug)]
#[command(
    mut_arg("every", follow::describe_interval),
    after_help = "Example: qscope publish /var/spool/qscope/dumps --to /var/spool/qscope/published --collect --every 60s\n\
    Users then ask `qwhy`, which is the same program under a second name (ln -s qscope /usr/local/bin/qwhy), or\n\
    `qscope why --published`."
)]
pub(super) struct PublishArgs {
    /// The file to write, replaced in one step; any user may read it. Its folder must exist.
    #[arg(long, value_name = "PATH")]
    pub to: PathBuf,
    /// Leave out the owners of jobs: users, groups, projects and accounts. Users then ask by job id.
    #[arg(long)]
    pub hide_users: bool,
    /// The folder, and how to follow it; `--every` limits how often the file is written.
    #[command(flatten)]
    pub follow: FollowArgs,
}

/// Publishes until stopped, or once.
///
/// # Errors
/// If the input is bad, a file of advice is invalid, or a file cannot be written.
pub(super) fn run(args: &PublishArgs) -> Result<u8> {
    Advice::read(&etc())?;
    let mut each = |generation: &Arc<Generation>, stop: &StopSignal| {
        let started = Instant::now();
        let Some((jobs, bytes)) = publish(args, generation, stop)? else { return Ok(false) };
        output::print_line(format_args!(
            "published {} in {:.1} s: {bytes} bytes in {}",
            words::count(jobs, "job"),
            started.elapsed().as_secs_f64(),
            args.to.display()
        ))?;
        Ok(true)
    };
    follow::for_each_snapshot(&args.follow, FollowOptions::with_interval(args.follow.how.every), &mut each)?;
    Ok(0)
}

/// Publishes one snapshot; returns its numbers of answers and bytes, or `None` if it was stopped.
fn publish(args: &PublishArgs, generation: &Generation, stop: &StopSignal) -> Result<Option<(usize, usize)>> {
    let reader =
        if args.hide_users { RedactionAudience::UsersWithoutNames } else { RedactionAudience::Users };
    // The answers are computed from what is published, so they cannot hold anything else.
    let (mut snap, _) = redacted(&generation.snapshot, reader, "published");
    let options = generation.run.plan.quirks.options();
    snap.made_with = options.as_str().into();
    let snap = Arc::new(snap);
    let run = Arc::new(run_cycle(snap.clone(), generation.run.plan.quirks));
    let Some(answers) = answers(&run, PublishedEffort::of(&snap), &|| stop.is_due()) else { return Ok(None) };
    let published =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_err(|_| eyre!("the clock is wrong"))?;
    let head = PublishedHeader {
        format: format_name(),
        written_by: concat!("qscope ", env!("CARGO_PKG_VERSION")).to_owned(),
        now: snap.now.0,
        clock: words::clock(&snap, snap.now),
        published: i64::try_from(published.as_secs()).unwrap_or(i64::MAX),
        server: snap.server.name.to_string(),
        jobs: answers.len(),
        users: !args.hide_users,
        banners: scheduling_off(&snap).into_iter().collect(),
        options,
    };
    let mut files = dump::files(&snap);
    if !head.options.is_empty() {
        let text = format!("The answers are those of: qscope why JOB FILE {}\n", head.options);
        files.push(("README", text.into_bytes()));
    }
    let bytes = Archive(write(&head, &answers, &files)?);
    place(&args.to, &bytes, true)?;
    Ok(Some((answers.len(), bytes.0.len())))
}
