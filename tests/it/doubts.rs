//! Answers for which the model has no certain rule: they are named with the cycle, and with each job that rests on
//! one.

use std::sync::Arc;

use qscope::cluster::SnapshotFact;
use qscope::cycle::{Run, run_cycle};
use qscope::explain::{Assumption, in_one_line, is_likely, rests_on};
use qscope::source::toml_form;
use qscope::universe::Quirks;

fn cycle(nodes: &str, queue: &str, policy: &str) -> Arc<Run> {
    let queue = format!("now = 1763700000\n{queue}");
    let snap = toml_form::read(Some(nodes), Some(&queue), Some(policy), None, "doubts").unwrap();
    Arc::new(run_cycle(Arc::new(snap), Quirks::default()))
}

fn node(name: &str, more: &str) -> String {
    format!("[[node]]\nname = \"{name}\"\navailable = {{ ncpus = 4, {more} }}\n")
}

/// Returns two hosts of two vnodes each.
fn hosts() -> String {
    ["g", "h"]
        .map(|host| ["0", "1"].map(|at| node(&format!("{host}{at}"), &format!("host = \"{host}\""))))
        .concat()
        .concat()
}

fn job(id: &str, select: &str, place: &str, more: &str) -> String {
    format!(
        "[[job]]\nid = \"{id}\"\nselect = \"{select}\"\nplace = \"{place}\"\nwalltime = \"01:00:00\"\n{more}\n"
    )
}

/// Returns the uncertain rules that a job's answer rests on.
fn rules(run: &Arc<Run>, name: &str) -> Vec<Assumption> {
    let found = rests_on(run, run.plan.snap.job_named(name).unwrap());
    found.into_iter().filter(|one| one.fact == SnapshotFact::Model).collect()
}

fn says(run: &Run, what: &str) -> bool {
    run.warnings.iter().any(|warning| warning.contains(what))
}

const BY_USE: &str = "[sched_config]\nnode_sort_key = [\"ncpus HIGH unused\"]\n";

#[test]
fn vnodes_sorted_by_use_on_shared_hosts_are_named_with_the_jobs_that_get_them() {
    let jobs = job("1", "1:ncpus=2", "free", "") + &job("2", "1:ncpus=64", "free", "");
    let run = cycle(&hosts(), &jobs, BY_USE);
    assert!(says(&run, "order of vnodes on hosts that have several"), "{:?}", run.warnings);
    let found = rules(&run, "1");
    let line = in_one_line(&found).unwrap();
    assert_eq!(
        line,
        "rests on: rule of the model assumed (order of vnodes on hosts that have several, under a node_sort_key \
         that reads use)"
    );
    assert!(!is_likely(&found), "nodes, and not the verdict");
    // It was refused before any node was examined.
    assert_eq!(rules(&run, "2"), []);
}

#[test]
fn a_cluster_with_a_rule_for_everything_rests_on_none_of_them() {
    let jobs = job("1", "1:ncpus=2", "free", "");
    for (nodes, policy) in [(hosts(), ""), (node("n0", "") + &node("n1", ""), BY_USE)] {
        let run = cycle(&nodes.replace(", }", " }"), &jobs, policy);
        assert_eq!((rules(&run, "1"), says(&run, "no certain rule")), (vec![], false));
    }
}

#[test]
fn the_host_used_last_is_in_no_dump() {
    let nodes = (node("n0", "") + &node("n1", "")).replace(", }", " }");
    let jobs = job("1", "1:ncpus=2", "pack", "") + &job("2", "1:ncpus=2", "free", "");
    let run = cycle(&nodes, &jobs, "[sched_config]\nsmp_cluster_dist = \"round_robin\"\n");
    assert!(says(&run, "host used last before this cycle"), "{:?}", run.warnings);
    assert_eq!((rules(&run, "1").len(), rules(&run, "2").len()), (1, 0));
}

