//! elim and esub run by a substitute for LSF, and the policy file that both read.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::ran::{folder_of, ran as run};

const NODES: &str = "[[node]]\nname = 'n[1-2]'\navailable = { ncpus = 8 }\n";
const QUEUE: &str = "now = 1763700000\n[[job]]\nid = '1'\ngroup = 'atlas'\nselect = '1:ncpus=1'\nstarted = '-01:00:00'\non = '(n1:ncpus=1)'\n[[job]]\nid = '2'\ngroup = 'atlas'\nselect = '1:ncpus=1'\nwalltime = '01:00:00'\n";
const POLICIES: &str =
    "class = 'group'\nunknown = 'reject'\n[classes]\natlas = 'relaxed'\nlhcb = 'exclusive'\n";

fn folder() -> TempDir {
    folder_of(&[("nodes.toml", NODES), ("queue.toml", QUEUE)])
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn elim_and_esub_keep_the_protocol_of_lsf() {
    let (cluster, beside) = (folder(), tempfile::tempdir().unwrap());
    let policies = beside.path().join("packing.toml");
    std::fs::write(&policies, POLICIES).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/farm/lsf/manager.sh");
    let output = Command::new("sh")
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_qscope"))
        .args([cluster.path(), &policies])
        .arg("2")
        .output()
        .unwrap();
    let lines = text(&output);
    let expected = [
        "line 2 packing_atlas 1 packing_lhcb 0",
        "line 2 packing_atlas 1 packing_lhcb 0",
        "elim 0",
        "elsewhere 99",
        "accepted LSB_SUB_RES_REQ=\"select[packing_lhcb == 0] order[-packing_atlas]\"",
        "accepted LSB_SUB_RES_REQ=\"select[(mem>100) && packing_lhcb == 0] order[-packing_atlas:ut] span[hosts=1]\"",
        "accepted LSB_SUB_RES_REQ=\"order[-packing_lhcb]\"",
        "accepted ",
        "rejected qscope: rejected: class cms by group; the site has atlas, lhcb",
        "orphan ended",
    ];
    assert_eq!(lines.lines().collect::<Vec<_>>(), expected, "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_policy_file_serves_both_and_is_written_by_farm() {
    let (cluster, beside) = (folder(), tempfile::tempdir().unwrap());
    let policies = beside.path().join("packing.toml");
    let (at, file) = (cluster.path().to_str().unwrap(), policies.to_str().unwrap());
    let farm =
        run(["farm", at, "--class", "group", "--pack", "atlas", "--ttl", "1h", "--write-policy", file]);
    assert!(farm.status.success(), "{farm:?}");
    assert_eq!(
        std::fs::read_to_string(&policies).unwrap(),
        "class = \"group\"\nevery = \"15s\"\n[classes]\n\"atlas\" = \"ttl:3600\"\n"
    );
    assert_eq!(text(&run(["elim", "n2", at, "--policy-file", file])), "1 packing_atlas 0\n");
    let esub = text(&run(["esub", "2", at, "--policy-file", file]));
    assert!(
        esub.contains("policy ttl:3600") && esub.contains("as one string: -R \"order[-packing_atlas]\""),
        "{esub}"
    );
    std::fs::write(&policies, POLICIES).unwrap();
    let pbs = text(&run(["esub", "--pbs", "--policy-file", file]));
    for line in [
        "create resource packing_lhcb type=long,flag=h",
        "create resource open_packing_lhcb type=boolean,flag=h",
        "node_sort_key: \"packing_atlas HIGH\" all",
        "atlas: :open_packing_lhcb=True",
        "lhcb: nothing",
        "resources_available.open_packing_lhcb = (packing_lhcb == 0)",
    ] {
        assert!(pbs.lines().any(|found| found == line), "{line}: {pbs}");
    }
    std::fs::write(&policies, "[classes]\natlas = 'tight'\n").unwrap();
    let wrong = run(["esub", "--lsf", "--policy-file", file]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("packing.toml: atlas: "), "{wrong:?}");
}
