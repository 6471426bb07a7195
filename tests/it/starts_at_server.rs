//! What becomes of a cycle's starts: one answer of the cycle, `why`, `try`, `when` and the simulation.

use std::fs;
use std::sync::Arc;

use qscope::cycle::{IdleCluster, Run, Verdict};
use qscope::explain::{ForecastSource, causes, decided, forecast, why};
use qscope::universe::Quirk;
use serde_json::Value;
use tempfile::TempDir;

use super::checked_claims::made;
use super::ran::ran;

const RESOURCES: &str = "[sched_config]\nresources = [\"ncpus\", \"mem\", \"host\", \"vnode\"]\n";

/// Returns the text of a job in a hand-written queue.
fn job(id: u32, select: &str, place: &str, hours: u32) -> String {
    format!(
        "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nselect = \"{select}\"\nplace = \"{place}\"\n\
         walltime = \"{hours:02}:00:00\"\n"
    )
}

fn runs(id: u32, select: &str, place: &str, hours: u32, on: &str) -> String {
    format!("{}started = \"-00:30:00\"\non = \"({on})\"\n", job(id, select, place, hours))
}

struct SmallCluster {
    policy: String,
    nodes: String,
    queue: String,
}

impl SmallCluster {
    fn run(&self) -> Arc<Run> {
        made(&self.policy, &self.nodes, &self.queue)
    }

    fn on_disk(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let queue = format!("now = 1763700000\n{}", self.queue);
        for (name, text) in
            [("policy.toml", &self.policy), ("nodes.toml", &self.nodes), ("queue.toml", &queue)]
        {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }
}

/// Returns a command's answer for programs.
fn answered(words: &[&str], folder: &TempDir) -> Value {
    let output = ran(words.iter().copied().chain([folder.path().to_str().unwrap(), "--json"]));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}: {output:?}"))
}

/// Returns one host of two vnodes, of which a running job has one exclusively, and a job that asks for a whole host.
fn half_a_host() -> SmallCluster {
    let vnode =
        |name: &str| format!("[[node]]\nname = \"{name}\"\navailable = {{ ncpus = 4, host = \"h1\" }}\n");
    let queue =
        runs(1, "1:ncpus=4", "scatter:excl", 2, "ha:ncpus=4") + &job(2, "1:ncpus=2", "free:exclhost", 1);
    SmallCluster { policy: RESOURCES.to_owned(), nodes: vnode("ha") + &vnode("hb"), queue }
}

/// The scheduler tests only the vnodes of the chunks and adds the rest of the host (rule 4.4); the server refuses the
/// start there (days rule 5).
#[test]
fn a_whole_host_is_refused_while_another_job_has_a_vnode_of_it() {
    let cluster = half_a_host();
    let run = cluster.run();
    let id = run.plan.snap.job_named("2").unwrap();
    let outcome = decided(&run, id).unwrap();
    assert_eq!((outcome.verdict, run.verdict(outcome)), (Verdict::Run, Verdict::NotNow));
    let [booking] = run.double_bookings() else { panic!("{:?}", run.double_bookings()) };
    assert_eq!((booking.first, booking.quirk), (run.plan.snap.job_named("1"), None));
    let found = why(&run, id);
    let end = "ha was held exclusively by 1 and given to 2 with the rest of its host";
    assert!(found.headline.ends_with(end), "{}", found.headline);
    let folder = cluster.on_disk();
    let cycle = answered(&["cycle"], &folder);
    let of_cycle = cycle["jobs"].as_array().unwrap().iter().find(|job| job["id"] == "2").unwrap();
    let keys = |job: &Value| {
        (job["verdict"].clone(), job["final_verdict"].clone(), job["refused_by_server"].clone())
    };
    let of_why = answered(&["why", "2"], &folder);
    assert_eq!(keys(of_cycle), ("run".into(), "not_now".into(), end.into()));
    assert_eq!(keys(of_cycle), keys(&of_why));
    assert_eq!(of_why["estimate"]["start"], 1_763_705_400, "{}", of_why["estimate"]);
    let simulated = answered(&["simulate", "--until", "1763700000"], &folder);
    assert_eq!(simulated["refused"], 1, "{simulated}");
    let tried =
        answered(&["try", "--as", "ann", "-l", "select=1:ncpus=2", "-l", "place=free:exclhost"], &folder);
    assert_eq!(tried["final_verdict"], "not_now", "{tried}");
}

