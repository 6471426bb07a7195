//! Tests every rule with a cluster in which it finds something and one in which it does not.

use std::sync::Arc;

use qscope_engine::cycle::{Run, run_cycle};
use qscope_engine::universe::Quirks;
use qscope_source::{Files, LoadOptions, load};

use super::rules;
use crate::TrialRun;
use crate::lint::{CostBasis, LintFinding, lint};

/// Changes to the sound cluster: a file and the text appended to it; a name ending in `=` replaces the file.
type Changes = &'static [(&'static str, &'static str)];

const SCHED_CONFIG: &str = "round_robin: False\tall\nby_queue: True\tprime\nby_queue: True\tnon_prime\n\
    strict_ordering: false\tALL\nbackfill_prime: false\tALL\nprime_exempt_anytime_queues: false\n\
    primetime_prefix: p_\nnonprimetime_prefix: np_\nnode_sort_key: \"sort_priority HIGH\"\tALL\n\
    provision_policy: \"aggressive_provision\"\nresources: \"ncpus, mem, arch, host, vnode, aoe, eoe\"\n\
    smp_cluster_dist: pack\nfair_share: false\tALL\nfairshare_usage_res: cput\nfairshare_entity: euser\n\
    fairshare_decay_time: 24:00:00\nfairshare_decay_factor: 0.5\npreemptive_sched: true\tALL\n\
    dedicated_prefix: ded\n";

fn base() -> Vec<(String, String)> {
    let node = |name: &str| {
        format!(
            "{name}\n     Mom = {name}\n     state = free\n     resources_available.host = {name}\n     \
             resources_available.mem = 8gb\n     resources_available.ncpus = 4\n     \
             resources_available.vnode = {name}\n     sharing = default_shared\n\n"
        )
    };
    let job = |id: u32, user: &str, ncpus: u32| {
        format!(
            "Job Id: {id}.s\n    Job_Owner = {user}@s\n    euser = {user}\n    egroup = staff\n    job_state = Q\n    \
             queue = workq\n    Priority = 0\n    project = p\n    eligible_time = 00:10:00\n    queue_rank = {id}\n    \
             Resource_List.ncpus = {ncpus}\n    Resource_List.nodect = 1\n    Resource_List.place = free\n    \
             Resource_List.select = 1:ncpus={ncpus}\n    Resource_List.walltime = 01:00:00\n    \
             schedselect = 1:ncpus={ncpus}\n\n"
        )
    };
    let queues = "Queue: workq\n    queue_type = Execution\n    enabled = True\n    started = True\n\n";
    let server = "Server: s\n    server_state = Active\n    scheduling = True\n    default_queue = workq\n    \
                  default_chunk.ncpus = 1\n    eligible_time_enable = True\n    pbs_version = 23.06.06\n";
    let sched = "Sched default\n    scheduling = True\n    preempt_prio = express_queue, normal_jobs\n";
    let files = [
        ("now", "1763700000\n".to_owned()),
        ("nodes.txt", ["n1", "n2", "n3", "n4"].map(node).concat()),
        ("jobs.txt", [job(1, "ann", 2), job(2, "bob", 2), job(3, "ann", 4)].concat()),
        ("queues.txt", queues.to_owned()),
        ("server.txt", server.to_owned()),
        ("sched.txt", sched.to_owned()),
        ("sched_config", SCHED_CONFIG.to_owned()),
        ("resources.txt", RESOURCES.to_owned()),
    ];
    files.map(|(name, text)| (name.to_owned(), text)).to_vec()
}

const RESOURCES: &str = "Resource switch\n    type = string_array\n    flag = h\n\n\
                         Resource ngpus\n    type = long\n    flag = hn\n\n\
                         Resource tokens\n    type = long\n    flag = hn\n\n";

fn made(changes: Changes) -> (Arc<Run>, Files) {
    let mut all = base();
    for (name, text) in changes {
        let (file, replaces) = name.strip_suffix('=').map_or((*name, false), |file| (file, true));
        match all.iter_mut().find(|(have, _)| have == file) {
            Some((_, have)) if replaces => (*text).clone_into(have),
            Some((_, have)) => have.push_str(text),
            None => all.push((file.to_owned(), (*text).to_owned())),
        }
    }
    let mut files = Files::new("t");
    for (name, text) in all {
        files.insert(&name, text, None);
    }
    let snap = load(&files, &LoadOptions::default()).unwrap();
    (Arc::new(run_cycle(Arc::new(snap), Quirks::default())), files)
}

