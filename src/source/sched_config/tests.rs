use super::*;
use qscope_engine::cluster::{JobSortTerm, NodeSortTerm, ProvisionPolicy, Seconds, SortDirection, SortField};

fn of(text: &str) -> (Policy, Vec<Diagnostic>) {
    let mut reported = Vec::new();
    let policy = read(text.as_bytes(), "sched_config", &mut reported);
    reported.retain(|d| d.code != "prefix-missing");
    (policy, reported)
}

/// Returns the single report about a text, with its line number.
fn reported(text: &str) -> String {
    let (_, reported) = of(text);
    assert_eq!(reported.len(), 1, "{reported:?}");
    reported[0].to_string()
}

#[test]
fn an_empty_file_is_the_programs_defaults() {
    let (policy, _) = of("# nothing\n\n* nothing\n");
    assert_eq!(policy, Policy::program_defaults());
}

#[test]
fn the_file_as_shipped_gives_the_shipped_policy() {
    let text = "round_robin: False\tall\nby_queue: True\tprime\nby_queue: True\tnon_prime\n\
        strict_ordering: false\tALL\nbackfill_prime:\tfalse\tALL\nprime_exempt_anytime_queues:\tfalse\n\
        primetime_prefix: p_\nnonprimetime_prefix: np_\nnode_sort_key: \"sort_priority HIGH\"\tALL\n\
        provision_policy: \"aggressive_provision\"\n\
        resources: \"ncpus, mem, arch, host, vnode, aoe, eoe\"\nsmp_cluster_dist: pack\n\
        fair_share: false\tALL\nfairshare_usage_res: cput\nfairshare_entity: euser\n\
        fairshare_decay_time: 24:00:00\nfairshare_decay_factor: 0.5\npreemptive_sched: true\tALL\n\
        dedicated_prefix: ded\n";
    let mut reported = Vec::new();
    let policy = read(text.as_bytes(), "sched_config", &mut reported);
    assert_eq!(policy, Policy { assumed: false, ..Policy::as_shipped() });
    assert_eq!(reported, []);
}

#[test]
fn the_period_decides_which_half_is_set() {
    let (policy, _) = of("strict_ordering: True PRIME\nby_queue: True\nbackfill: false none\n\
        prime_spill: 2:30:00 NON_PRIME\nsmp_cluster_dist: round_robin prime\n");
    assert_eq!((policy.strict_ordering.prime, policy.strict_ordering.non_prime), (true, false));
    assert_eq!((policy.by_queue.prime, policy.by_queue.non_prime), (true, true));
    assert_eq!((policy.prime_spill.prime, policy.prime_spill.non_prime), (Seconds(0), Seconds(9000)));
    assert_eq!(policy.backfill, ByPeriod::both(true));
    assert_eq!(policy.smp_cluster_dist, ByPeriod { prime: SmpDist::RoundRobin, non_prime: SmpDist::Pack });
}

#[test]
fn sort_keys_accumulate_and_scalars_are_replaced() {
    let (policy, _) =
        of("node_sort_key: \"sort_priority HIGH\" ALL\nnode_sort_key: 'mem LOW unused' prime\n\
        job_sort_key: \"job_priority HIGH\"\njob_sort_key: \"walltime low\"\n\
        resources: \"mem\"\nresources: \"ncpus\"\n");
    assert_eq!(policy.node_sort_key.prime.len(), 2);
    assert_eq!(policy.node_sort_key.non_prime.len(), 1);
    assert_eq!(policy.node_sort_key.prime[1].term, NodeSortTerm::Resource("mem".into(), SortField::Unused));
    assert_eq!(policy.job_sort_key.prime[0].term, JobSortTerm::Priority);
    assert_eq!(policy.job_sort_key.prime[1].direction, SortDirection::Low);
    assert_eq!(policy.resources, Some(vec!["ncpus".into(), "host".into(), "vnode".into()]));
}

#[test]
fn host_and_vnode_are_added_unless_the_letters_are_there() {
    let (policy, _) = of("resources: \"ncpus, vnode\"");
    assert_eq!(policy.resources, Some(vec!["ncpus".into(), "vnode".into(), "host".into()]));
    let (policy, _) = of("resources: \"ncpus, ghost, vnode\"");
    assert_eq!(policy.resources.unwrap().len(), 3);
    assert!(reported("resources: \"ncpus, ghost, vnode\"").contains("part of a longer name"));
}

#[test]
fn fair_share_options() {
    let (policy, reported) = of("unknown_shares: 10\nfairshare_usage_res: ncpus*walltime\n\
        fairshare_entity: egroup:euser\nfairshare_decay_time: 12:00:00\nfairshare_decay_factor: 0.7\n\
        fairshare_enforce_no_shares: False\nfair_share: TRUE\n");
    let shares = policy.fairshare;
    assert_eq!(reported, []);
    assert_eq!((&*shares.usage_res, &*shares.entity), ("ncpus*walltime", "egroup:euser"));
    assert_eq!((shares.decay_time, shares.decay_factor), (Seconds(43_200), 0.7));
    assert_eq!((shares.unknown_shares, shares.enforce_no_shares), (10.0, false));
    assert!(policy.fair_share.prime);
}

