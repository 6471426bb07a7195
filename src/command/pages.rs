//! What packages ship with the program: shell completions and manual pages, both generated from the one definition of
//! the command line.

use clap::CommandFactory;
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use color_eyre::eyre::{Result, eyre};

use qscope_system::folder::Folder;

use super::cli::{Cli, CompletionsArgs, ManArgs};
use super::output;
use super::qwhy::QwhyCli;

/// Returns the whole command line, with the names that pages have: `qscope`, `qscope-why`; and that of the program under
/// its second name, `qwhy`.
fn commands() -> Vec<clap::Command> {
    let mut cli = Cli::command();
    cli.build();
    let name = |command: &clap::Command| format!("qscope-{}", command.get_name());
    let below: Vec<clap::Command> =
        cli.get_subcommands().map(|command| command.clone().display_name(name(command))).collect();
    std::iter::once(cli).chain(below).chain([QwhyCli::command()]).collect()
}

fn page_name(command: &clap::Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_owned()
}

fn page(command: clap::Command) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok(text)
}

/// Prints the completions of a shell.
pub(super) fn run_completions(args: &CompletionsArgs) -> Result<u8> {
    let shell: Shell = args.shell.parse().map_err(|why| eyre!("{why}"))?;
    let mut text = Vec::new();
    generate(shell, &mut Cli::command(), "qscope", &mut text);
    print_all(&text)
}

/// Writes the manual pages, or prints one.
///
/// # Errors
/// If there is no such command, or a folder or the output cannot be written.
pub(super) fn run_man(args: &ManArgs) -> Result<u8> {
    let mut commands = commands();
    if let Some(name) = &args.print {
        let at = commands.iter().position(|command| command.get_name() == name);
        let at = at.ok_or_else(|| eyre!("no command named {name}"))?;
        return print_all(&page(commands.swap_remove(at))?);
    }
    let Some(path) = &args.folder else {
        return Err(eyre!("man needs a folder to write the pages into, or --print COMMAND"));
    };
    let is_page = |command: &clap::Command| path.as_os_str() == command.get_name();
    if !path.exists() && commands.iter().any(is_page) {
        let name = path.display();
        return Err(eyre!(
            "`{name}` is a page: qscope man --print {name}; a folder of that name is ./{name}"
        ));
    }
    let folder = Folder::shared(path)?;
    let count = commands.len();
    for command in commands {
        let name = format!("{}.1", page_name(&command));
        folder.put(&name, &page(command)?)?;
    }
    output::print_line(format_args!("{count} pages in {}", path.display()))?;
    Ok(0)
}

fn print_all(text: &[u8]) -> Result<u8> {
    output::print(&String::from_utf8_lossy(text).lines().collect())?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(make: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut bytes = Vec::new();
        make(&mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn every_command_and_flag_is_completed() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let made = text(|to| generate(shell, &mut Cli::command(), "qscope", to));
            for command in Cli::command().get_subcommands() {
                assert!(made.contains(command.get_name()), "{shell}: {}", command.get_name());
                for flag in command.get_arguments().filter_map(clap::Arg::get_long) {
                    assert!(made.contains(flag), "{shell}: {} --{flag}", command.get_name());
                }
            }
            assert!(!made.contains('\u{1b}'));
        }
    }

    #[test]
    fn every_command_has_a_page_with_its_flags() {
        let commands = commands();
        assert_eq!(commands.len(), 2 + Cli::command().get_subcommands().count());
        assert!(commands.iter().any(|command| page_name(command) == "qwhy"));
        for command in commands {
            let name = page_name(&command);
            let flags: Vec<String> =
                command.get_arguments().filter_map(|arg| Some(arg.get_long()?.replace('-', "\\-"))).collect();
            let made = String::from_utf8(page(command).unwrap()).unwrap();
            assert!(made.contains(&format!(".TH {name} 1")), "{name}: {}", &made[..200]);
            for flag in flags {
                assert!(made.contains(&flag), "{name}: --{flag}");
            }
        }
    }
}
