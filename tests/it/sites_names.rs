//! Folders with any names, single files, pipes, several files.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot read its own files fails"
)]

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use qscope::cluster::Epoch;
use qscope::source::{Files, LoadOptions, ReadLimits, SchedLogSource, gather, load};

use crate::sites::{
    USUAL, cluster, described, folder, gathered, job, loaded, nodes_and_jobs, plain, row, said,
};

#[test]
fn natural_names_are_told_by_their_content() {
    let files = gathered(&[folder("natural-names")]);
    let snapshot = loaded(&files);
    assert_eq!(nodes_and_jobs(&snapshot), plain(USUAL));
    assert_eq!(
        (&*snapshot.server.name, snapshot.queues.len(), snapshot.scheduler.assumed),
        ("head", 1, false)
    );
    assert_eq!((snapshot.now, &*snapshot.now_source), (Epoch(1_772_445_912), "timestamp of pbsnodes.json"));
    assert_eq!(
        said(&snapshot, "taken-for"),
        [
            "pbsnodes.json: taken for nodes in JSON",
            "qstat-f.txt: taken for jobs in text",
            "qstat_Qf.out: taken for queues in text",
            "qstat -Bf.txt: taken for the server in text",
            "list-sched.txt: taken for schedulers in text",
            "sched_logs/20260302: taken for a log of the scheduler",
        ]
    );
    let history = said(&snapshot, "history");
    assert_eq!(
        history,
        [
            "accounting/20260302: found an accounting log; `qscope farm` reads it, and `qscope simulate` and `qscope when` \
             with --arrivals"
        ]
    );
    let unknown = said(&snapshot, "not-recognised");
    assert!(
        unknown.len() == 1
            && unknown[0].starts_with("2 files not recognised: README.md, letter.txt; no record of nodes"),
        "{unknown:?}"
    );
    assert!(
        matches!(&files.gathered().sched_log, Some(SchedLogSource::File(path)) if path.ends_with("sched_logs/20260302"))
    );
}

/// Queues and the server in files with other names are read together with nodes and jobs in files with the loader's
/// names; a second dump of the same objects is named as left aside.
#[test]
fn dumps_beside_those_with_the_loaders_names_are_seen() {
    let from = |name: &str| folder("natural-names").join(name);
    let into = tempfile::tempdir().unwrap();
    for (name, copy) in [
        ("pbsnodes.json", "nodes.json"),
        ("pbsnodes.json", "nodes-of-monday.json"),
        ("qstat-f.txt", "jobs.txt"),
        ("qstat_Qf.out", "qstat_Qf.out"),
        ("qstat -Bf.txt", "qstat -Bf.txt"),
    ] {
        fs::copy(from(name), into.path().join(copy)).unwrap();
    }
    let snapshot = loaded(&gathered(&[into.path().to_owned()]));
    assert_eq!((&*snapshot.server.name, snapshot.queues.len()), ("head", 1));
    assert!(said(&snapshot, "server-assumed").is_empty() && said(&snapshot, "queues-assumed").is_empty());
    let aside = snapshot.files.iter().find(|file| &*file.name == "nodes-of-monday.json").unwrap();
    assert_eq!(aside.unused.as_deref(), Some("nodes.json counts"));
}

/// Dumps that were copied out of a document are indented as a whole, headers included; the name of the file does not
/// matter.
#[test]
fn dumps_indented_as_a_whole_are_read() {
    let jobs = fs::read_to_string(folder("natural-names").join("qstat-f.txt")).unwrap();
    let nodes = "\
n1
     Mom = n1
     state = free
     resources_available.host = n1
     resources_available.ncpus = 4

n2
     Mom = n2
     state = free
     resources_available.host = n2
     resources_available.ncpus = 8
";
    let read = |indent: &str, names: [&str; 2]| {
        let into = tempfile::tempdir().unwrap();
        for (name, text) in names.iter().zip([nodes, &jobs]) {
            let text: String = text
                .split_inclusive('\n')
                .map(|line| if line == "\n" { line.to_owned() } else { format!("{indent}{line}") })
                .collect();
            fs::write(into.path().join(name), text).unwrap();
        }
        loaded(&gathered(&[into.path().to_owned()]))
    };
    let usual = read("", ["nodes.txt", "jobs.txt"]);
    assert!(usual.nodes.len() == 2 && !usual.jobs.is_empty());
    for indent in ["    ", "\t", "  "] {
        for names in [["nodes.txt", "jobs.txt"], ["a.out", "b.out"]] {
            let moved = read(indent, names);
            assert_eq!(
                (moved.nodes == usual.nodes, moved.jobs == usual.jobs),
                (true, true),
                "{indent:?} {names:?}"
            );
            let mentions =
                |code| said(&moved, code).join(" ").contains("removed the indentation of the whole text");
            assert!(mentions("text-tidied") || mentions("taken-for"), "{:?}", moved.diagnostics);
        }
    }
}

