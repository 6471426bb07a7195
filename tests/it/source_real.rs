//! Dumps of a live server, in both forms: what is reported about them, what the forms lose, and what an ordinary user
//! does not see. `BLESS=1` writes the list of reports anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::sync::{Arc, LazyLock};

use qscope::cluster::{Job, Node, ResourceList, Snapshot};
use qscope::cycle::run_cycle;
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;

use super::cases::{Pack, folder, unpacked};

type Dumps = BTreeMap<String, Vec<u8>>;

/// Returns the folders by name, each with everything the clients printed.
pub(crate) fn folders() -> &'static Pack {
    static FOLDERS: LazyLock<Pack> =
        LazyLock::new(|| unpacked(&fs::read(folder().join("dumps.gz")).unwrap()));
    &FOLDERS
}

/// The files that are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Both,
    Json,
    Text,
}

/// Loads a folder as it is, or with only one form of every dump; subjobs, which exist only as JSON, are then left out
/// of the text form.
fn load_form(name: &str, dumps: &Dumps, form: Form) -> Snapshot {
    let mut files = Files::new(name);
    let has_json = |name: &str| dumps.contains_key(&name.replace(".txt", ".json"));
    for (name, bytes) in dumps {
        let taken = match form {
            Form::Both => true,
            Form::Json => name != "jobs-t.json" && !(name.ends_with(".txt") && has_json(name)),
            Form::Text => !name.ends_with(".json"),
        };
        if taken {
            files.insert(name, bytes.clone(), None);
        }
    }
    let options = LoadOptions::in_zone("UTC");
    load(&files, &options).unwrap()
}

#[test]
fn what_is_said_is_what_the_list_says() {
    let mut said = String::new();
    for (name, dumps) in folders() {
        for form in [Form::Both, Form::Json, Form::Text] {
            let snapshot = load_form(name, dumps, form);
            let (nodes, jobs) = (snapshot.nodes.len(), snapshot.jobs.len());
            writeln!(said, "{name} {form:?}: {nodes} vnodes, {jobs} jobs").unwrap();
            for diagnostic in &snapshot.diagnostics {
                writeln!(said, "  {:?} {} {diagnostic}", diagnostic.severity, diagnostic.code).unwrap();
            }
        }
    }
    let list = folder().join("dumps.txt");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&list, &said).unwrap();
    }
    assert_eq!(said, fs::read_to_string(&list).unwrap());
}

/// Values of the text form and of JSON: text shows control characters as ^X, and JSON loses the spelling of texts
/// that look like numbers.
const COMMENTS: [(&str, &str, &str); 3] = [
    ("cn011", "100000", "1e5"),
    ("cn012", "7", "007"),
    ("180.pbs01", "\u{1b}[31mhi\u{1b}[0m", "^[[31mhi^[[0m"),
];

fn as_in_json(name: &str, comment: Option<&String>) -> Option<String> {
    let lost = COMMENTS.iter().find(|(whose, ..)| *whose == name);
    comment.map(|text| lost.map_or_else(|| text.clone(), |(_, json, lost)| text.replace(lost, json)))
}

/// Text prints zero sums that JSON leaves out.
fn without_zeros(list: &ResourceList) -> ResourceList {
    let mut kept = ResourceList::default();
    let counts = |value: &qscope::cluster::Value| value.amount().is_none_or(|amount| amount.0 != 0.0);
    list.iter().filter(|(_, value)| counts(value)).for_each(|(id, value)| kept.set(id, value.clone()));
    kept
}

#[test]
fn text_and_json_are_the_same_but_for_the_losses() {
    for (name, dumps) in folders() {
        let (json, text) = (load_form(name, dumps, Form::Json), load_form(name, dumps, Form::Text));
        let node = |node: &Node| Node { assigned: without_zeros(&node.assigned), ..node.clone() };
        for (a, b) in json.nodes.iter().zip(&text.nodes) {
            let b = Node { comment: as_in_json(&b.name, b.comment.as_ref()), ..node(b) };
            assert_eq!(node(a), b, "{name}");
        }
        for (a, b) in json.jobs.iter().zip(&text.jobs) {
            // The two were printed a second apart.
            let (eligible_time, used) = (a.eligible_time, a.used.clone());
            let comment = as_in_json(&b.name, b.comment.as_ref());
            assert_eq!(*a, Job { comment, eligible_time, used, ..b.clone() }, "{name}");
        }
        assert_eq!((json.nodes.len(), json.jobs.len()), (text.nodes.len(), text.jobs.len()), "{name}");
        assert_eq!((&json.queues, &json.server), (&text.queues, &text.server), "{name}");
        assert_eq!((&json.catalogue, &json.reservations), (&text.catalogue, &text.reservations), "{name}");
        assert_eq!((json.now, &json.scheduler), (text.now, &text.scheduler), "{name}");
    }
}