fn findings(changes: Changes) -> Vec<LintFinding> {
    let (run, files) = made(changes);
    lint(&run, &files).findings
}

const QUEUE: &str = "Queue: other\n    queue_type = Execution\n    enabled = True\n    started = True\n";

/// A rule, changes after which it finds something, and changes after which it does not.
const CASES: &[(&str, Changes, Changes)] = &[
    (
        "obsolete-option",
        &[("sched_config", "help_starving_jobs: true all\n")],
        &[("sched_config", "# help_starving_jobs: true\n")],
    ),
    (
        "unknown-option",
        &[("sched_config", "by_queues: true all\n")],
        &[("sched_config", "max_job_check: 9\n")],
    ),
    (
        "unreadable-option",
        &[("sched_config", "node_sort_key: ncpus HIGH\n")],
        &[("sched_config", "node_sort_key: \"ncpus HIGH\"\n")],
    ),
    (
        "shadowed-option",
        &[("sched_config", "fair_share: false all\nstrict_ordering: true all\nstrict_ordering: false all\n")],
        &[("sched_config", "strict_ordering: true non_prime\nnode_sort_key: \"ncpus HIGH\" all\n")],
    ),
    (
        "never-non-prime",
        &[("sched_config", "strict_ordering: true non_prime\n")],
        &[
            ("sched_config", "strict_ordering: true non_prime\n"),
            ("holidays", "YEAR 2025\nweekday 0600 1800\n"),
        ],
    ),
    (
        "missing-prefix",
        &[("sched_config=", "dedicated_prefix: ded\nprimetime_prefix: p_\nresources: \"ncpus, mem\"\n")],
        &[("sched_config", "")],
    ),
    (
        "sort-forces-pack",
        &[("sched_config", "node_sort_key: \"ncpus HIGH unused\" all\nsmp_cluster_dist: round_robin\n")],
        &[("sched_config", "node_sort_key: \"ncpus HIGH unused\" all\n")],
    ),
    (
        "not-shipped-option",
        &[("sched_config", "node_group_sort_key: \"switch HIGH\" all\n")],
        &[("sched_config", "")],
    ),
    (
        "unused-fair-share",
        &[("sched_config", "fairshare_entity: egroup\n")],
        &[("sched_config", "fairshare_entity: egroup\nfair_share: true all\nunknown_shares: 10\n")],
    ),
    (
        "holidays-of-another-year",
        &[("holidays", "YEAR 2019\nweekday 0600 1800\n")],
        &[("holidays", "YEAR 2025\nweekday 0600 1800\n")],
    ),
    (
        "by-queue-in-turn",
        &[("sched_config", "round_robin: true all\n")],
        &[("sched_config", "round_robin: true all\nby_queue: false all\n")],
    ),
    (
        "strict-fair-share",
        &[("sched_config", "strict_ordering: true all\nfair_share: true all\nunknown_shares: 10\n")],
        &[("sched_config", "strict_ordering: true all\n")],
    ),
    (
        "strict-in-turn",
        &[("sched_config", "strict_ordering: true all\nround_robin: true all\n"), ("queues.txt", QUEUE)],
        &[("sched_config", "round_robin: true all\n"), ("queues.txt", QUEUE)],
    ),
    (
        "depth-without-strict",
        &[("server.txt", "    backfill_depth = 5\n")],
        &[("server.txt", "    backfill_depth = 5\n"), ("sched_config", "strict_ordering: true all\n")],
    ),
    (
        "strict-without-backfill",
        &[("server.txt", "    backfill_depth = 0\n"), ("sched_config", "strict_ordering: true all\n")],
        &[("server.txt", "    backfill_depth = 1\n"), ("sched_config", "strict_ordering: true all\n")],
    ),
    (
        "unused-job-sort-key",
        &[("sched_config", "job_sort_key: \"ngpus HIGH\" all\n")],
        &[("sched_config", "job_sort_key: \"ncpus HIGH\" all\n")],
    ),
    (
        "shares-of-nothing",
        &[("sched_config", "fair_share: true all\n")],
        &[("sched_config", "fair_share: true all\nunknown_shares: 10\n")],
    ),
    (
        "unreachable-preempt-level",
        &[("sched.txt=", "Sched default\n    preempt_prio = fairshare, normal_jobs\n")],
        &[("sched.txt=", "Sched default\n    preempt_prio = normal_jobs\n")],
    ),
    (
        "unreadable-formula",
        &[("server.txt", "    job_sort_formula = ncpus +\n")],
        &[("server.txt", "    job_sort_formula = ncpus + 1\n")],
    ),
    (
        "formula-without-value",
        &[("server.txt", "    job_sort_formula = nosuch + 1000000000 + ncpus\n")],
        &[("server.txt", "    job_sort_formula = 1000 + ncpus\n")],
    ),
    (
        "zero-formula-term",
        &[("server.txt", "    job_sort_formula = ncpus + 5 * ngpus\n")],
        &[("server.txt", "    job_sort_formula = 2*ncpus\n")],
    ),
    (
        "shadowed-formula",
        &[
            ("server.txt", "    job_sort_formula = ncpus\n"),
            ("sched.txt", "    job_sort_formula = 2*ncpus\n"),
        ],
        &[("sched.txt", "    job_sort_formula = 2*ncpus\n")],
    ),
    (
        "formula-threshold",
        &[("sched.txt", "    job_sort_formula = ncpus\n    job_sort_formula_threshold = 3\n")],
        &[("sched.txt", "    job_sort_formula = ncpus\n    job_sort_formula_threshold = 1\n")],
    ),
    (
        "threshold-without-formula",
        &[("sched.txt", "    job_sort_formula_threshold = 3\n")],
        &[("sched.txt", "    job_sort_formula = ncpus\n    job_sort_formula_threshold = 1\n")],
    ),
    (
        "formula-precision",
        &[("server.txt", "    job_sort_formula = 1000000000 + ncpus\n")],
        &[("server.txt", "    job_sort_formula = 1000 + ncpus\n")],
    ),
    (
        "unchecked-resource",
        &[("jobs.txt", GPU_JOB), ("nodes.txt", GPU_NODE)],
        &[
            ("jobs.txt", GPU_JOB),
            ("nodes.txt", GPU_NODE),
            ("sched_config", "resources: \"ncpus, mem, host, vnode, ngpus\"\n"),
        ],
    ),
    (
        "resource-of-nothing",
        &[("sched_config", "resources: \"ncpus, mem, host, vnode, tokens\"\n")],
        &[("sched_config", "")],
    ),
    (
        "host-in-longer-name",
        &[("sched_config", "resources: \"ncpus, mem, vnode, myhosts\"\n")],
        &[("sched_config", "resources: \"ncpus, mem, vnode, host\"\n")],
    ),
    (
        "unused-node-sort-key",
        &[("sched_config", "node_sort_key: \"ngpus HIGH\" all\n")],
        &[("sched_config", "node_sort_key: \"ncpus HIGH\" all\n")],
    ),
    (
        "unset-infinite-unknown",
        &[("sched_config", "resource_unset_infinite: \"ngpu\"\n")],
        &[("sched_config", "resource_unset_infinite: \"ngpus\"\n")],
    ),
    (
        "group-key-off",
        &[("server.txt", "    node_group_key = switch\n")],
        &[
            ("server.txt", "    node_group_key = switch\n    node_group_enable = True\n"),
            ("nodes.txt", SWITCHED),
        ],
    ),
    (
        "sets-without-key",
        &[("server.txt", "    node_group_enable = True\n")],
        &[("server.txt", "    node_group_enable = False\n")],
    ),
    (
        "spanning-without-sets",
        &[("sched.txt", "    do_not_span_psets = True\n")],
        &[("sched.txt", "    do_not_span_psets = False\n")],
    ),
    (
        "group-key-of-nothing",
        &[("server.txt", "    node_group_key = switch\n    node_group_enable = True\n")],
        &[
            ("server.txt", "    node_group_key = switch\n    node_group_enable = True\n"),
            ("nodes.txt", SWITCHED),
        ],
    ),
    (
        "set-out-of-service",
        &[
            ("server.txt", "    node_group_key = switch\n    node_group_enable = True\n"),
            ("nodes.txt", SWITCHED),
            ("nodes.txt", SWITCHED_DOWN),
        ],
        &[
            ("server.txt", "    node_group_key = switch\n    node_group_enable = True\n"),
            ("nodes.txt", SWITCHED),
        ],
    ),
    (
        "set-too-small",
        &[
            ("server.txt", "    node_group_key = switch\n    node_group_enable = True\n"),
            ("nodes.txt", SWITCHED_SMALL),
            ("sched.txt", "    do_not_span_psets = True\n"),
        ],
        &[
            ("server.txt", "    node_group_key = switch\n    node_group_enable = True\n"),
            ("nodes.txt", SWITCHED),
            ("sched.txt", "    do_not_span_psets = True\n"),
        ],
    ),
    ("default-queue", &[("server.txt", "    default_queue = gone\n")], &[("server.txt", "")]),
    ("queue-min-above-max", &[("queues.txt", BOUNDS_CROSSED)], &[("queues.txt", BOUNDS_SOUND)]),
    ("queue-default-out-of-bounds", &[("queues.txt", DEFAULT_OUT)], &[("queues.txt", BOUNDS_SOUND)]),
    ("queue-min-too-large", &[("queues.txt", MIN_TOO_LARGE)], &[("queues.txt", BOUNDS_SOUND)]),
    (
        "queue-never-opens",
        &[("queues.txt", DEDICATED)],
        &[("queues.txt", DEDICATED), ("dedicated_time", "01/01/2026 08:00 01/01/2026 18:00\n")],
    ),
    ("queue-admits-no-user", &[("queues.txt", EMPTY_LIST)], &[("queues.txt", LIST)]),
    ("queue-behind-no-route", &[("queues.txt", ROUTED)], &[("queues.txt", ROUTED), ("queues.txt", ROUTE)]),
    ("queue-without-vnodes", &[("queues.txt", PARTITIONED)], &[("queues.txt", QUEUE)]),
    (
        "queue-own-vnodes-gone",
        &[("queues.txt", QUEUE), ("nodes.txt", BOUND_DOWN)],
        &[("queues.txt", QUEUE), ("nodes.txt", BOUND)],
    ),
    (
        "limit-beyond-cluster",
        &[("server.txt", "    max_run_res.ncpus = [u:PBS_GENERIC=100]\n")],
        &[("server.txt", "    max_run_res.ncpus = [u:PBS_GENERIC=8]\n")],
    ),
    (
        "limit-beyond-overall",
        &[("server.txt", "    max_run = [o:PBS_ALL=5],[u:PBS_GENERIC=9]\n")],
        &[("server.txt", "    max_run = [o:PBS_ALL=9],[u:PBS_GENERIC=5]\n")],
    ),
    (
        "limit-twice",
        &[("server.txt", "    max_run = [u:ann=5],[u:ann=9]\n")],
        &[("server.txt", "    max_run = [u:ann=5],[u:bob=5]\n")],
    ),
    (
        "limit-of-zero",
        &[("server.txt", "    max_run = [u:ann=0]\n")],
        &[("server.txt", "    max_run = [u:ann=1]\n")],
    ),
    (
        "soft-limit-beyond-hard",
        &[("server.txt", "    max_run = [u:ann=5]\n    max_run_soft = [u:ann=5]\n")],
        &[("server.txt", "    max_run = [u:ann=5]\n    max_run_soft = [u:ann=4]\n")],
    ),
    (
        "soft-limit-of-no-use",
        &[("server.txt", "    max_run_soft = [u:ann=4]\n")],
        &[
            ("server.txt", "    max_run_soft = [u:ann=4]\n"),
            ("sched.txt=", "Sched default\n    preempt_prio = normal_jobs, server_softlimits\n"),
        ],
    ),
    ("vnode-of-unknown-queue", &[("nodes.txt", BOUND)], &[("nodes.txt", BOUND), ("queues.txt", QUEUE)]),
    (
        "vnode-of-closed-queue",
        &[("nodes.txt", BOUND), ("queues.txt", STOPPED)],
        &[("nodes.txt", BOUND), ("queues.txt", QUEUE)],
    ),
    (
        "vnode-without-cpus",
        &[(
            "nodes.txt",
            "n9\n     Mom = n9\n     state = free\n     resources_available.host = n9\n     resources_available.ncpus = 0\n\n",
        )],
        &[(
            "nodes.txt",
            "n1x\n     Mom = n1\n     state = free\n     resources_available.host = n1\n     resources_available.ncpus = 0\n\n",
        )],
    ),
    (
        "vnode-of-lone-partition",
        &[(
            "nodes.txt",
            "n9\n     Mom = n9\n     state = free\n     partition = P1\n     resources_available.ncpus = 4\n\n",
        )],
        &[("nodes.txt", BOUND)],
    ),
    ("vnode-kept-by-dead-job", &[("nodes.txt", DEAD)], &[("nodes.txt", "")]),
    (
        "vnode-limits-passed-over",
        &[("nodes.txt", LIMITED), ("jobs.txt", WHOLE_JOB)],
        &[("nodes.txt", LIMITED)],
    ),
    ("quirk-met", &[("jobs.txt", EXCLHOST_JOB)], &[("jobs.txt", "")]),
];

