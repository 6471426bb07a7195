//! Rules on options of `sched_config` that are obsolete, unknown, shadowed or never reached.

use qscope_engine::cluster::{ByPeriod, Diagnostic, Edit, JobSortTerm, Policy};
use qscope_source::sched_config;

use super::LintRule;
use crate::lint::finding::{Claim, FindingDraft, LintLevel};
use crate::lint::place::{LintPlace, of_diagnostic, quoted};
use crate::lint::site::LintContext;

pub(super) const RULES: &[LintRule] = &[
    LintRule {
        id: "obsolete-option",
        level: LintLevel::Warning,
        summary: "An option that the scheduler knows as obsolete",
        explain: "The scheduler ignores most of them with a line in its log; strict_fifo, backfill and sort_nodes still \
                  count. Use what took its place.",
        find: |site| of_code(site, "obsolete-option", "use what the message names"),
    },
    LintRule {
        id: "unknown-option",
        level: LintLevel::Error,
        summary: "A line that names no option of the scheduler",
        explain: "The scheduler logs it and goes on, so what it was meant to do is not done.",
        find: |site| of_code(site, "unknown-option", "correct the name, or delete the line"),
    },
    LintRule {
        id: "unreadable-option",
        level: LintLevel::Error,
        summary: "A line whose value or form the scheduler does not take",
        explain: "The option keeps its default, or the value of an earlier line.",
        find: |site| {
            let mut found = of_code(site, "option-value", "correct the value");
            found.extend(of_code(site, "config-line", "correct the line"));
            found
        },
    },
    LintRule {
        id: "shadowed-option",
        level: LintLevel::Note,
        summary: "A line overridden by a later line of the same option",
        explain: "Of an option whose lines do not add up, the last line of a period counts.",
        find: overridden_lines,
    },
    LintRule {
        id: "never-non-prime",
        level: LintLevel::Warning,
        summary: "Options for non-prime time where it is always prime time",
        explain: "Without a file holidays that has a YEAR other than 0, the scheduler knows no non-prime time: lines for \
                  non_prime never count. Set the YEAR, or give the option for all.",
        find: never_non_prime,
    },
    LintRule {
        id: "missing-prefix",
        level: LintLevel::Error,
        summary: "A missing prefix of queues, which then matches every queue",
        explain: "An option dedicated_prefix, primetime_prefix or nonprimetime_prefix that is missing is an empty text, \
                  and every name begins with that: without dedicated_prefix nothing runs outside dedicated time.",
        find: missing_prefix,
    },
    LintRule {
        id: "sort-forces-pack",
        level: LintLevel::Warning,
        summary: "smp_cluster_dist beside a node_sort_key on used amounts",
        explain: "With a node_sort_key on unused or assigned amounts the scheduler takes smp_cluster_dist as pack.",
        find: |site| of_code(site, "smp-cluster-dist", "set smp_cluster_dist: pack, or drop the sort key"),
    },
    LintRule {
        id: "not-shipped-option",
        level: LintLevel::Warning,
        summary: "An option that was designed and never shipped",
        explain: "node_group_sort_key and its kin stand in a design document only; no scheduler reads them.",
        find: not_shipped,
    },
    LintRule {
        id: "unused-fair-share",
        level: LintLevel::Note,
        summary: "Fair share options or shares while no shares are used",
        explain: "fair_share is off, no formula or sort key names a share, and preempt_prio has no fairshare level.",
        find: unused_fair_share,
    },
    LintRule {
        id: "holidays-of-another-year",
        level: LintLevel::Warning,
        summary: "A file holidays for another year",
        explain: "The scheduler goes by its days of the year only in the YEAR that the file names; what is a holiday this \
                  year is not in it.",
        find: holidays_year,
    },
];