/// If some of a folder's dumps are compressed individually and others plain, all of them are read, and a plain one
/// takes precedence over a compressed one of the same objects.
#[test]
fn compressed_dumps_beside_plain_ones_are_read() {
    let from = |name: &str| fs::read(folder("natural-names").join(name)).unwrap();
    let into = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(into.path().join(name), bytes).unwrap();
    let packed = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    write("nodes.json", &from("pbsnodes.json"));
    write("jobs.txt", &from("qstat-f.txt"));
    write("queues.txt.gz", &packed(&from("qstat_Qf.out")));
    write("server.txt.gz", &packed(&from("qstat -Bf.txt")));
    let snapshot = loaded(&gathered(&[into.path().to_owned()]));
    assert_eq!((&*snapshot.server.name, snapshot.queues.len()), ("head", 1));
    assert!(said(&snapshot, "server-assumed").is_empty() && said(&snapshot, "queues-assumed").is_empty());
    write("server.txt", &from("qstat -Bf.txt"));
    let mut cut = packed(&from("qstat -Bf.txt"));
    cut.truncate(cut.len() / 2);
    write("server.txt.gz", &cut);
    let snapshot = loaded(&gathered(&[into.path().to_owned()]));
    assert!(said(&snapshot, "cut-short").is_empty(), "the plain one counts");
    fs::remove_file(into.path().join("server.txt")).unwrap();
    let snapshot = loaded(&gathered(&[into.path().to_owned()]));
    assert_eq!(said(&snapshot, "cut-short").len(), 1, "what ends in the middle is named");
}

/// A file with the name of a compressed dump that is not one is named; the other dumps are used.
#[test]
fn what_is_no_compressed_dump_is_named() {
    let from = |name: &str| fs::read(folder("natural-names").join(name)).unwrap();
    let into = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(into.path().join(name), bytes).unwrap();
    write("nodes.json", &from("pbsnodes.json"));
    write("jobs.txt", &from("qstat-f.txt"));
    write("jobs.txt.gz", b"no dump");
    write("queues.txt.gz", b"neither gzip nor text of a client");
    write("server.txt.gz", b"");
    // Misnamed, yet a dump.
    write("resvs.txt.gz", b"Resv ID: R1.head\nName = NULL\nreserve_state = RESV_CONFIRMED\n");
    let snapshot = loaded(&gathered(&[into.path().to_owned()]));
    let unread = |file: &str, why: &str| format!("{file}: cannot be read: {why}; the other dumps count");
    let told = said(&snapshot, "beside-unread");
    let expected = [
        unread("jobs.txt.gz", "it is not compressed"),
        unread("queues.txt.gz", "it is not compressed"),
        unread("server.txt.gz", "it is empty"),
    ];
    assert_eq!(told, expected);
    assert_eq!(snapshot.jobs.len(), 2);
}

#[test]
fn a_single_file_and_several_files_are_a_cluster() {
    let file = |name: &str| folder("natural-names").join(name);
    let jobs = cluster(&[file("qstat-f.txt")]);
    assert_eq!((jobs.jobs.len(), jobs.nodes.len(), &*jobs.title), (2, 0, "qstat-f.txt"));
    let both =
        cluster(&[file("pbsnodes.json"), file("qstat-f.txt"), file("qstat_Qf.out"), file("qstat -Bf.txt")]);
    let whole = row("natural-names");
    assert_eq!(
        described(&both).lines().filter(|line| !line.starts_with("scheduler")).count(),
        described(&whole).lines().count() - 1
    );
    assert_eq!(nodes_and_jobs(&both), nodes_and_jobs(&whole));
}

