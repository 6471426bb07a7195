//! Folders that hold no cluster, but input of a planning view or a planning command.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use qscope_planning::farm::CaseInput;
use qscope_system::input;

/// What to do with such a folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PlanningAction {
    /// Open these files in the packing view.
    Open(Vec<PathBuf>),
    /// The command that reads them, in one line.
    Command(String),
}

impl PlanningAction {
    /// Returns what to do with a folder that holds no cluster; `None` if it may hold one.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        let files = files(folder);
        if files.iter().any(|file| is_dump(file)) {
            return None;
        }
        tables_of_lsf(&files).map(Self::Open).or_else(|| {
            let command = capacity(&files).or_else(|| scenarios(&files))?;
            Some(Self::Command(format!("{}: no cluster, but {command}", folder.display())))
        })
    }

    /// Returns the files as the packing view takes them.
    pub(super) fn wanted(files: Vec<PathBuf>) -> CaseInput {
        CaseInput { files, ..CaseInput::default() }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found == ending)
}

/// Returns whether a name is that of a dump.
fn is_dump(path: &Path) -> bool {
    let is_text = ["json", "txt", "toml", "xml"].iter().any(|ending| has_ending(path, ending));
    is_text && ["nodes", "jobs"].iter().any(|begin| name(path).starts_with(begin))
}

/// Returns the tables of `bhosts` and `bjobs`, if both exist.
fn tables_of_lsf(files: &[PathBuf]) -> Option<Vec<PathBuf>> {
    let table = |begin: &str| {
        files.iter().find(|path| name(path).starts_with(begin) && has_ending(path, "txt")).cloned()
    };
    Some(vec![table("bhosts")?, table("bjobs")?])
}

/// Returns the command for a list of shapes together with types of nodes.
fn capacity(files: &[PathBuf]) -> Option<String> {
    let shapes = files.iter().find(|path| has_ending(path, "csv"))?;
    let types = files.iter().find(|path| name(path) == "types.toml")?;
    let (shapes, types) = (shapes.display(), types.display());
    Some(format!("a list of jobs and types of nodes: qscope capacity {shapes} --types {types}"))
}

/// Number of bytes of a file by which its kind is recognised.
const HEAD: u64 = 64 << 10;

/// Returns the command for moments of a farm, which state nodes by their slots.
fn scenarios(files: &[PathBuf]) -> Option<String> {
    let is_scenario = |path: &&PathBuf| {
        let mut head = Vec::new();
        has_ending(path, "json")
            && input::open(path).is_ok_and(|file| file.take(HEAD).read_to_end(&mut head).is_ok())
            && String::from_utf8_lossy(&head).contains("\"slots\"")
    };
    let found: Vec<&PathBuf> = files.iter().filter(is_scenario).collect();
    let first = found.first()?.display();
    Some(match found.len() {
        1 => format!("a moment of a farm: qscope farm {first} --view"),
        all => format!("{all} moments of a farm: qscope farm {first} --view opens the first"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(name: &str) -> Option<PlanningAction> {
        PlanningAction::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name))
    }

    #[test]
    fn what_is_no_cluster_leads_to_its_command() {
        assert!(matches!(sample("packing-lsf"), Some(PlanningAction::Open(files)) if files.len() == 2));
        let ends = |found: Option<PlanningAction>, end: &str| match found {
            Some(PlanningAction::Command(line)) => line.ends_with(end) && line.contains(": no cluster, but "),
            _ => false,
        };
        assert!(ends(sample("capacity"), "types.toml"));
        assert!(ends(sample("packing"), "1-empty.json --view opens the first"));
        assert_eq!(sample("campus"), None);
        assert_eq!(sample("sets-8"), None);
    }
}
