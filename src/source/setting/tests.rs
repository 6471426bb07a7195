use super::*;
use crate::toml_form;
use qscope_engine::cluster::{Amount, Arrangement, JobState, NodeState, Period, ResourceId};

const NODES: &str = r#"
[[node]]
name = "n[1-4]"
available = { ncpus = 8, mem = "16gb", switch = ["sw1"] }
[[node]]
name = "gpu.rack.1"
available = { ncpus = 8 }
"#;
const QUEUE: &str = r#"
now = 1763700000
[[queue]]
name = "workq"
[[queue]]
name = "big.mem"
[[job]]
id = "12"
user = "ann"
select = "1:ncpus=4"
walltime = "02:00:00"
[[job]]
id = "13"
user = "bob"
select = "2:ncpus=4+1:mem=1gb"
[[job]]
id = "14"
user = "bob"
select = "1:ncpus=4"
started = "-00:30:00"
on = "(n1:ncpus=4)"
"#;
const POLICY: &str = r#"
[[resource]]
name = "switch"
type = "string_array"
flag = "h"
[sched_config]
node_sort_key = ["sort_priority HIGH", "mem LOW"]
"#;

fn cluster() -> Snapshot {
    toml_form::read(Some(NODES), Some(QUEUE), Some(POLICY), None, "t").unwrap()
}

fn with(texts: &[&str]) -> Snapshot {
    let snap = cluster();
    snap.with(SettingEdits::read(texts, &snap).unwrap().edits())
}

fn error(text: &str) -> String {
    let error = SettingEdits::read(&[text], &cluster()).unwrap_err();
    assert!(error.text.get(error.span.clone()).is_some(), "{error:?}");
    error.what
}

#[test]
fn options_are_set_as_in_their_file() {
    let snap = with(&["strict_ordering=True prime", "sched_config.backfill_prime=true"]);
    assert!(*snap.policy.strict_ordering.get(Period::Prime));
    assert!(!*snap.policy.strict_ordering.get(Period::NonPrime));
    assert!(snap.policy.backfill_prime.prime && snap.policy.backfill_prime.non_prime);
}

#[test]
fn lines_that_accumulate_replace_the_file_and_then_add() {
    let keys = |texts: &[&str]| with(texts).policy.node_sort_key.prime.len();
    assert_eq!(keys(&[]), 2);
    assert_eq!(keys(&["node_sort_key=ncpus HIGH"]), 1);
    assert_eq!(keys(&["node_sort_key=ncpus HIGH", "node_sort_key=mem LOW", "node_sort_key=ncpus LOW"]), 3);
    assert_eq!(keys(&["node_sort_key="]), 0);
    assert_eq!(keys(&["node_sort_key=ncpus HIGH non_prime"]), 2);
    assert!(with(&["node_group_sort_key=ncpus LOW total"]).policy.node_group_sort_requested);
}

#[test]
fn attributes_of_everything_can_be_set() {
    let snap = with(&[
        "node_group_key=switch",
        "server.node_group_enable=True",
        "do_not_span_psets=True",
        "backfill_depth=7",
        "queue.big.mem.started=False",
        "queue.workq.resources_max.ncpus=16",
        "node.n[1-2].state=offline",
        "node.gpu.rack.1.resources_available.ncpus=64",
        "node.gpu.rack.1.resources_available.switch=sw1,sw2",
        "server.max_run_res.ncpus=[u:PBS_GENERIC=8]",
        "max_run=[o:PBS_ALL=3],[u:ann=1]",
        "default_chunk.mem=1gb",
    ]);
    assert!(snap.server.node_group_enable && snap.scheduler.do_not_span_psets);
    assert_eq!(snap.server.backfill_depth, Some(7));
    assert!(!snap.queues[snap.queue_named("big.mem").unwrap()].started);
    let offline = snap.nodes.iter().filter(|node| node.states.has(NodeState::Offline)).count();
    assert_eq!(offline, 2);
    let gpu = &snap.nodes[snap.node_named("gpu.rack.1").unwrap()];
    assert_eq!(gpu.available.amount(ResourceId::ncpus()), Some(Amount(64.0)));
    assert_eq!(snap.server.limits.entries.len(), 3);
}

#[test]
fn requests_bring_their_sums() {
    let snap = with(&[
        "job.12.Resource_List.select=3:ncpus=2",
        "job.12.Resource_List.place=scatter:excl",
        "job.12.Resource_List.walltime=1:00:00",
        "job.14.Resource_List.walltime=5:00:00",
        "job.13.job_state=H",
    ]);
    let job = &snap.jobs[snap.job_named("12").unwrap()];
    assert_eq!(job.requested.amount(ResourceId::ncpus()), Some(Amount(6.0)));
    assert_eq!(job.requested.amount(ResourceId::walltime()), Some(Amount(3600.0)));
    assert_eq!(job.place.as_ref().unwrap().arrangement, Arrangement::Scatter);
    assert_eq!(snap.jobs[snap.job_named("13").unwrap()].state, JobState::Held);
    let one = with(&["job.12.Resource_List.ncpus=2"]);
    assert_eq!(&*one.jobs[one.job_named("12").unwrap()].select.as_ref().unwrap().text, "1:ncpus=2");
}

