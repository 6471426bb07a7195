//! Options before the command's name are moved after it, where the command accepts them.

use std::ffi::OsString;

use clap::{Arg, Command, CommandFactory};

use super::cli::Cli;

/// Moves the options before a command's name after it.
///
/// # Errors
/// If the command does not take one of the options, which is named.
pub(super) fn ordered(given: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let mut cli = Cli::command();
    // Adds what every command takes, such as --help.
    cli.build();
    let named = |word: &OsString| word.to_str().and_then(|word| cli.find_subcommand(word));
    let Some((at, command)) =
        given.iter().enumerate().skip(1).find_map(|(at, word)| Some((at, named(word)?)))
    else {
        return Ok(given);
    };
    let before = given.get(1..at).unwrap_or_default();
    if before.is_empty() {
        return Ok(given);
    }
    if are_options(before, &[command]) {
        let mut words = given;
        if let Some(part) = words.get_mut(1..=at) {
            part.rotate_right(1);
        }
        return Ok(words);
    }
    // The options may be of both kinds: the name is then that of a command, not a value of the option before it.
    match are_options(before, &[&cli, command]).then(|| before.iter().find(|word| is_stray(word, command))) {
        Some(Some(stray)) => {
            let (name, stray) = (command.get_name(), stray.to_string_lossy());
            let ascii = if stray == "--ascii" { "; LC_ALL=C has its answer in ASCII" } else { "" };
            Err(format!("{stray} is no option of qscope {name}{ascii} (qscope {name} --help lists them)"))
        }
        _ => Ok(given),
    }
}

/// Returns whether words are complete options of the commands, with their values.
fn are_options(words: &[OsString], commands: &[&Command]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(option) = commands.iter().find_map(|command| option(word, command)) else { return false };
        let has_value = word.to_string_lossy().contains('=');
        if option.get_action().takes_values() && !has_value && words.next().is_none() {
            return false;
        }
    }
    true
}

/// Returns whether a word is an option, but not one of the command.
fn is_stray(word: &OsString, command: &Command) -> bool {
    word.to_string_lossy().starts_with("--") && option(word, command).is_none()
}

fn option<'c>(word: &OsString, command: &'c Command) -> Option<&'c Arg> {
    let long = word.to_str()?.strip_prefix("--")?.split('=').next()?;
    // These are handled by the program itself, wherever they appear.
    let is_of_both = matches!(long, "help" | "version");
    command.get_arguments().find(|arg| !is_of_both && arg.get_long() == Some(long))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &str) -> Result<String, String> {
        let given = words.split(' ').map(OsString::from).collect();
        let joined = |words: Vec<OsString>| {
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        ordered(given).map(joined)
    }

    #[test]
    fn options_before_the_command_are_moved_behind_it() {
        for (typed, meant) in [
            ("qscope --json why 12 F", "qscope why --json 12 F"),
            ("qscope --now 7 --json cycle F", "qscope cycle --now 7 --json F"),
            ("qscope --now=7 cycle F", "qscope cycle --now=7 F"),
            ("qscope --set strict_ordering=True cycle", "qscope cycle --set strict_ordering=True"),
            ("qscope --theme mono tour", "qscope tour --theme mono"),
        ] {
            assert_eq!(of(typed).as_deref(), Ok(meant), "{typed}");
        }
        // A value may be the name of a command; invalid words are reported elsewhere.
        for typed in [
            "qscope why 12",
            "qscope --sched why F",
            "qscope --theme mono F",
            "qscope F why 12",
            "qscope --nonsense why 12",
            "qscope --help why",
            "qscope",
        ] {
            assert_eq!(of(typed).as_deref(), Ok(typed), "{typed}");
        }
    }

    #[test]
    fn an_option_that_the_command_does_not_take_is_named() {
        assert_eq!(
            of("qscope --ascii why 12 F").unwrap_err(),
            "--ascii is no option of qscope why; LC_ALL=C has its answer in ASCII (qscope why --help lists them)"
        );
        let why = "--theme is no option of qscope cycle (qscope cycle --help lists them)";
        assert_eq!(of("qscope --theme mono cycle").unwrap_err(), why);
    }
}
