//! Reads fair share: `resource_group` (the tree), `usage` (the usage of each entity), and the output of `pbsfs`,
//! which contains both (rules 1.11, 6.5, 11.26).

mod printed;
mod usage;

pub(crate) use self::printed::is_printed_line;
pub use self::printed::read_fairshare_text;
pub use self::usage::read_usage;

use rustc_hash::{FxHashMap, FxHashSet};

use qscope_engine::cluster::{Diagnostic, FilePosition, Name, Severity, ShareGroup};

/// Collects the remarks about one file.
struct Reporter<'a> {
    file: &'a str,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Reporter<'_> {
    fn error(&mut self, spot: FilePosition, message: String) {
        self.push(Severity::Error, spot, message);
    }

    fn push(&mut self, severity: Severity, position: FilePosition, message: String) {
        self.diagnostics.push(Diagnostic::new(severity, "fair-share", self.file, position, message));
    }
}

/// Reads `resource_group`: lines of `name number parent shares`; the parent of top-level groups is `root`.
pub fn read_resource_group(text: &[u8], file: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<ShareGroup> {
    let text = String::from_utf8_lossy(text);
    let mut report = Reporter { file, diagnostics };
    let mut groups: Vec<ShareGroup> = Vec::new();
    let mut lines = Vec::new();
    let mut known = FxHashSet::default();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '*']) {
            continue;
        }
        match read_group(line, &known) {
            Ok(group) => {
                known.insert(group.name.clone());
                groups.push(group);
                lines.push(at + 1);
            }
            Err(message) => report.error(FilePosition::Line(at + 1), message),
        }
    }
    without_orphans(groups, &lines, &mut report)
}

/// Removes the groups whose parent is not in the file, or from which no parents lead to the top of the tree.
fn without_orphans(groups: Vec<ShareGroup>, lines: &[usize], report: &mut Reporter<'_>) -> Vec<ShareGroup> {
    let mut tree = GroupTree::new(&groups);
    let mut kept = Vec::new();
    for (group, line) in groups.into_iter().zip(lines) {
        let ShareGroup { name, parent, .. } = &group;
        let position = FilePosition::Line(*line);
        if !is_root(parent) && !tree.parents.contains_key(parent) {
            report.error(position, format!("the parent `{parent}` of `{name}` is not in the file"));
        } else if tree.reaches_top(name) {
            kept.push(group);
        } else {
            report.error(position, format!("left out `{name}`: no parents lead from `{parent}` to root"));
        }
    }
    kept
}

/// The parents of groups, and which of them lead to the top of the tree.
struct GroupTree {
    parents: FxHashMap<Name, Name>,
    /// Whether parents lead from a group to the top, as far as known; false also for a group of a circle.
    reached: FxHashMap<Name, bool>,
}

impl GroupTree {
    fn new(groups: &[ShareGroup]) -> Self {
        let parents = groups.iter().map(|group| (group.name.clone(), group.parent.clone())).collect();
        Self { parents, reached: FxHashMap::default() }
    }

    /// Whether parents lead from a group to the top.
    fn reaches_top(&mut self, name: &Name) -> bool {
        let (mut path, mut group) = (Vec::new(), name.clone());
        let reaches = loop {
            if is_root(&group) {
                break true;
            }
            // A group on the path counts as one that does not reach the top, so that a circle ends there.
            if let Some(known) = self.reached.get(&group) {
                break *known;
            }
            self.reached.insert(group.clone(), false);
            let Some(parent) = self.parents.get(&group).cloned() else { break false };
            path.push(std::mem::replace(&mut group, parent));
        };
        self.reached.extend(path.into_iter().map(|group| (group, reaches)));
        reaches
    }
}

fn read_group(line: &str, known: &FxHashSet<Name>) -> Result<ShareGroup, String> {
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
    if parent == name {
        return Err(format!("`{name}` is its own parent"));
    }
    if known.contains(name) {
        return Err(format!("`{name}` is already there"));
    }
    Ok(ShareGroup { name: name.into(), number, parent: parent.into(), shares })
}

/// Whether a name is the top of the tree, in `resource_group` or in the output of `pbsfs`.
fn is_root(name: &str) -> bool {
    name == "root" || name == "TREEROOT"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_name_their_parents() {
        let mut reported = Vec::new();
        let groups = read_resource_group(
            b"# tree\n\ngrpA 10 root 40\nuser1 20 grpA 25\n",
            "resource_group",
            &mut reported,
        );
        assert_eq!(reported, []);
        assert_eq!((&*groups[1].name, groups[1].number, &*groups[1].parent), ("user1", 20, "grpA"));
        assert_eq!(groups[0].shares, 40.0);
    }

    #[test]
    fn groups_that_lead_nowhere_are_named() {
        let mut reported = Vec::new();
        let text = "a 1 root 4\nb 2 c 4\nc 3 b 4\nd 4 c 4\ne 5 a 4\nf 6 gone 4\ng 7 f 4\n";
        let groups = read_resource_group(text.as_bytes(), "resource_group", &mut reported);
        let names: Vec<&str> = groups.iter().map(|group| &*group.name).collect();
        assert_eq!(names, ["a", "e"]);
        let reported: Vec<String> = reported.iter().map(|reported| reported.message.clone()).collect();
        assert_eq!(
            reported,
            [
                "left out `b`: no parents lead from `c` to root",
                "left out `c`: no parents lead from `b` to root",
                "left out `d`: no parents lead from `c` to root",
                "the parent `gone` of `f` is not in the file",
                "left out `g`: no parents lead from `f` to root",
            ]
        );
    }

    #[test]
    fn bad_groups_are_named() {
        let mut reported = Vec::new();
        let text = "a 1 root\na x root 4\na 1 root many\nb 1 c 4\na 1 root 4\na 2 root 4\nloop 3 loop 4\n";
        assert_eq!(read_resource_group(text.as_bytes(), "resource_group", &mut reported).len(), 1);
        let reported: Vec<String> = reported.iter().map(ToString::to_string).collect();
        assert!(reported[0].starts_with("resource_group:1: `a 1 root` is too short"));
        assert!(reported[1].contains("`x` is not the number"));
        assert!(reported[2].contains("`many` are not shares"));
        assert!(reported[3].contains("already there"));
        assert!(reported[4].contains("`loop` is its own parent"));
        assert!(reported[5].contains("parent `c` of `b` is not in the file"));
    }
}
