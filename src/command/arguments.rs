//! Arguments that several commands share: a folder, how it is read, and what is changed first.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use color_eyre::eyre::{Result, eyre};
use jiff::tz::TimeZone;

use qscope_engine::cluster::{Epoch, has_date, parse_duration, time_zone};
use qscope_engine::universe::Semantics;
use qscope_source::LoadOptions;

/// How a folder is read and which scheduler behaviour is modelled.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct InputArgs {
    /// The moment to assume, in seconds since 1970.
    #[arg(long, value_name = "SECONDS", value_parser = moment)]
    pub now: Option<i64>,
    /// The time zone of dates that carry none: a name such as Europe/Berlin, or an offset such as +01:00.
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    pub tz: Option<String>,
    /// The scheduler to model, if there are several.
    #[arg(long, value_name = "NAME")]
    pub sched: Option<String>,
    /// Scheduler behaviour to model: observed, fixed or design.
    #[arg(long, default_value = "observed", value_parser = semantics)]
    pub semantics: Semantics,
    /// Turn one quirk on or off, for example `span-when-full=off`.
    #[arg(long, value_name = "NAME=on|off")]
    pub quirk: Vec<String>,
    /// Run the cycle of PBS over dumps of Torque too, although Torque's scheduler decides differently.
    #[arg(long = "as", value_name = "pbs", value_parser = ["pbs"])]
    pub batch_system: Option<String>,
    /// The program that implements the allocation policy LOCAL: JSON on its input, a JSON list of node names on its
    /// output.
    #[arg(long, value_name = "PROGRAM", env = "QSCOPE_LOCAL_POLICY")]
    pub local_policy: Option<std::ffi::OsString>,
}

impl InputArgs {
    /// Returns the same as options for the readers of files.
    pub(super) fn load_options(&self) -> LoadOptions {
        LoadOptions { now: self.now.map(Epoch), zone: self.tz.clone(), scheduler: self.sched.clone() }
    }

    /// Returns the name of the zone in which moments are printed.
    pub(super) fn zone(&self) -> &str {
        self.tz.as_deref().unwrap_or("local")
    }

    /// Returns the zone of dates that state none.
    ///
    /// # Errors
    /// If there is no zone of that name.
    pub(super) fn time_zone(&self) -> Result<TimeZone> {
        let Some(name) = &self.tz else { return Ok(TimeZone::system()) };
        time_zone(name).ok_or_else(|| eyre!("--tz: no time zone `{name}`"))
    }
}

/// Parses a moment that has a date. A value past the last one is probably milliseconds; otherwise it is an error.
fn moment(text: &str) -> Result<i64, String> {
    let second: i64 = text.parse().map_err(|_| "expected whole seconds since 1970".to_owned())?;
    let is_date = |second| has_date(Epoch(second));
    match is_date(second) {
        true => Ok(second),
        false if is_date(second / 1000) => {
            Err(format!("expected seconds since 1970, found milliseconds? {} are the seconds", second / 1000))
        }
        false => Err("expected seconds since 1970 of a date up to the year 9999".to_owned()),
    }
}

fn zone(text: &str) -> Result<String, String> {
    let is_zone = time_zone(text).is_some();
    is_zone.then(|| text.to_owned()).ok_or_else(|| {
        "no time zone of that name; expected one such as Europe/Berlin, UTC or +01:00".to_owned()
    })
}

fn semantics(text: &str) -> Result<Semantics, String> {
    Semantics::from_name(text).ok_or_else(|| "expected observed, fixed or design".to_owned())
}

/// The output form, and how the input is read.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct OutputArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// How to read the input.
    #[command(flatten)]
    pub reading: InputArgs,
}

/// A folder, and the output form.
#[derive(Args, Clone, Debug)]
pub(super) struct FolderArgs {
    /// A folder, an archive of pbs_snapshot or pbs_diag, files of any names, or - for standard input; by default the
    /// built-in sample.
    #[arg(value_name = "FOLDER")]
    pub paths: Vec<PathBuf>,
    /// The output form, and how to read the input.
    #[command(flatten)]
    pub form: OutputArgs,
}

/// What to change before the cycle is run.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct WhatIfArgs {
    /// Change an option or attribute before the cycle is run (repeatable), for example `strict_ordering=True`,
    /// `node_group_key=switch`, `queue.big.started=False`, `node.n[1-4].state=offline`,
    /// `job.12.Resource_List.walltime=1:00:00`, `job.12.policy=FASTEST`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Let an allocation policy choose the nodes instead of node_sort_key: one of Maui's nine, or relaxed, exclusive,
    /// none or ttl:TIME, with @group or another criterion for which jobs pack together (by default the queue).
    #[arg(long, value_name = "NAME")]
    pub policy: Option<String>,
    /// Add idle nodes like the node TYPE, of a type as `capacity` names it, or like ncpus=16:mem=64gb (repeatable).
    #[arg(long, value_name = "TYPE=N")]
    pub add_nodes: Vec<String>,
    /// Move the clock: jobs due by then have ended, nothing arrives or starts; for example +2h, 14:30,
    /// 2026-11-21T14:30.
    #[arg(long = "at", value_name = "TIME", allow_hyphen_values = true)]
    pub moment: Option<String>,
}

impl WhatIfArgs {
    /// Returns all of it as settings: those of --set first, the clock last.
    pub(super) fn texts(&self) -> Vec<String> {
        let policy = self.policy.iter().map(|name| format!("policy={name}"));
        let nodes = self.add_nodes.iter().map(|nodes| format!("add_nodes.{nodes}"));
        let at = self.moment.iter().map(|at| format!("at={at}"));
        self.settings.iter().cloned().chain(policy).chain(nodes).chain(at).collect()
    }
}

/// The cluster over which one cycle is run.
#[derive(Args, Clone, Debug)]
pub(super) struct ClusterArgs {
    /// The folder and the output form.
    #[command(flatten)]
    pub at: FolderArgs,
    /// What to change first.
    #[command(flatten)]
    pub set: WhatIfArgs,
}

impl ClusterArgs {
    /// Whether JSON is printed.
    pub(super) fn as_json(&self) -> bool {
        self.at.form.json
    }
}

/// What is changed first, for commands whose input is named by other arguments, and the output form.
#[derive(Args, Clone, Debug)]
pub(super) struct WhatIfOutputArgs {
    /// What to change first.
    #[command(flatten)]
    pub set: WhatIfArgs,
    /// The output form, and how to read the input.
    #[command(flatten)]
    pub form: OutputArgs,
}

/// Parses a length of time on the command line, in seconds.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let length = parse_duration(text).filter(|length| *length <= 1e9);
    length.ok_or_else(|| format!("`{text}` is not a time such as 90s, 5m, 1h30m or 01:30:00"))
}

/// Parses a length of time above zero as a `Duration`.
pub(super) fn span_above_zero(text: &str) -> Result<Duration, String> {
    match span(text)? {
        Duration::ZERO => Err("expected more than 0 s".to_owned()),
        length => Ok(length),
    }
}

/// Parses a length of time as a `Duration`.
pub(super) fn span(text: &str) -> Result<Duration, String> {
    seconds(text).map(Duration::from_secs_f64)
}
