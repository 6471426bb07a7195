//! The flags of the console's display, which override files and variables.

use std::time::Duration;

use clap::Args;
use qscope_source::config::{Config, ConfigSource, POLL, files};
use qscope_source::watch::WatchOptions;

/// How the console looks, and how it notices changes.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct DisplayFlags {
    /// When to use colour; by default auto.
    #[arg(long, value_name = "auto|always|never", value_parser = ["auto", "always", "never"], hide_possible_values = true)]
    pub color: Option<String>,
    /// The theme: auto, default-dark, default-light, high-contrast, deuteranopia, tritanopia, mono, or a file.
    #[arg(long)]
    pub theme: Option<String>,
    /// Draw with ASCII characters only.
    #[arg(long)]
    pub ascii: bool,
    /// Leave the mouse to the terminal.
    #[arg(long)]
    pub no_mouse: bool,
    /// Check the files this often, in addition to kernel events; 0.5s to 60s.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub poll: Option<String>,
}

/// Checks the interval between checks of files; it is kept as written.
fn time(text: &str) -> Result<String, String> {
    match super::arguments::span(text)? {
        poll if POLL.contains(&poll) => Ok(text.to_owned()),
        _ => Err("expected a time from 0.5s to 60s".to_owned()),
    }
}

impl DisplayFlags {
    /// Returns the configuration, with the flags that were given applied to it.
    pub(super) fn config(&self) -> Config {
        let mut config = Config::read(&files());
        let given = [
            ("color", "--color", self.color.clone()),
            ("theme", "--theme", self.theme.clone()),
            ("ascii", "--ascii", self.ascii.then(|| "true".to_owned())),
            ("mouse", "--no-mouse", self.no_mouse.then(|| "false".to_owned())),
            ("poll", "--poll", self.poll.clone()),
        ];
        for (key, flag, value) in given {
            if let Some(value) = value {
                config.set(key, vec![value], ConfigSource::Flag(flag));
            }
        }
        config
    }
}

/// Returns how often files are checked, if that is configured.
fn poll(config: &Config) -> Option<Duration> {
    super::arguments::span(config.text("poll")?).ok().filter(|poll| POLL.contains(poll))
}

/// Returns how a folder is watched under this configuration.
pub(super) fn watching(config: &Config) -> WatchOptions {
    let mut watch = WatchOptions::default();
    if let Some(poll) = poll(config) {
        (watch.poll, watch.network_poll) = (poll, poll);
    }
    watch
}
