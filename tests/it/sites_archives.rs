//! Archives of `pbs_snapshot` and `pbs_diag`, both unpacked and packed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot read its own files fails"
)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use qscope::cluster::{Epoch, Severity};
use qscope::source::{LoadOptions, ReadLimits, SchedLogSource, gather, load};

use crate::sites::{USUAL, cluster, described, folder, job, loaded, nodes_and_jobs, plain, said};

/// When the examples were made, in seconds since 1970.
const BEGUN: i64 = 1_772_445_912;

/// The rows, and the name of the root in each.
const ROWS: [(&str, &str); 5] = [
    ("snapshot-19", "snapshot_20260302_11_05_12"),
    ("snapshot-22-basic", "snapshot_20260302_11_05_12"),
    ("snapshot-23", "snapshot_20260302_11_05_12"),
    ("snapshot-25-obf", "snapshot_20260302_11_05_12_obf"),
    ("diag-13", "pbs_diag_260302_110512"),
];

/// Collects all files below a folder, by their paths.
fn files_below(folder: &Path, under: &str, into: &mut Vec<(String, Vec<u8>)>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(Result::unwrap).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{under}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            files_below(&entry.path(), &format!("{name}/"), into);
        } else {
            into.push((name, fs::read(entry.path()).unwrap()));
        }
    }
}

/// Returns a packed archive of a row's root, each file a second newer than the previous one.
pub(crate) fn packed(row: &str, root: &str, compress: bool) -> Vec<u8> {
    let mut files = Vec::new();
    files_below(&folder(row).join(root), &format!("{root}/"), &mut files);
    let mut builder = tar::Builder::new(Vec::new());
    for (at, (path, bytes)) in files.iter().enumerate() {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mtime(u64::try_from(BEGUN).unwrap() + at as u64);
        header.set_mode(0o600);
        builder.append_data(&mut header, path, &bytes[..]).unwrap();
    }
    let tar = builder.into_inner().unwrap();
    if !compress {
        return tar;
    }
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&tar).unwrap();
    encoder.finish().unwrap()
}

fn in_file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

#[test]
fn an_archive_and_its_folder_are_one_cluster() {
    for (row, root) in ROWS {
        let unpacked = cluster(&[folder(row).join(root)]);
        let outer = cluster(&[folder(row)]);
        for (name, compress) in
            [("a.tgz", true), ("a.tar", false), ("a.tar.gz", true), ("misnamed.tar", true)]
        {
            let (_kept, path) = in_file(name, &packed(row, root, compress));
            let archive = cluster(&[path]);
            assert_eq!(described(&archive), described(&unpacked), "{row} {name}");
            assert_eq!((&*archive.title, &*unpacked.title), (root, root), "{row} {name}");
            assert_eq!(archive.zone, unpacked.zone, "{row} {name}");
        }
        assert_eq!(described(&outer), described(&unpacked), "{row}: one more folder above");
        let used = |snapshot: &qscope::cluster::Snapshot| {
            let used = snapshot.files.iter().filter(|file| file.is_used()).map(|file| file.name.to_string());
            used.collect::<Vec<_>>()
        };
        assert_eq!(used(&outer), used(&unpacked), "{row}");
    }
}

#[test]
fn a_full_snapshot_of_19_takes_json_and_its_own_time() {
    let snapshot = cluster(&[folder("snapshot-19")]);
    assert_eq!(nodes_and_jobs(&snapshot), plain(USUAL));
    assert_eq!(
        (snapshot.now, &*snapshot.now_source),
        (Epoch(BEGUN + 2), "timestamp of job/qstat_f_F_json.out")
    );
    assert_eq!((&*snapshot.zone, &*snapshot.zone_source), ("+01:00", "the archive's name and ctime"));
    assert_eq!(job(&snapshot, "12").started, Some(Epoch(1_772_445_660)));
    assert_eq!(snapshot.queues.len(), 1);
    assert!(!snapshot.policy.strict_ordering.prime && !snapshot.policy.assumed);
    let id = snapshot.catalogue.id("ngpus").unwrap();
    assert!(!snapshot.catalogue.def(id).guessed);
    // An editor's copy lies beside the file, and a secret elsewhere.
    assert!(snapshot.files.iter().all(|file| !file.name.contains("orig") && !file.name.contains("password")));
    let unused: Vec<&str> =
        snapshot.files.iter().filter(|file| !file.is_used()).map(|file| &*file.name).collect();
    assert!(unused.contains(&"node/pbsnodes_va.out") && unused.contains(&"job/qstat_f.out"), "{unused:?}");
}