#[test]
fn standard_input_is_a_file_like_any_other() {
    let bytes = fs::read(folder("banner-json").join("qstat.log")).unwrap();
    let files = gather(&[PathBuf::from("-")], &mut &bytes[..], ReadLimits::default()).unwrap();
    let snapshot = loaded(&files);
    assert_eq!((snapshot.jobs.len(), &*snapshot.title), (2, "standard input"));
    assert_eq!(&*snapshot.now_source, "timestamp of standard input");
    let beside = gather(
        &[PathBuf::from("-"), folder("nodes-only").join("vnodes")],
        &mut &bytes[..],
        ReadLimits::default(),
    );
    assert_eq!(loaded(&beside.unwrap()).nodes.len(), 2);
}

#[test]
fn only_jobs_and_only_nodes_are_enough_to_read() {
    let jobs = row("jobs-only");
    assert_eq!((jobs.jobs.len(), jobs.nodes.len()), (2, 0));
    assert_eq!(
        job(&jobs, "13").comment.as_deref(),
        Some("Not Running: Insufficient amount of resource: ncpus (R: 24 A: 12 T: 16)")
    );
    assert_eq!(
        said(&jobs, "no-nodes"),
        ["nodes.json: not there; assumed no nodes: what needs them is not known (nor nodes.txt)"]
    );
    let nodes = row("nodes-only");
    assert_eq!((nodes.jobs.len(), nodes.nodes.len()), (0, 2));
    assert_eq!(said(&nodes, "no-jobs").len(), 1);
}

#[test]
fn one_script_stands_for_four_dumps() {
    let snapshot = row("print-server");
    assert_eq!(nodes_and_jobs(&snapshot), USUAL);
    let queue = snapshot.queues.iter().next().unwrap();
    assert_eq!((&*queue.name, queue.limits.entries.len()), ("workq", 2));
    assert_eq!(snapshot.server.default_queue.as_deref(), Some("workq"));
    assert_eq!((&*snapshot.scheduler.name, snapshot.scheduler.assumed), ("default", false));
    let id = snapshot.catalogue.id("ngpus").unwrap();
    assert!(!snapshot.catalogue.def(id).guessed);
    assert!(said(&snapshot, "two-servers").is_empty(), "a script does not name its server");
}

#[test]
fn banners_and_prompts_cost_no_record_in_text() {
    let snapshot = row("banner-text");
    assert_eq!(nodes_and_jobs(&snapshot), USUAL);
    let taken = said(&snapshot, "taken-for");
    assert!(
        taken[0]
            .starts_with("pbsnodes.txt: taken for nodes in text; skipped 4 lines above the first record: "),
        "{taken:?}"
    );
    assert!(taken[0].ends_with("and 2 lines of prompts or banners"), "{taken:?}");
    assert!(
        taken[1].ends_with(
            "skipped 1 line above the first record: `Welcome to head`, and 1 line of prompts or banners"
        ),
        "{taken:?}"
    );
}

#[test]
fn banners_cost_no_record_in_json() {
    let snapshot = row("banner-json");
    assert_eq!(nodes_and_jobs(&snapshot), plain(USUAL));
    assert_eq!(said(&snapshot, "json-text-before").len(), 2);
    assert_eq!(
        said(&snapshot, "json-text-after"),
        ["qstat.log@1861: expected the end of the file; left the text behind the object aside"]
            .map(|_| said(&snapshot, "json-text-after")[0].clone())
    );
}

#[test]
fn partitions_and_their_schedulers() {
    let files = gathered(&[folder("partitions")]);
    let load_for = |name: Option<&str>| {
        let options = LoadOptions { scheduler: name.map(str::to_owned), ..LoadOptions::default() };
        load(&files, &options).unwrap()
    };
    let snapshot = load_for(Some("big"));
    assert_eq!(&*snapshot.scheduler.name, "big");
    assert_eq!(snapshot.scheduler.partitions, ["p2".into()]);
    assert_eq!(snapshot.nodes.iter().nth(1).unwrap().partition.as_deref(), Some("p2"));
    assert_eq!(&*load_for(None).scheduler.name, "default");
}

