//! Rules on queues that no job can enter or leave.

use qscope_engine::cluster::{Admission, Amount, JobId, Name, Queue, QueueId, QueueKind, ResourceId};
use qscope_engine::cluster::{Holidays, PeriodStart};

use super::LintRule;
use crate::lint::finding::{Claim, FindingDraft, LintLevel};
use crate::lint::place::LintObject;
use crate::lint::site::LintContext;

pub(super) const RULES: &[LintRule] = &[
    LintRule {
        id: "default-queue",
        level: LintLevel::Error,
        summary: "A default_queue that is none, or takes no jobs",
        explain: "Every submission without -q is refused.",
        find: default_queue,
    },
    LintRule {
        id: "queue-min-above-max",
        level: LintLevel::Error,
        summary: "A queue whose resources_min is above its resources_max",
        explain: "No request lies between the two, so no job can enter.",
        find: |site| {
            bounds(site, "resources_min", |queue, id| {
                let (least, most) = (queue.minimum.amount(id)?, queue.maximum.amount(id)?);
                (least > most).then(|| {
                    format!(
                        "resources_min is {} and resources_max {}",
                        site.show(id, least),
                        site.show(id, most)
                    )
                })
            })
        },
    },
    LintRule {
        id: "queue-default-out-of-bounds",
        level: LintLevel::Error,
        summary: "A queue whose resources_default lies outside its own bounds",
        explain: "Every job that does not name the resource gets the default, and is refused for it.",
        find: |site| {
            bounds(site, "resources_default", |queue, id| {
                let default = queue.defaults.amount(id)?;
                let above = queue.maximum.amount(id).filter(|most| default > *most);
                let below = queue.minimum.amount(id).filter(|least| default < *least);
                let limit =
                    above.map(|most| ("resources_max", most)).or(below.map(|least| ("resources_min", least)));
                limit.map(|(name, limit)| {
                    format!(
                        "resources_default is {} and {name} {}",
                        site.show(id, default),
                        site.show(id, limit)
                    )
                })
            })
        },
    },
    LintRule {
        id: "queue-min-too-large",
        level: LintLevel::Error,
        summary: "A queue whose resources_min is more than the whole cluster has",
        explain: "What may enter can never run.",
        find: |site| {
            bounds(site, "resources_min", |queue, id| {
                let least = queue.minimum.amount(id)?;
                let has = site.total(id);
                let counted = site.snap().catalogue.def(id).flags.host && has > 0.0;
                (counted && least.0 > has).then(|| {
                    format!(
                        "resources_min is {}, all vnodes have {}",
                        site.show(id, least),
                        site.show(id, Amount(has))
                    )
                })
            })
        },
    },
    LintRule {
        id: "queue-never-opens",
        level: LintLevel::Error,
        summary: "A queue whose time window never opens",
        explain: "A queue named with dedicated_prefix runs in dedicated time only, and none is to come; one named with \
                  nonprimetime_prefix never runs where it is always prime time, and the reverse.",
        find: never_opens,
    },
    LintRule {
        id: "queue-admits-no-user",
        level: LintLevel::Warning,
        summary: "An access list that is switched on and admits no user or group",
        explain: "An empty list that is enabled refuses every job.",
        find: admits_no_user,
    },
    LintRule {
        id: "queue-behind-no-route",
        level: LintLevel::Warning,
        summary: "from_route_only at a queue while there is no routing queue",
        explain: "Only routing queues may put jobs into it.",
        find: |site| {
            let routes = site.snap().queues.iter().any(|queue| queue.kind == QueueKind::Route);
            let closed = site.queues().filter(|(_, queue)| !routes && queue.access.from_route_only);
            let draft = |(_, queue): (QueueId, &Queue)| {
                let what =
                    format!("queue {} takes jobs from routing queues only, and there is none", queue.name);
                let claim = Claim::Counts(site.waiting_in(&queue.name), 0.0);
                of_queue(
                    site,
                    queue,
                    "from_route_only",
                    what,
                    "unset from_route_only, or add a routing queue",
                    claim,
                )
            };
            closed.map(draft).collect()
        },
    },
    LintRule {
        id: "queue-without-vnodes",
        level: LintLevel::Error,
        summary: "A queue of a partition in which there is no vnode",
        explain: "Jobs run on vnodes of the partition of their queue only, so none can leave it.",
        find: |site| {
            let snap = site.snap();
            let has =
                |partition: &str| snap.nodes.iter().any(|node| node.partition.as_deref() == Some(partition));
            let empty =
                site.queues().filter(|(_, queue)| queue.partition.as_deref().is_some_and(|name| !has(name)));
            let draft = |(_, queue): (QueueId, &Queue)| {
                let partition = queue.partition.as_deref().unwrap_or_default();
                let what = format!("queue {} is of partition {partition}, which has no vnode", queue.name);
                let claim = Claim::Counts(site.waiting_in(&queue.name), 0.0);
                of_queue(site, queue, "partition", what, "unset the partition, or set it on vnodes", claim)
            };
            if snap.nodes.is_empty() { Vec::new() } else { empty.map(draft).collect() }
        },
    },
    LintRule {
        id: "queue-own-vnodes-gone",
        level: LintLevel::Error,
        summary: "A queue with vnodes of its own that are all down or offline",
        explain: "Jobs of a queue with bound vnodes run on those only.",
        find: own_vnodes_gone,
    },
];