#[test]
fn a_job_above_subjobs_that_start_in_this_cycle_is_only_likely_to_wait() {
    let nodes = node("n0", "").replace(", }", " }");
    let array = job("1[]", "1:ncpus=2", "free", "user = \"ann\"\narray = \"1-2\"");
    let whole = job("2", "1:ncpus=4", "free", "user = \"bob\"");
    // One running subjob is more than the soft limit, so that its array stands below the other job from then on.
    let policy = "[sched_config]\npreemptive_sched = true\n[server]\nmax_run_soft = \"[u:PBS_GENERIC=0]\"\n\
        [scheduler]\npreempt_prio = \"normal_jobs, server_softlimits\"\n";
    let found = |jobs: String, policy: &str| rules(&cycle(&nodes, &jobs, policy), "2");
    let above = found(array.clone() + &whole, policy);
    assert!(above.len() == 1 && is_likely(&above), "{above:?}");
    assert_eq!(found(array + &whole, ""), [], "none is preempted");
    assert_eq!(found(whole.clone() + &whole.replace('2', "3"), policy), [], "no subjob starts");
}

#[test]
fn an_estimate_in_sets_of_what_only_some_nodes_have_is_named() {
    let nodes = [("n0", "a = \"x\", ngpus = 1"), ("n1", "a = \"x\""), ("n2", "a = \"y\", ngpus = 1")]
        .map(|(name, has)| node(name, has))
        .concat();
    let jobs = job("1", "3:ncpus=4", "scatter", "") + &job("2", "1:ncpus=4:ngpus=1", "free", "");
    let policy = "[sched_config]\nstrict_ordering = true\n\
        resources = [\"ncpus\", \"ngpus\", \"host\", \"vnode\"]\nresource_unset_infinite = [\"ngpus\"]\n[server]\n\
        node_group_enable = true\nnode_group_key = [\"a\"]\n\
        [[resource]]\nname = \"a\"\ntype = \"string_array\"\nflag = \"h\"\n\
        [[resource]]\nname = \"ngpus\"\ntype = \"long\"\nflag = \"nh\"\n";
    let run = cycle(&nodes, &jobs, policy);
    assert!(says(&run, "sums of placement sets in simulations"), "{:?}", run.warnings);
    let planned = run.outcome(run.plan.snap.job_named("2").unwrap()).unwrap().estimate.is_some();
    assert_eq!((planned, rules(&run, "2").len(), rules(&run, "1").len()), (true, 1, 0));
}

#[test]
fn nodes_that_wake_up_are_named_where_the_server_may_wake_them() {
    let nodes = (node("n0", "") + &node("n1", "")).replace(", }", " }") + "state = \"sleep\"\n";
    let jobs = job("1", "1:ncpus=4", "free", "");
    let with = |on: bool| cycle(&nodes, &jobs, &format!("[server]\npower_provisioning = {on}\n"));
    assert!(says(&with(true), "nodes that are asleep") && !says(&with(false), "nodes that are asleep"));
}

/// A formula that cannot be evaluated counts as 0 and does not affect the order: the cycle states for how many jobs,
/// and why.
#[test]
fn formulas_without_a_value_are_named_with_the_cycle() {
    let jobs = job("1", "1:ncpus=2", "free", "") + &job("2", "1:ncpus=64", "free", "");
    for (formula, words) in [
        ("nosuch * 2 + ncpus", Some("2 of 2 waiting jobs: name 'nosuch' is not defined (1 is the first)")),
        ("1 / (ncpus - 64)", Some("1 of 2 waiting jobs: division by zero (2 is the first)")),
        ("10 ** 400", Some("2 of 2 waiting jobs: the result is not a finite number (1 is the first)")),
        ("ncpus + eligible_time", None),
    ] {
        let policy = format!("[scheduler]\njob_sort_formula = \"{formula}\"\n");
        let run = cycle(&hosts(), &jobs, &policy);
        let said = run.warnings.iter().find_map(|said| said.strip_prefix("job_sort_formula counts 0 for "));
        assert_eq!(said, words, "{formula}");
    }
}

#[test]
fn usage_that_counts_nothing_is_named_where_fair_share_is_on() {
    for (usage, on, words) in [
        ("nosuch * 2", true, Some("name 'nosuch' is not defined")),
        ("ncpus *", true, Some("formula, byte 7: found the end")),
        ("ncpus * walltime", true, None),
        ("nosuch * 2", false, None),
    ] {
        let policy = format!("[sched_config]\nfairshare_usage_res = \"{usage}\"\nfair_share = {on}\n");
        let run = cycle(&hosts(), &job("1", "1:ncpus=2", "free", ""), &policy);
        let said = run.warnings.iter().find(|said| said.starts_with("fairshare_usage_res counts 0"));
        assert_eq!(said.is_some(), words.is_some(), "{usage}: {said:?}");
        assert!(said.zip(words).is_none_or(|(said, words)| said.contains(words)), "{said:?}");
    }
}
