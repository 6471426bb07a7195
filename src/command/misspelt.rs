//! A first word that was meant for a command, and words after the folder that the console has no use for.

use std::ffi::OsString;
use std::path::Path;

use clap::CommandFactory;

use qscope_engine::cluster::did_you_mean;

use super::cli::Cli;

/// What to report of a first word that is neither a command nor an option, is not there as a path, and reads much like a
/// command; taken for a folder it would only be missing.
pub(super) fn report(given: &[OsString]) -> Option<String> {
    let word = given.get(1)?.to_str().filter(|word| !word.starts_with('-'))?;
    let cli = Cli::command();
    let names: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
    if names.contains(&word) {
        return None;
    }
    if word.contains(['/', '.', '@']) || Path::new(word).exists() {
        return after_folder(word, given.get(2)?.to_str()?, &names);
    }
    let meant = did_you_mean::nearest(word, names)?;
    Some(format!("no command and no folder `{word}`; did you mean `qscope {meant}`?"))
}

/// What to report of a word behind the folder that opens in the console; none of an option.
fn after_folder(folder: &str, next: &str, commands: &[&str]) -> Option<String> {
    if next.starts_with('-') || next.is_empty() {
        return None;
    }
    Some(match commands.contains(&next) {
        true => format!("a command comes before its folder: `qscope {next} ... {folder}`"),
        false => {
            format!("the console opens one folder; to compare two: `qscope compare {folder} {next}`")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Option<String> {
        report(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_slip_of_a_command_is_named_and_a_folder_is_not() {
        let why = "no command and no folder `wyh`; did you mean `qscope why`?";
        assert_eq!(of(&["qscope", "wyh", "12"]).as_deref(), Some(why));
        assert!(of(&["qscope", "whyy"]).is_some());
        for word in ["why", "--help", "src", "./wyh", "a/whyy", "rec@#1", "cluster-of-2026"] {
            assert_eq!(of(&["qscope", word]), None, "{word}");
        }
        assert_eq!(of(&["qscope"]), None);
    }

    #[test]
    fn a_second_folder_is_for_the_comparison_and_a_command_comes_first() {
        let why = "the console opens one folder; to compare two: `qscope compare src themes`";
        assert_eq!(of(&["qscope", "src", "themes"]).as_deref(), Some(why));
        let why = "a command comes before its folder: `qscope why ... src`";
        assert_eq!(of(&["qscope", "src", "why", "12"]).as_deref(), Some(why));
        assert_eq!(of(&["qscope", "src", "--theme", "light"]), None);
    }
}