#[test]
fn the_remaining_options() {
    let (policy, reported) = of("round_robin: True\nstrict_ordering: True\nbackfill_prime: True\n\
        preemptive_sched: True\nprime_exempt_anytime_queues: True\nprimetime_prefix: p\n\
        nonprimetime_prefix: np\ndedicated_prefix: d\nprovision_policy: avoid_provision\n\
        resource_unset_infinite: \"ngpus, color\"\nresv_confirm_ignore: dedicated_time\n\
        allow_aoe_calendar: whatever\npreempt_attempts: 3\nmax_job_check: 100\nupdate_comments: False\n");
    assert_eq!(reported, []);
    assert!(policy.round_robin.prime && policy.strict_ordering.prime && policy.backfill_prime.prime);
    assert!(policy.preemptive_sched.prime && policy.prime_exempt_anytime_queues);
    assert_eq!((&*policy.primetime_prefix, &*policy.nonprimetime_prefix), ("p", "np"));
    assert_eq!(&*policy.dedicated_prefix, "d");
    assert_eq!(policy.provision, ProvisionPolicy::Avoid);
    assert_eq!(policy.resource_unset_infinite, ["ngpus".into(), "color".into()]);
    assert!(policy.resv_ignores_dedicated && policy.allow_aoe_calendar);
    assert_eq!((policy.preempt_attempts, policy.max_job_check), (Some(3), Some(100)));
    assert_eq!(of("max_job_check: ALL_JOBS").0.max_job_check, None);
}

#[test]
fn old_names_are_in_force_or_only_named() {
    assert!(reported("strict_fifo: True").contains("still in force"));
    assert!(of("strict_fifo: True prime").0.strict_fifo.prime);
    assert!(reported("backfill: false").contains("backfill_depth=0"));
    assert!(reported("sort_nodes: true").contains("node_sort_key"));
    assert_eq!(of("sort_nodes: true").0.node_sort_key.prime[0].term, NodeSortTerm::Priority);
    assert!(reported("half_life: 24:00:00").contains("fairshare_decay_time"));
    for (name, _) in [("help_starving_jobs", ()), ("node_group_key", ()), ("preempt_prio", ())] {
        assert!(reported(&format!("{name}: x")).contains("obsolete"));
    }
}

#[test]
fn what_is_not_modelled_is_named() {
    let (policy, reported) = of("server_dyn_res: \"lic !/bin/lic 1\"\npeer_queue: \"workq workq@far\"\n\
        node_group_sort_key: \"switch HIGH\" all\n");
    assert_eq!(policy.server_dyn_res, ["lic".into()]);
    assert_eq!(policy.peer_queues, ["workq workq@far".into()]);
    assert_eq!(policy.node_group_sort_key.prime[0].show(), "switch HIGH");
    assert_eq!(reported.len(), 3);
    assert!(reported[2].to_string().starts_with("sched_config:3: `node_group_sort_key: switch HIGH`"));
    assert!(reported.iter().all(|d| d.severity == Severity::Warning));
}

#[test]
fn the_design_of_sorted_sets_has_options_of_its_own() {
    let (policy, reported) = of("node_group_sort_tuples: partial\nnode_group_sort_text: natural\n");
    assert!(policy.node_group_sort_partial && policy.node_group_sort_natural);
    assert!(reported.iter().all(|d| d.code == "not-in-any-scheduler") && !policy.node_group_sort_requested);
}

#[test]
fn unknown_names_and_bad_values_report_what_was_expected() {
    assert_eq!(
        reported("\nnode_sort_kay: \"ncpus HIGH\""),
        "sched_config:2: `node_sort_kay` is not an option of the scheduler, did you mean `node_sort_key`?"
    );
    assert!(reported("by_queue: yes").ends_with("`by_queue` has the value `yes`; expected true or false"));
    for (line, expected) in [
        ("node_sort_key: ncpus", "HIGH|LOW"),
        ("job_sort_key: ncpus", "HIGH|LOW"),
        ("fairshare_decay_factor: 1", "between 0 and 1"),
        ("fairshare_decay_time: long", "duration"),
        ("fairshare_entity: user", "Account_Name"),
        ("unknown_shares: -1", "not negative"),
        ("smp_cluster_dist: lowest", "pack or round_robin"),
        ("provision_policy: x", "avoid_provision"),
        ("preempt_attempts: x", "a count"),
        ("max_job_check: x", "ALL_JOBS"),
        ("resv_confirm_ignore: x", "dedicated_time"),
        ("server_dyn_res: x", "!program"),
        ("prime_spill: x", "duration"),
        ("node_group_sort_key: x", "HIGH|LOW"),
        ("node_group_sort_key: \"ncpus HIGH most\" all", "total|assigned|unused"),
        ("node_group_sort_tuples: some", "full or partial"),
        ("node_group_sort_text: x", "bytes or natural"),
    ] {
        assert!(reported(line).contains(expected), "{line}: {}", reported(line));
        assert_eq!(of(line).0, Policy::program_defaults(), "{line}");
    }
}

#[test]
fn sorting_per_job_forces_pack() {
    let (policy, reported) = of("smp_cluster_dist: round_robin\nnode_sort_key: \"ncpus LOW unused\" prime\n");
    assert_eq!(policy.smp_cluster_dist, ByPeriod::both(SmpDist::Pack));
    assert_eq!(reported[0].code, "smp-cluster-dist");
    assert_eq!(of("smp_cluster_dist: round_robin").0.smp_cluster_dist.prime, SmpDist::RoundRobin);
}

#[test]
fn a_missing_prefix_is_reported() {
    let mut reported = Vec::new();
    read(b"primetime_prefix: p\nnonprimetime_prefix: np\n", "sched_config", &mut reported);
    assert_eq!(reported.len(), 1);
    assert!(reported[0].message.contains("dedicated_prefix"));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,40}[:\\\\\"'\n ]{0,4}\\PC{0,20}") {
        let _ = of(&text);
    }
}
