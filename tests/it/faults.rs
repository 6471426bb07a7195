//! Failures of the environment: a full disk, few descriptors, no inotify, little memory, a closed terminal, a device
//! error. Each is reported, nothing panics, and nothing is left half done.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Runs the program in a shell that first sets a limit.
fn limited(limit: &str, words: &[&str]) -> Output {
    let shell = format!("{limit}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &shell, env!("CARGO_BIN_EXE_qscope")]).args(words);
    command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap()
}

fn error_of(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!error.contains("panicked"), "{error}");
    error
}

#[test]
fn a_full_disk_is_named() {
    for words in
        [&["cycle", "samples/campus"][..], &["cycle", "samples/campus", "--json"], &["completions", "bash"]]
    {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
        command.args(words).current_dir(env!("CARGO_MANIFEST_DIR")).stdout(full).stderr(Stdio::piped());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        let error = error_of(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains("No space left on device"), "{words:?}: {error}");
    }
}

/// If a file cannot grow, the previous one stays, and no draft is left.
#[test]
fn a_file_that_cannot_be_written_leaves_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("cycle.html");
    fs::write(&page, "the last one").unwrap();
    // SIGXFSZ is ignored, so that the write fails with an error as on a full disk.
    let to = page.to_str().unwrap();
    let output = limited("trap '' XFSZ; ulimit -f 1", &["report", "samples/campus", "-o", to]);
    let error = error_of(&output);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("File too large"), "{error}");
    assert_eq!(fs::read_to_string(&page).unwrap(), "the last one");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn an_error_of_the_device_is_named_with_the_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/campus/nodes.json"),
        folder.path().join("nodes.json"),
    )
    .unwrap();
    // Reading the memory of a process at zero is an input/output error.
    std::os::unix::fs::symlink("/proc/self/mem", folder.path().join("jobs.json")).unwrap();
    let output = limited("true", &["cycle", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(error_of(&output).contains("jobs.json: cannot be read"), "{}", error_of(&output));
}

#[test]
fn sixteen_descriptors_are_enough() {
    for words in
        [&["cycle", "samples/campus"][..], &["board", "samples/campus"], &["doctor", "samples/campus"]]
    {
        let output = limited("ulimit -n 16", words);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{words:?}: {}", error_of(&output));
    }
    let text = String::from_utf8(limited("ulimit -n 16", &["doctor", "samples/campus"]).stdout).unwrap();
    assert!(text.contains("~ open files"), "{text}");
}

/// Without a descriptor for the kernel's events the files are polled, and the mode states that.
#[test]
fn without_inotify_files_are_polled() {
    let output = limited("ulimit -n 5", &["doctor", "samples/campus"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("poll 2 s, no inotify"), "{text}");
    assert!(text.contains("changes are noticed by checking the files"), "{text}");
}

/// Sixty thousand vnodes with hardly more memory than the dump itself needs: refused before anything is built from
/// them.
#[test]
fn the_need_of_memory_is_estimated_before_it_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let node = |at: usize| {
        format!("n{at:06}\n     Mom = n{at:06}\n     state = free\n     resources_available.ncpus = 8\n\n")
    };
    fs::write(folder.path().join("nodes.txt"), (0..60_000).map(node).collect::<String>()).unwrap();
    fs::write(folder.path().join("jobs.txt"), "").unwrap();
    let path = folder.path().to_str().unwrap();
    for words in [&["cycle", path][..], &["check", path], &["board", path]] {
        let started = Instant::now();
        let output = limited("ulimit -v 200000", words);
        let error = error_of(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains("60000 vnodes and jobs need about 194 MB of memory, and "), "{error}");
        assert!(error.contains(" MB are left (ulimit -v)"), "{error}");
        assert!(started.elapsed() < Duration::from_secs(20));
    }
    assert_eq!(limited("ulimit -v 2500000", &["cycle", path]).status.code(), Some(0));
}

/// A hundred arrays of ten thousand subjobs each, whose results a simulation keeps one by one.
#[test]
fn a_simulation_whose_subjobs_do_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let job = |at: usize| {
        format!(
            "[[job]]\nid = \"{at}\"\nuser = \"ann\"\nselect = \"1:ncpus=1\"\nwalltime = \"01:00:00\"\narray = \"0-9999\"\n"
        )
    };
    let jobs: String = (1..=100).map(job).collect();
    fs::write(folder.path().join("nodes.toml"), "[[node]]\nname = \"n1\"\navailable = { ncpus = 1 }\n")
        .unwrap();
    fs::write(
        folder.path().join("queue.toml"),
        format!("now = 1763700000\n[[queue]]\nname = \"workq\"\n{jobs}"),
    )
    .unwrap();
    let path = folder.path().to_str().unwrap();
    for (words, what) in [
        (
            &["simulate", path, "--until", "1763703600"][..],
            "1000000 subjobs need about 572 MB of memory, and ",
        ),
        (
            &["when", "1", path, "--threads", "2"],
            "1000000 subjobs, simulated 2 times at once, need about 1144 MB",
        ),
    ] {
        let output = limited("ulimit -v 500000", words);
        let error = error_of(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains(what), "{error}");
    }
}

/// If the reader goes away, the program ends without a message.
#[test]
fn a_pipe_that_is_closed_ends_the_program() {
    let shell = "\"$0\" cycle samples/campus | head -n 1";
    let output = Command::new("sh")
        .args(["-c", shell, env!("CARGO_BIN_EXE_qscope")])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert_eq!(error_of(&output), "");
}