/// The server starts an exclusive job on a node that jobs share and that it then over-assigns, as the real one did
/// (real cluster c02); the simulation does the same.
#[test]
fn the_simulation_starts_what_the_cycle_says_the_server_starts() {
    let sets = "[server]\nnode_group_enable = true\nnode_group_key = [\"switch\", \"router\"]\n\
        [[resource]]\nname = \"switch\"\ntype = \"string_array\"\nflag = \"h\"\n\
        [[resource]]\nname = \"router\"\ntype = \"string_array\"\nflag = \"h\"\n";
    let cluster = SmallCluster {
        policy: RESOURCES.to_owned() + sets,
        nodes:
            "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4, switch = [\"s1\"], router = [\"r1\"] }\n"
                .to_owned(),
        queue: job(1, "2:ncpus=2", "scatter", 1) + &job(2, "1:ncpus=4", "scatter:excl", 1),
    };
    let run = cluster.run();
    assert_eq!(run.starts().count(), 2);
    assert!(!run.double_bookings()[0].refused);
    let simulated = answered(&["simulate", "--until", "1763700000"], &cluster.on_disk());
    assert_eq!(simulated["refused"], 0, "{simulated}");
    let started = simulated["runs"][0][2].as_array().map(Vec::len);
    assert_eq!(started, Some(2), "{simulated}");
}

