//! What a bundle states about itself is true: it keeps what decisions rest on, is opened with the options that it was made
//! with, is marked where a dump was cut, and names what it leaves out.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use flate2::read::MultiGzDecoder;
use serde_json::Value;
use tempfile::TempDir;

use super::ran::ran as qscope;
use super::real;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn sample(name: &str) -> String {
    super::ran::sample(name).display().to_string()
}

/// A bundle, and what the command printed.
struct Bundled {
    folder: TempDir,
    printed: String,
}

impl Bundled {
    fn of(args: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("case.tar.gz");
        let mut all = vec!["bundle"];
        all.extend(args);
        all.extend(["-o", path.to_str().unwrap()]);
        let made = qscope(&all);
        assert!(made.status.success(), "{args:?}: {}", text(&made.stderr));
        Self { folder, printed: text(&made.stdout) }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("case.tar.gz")
    }

    fn readme(&self) -> String {
        let mut archive = tar::Archive::new(MultiGzDecoder::new(fs::File::open(self.path()).unwrap()));
        let entries = archive.entries().unwrap().map(Result::unwrap);
        let mut readme = entries.filter(|entry| entry.path().unwrap().ends_with("README"));
        let mut found = String::new();
        readme.next().unwrap().read_to_string(&mut found).unwrap();
        found.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns what a command prints about the bundle.
    fn answer(&self, args: &[&str]) -> String {
        answer(args, self.path().to_str().unwrap())
    }
}

fn answer(args: &[&str], folder: &str) -> String {
    text(&qscope([args, &[folder]].concat()).stdout)
}

/// Returns the verdict and the vnodes of every job of a cycle.
fn decisions(folder: &str, options: &[&str]) -> Vec<Value> {
    let output = qscope([&["cycle", folder, "--json"], options].concat());
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let jobs = found["jobs"].as_array().unwrap().iter();
    jobs.map(|job| serde_json::json!([job["id"], job["verdict"], job["exec_vnode"]])).collect()
}

#[test]
fn a_bundle_names_the_options_that_it_was_made_with() {
    let folder = sample("sets-36");
    for options in [&["--semantics", "fixed"][..], &["--quirk", "span-when-full=off"]] {
        let made = Bundled::of(&[&[&*folder], options].concat());
        let path = made.path();
        let path = path.to_str().unwrap();
        assert_eq!(decisions(path, options), decisions(&folder, options));
        let command = format!("Open it with: qscope FILE {}, or", options.join(" "));
        assert!(made.readme().contains(&command), "{}", made.readme());
        assert!(made.printed.contains(&format!("open it with {}", options.join(" "))), "{}", made.printed);
    }
    let made = Bundled::of(&[&folder, "--semantics", "fixed"]);
    let note = "note: the files were written with --semantics fixed: without these options, as here, verdicts may differ";
    assert!(made.answer(&["board"]).contains(note), "{}", made.answer(&["board"]));
    assert!(!made.answer(&["board", "--semantics", "fixed"]).contains("note:"));
    let json: Value = serde_json::from_str(&made.answer(&["board", "--json"])).unwrap();
    assert_eq!(json["made_with"], "--semantics fixed");
    let fixed = decisions(&folder, &["--semantics", "fixed"]);
    assert_ne!(fixed, decisions(&folder, &[]), "the sample shows the difference");
    assert!(Bundled::of(&[&folder]).readme().contains("Open it with: qscope FILE, or"));
}

/// The keys of placement sets that only `policy.toml` holds, and the clock moved on, stay.
#[test]
fn what_decisions_rest_on_is_kept() {
    for name in ["sets-36-sorted", "sets-8-sorted", "sets-unused"] {
        let folder = sample(name);
        let made = Bundled::of(&[&folder]);
        assert_eq!(decisions(made.path().to_str().unwrap(), &[]), decisions(&folder, &[]), "{name}");
    }
    let root = real::named("c04").on_disk();
    let before = root.path().join("before");
    let before = before.to_str().unwrap();
    let made = Bundled::of(&[before, "--at", "+2h"]);
    assert!(made.printed.contains("the cycle over it decides the same"), "{}", made.printed);
    assert!(!decisions(made.path().to_str().unwrap(), &[]).is_empty());
}

#[test]
fn an_option_that_no_bundle_holds_is_named() {
    let to = tempfile::tempdir().unwrap();
    let path = to.path().join("case.tar.gz");
    let campus = sample("campus");
    let refused = qscope(["bundle", &campus, "--policy", "FASTEST", "-o", path.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2));
    let why = text(&refused.stderr);
    assert!(why.contains("cannot hold an allocation policy") && why.contains("--policy"), "{why}");
    assert!(!path.exists());
    let folder = qscope(["bundle", &campus, "-o", to.path().to_str().unwrap()]);
    let why = text(&folder.stderr);
    assert!(why.contains(&format!("{}: is a folder", to.path().display())), "{why}");
}

/// `policies` answers the same about the bundle; where names are replaced, the options are left out and that is stated.
#[test]
fn what_policies_decide_on_is_kept_or_said_to_be_left_out() {
    for name in ["policies-f1", "policies-priority", "policies-nodesets", "policies-load"] {
        let folder = sample(name);
        let made = Bundled::of(&[&folder]);
        let jobs: Value = serde_json::from_slice(&qscope(["cycle", &folder, "--json"]).stdout).unwrap();
        for job in jobs["jobs"].as_array().unwrap() {
            let id = job["id"].as_str().unwrap();
            let policies = |folder: &str| -> Value {
                let found = qscope(["policies", id, folder, "--json"]);
                let mut found: Value = serde_json::from_slice(&found.stdout).unwrap();
                // What an answer rests on is another matter: no dump of queues is made of one that was assumed.
                found.as_object_mut().unwrap().retain(|key, _| !matches!(&**key, "rests_on" | "case"));
                found
            };
            assert_eq!(policies(made.path().to_str().unwrap()), policies(&folder), "{name} {id}");
        }
    }
    let hidden = Bundled::of(&[&sample("policies-f1"), "--anonymize"]);
    assert!(
        hidden.printed.contains("not in the bundle: 2 options of allocation policies"),
        "{}",
        hidden.printed
    );
    assert!(hidden.readme().contains("Not in it: 2 options of allocation policies"), "{}", hidden.readme());
}

/// A queue of dedicated time is one under its new name too, and a prefix that is the whole name of a queue does not
/// show that name.
#[test]
fn a_prefix_of_queue_names_is_replaced_with_them() {
    const NODE: &str = "n1\n     Mom = n1\n     state = free\n     resources_available.ncpus = 4\n";
    let queue = |name: &str| {
        format!("Queue: {name}\n    queue_type = Execution\n    enabled = True\n    started = True\n\n")
    };
    let job = |number: u8, queue: &str| {
        format!(
            "Job Id: {number}.srv\n    Job_Name = a\n    job_state = Q\n    queue = {queue}\n    \
             Resource_List.select = 1:ncpus=1\n    Resource_List.place = pack\n\n"
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("nodes.txt", NODE.to_owned()),
        ("queues.txt", queue("secretq") + &queue("workq")),
        ("jobs.txt", job(1, "secretq") + &job(2, "workq")),
        (
            "sched_config",
            "dedicated_prefix: secretq\nprimetime_prefix: p_\nnonprimetime_prefix: np_\n".to_owned(),
        ),
        ("dedicated_time", String::new()),
    ];
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let before = folder.path().to_str().unwrap();
    let made = Bundled::of(&[before, "--anonymize"]);
    assert!(!made.printed.contains("secretq"), "{}", made.printed);
    let mut archive = tar::Archive::new(MultiGzDecoder::new(fs::File::open(made.path()).unwrap()));
    let mut all = Vec::new();
    for entry in archive.entries().unwrap() {
        entry.unwrap().read_to_end(&mut all).unwrap();
    }
    let all = String::from_utf8(all).unwrap();
    assert!(!all.contains("secret") && all.contains("dedicated_prefix: window1"), "{all}");
    let verdicts =
        |folder: &str| -> Vec<Value> { decisions(folder, &[]).iter().map(|job| job[1].clone()).collect() };
    assert_eq!(verdicts(made.path().to_str().unwrap()), verdicts(before));
    assert_eq!(verdicts(before), ["run", "not_considered"]);
}

#[test]
fn the_bundle_of_a_cut_dump_is_cut_too() {
    let root = real::named("c04").on_disk();
    let before = root.path().join("before");
    let nodes = fs::read(before.join("nodes.json")).unwrap();
    fs::write(before.join("nodes.json"), &nodes[..9000]).unwrap();
    let before = before.to_str().unwrap();
    let made = Bundled::of(&[before]);
    assert!(made.printed.contains("warning: the dump of vnodes ended too soon"), "{}", made.printed);
    assert!(made.readme().contains("Incomplete: the dump of vnodes ended too soon"), "{}", made.readme());
    for answer in [answer(&["why", "54"], before), made.answer(&["why", "54"])] {
        assert!(answer.contains("54 can likely never run – "), "{answer}");
    }
}

/// The headline of a job in a reduced cluster counts fewer nodes.
#[test]
fn a_reduced_bundle_states_what_its_headline_was() {
    let root = real::named("c02").on_disk();
    let before = root.path().join("before");
    let made = Bundled::of(&[before.to_str().unwrap(), "--reduce", "36"]);
    assert!(made.printed.contains("36 has the verdict and cause that it had, now as “"), "{}", made.printed);
    assert!(made.printed.contains("” instead of “"), "{}", made.printed);
    assert!(!made.readme().contains("and the numbers"), "{}", made.readme());
}
