//! Fair share: `resource_group` (the tree), `usage` (what everybody used), and what `pbsfs` prints,
//! which holds both (rules 1.11, 6.5, 11).

use rustc_hash::FxHashSet;

use crate::cluster::{Diagnostic, Epoch, Name, Severity, ShareGroup, Spot, UsageRecord};

/// Collects what there is to say about one file.
struct Reporter<'a> {
    file: &'a str,
    out: &'a mut Vec<Diagnostic>,
}

impl Reporter<'_> {
    fn error(&mut self, spot: Spot, message: String) {
        self.say(Severity::Error, spot, message);
    }

    fn say(&mut self, severity: Severity, spot: Spot, message: String) {
        let file = self.file.into();
        self.out.push(Diagnostic { severity, code: "fair-share", file, spot, record: None, message });
    }
}

/// Reads `resource_group`: lines of `name number parent shares`; the parent of the topmost is `root`.
pub fn read_resource_group(text: &[u8], file: &str, out: &mut Vec<Diagnostic>) -> Vec<ShareGroup> {
    let text = String::from_utf8_lossy(text);
    let mut report = Reporter { file, out };
    let mut groups: Vec<ShareGroup> = Vec::new();
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '*']) {
            continue;
        }
        match read_group(line, &groups) {
            Ok(group) => {
                groups.push(group);
                lines.push(at + 1);
            }
            Err(message) => report.error(Spot::Line(at + 1), message),
        }
    }
    without_orphans(groups, &lines, &mut report)
}

/// Leaves out the groups whose parent is nowhere in the file.
fn without_orphans(groups: Vec<ShareGroup>, lines: &[usize], report: &mut Reporter<'_>) -> Vec<ShareGroup> {
    let names: FxHashSet<Name> = groups.iter().map(|group| group.name.clone()).collect();
    let mut kept = Vec::new();
    for (group, line) in groups.into_iter().zip(lines) {
        if is_root(&group.parent) || names.contains(&group.parent) {
            kept.push(group);
        } else {
            report.error(
                Spot::Line(*line),
                format!("the parent `{}` of `{}` is not in the file", group.parent, group.name),
            );
        }
    }
    kept
}

fn read_group(line: &str, known: &[ShareGroup]) -> Result<ShareGroup, String> {
    let mut words = line.split_whitespace();
    let (Some(name), Some(number), Some(parent), Some(shares)) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(format!("`{line}` is too short; expected `name number parent shares`"));
    };
    let number = number.parse().map_err(|_| format!("`{number}` is not the number of a group"))?;
    let shares = shares
        .parse()
        .ok()
        .filter(|shares| *shares >= 0.0)
        .ok_or_else(|| format!("`{shares}` are not shares; expected a number that is not negative"))?;
    if known.iter().any(|group| *group.name == *name) {
        return Err(format!("`{name}` is already there"));
    }
    Ok(ShareGroup { name: name.into(), number, parent: parent.into(), shares })
}

/// Whether a name is the top of the tree, in `resource_group` or in what `pbsfs` prints.
fn is_root(name: &str) -> bool {
    name == "root" || name == "TREEROOT"
}

/// How many bytes the head and each record of `usage` have.
const RECORD: usize = 64;
const HEAD: usize = 32;

/// Reads the binary `usage` (rule 11, last item): a magic word, the version, the time of the last decay,
/// then records of 64 bytes with a name and its usage.
pub fn read_usage(bytes: &[u8], file: &str, out: &mut Vec<Diagnostic>) -> Vec<UsageRecord> {
    let mut report = Reporter { file, out };
    if !bytes.starts_with(b"PBS_MAG!") {
        report.error(Spot::Byte(0), "this is no usage file: it does not start with `PBS_MAG!`".to_owned());
        return Vec::new();
    }
    let version = eight(bytes, 16).map(f64::from_le_bytes);
    if version != Some(2.0) {
        let found = version.map_or_else(|| "none".to_owned(), |version| version.to_string());
        report.error(Spot::Byte(16), format!("the version is {found}; only 2 is known"));
        return Vec::new();
    }
    let decayed = eight(bytes, 24).map(i64::from_le_bytes).filter(|at| *at > 0).map(Epoch);
    let mut records = Vec::new();
    for (at, record) in bytes.get(HEAD..).unwrap_or_default().chunks(RECORD).enumerate() {
        let spot = Spot::Byte(HEAD + at * RECORD);
        match read_record(record, decayed) {
            Ok(record) => records.push(record),
            Err(message) => report.error(spot, message),
        }
    }
    records
}

