//! Text and JSON of the same state give the same snapshot, except for the losses listed here.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its own files fails")]

use std::fs;
use std::path::Path;

use qscope::cluster::{Job, Node, ResourceList, Snapshot};
use qscope::source::{Files, LoadOptions, load};

/// The permitted differences of the two forms: the object, the field, its value in JSON, and in text.
const LOSSES: [(&str, &str, &str, &str); 3] = [
    // A string that looks like a number is printed as one.
    ("cn011", "comment", "100000", "1e5"),
    ("cn012", "comment", "7", "007"),
    // Text shows control characters as ^X.
    ("180.pbs01", "comment", "\u{1b}[31mhi\u{1b}[0m", "^[[31mhi^[[0m"),
];

/// Loads the folder with the dumps of one form only.
fn load_form(left_out: &str) -> Snapshot {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/forms");
    let mut files = Files::new("forms");
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if !name.ends_with(left_out) || name == "resources.txt" {
            files.insert(&name, fs::read(entry.path()).unwrap(), None);
        }
    }
    load(&files, &LoadOptions::default()).unwrap()
}

/// Text prints zero sums that JSON leaves out.
fn without_zeros(list: &ResourceList) -> ResourceList {
    let mut kept = ResourceList::default();
    for (id, value) in list.iter().filter(|(_, value)| value.amount().is_none_or(|amount| amount.0 != 0.0)) {
        kept.set(id, value.clone());
    }
    kept
}

/// Returns a comment of the text form as it would be in JSON.
fn as_in_json(name: &str, comment: Option<&String>) -> Option<String> {
    let loss = LOSSES.iter().find(|(whose, field, ..)| *whose == name && *field == "comment");
    match (comment, loss) {
        (Some(text), Some((_, _, json, lost))) => {
            assert!(text.contains(lost), "{name}: the listed loss is gone; take it off the list");
            Some(text.replace(lost, json))
        }
        (text, _) => text.cloned(),
    }
}

fn comparable_node(node: &Node) -> Node {
    Node { assigned: without_zeros(&node.assigned), ..node.clone() }
}

#[test]
fn nodes_agree() {
    let (json, text) = (load_form(".txt"), load_form(".json"));
    assert_eq!(json.nodes.len(), text.nodes.len());
    for (a, b) in json.nodes.iter().zip(&text.nodes) {
        let b = Node { comment: as_in_json(&b.name, b.comment.as_ref()), ..comparable_node(b) };
        assert_eq!(comparable_node(a), b);
    }
}

#[test]
fn jobs_agree() {
    let (json, text) = (load_form(".txt"), load_form(".json"));
    assert_eq!(json.jobs.len(), text.jobs.len());
    for (a, b) in json.jobs.iter().zip(&text.jobs) {
        // The two dumps were printed a second apart.
        let b = Job {
            comment: as_in_json(&b.name, b.comment.as_ref()),
            eligible_time: a.eligible_time,
            ..b.clone()
        };
        assert_eq!(*a, b);
    }
}

#[test]
fn queues_server_and_resources_agree() {
    let (json, text) = (load_form(".txt"), load_form(".json"));
    assert_eq!(json.queues, text.queues);
    assert_eq!(json.server, text.server);
    assert_eq!(json.catalogue, text.catalogue);
    assert_eq!((json.now, json.zone), (text.now, text.zone));
}

#[test]
fn every_prefix_of_a_real_dump_is_read_without_a_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/forms");
    for name in ["nodes.json", "nodes.txt", "jobs.json", "jobs.txt"] {
        let whole = fs::read(folder.join(name)).unwrap();
        let mut files = Files::new("forms");
        files.insert("nodes.txt", "n1\n     Mom = n1\n     state = free\n\n", None);
        for end in (0..whole.len()).step_by(977) {
            files.insert(name, &whole[..end], None);
            let loaded = load(&files, &LoadOptions::default());
            assert!(loaded.is_ok() || name.starts_with("nodes"), "{name} up to {end}");
        }
    }
}
