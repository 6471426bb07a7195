//! Irregular dumps: each folder of `tests/cases/source` holds one irregularity, and `expected.txt` what is read from
//! it and what is reported about it. `BLESS=1` writes these files anew.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its own files fails")]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use qscope::cluster::{Epoch, Snapshot};
use qscope::source::{Files, LoadOptions, load};

/// Files that a case need not include.
const STOCK: [(&str, &str); 4] = [
    ("now", "1763700000\n"),
    (
        "nodes.txt",
        "n1\n     Mom = n1\n     state = free\n     resources_available.ncpus = 8\n     license = l\n\n",
    ),
    ("queues.txt", "Queue: workq\n    queue_type = Execution\n    enabled = True\n    started = True\n\n"),
    (
        "server.txt",
        "Server: s\n    server_state = Active\n    scheduling = True\n    default_chunk.ncpus = 1\n\n",
    ),
];

/// Codes of reports about files that nearly every case lacks, and which are not repeated in each.
const USUAL: [&str; 3] = ["sched-assumed", "sched-config-assumed", "no-jobs"];

/// Loads a case's folder, completed by the stock files.
fn load_case(folder: &Path) -> Result<Snapshot, String> {
    let mut files = Files::new("case");
    let own: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    for (name, text) in STOCK {
        let stem = name.split('.').next().unwrap();
        if !own.iter().any(|have| have.split('.').next() == Some(stem)) {
            files.insert(name, text, Some(Epoch(1_763_700_000)));
        }
    }
    for name in own.iter().filter(|name| *name != "expected.txt") {
        files.insert(name, fs::read(folder.join(name)).unwrap(), Some(Epoch(1_763_700_000)));
    }
    let options = LoadOptions::in_zone("UTC");
    load(&files, &options).map_err(|error| error.to_string())
}

/// Describes what was read, in a few lines.
fn describe(snapshot: &Snapshot) -> String {
    let mut out = String::new();
    let resources = |list: &qscope::cluster::ResourceList| {
        let all = list.by_name(&snapshot.catalogue).into_iter().map(|(id, value)| {
            format!("{}={}", snapshot.catalogue.name(id), value.show(snapshot.catalogue.kind(id)))
        });
        all.collect::<Vec<_>>().join(" ")
    };
    for node in &snapshot.nodes {
        write!(out, "node {} {} [{}]", node.name, node.states, resources(&node.available)).unwrap();
        if !node.assigned.is_empty() {
            write!(out, " assigned [{}]", resources(&node.assigned)).unwrap();
        }
        if !node.jobs.is_empty() {
            write!(out, " jobs {}", node.jobs.join(" ")).unwrap();
        }
        if let Some(comment) = &node.comment {
            write!(out, " comment {comment:?}").unwrap();
        }
        out.push('\n');
    }
    for queue in snapshot.queues.iter().filter(|queue| &*queue.name != "workq") {
        writeln!(out, "queue {} limits {:?}", queue.name, queue.limits.entries).unwrap();
    }
    for job in &snapshot.jobs {
        write!(out, "job {} {} {:?} {} in {}", job.name, job.state.letter(), job.title, job.user, job.queue)
            .unwrap();
        let select = job.select.as_ref().map_or("none", |select| &select.text);
        let place = job.place.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
        write!(out, " select {select} place {place} [{}]", resources(&job.requested)).unwrap();
        if let Some(rank) = job.queue_rank {
            write!(out, " rank {rank}").unwrap();
        }
        if let Some(started) = job.started {
            write!(out, " started {}", started.0).unwrap();
        }
        if let Some(estimate) = &job.estimate {
            write!(out, " estimate {:?}", estimate.start.map(|start| start.0)).unwrap();
        }
        if let Some(comment) = &job.comment {
            write!(out, " comment {comment:?}").unwrap();
        }
        out.push('\n');
    }
    for resv in &snapshot.reservations {
        let nodes = resv.nodes.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
        writeln!(
            out,
            "resv {} {:?}/{:?} running {} on {nodes}",
            resv.name,
            resv.state,
            resv.substate,
            resv.is_running()
        )
        .unwrap();
    }
    for said in snapshot.diagnostics.iter().filter(|said| !USUAL.contains(&said.code)) {
        writeln!(out, "{:?} {} {said}", said.severity, said.code).unwrap();
    }
    out
}

#[test]
fn every_irregularity_is_read_as_expected() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/source");
    let mut folders: Vec<_> = fs::read_dir(&all).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() >= 50);
    let mut wrong = Vec::new();
    for folder in folders {
        let got =
            load_case(&folder).map_or_else(|error| format!("{error}\n"), |snapshot| describe(&snapshot));
        let expected = folder.join("expected.txt");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&expected, &got).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != got {
            wrong.push(format!("{}: got\n{got}", folder.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
