use super::*;

#[test]
fn roots_are_found_by_what_lies_in_them() {
    let tree = |paths: &[&str]| DiagnosticTree::of(paths).unwrap();
    let found = tree(&["snapshot_1/ctime", "snapshot_1/node/pbsnodes_va.out"]).unwrap();
    assert_eq!((found.shape, &*found.root), (DiagnosticTool::Snapshot, "snapshot_1/"));
    let found = tree(&["a/b/pbs.conf", "a/b/server/qstat_Bf.out"]).unwrap();
    assert_eq!((found.shape, &*found.root), (DiagnosticTool::Snapshot, "a/b/"));
    let found = tree(&["ctime", "job/qstat_f.out"]).unwrap();
    assert_eq!((found.shape, &*found.root), (DiagnosticTool::Snapshot, ""));
    let found = tree(&["pbs_diag_1/pbsnodes_va.out", "pbs_diag_1/qstat_f.out"]).unwrap();
    assert_eq!((found.shape, &*found.root), (DiagnosticTool::Diag, "pbs_diag_1/"));
    let flat = ["d/pbs.conf", "d/pbsnodes_va.out", "d/sched_priv/sched_config"];
    assert_eq!(tree(&flat).unwrap().shape, DiagnosticTool::Diag);
    // An archive cut before the marks at its end.
    let cut = ["s/node/pbsnodes_a.out", "s/node/pbsnodes_va.out", "s/server/qstat_Bf.out"];
    let found = tree(&cut).unwrap();
    assert_eq!((found.shape, &*found.root), (DiagnosticTool::Snapshot, "s/"));
    assert!(tree(&["ctime", "notes.txt"]).is_none());
    assert!(tree(&["a/b/c/d/pbsnodes_va.out"]).is_none());
    let two = DiagnosticTree::of(&["a/pbsnodes_va.out", "b/pbsnodes_va.out"]).unwrap_err();
    assert_eq!(two, ["a/", "b/"]);
}

#[test]
fn files_stand_for_inputs_in_order() {
    let tree = DiagnosticTree {
        shape: DiagnosticTool::Snapshot,
        root: "s/".to_owned(),
        name: String::new(),
        is_obfuscated: false,
    };
    assert_eq!(tree.places("s/node/pbsnodes_va.out"), [TreeFileRole::Input(Nodes, 1)]);
    assert_eq!(
        tree.places("s/server/qmgr_ps.out"),
        [TreeFileRole::Input(Queues, 2), TreeFileRole::Input(Server, 1), TreeFileRole::Input(Resources, 2)]
    );
    assert_eq!(tree.places("s/sched_priv/usage"), [TreeFileRole::Native("usage")]);
    assert_eq!(tree.places("s/sched_priv/usage.bak"), []);
    assert_eq!(tree.places("s/sched_logs/20260302"), [TreeFileRole::SchedLog]);
    assert_eq!(tree.places("s/node/pbsnodes_a.out"), [TreeFileRole::Input(Nodes, HOSTS)]);
    let obfuscated = DiagnosticTree { is_obfuscated: true, ..tree };
    assert_eq!(obfuscated.places("s/node/pbsnodes_avFjson.out"), [TreeFileRole::Input(Nodes, 4)]);
    assert!(obfuscated.is_of_further_host("s/n1_snapshot.tgz"));
}

#[test]
fn the_name_of_a_root_shows_the_moment() {
    let tree = |name: &str| {
        let tree = DiagnosticTree {
            shape: DiagnosticTool::Snapshot,
            root: String::new(),
            name: String::new(),
            is_obfuscated: false,
        };
        tree.named(name)
    };
    assert_eq!(tree("snapshot_20260302_10_05_12").named_moment(), Some(1_772_445_912));
    assert_eq!(tree("pbs_diag_260302_100512").named_moment(), Some(1_772_445_912));
    assert_eq!(tree("mine").named_moment(), None);
}

#[test]
fn secrets_are_never_read() {
    for path in [
        "s/server_priv/db_password",
        "s/server_priv/hooks/a.PY",
        "s/mom_priv/jobs/1.JB",
        "s/system/etc_hosts",
    ] {
        assert!(is_never_read(path), "{path}");
    }
    assert!(!is_never_read("s/server_priv/resourcedef"));
}