fn read_record(record: &[u8], decayed: Option<Epoch>) -> Result<UsageRecord, String> {
    let usage = eight(record, 56)
        .map(f64::from_le_bytes)
        .ok_or_else(|| format!("the last record has {} bytes instead of {RECORD}", record.len()))?;
    let name = record.get(..50).unwrap_or_default().split(|byte| *byte == 0).next().unwrap_or_default();
    let name = String::from_utf8_lossy(name);
    if name.is_empty() {
        return Err("a record has no name".to_owned());
    }
    if !usage.is_finite() || usage < 0.0 {
        return Err(format!("the usage of `{name}` is {usage}"));
    }
    Ok(UsageRecord { name: name.as_ref().into(), usage, decayed })
}

/// Eight bytes from an offset.
fn eight(bytes: &[u8], at: usize) -> Option<[u8; 8]> {
    bytes.get(at..at.checked_add(8)?)?.try_into().ok()
}

/// Reads what `pbsfs` prints: one line for each entity with its parent's number, its own, shares and
/// usage. The file does not tell when usage was last decayed. The root itself is left out of the tree,
/// and so is `unknown`, which the scheduler makes itself; members may stand before their group.
pub fn read_fairshare_text(
    text: &[u8],
    file: &str,
    out: &mut Vec<Diagnostic>,
) -> (Vec<ShareGroup>, Vec<UsageRecord>) {
    let text = String::from_utf8_lossy(text);
    let mut report = Reporter { file, out };
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with("Fairshare usage units") {
            continue;
        }
        match PrintedLine::read(line) {
            Some(line) => lines.push((at + 1, line)),
            None => report.error(
                Spot::Line(at + 1),
                format!(
                    "`{}` is not a line of the form `name: Grp: n cgrp: n Shares: n Usage: n`",
                    line.trim()
                ),
            ),
        }
    }
    (tree_of(&lines, &mut report), usage_of(&lines))
}

/// One line of `pbsfs`.
struct PrintedLine<'a> {
    name: &'a str,
    parent: i64,
    number: i64,
    shares: f64,
    usage: f64,
}

impl<'a> PrintedLine<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (head, rest) = line.split_once("Grp:")?;
        let name = head.trim().strip_suffix(':')?.trim();
        let after = |label: &str| rest.split_once(label).map(|(_, rest)| rest).and_then(first_word);
        Some(Self {
            name,
            parent: first_word(rest)?.parse().ok()?,
            number: after("cgrp:")?.parse().ok()?,
            shares: after("Shares:")?.parse().ok()?,
            usage: after("Usage:")?.parse().ok()?,
        })
    }

    fn is_made_by_scheduler(&self) -> bool {
        is_root(self.name) || self.name == "unknown"
    }
}

fn first_word(text: &str) -> Option<&str> {
    text.split_whitespace().next()
}

