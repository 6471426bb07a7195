//! Files and folders that others have prepared: links, pipes, devices, and folders that they own.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::collect::Site;

const OTHER: u32 = 65_534;

fn qscope(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    command
        .args(arguments)
        .env_remove("QSCOPE_PBS_BIN")
        .env_remove("PBS_HOME")
        .env("PBS_CONF_FILE", "/nowhere");
    command
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn pipe(path: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o666);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Returns whether the test can act as a second user.
fn is_root(test: &str) -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        use std::io::Write;
        let _said =
            writeln!(std::io::stderr(), "{test}: skipped, since it needs root to act for a second user");
    }
    root
}

fn collect(site: &Site, into: &Path) -> Output {
    qscope(&["collect", "--once", "--bin"]).arg(site.bin.path()).arg(into).output().unwrap()
}

/// Any file argument of any command may be a pipe or a device.
#[test]
fn no_argument_is_waited_for() {
    let home = TempDir::new().unwrap();
    let at = |name: &str| home.path().join(name).display().to_string();
    pipe(Path::new(&at("pipe")));
    pipe(Path::new(&at("pipe.toml")));
    symlink("/dev/zero", at("zero")).unwrap();
    symlink("/proc/self/pagemap", at("map")).unwrap();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/why");
    for (file, found) in [
        ("pipe", "found a named pipe"),
        ("pipe.toml", "found a named pipe"),
        ("zero", "found a device"),
        ("map", "found a file of the kernel's own making"),
    ] {
        let path = at(file);
        for arguments in [vec!["farm", &*path], vec!["capacity", sample, "--types", &*path]] {
            let output = qscope(&arguments).output().unwrap();
            assert!(!output.status.success(), "{arguments:?}");
            assert!(said(&output).contains(found), "{arguments:?}: {}", said(&output));
        }
    }
    // Traces in a folder: a pipe with the name of a log is not one.
    pipe(Path::new(&at("20260302")));
    assert!(!qscope(&["farm", &home.path().display().to_string()]).output().unwrap().status.success());
}

/// A private file in place of any file of a folder: none of its content is on the page for tickets.
#[test]
fn what_is_not_what_it_claims_is_not_quoted() {
    let home = TempDir::new().unwrap();
    let other = "root:$6$SECRET$SECRET/SECRET:19000:0:99999:7:::\nalice:SECRET:1:2\n-----BEGIN SECRET KEY-----\npassword = \"SECRET\nmachine SECRET login SECRET\n";
    fs::write(home.path().join("private"), other).unwrap();
    let campus = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/campus");
    let names = [
        "nodes.json",
        "nodes.txt",
        "nodes.toml",
        "jobs-t.json",
        "queues.json",
        "server.json",
        "sched.txt",
        "resources.txt",
        "resvs.txt",
        "sched_config",
        "holidays",
        "dedicated_time",
        "resource_group",
        "usage",
        "fairshare.txt",
        "maui.cfg",
        "elim.txt",
        "now",
        "policy.toml",
        "queue.toml",
        "extra.toml",
    ];
    for name in names {
        let folder = home.path().join(format!("with-{name}"));
        fs::create_dir(&folder).unwrap();
        for entry in fs::read_dir(&campus).unwrap().map(Result::unwrap) {
            let replaced = ["nodes.txt", "nodes.toml"].contains(&name) && entry.file_name() == "nodes.json";
            if entry.file_name() != name && !replaced {
                fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
            }
        }
        symlink("../private", folder.join(name)).unwrap();
        for command in ["check", "board"] {
            let output = qscope(&[command]).arg(&folder).output().unwrap();
            let said = said(&output);
            assert!(!said.contains("SECRET") && !said.is_empty(), "{name}, {command}: {said}");
        }
    }
    let types = home.path().join("private").display().to_string();
    let output = qscope(&["capacity", &campus.display().to_string(), "--types", &types]).output().unwrap();
    assert!(said(&output).contains("line 1: ") && !said(&output).contains("SECRET"), "{}", said(&output));
}

