//! Nodes that come and go during a simulation, as the command line states them.

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::Seconds;
use qscope_session::{ScaleOptions, WhatIfError};
use qscope_simulate::SimulationInput;

use crate::command::arguments::seconds;
use crate::command::open;

/// Which nodes come and go.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Nodes that come and go")]
pub(super) struct ScaleArgs {
    /// Order up to this many nodes of a type when jobs need them, as `capacity` packs the queue (repeatable): the
    /// name of a node to copy, a type as `capacity` names it, or amounts such as ncpus=16:mem=64gb.
    #[arg(long, value_name = "TYPE=MAX", conflicts_with = "stop_at")]
    scale: Vec<String>,
    /// How long an ordered node takes until it accepts jobs.
    #[arg(long, value_name = "TIME", default_value = "2m", requires = "scale", value_parser = seconds)]
    boot: f64,
    /// How long a node may be empty before it is given back.
    #[arg(long, value_name = "TIME", default_value = "10m", requires = "scale", value_parser = seconds)]
    idle: f64,
    /// Order enough nodes to start every waiting job within this time.
    #[arg(long, value_name = "TIME", default_value = "30m", requires = "scale", value_parser = seconds)]
    target: f64,
}

impl ScaleArgs {
    /// Adds the nodes to the start of a simulation.
    ///
    /// # Errors
    /// If there is no number after a type, or a type is unknown.
    pub(super) fn apply(&self, input: &mut SimulationInput) -> Result<()> {
        if self.scale.is_empty() {
            return Ok(());
        }
        let kind = |text: &String| {
            let parts =
                text.rsplit_once('=').and_then(|(kind, most)| Some((kind.to_owned(), most.parse().ok()?)));
            parts.ok_or_else(|| eyre!("--scale: `{text}` is not TYPE=MAX"))
        };
        let kinds = self.scale.iter().map(kind).collect::<Result<_>>()?;
        let whole = |seconds: f64| Seconds(seconds.round() as i64);
        let (boot, idle) = (whole(self.boot), whole(self.idle));
        ScaleOptions { kinds, boot, idle, target: self.target }.apply(input).map_err(|error| match error {
            WhatIfError::Source(error) => error.into(),
            WhatIfError::Setting(error) => open::error_with_mark("--scale cannot be read", &error.pointed()),
        })
    }
}
