//! Reports a first word that was probably meant as a command, and words after the folder that the console cannot use.

use std::ffi::OsString;
use std::path::Path;

use clap::CommandFactory;

use qscope_engine::cluster::did_you_mean;

use super::cli::Cli;

/// Returns what to report of a first word that is neither a command, nor an option, nor an existing path, and
/// resembles a command: taken for a folder it would only be missing. A word that resembles no command is a mistake if
/// a folder follows it, or if there is no terminal in which the console could wait for it.
pub(super) fn report(given: &[OsString], is_watched: bool) -> Option<String> {
    let word = given.get(1)?.to_str().filter(|word| !word.starts_with('-'))?;
    let cli = Cli::command();
    let names: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
    if names.contains(&word) {
        return None;
    }
    if word.contains(['/', '.', '@']) || Path::new(word).exists() {
        return after_folder(word, given.get(2)?.to_str()?, &names);
    }
    let next = given.get(2).and_then(|next| next.to_str()).filter(|next| !next.starts_with('-'));
    match (did_you_mean::nearest(word, names.iter().copied()), next) {
        (Some(meant), _) => {
            Some(format!("no command and no folder `{word}`; did you mean `qscope {meant}`?"))
        }
        // A single word may be a folder that is created later: the console waits for it.
        (None, None) => (!is_watched)
            .then(|| format!("no command and no folder `{word}`; `qscope help` lists the commands")),
        (None, Some(_)) => {
            let stem = word.trim_end_matches('s');
            let near = names.iter().find(|name| stem.len() > 2 && name.contains(stem));
            let hint = near.map_or("`qscope help` lists them".to_owned(), |name| format!("nearest: {name}"));
            Some(format!("no command `{word}`; {hint}"))
        }
    }
}

/// Returns what to report of a word after the folder that opens in the console; nothing for an option.
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
        report(&words.iter().map(OsString::from).collect::<Vec<_>>(), true)
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
    fn a_word_that_is_no_command_before_a_folder_is_named() {
        assert_eq!(of(&["qscope", "nodes", "src"]).as_deref(), Some("no command `nodes`; nearest: why-node"));
        let unknown = "no command `frobnicate`; `qscope help` lists them";
        assert_eq!(of(&["qscope", "frobnicate", "src"]).as_deref(), Some(unknown));
        assert_eq!(of(&["qscope", "frobnicate"]), None, "a folder that may still come");
        let piped = report(&["qscope".into(), "frobnicate".into()], false);
        assert_eq!(
            piped.as_deref(),
            Some("no command and no folder `frobnicate`; `qscope help` lists the commands")
        );
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
