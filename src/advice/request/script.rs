//! Reads the `#PBS` lines of a job script.

use super::{OptionError, SubmitRequest};

/// Maximum number of bytes of a script that are read: directives are at its beginning.
const MAX_BYTES: usize = 256 * 1024;

/// Whether a text is a job script: its first line names an interpreter, or a `#PBS` line precedes every command.
pub fn is_script(text: &[u8]) -> bool {
    let head = text.get(..text.len().min(MAX_BYTES)).unwrap_or_default();
    if head.contains(&0) {
        return false;
    }
    let head = String::from_utf8_lossy(head);
    head.starts_with("#!") || directives(&head).next().is_some()
}

/// Adds the directives of a script; values already in the request take precedence.
///
/// # Errors
/// A directive that is not an option of `qsub`, with its line.
pub fn read_script(request: &mut SubmitRequest, name: &str, text: &[u8]) -> Result<(), OptionError> {
    let head = String::from_utf8_lossy(text.get(..text.len().min(MAX_BYTES)).unwrap_or_default());
    let mut read = Vec::new();
    for (number, line) in directives(&head) {
        let words = words(line);
        // Each line is first read alone, so that an error has its place.
        let mut probe = SubmitRequest::default();
        probe
            .options(&words)
            .map_err(|error| OptionError { place: format!("{name}:{number}: "), ..error })?;
        read.extend(words);
    }
    request.options(&read)
}

/// Returns the options after `#PBS` with their line numbers, up to the first command, as `qsub` reads them.
fn directives(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with(['#', ':']);
    let head = text.lines().enumerate().take_while(move |(at, line)| *at == 0 || is_comment(line));
    head.filter_map(|(at, line)| {
        let rest = line.strip_prefix("#PBS")?;
        rest.starts_with([' ', '\t']).then(|| (at + 1, rest.trim()))
    })
}

/// Splits a line into words like a shell; a `#` at the start of a word begins a comment.
fn words(line: &str) -> Vec<String> {
    let (mut found, mut word, mut open) = (Vec::new(), String::new(), None);
    let mut started = false;
    for letter in line.chars() {
        match open {
            Some(quote) if letter == quote => open = None,
            Some(_) => word.push(letter),
            None if matches!(letter, '"' | '\'') => (open, started) = (Some(letter), true),
            None if letter.is_whitespace() => {
                if started {
                    found.push(std::mem::take(&mut word));
                }
                started = false;
            }
            None if letter == '#' && !started => break,
            None => {
                started = true;
                word.push(letter);
            }
        }
    }
    if started {
        found.push(word);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "#!/bin/bash\n#PBS -l select=2:ncpus=4 # two\n# text\n#PBS -q \"big\" -N 'a b'\n\n#PBSX -q no\n\
                          echo run\n#PBS -l walltime=1\n";

    #[test]
    fn directives_end_at_the_first_command() {
        let mut request = SubmitRequest::default();
        read_script(&mut request, "job.sh", SCRIPT.as_bytes()).unwrap();
        assert_eq!(request.resources, [("select".to_owned(), "2:ncpus=4".to_owned())]);
        assert_eq!(request.queue.as_deref(), Some("big"));
    }

    #[test]
    fn a_wrong_directive_has_its_place() {
        let error =
            read_script(&mut SubmitRequest::default(), "job.sh", b"#!/bin/sh\n#PBS -y 1\n").unwrap_err();
        assert_eq!(error.to_string(), "job.sh:2: `-y`: is no option of qsub");
    }

    #[test]
    fn dumps_are_no_scripts() {
        assert!(is_script(SCRIPT.as_bytes()) && is_script(b"#PBS -q a\n"));
        assert!(!is_script(b"n1\n     Mom = n1\n") && !is_script(b"# a comment\n") && !is_script(b"#!\0"));
    }
}