/// Creates a draft for each diagnostic of the reader with this code.
fn of_code(site: &LintContext<'_>, code: &'static str, fix: &str) -> Vec<FindingDraft> {
    let found = site.snap().reported(code);
    let draft = |found: &Diagnostic| {
        let name = quoted(found).split(':').next().unwrap_or_default();
        let place = of_diagnostic(found);
        // The scheduler still uses these options.
        let counts = ["strict_fifo", "backfill", "sort_nodes"].contains(&name);
        let edits = place.line.filter(|_| !counts).and_then(|line| edits_without_line(site, line));
        let claim = edits.map_or(Claim::Counts(Vec::new(), 0.0), Claim::NoEffect);
        let stated = if place.line.is_none() { site.option(name) } else { vec![place] };
        FindingDraft::new(found.message.clone(), fix, claim).with_objects([name]).at(stated)
    };
    found.map(draft).collect()
}

/// Returns the displayed name of the file and its lines.
fn lines<'s>(site: &LintContext<'s>) -> Option<(&'s str, Vec<String>)> {
    let (file, bytes) = site.files.contents("sched_config")?;
    Some((file, String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()))
}

fn read(file: &str, lines: &[String]) -> Policy {
    sched_config::read(lines.join("\n").as_bytes(), file, &mut Vec::new())
}

/// Returns the options without one line of the file; `None` if they were also changed elsewhere.
fn edits_without_line(site: &LintContext<'_>, line: usize) -> Option<Vec<Edit>> {
    let (file, mut lines) = lines(site)?;
    if read(file, &lines) != *site.policy() || line == 0 || line > lines.len() {
        return None;
    }
    lines.remove(line - 1);
    Some(vec![Edit::Policy(Box::new(read(file, &lines)))])
}

/// Finds lines without which the options are the same because a later line sets the option again.
fn overridden_lines(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let Some((file, lines)) = lines(site) else { return Vec::new() };
    let whole = read(file, &lines);
    let name = |line: &String| {
        let head = line.trim().split(':').next().unwrap_or_default().trim();
        (line.contains(':') && !head.starts_with(['#', '*'])).then(|| head.to_owned())
    };
    let names: Vec<Option<String>> = lines.iter().map(name).collect();
    let mut found = Vec::new();
    for (at, option) in names.iter().enumerate() {
        let Some(option) = option else { continue };
        let later =
            names.iter().enumerate().skip(at + 1).rfind(|(_, have)| have.as_deref() == Some(option.as_str()));
        let (Some((later, _)), Some(edits)) = (later, edits_without_line(site, at + 1)) else { continue };
        let alone = read(file, lines.get(at..=at).unwrap_or_default());
        let is_same = matches!(edits.as_slice(), [Edit::Policy(policy)] if **policy == whole);
        if is_same && differs(&alone, &Policy::program_defaults()) {
            let what = format!("`{option}` is set again in line {}, which counts", later + 1);
            let place = LintPlace { file: file.to_owned(), line: Some(at + 1) };
            found.push(
                FindingDraft::new(what, "delete the line", Claim::NoEffect(edits))
                    .with_objects([option])
                    .at([place]),
            );
        }
    }
    found
}

/// Whether two sets of options differ, ignoring the prefixes, which a file of one line lacks.
fn differs(one: &Policy, other: &Policy) -> bool {
    Policy { assumed: other.assumed, ..one.clone() } != *other
}

fn never_non_prime(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let policy = site.policy();
    let has_year = site.snap().holidays.as_ref().and_then(|file| file.year).is_some_and(|year| year != 0);
    if policy.assumed || has_year {
        return Vec::new();
    }
    let mut edited = policy.clone();
    let mut options = Vec::new();
    let mut level = |name: &'static str, differs: bool| {
        if differs {
            options.push(name);
        }
    };
    macro_rules! same {
        ($($field:ident),+) => {$(
            level(stringify!($field), policy.$field.prime != policy.$field.non_prime);
            edited.$field = ByPeriod::both(policy.$field.prime.clone());
        )+};
    }
    same!(
        round_robin,
        by_queue,
        strict_ordering,
        strict_fifo,
        fair_share,
        backfill,
        preemptive_sched,
        job_sort_key,
        node_sort_key
    );
    if options.is_empty() {
        return Vec::new();
    }
    let what = format!("{} differ for non-prime time, and it is always prime time", options.join(", "));
    let places = options.iter().flat_map(|name| site.option(name));
    let edits = vec![Edit::Policy(Box::new(edited))];
    vec![
        FindingDraft::new(
            what,
            "set YEAR in the file holidays, or give the options for all",
            Claim::NoEffect(edits),
        )
        .with_objects(&options)
        .at(places),
    ]
}

