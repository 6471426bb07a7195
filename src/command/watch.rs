//! `qscope watch JOB|'FILTER' FOLDER --exec CMD|--bell`: gives a notice when a job runs, or when a filter begins to
//! hold.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgGroup, Args};
use color_eyre::eyre::Result;

use qscope_exits::Lines;
use qscope_session::Generation;
use qscope_share::notice::{AwaitedEvent, MatchTracker};
use qscope_system::program::{self, ProgramLimits};

use super::follow::{self, FollowArgs, FollowOptions};
use super::open::{self, error_with_mark};
use super::output;
use super::stop::StopSignal;

/// The arguments of `watch`.
#[derive(Args, Clone, Debug)]
#[command(group(ArgGroup::new("notice").required(true).multiple(true).args(["exec", "bell"])))]
#[command(after_help = "Examples:
  qscope watch 4711 FOLDER --bell                           when job 4711 runs
  qscope watch 'user:ann verdict=never' FOLDER --exec 'mail -s \"$1 can never run\" ann < /dev/null'
The command is run by /bin/sh with the ids of the jobs as $1, $2 and so on; nothing in the folder names or changes it.")]
pub(super) struct WatchArgs {
    /// A job, or a filter over jobs in quotes (qscope help filters).
    #[arg(value_name = "JOB|FILTER")]
    pub awaited: String,
    /// Run this command each time.
    #[arg(long, value_name = "CMD")]
    pub exec: Option<OsString>,
    /// Ring the terminal's bell each time.
    #[arg(long)]
    pub bell: bool,
    /// Stop after the first time; for a job this is always so.
    #[arg(long)]
    pub first: bool,
    /// The folder, and how to follow it.
    #[command(flatten)]
    pub follow: FollowArgs,
}

/// Limits of the command's run time and output.
const LIMITS: ProgramLimits = ProgramLimits { time: Duration::from_secs(60), output: 1 << 20 };
/// Maximum number of ids that are passed to it.
const MAX_IDS: usize = 1000;

/// Watches until stopped, or until a job runs; with `--once` the exit code is 1 ("no") if nothing holds.
///
/// # Errors
/// If the input is bad, a filter is invalid, or the output cannot be written.
pub(super) fn run(args: &WatchArgs) -> Result<u8> {
    let awaited = AwaitedEvent::of(&args.awaited);
    let mut notices = MatchTracker::default();
    // A job that is not there may be misspelt, or may be submitted later.
    let mut is_looked_up = false;
    let mut code = 0;
    let mut each = |generation: &Arc<Generation>, stop: &StopSignal| {
        let query = awaited
            .query(&generation.snapshot.catalogue)
            .map_err(|error| error_with_mark("the filter cannot be read", &error.pointed(&args.awaited)))?;
        let is_first = notices.count() == 0;
        let began = notices.begin(&generation.run, &query);
        if args.follow.once {
            code = once(args, &awaited, generation, &notices, stop)?;
            return Ok(false);
        }
        if !std::mem::replace(&mut is_looked_up, true)
            && matches!(awaited, AwaitedEvent::Job(_))
            && open::job(generation, &args.awaited).is_err()
        {
            output::print_note(format_args!("no job `{}` is there; it is awaited", args.awaited));
        }
        // A job that runs already is not waited for.
        let is_over = matches!(awaited, AwaitedEvent::Job(_)) && is_first && notices.count() > 0;
        if began.is_empty() {
            if is_over {
                output::print_line(format_args!("{} runs", args.awaited))?;
            }
            return Ok(!is_over);
        }
        notify(args, &awaited, &began, stop)?;
        Ok(!(args.first || matches!(awaited, AwaitedEvent::Job(_))))
    };
    // A command is run for its own effect, so it does not depend on a reader of the output.
    let pace = if args.exec.is_some() {
        FollowOptions::with_interval(Duration::ZERO)
    } else {
        FollowOptions::WHILE_READ
    };
    follow::for_each_snapshot(&args.follow, pace, &mut each)?;
    Ok(code)
}

/// Reports what holds in the one snapshot that is read, since nothing begins in it; the exit code is 1 ("no") if
/// nothing does.
fn once(
    args: &WatchArgs,
    awaited: &AwaitedEvent,
    generation: &Generation,
    notices: &MatchTracker,
    stop: &StopSignal,
) -> Result<u8> {
    if matches!(awaited, AwaitedEvent::Job(_)) {
        open::job(generation, &args.awaited)?;
    }
    let held = notices.matching_jobs();
    if held.is_empty() {
        return Ok(1);
    }
    notify(args, awaited, &held, stop)?;
    Ok(0)
}

/// Prints that a job runs, or the jobs for which a filter holds or begins to; then rings the bell, and runs the command.
fn notify(args: &WatchArgs, awaited: &AwaitedEvent, jobs: &[String], stop: &StopSignal) -> Result<()> {
    match awaited {
        AwaitedEvent::Job(_) => output::print_line(format_args!("{} runs", args.awaited))?,
        AwaitedEvent::Filter(_) => output::print_line(format_args!("{}: {}", args.awaited, jobs.join(" ")))?,
    }
    act(args, jobs, stop)
}

/// Rings the bell, and runs the command with the ids of the jobs.
fn act(args: &WatchArgs, began: &[String], stop: &StopSignal) -> Result<()> {
    if args.bell {
        output::ring()?;
    }
    let Some(command) = &args.exec else { return Ok(()) };
    let mut words: Vec<OsString> = vec!["-c".into(), command.clone(), "sh".into()];
    words.extend(began.iter().take(MAX_IDS).map(OsString::from));
    let shell: PathBuf = Path::new("/bin/sh").to_owned();
    match program::run(&shell, &words, Vec::new(), LIMITS, &|| stop.is_due()) {
        Ok(ended) => {
            let printed = String::from_utf8_lossy(&ended.output).into_owned();
            output::print(&printed.lines().collect())?;
            let complaint = String::from_utf8_lossy(&ended.complaint).into_owned();
            if !ended.status.success() || !complaint.is_empty() {
                let mut lines = Lines::from_iter([format!("the command ended with {}", ended.status)]);
                lines.extend(complaint.lines());
                output::print_notes(&lines);
            }
        }
        Err(why) => output::print_note(format_args!("the command: {why}")),
    }
    Ok(())
}