#[test]
fn an_empty_value_takes_away() {
    let snap = with(&["node_group_key=switch", "node_group_key=", "node.n1.resources_available.mem="]);
    assert!(snap.server.node_group_key.is_empty());
    assert_eq!(snap.nodes[snap.node_named("n1").unwrap()].available.amount(ResourceId::mem()), None);
    let limited = with(&["max_run=[u:ann=1]", "max_run="]);
    assert!(limited.server.limits.is_empty());
}

#[test]
fn stars_mean_all() {
    let snap = with(&["job.*.Resource_List.walltime=600", "node.*.Priority=3", "queue.*.started=False"]);
    let short =
        snap.jobs.iter().filter(|job| job.requested.amount(ResourceId::walltime()) == Some(Amount(600.0)));
    assert_eq!(short.count(), 2);
    assert!(snap.nodes.iter().all(|node| node.priority == Some(3)));
    assert!(snap.queues.iter().all(|queue| !queue.started));
}

#[test]
fn what_is_so_already_is_no_edit() {
    let snap = cluster();
    let settings = SettingEdits::read(&["strict_ordering=False", "queue.workq.started=True"], &snap).unwrap();
    assert!(settings.edits().is_empty());
    assert_eq!(settings.words(), ["sched_config.strict_ordering=False", "queue.workq.started=True"]);
    let back = SettingEdits::read(&["backfill_depth=5", "backfill_depth=6"], &snap).unwrap();
    assert_eq!(back.edits().len(), 1);
}

#[test]
fn errors_report_what_is_wrong_and_what_is_meant() {
    for (text, expected) in [
        ("strict_ordering", "expected KEY=VALUE"),
        ("=3", "expected the name"),
        ("strict_odering=True", "did you mean `strict_ordering`?"),
        ("strict_ordering=maybe", "expected true or false"),
        ("sched_config.nod_sort_key=ncpus HIGH", "did you mean `node_sort_key`?"),
        ("node_sort_key=ncpus UP", "HIGH|LOW"),
        ("server.node_group_kee=switch", "did you mean `node_group_key`?"),
        ("node_group_key=swtich", "did you mean `switch`?"),
        ("scheduling=False", "server.scheduling or scheduler.scheduling"),
        ("backfill_depth=many", "expected a whole number"),
        ("backfill_depth=4294967297", "expected a whole number from 0 to 4294967295"),
        ("backfill_depth=-1", "expected a whole number from 0 to 4294967295"),
        ("backfill_depth=1e99", "expected a whole number from -9223372036854775808 to 9223372036854775807"),
        ("job.12.Resource_List.walltime=-1:00:00", "expected 0 or more"),
        ("preempt_prio=bogus", "found `bogus`; expected express_queue, "),
        ("preempt_order=XYZ", "found `XYZ`; expected letters of SCRD"),
        ("queue.workk.started=True", "no queue is called `workk`, did you mean `workq`?"),
        ("queue.workq=True", "expected queue.workq.ATTRIBUTE=VALUE"),
        ("queue.workq.startd=True", "did you mean `started`?"),
        ("queue.workq.started=perhaps", "expected True or False"),
        ("node.n9.state=offline", "no vnode is called `n9`"),
        ("node.n[1-9].state=offline", "no vnode is called `n5`"),
        ("node.n1.state=ofline", "did you mean `offline`?"),
        ("node.n1.sharing=never", "expected default_shared"),
        ("node.n1.resources_available=4", "node.n1.resources_available.ncpus=…"),
        ("node.n1.resources_available.ncpu=4", "did you mean `ncpus`?"),
        ("node.n1.resources_available.ncpus=four", "four"),
        ("node.n1.queue=wrokq", "did you mean `workq`?"),
        ("noode.n1.state=offline", "did you mean `node`?"),
        ("state=offline", "node.NAME.state"),
        ("job.99.Priority=3", "no job is called `99`"),
        ("job.12.Resource_List.select=1:ncpu=4", "did you mean `ncpus`?"),
        ("job.12.Resource_List.select=1:ncpus=x", "ncpus"),
        ("job.12.Resource_List.place=everywhere", "everywhere"),
        ("job.12.Resource_List.place=group=swich", "did you mean `switch`?"),
        ("job.13.Resource_List.ncpus=4", "set Resource_List.select instead"),
        ("job.14.Resource_List.select=1:ncpus=1", "does not wait"),
        ("job.12.job_state=R", "expected Q, H or W"),
        ("job_sort_formula=ncpus +", "could be"),
        ("server.job_sort_formula=ncpus +", "expected"),
        ("max_run=[x:ann=1]", "expected u:, g:, p: or o:"),
        ("opt_backfill_fuzzy=much", "expected off, low"),
        ("job_sort_formula_threshold=high", "expected a number"),
    ] {
        assert!(error(text).contains(expected), "{text}: {}", error(text));
    }
}