fn of_queue(
    site: &LintContext<'_>,
    queue: &Queue,
    attribute: &str,
    what: String,
    fix: &str,
    claim: Claim,
) -> FindingDraft {
    FindingDraft::new(what, fix, claim)
        .with_objects([&queue.name])
        .at(site.attribute(LintObject::Queue(&queue.name), attribute))
}

fn default_queue(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let snap = site.snap();
    let Some(name) = snap.server.default_queue.as_deref() else { return Vec::new() };
    let is_dumped = ["server.json", "server.txt"].iter().any(|slot| site.files.contents(slot).is_some());
    let seen = is_dumped && snap.queues.iter().any(|queue| !queue.assumed);
    let why = match snap.queue_named(name).map(|id| &snap.queues[id]) {
        _ if !seen => None,
        None => Some("which is no queue"),
        Some(queue) if !queue.enabled => Some("which has enabled=False"),
        Some(_) => None,
    };
    let draft = |why: &str| {
        let what = format!("default_queue is {name}, {why}");
        let claim = Claim::Counts(Vec::new(), 0.0);
        FindingDraft::new(what, "name a queue that takes jobs", claim)
            .with_objects([name])
            .at(site.attribute(LintObject::Server, "default_queue"))
    };
    why.map(draft).into_iter().collect()
}

fn bounds(
    site: &LintContext<'_>,
    list: &str,
    wrong: impl Fn(&Queue, ResourceId) -> Option<String>,
) -> Vec<FindingDraft> {
    let mut found = Vec::new();
    for (_, queue) in site.queues() {
        let ids =
            queue.minimum.iter().chain(queue.maximum.iter()).chain(queue.defaults.iter()).map(|(id, _)| id);
        let mut ids: Vec<ResourceId> = ids.collect();
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            let Some(why) = wrong(queue, id) else { continue };
            let name = site.name(id).to_owned();
            let what = format!("no job can go through queue {} with {name}: {why}", queue.name);
            let claim = Claim::Counts(site.waiting_in(&queue.name), 0.0);
            found.push(of_queue(site, queue, &format!("{list}.{name}"), what, "correct the bounds", claim));
        }
    }
    found
}

