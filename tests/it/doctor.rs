//! `qscope doctor`, `config --print`, `man` and `completions`: the program's findings, and what packages ship with
//! it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn run(words: &[&str], home: &Path, variables: &[(&str, &str)]) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_qscope"))
        .args(words)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("XDG_CONFIG_HOME", home)
        .env("QSCOPE_ETC", home.join("etc"))
        .env("PBS_CONF_FILE", "/nowhere")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    (output, text)
}

fn configured(text: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("qscope")).unwrap();
    fs::write(home.path().join("qscope/config.toml"), text).unwrap();
    home
}

#[test]
fn every_layer_counts_more_than_the_one_before_and_is_named() {
    let home = configured("theme = \"mono\"\nascii = true\nmouse = false\n");
    fs::create_dir(home.path().join("etc")).unwrap();
    fs::write(home.path().join("etc/config.toml"), "theme = \"high-contrast\"\ncolor = \"never\"\n").unwrap();
    let (_, text) =
        run(&["config", "--print", "--json", "--poll", "5s"], home.path(), &[("QSCOPE_MOUSE", "true")]);
    let page: Value = serde_json::from_str(&text).unwrap();
    let of = |key: &str| {
        let rows = page["settings"].as_array().unwrap();
        let row = rows.iter().find(|row| row["key"] == key).unwrap();
        (row["values"][0].as_str().unwrap().to_owned(), row["source"].as_str().unwrap().to_owned())
    };
    let at = |file: &str| home.path().join(file).display().to_string();
    assert_eq!(of("color"), ("never".to_owned(), at("etc/config.toml:2")));
    assert_eq!(of("theme"), ("mono".to_owned(), at("qscope/config.toml:1")));
    assert_eq!(of("mouse"), ("true".to_owned(), "QSCOPE_MOUSE".to_owned()));
    assert_eq!(of("poll"), ("5s".to_owned(), "--poll".to_owned()));
    assert_eq!(page["problems"], serde_json::json!([]));
}

#[test]
fn clashing_keys_and_slips_are_problems_of_the_configuration() {
    let home = configured("colour = \"never\"\n[keys]\nquit = \"j\"\nqit = \"x\"\n");
    let (output, text) = run(&["config", "--print"], home.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    let file = home.path().join("qscope/config.toml").display().to_string();
    for (line, what) in [
        (1, "unknown key colour, did you mean `color`?"),
        (3, "j for quit is the key of down already"),
        (4, "no action qit, did you mean `quit`?"),
    ] {
        assert!(text.contains(&format!("problem: {file}:{line}: {what}")), "{text}");
    }
    let (output, text) = run(&["doctor"], home.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.contains("! cannot be used") && text.contains("j for quit is the key of down already"),
        "{text}"
    );
}

/// The example of the manual can be used as it stands.
#[test]
fn the_example_of_the_manual_has_no_problem() {
    let manual = include_str!("../../src/manual/console.md");
    let example = manual.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let home = configured(example);
    let (output, text) = run(&["config", "--print"], home.path(), &[]);
    assert!(output.status.success() && text.contains("ctrl-n") && !text.contains("problem:"), "{text}");
}

#[test]
fn the_doctor_names_what_is_missing_and_what_it_costs() {
    let home = configured("");
    let (output, text) =
        run(&["doctor", "samples/campus", "--json"], home.path(), &[("LANG", "C"), ("LC_ALL", "C")]);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let page: Value = serde_json::from_str(&text).unwrap();
    let checks = page["checks"].as_array().unwrap();
    let of = |name: &str| checks.iter().find(|check| check["name"] == name).unwrap();
    assert_eq!(of("terminal")["state"], "note");
    assert!(of("characters")["hint"].as_str().unwrap().contains("LANG=C.UTF-8"));
    assert!(of("changes")["found"].as_str().unwrap().contains("poll"));
    assert!(of("memory")["found"].as_str().unwrap().contains("MB"));
    assert_eq!(of("dumps")["found"], "32 vnodes, 29 jobs");
    for client in ["pbsnodes", "qstat", "qmgr", "pbs_rstat", "pbsfs"] {
        assert_eq!(of(client)["group"], "clients");
    }

    // A folder that others can write, and that lacks the scheduler's file.
    let folder = tempfile::tempdir().unwrap();
    fs::copy("samples/campus/nodes.json", folder.path().join("nodes.json")).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let (_, text) = run(&["doctor", folder.path().to_str().unwrap()], home.path(), &[]);
    assert!(text.contains("others can write it") && text.contains("no sched_config"), "{text}");
    let (output, text) = run(&["doctor", "/no/such"], home.path(), &[]);
    assert!(output.status.code() == Some(1) && text.contains("it is not there"), "{text}");
}

#[test]
fn completions_are_what_the_shell_reads() {
    let home = configured("");
    for shell in ["bash", "zsh", "fish"] {
        let (output, text) = run(&["completions", shell], home.path(), &[]);
        assert!(output.status.success());
        for word in ["why-node", "doctor", "no-estimate", "poll"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
        // Nothing of the script was made visible instead of being written.
        assert!(!text.contains(['␉', '␛', '\u{fffd}']), "{shell}");
        let file = home.path().join(shell);
        fs::write(&file, &text).unwrap();
        // A shell that is not here cannot check it.
        if let Ok(checked) = Command::new(shell).arg("-n").arg(&file).output() {
            assert!(checked.status.success(), "{shell}: {}", String::from_utf8_lossy(&checked.stderr));
        }
    }
}

#[test]
fn pages_of_the_manual_are_written_for_every_command() {
    let home = configured("");
    let folder = home.path().join("man1");
    let (output, text) = run(&["man", folder.to_str().unwrap()], home.path(), &[]);
    assert!(output.status.success(), "{text}");
    let pages = fs::read_dir(&folder).unwrap().count();
    assert!(text.contains(&format!("{pages} pages in")) && pages > 35, "{text}");
    let page = fs::read_to_string(folder.join("qscope-why.1")).unwrap();
    assert!(page.contains(".TH qscope-why 1") && page.contains("no\\-estimate"), "{page}");
    let (_, printed) = run(&["man", "--print", "why"], home.path(), &[]);
    let lines = |text: &str| text.trim().lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    assert_eq!(lines(&printed), lines(&page));
    assert_eq!(run(&["man", "--print", "nothing"], home.path(), &[]).0.status.code(), Some(2));
    // The second name of the program has a page of its own.
    let (_, second) = run(&["man", "--print", "qwhy"], home.path(), &[]);
    assert!(second.contains(".TH qwhy 1") && folder.join("qwhy.1").exists(), "{second}");
    let (alone, _) = run(&["man"], home.path(), &[]);
    assert!(String::from_utf8_lossy(&alone.stderr).contains("--print COMMAND"), "{alone:?}");
}

/// Of a file that is no TOML nothing counts, and nothing else is claimed.
#[test]
fn a_damaged_file_of_the_configuration_is_left_out_as_a_whole() {
    let home = configured("theme = \"mono\"\nascii = true\nfoo = [1\n");
    let (output, text) = run(&["config"], home.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("nothing of the file counts"), "{text}");
    let (_, text) = run(&["doctor"], home.path(), &[]);
    assert!(text.contains("nothing of the file counts") && !text.contains("the key is left out"), "{text}");
}