#[test]
fn errors_point_at_the_place() {
    let error = SettingEdits::read(&["node.n1.resources_available.ncpu=4"], &cluster()).unwrap_err();
    assert_eq!(error.span, 28..32);
    let formula = SettingEdits::read(&["server.job_sort_formula=ncpus ) 2"], &cluster()).unwrap_err();
    assert_eq!(formula.span, 30..31);
    assert!(formula.to_string().contains("\n                                ^ found"), "{formula}");
}

#[test]
fn keys_are_completed() {
    let snap = cluster();
    let first = |typed: &str| complete(typed, &snap).into_iter().next().unwrap_or_default();
    assert_eq!(first("strict_o"), "strict_ordering=");
    assert_eq!(first("que"), "queue.");
    assert_eq!(first("queue.b"), "queue.big.mem.");
    assert_eq!(first("queue.big.mem.st"), "queue.big.mem.started=");
    assert_eq!(first("node.gpu.rack.1.resources_av"), "node.gpu.rack.1.resources_available.");
    assert_eq!(first("node.n1.resources_available.sw"), "node.n1.resources_available.switch=");
    assert_eq!(first("job.12.Resource_List.wall"), "job.12.Resource_List.walltime=");
    assert_eq!(first("server.max_run_res.nc"), "server.max_run_res.ncpus=");
    assert!(complete("scheduling", &snap).iter().all(|key| key != "scheduling="));
    assert!(complete("", &snap).len() > 50);
}

/// After a key, the values that its reader accepts are offered: switches, words, names of the cluster; none if any
/// text is valid.
#[test]
fn values_are_completed() {
    let snap = cluster();
    let all = |typed: &str| complete(typed, &snap).join(" ");
    assert_eq!(all("strict_ordering="), "strict_ordering=True strict_ordering=False");
    assert_eq!(all("server.scheduling=f"), "server.scheduling=False");
    assert_eq!(all("node.n1.state=off"), "node.n1.state=offline");
    assert_eq!(all("smp_cluster_dist="), "smp_cluster_dist=pack smp_cluster_dist=round_robin");
    assert_eq!(all("node_group_key=sw"), "node_group_key=switch");
    assert_eq!(all("job_sort_key=job_p"), "job_sort_key=job_priority HIGH job_sort_key=job_priority LOW");
    assert_eq!(all("job_sort_key=ncpus h"), "job_sort_key=ncpus HIGH");
    assert_eq!(all("sched_config.node_sort_key=ncpus low u"), "sched_config.node_sort_key=ncpus LOW unused");
    assert_eq!(all("node_sort_key=ncpus HIGH"), "node_sort_key=ncpus HIGH");
    assert_eq!(
        all("node_group_sort_key=switch"),
        "node_group_sort_key=switch HIGH node_group_sort_key=switch LOW"
    );
    assert_eq!(all("job.12.Resource_List.place=sc"), "job.12.Resource_List.place=scatter");
    assert_eq!(all("job.12.Resource_List.place=pack:exclh"), "job.12.Resource_List.place=pack:exclhost");
    assert_eq!(all("server.comment="), "");
    assert_eq!(all("backfill_depth="), "");
    assert_eq!(all("no_such_key="), "");
}

#[test]
fn every_name_that_is_offered_can_be_set() {
    let snap = cluster();
    for stem in ["", "server.", "scheduler.", "sched_config.", "maui.", "queue.workq.", "node.n1.", "job.12."]
    {
        for key in complete(stem, &snap) {
            let text = if key.ends_with('.') { format!("{key}ncpus=") } else { key.clone() };
            let is_section = ["queue.", "node.", "job.", "reservation.", "server.", "scheduler.", "maui."]
                .contains(&key.as_str());
            if let Err(error) = SettingEdits::read(&[&text], &snap)
                && !is_section
            {
                let unknown = ["no option", "is not an", "is not a", "cannot be set"];
                assert!(!unknown.iter().any(|words| error.what.contains(words)), "{text}: {}", error.what);
            }
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_text_panics(text in "\\PC{0,24}", head in "(node|job|queue|server|sched_config|)[.]?", tail in "[=.\\[a-z0-9*]{0,12}") {
        let snap = cluster();
        let texts = [text.clone(), format!("{head}{tail}"), format!("{head}{text}{tail}")];
        for text in texts {
            let _keys = complete(&text, &snap);
            if let Err(error) = SettingEdits::read(&[&text], &snap) {
                proptest::prop_assert!(text.get(error.span.clone()).is_some());
                let _shown = error.to_string();
            }
        }
    }
}