const GPU_NODE: &str = "n9\n     Mom = n9\n     state = free\n     resources_available.host = n9\n     \
    resources_available.ncpus = 4\n     resources_available.ngpus = 2\n     resources_available.vnode = n9\n\n";
const GPU_JOB: &str = "Job Id: 9.s\n    Job_Owner = ann@s\n    job_state = Q\n    queue = workq\n    queue_rank = 9\n    \
    Resource_List.select = 1:ncpus=1:ngpus=4\n    Resource_List.place = free\n    schedselect = 1:ncpus=1:ngpus=4\n\n";
const WHOLE_JOB: &str = "Job Id: 9.s\n    Job_Owner = ann@s\n    job_state = Q\n    queue = workq\n    queue_rank = 9\n    \
    Resource_List.select = 2:ncpus=4\n    Resource_List.place = scatter:excl\n    schedselect = 2:ncpus=4\n\n";
const EXCLHOST_JOB: &str = "Job Id: 9.s\n    Job_Owner = ann@s\n    job_state = Q\n    queue = workq\n    queue_rank = 9\n    \
    Resource_List.select = 2:ncpus=4\n    Resource_List.place = scatter:exclhost\n    schedselect = 2:ncpus=4\n\n";
const SWITCHED: &str = "n8\n     Mom = n8\n     state = free\n     resources_available.host = n8\n     \
    resources_available.ncpus = 4\n     resources_available.switch = sw1\n     resources_available.vnode = n8\n\n";
