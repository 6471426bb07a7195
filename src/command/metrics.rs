//! `qscope metrics FOLDER --to FILE.prom`: gauges for a monitoring system; `qscope events FOLDER`: events for
//! programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use clap::Args;
use color_eyre::eyre::Result;

use qscope_engine::cluster::Epoch;
use qscope_exits::OpenMetrics;
use qscope_explain::board;
use qscope_session::Generation;
use qscope_share::events::EventDetector;
use qscope_share::metrics::metrics;
use qscope_share::published::place;

use super::follow::{self, FollowArgs, FollowOptions};
use super::output;
use super::stop::StopSignal;

/// The arguments of `metrics`.
#[derive(Args, Clone, Debug)]
#[command(
    mut_arg("every", follow::describe_interval),
    after_help = "Example: qscope metrics /var/spool/qscope/dumps --to /var/lib/node_exporter/qscope.prom\n\
                  `qscope help site` lists the metrics."
)]
pub(super) struct MetricsArgs {
    /// The file to write, replaced in one step; its folder must exist. The text-file collector of the node exporter
    /// takes names that end with .prom. By default the metrics are printed, those of each snapshot closed by `# EOF`.
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
    /// The folder, and how to follow it; `--every` limits how often the file is written.
    #[command(flatten)]
    pub follow: FollowArgs,
}

/// The arguments of `events`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: qscope events /var/spool/qscope/dumps >> events.jsonl\n\
                        Each line has `at` in seconds since 1970 and `event`: job_started, cause_changed, top_job_moved,\n\
                        alert_began or alert_ended; `qscope help site` lists their keys. The first lines are the alerts that\n\
                        hold already.")]
pub(super) struct EventsArgs {
    /// The folder, and how to follow it.
    #[command(flatten)]
    pub follow: FollowArgs,
}

/// Writes the gauges of each snapshot until stopped, or once.
pub(super) fn run(args: &MetricsArgs) -> Result<u8> {
    let mut each = |generation: &Arc<Generation>, _: &StopSignal| {
        let Epoch(clock) = SystemTime::now().into();
        write(args.to.as_deref(), &metrics(generation, &board(&generation.run), clock))?;
        Ok(true)
    };
    follow::for_each_snapshot(&args.follow, FollowOptions::with_interval(args.follow.how.every), &mut each)?;
    Ok(0)
}

/// Replaces the file by the metrics, or prints them if none is named.
fn write(to: Option<&Path>, metrics: &OpenMetrics) -> Result<()> {
    match to {
        Some(file) => Ok(place(file, metrics, true)?),
        None => output::print_metrics(metrics),
    }
}

/// Prints each event on a line of its own as soon as it is known.
pub(super) fn run_events(args: &EventsArgs) -> Result<u8> {
    let mut events = EventDetector::default();
    let mut each = |generation: &Arc<Generation>, _: &StopSignal| {
        for event in events.of(generation, &board(&generation.run)) {
            output::print_json_line(&event)?;
        }
        Ok(true)
    };
    follow::for_each_snapshot(&args.follow, FollowOptions::WHILE_READ, &mut each)?;
    Ok(0)
}
