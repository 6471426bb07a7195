//! Reads the output of `pbsfs`: tree and usage together.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Reporter, is_root};
use qscope_engine::cluster::{Diagnostic, FilePosition, ShareGroup, UsageRecord};

/// Reads the output of `pbsfs`: one line for each entity, with its parent's number, its own, shares and usage. The
/// output does not show when usage last decayed. The root is left out of the tree, and so is `unknown`, which the
/// scheduler adds itself; members may precede their group.
pub fn read_fairshare_text(
    text: &[u8],
    file: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Vec<ShareGroup>, Vec<UsageRecord>) {
    let text = String::from_utf8_lossy(text);
    let mut report = Reporter { file, diagnostics };
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with("Fairshare usage units") {
            continue;
        }
        match PrintedLine::read(line) {
            Some(line) => lines.push((at + 1, line)),
            None => report.error(
                FilePosition::Line(at + 1),
                format!(
                    "`{}` is not a line of the form `name: Grp: n cgrp: n Shares: n Usage: n`",
                    line.trim()
                ),
            ),
        }
    }
    (tree_of(&lines, &mut report), usage_of(&lines))
}

/// Whether a line is one of those that `pbsfs` prints about a user or group.
pub(crate) fn is_printed_line(line: &str) -> bool {
    PrintedLine::read(line).is_some()
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

/// Returns the tree, in the order printed.
fn tree_of(lines: &[(usize, PrintedLine<'_>)], report: &mut Reporter<'_>) -> Vec<ShareGroup> {
    let mut names: FxHashMap<i64, &str> = FxHashMap::default();
    for (_, line) in lines {
        names.entry(line.number).or_insert(line.name);
    }
    let mut groups: Vec<ShareGroup> = Vec::new();
    for (at, line) in lines.iter().filter(|(_, line)| !line.is_made_by_scheduler()) {
        match names.get(&line.parent).copied() {
            Some(parent) => groups.push(ShareGroup {
                name: line.name.into(),
                number: line.number,
                parent: if is_root(parent) { "root" } else { parent }.into(),
                shares: line.shares,
            }),
            None => report.error(
                FilePosition::Line(*at),
                format!("`{}` belongs to group {}, which is not listed", line.name, line.parent),
            ),
        }
    }
    groups
}

/// Returns the usage of all entities without members; that of groups is a sum.
fn usage_of(lines: &[(usize, PrintedLine<'_>)]) -> Vec<UsageRecord> {
    let parents: FxHashSet<i64> = lines.iter().map(|(_, line)| line.parent).collect();
    lines
        .iter()
        .filter(|(_, line)| !line.is_made_by_scheduler() && !parents.contains(&line.number))
        .map(|(_, line)| UsageRecord { name: line.name.into(), usage: line.usage, decayed: None })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "Fairshare usage units are in: cput\n\
        TREEROOT  : Grp: -1     cgrp: 0    Shares: -1     Usage: 5122   Perc: 100.000%\n\
        user1     : Grp: 10     cgrp: 20   Shares: 25     Usage: 5000   Perc: 11.111%\n\
        grpA      : Grp: 0      cgrp: 10   Shares: 40     Usage: 5121   Perc: 44.444%\n\
        unknown   : Grp: 0      cgrp: 1    Shares: 0      Usage: 1      Perc:  0.000%\n";

    #[test]
    fn printed_trees_give_groups_and_usage() {
        let mut reported = Vec::new();
        let (groups, usage) = read_fairshare_text(PRINTED.as_bytes(), "fairshare.txt", &mut reported);
        assert_eq!(reported, []);
        assert_eq!(groups.len(), 2);
        assert_eq!((&*groups[0].parent, &*groups[1].parent), ("grpA", "root"));
        assert_eq!(usage, [UsageRecord { name: "user1".into(), usage: 5000.0, decayed: None }]);
    }

    #[test]
    fn bad_printed_lines_are_named() {
        let mut reported = Vec::new();
        let text = "what\nlost : Grp: 99 cgrp: 5 Shares: 1 Usage: 2 Perc: 1%\n";
        let (groups, usage) = read_fairshare_text(text.as_bytes(), "fairshare.txt", &mut reported);
        assert_eq!((groups.len(), usage.len()), (0, 1));
        assert!(reported[0].to_string().starts_with("fairshare.txt:1: `what` is not a line"));
        assert!(reported[1].to_string().contains("belongs to group 99"));
    }
}