const SWITCHED_DOWN: &str = "n9\n     Mom = n9\n     state = down\n     resources_available.host = n9\n     \
    resources_available.ncpus = 4\n     resources_available.switch = sw2\n     resources_available.vnode = n9\n\n";
const SWITCHED_SMALL: &str = "n8\n     Mom = n8\n     state = free\n     resources_available.host = n8\n     \
    resources_available.ncpus = 1\n     resources_available.switch = sw1\n     resources_available.vnode = n8\n\n";
const BOUND: &str =
    "n9\n     Mom = n9\n     state = free\n     queue = other\n     resources_available.ncpus = 4\n\n";
const BOUND_DOWN: &str =
    "n9\n     Mom = n9\n     state = offline\n     queue = other\n     resources_available.ncpus = 4\n\n";
const DEAD: &str = "n9\n     Mom = n9\n     state = job-exclusive\n     jobs = 77.s/0\n     resources_available.ncpus = 4\n\n";
const LIMITED: &str =
    "n9\n     Mom = n9\n     state = free\n     max_running = 1\n     resources_available.ncpus = 4\n\n";
const STOPPED: &str = "Queue: other\n    queue_type = Execution\n    enabled = True\n    started = False\n";
const BOUNDS_SOUND: &str = "Queue: other\n    queue_type = Execution\n    resources_min.ncpus = 2\n    \
    resources_max.ncpus = 4\n    resources_default.ncpus = 2\n    enabled = True\n    started = True\n";