/// Attributes that only managers see.
const MANAGERS: [&str; 11] = [
    "schedselect",
    "euser",
    "egroup",
    "queue_rank",
    "accrue_type",
    "resources_released",
    "resource_released_list",
    "Port",
    "pbs_version",
    "in_multivnode_host",
    "maintenance_jobs",
];

/// Returns the dumps as an ordinary user would have them, in one form.
fn as_ordinary(dumps: &Dumps, form: Form) -> Dumps {
    let mut seen = dumps.clone();
    for (name, bytes) in &mut seen {
        if !name.starts_with("nodes") && !name.starts_with("jobs") {
            continue;
        }
        if name.ends_with(".json") && form == Form::Json {
            let mut dump: serde_json::Value =
                serde_json::from_str(&String::from_utf8_lossy(bytes).replace("\\u0000", "")).unwrap();
            for section in ["nodes", "Jobs"] {
                let Some(records) = dump.get_mut(section).and_then(|section| section.as_object_mut()) else {
                    continue;
                };
                for record in records.values_mut() {
                    MANAGERS
                        .iter()
                        .for_each(|name| drop(record.as_object_mut().unwrap().shift_remove(*name)));
                }
            }
            *bytes = serde_json::to_vec(&dump).unwrap();
        } else if name.ends_with(".txt") {
            *bytes = without_lines(bytes);
        }
    }
    seen
}

/// Removes the attributes' lines, with their continuation lines.
fn without_lines(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut skips = false;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let name = line.trim_ascii_start().split(|byte| matches!(byte, b' ' | b'.')).next().unwrap();
        let is_fold = line.starts_with(b"\t");
        skips = if is_fold { skips } else { MANAGERS.iter().any(|manager| manager.as_bytes() == name) };
        if !skips {
            kept.extend_from_slice(line);
        }
    }
    kept
}

/// Returns the outcome of every job: its verdict, and whether it is placed.
fn verdicts(snapshot: Snapshot) -> BTreeMap<String, String> {
    let snapshot = Arc::new(snapshot);
    let run = run_cycle(snapshot.clone(), Quirks::default());
    let told = run.outcomes().map(|outcome| {
        let name = format!("{}{:?}", snapshot.jobs[outcome.job].name, outcome.subjob);
        (name, format!("{} {:?}", outcome.verdict.word(), outcome.placed.is_some()))
    });
    told.collect()
}

#[test]
fn an_ordinary_user_gets_the_same_verdicts_or_the_doubt_is_named() {
    for (name, dumps) in folders() {
        for form in [Form::Json, Form::Text] {
            let all = load_form(name, dumps, form);
            let seen = load_form(name, &as_ordinary(dumps, form), form);
            let doubt = seen.diagnostics.iter().find(|said| said.code == "ordinary-user");
            let message = doubt.map(|said| said.message.clone()).unwrap_or_default();
            for attribute in ["schedselect", "euser", "queue_rank"] {
                let count = seen.jobs.iter().filter(|job| job.derived.contains(&attribute)).count();
                assert_eq!(count, seen.jobs.len(), "{name} {form:?}: {attribute}");
                assert!(count == 0 || message.contains(&format!("{attribute} of {count} jobs")), "{message}");
            }
            let doubts_groups = seen.diagnostics.iter().any(|said| said.code == "group-unknown");
            assert_eq!(doubts_groups, name == "c06-limits", "{name} {form:?}");
            let (all, seen) = (verdicts(all), verdicts(seen));
            let differ: Vec<_> = all.iter().filter(|(job, told)| seen.get(*job) != Some(told)).collect();
            assert!(differ.is_empty() || doubts_groups, "{name} {form:?}: {differ:?} against {seen:?}");
        }
    }
}