#[test]
fn a_basic_snapshot_is_a_whole_reading_at_its_own_time() {
    let (_kept, path) = in_file("b.tgz", &packed("snapshot-22-basic", "snapshot_20260302_11_05_12", true));
    let snapshot = cluster(&[path]);
    assert_eq!(nodes_and_jobs(&snapshot), USUAL);
    // The jobs' file was written a second or more after the archive was begun.
    assert!((BEGUN..BEGUN + 20).contains(&snapshot.now.0), "{}", snapshot.now.0);
    assert_eq!(&*snapshot.now_source, "time of job/qstat_f.out");
    assert_eq!(&*snapshot.zone, "+01:00");
    // Unpacked by hand, the times of files are those of unpacking.
    let unpacked = cluster(&[folder("snapshot-22-basic")]);
    assert_eq!((unpacked.now, &*unpacked.now_source), (Epoch(BEGUN), "ctime of the archive"));
}

#[test]
fn where_there_is_an_array_the_text_with_subjobs_counts() {
    let snapshot = cluster(&[folder("snapshot-23")]);
    assert_eq!(job(&snapshot, "14[1]").array.as_ref().unwrap().index, Some(1));
    assert_eq!(snapshot.jobs.len(), 4);
    let used: Vec<&str> =
        snapshot.files.iter().filter(|file| file.is_used()).map(|file| &*file.name).collect();
    assert!(used.contains(&"job/qstat_tf.out"), "{used:?}");
    assert_eq!(
        said(&snapshot, "further-hosts"),
        ["archives of further hosts, not opened: snapshot_20260302_11_05_12/n9_snapshot.tgz"]
    );
}

#[test]
fn an_obfuscated_snapshot_takes_the_texts() {
    let snapshot = cluster(&[folder("snapshot-25-obf")]);
    assert_eq!(&*job(&snapshot, "12").user, "qWerTyuiop");
    let used: Vec<&str> =
        snapshot.files.iter().filter(|file| file.is_used()).map(|file| &*file.name).collect();
    assert!(used.contains(&"node/pbsnodes_va.out") && used.contains(&"job/qstat_f.out"), "{used:?}");
    assert_eq!(said(&snapshot, "obfuscated").len(), 1);
}

#[test]
fn a_diag_of_13_has_its_scheduler_in_a_script() {
    let snapshot = cluster(&[folder("diag-13")]);
    assert_eq!(nodes_and_jobs(&snapshot), USUAL);
    assert_eq!((&*snapshot.scheduler.name, snapshot.scheduler.assumed), ("default", false));
    assert_eq!(snapshot.server.version.as_deref(), Some("13.0.2"));
    // The script defines it as a resource of hosts; the server's own file does so too and comes first.
    assert!(snapshot.catalogue.id("ngpus").is_some());
}

#[test]
fn an_archive_comes_through_a_pipe_too() {
    let (row, root) = ("snapshot-22-basic", "snapshot_20260302_11_05_12");
    let bytes = packed(row, root, true);
    let files = gather(&[PathBuf::from("-")], &mut &bytes[..], ReadLimits::default()).unwrap();
    assert_eq!(described(&loaded(&files)), described(&cluster(&[folder(row)])));
}