const BOUNDS_CROSSED: &str = "Queue: other\n    queue_type = Execution\n    resources_min.ncpus = 8\n    \
    resources_max.ncpus = 4\n    enabled = True\n    started = True\n";
const DEFAULT_OUT: &str = "Queue: other\n    queue_type = Execution\n    resources_max.walltime = 01:00:00\n    \
    resources_default.walltime = 02:00:00\n    enabled = True\n    started = True\n";
const MIN_TOO_LARGE: &str = "Queue: other\n    queue_type = Execution\n    resources_min.ncpus = 800\n    enabled = True\n    started = True\n";
const DEDICATED: &str = "Queue: ded1\n    queue_type = Execution\n    enabled = True\n    started = True\n";
const EMPTY_LIST: &str = "Queue: other\n    queue_type = Execution\n    acl_user_enable = True\n    enabled = True\n    started = True\n";
const LIST: &str = "Queue: other\n    queue_type = Execution\n    acl_user_enable = True\n    acl_users = ann\n    enabled = True\n    started = True\n";
const ROUTED: &str = "Queue: other\n    queue_type = Execution\n    from_route_only = True\n    enabled = True\n    started = True\n\n";
const ROUTE: &str = "Queue: door\n    queue_type = Route\n    enabled = True\n    started = True\n";
const PARTITIONED: &str =
    "Queue: other\n    queue_type = Execution\n    partition = P1\n    enabled = True\n    started = True\n";

