//! The seeds of mutations: the files of the cases and samples by name, and the words of the formats.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Maximum size of a seed in bytes; longer files make mutations slow and find nothing more.
const LONGEST: u64 = 48 << 10;
/// Maximum number of files of one name.
const EACH: usize = 24;

pub(crate) struct Corpus {
    files: Vec<(String, Vec<u8>)>,
    pub(crate) words: Vec<Vec<u8>>,
}

/// The seeds of a target.
#[derive(Clone, Copy)]
pub(crate) enum Seeds {
    /// Files of the cases whose names have this beginning and this end.
    Named(&'static str, &'static str),
    /// All files of the cases.
    Any,
    /// These texts.
    Texts(&'static [&'static str]),
}

impl Corpus {
    /// Returns the seeds of a target.
    pub(crate) fn of(&self, seeds: Seeds) -> Vec<&[u8]> {
        let fits = |name: &str| match seeds {
            Seeds::Named(start, end) => name.starts_with(start) && name.ends_with(end),
            Seeds::Any => true,
            Seeds::Texts(_) => false,
        };
        let texts: &[&str] = if let Seeds::Texts(texts) = seeds { texts } else { &[] };
        let files = self.files.iter().filter(|(name, _)| fits(name)).map(|(_, bytes)| &**bytes);
        texts.iter().map(|text| text.as_bytes()).chain(files).collect()
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the corpus, which is read once.
pub(crate) fn corpus() -> &'static Corpus {
    static ALL: OnceLock<Corpus> = OnceLock::new();
    ALL.get_or_init(|| {
        let folders = [
            "samples",
            "tests/cases/forms",
            "tests/cases/sites",
            "tests/cases/source",
            "tests/cases/why",
            "tests/cases/preemption",
            "themes",
            "tests/cases/topics",
        ];
        let mut paths = Vec::new();
        for folder in folders {
            let mut here = Vec::new();
            walk(&root().join(folder), &mut here);
            here.sort();
            paths.append(&mut here);
        }
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for path in paths {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let have = files.iter().filter(|(have, _)| *have == name).count();
            if have < EACH && fs::metadata(&path).unwrap().len() <= LONGEST {
                files.push((name, fs::read(&path).unwrap()));
            }
        }
        let words = fs::read_to_string(root().join("tests/fuzz/dictionary")).unwrap();
        let words = words.lines().filter(|word| !word.starts_with("# ")).map(|word| word.as_bytes().to_vec());
        Corpus { files, words: words.collect() }
    })
}

fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            walk(&entry.path(), into);
        } else if kind.is_file() {
            into.push(entry.path());
        }
    }
}

/// Returns the inputs that failed once.
pub(crate) fn found() -> Vec<(String, Vec<u8>)> {
    let Ok(folder) = fs::read_dir(root().join("tests/fuzz/found")) else { return Vec::new() };
    let all = folder
        .map(Result::unwrap)
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()));
    all.collect()
}
