//! A first word that was meant for a command.

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
    if names.contains(&word) || word.contains(['/', '.', '@']) || Path::new(word).exists() {
        return None;
    }
    let meant = did_you_mean::nearest(word, names)?;
    Some(format!("no command and no folder `{word}`; did you mean `qscope {meant}`?"))
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
}
