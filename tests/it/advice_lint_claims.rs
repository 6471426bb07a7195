//! Rules of `qscope lint` that claim that a setting has no effect: each is checked on many random clusters in which
//! that setting was added.

use std::collections::BTreeMap;
use std::sync::Arc;

use qscope::advice::lint::{CostBasis, LintReport, lint};
use qscope::cycle::run_cycle;
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;
use serde_json::{Value, json};

use super::cases::{self, Case, Family};

/// How a setting is added to a cluster.
#[derive(Clone, Copy)]
enum Put {
    /// These lines replace all lines of the option, at the end of `sched_config`.
    Option(&'static str, &'static [&'static str]),
    /// One more line of the option, at the end of the file.
    Line(&'static str, &'static str),
    /// One more line of the option, before all other lines.
    First(&'static str, &'static str),
    /// An attribute of the server; a resource of it follows a dot.
    Server(&'static str, &'static str),
    /// An attribute of the scheduler.
    Sched(&'static str, &'static str),
    /// An attribute that is removed from the server, the queues and the scheduler.
    Unset(&'static str),
    /// A resource that is removed from vnodes and requests.
    Resource(&'static str),
    /// A file of this name that is removed.
    Without(&'static str),
}

use Put::{First, Line, Option as Opt, Resource, Sched, Server, Unset, Without};

const NO_STRICT: [Put; 2] = [Opt("strict_ordering", &["false all"]), Opt("strict_fifo", &[])];
const NO_FORMULA: [Put; 1] = [Unset("job_sort_formula")];
const NO_SHARES: [Put; 2] = [Opt("fair_share", &["false all"]), Opt("job_sort_key", &[])];

/// Each rule that makes such a claim, and what is added for it.
const RULES: &[(&str, &[&[Put]])] = &[
    ("limit-beyond-cluster", &[&[Server("max_run_res.ncpus", "[u:PBS_GENERIC=1000000]")]]),
    ("limit-beyond-overall", &[&[Server("max_run", "[o:PBS_ALL=4],[u:PBS_GENERIC=9]")]]),
    (
        "soft-limit-beyond-hard",
        &[&[Server("max_run", "[u:PBS_GENERIC=3]"), Server("max_run_soft", "[u:PBS_GENERIC=3]")]],
    ),
    (
        "soft-limit-of-no-use",
        &[&[
            Server("max_run_soft", "[u:PBS_GENERIC=1]"),
            Sched("preempt_prio", "express_queue, normal_jobs"),
        ]],
    ),
    ("obsolete-option", &[&[Line("help_starving_jobs", "true all")]]),
    ("unknown-option", &[&[Line("by_queues", "true all")]]),
    ("unreadable-option", &[&[Line("node_sort_key", "ncpus HIGH")]]),
    ("shadowed-option", &[&[First("strict_ordering", "true all"), Line("strict_ordering", "false all")]]),
    ("never-non-prime", &[&[Without("holidays"), Opt("strict_ordering", &["true non_prime"])]]),
    ("not-shipped-option", &[&[Line("node_group_sort_key", "\"switch HIGH\" all")]]),
    (
        "unused-fair-share",
        &[&NO_SHARES, &NO_FORMULA, &[Unset("preempt_prio"), Opt("fairshare_entity", &["egroup"])]],
    ),
    ("by-queue-in-turn", &[&[Opt("round_robin", &["true all"]), Opt("by_queue", &["true all"])]]),
    ("depth-without-strict", &[&NO_STRICT, &[Server("backfill_depth", "5")]]),
    ("unused-job-sort-key", &[&[Resource("unasked"), Line("job_sort_key", "\"unasked HIGH\" all")]]),
    (
        "unreachable-preempt-level",
        &[&NO_SHARES, &[Sched("preempt_prio", "express_queue, fairshare, normal_jobs")]],
    ),
    ("unreadable-formula", &[&NO_FORMULA, &[Server("job_sort_formula", "ncpus +")]]),
    (
        "zero-formula-term",
        &[&NO_FORMULA, &[Resource("unasked"), Server("job_sort_formula", "ncpus + 5 * unasked")]],
    ),
    (
        "shadowed-formula",
        &[&[Server("job_sort_formula", "ncpus"), Sched("job_sort_formula", "2*ncpus + walltime")]],
    ),
    ("threshold-without-formula", &[&NO_FORMULA, &[Sched("job_sort_formula_threshold", "3")]]),
    (
        "resource-of-nothing",
        &[&[Resource("unasked"), Opt("resources", &["\"ncpus, mem, host, vnode, unasked\""])]],
    ),
    ("unused-node-sort-key", &[&[Resource("unasked"), Line("node_sort_key", "\"unasked HIGH\" all")]]),
    ("unset-infinite-unknown", &[&[Opt("resource_unset_infinite", &["\"nosuch\""])]]),
    ("group-key-off", &[&[Server("node_group_key", "switch"), Server("node_group_enable", "False")]]),
    ("sets-without-key", &[&[Unset("node_group_key"), Server("node_group_enable", "True")]]),
    ("spanning-without-sets", &[&[Sched("do_not_span_psets", "True"), Server("node_group_enable", "False")]]),
];

/// The files of a cluster, which can be changed.
struct Cluster(BTreeMap<String, Vec<u8>>);

impl Cluster {
    fn lines(&self, name: &str) -> Vec<String> {
        let bytes = self.0.get(name).map(Vec::as_slice).unwrap_or_default();
        String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
    }

    fn write(&mut self, name: &str, lines: &[String]) {
        self.0.insert(name.to_owned(), (lines.join("\n") + "\n").into_bytes());
    }

    /// Changes the attributes of each object of a file in JSON.
    fn objects(&mut self, file: &str, change: &dyn Fn(&mut Value)) {
        let Some(bytes) = self.0.get_mut(file) else { return };
        let mut all: Value = serde_json::from_slice(bytes).unwrap();
        for kind in ["Server", "Queue"] {
            all.get_mut(kind)
                .and_then(Value::as_object_mut)
                .into_iter()
                .flat_map(|of| of.values_mut())
                .for_each(change);
        }
        *bytes = all.to_string().into_bytes();
    }

    fn put(&mut self, put: Put) {
        let is_of =
            |line: &String, name: &str| line.split([':', '=']).next().is_some_and(|head| head.trim() == name);
        match put {
            Opt(name, values) => {
                let mut lines = self.lines("sched_config");
                lines.retain(|line| !is_of(line, name));
                lines.extend(values.iter().map(|value| format!("{name}: {value}")));
                self.write("sched_config", &lines);
            }
            Line(name, value) => {
                let mut lines = self.lines("sched_config");
                lines.push(format!("{name}: {value}"));
                self.write("sched_config", &lines);
            }
            First(name, value) => {
                let mut lines = self.lines("sched_config");
                lines.insert(0, format!("{name}: {value}"));
                self.write("sched_config", &lines);
            }
            Server(name, value) => self.objects("server.json", &|server| match name.split_once('.') {
                Some((name, resource)) => server[name] = json!({ resource: value }),
                None => server[name] = json!(value),
            }),
            Sched(name, value) => {
                let mut lines = self.lines("sched.txt");
                lines.retain(|line| !is_of(line, name));
                if lines.is_empty() {
                    lines.push("Sched default".to_owned());
                }
                lines.push(format!("    {name} = {value}"));
                self.write("sched.txt", &lines);
            }
            Unset(name) => {
                for file in ["server.json", "queues.json"] {
                    self.objects(file, &|object| {
                        object.as_object_mut().unwrap().remove(name);
                    });
                }
                if self.0.contains_key("sched.txt") {
                    let mut lines = self.lines("sched.txt");
                    lines.retain(|line| !is_of(line, name));
                    self.write("sched.txt", &lines);
                }
            }
            Resource(name) => {
                let mut lines = self.lines("resources.txt");
                lines.extend([
                    format!("Resource {name}"),
                    "    type = long".to_owned(),
                    "    flag = hn".to_owned(),
                ]);
                self.write("resources.txt", &lines);
            }
            Without(name) => drop(self.0.remove(name)),
        }
    }

    fn lint(&self, name: &str) -> LintReport {
        let mut files = Files::new(name);
        for (name, bytes) in &self.0 {
            files.insert(name, bytes.clone(), None);
        }
        let snap = load(&files, &LoadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        lint(&Arc::new(run_cycle(Arc::new(snap), Quirks::default())), &files)
    }
}

/// Rules about limits of users. Such a limit, reached or not, makes jobs of different users unequal, so that a
/// failing job no longer represents the others. If that changes the cycle, the finding is left out.
const SPLIT_CLASSES: [&str; 4] =
    ["limit-beyond-cluster", "limit-beyond-overall", "soft-limit-beyond-hard", "soft-limit-of-no-use"];

/// The results for the claims of one rule.
#[derive(Default, Debug)]
struct Tally {
    /// Clusters in which the rule made the claim, and the cycle without the setting was equal.
    proven: usize,
    /// Clusters in which the cycle differed, so that the finding was left out.
    refuted: Vec<String>,
    /// Clusters in which the rule found nothing.
    silent: usize,
}

fn tally(rule: &str, puts: &[&[Put]], cases: &[&Case], most: usize) -> Tally {
    let mut found = Tally::default();
    for case in cases {
        if found.proven == most {
            break;
        }
        let mut cluster = Cluster(case.files.clone());
        puts.iter().copied().flatten().for_each(|put| cluster.put(*put));
        let report = cluster.lint(&case.name);
        let is_proof = |one: &&qscope::advice::lint::LintFinding| {
            one.rule == rule && one.cost.proof == CostBasis::EqualCycles
        };
        if report.refuted.contains(&rule) {
            found.refuted.push(case.name.clone());
        } else if report.findings.iter().any(|one| is_proof(&one)) {
            found.proven += 1;
        } else {
            found.silent += 1;
        }
    }
    found
}

/// The suite checks a few clusters for each rule; `QSCOPE_LINT_CLUSTERS=100` checks a hundred and prints the figures.
#[test]
#[allow(clippy::disallowed_macros, reason = "shown with the test's own output")]
fn what_is_claimed_to_have_no_effect_has_none_wherever_it_is_put() {
    let most = std::env::var("QSCOPE_LINT_CLUSTERS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let random = |case: &&Case| {
        matches!(case.family, Family::Random | Family::Wide | Family::Fresh)
            && case.files.contains_key("server.json")
    };
    let cases: Vec<&Case> = cases::all().iter().filter(random).collect();
    // Each rule uses a different range of the clusters.
    let stretch = cases.len() / RULES.len();
    for (nth, (rule, puts)) in RULES.iter().enumerate() {
        let mut own = cases.clone();
        own.rotate_left(nth * stretch);
        let found = tally(rule, puts, &own, most);
        eprintln!(
            "{rule}: {} proven, {} refuted {:?}, {} without a finding",
            found.proven,
            found.refuted.len(),
            found.refuted,
            found.silent
        );
        assert_eq!(found.proven, most, "{rule}");
        assert!(found.refuted.is_empty() || SPLIT_CLASSES.contains(rule), "{rule}: {:?}", found.refuted);
    }
}
