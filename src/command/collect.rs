//! `qscope collect FOLDER`: runs the batch system's clients and keeps a folder of whole dumps.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use color_eyre::eyre::Result;

use qscope_engine::cluster::parse_duration;
use qscope_exits::Lines;
use qscope_source::collect::{CollectOptions, Collector, Round};

use super::output;

/// What `collect` takes.
#[derive(Args, Clone, Debug)]
pub(super) struct CollectArgs {
    /// The folder to fill; made if it is not there, readable by you only.
    pub folder: PathBuf,
    /// How to collect.
    #[command(flatten)]
    pub how: CollectFlags,
    /// One round, then stop; the answer is no (1) if something could not be renewed.
    #[arg(long)]
    pub once: bool,
}

/// How the clients are run.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Collecting")]
pub(super) struct CollectFlags {
    /// How often a round starts; longer by itself when rounds are slow.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = span)]
    pub every: Duration,
    /// How long each client may take.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = span)]
    pub limit: Duration,
    /// Ask for subjobs too (qstat -t); off again by itself when that is slow.
    #[arg(long)]
    pub subjobs: bool,
    /// Keep this attribute too, such as Variable_List; repeatable. Dumps hold what people typed, and secrets in it:
    /// only attributes that are known to be harmless are kept without it.
    #[arg(long, value_name = "NAME")]
    pub keep: Vec<String>,
    /// The folder of the clients; the PATH without it.
    #[arg(long, value_name = "FOLDER", env = "QSCOPE_PBS_BIN")]
    pub bin: Option<PathBuf>,
    /// The batch system's own folder, for sched_config and the like; from pbs.conf without it.
    #[arg(long, value_name = "FOLDER", env = "PBS_HOME")]
    pub pbs_home: Option<PathBuf>,
}

impl CollectFlags {
    /// A flag that was given although nothing is collected; what the environment states is no flag.
    pub(super) fn stray(&self) -> Option<&'static str> {
        const MINUTE: Duration = Duration::from_secs(60);
        let given = [
            (self.every != MINUTE, "--every"),
            (self.limit != MINUTE, "--limit"),
            (self.subjobs, "--subjobs"),
            (!self.keep.is_empty(), "--keep"),
        ];
        given.into_iter().find(|(is, _)| *is).map(|(_, flag)| flag)
    }

    /// The options that they stand for.
    pub(super) fn options(&self) -> CollectOptions {
        CollectOptions {
            bin: self.bin.clone(),
            home: self.pbs_home.clone(),
            every: self.every,
            limit: self.limit,
            subjobs: self.subjobs,
            keep: self.keep.clone(),
            ..CollectOptions::default()
        }
    }
}

/// A length of time on the command line, in seconds.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let length = parse_duration(text).filter(|length| *length <= 1e9);
    length.ok_or_else(|| format!("`{text}` is not a time such as 90s, 5m, 1h30m or 01:30:00"))
}

/// The same for clocks.
pub(super) fn span(text: &str) -> Result<Duration, String> {
    seconds(text).map(Duration::from_secs_f64)
}

/// Collects until it is stopped.
///
/// # Errors
/// The folder cannot be written to, or signals cannot be received.
pub(super) fn run(args: &CollectArgs) -> Result<u8> {
    let stopped = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, stopped.clone())?;
    }
    let stop = || stopped.load(Ordering::Relaxed);
    let mut collector = Collector::new(&args.folder, args.how.options())?;
    loop {
        let round = collector.round(&stop);
        output::print(&round_text(&round))?;
        if args.once {
            return Ok(u8::from(round.failures().next().is_some()));
        }
        let until = Instant::now() + collector.rest(&round);
        while Instant::now() < until {
            if stop() {
                return Ok(0);
            }
            thread::sleep(Duration::from_millis(50));
        }
        if stop() {
            return Ok(0);
        }
    }
}

/// What each client took and weighed, and what went wrong.
fn round_text(round: &Round) -> Lines {
    let mut text = Lines::new();
    for file in &round.files {
        let took = file.took.as_secs_f64();
        match &file.result {
            Ok(bytes) => {
                let odd = if file.odd == 0 {
                    String::new()
                } else {
                    format!("  warning: left out what could not be understood, in {} places", file.odd)
                };
                text.line(format_args!("{:<16} {bytes:>11} bytes {took:>8.2} s{odd}", file.file));
            }
            Err(why) => {
                let left = if file.stands { "kept as it was" } else { "none" };
                text.line(format_args!("{:<16} {:>11}       {took:>8.2} s  {left}: {why}", file.file, "-"));
            }
        }
    }
    let failed = round.failures().count();
    let failed = if failed == 0 { String::new() } else { format!(", {failed} not made") };
    text.line(format_args!(
        "round of {} files in {:.2} s{failed}",
        round.files.len(),
        round.took.as_secs_f64()
    ));
    text
}
