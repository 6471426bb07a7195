//! `qscope config`: the configuration, and where each value comes from.

use clap::Args;
use color_eyre::eyre::Result;
use serde::Serialize;

use super::display_flags::DisplayFlags;
use super::output;
use qscope_console::config_problems;
use qscope_exits::Lines;
use qscope_source::config::{ConfigSource, files};

/// The arguments of `config`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example: qscope config --theme mono --json\n\nExit code 1 where something in a file, a variable or a flag cannot be used."
)]
pub(super) struct ConfigArgs {
    /// Print every value and where it comes from, which is also done without it.
    #[arg(long)]
    pub print: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Flags of the console, which override files and variables.
    #[command(flatten)]
    pub display: DisplayFlags,
}

/// Values that apply if nothing sets them.
const DEFAULTS: [(&str, &str); 6] = [
    ("ascii", "false"),
    ("color", "auto"),
    ("mouse", "true"),
    ("poll", "2s"),
    ("published", "/var/spool/qscope/published"),
    ("theme", "auto"),
];

#[derive(Serialize)]
struct ConfigValueJson {
    key: String,
    values: Vec<String>,
    source: String,
}

#[derive(Serialize)]
struct ConfigPage {
    files: Vec<String>,
    settings: Vec<ConfigValueJson>,
    problems: Vec<String>,
}

/// Prints the configuration; the exit code is 1 ("no") if something in a file cannot be used.
pub(super) fn run(args: &ConfigArgs) -> Result<u8> {
    let mut config = args.display.config();
    let problems = config_problems(&config);
    for (key, value) in DEFAULTS {
        if config.get(key).is_none() {
            config.set(key, vec![value.to_owned()], ConfigSource::Default);
        }
    }
    let row = |(key, entry): (&str, &qscope_source::config::ConfigEntry)| ConfigValueJson {
        key: key.to_owned(),
        values: entry.values.clone(),
        source: entry.source.to_string(),
    };
    let page = ConfigPage {
        files: files().iter().map(|file| file.display().to_string()).collect(),
        settings: config.entries().map(row).collect(),
        problems,
    };
    let code = u8::from(!page.problems.is_empty());
    if args.json {
        output::print_json(&page)?;
        return Ok(code);
    }
    let mut text = Lines::new();
    let width = page.settings.iter().map(|row| row.key.len()).max().unwrap_or(0);
    for row in &page.settings {
        text.line(format_args!("{:<width$}  {:<30}  {}", row.key, row.values.join(", "), row.source));
    }
    for problem in &page.problems {
        text.line(format_args!("problem: {problem}"));
    }
    output::print(&text)?;
    Ok(code)
}
