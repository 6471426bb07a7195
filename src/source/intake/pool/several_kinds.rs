//! Dumps of several kinds in one file, one after the other: `cat nodes.json jobs.json`, or `cat nodes.txt jobs.txt`.

use super::FilePool;
use crate::intake::entry::InputEntry;
use crate::intake::kind::{DumpNotation, HEAD, IntakeKind, kind_of};
use crate::record::DumpKind;
use qscope_engine::cluster::{Diagnostic, deduplicated};

impl FilePool {
    /// Adds a file; if it has dumps of several kinds, each of them.
    pub(super) fn push(&mut self, mut entry: InputEntry) {
        let IntakeKind::Dump { of, form: form @ (DumpNotation::Json | DumpNotation::Text), .. } = entry.kind
        else {
            return self.entries.push(entry);
        };
        let (shown, modified) = (entry.display_name.clone(), entry.modified);
        // A file that cannot be read is reported when it is assigned.
        let bytes = entry.bytes(self.bounds).unwrap_or_default();
        let has_text = form == DumpNotation::Text || !bytes.trim_ascii_end().ends_with(b"}");
        let Some(kinds) = has_text.then(|| one_behind_the_other(bytes)).flatten().or_else(|| by_kind(bytes))
        else {
            if form == DumpNotation::Text
                && let Some(other) = other_kind_inside(of, bytes)
            {
                self.reported.error(Diagnostic::WRONG_DUMP, &shown, two_kinds_message(of, other));
            }
            return self.entries.push(entry);
        };
        let names: Vec<&str> = kinds.iter().map(|(kind, _)| kind.object_words()).collect();
        let names = names.join(", ");
        self.reported.note(
            "json-several",
            &shown,
            format!("dumps of {names} one after the other; each is read"),
        );
        let last = kinds.last().map(|(kind, _)| *kind);
        for (kind, bytes) in kinds {
            let name = format!("{shown} ({})", kind.section());
            let mut piece = InputEntry::from_bytes(&name, bytes, modified);
            piece.is_cut = entry.is_cut && last == Some(kind);
            self.entries.push(piece);
        }
    }
}

/// Returns the message about a text with dumps of two kinds, of which one is read.
fn two_kinds_message(of: DumpKind, other: DumpKind) -> String {
    format!(
        "found {other} in a dump of {of}; not read; expected a file for each kind of dump: `{command} > {file}`",
        other = other.object_words(),
        of = of.object_words(),
        command = other.command(),
        file = other.files().last().copied().unwrap_or_default()
    )
}

/// Splits dumps of several kinds, as text or in JSON, each kind once; `None` if there is one kind, or if a kind occurs
/// again behind another one, as where the value of a job contains what looks like a record.
fn one_behind_the_other(bytes: &[u8]) -> Option<Vec<(DumpKind, Vec<u8>)>> {
    let texts = KINDS.into_iter().flat_map(|kind| records(kind, bytes).map(move |at| (at, kind)));
    let at_line_start = |at: &usize| *at == 0 || bytes.get(at - 1) == Some(&b'\n');
    let objects = memchr::memchr_iter(b'{', bytes).filter(at_line_start);
    let objects = objects.filter_map(|at| Some((at, kind_at(bytes, at)?)));
    let mut begins: Vec<(usize, DumpKind)> = texts.chain(objects).collect();
    begins.sort_unstable_by_key(|(at, _)| *at);
    begins.dedup_by_key(|(_, kind)| *kind);
    let kinds: Vec<DumpKind> = deduplicated(begins.iter().map(|(_, kind)| *kind));
    if kinds.len() < 2 || kinds.len() < begins.len() {
        return None;
    }
    let ends = begins.iter().skip(1).map(|(at, _)| *at).chain([bytes.len()]);
    let pieces = begins.iter().zip(ends).enumerate().map(|(nth, ((at, kind), end))| {
        let from = if nth == 0 { 0 } else { *at };
        (*kind, bytes.get(from..end).unwrap_or_default().to_vec())
    });
    Some(pieces.collect())
}

/// Splits a text of JSON objects by their kinds, in the order in which these occur; `None` if all are of one kind. An
/// object of no kind belongs to the one before it.
fn by_kind(bytes: &[u8]) -> Option<Vec<(DumpKind, Vec<u8>)>> {
    let begins: Vec<(usize, DumpKind)> =
        objects(bytes).filter_map(|at| Some((at, kind_at(bytes, at)?))).collect();
    let (_, first) = *begins.first()?;
    if begins.iter().all(|(_, kind)| *kind == first) {
        return None;
    }
    let mut found: Vec<(DumpKind, Vec<u8>)> = Vec::new();
    let ends = begins.iter().skip(1).map(|(at, _)| *at).chain([bytes.len()]);
    for ((nth, (at, kind)), end) in begins.iter().enumerate().zip(ends) {
        // What precedes the first object is read with it.
        let piece = bytes.get(if nth == 0 { 0 } else { *at }..end).unwrap_or_default();
        match found.iter_mut().find(|(have, _)| have == kind) {
            Some((_, have)) => have.extend_from_slice(piece),
            None => found.push((*kind, piece.to_vec())),
        }
    }
    Some(found)
}

/// Returns where outermost objects can begin: at the first brace, and at each that follows a closing one, which inside
/// of an object only happens in a string.
fn objects(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let mut is_first = true;
    memchr::memchr_iter(b'{', bytes).filter(move |at| {
        let before = bytes.get(..*at).unwrap_or_default().trim_ascii_end();
        std::mem::take(&mut is_first) || before.last() == Some(&b'}')
    })
}