/// The tree, in the order printed.
fn tree_of(lines: &[(usize, PrintedLine<'_>)], report: &mut Reporter<'_>) -> Vec<ShareGroup> {
    let named = |number: i64| lines.iter().find(|(_, line)| line.number == number).map(|(_, line)| line.name);
    let mut groups: Vec<ShareGroup> = Vec::new();
    for (at, line) in lines.iter().filter(|(_, line)| !line.is_made_by_scheduler()) {
        match named(line.parent) {
            Some(parent) => groups.push(ShareGroup {
                name: line.name.into(),
                number: line.number,
                parent: if is_root(parent) { "root" } else { parent }.into(),
                shares: line.shares,
            }),
            None => report.error(
                Spot::Line(*at),
                format!("`{}` belongs to group {}, which is not listed", line.name, line.parent),
            ),
        }
    }
    groups
}

/// The usage of everybody who has no members; that of groups is a sum.
fn usage_of(lines: &[(usize, PrintedLine<'_>)]) -> Vec<UsageRecord> {
    let has_members = |number: i64| lines.iter().any(|(_, line)| line.parent == number);
    lines
        .iter()
        .filter(|(_, line)| !line.is_made_by_scheduler() && !has_members(line.number))
        .map(|(_, line)| UsageRecord { name: line.name.into(), usage: line.usage, decayed: None })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_name_their_parents() {
        let mut said = Vec::new();
        let groups = read_resource_group(
            b"# tree\n\ngrpA 10 root 40\nuser1 20 grpA 25\n",
            "resource_group",
            &mut said,
        );
        assert_eq!(said, []);
        assert_eq!((&*groups[1].name, groups[1].number, &*groups[1].parent), ("user1", 20, "grpA"));
        assert_eq!(groups[0].shares, 40.0);
    }

    #[test]
    fn bad_groups_are_named() {
        let mut said = Vec::new();
        let text = "a 1 root\na x root 4\na 1 root many\nb 1 c 4\na 1 root 4\na 2 root 4\n";
        assert_eq!(read_resource_group(text.as_bytes(), "resource_group", &mut said).len(), 1);
        let said: Vec<String> = said.iter().map(ToString::to_string).collect();
        assert!(said[0].starts_with("resource_group:1: `a 1 root` is too short"));
        assert!(said[1].contains("`x` is not the number"));
        assert!(said[2].contains("`many` are not shares"));
        assert!(said[3].contains("already there"));
        assert!(said[4].contains("parent `c` of `b` is not in the file"));
    }

    /// A usage file of version 2 with these records.
    fn usage_file(records: &[(&str, f64)]) -> Vec<u8> {
        let mut bytes = b"PBS_MAG!\0\0\0\0\0\0\0\0".to_vec();
        bytes.extend(2.0f64.to_le_bytes());
        bytes.extend(1_763_700_000i64.to_le_bytes());
        for (name, usage) in records {
            let mut record = name.as_bytes().to_vec();
            record.resize(56, 0);
            record.extend(usage.to_le_bytes());
            bytes.extend(record);
        }
        bytes
    }

    #[test]
    fn usage_is_read_from_its_records() {
        let mut said = Vec::new();
        let records = read_usage(&usage_file(&[("user1", 5000.0), ("user2", 2.5)]), "usage", &mut said);
        assert_eq!(said, []);
        let decayed = Some(Epoch(1_763_700_000));
        assert_eq!(records[0], UsageRecord { name: "user1".into(), usage: 5000.0, decayed });
        assert_eq!(records[1].usage, 2.5);
    }

    #[test]
    fn a_broken_usage_file_says_where() {
        let said = |bytes: &[u8]| {
            let mut said = Vec::new();
            let kept = read_usage(bytes, "usage", &mut said).len();
            (kept, said.first().map(ToString::to_string).unwrap_or_default())
        };
        assert_eq!(
            said(b"text"),
            (0, "usage@0: this is no usage file: it does not start with `PBS_MAG!`".into())
        );
        let mut wrong = usage_file(&[]);
        wrong[23] = 0;
        assert!(said(&wrong).1.contains("only 2 is known"));
        let mut short = usage_file(&[("user1", 1.0), ("user2", 2.0)]);
        short.truncate(100);
        assert_eq!(said(&short), (1, "usage@96: the last record has 4 bytes instead of 64".into()));
        assert!(said(&usage_file(&[("", 1.0)])).1.contains("no name"));
        assert!(said(&usage_file(&[("a", f64::NAN)])).1.contains("the usage of `a` is NaN"));
    }

    const PRINTED: &str = "Fairshare usage units are in: cput\n\
        TREEROOT  : Grp: -1     cgrp: 0    Shares: -1     Usage: 5122   Perc: 100.000%\n\
        user1     : Grp: 10     cgrp: 20   Shares: 25     Usage: 5000   Perc: 11.111%\n\
        grpA      : Grp: 0      cgrp: 10   Shares: 40     Usage: 5121   Perc: 44.444%\n\
        unknown   : Grp: 0      cgrp: 1    Shares: 0      Usage: 1      Perc:  0.000%\n";

    #[test]
    fn printed_trees_give_groups_and_usage() {
        let mut said = Vec::new();
        let (groups, usage) = read_fairshare_text(PRINTED.as_bytes(), "fairshare.txt", &mut said);
        assert_eq!(said, []);
        assert_eq!(groups.len(), 2);
        assert_eq!((&*groups[0].parent, &*groups[1].parent), ("grpA", "root"));
        assert_eq!(usage, [UsageRecord { name: "user1".into(), usage: 5000.0, decayed: None }]);
    }

    #[test]
    fn bad_printed_lines_are_named() {
        let mut said = Vec::new();
        let text = "what\nlost : Grp: 99 cgrp: 5 Shares: 1 Usage: 2 Perc: 1%\n";
        let (groups, usage) = read_fairshare_text(text.as_bytes(), "fairshare.txt", &mut said);
        assert_eq!((groups.len(), usage.len()), (0, 1));
        assert!(said[0].to_string().starts_with("fairshare.txt:1: `what` is not a line"));
        assert!(said[1].to_string().contains("belongs to group 99"));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let mut usage = usage_file(&[]);
            usage.extend(&bytes);
            read_usage(&usage, "usage", &mut Vec::new());
            read_usage(&bytes, "usage", &mut Vec::new());
            read_resource_group(&bytes, "resource_group", &mut Vec::new());
            read_fairshare_text(&bytes, "fairshare.txt", &mut Vec::new());
        }
    }
}
