//! Reports what is not used of a script of `qmgr`, since a dump shows the same objects.

use super::Assigner;
use crate::intake::kind::IntakeKind;
use crate::record::DumpKind;
use qscope_engine::cluster::{deduplicated, first_names};

/// Objects of a script that are not used.
pub(super) struct LeftObjects {
    /// Index of the script among the entries.
    pub(super) entry: usize,
    pub(super) kind: DumpKind,
    /// Name of the file that is used instead.
    pub(super) instead: String,
}

/// Maximum number of names in a sentence.
const LISTED: usize = 5;

impl Assigner<'_> {
    /// Notes that another file is used for objects of a kind that a script has too.
    pub(super) fn leave_script(&mut self, entry: usize, kind: DumpKind, instead: &str) {
        if self.entries.get(entry).is_some_and(|entry| entry.kind == IntakeKind::Script) {
            self.left_objects.push(LeftObjects { entry, kind, instead: instead.to_owned() });
        }
    }

    /// Reports the objects of each script that are not used. A diagnostic tree has a dump beside every script.
    pub(super) fn report_left_objects(&mut self) {
        if self.tree.is_some() {
            return;
        }
        for (at, entry) in self.entries.iter().enumerate() {
            let left: Vec<&LeftObjects> = self.left_objects.iter().filter(|left| left.entry == at).collect();
            if left.is_empty() {
                continue;
            }
            let kinds: Vec<&str> = left.iter().map(|left| left.kind.object_words()).collect();
            let files: Vec<String> = deduplicated(left.iter().map(|left| left.instead.clone()));
            let (kinds, files) = (kinds.join(", "), first_names(&files, LISTED));
            let message = format!("{kinds} of this script not used, since another file has them: {files}");
            self.reported.note("script-unused", &entry.display_name, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Files, LoadOptions, load};

    /// Returns the names of queues, and what is reported about the script.
    fn read(more: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        put("nodes.json", r#"{"timestamp":100,"nodes":{"n1":{"Mom":"n1","state":"free"}}}"#);
        put("jobs.json", r#"{"timestamp":100,"Jobs":{}}"#);
        put("site.qmgr", "create queue q\nset queue q queue_type = Execution\nset server flatuid = True\n");
        more.iter().for_each(|(name, text)| put(name, text));
        let snapshot = load(&Files::from_folder(folder.path()).unwrap(), &LoadOptions::default()).unwrap();
        let queues = snapshot.queues.iter().map(|queue| queue.name.to_string()).collect();
        (queues, snapshot.reported("script-unused").map(ToString::to_string).collect())
    }

    #[test]
    fn what_a_dump_has_too_is_named() {
        assert_eq!(read(&[]), (vec!["q".to_owned()], vec![]));
        let queues = ("queues.json", r#"{"timestamp":100,"Queue":{"other":{"queue_type":"Execution"}}}"#);
        let expected =
            "site.qmgr: queues of this script not used, since another file has them: queues.json".to_owned();
        assert_eq!(read(&[queues]), (vec!["other".to_owned()], vec![expected]));
        let server = ("server.json", r#"{"timestamp":100,"Server":{"s":{"server_state":"Active"}}}"#);
        let (_, reported) = read(&[queues, server]);
        assert_eq!(reported.len(), 1);
        assert!(reported[0].ends_with(": queues.json, server.json"), "{reported:?}");
    }
}
