//! Expected readings of the made-up sites: helpers for all tests of `tests/cases/sites`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot read its own files fails"
)]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use qscope::cluster::{Job, Snapshot};
use qscope::source::{Files, LoadOptions, ReadLimits, gather, load};

/// Returns the folder of a row.
pub(crate) fn folder(row: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/sites").join(row)
}

/// Gathers what a command line names; nothing comes through the pipe.
pub(crate) fn gathered(paths: &[PathBuf]) -> Files {
    gather(paths, &mut std::io::empty(), ReadLimits::default()).unwrap()
}

/// Loads files, with dates in the zone of the examples if no other is stated.
pub(crate) fn loaded(files: &Files) -> Snapshot {
    load(files, &LoadOptions::default()).unwrap()
}

/// Loads what a command line names.
pub(crate) fn cluster(paths: &[PathBuf]) -> Snapshot {
    loaded(&gathered(paths))
}

/// Loads the folder of a row.
pub(crate) fn row(name: &str) -> Snapshot {
    cluster(&[folder(name)])
}

/// Returns what was reported with this code, each with its file.
pub(crate) fn said(snapshot: &Snapshot, code: &str) -> Vec<String> {
    snapshot.diagnostics.iter().filter(|said| said.code == code).map(ToString::to_string).collect()
}

/// Returns the job of a name.
pub(crate) fn job<'s>(snapshot: &'s Snapshot, name: &str) -> &'s Job {
    let id = snapshot.job_named(name).unwrap_or_else(|| panic!("no job {name}"));
    snapshot.jobs.iter().nth(snapshot.jobs.enumerate().position(|(have, _)| have == id).unwrap()).unwrap()
}

/// Describes records, owners, resources and times in a few lines.
pub(crate) fn described(snapshot: &Snapshot) -> String {
    let mut out = String::new();
    let list = |list: &qscope::cluster::ResourceList| {
        let all = list.by_name(&snapshot.catalogue).into_iter().map(|(id, value)| {
            format!("{}={}", snapshot.catalogue.name(id), value.show(snapshot.catalogue.kind(id)))
        });
        all.collect::<Vec<_>>().join(" ")
    };
    for node in &snapshot.nodes {
        let jobs: Vec<&str> = node.jobs.iter().map(|job| &**job).collect();
        writeln!(
            out,
            "node {} {} [{}] used [{}] jobs {}",
            node.name,
            node.states,
            list(&node.available),
            list(&node.assigned),
            jobs.join(",")
        )
        .unwrap();
    }
    for job in &snapshot.jobs {
        let select = job.select.as_ref().map_or("?", |select| &*select.text);
        let nodes: Vec<&str> =
            job.exec_vnode.iter().flat_map(|exec| exec.parts().map(|part| &*part.vnode)).collect();
        writeln!(
            out,
            "job {} {} of {} in {}: {select} [{}] on {}",
            job.name,
            job.state.letter(),
            job.user,
            job.queue,
            list(&job.requested),
            nodes.join("+")
        )
        .unwrap();
    }
    for queue in &snapshot.queues {
        writeln!(
            out,
            "queue {} started {:?} limits {}",
            queue.name,
            queue.started,
            queue.limits.entries.len()
        )
        .unwrap();
    }
    writeln!(out, "server {} default_queue {:?}", snapshot.server.name, snapshot.server.default_queue)
        .unwrap();
    writeln!(out, "scheduler {} assumed {}", snapshot.scheduler.name, snapshot.scheduler.assumed).unwrap();
    out
}

/// The nodes and jobs that most rows contain.
pub(crate) const USUAL: &str = "\
node n1 free [arch=linux host=n1 mem=16gb ncpus=8 vnode=n1] used [mem=0kb ncpus=4] jobs 12.head
node n2 free [arch=linux host=n2 mem=16gb ncpus=8 vnode=n2] used [mem=0kb ncpus=0] jobs 
job 12.head R of ann in workq: 1:ncpus=4 [ncpus=4 walltime=3600] on n1
job 13.head Q of bob in workq: 3:ncpus=8 [ncpus=4 walltime=3600] on 
";

/// Returns the first lines of a description: nodes and jobs.
pub(crate) fn nodes_and_jobs(snapshot: &Snapshot) -> String {
    let text = described(snapshot);
    text.lines()
        .filter(|line| line.starts_with("node") || line.starts_with("job"))
        .fold(String::new(), |all, line| all + line + "\n")
}

/// Returns the same without zero sums, which JSON leaves out.
pub(crate) fn plain(text: &str) -> String {
    text.replace("mem=0kb ncpus=4", "ncpus=4").replace("mem=0kb ncpus=0", "")
}
