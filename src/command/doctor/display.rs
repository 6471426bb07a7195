//! The terminal, its colours and characters, and the configuration.

use std::path::Path;

use qscope_console::theme::{ColorDepth, ColorFlag, GlyphSet, ThemeOptions};
use qscope_console::{DisplayOptions, config_problems, terminal};
use qscope_source::config::{Config, FILE_LEFT_OUT, files};
use qscope_system::{kernel, locale};

use super::{DoctorArgs, DoctorCheck};

/// The smallest screen, in columns and rows, on which nothing is left out.
const WANTED: (u16, u16) = (80, 24);

pub(super) fn checks(args: &DoctorArgs) -> Vec<DoctorCheck> {
    let config = args.display.config();
    let mut checks = terminal_checks(&config);
    for file in files() {
        checks.push(file_check(&file));
    }
    checks.extend(config_problems(&config).into_iter().map(|problem| {
        let hint = match problem.ends_with(FILE_LEFT_OUT) {
            true => "the other files, the environment and flags count",
            false => "the key is left out; the rest counts",
        };
        DoctorCheck::ok("configuration", "cannot be used", problem).problem(Some(hint))
    }));
    checks
}

fn terminal_checks(config: &Config) -> Vec<DoctorCheck> {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let is_one = terminal::is_interactive();
    let found = if is_one { "input and output are one" } else { "input or output is a pipe or a file" };
    let mut checks = vec![
        DoctorCheck::ok("terminal", "terminal", found)
            .note((!is_one).then_some("the console needs one; commands that print do not")),
    ];
    if let Some((columns, rows)) = terminal::size() {
        let small = columns < WANTED.0 || rows < WANTED.1;
        let hint = format!("panes are left out below {}×{}", WANTED.0, WANTED.1);
        checks.push(
            DoctorCheck::ok("terminal", "size", format!("{columns}×{rows}")).note(small.then_some(hint)),
        );
    }
    let looks = DisplayOptions::of(config.clone());
    let options = ThemeOptions::from_env(looks.color, looks.ascii);
    let colours = match options.depth {
        ColorDepth::None => "none: bold, dim, underline and reverse only",
        ColorDepth::Sixteen => "16",
        ColorDepth::Indexed => "256",
        ColorDepth::True => "16 million",
    };
    let from = match looks.color {
        ColorFlag::Always | ColorFlag::Never => {
            config.get("color").map(|entry| entry.source.to_string()).unwrap_or_default()
        }
        ColorFlag::Auto => {
            format!(
                "TERM={} COLORTERM={} NO_COLOR={}",
                variable("TERM"),
                variable("COLORTERM"),
                variable("NO_COLOR")
            )
        }
    };
    checks.push(DoctorCheck::ok("terminal", "colours", format!("{colours} ({from})")));
    let locale = locale::named(|name| std::env::var(name).ok());
    let locale =
        locale.map_or_else(|| "no locale is set".to_owned(), |(name, value)| format!("{name}={value}"));
    let is_ascii = options.glyphs == GlyphSet::Ascii;
    let hint =
        (is_ascii && !looks.ascii).then_some("signs are drawn in ASCII: LANG=C.UTF-8 gives the others");
    let signs = if is_ascii { "ASCII" } else { "UTF-8" };
    checks.push(DoctorCheck::ok("terminal", "characters", format!("{signs} ({locale})")).note(hint));
    checks
}

/// Checks a file of the configuration: whether it exists, and who could have written it.
fn file_check(file: &Path) -> DoctorCheck {
    let name = file.display().to_string();
    let Some((owner, mode)) = kernel::owner_and_mode(file) else {
        return DoctorCheck::ok("configuration", "file", format!("{name}: not there"));
    };
    let others = kernel::others_can_write(mode) || !(owner == 0 || owner == kernel::user());
    let hint = others.then(|| format!("others can write it: owner {owner}, mode {mode:04o}"));
    let found = if kernel::is_readable(file) { "read" } else { "cannot be read" };
    DoctorCheck::ok("configuration", "file", format!("{name}: {found}")).problem(hint)
}
