//! Live node attributes from a file of elim lines, one node each: `NODE: 2 packing_atlas 3 packing_cms 1`.

use std::collections::BTreeMap;
use std::path::Path;

use super::FarmError;
use super::elim::ElimLine;

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

/// Reads lines; empty ones and those with `#` say nothing.
#[must_use]
pub fn parse(file: &str, text: &str) -> Published {
    let mut published = Published::default();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (node, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let node = node.trim_end_matches(':');
        match ElimLine::parse(rest) {
            Ok(read) => {
                for warning in &read.warnings {
                    published.problems.push(format!("{file}:{}: {warning}", at + 1));
                }
                published.nodes.insert(node.to_owned(), read);
            }
            Err(error) => published.problems.push(format!("{file}:{}: {error}", at + 1)),
        }
    }
    published
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
}
