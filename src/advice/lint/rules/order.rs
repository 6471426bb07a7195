//! Rules on strict ordering, backfilling and queues in turn: options that contradict each other or do not affect the
//! order.

use qscope_engine::cluster::{ByPeriod, JobSortKey, JobSortTerm, Policy, Scheduler};

use super::LintRule;
use crate::lint::finding::{Claim, FindingDraft, LintLevel};
use crate::lint::place::LintObject;
use crate::lint::site::LintContext;

pub(super) const RULES: &[LintRule] = &[
    LintRule {
        id: "by-queue-in-turn",
        level: LintLevel::Note,
        summary: "by_queue beside round_robin",
        explain: "With both on, queues take turns: by_queue has no effect.",
        find: |site| {
            let policy = site.policy();
            let both =
                site.is_enabled(&policy.round_robin) && site.is_enabled(&policy.by_queue) && !policy.assumed;
            let edits = site.edit_policy(|policy| policy.by_queue = ByPeriod::both(false));
            let draft = FindingDraft::new(
                "round_robin is on, so by_queue has no effect".to_owned(),
                "set by_queue: False",
                Claim::NoEffect(edits),
            );
            draft_if(both, draft.with_objects(["by_queue", "round_robin"]).at(site.option("by_queue")))
        },
    },
    LintRule {
        id: "strict-fair-share",
        level: LintLevel::Warning,
        summary: "strict_ordering together with fair_share",
        explain: "Fair share changes the order with every start, and strict ordering lets the job that happens to stand \
                  first hold back all others: a different one in every cycle.",
        find: |site| {
            let policy = site.policy();
            let both = site.is_enabled(&policy.strict_ordering) && site.is_enabled(&policy.fair_share);
            let edits = site.edit_policy(|policy| policy.strict_ordering = ByPeriod::both(false));
            let draft = FindingDraft::new(
                "strict_ordering keeps an order that fair_share changes with every start".to_owned(),
                "switch one of them off",
                Claim::AffectsCycle(edits),
            );
            let places = site.option("strict_ordering").into_iter().chain(site.option("fair_share"));
            draft_if(both, draft.with_objects(["strict_ordering", "fair_share"]).at(places))
        },
    },
    LintRule {
        id: "strict-in-turn",
        level: LintLevel::Warning,
        summary: "strict_ordering and a backfill depth together with round_robin",
        explain: "When queues take turns, the top jobs are whatever jobs their turns bring up: a depth of the server \
                  plans for jobs of one queue and then of another.",
        find: strict_in_turn,
    },
    LintRule {
        id: "depth-without-strict",
        level: LintLevel::Note,
        summary: "backfill_depth without strict_ordering",
        explain: "Only with strict_ordering are jobs that cannot start planned ahead, so without it no depth counts.",
        find: depth_without_strict,
    },
    LintRule {
        id: "strict-without-backfill",
        level: LintLevel::Warning,
        summary: "strict_ordering with backfill_depth=0",
        explain: "The first job that cannot start holds back every job behind it, also those that would delay nothing.",
        find: |site| {
            let order = site.run.setup.order;
            let depth = site.snap().server.backfill_depth == Some(0);
            let edits = site.edit_server(|server| server.backfill_depth = Some(1));
            let draft = FindingDraft::new(
                "backfill_depth=0 under strict_ordering: one job that waits holds back all behind it"
                    .to_owned(),
                "set backfill_depth to 1 or more",
                Claim::AffectsCycle(edits),
            );
            let place = site.attribute(LintObject::Server, "backfill_depth");
            draft_if(
                order.strict && depth && !order.backfill,
                draft.with_objects(["backfill_depth"]).at(place),
            )
        },
    },
    LintRule {
        id: "unused-job-sort-key",
        level: LintLevel::Note,
        summary: "A job_sort_key that orders no jobs",
        explain: "It names a resource that no job requests, or one that is none, so all jobs are equal by it.",
        find: unused_job_sort_key,
    },
    LintRule {
        id: "shares-of-nothing",
        level: LintLevel::Error,
        summary: "Jobs that never start because their fair share entity has no shares",
        explain: "With fairshare_enforce_no_shares, entities that resource_group does not name get unknown_shares, which \
                  is 0 where it is not set: their jobs never start.",
        find: shares_of_nothing,
    },
    LintRule {
        id: "unreachable-preempt-level",
        level: LintLevel::Note,
        summary: "A level of preempt_prio that no job can have",
        explain: "A fairshare level needs fair_share, soft limit levels need soft limits, express_queue needs a queue with \
                  at least preempt_queue_prio; the default of the attribute is not reported.",
        find: unreachable_level,
    },
];

