//! Rules on limits that are never reached, that shut out every job, or that are set twice.

use qscope_engine::cluster::{Amount, LimitScope, ResourceId};

use super::LintRule;
use crate::lint::finding::{Claim, FindingDraft, LintLevel};
use crate::lint::place::LintObject;
use crate::lint::site::{LimitSetting, LintContext};

pub(super) const RULES: &[LintRule] = &[
    LintRule {
        id: "limit-beyond-cluster",
        level: LintLevel::Note,
        summary: "A limit on a resource that is not below what all vnodes have",
        explain: "Jobs cannot use more than there is, so it is never reached. A limit of users, groups or projects also makes \
                  their jobs unequal, so that the failure of one is not taken over for the others: where that shows in the cycle, it \
                  is not reported.",
        find: limits_above_cluster,
    },
    LintRule {
        id: "limit-beyond-overall",
        level: LintLevel::Note,
        summary: "A limit of users, groups or projects that is not below the overall limit of the same object",
        explain: "The overall limit (`o:PBS_ALL`) is reached first.",
        find: limits_above_overall,
    },
    LintRule {
        id: "limit-twice",
        level: LintLevel::Warning,
        summary: "Two limits for the same entity",
        explain: "Of two entries for one entity only one counts; which one is not what the attribute shows.",
        find: duplicate_limits,
    },
    LintRule {
        id: "limit-of-zero",
        level: LintLevel::Warning,
        summary: "A limit of 0",
        explain: "No job of that entity can ever start, and its jobs are not refused when they are submitted.",
        find: of_zero,
    },
    LintRule {
        id: "soft-limit-beyond-hard",
        level: LintLevel::Note,
        summary: "A soft limit that is not below the hard limit of the same entity",
        explain: "The hard limit is reached first, so no job ever counts as over the soft one.",
        find: soft_beyond_hard,
    },
    LintRule {
        id: "soft-limit-of-no-use",
        level: LintLevel::Note,
        summary: "Soft limits while preemption does not look at them",
        explain: "A soft limit only lowers the level of jobs for preemption: preemptive_sched has to be on and preempt_prio \
                  to name server_softlimits or queue_softlimits.",
        find: soft_of_no_use,
    },
];

fn draft(
    site: &LintContext<'_>,
    limit: &LimitSetting<'_>,
    why: &str,
    fix: &str,
    claim: Claim,
) -> FindingDraft {
    let what = format!("{} {why}", site.limit_words(limit));
    FindingDraft::new(what, fix, claim)
        .with_objects([site.limit_attribute(limit), limit.entry.holder()])
        .at(site.limit_place(limit))
}

fn limits_above_cluster(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let all = site.limits();
    let counts = |id: ResourceId| {
        let def = site.snap().catalogue.def(id);
        def.flags.host && def.flags.summed && site.total(id) > 0.0
    };
    let beyond = all.iter().filter(|limit| {
        limit.entry.resource.is_some_and(|id| counts(id) && limit.entry.amount.0 >= site.total(id))
    });
    let found = beyond.map(|limit| {
        let id = limit.entry.resource.unwrap_or(ResourceId::ncpus());
        let has = site.show(id, Amount(site.total(id)));
        let why = format!("is never reached: all vnodes have {has}");
        draft(site, limit, &why, "lower it, or unset it", Claim::NoEffect(site.without_limit(limit)))
    });
    found.collect()
}

fn limits_above_overall(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let all = site.limits();
    let mut found = Vec::new();
    for limit in all.iter().filter(|limit| limit.entry.scope != LimitScope::Overall && !limit.entry.soft) {
        let overall = all.iter().find(|other| {
            other.queue == limit.queue
                && other.entry.scope == LimitScope::Overall
                && !other.entry.soft
                && other.entry.resource == limit.entry.resource
                && other.entry.amount <= limit.entry.amount
        });
        // The entry of a single entity also overrides the one for all others.
        let replaces = limit.entry.entity.is_some()
            && all.iter().any(|other| {
                other.queue == limit.queue
                    && other.entry.scope == limit.entry.scope
                    && other.entry.entity.is_none()
                    && other.entry.resource == limit.entry.resource
            });
        if let Some(overall) = overall.filter(|_| !replaces) {
            let why = format!("is never reached: [o:PBS_ALL={}] is reached first", overall.entry.amount.0);
            let claim = Claim::NoEffect(site.without_limit(limit));
            found.push(draft(site, limit, &why, "lower it, or unset it", claim));
        }
    }
    found
}

fn duplicate_limits(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let all = site.limits();
    let same = |a: &LimitSetting<'_>, b: &LimitSetting<'_>| {
        a.queue == b.queue
            && (a.entry.scope, &a.entry.entity, a.entry.resource, a.entry.soft)
                == (b.entry.scope, &b.entry.entity, b.entry.resource, b.entry.soft)
    };
    let mut found = Vec::new();
    for (at, limit) in all.iter().enumerate() {
        if all.iter().take(at).any(|other| same(other, limit)) {
            let claim = Claim::AffectsCycle(site.without_limit(limit));
            found.push(draft(
                site,
                limit,
                "stands beside another limit for the same",
                "keep one of the two",
                claim,
            ));
        }
    }
    found
}

fn of_zero(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let all = site.limits();
    let zero = all.iter().filter(|limit| limit.entry.amount.0 <= 0.0 && !limit.entry.soft);
    let found = zero.map(|limit| {
        let claim = Claim::AffectsCycle(site.without_limit(limit));
        draft(site, limit, "lets no job start", "close the queue to them (acl), or unset it", claim)
    });
    found.collect()
}

fn soft_beyond_hard(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let all = site.limits();
    let mut found = Vec::new();
    for soft in all.iter().filter(|limit| limit.entry.soft) {
        let hard = all.iter().find(|other| {
            !other.entry.soft
                && other.queue == soft.queue
                && other.entry.scope == soft.entry.scope
                && other.entry.entity == soft.entry.entity
                && other.entry.resource == soft.entry.resource
                && other.entry.amount <= soft.entry.amount
        });
        if let Some(hard) = hard {
            let amount = hard.entry.amount.0;
            let why = format!("is never exceeded: the hard limit is {amount}");
            let claim = Claim::NoEffect(site.without_limit(soft));
            found.push(draft(site, soft, &why, "set it below the hard limit", claim));
        }
    }
    found
}

fn soft_of_no_use(context: &LintContext<'_>) -> Vec<FindingDraft> {
    let snap = context.snap();
    let on = context.is_enabled(&context.policy().preemptive_sched);
    let all = context.limits();
    let named = |of_server: bool| {
        let word = if of_server { "server_softlimits" } else { "queue_softlimits" };
        on && snap.scheduler.preempt_prio.contains(word)
    };
    let idle = all.iter().filter(|limit| limit.entry.soft && !named(limit.queue.is_none()));
    let found = idle.map(|limit| {
        let why = if on {
            "has no effect: preempt_prio does not name soft limits"
        } else {
            "has no effect: preemptive_sched is off"
        };
        let found = draft(
            context,
            limit,
            why,
            "name soft limits in preempt_prio, or unset it",
            Claim::NoEffect(context.without_limit(limit)),
        );
        found.at(context.attribute(LintObject::Scheduler, "preempt_prio").filter(|_| on))
    });
    found.collect()
}