/// Quirk B4: with placement sets a top job's nodes stay free in the buckets of the sets.
#[test]
fn a_top_job_whose_nodes_are_given_away_is_not_promised_its_planned_start() {
    let sets = "strict_ordering = true\n[server]\nnode_group_enable = true\nnode_group_key = [\"switch\"]\n\
        backfill_depth = 1\n[[resource]]\nname = \"switch\"\ntype = \"string_array\"\nflag = \"h\"\n";
    let node = |name: &str, set: &str| {
        format!("[[node]]\nname = \"{name}\"\navailable = {{ ncpus = 4, switch = [\"{set}\"] }}\n")
    };
    let whole = "1:ncpus=4";
    let cluster = SmallCluster {
        policy: RESOURCES.to_owned() + sets,
        nodes: node("a[1-2]", "s1") + &node("b1", "s2"),
        queue: runs(1, whole, "scatter:excl", 1, "a1:ncpus=4")
            + &runs(4, whole, "scatter:excl", 9, "b1:ncpus=4")
            + &job(2, "2:ncpus=4", "scatter:excl", 2)
            + &job(3, whole, "scatter:excl", 8),
    };
    let run = cluster.run();
    let [top, late] = ["2", "3"].map(|name| run.plan.snap.job_named(name).unwrap());
    let [seen] = run.witnesses.as_slice() else { panic!("{:?}", run.witnesses) };
    assert_eq!((seen.quirk, seen.job, seen.delayed), (Quirk::CalendarNotInSets, late, Some(top)));
    assert_eq!(seen.what, "it has a2 beyond the planned start there of top job 2");
    let found = why(&run, top);
    let names_it =
        |text: &String| text.contains("planned for 05:10:00, but 3, considered after it, starts now on a2");
    assert!(found.banners.iter().any(names_it), "{:?}", found.banners);
    let starts = forecast(&run, top, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    let in_hours = starts.start.map(|at| (at - run.plan.snap.now).0 / 3600);
    assert_eq!((starts.source, in_hours), (ForecastSource::Forecast, Some(8)));
    assert_eq!(starts.overtaken_by.first().map(|by| &*by.job), Some("3"));
    assert_eq!(answered(&["cycle"], &cluster.on_disk())["quirks"][0]["quirk"], "calendar-not-in-sets");
}

/// Only waiting lets a job pass the threshold of the formula: no event asks for the cycle that starts it.
#[test]
fn a_job_passes_the_threshold_of_the_formula_by_waiting() {
    let formula = "[server]\neligible_time_enable = true\n[scheduler]\njob_sort_formula = \"eligible_time/3600\"\n\
        job_sort_formula_threshold = 10\n";
    let cluster = SmallCluster {
        policy: RESOURCES.to_owned() + formula,
        nodes: "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n".to_owned(),
        queue: runs(1, "1:ncpus=4", "free", 200, "n1:ncpus=4") + &job(2, "1:ncpus=1", "free", 2),
    };
    let folder = cluster.on_disk();
    let of_why = answered(&["why", "2"], &folder);
    // After ten hours and one more interval of the timer.
    assert_eq!(of_why["estimate"]["start"], 1_763_700_000 + 36_600, "{}", of_why["estimate"]);
    let of_when = String::from_utf8(ran(["when", "2", folder.path().to_str().unwrap()]).stdout).unwrap();
    assert!(of_when.contains("in 10h10"), "{of_when}");
}

/// A job that one cycle starts and undoes starts nothing: each answer has its cause.
#[test]
fn an_undone_start_is_no_start() {
    let run = super::turns::undone_for_good();
    let job = run.plan.snap.job_named("1").unwrap();
    let outcome = decided(&run, job).unwrap();
    assert_eq!(
        (outcome.verdict, run.verdict(outcome), run.is_start(outcome)),
        (Verdict::Run, Verdict::NotNow, false)
    );
    let found = causes(&run, job);
    assert_eq!((found[0].kind, found[0].brief.as_deref()), ("preempted", Some("requeued for 3")));
    let board = qscope::explain::board(&run);
    assert!(board.rows.iter().any(|row| row.jobs.contains(&job) && row.kind == "preempted"), "{board:?}");
}

#[test]
fn a_written_moment_shows_what_the_server_has_assigned() {
    let cluster = SmallCluster {
        policy: format!("{RESOURCES}[server]\nresources_available.ncpus = 4\n"),
        nodes: "[[node]]\nname = \"n[1-3]\"\navailable = { ncpus = 4 }\n".to_owned(),
        queue: runs(1, "1:ncpus=4", "free", 2, "n1:ncpus=4") + &job(2, "1:ncpus=2", "free", 1),
    };
    let folder = cluster.on_disk();
    let moment = tempfile::tempdir().unwrap();
    let at = moment.path().join("moment");
    let written = ran(["simulate", folder.path().to_str().unwrap(), "--stop-at", "1", at.to_str().unwrap()]);
    assert_eq!(written.status.code(), Some(0), "{written:?}");
    let server: Value = serde_json::from_slice(&fs::read(at.join("server.json")).unwrap()).unwrap();
    let servers = server["Server"].as_object().unwrap();
    assert_eq!(servers.values().next().unwrap()["resources_assigned"]["ncpus"], "4", "{server}");
    let output = ran(["cycle", at.to_str().unwrap(), "--json"]);
    let cycle: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of_cycle = cycle["jobs"].as_array().unwrap().iter().find(|job| job["id"] == "2").unwrap();
    assert_eq!(of_cycle["verdict"], "not_now", "{of_cycle}");
}

/// Returns four nodes, and an array of four subjobs that each take one whole.
fn array_of_four(walltime: u32) -> SmallCluster {
    let array =
        job(4, "1:ncpus=4", "scatter:excl", walltime).replace("id = \"4\"", "id = \"4[]\"\narray = \"1-4\"");
    SmallCluster {
        policy: RESOURCES.to_owned(),
        nodes: "[[node]]\nname = \"n[1-4]\"\navailable = { ncpus = 4 }\n".to_owned(),
        queue: array,
    }
}

/// Subjobs that start only on one side are lost or won starts, whatever becomes of the rest of their array.
#[test]
fn a_comparison_lists_the_starts_of_subjobs() {
    let folder = array_of_four(1).on_disk();
    let offline = ["--set", "node.n1.state=offline", "--set", "node.n2.state=offline"];
    let found = answered(&[&["compare"][..], &offline[..]].concat(), &folder);
    assert_eq!(found["effects"]["waits"], serde_json::json!(["4[3]", "4[4]"]), "{}", found["effects"]);
    assert_eq!(found["effects"]["starts"], serde_json::json!([]));
    assert_eq!(found["effects"]["moved"], serde_json::json!(["4[1]", "4[2]"]));
    let verdicts: Vec<&str> =
        found["jobs"]["verdict"].as_array().unwrap().iter().filter_map(|job| job["id"].as_str()).collect();
    assert!(verdicts.contains(&"4[3]") && verdicts.contains(&"4[4]"), "{verdicts:?}");
}

/// That a job can never run is part of its verdict: a setting that lets it run later changes it.
#[test]
fn a_comparison_has_the_final_verdict() {
    let cluster = SmallCluster {
        policy: RESOURCES.to_owned(),
        nodes: "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n".to_owned(),
        queue: runs(1, "1:ncpus=4", "free", 2, "n1:ncpus=4") + &job(2, "1:ncpus=5", "free", 1),
    };
    let folder = cluster.on_disk();
    let found = answered(&["compare", "--set", "node.n1.resources_available.ncpus=8"], &folder);
    let change = &found["jobs"]["verdict"][0];
    let verdicts = (&change["id"], &change["before"]["verdict"], &change["after"]["verdict"]);
    assert_eq!(verdicts, (&"2".into(), &"never".into(), &"not_now".into()), "{}", found["jobs"]);
}

/// Path and rules of an array that starts in part are those of its first turn.
#[test]
fn every_answer_has_the_same_decision_about_an_array() {
    let mut cluster = array_of_four(1);
    cluster.queue += "max_run_subjobs = 2\n";
    let folder = cluster.on_disk();
    let cycle = answered(&["cycle"], &folder);
    let of_cycle = cycle["jobs"].as_array().unwrap().iter().find(|job| job["id"] == "4[]").unwrap();
    let of_why = answered(&["why", "4[]"], &folder);
    for key in [
        "verdict",
        "final_verdict",
        "path",
        "would_use",
        "stopped_by_rule",
        "decided_by_rule",
        "turned_away_by",
    ] {
        assert_eq!(of_cycle[key], of_why[key], "{key}");
    }
    let order = answered(&["order"], &folder);
    let of_order = order["jobs"].as_array().unwrap().iter().find(|job| job["job"] == "4[]");
    assert!(of_order.is_none_or(|job| job["verdict"] == of_cycle["verdict"]), "{order}");
}

/// Without a group, `--as` has that of the user's jobs, as `try` has.
#[test]
fn windows_of_a_user_are_those_of_the_users_group() {
    let cluster = SmallCluster {
        policy: format!("{RESOURCES}[server]\nmax_run = \"[g:PBS_GENERIC=1]\"\n"),
        nodes: "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n".to_owned(),
        queue: "[[queue]]\nname = \"workq\"\n".to_owned()
            + &runs(1, "1:ncpus=1", "free", 2, "n1:ncpus=1")
                .replace("user = \"ann\"", "user = \"ann\"\ngroup = \"phys\""),
    };
    let folder = cluster.on_disk();
    let windows = |who: &str| {
        let found = answered(&["fits", "--as", who], &folder);
        found["fits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|fit| fit["windows"].as_array().unwrap().len())
            .sum::<usize>()
    };
    assert_eq!((windows("ann"), windows("ann:phys")), (0, 0));
    assert!(windows("ann:chem") > 0);
}

/// A job that is held for no reason the dump shows stays held in a simulation, as in every cycle.
#[test]
fn a_job_held_for_an_unknown_reason_stays_held() {
    let cluster = SmallCluster {
        policy: RESOURCES.to_owned(),
        nodes: "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n".to_owned(),
        queue: job(1, "1:ncpus=1", "free", 1),
    };
    let folder = cluster.on_disk();
    let words = ["simulate", "--set", "job.1.job_state=H", "--until", "1763700000"];
    let simulated = answered(&words, &folder);
    assert_eq!(simulated["jobs"][0]["state"], "H", "{simulated}");
}

#[test]
fn the_threshold_of_the_formula_can_be_unset() {
    let policy =
        format!("{RESOURCES}[scheduler]\njob_sort_formula = \"ncpus\"\njob_sort_formula_threshold = 10\n");
    let cluster = SmallCluster {
        policy,
        nodes: "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n".to_owned(),
        queue: job(1, "1:ncpus=1", "free", 1),
    };
    let folder = cluster.on_disk();
    let verdict = |words: &[&str]| answered(words, &folder)["jobs"][0]["final_verdict"].clone();
    assert_eq!(verdict(&["cycle"]), "not_considered");
    assert_eq!(verdict(&["cycle", "--set", "job_sort_formula_threshold="]), "run");
}

/// Whether a job can run at all does not depend on the jobs asked about before: nodes are sorted anew for each.
#[test]
fn the_idle_cluster_is_left_as_it_was() {
    let cluster = SmallCluster {
        policy: format!("{RESOURCES}node_sort_key = [\"ncpus HIGH unused\"]\n"),
        nodes: "[[node]]\nname = \"a\"\navailable = { ncpus = 2 }\n[[node]]\nname = \"b\"\navailable = { ncpus = 8 }\n"
            .to_owned(),
        queue: job(1, "2:ncpus=2", "scatter", 1),
    };
    let run = cluster.run();
    let mut idle = IdleCluster::of_all(&run.universe());
    let before = idle.state.mark();
    assert!(idle.consider(run.plan.snap.job_named("1").unwrap()).placed.is_some());
    assert_eq!(idle.state.mark(), before);
}