#[test]
fn dsv_reads_like_text() {
    let snapshot = row("dsv");
    assert_eq!((snapshot.nodes.len(), snapshot.jobs.len()), (2, 2));
    assert_eq!(&*job(&snapshot, "12").title, "a|b");
    assert_eq!(job(&snapshot, "13").comment.as_deref(), Some("Not Running: a\\b"));
    assert_eq!(snapshot.nodes.iter().nth(1).unwrap().jobs.len(), 0);
    assert!(!format!("{snapshot:?}").contains("do-not-show"));
}

#[test]
fn tables_are_read_as_far_as_they_go_or_named() {
    let snapshot = row("tables");
    let ncpus = snapshot.catalogue.id("ncpus").unwrap();
    let n1 = snapshot.nodes.iter().next().unwrap();
    assert!(n1.available.get(ncpus).is_some() && n1.assigned.get(ncpus).is_some());
    assert_eq!(said(&snapshot, "degraded-nodes").len(), 1);
    assert_eq!(
        said(&snapshot, "wrong-command"),
        ["qstat.txt: found the table of plain `qstat`; expected what `qstat -f -t -F json` prints"]
    );
}

#[test]
fn history_is_not_the_queue() {
    let snapshot = row("history");
    assert_eq!(snapshot.jobs.len(), 2);
    let unused: Vec<_> =
        snapshot.files.iter().filter_map(|file| Some((&*file.name, file.unused.as_deref()?))).collect();
    assert_eq!(unused, [("qstat-xf.txt", "qstat-f.txt counts")]);
    // Alone it is enough: finished jobs are left out.
    let alone = cluster(&[folder("history").join("qstat-xf.txt")]);
    assert_eq!((alone.jobs.len(), said(&alone, "jobs-gone").len()), (2, 1));
}

#[test]
fn a_file_that_is_nothing_is_named_with_what_was_expected() {
    let files = gathered(&[folder("tables").join("qstat.txt")]);
    let error = load(&files, &LoadOptions::default()).unwrap_err().to_string();
    assert_eq!(
        error,
        "qstat.txt: neither nodes nor jobs; expected what `pbsnodes -av -F json` or `qstat -f -t -F json` prints; qstat.txt: found the table of plain `qstat`; expected what `qstat -f -t -F json` prints"
    );
}

#[test]
fn content_counts_more_than_the_loaders_own_names() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |from: &str, name: &str, to: &str| {
        fs::copy(crate::sites::folder(from).join(name), folder.path().join(to)).unwrap();
    };
    copy("torque-text", "pbsnodes.txt", "nodes.txt");
    copy("torque-text", "qstat-f.txt", "jobs.txt");
    let snapshot = cluster(&[folder.path().to_owned()]);
    assert_eq!((snapshot.nodes.len(), said(&snapshot, "torque").len()), (3, 1));
}

#[test]
fn a_folder_with_the_loaders_own_names_is_read_by_them_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(crate::sites::folder("nodes-only").join("vnodes"), folder.path().join("nodes.txt")).unwrap();
    fs::copy(crate::sites::folder("jobs-only").join("qstat.out"), folder.path().join("jobs.txt")).unwrap();
    fs::copy(crate::sites::folder("natural-names").join("qstat_Qf.out"), folder.path().join("other.out"))
        .unwrap();
    let files = Files::from_folder(folder.path()).unwrap();
    assert!(files.gathered().reported.is_empty());
    assert_eq!(loaded(&files).queues.iter().filter(|queue| !queue.assumed).count(), 0);
}

/// A table shows what is in use on each node, although no job dump has all of its jobs.
#[test]
fn the_cycle_over_a_node_table_starts_nothing_on_what_it_shows_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let table = "\
                                                        mem       ncpus   nmics   ngpus
vnode           state           njobs   run   susp      f/t        f/t     f/t     f/t   jobs
--------------- --------------- ------ ----- ------ ------------ ------- ------- ------- -------
n1              free                 1     1      0    56gb/64gb    8/16     0/0     0/0 12
n2              job-busy             1     1      0     0kb/64gb    0/16     0/0     0/0 14
";
    fs::write(folder.path().join("pbsnodes_avSj.out"), table).unwrap();
    let job = |id: u32, ncpus: u32| {
        format!(
            "Job Id: {id}.s\n    Job_Owner = ann@h\n    job_state = Q\n    queue = workq\n    Resource_List.ncpus = {ncpus}\n    Resource_List.select = 1:ncpus={ncpus}\n    Resource_List.place = pack\n    Resource_List.walltime = 01:00:00\n\n"
        )
    };
    fs::write(folder.path().join("jobs.txt"), format!("{}{}", job(20, 12), job(21, 8))).unwrap();
    fs::write(folder.path().join("now"), "1795226246\n").unwrap();
    let snapshot = cluster(&[folder.path().to_owned()]);
    let quirks = qscope::universe::Quirks::of(qscope::universe::Semantics::Observed);
    let run = qscope::cycle::run_cycle(std::sync::Arc::new(snapshot), quirks);
    assert_eq!(run.starts().count(), 1, "8 of 16 cpus are free");
}