#[test]
fn a_sound_cluster_has_no_findings() {
    let found = findings(&[]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_rule_fires_and_does_not() {
    for rule in rules() {
        let case = CASES.iter().find(|(id, ..)| *id == rule.id);
        let (_, fires, quiet) = case.unwrap_or_else(|| panic!("{} has no case", rule.id));
        let of_rule =
            |changes| findings(changes).into_iter().filter(|found| found.rule == rule.id).collect::<Vec<_>>();
        let found = of_rule(fires);
        assert!(!found.is_empty(), "{} does not fire: {:#?}", rule.id, findings(fires));
        for finding in &found {
            assert!(
                !finding.what.is_empty() && !finding.fix.is_empty() && !finding.objects.is_empty(),
                "{finding:?}"
            );
            let placeless =
                rule.id == "quirk-met" || rule.id == "missing-prefix" || rule.id == "shares-of-nothing";
            assert!(
                placeless
                    || finding.places.iter().any(|place| place.line.is_some() || place.file == "holidays"),
                "{finding:?}"
            );
        }
        let quiet = of_rule(quiet);
        assert!(quiet.is_empty(), "{} fires on a sound cluster: {quiet:#?}", rule.id);
    }
    assert_eq!(CASES.len(), rules().count());
}

/// A claim of no effect holds in the other cycle; a claimed cost is the difference of the other cycle.
#[test]
fn claims_are_what_the_cycles_show() {
    for (id, fires, _) in CASES {
        let (run, files) = made(fires);
        for finding in lint(&run, &files).findings {
            let difference = TrialRun::of(&run, &finding.edits).difference;
            match finding.cost.proof {
                CostBasis::EqualCycles => assert!(difference.is_none(), "{id}: {finding:?}"),
                CostBasis::OtherCycle if !finding.edits.is_empty() => {
                    assert_eq!(
                        (difference.starts.clone(), difference.waits.clone(), difference.jobs()),
                        (finding.cost.starts, finding.cost.waits, finding.cost.jobs),
                        "{id}"
                    );
                }
                CostBasis::OtherCycle | CostBasis::Counted => {}
            }
        }
    }
}

#[test]
fn costs_are_in_jobs_and_core_hours() {
    let finding_of =
        |changes, id: &str| findings(changes).into_iter().find(|found| found.rule == id).unwrap();
    let zero = finding_of(&[("server.txt", "    max_run = [u:ann=0]\n")], "limit-of-zero");
    assert_eq!(zero.what, "max_run [u:ann=0] of the server lets no job start");
    assert_eq!(zero.places[0].to_string(), "server.txt:8");
    assert_eq!(zero.cost.words(), "2 jobs more would start without it, together 6.0 core-hours");
    let off = finding_of(&[("server.txt", "    node_group_key = switch\n")], "group-key-off");
    assert_eq!(off.cost.words(), "nothing: the cycle without it is equal");
    let bound = finding_of(&[("nodes.txt", BOUND)], "vnode-of-unknown-queue");
    assert_eq!(bound.what, "n9 is bound to other, which is no queue: no job can take them");
}

#[test]
fn ids_are_unique_and_every_rule_is_explained() {
    let mut ids: Vec<&str> = rules().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules().count());
    assert!(ids.len() >= 25, "{}", ids.len());
    for rule in rules() {
        assert!(rule.explain.ends_with('.') && !rule.summary.ends_with('.'), "{}", rule.id);
    }
    assert!(super::GROUPS.iter().all(|(title, _)| super::page().contains(title)));
}