fn kind_at(bytes: &[u8], at: usize) -> Option<DumpKind> {
    let rest = bytes.get(at..)?;
    match kind_of(rest.get(..HEAD).unwrap_or(rest), "") {
        IntakeKind::Dump { of, .. } => Some(of),
        _ => None,
    }
}

/// Kinds whose records are searched in a text.
const KINDS: [DumpKind; 4] = [DumpKind::Nodes, DumpKind::Jobs, DumpKind::Queues, DumpKind::Server];

/// Returns another kind of which a text dump also has records.
fn other_kind_inside(of: DumpKind, bytes: &[u8]) -> Option<DumpKind> {
    KINDS.into_iter().filter(|kind| *kind != of).find(|kind| records(*kind, bytes).next().is_some())
}

/// Returns where records of a kind begin in a text: a header, and the first attribute below it.
fn records(kind: DumpKind, bytes: &[u8]) -> impl Iterator<Item = usize> {
    let attribute = memchr::memmem::Finder::new(&format!(" {} = ", kind.first_attribute())).into_owned();
    let mut from = 0;
    let places = std::iter::from_fn(move || {
        let at = from + attribute.find(bytes.get(from..)?)?;
        from = at + 1;
        Some(at)
    });
    places.filter_map(move |at| {
        let before = bytes.get(..at).unwrap_or_default();
        let line = memchr::memrchr(b'\n', before)?;
        let above = before.get(..line).unwrap_or_default();
        let begin = memchr::memrchr(b'\n', above).map_or(0, |end| end + 1);
        let header = above.get(begin..).unwrap_or_default();
        let is_named = header.first().is_some_and(|first| !first.is_ascii_whitespace());
        let is_indented = before.get(line..).is_some_and(|blanks| blanks.trim_ascii().is_empty());
        let is_record = is_indented && is_named;
        (is_record && (kind == DumpKind::Nodes || header.starts_with(kind.header().as_bytes())))
            .then_some(begin)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: &str =
        "{\"timestamp\": 1,\n\"nodes\": {\"n1\": {\"Mom\": \"n1\", \"state\": \"free\"}}\n}\n";
    const JOBS: &str = "{\"timestamp\": 2, \"Jobs\": {\"1.s\": {\"Job_Name\": \"a } {\"}}}";

    fn kinds(text: &str) -> Option<Vec<(DumpKind, String)>> {
        let found = by_kind(text.as_bytes())?;
        Some(found.into_iter().map(|(kind, bytes)| (kind, String::from_utf8(bytes).unwrap())).collect())
    }

    #[test]
    fn objects_of_several_kinds_are_separated() {
        let [nodes, jobs] = [NODES, JOBS].map(str::to_owned);
        let both = [(DumpKind::Jobs, jobs.clone()), (DumpKind::Nodes, nodes.clone())];
        assert_eq!(kinds(&format!("{JOBS}{NODES}")), Some(both.to_vec()));
        let twice = [(DumpKind::Jobs, jobs.clone() + &jobs), (DumpKind::Nodes, nodes)];
        assert_eq!(kinds(&format!("{JOBS}{NODES}{JOBS}")), Some(twice.to_vec()));
        for one in [NODES.to_owned(), JOBS.to_owned(), format!("{JOBS}\n{JOBS}"), String::new()] {
            assert_eq!(kinds(&one), None, "{one}");
        }
    }

    #[test]
    fn dumps_as_text_one_behind_the_other_are_separated() {
        let split = |texts: &[&str]| {
            let found = one_behind_the_other(texts.concat().as_bytes())?;
            let kinds = found.iter().map(|(kind, _)| *kind).collect::<Vec<_>>();
            let pieces: Vec<String> =
                found.into_iter().map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
            Some((kinds, pieces))
        };
        let (nodes, jobs) = (DumpKind::Nodes, DumpKind::Jobs);
        let whole = |texts: [&str; 2]| texts.map(str::to_owned).to_vec();
        assert_eq!(
            split(&[TEXT_NODES, TEXT_JOBS]),
            Some((vec![nodes, jobs], whole([TEXT_NODES, TEXT_JOBS])))
        );
        assert_eq!(split(&[TEXT_JOBS, NODES]), Some((vec![jobs, nodes], whole([TEXT_JOBS, NODES]))));
        assert_eq!(split(&[NODES, TEXT_JOBS]), Some((vec![nodes, jobs], whole([NODES, TEXT_JOBS]))));
        assert_eq!(split(&[TEXT_JOBS, TEXT_JOBS]), None);
        assert_eq!(
            split(&[TEXT_JOBS, TEXT_NODES, TEXT_JOBS]),
            None,
            "a value of the first job may be made so"
        );
    }

    const TEXT_NODES: &str = "n1\n     Mom = n1\n     state = free\n\n";
    const TEXT_JOBS: &str = "Job Id: 1.s\n    Job_Name = a\n    Variable_List = A=1\n\n";

    #[test]
    fn records_of_another_kind_in_a_text_are_noticed() {
        let (nodes, jobs) = (TEXT_NODES, TEXT_JOBS);
        let found = |of, text: &str| other_kind_inside(of, text.as_bytes());
        assert_eq!(found(DumpKind::Nodes, &format!("{nodes}{jobs}")), Some(DumpKind::Jobs));
        assert_eq!(found(DumpKind::Jobs, &format!("{jobs}{nodes}")), Some(DumpKind::Nodes));
        assert_eq!((found(DumpKind::Nodes, nodes), found(DumpKind::Jobs, jobs)), (None, None));
    }
}
