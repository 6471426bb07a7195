//! Live node attributes from a file of elim lines, one node each: `NODE: 2 packing_atlas 3 packing_cms 1`.

use std::collections::BTreeMap;
use std::path::Path;

use super::FarmError;
use super::elim::{ElimError, ElimLine};

/// The file's name within a folder.
pub const FILE: &str = "elim.txt";
/// Larger files are refused.
const LARGEST: u64 = 256 << 20;

/// What nodes published.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Published {
    /// The last line of each node.
    pub nodes: BTreeMap<String, ElimLine>,
    /// What could not be read, by file and line.
    pub problems: Vec<String>,
}

/// Reads such a file; one that is not there is empty.
///
/// # Errors
/// A file that is there and cannot be read.
pub fn read(path: &Path) -> Result<Published, FarmError> {
    let fail = |what: String| FarmError::File { file: path.display().to_string(), what };
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Published::default()),
        Err(error) => return Err(fail(error.to_string())),
        Ok(about) if about.len() > LARGEST => return Err(fail("is larger than 256 MB".to_owned())),
        Ok(_) => {}
    }
    let bytes = std::fs::read(path).map_err(|error| fail(error.to_string()))?;
    Ok(parse(&path.display().to_string(), &String::from_utf8_lossy(&bytes)))
}

/// Reads lines; empty ones and those with `#` say nothing. A line that announces more than it holds goes on in the next.
#[must_use]
pub fn parse(file: &str, text: &str) -> Published {
    let mut published = Published::default();
    let said = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let mut lines = text.lines().map(str::trim).zip(1u64..).filter(|(line, _)| said(line)).peekable();
    while let Some((line, at)) = lines.next() {
        let (node, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let node = node.trim_end_matches(':');
        let mut whole = rest.to_owned();
        let mut read = ElimLine::parse(&whole);
        while is_short(&read)
            && let Some((next, _)) = lines.next_if(|(next, _)| goes_on(next))
        {
            whole.push(' ');
            whole.push_str(next);
            read = ElimLine::parse(&whole);
        }
        match read {
            Ok(read) => {
                for warning in &read.warnings {
                    published.problems.push(format!("{file}:{at}: {warning}"));
                }
                published.nodes.insert(node.to_owned(), read);
            }
            Err(error) => published.problems.push(format!("{file}:{at}: {error}")),
        }
    }
    published
}

/// Whether fewer words stand there than were announced.
fn is_short(read: &Result<ElimLine, ElimError>) -> bool {
    matches!(read, Err(ElimError::Length { expected, found }) if found < expected)
}

/// Whether a line is no line of a node by itself: then it belongs to the one before.
fn goes_on(line: &str) -> bool {
    let (first, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    !first.ends_with(':') && ElimLine::parse(rest).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_line_is_named_and_the_others_count() {
        let published = parse("elim.txt", "# now\nn1: 1 packing_a 2\nn2 2 3 packing_b\nn3: 1 1 packing_c\n");
        assert_eq!(published.nodes.len(), 2);
        assert_eq!(published.nodes["n3"].counts()["c"], 1);
        assert_eq!(published.problems, ["elim.txt:3: expected 4 tokens after the count, found 2"]);
    }

    #[test]
    fn a_folded_line_is_one() {
        let text = "n1: 4 2 packing_auger 3 packing_alicesgm 1\n    packing_superb 1 packing_atlasprd\nn2: 1 packing_a 1\n";
        let published = parse("elim.txt", text);
        assert_eq!(published.problems, Vec::<String>::new());
        assert_eq!(published.nodes["n1"].counts().values().sum::<u64>(), 7);
        assert_eq!(published.nodes["n2"].counts()["a"], 1);
    }
}