/// A snapshot without a file of vnodes: its hosts are read, and what they do not show is stated.
#[test]
fn hosts_are_read_where_no_file_shows_vnodes() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("ctime", "1795226246\n");
    put("pbs.conf", "PBS_SERVER=head\n");
    put("sched_priv/sched_config", "strict_ordering: True ALL\n");
    let error = load(&gathered(&[folder.path().to_owned()]), &LoadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("taken while the server was down"), "{error}");
    let hosts = "n1\n     Mom = n1\n     state = free\n     resources_available.ncpus = 8\n     sharing = default_shared\n\n";
    put("node/pbsnodes_a.out", hosts);
    let snapshot = cluster(&[folder.path().to_owned()]);
    assert_eq!(snapshot.nodes.len(), 1);
    assert!(said(&snapshot, "hosts")[0].contains("vnodes, how they are shared"));
    put("node/pbsnodes_va.out", &format!("{hosts}{}", hosts.replace("n1", "n2")));
    let snapshot = cluster(&[folder.path().to_owned()]);
    assert_eq!((snapshot.nodes.len(), said(&snapshot, "hosts").len()), (2, 0));
}

/// A script of `qmgr` beside dumps with the loader's names counts for the objects of which there is no dump; what is found
/// in it is counted once, though it is read for several kinds of objects.
#[test]
fn a_script_beside_dumps_counts_for_what_they_lack() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put(
        "nodes.txt",
        "n1\n     Mom = n1\n     state = free\n     resources_available.ncpus = 4\n     sharing = default_shared\n\n",
    );
    put("jobs.txt", "");
    let limits = "max_run = [u:PBS_GENERIC=x]\n";
    put(
        "site.qmgr",
        &format!(
            "create queue fast\nset queue fast queue_type = Execution\nset queue fast Priority = 7\n\
             set queue fast enabled = True\nset queue fast started = True\nset queue fast {limits}\
             set server {limits}no such line\n"
        ),
    );
    let snap = qscope::source::load_folder(folder.path(), &qscope::source::LoadOptions::default()).unwrap();
    let queue = snap.queue_named("fast").expect("a queue of the script");
    assert_eq!(snap.queues[queue].priority, 7);
    for tally in snap.tallies.iter().filter(|tally| &*tally.file == "site.qmgr") {
        let is_of_it =
            |found: &&qscope::cluster::Diagnostic| found.code == tally.code && found.file == tally.file;
        assert_eq!(snap.diagnostics.iter().filter(is_of_it).count(), tally.count, "{}", tally.code);
    }
    let lines = snap.diagnostics.iter().filter(|found| found.code == "qmgr-line").count();
    assert_eq!(lines, 1, "{:?}", snap.diagnostics);
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_qscope"));
    let checked = program.arg("check").arg(folder.path()).output().unwrap();
    assert_eq!((checked.status.code(), checked.stderr.len()), (Some(1), 0), "{checked:?}");
}

/// What a shell prints for the terminal before JSON belongs to no dump.
#[test]
fn json_behind_terminal_escapes_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let json = "{\n \"timestamp\":1763700000,\n \"nodes\":{\n  \"n1\":{\n   \"Mom\":\"n1\",\n   \"state\":\"free\"\n  }\n }\n}\n";
    std::fs::write(folder.path().join("nodes.json"), format!("\x1b[?1034h{json}")).unwrap();
    std::fs::write(folder.path().join("jobs.json"), "{\"timestamp\":1763700000}\n").unwrap();
    let snap = qscope::source::load_folder(folder.path(), &qscope::source::LoadOptions::default()).unwrap();
    assert_eq!(snap.nodes.len(), 1, "{:?}", snap.diagnostics);
}
