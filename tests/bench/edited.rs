//! Dumps in JSON whose records are changed in place.

use std::path::Path;

use qscope::source::Files;

/// The files, and the positions of what changes in them.
pub(crate) struct Dumps {
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Index of the file, and the position of each vnode's state in it.
    pub(crate) nodes: (usize, Vec<usize>),
    /// Index of the file, and the position of each job's state letter in it.
    pub(crate) jobs: (usize, Vec<usize>),
}

impl Dumps {
    pub(crate) fn of_folder(folder: &Path) -> Self {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let read = |entry: std::fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            Some((name, std::fs::read(entry.path()).ok()?))
        };
        Self::new(entries.filter_map(read).collect())
    }

    pub(crate) fn new(files: Vec<(String, Vec<u8>)>) -> Self {
        let named = |stem: &str| files.iter().position(|(name, _)| name.starts_with(stem)).unwrap();
        let places = |at: usize, key: &str, word: &str| {
            let bytes = &files[at].1;
            let found = memchr::memmem::find_iter(bytes, key.as_bytes()).filter_map(|place| {
                let start =
                    place + key.len() + bytes[place + key.len()..].iter().position(|b| *b == b'"')? + 1;
                bytes[start..].starts_with(word.as_bytes()).then_some(start)
            });
            (at, found.collect::<Vec<usize>>())
        };
        let (nodes, jobs) = (named("nodes."), named("jobs"));
        let nodes = places(nodes, "\"state\"", "free\"");
        let jobs = places(jobs, "\"job_state\"", "Q\"");
        Self { files, nodes, jobs }
    }

    /// Toggles the state of a vnode.
    pub(crate) fn turn_node(&mut self, nth: usize) {
        let (file, places) = &self.nodes;
        let at = places[nth % places.len()];
        let word = &mut self.files[*file].1[at..at + 4];
        let other = if word == b"free" { b"down" } else { b"free" };
        word.copy_from_slice(other);
    }

    /// Holds or ends a waiting job, or makes it wait again.
    pub(crate) fn turn_job(&mut self, nth: usize) {
        let (file, places) = &self.jobs;
        let letter = &mut self.files[*file].1[places[nth % places.len()]];
        *letter = match *letter {
            b'Q' if nth.is_multiple_of(2) => b'H',
            b'Q' => b'F',
            _ => b'Q',
        };
    }

    /// Toggles one vnode and one job in a hundred.
    pub(crate) fn turn_one_in_a_hundred(&mut self, nth: usize) {
        for place in 0..self.nodes.1.len() / 100 {
            self.turn_node(nth + place * 97);
        }
        for place in 0..self.jobs.1.len() / 100 {
            self.turn_job(nth + place * 97);
        }
    }

    pub(crate) fn files(&self) -> Files {
        let mut files = Files::new("bench");
        for (name, bytes) in &self.files {
            files.insert(name, bytes.clone(), None);
        }
        files
    }
}
