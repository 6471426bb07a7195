//! `b` groups nodes by any resource that several nodes share a value of, such as a rack (console.md 2.4, 3).

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use qscope::console::action::Action;

use crate::console_cycle::{Stage, read};
use Action::{Toggle, ToggleMap, View2, View6};

/// Returns six nodes in two racks, each with its own serial number, all of one model; the rack is defined or guessed.
fn cluster(resources: &str) -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let node = |at: usize| {
        let rack = ["r1", "r2"][at % 2];
        format!(
            "[[node]]\nname = \"n{at}\"\navailable = {{ ncpus = 4, rack = \"{rack}\", serial = \"s{at}\", \
             model = \"m1\" }}\n"
        )
    };
    put("nodes.toml", &(1..=6).map(node).collect::<String>());
    put("policy.toml", resources);
    put(
        "queue.toml",
        "now = 1763700000\n[[queue]]\nname = \"workq\"\n[[job]]\nid = \"1\"\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"1:ncpus=8\"\nwalltime = \"1h\"\n",
    );
    let generation = read(folder.path(), 1);
    let mut stage = Stage::empty(120, 40, generation.snapshot.now);
    stage.load(generation);
    stage
}

#[test]
fn nodes_are_grouped_by_any_resource_that_puts_some_together() {
    let define = |name: &str| format!("[[resource]]\nname = \"{name}\"\ntype = \"string\"\nflag = \"h\"\n");
    for resources in [["rack", "serial", "model"].map(define).concat(), String::new()] {
        let mut stage = cluster(&resources);
        // The map of a decision.
        let map = |seen: &str| {
            seen.split("Nodes by ").nth(1).unwrap_or_default().split(' ').next().unwrap().to_owned()
        };
        stage.act(&[Action::StepForward]);
        let words: Vec<String> = (0..5).map(|_| map(&stage.act(&[ToggleMap]).see())).collect();
        assert_eq!(words, ["set", "host", "name", "rack", "bucket"], "{}", stage.see());
        let seen = stage.act(&[ToggleMap; 4]).see();
        assert!(seen.contains("rack=r1 ███ 3/3") && seen.contains("rack=r2"), "{seen}");
        // The map of all nodes.
        let title =
            |seen: &str| seen.lines().find(|line| line.starts_with('┏')).unwrap_or_default().to_owned();
        stage.act(&[View2]);
        let words: Vec<String> = (0..4)
            .map(|_| {
                let line = title(&stage.act(&[ToggleMap]).see());
                line.split_whitespace().skip_while(|word| *word != "by").nth(1).unwrap_or_default().to_owned()
            })
            .collect();
        assert_eq!(words, ["host", "name", "rack", "bucket"], "{}", stage.see());
        stage.act(&[ToggleMap, ToggleMap, ToggleMap]);
        let seen = stage.see();
        assert!(seen.contains("rack=r1") && seen.contains("rack=r2"), "{seen}");
        // The table, by the key and by the command.
        stage.act(&[Toggle]);
        let by_rack = |seen: &str| {
            let headings: Vec<&str> =
                seen.lines().filter(|line| line.contains(" 3 vnodes · rack=r")).collect();
            headings.len() == 2 && title(seen).contains("by rack")
        };
        assert!((0..9).any(|_| by_rack(&stage.act(&[ToggleMap]).see())), "{}", stage.see());
        assert!(!by_rack(&stage.act(&[ToggleMap]).see()), "{}", stage.see());
        stage.act(&[Action::Palette]).type_in("group rack").act(&[Action::Accept]);
        assert!(by_rack(&stage.see()), "{}", stage.see());
        // The calendar: the nodes of a rack one below the other.
        stage.act(&[View6]);
        assert!((0..5).any(|_| title(&stage.act(&[ToggleMap]).see()).contains("by rack")), "{}", stage.see());
        let seen = stage.see();
        let rows = ["n[1,3,5]", "n[2,4,6]"].map(|name| seen.lines().position(|line| line.contains(name)));
        assert!(rows[0].is_some() && rows[1].is_some(), "{seen}");
        assert!(!title(&stage.act(&[ToggleMap]).see()).contains(" by "), "{}", stage.see());
    }
}