/// Returns whether prime time and non-prime time ever occur.
fn periods(holidays: Option<&Holidays>) -> (bool, bool) {
    match holidays.filter(|file| file.year.is_some_and(|year| year != 0)) {
        None => (true, false),
        Some(file) if file.days.is_empty() => (true, true),
        Some(file) => {
            let has_prime = file.days.iter().any(|day| day.prime != PeriodStart::None);
            let has_other = file.days.iter().any(|day| day.non_prime != PeriodStart::None);
            (has_prime, has_other || !file.holidays.is_empty())
        }
    }
}

fn never_opens(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let (snap, policy) = (site.snap(), site.policy());
    let (prime, other) = periods(snap.holidays.as_ref());
    let begins = |name: &str, prefix: &str| !prefix.is_empty() && name.starts_with(prefix);
    let coming = snap.dedicated_time.iter().any(|slot| slot.to > snap.now);
    let why = |queue: &Queue| {
        let name = &queue.name;
        if begins(name, &policy.dedicated_prefix) && !coming {
            Some("it is for dedicated time, and none is to come")
        } else if begins(name, &policy.primetime_prefix) && !prime {
            Some("it is for prime time, and there is none")
        } else if begins(name, &policy.nonprimetime_prefix) && !other {
            Some("it is for non-prime time, and it is always prime time")
        } else {
            None
        }
    };
    let closed = site.queues().filter(|(_, queue)| queue.kind == QueueKind::Execution);
    let draft = |(_, queue): (QueueId, &Queue)| {
        let why = why(queue)?;
        let waiting = site.waiting_in(&queue.name);
        let level = if waiting.is_empty() { LintLevel::Warning } else { LintLevel::Error };
        let what = format!("no job can leave queue {}: {why}", queue.name);
        let fix = "rename the queue, or give it its time (holidays, dedicated_time)";
        let draft = of_queue(site, queue, "queue_type", what, fix, Claim::Counts(waiting, 0.0));
        Some(FindingDraft { level: Some(level), ..draft })
    };
    closed.filter_map(draft).collect()
}

fn admits_no_user(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let empty = |queue: &Queue| {
        let access = &queue.access;
        let lists =
            [("acl_users", &access.users), ("acl_groups", &access.groups), ("acl_hosts", &access.hosts)];
        let allows = |entry: &Name| !entry.starts_with('-');
        lists
            .into_iter()
            .find(|(_, list)| list.enabled && !list.entries.iter().any(allows))
            .map(|(name, _)| name)
    };
    let draft = |(_, queue): (QueueId, &Queue)| {
        let list = empty(queue)?;
        let what = format!("{list} of queue {} is switched on and admits no one", queue.name);
        let jobs: Vec<JobId> = site.waiting_in(&queue.name);
        Some(of_queue(site, queue, list, what, "fill the list, or switch it off", Claim::Counts(jobs, 0.0)))
    };
    site.queues()
        .filter(|(_, queue)| !matches!(queue.access.admits("", ""), Admission::Open))
        .filter_map(draft)
        .collect()
}

fn own_vnodes_gone(context: &LintContext<'_>) -> Vec<FindingDraft> {
    let snap = context.snap();
    let own = |queue: &Queue| {
        snap.nodes.iter().filter(|node| node.queue.as_ref() == Some(&queue.name)).collect::<Vec<_>>()
    };
    let draft = |(_, queue): (QueueId, &Queue)| {
        let nodes = own(queue);
        let gone = !nodes.is_empty() && nodes.iter().all(|node| node.states.is_out_of_service());
        let lost = nodes.is_empty() && queue.has_nodes && !snap.nodes.is_empty();
        let why = match (gone, lost) {
            (true, _) => "all of its vnodes are down or offline",
            (_, true) => "it has vnodes of its own by its attribute, and none names it",
            _ => return None,
        };
        let cores = nodes.iter().map(|node| node.available.cpus()).sum();
        let what = format!("no job can leave queue {}: {why}", queue.name);
        let claim = Claim::Counts(context.waiting_in(&queue.name), cores);
        Some(of_queue(context, queue, "hasnodes", what, "bring vnodes back, or bind others", claim))
    };
    context.queues().filter_map(draft).collect()
}
