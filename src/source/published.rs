//! Reads live node attributes from a file of elim lines, one node each: `NODE: 2 packing_atlas 3 packing_cms 1`.

use super::files::Files;
use super::log::DiagnosticLog;
use qscope_engine::cluster::elim::{ElimError, ElimLine};
use qscope_engine::cluster::{FileFormat, FilePosition, FileRecord, Snapshot};

/// Name of the file within a folder.
const FILE: &str = "elim.txt";

/// Adds the attributes that nodes publish, the last line of each; errors are reported and otherwise ignored.
pub(crate) fn add(files: &Files, snapshot: &mut Snapshot, log: &mut DiagnosticLog) {
    let Some(file) = files.get(FILE) else { return };
    let Ok(bytes) = &file.bytes else { return };
    log.in_file(FILE);
    let mut records = 0;
    for (line, node, read) in lines(&String::from_utf8_lossy(bytes)) {
        log.in_record(&node);
        let read = match read {
            Ok(read) => read,
            Err(error) => {
                log.error("elim", FilePosition::Line(line), || error.to_string());
                continue;
            }
        };
        for warning in &read.warnings {
            log.warn("elim", FilePosition::Line(line), || warning.clone());
        }
        match snapshot.node_named(&node) {
            Some(id) => {
                records += 1;
                snapshot.nodes[id].extra.published = Some(Box::new(read));
            }
            None => log.warn("elim", FilePosition::Line(line), || format!("no node is called `{node}`")),
        }
    }
    let record = FileRecord::plain(FILE, FileFormat::Text, bytes, records);
    snapshot.files.push(FileRecord { modified: file.modified, ..record });
}

/// Returns line number, node and attributes; empty lines and those with `#` are skipped. A line with fewer words than
/// it announces continues in the next.
fn lines(text: &str) -> Vec<(usize, String, Result<ElimLine, ElimError>)> {
    let reported = |(line, _): &(&str, usize)| !line.is_empty() && !line.starts_with('#');
    let mut lines = text.lines().map(str::trim).zip(1usize..).filter(reported).peekable();
    let mut all = Vec::new();
    while let Some((line, at)) = lines.next() {
        let (node, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let mut whole = rest.to_owned();
        let mut read = ElimLine::parse(&whole);
        while is_short(&read)
            && let Some((next, _)) = lines.next_if(|(next, _)| continues_previous(next))
        {
            whole.push(' ');
            whole.push_str(next);
            read = ElimLine::parse(&whole);
        }
        all.push((at, node.trim_end_matches(':').to_owned(), read));
    }
    all
}

/// Whether there are fewer words than announced.
fn is_short(read: &Result<ElimLine, ElimError>) -> bool {
    matches!(read, Err(ElimError::Length { expected, found }) if found < expected)
}

/// Whether a line is not a node's line by itself, but continues the previous one.
fn continues_previous(line: &str) -> bool {
    let (first, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    !first.ends_with(':') && ElimLine::parse(rest).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_line_is_one_and_the_others_count() {
        let read = lines("# now\nn1: 1 packing_a 2\nn2 2 3 packing_b\nn3: 1 1 packing_c\n");
        let reported: Vec<(usize, &str, bool)> =
            read.iter().map(|(line, node, read)| (*line, &**node, read.is_ok())).collect();
        assert_eq!(reported, [(2, "n1", true), (3, "n2", false), (4, "n3", true)]);
    }

    #[test]
    fn a_folded_line_is_one() {
        let text = "n1: 4 2 packing_auger 3 packing_alicesgm 1\n    packing_superb 1 packing_atlasprd\nn2: 1 packing_a 1\n";
        let read = lines(text);
        assert_eq!(read.len(), 2);
        assert_eq!(read[0].2.as_ref().unwrap().counts().values().sum::<u64>(), 7);
        assert_eq!(read[1].2.as_ref().unwrap().counts()["a"], 1);
    }
}
