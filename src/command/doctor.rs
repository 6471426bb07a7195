//! `qscope doctor`: what the program finds in its environment, and which effects that has.

mod data;
mod display;
mod machine;

use std::path::PathBuf;

use clap::Args;
use color_eyre::eyre::Result;
use serde::Serialize;

use super::display_flags::{DisplayFlags, watching};
use super::output;
use qscope_exits::Lines;

/// The arguments of `doctor`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example: qscope doctor /var/spool/qscope\n\nExit code 1 where something is a problem. Nothing is changed, and no client is run."
)]
pub(super) struct DoctorArgs {
    /// The folder that would be opened: how it is watched, what of it can be read, what this user does not see.
    pub folder: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Flags of the console, which override files and variables.
    #[command(flatten)]
    pub display: DisplayFlags,
}

/// The severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum CheckSeverity {
    /// As it should be.
    Ok,
    /// Something works less well than it could.
    Note,
    /// Something does not work.
    Problem,
}

/// One thing that was checked.
#[derive(Clone, Debug, Serialize)]
struct DoctorCheck {
    group: &'static str,
    name: String,
    state: CheckSeverity,
    found: String,
    /// Its effect, or what would change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl DoctorCheck {
    fn ok(group: &'static str, name: impl Into<String>, found: impl Into<String>) -> Self {
        Self { group, name: name.into(), state: CheckSeverity::Ok, found: found.into(), hint: None }
    }

    /// Lowers the check to a note, if there is a hint.
    fn note(self, hint: Option<impl Into<String>>) -> Self {
        self.with(CheckSeverity::Note, hint)
    }

    /// Makes the check a problem, if there is a hint.
    fn problem(self, hint: Option<impl Into<String>>) -> Self {
        self.with(CheckSeverity::Problem, hint)
    }

    fn with(mut self, state: CheckSeverity, hint: Option<impl Into<String>>) -> Self {
        if let Some(hint) = hint {
            (self.state, self.hint) = (state, Some(hint.into()));
        }
        self
    }
}

#[derive(Serialize)]
struct DoctorPage {
    version: &'static str,
    checks: Vec<DoctorCheck>,
    problems: usize,
}

/// Prints the findings; the exit code is 1 ("no") if something is a problem.
pub(super) fn run(args: &DoctorArgs) -> Result<u8> {
    let mut checks = display::checks(args);
    checks.extend(machine::checks(args.folder.as_deref(), watching(&args.display.config())));
    checks.extend(args.folder.iter().flat_map(|folder| data::checks(folder)));
    let problems = checks.iter().filter(|check| check.state == CheckSeverity::Problem).count();
    let page = DoctorPage { version: env!("CARGO_PKG_VERSION"), checks, problems };
    output::print_json_or_text(args.json, || &page, || text(&page))?;
    Ok(u8::from(problems > 0))
}

fn text(page: &DoctorPage) -> Lines {
    let mut lines = Lines::new();
    lines.line(format_args!("qscope {}", page.version));
    let width = page.checks.iter().map(|check| check.name.chars().count()).max().unwrap_or(0).min(24);
    let mut group = "";
    for check in &page.checks {
        if check.group != group {
            group = check.group;
            lines.blank();
            lines.line(group);
        }
        let sign = match check.state {
            CheckSeverity::Ok => "  ",
            CheckSeverity::Note => "~ ",
            CheckSeverity::Problem => "! ",
        };
        lines.line(format_args!("{sign}{:<width$}  {}", check.name, check.found));
        if let Some(hint) = &check.hint {
            lines.line(format_args!("  {:<width$}  {hint}", ""));
        }
    }
    lines.blank();
    let notes = page.checks.iter().filter(|check| check.state == CheckSeverity::Note).count();
    lines.line(format_args!(
        "{} checked; ! problems: {}; ~ notes: {notes}",
        page.checks.len(),
        page.problems
    ));
    lines
}