fn draft_if(is_so: bool, draft: FindingDraft) -> Vec<FindingDraft> {
    if is_so { vec![draft] } else { Vec::new() }
}

fn strict_in_turn(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let policy = site.policy();
    let order = site.run.setup.order;
    let queues = site.queues().count() > 1;
    let is_so = site.is_enabled(&policy.round_robin) && order.strict && order.backfill && queues;
    let edits = site.edit_policy(|policy| {
        policy.round_robin = ByPeriod::both(false);
        policy.by_queue = ByPeriod::both(true);
    });
    let depth = order.depth;
    let draft = FindingDraft::new(
        format!(
            "strict_ordering with backfill_depth={depth} plans for jobs that round_robin brings up in turn"
        ),
        "use by_queue with queue priorities, or a backfill_depth for each queue",
        Claim::AffectsCycle(edits),
    );
    let places =
        site.option("round_robin").into_iter().chain(site.attribute(LintObject::Server, "backfill_depth"));
    draft_if(is_so, draft.with_objects(["round_robin", "strict_ordering", "backfill_depth"]).at(places))
}

fn depth_without_strict(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let order = site.run.setup.order;
    if order.strict || order.strict_fifo {
        return Vec::new();
    }
    let mut found = Vec::new();
    if let Some(depth) = site.snap().server.backfill_depth.filter(|depth| *depth > 1) {
        let edits = site.edit_server(|server| server.backfill_depth = None);
        let what = format!("backfill_depth={depth} of the server plans nothing: strict_ordering is off");
        let place = site.attribute(LintObject::Server, "backfill_depth");
        found.push(
            FindingDraft::new(what, "switch strict_ordering on, or unset it", Claim::NoEffect(edits))
                .with_objects(["backfill_depth"])
                .at(place),
        );
    }
    for (id, queue) in site.queues() {
        let Some(depth) = queue.backfill_depth.filter(|depth| *depth > 0) else { continue };
        let name = &queue.name;
        let edits = site.edit_queue(id, |queue| queue.backfill_depth = None);
        let what = format!("backfill_depth={depth} of queue {name} plans nothing: strict_ordering is off");
        let place = site.attribute(LintObject::Queue(name), "backfill_depth");
        found.push(
            FindingDraft::new(what, "switch strict_ordering on, or unset it", Claim::NoEffect(edits))
                .with_objects([name])
                .at(place),
        );
    }
    found
}