fn missing_prefix(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let found = site.snap().reported("prefix-missing");
    let draft = |diagnostic: &Diagnostic| {
        let name = quoted(diagnostic).to_owned();
        let shipped = Policy::as_shipped();
        let (edits, prefix) = match name.as_str() {
            "primetime_prefix" => {
                (site.edit_policy(|p| p.primetime_prefix = shipped.primetime_prefix.clone()), "p_")
            }
            "nonprimetime_prefix" => {
                (site.edit_policy(|p| p.nonprimetime_prefix = shipped.nonprimetime_prefix.clone()), "np_")
            }
            _ => (site.edit_policy(|p| p.dedicated_prefix = shipped.dedicated_prefix.clone()), "ded"),
        };
        FindingDraft::new(
            diagnostic.message.clone(),
            format!("add the line {name}: {prefix}"),
            Claim::AffectsCycle(edits),
        )
        .with_objects([name])
        .at([of_diagnostic(diagnostic)])
    };
    found.map(draft).collect()
}

fn not_shipped(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let edits = site.edit_policy(|policy| policy.node_group_sort_key = ByPeriod::default());
    let mut found = of_code(site, "not-in-any-scheduler", "delete the line");
    for draft in &mut found {
        draft.claim = Claim::NoEffect(edits.clone());
    }
    found
}

fn unused_fair_share(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let (snap, policy) = (site.snap(), site.policy());
    let levels = snap.scheduler.preempt_prio.contains("fairshare");
    let keys = policy.job_sort_key.both_periods().into_iter().flatten();
    let by_key = keys.into_iter().any(|key| key.term == JobSortTerm::FairsharePercentage);
    let formula =
        site.run.setup.formula.as_ref().is_some_and(|f| f.names().iter().any(|name| name.contains("share")));
    let on = policy.fair_share.prime || policy.fair_share.non_prime;
    let set = Policy::program_defaults().fairshare != policy.fairshare;
    if policy.assumed || on || levels || by_key || formula || (!set && snap.share_groups.is_empty()) {
        return Vec::new();
    }
    let names = [
        "fairshare_usage_res",
        "fairshare_entity",
        "fairshare_decay_time",
        "fairshare_decay_factor",
        "unknown_shares",
        "fairshare_enforce_no_shares",
    ];
    let mut places: Vec<LintPlace> = names.iter().flat_map(|name| site.option(name)).collect();
    if !snap.share_groups.is_empty() {
        places.extend(
            site.files
                .contents("resource_group")
                .map(|(file, _)| LintPlace { file: file.to_owned(), line: None }),
        );
    }
    let mut edits = site.edit_policy(|policy| policy.fairshare = Policy::program_defaults().fairshare);
    edits.truncate(1);
    vec![
        FindingDraft::new(
            "fair share is configured and no shares are used: fair_share is off".to_owned(),
            "switch fair_share on, or drop the shares",
            Claim::NoEffect(edits),
        )
        .with_objects(["fair_share"])
        .at(places),
    ]
}

fn holidays_year(context: &LintContext<'_>) -> Vec<FindingDraft> {
    let snap = context.snap();
    let year = snap.holidays.as_ref().and_then(|file| file.year).filter(|year| *year != 0);
    let this = snap.date(snap.now).map(|date| i32::from(date.year()));
    match (year, this) {
        (Some(year), Some(this)) if year != this => {
            let place = context
                .files
                .contents("holidays")
                .map(|(file, _)| LintPlace { file: file.to_owned(), line: None });
            let what = format!("holidays is for {year}, and it is {this}");
            let fix = format!("write the holidays of {this} and YEAR {this}");
            vec![
                FindingDraft::new(what, fix, Claim::Counts(Vec::new(), 0.0))
                    .with_objects(["holidays"])
                    .at(place),
            ]
        }
        _ => Vec::new(),
    }
}