#[test]
fn an_archive_cut_short_is_read_to_its_last_whole_record() {
    let (row, root) = ("snapshot-22-basic", "snapshot_20260302_11_05_12");
    let tar = packed(row, root, false);
    let start = tar.windows(3).position(|bytes| bytes == b"n2\n").unwrap();
    let (_kept, path) = in_file("cut.tar", &tar[..start + 60]);
    let snapshot = cluster(&[path]);
    let nodes: Vec<&str> = snapshot.nodes.iter().map(|node| &*node.name).collect();
    assert_eq!(nodes, ["n1"]);
    assert_eq!(
        said(&snapshot, "cut-short"),
        ["node/pbsnodes_va.out: the archive ends within it; read up to its last whole record"]
    );
    assert!(
        said(&snapshot, "archive-cut")[0].starts_with("cut: cut short; kept the "),
        "{:?}",
        said(&snapshot, "archive-cut")
    );
    // `check` answers that something was not read.
    let cut = ["cut-short", "archive-cut"]
        .map(|code| snapshot.reported(code).all(|one| one.severity == Severity::Error));
    assert_eq!(cut, [true, true]);
}

#[test]
fn two_clusters_in_one_archive_are_both_named() {
    let one = packed("diag-13", "pbs_diag_260302_110512", false);
    let other = packed("snapshot-22-basic", "snapshot_20260302_11_05_12", false);
    let both = [&one[..one.len() - 1024], &other[..]].concat();
    let (_kept, path) = in_file("both.tar", &both);
    let error = gather(&[path], &mut std::io::empty(), ReadLimits::default()).unwrap_err().to_string();
    assert!(
        error.contains("found 2 clusters")
            && error.contains("pbs_diag_260302_110512/")
            && error.contains("snapshot_20260302_11_05_12/"),
        "{error}"
    );
}

#[test]
fn a_bomb_is_refused_by_the_name_of_its_limit() {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    let zeros = vec![0_u8; 130 << 20];
    header.set_size(zeros.len() as u64);
    builder.append_data(&mut header, "s/node/pbsnodes_va.out", &zeros[..]).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&builder.into_inner().unwrap()).unwrap();
    let (_kept, path) = in_file("bomb.tgz", &encoder.finish().unwrap());
    let error = gather(&[path], &mut std::io::empty(), ReadLimits::default()).unwrap_err().to_string();
    assert!(
        error.contains("bomb.tgz: cannot be read: refused: ") && error.contains("`archive-ratio` is 1000"),
        "{error}"
    );
}

#[test]
fn empty_answers_beside_a_counting_server_are_a_failed_client() {
    let (row, root) = ("snapshot-22-basic", "snapshot_20260302_11_05_12");
    let mut files = Vec::new();
    files_below(&folder(row).join(root), "", &mut files);
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in &files {
        let to = folder.path().join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(&to, if path == "job/qstat_f.out" { &[][..] } else { bytes }).unwrap();
    }
    let snapshot = cluster(&[folder.path().to_owned()]);
    assert_eq!(
        said(&snapshot, "client-failed"),
        ["job/qstat_f.out: nothing in it, and the server counts 2 jobs: the client failed"]
    );
    for subject in ["server", "node", "job", "reservation", "scheduler"] {
        fs::remove_dir_all(folder.path().join(subject)).unwrap();
    }
    let files = gather(&[folder.path().to_owned()], &mut std::io::empty(), ReadLimits::default()).unwrap();
    let error = load(&files, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("taken while the server was down"), "{error}");
}

#[test]
fn of_the_logs_in_an_archive_the_newest_is_kept() {
    let (_kept, path) = in_file("a.tgz", &packed("snapshot-19", "snapshot_20260302_11_05_12", true));
    let files = gather(&[path], &mut std::io::empty(), ReadLimits::default()).unwrap();
    let Some(SchedLogSource::Content(log)) = &files.gathered().sched_log else { panic!("no log") };
    assert!(log.starts_with(b"03/02/2026"));
}