#[test]
fn collecting_is_refused_in_folders_that_others_can_write_or_own() {
    let site = Site::new();
    let refused = |what: &str| {
        let output = collect(&site, site.into.path());
        assert!(!output.status.success() && said(&output).contains(what), "{}", said(&output));
        assert_eq!(fs::read_dir(site.into.path()).unwrap().count(), 0);
    };
    for mode in [0o1777, 0o775, 0o707] {
        chmod(site.into.path(), mode);
        refused("refused: others can write it");
    }
    chmod(site.into.path(), 0o700);
    if is_root("collecting in another's folder") {
        chown(site.into.path(), Some(OTHER), None).unwrap();
        refused("refused: it belongs to another user (65534)");
        chown(site.into.path(), Some(0), None).unwrap();
    }
    assert!(collect(&site, site.into.path()).status.success());
}

/// A second user prepares a folder in a place that all can write to; root collects there.
#[test]
fn what_a_second_user_has_planted_is_neither_written_nor_read() {
    if !is_root("links and pipes of a second user") {
        return;
    }
    let site = Site::new();
    let home = TempDir::new().unwrap();
    chmod(home.path(), 0o1777);
    let precious = site.bin.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    let script = format!(
        "umask 0; mkdir own; ln -s {} own/nodes.json; ln -s {} link; mkfifo own/.qscope-1-jobs.json",
        precious.display(),
        site.bin.path().display()
    );
    let planted =
        Command::new("/bin/sh").args(["-c", &script]).current_dir(home.path()).uid(OTHER).gid(OTHER).status();
    assert!(planted.unwrap().success());
    for (name, why) in [
        ("own", "belongs to another user (65534)"),
        ("link", "is a link that is not followed"),
        ("link/in", "is a link that is not followed"),
    ] {
        let output = collect(&site, &home.path().join(name));
        assert!(!output.status.success() && said(&output).contains(why), "{name}: {}", said(&output));
    }
    assert!(!site.bin.path().join("nodes.json").exists() && !site.bin.path().join("in").exists());

    // The same links and pipes in a folder of root's: replaced, and what they lead to stays.
    for (name, target) in
        [("nodes.json", Some(&precious)), ("jobs.json", None), (".qscope-1-jobs.json", Some(&precious))]
    {
        let path = site.into.path().join(name);
        target.map_or_else(|| pipe(&path), |target| symlink(target, &path).unwrap());
        lchown(&path, Some(OTHER), None).unwrap();
    }
    let output = collect(&site, site.into.path());
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    for name in ["nodes.json", "jobs.json"] {
        let facts = fs::symlink_metadata(site.into.path().join(name)).unwrap();
        assert!(facts.is_file() && facts.permissions().mode() & 0o777 == 0o600, "{name}");
    }
    assert!(!site.into.path().join(".qscope-1-jobs.json").exists());
    // The second user reads none of it.
    let mut look = Command::new("/bin/cat");
    let seen = look.arg(site.into.path().join("jobs.json")).uid(OTHER).gid(OTHER).output().unwrap();
    assert!(!seen.status.success());
}

/// An empty entry of PATH, or a relative one, does not run programs of the current folder.
#[test]
fn clients_of_the_current_folder_are_not_run() {
    let site = Site::new();
    let ran = site.bin.path().join("ran");
    site.client("pbsnodes", &format!("echo > {}", ran.display()));
    for path in ["", ":/no/such", ".:/no/such"] {
        let mut command = qscope(&["collect", "--once"]);
        let output =
            command.arg(site.into.path()).env("PATH", path).current_dir(site.bin.path()).output().unwrap();
        assert!(said(&output).contains("pbsnodes: in no absolute folder of the PATH"), "{}", said(&output));
        assert!(said(&output).contains("--bin FOLDER (or QSCOPE_PBS_BIN)"), "{}", said(&output));
        assert!(!ran.exists(), "{path}");
    }
}