fn unused_job_sort_key(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let (snap, policy) = (site.snap(), site.policy());
    let orders_nothing = |key: &JobSortKey| match &key.term {
        JobSortTerm::Resource(name) => {
            let id = snap.catalogue.id(name);
            !snap.jobs.iter().any(|job| id.is_some_and(|id| job.requested.get(id).is_some()))
        }
        _ => false,
    };
    let keys = policy.job_sort_key.both_periods().into_iter().flatten();
    let mut names: Vec<String> = Vec::new();
    for key in keys.filter(|key| orders_nothing(key)) {
        if let JobSortTerm::Resource(name) = &key.term
            && !names.contains(&name.to_string())
        {
            names.push(name.to_string());
        }
    }
    if policy.assumed || snap.jobs.is_empty() {
        return Vec::new();
    }
    let draft = |name: String| {
        let edits = site.edit_policy(|policy| {
            let keep =
                |key: &JobSortKey| !matches!(&key.term, JobSortTerm::Resource(have) if **have == *name);
            policy.job_sort_key.prime.retain(keep);
            policy.job_sort_key.non_prime.retain(keep);
        });
        let what = match snap.catalogue.id(&name) {
            Some(_) => format!("job_sort_key on {name} orders nothing: no job requests it"),
            None => format!("job_sort_key on {name} orders nothing: no such resource"),
        };
        FindingDraft::new(what, "delete the line", Claim::NoEffect(edits))
            .with_objects([name])
            .at(site.option("job_sort_key"))
    };
    names.into_iter().map(draft).collect()
}

fn shares_of_nothing(site: &LintContext<'_>) -> Vec<FindingDraft> {
    use qscope_engine::universe::Reason;
    let run = site.run;
    let refused: Vec<_> = run
        .not_considered
        .iter()
        .filter(|outcome| outcome.rejection.as_ref().is_some_and(|found| found.reason == Reason::NoShares))
        .map(|outcome| outcome.job)
        .collect();
    let mut users: Vec<&str> = refused.iter().map(|job| &*run.plan.job(*job).user).collect();
    users.sort_unstable();
    users.dedup();
    let what = format!(
        "{} of {} can never start: no shares",
        qscope_explain::words::count(refused.len(), "job"),
        qscope_explain::words::first_names(&users, 4)
    );
    let unknown = site.policy().fairshare.unknown_shares;
    let edits = site.edit_policy(|policy| {
        policy.fairshare.unknown_shares = Policy::as_shipped().fairshare.unknown_shares.max(10.0);
    });
    let draft = FindingDraft::new(
        what,
        format!("name them in resource_group, or set unknown_shares (it is {unknown})"),
        Claim::AffectsCycle(edits),
    );
    draft_if(!refused.is_empty(), draft.with_objects(users).at(site.option("unknown_shares")))
}

fn unreachable_level(context: &LintContext<'_>) -> Vec<FindingDraft> {
    let snap = context.snap();
    let scheduler = &snap.scheduler;
    let prio = &scheduler.preempt_prio;
    let shipped = Scheduler::default().preempt_prio;
    let squeezed = |text: &str| text.replace([' ', '"'], "");
    if scheduler.assumed
        || squeezed(prio) == squeezed(&shipped)
        || !context.is_enabled(&context.policy().preemptive_sched)
    {
        return Vec::new();
    }
    let soft = |of_server: bool| {
        context.limits().iter().any(|limit| limit.entry.soft && limit.queue.is_none() == of_server)
    };
    let is_in_effect = |level: &str| match level {
        "fairshare" => context.is_enabled(&context.policy().fair_share),
        "server_softlimits" => soft(true),
        "queue_softlimits" => soft(false),
        "express_queue" => snap.queues.iter().any(|queue| queue.priority >= scheduler.preempt_queue_prio),
        _ => true,
    };
    let levels: Vec<String> = squeezed(prio).split(',').map(str::to_owned).collect();
    let dead = levels.iter().filter(|entry| !entry.split('+').all(is_in_effect));
    let draft = |entry: &String| {
        let rest: Vec<&str> = levels.iter().filter(|have| *have != entry).map(String::as_str).collect();
        let edits = context.edit_scheduler(|scheduler| scheduler.preempt_prio = rest.join(", ").into());
        FindingDraft::new(
            format!("no job can have the level {entry} of preempt_prio"),
            "take it out of preempt_prio",
            Claim::NoEffect(edits),
        )
        .with_objects([entry])
        .at(context.attribute(LintObject::Scheduler, "preempt_prio"))
    };
    dead.map(draft).collect()
}
