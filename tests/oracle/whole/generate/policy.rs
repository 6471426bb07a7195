//! Generates options, queues, limits and shares.

use qscope_engine::cluster::{
    Amount, ByPeriod, Epoch, JobSortKey, LimitEntry, LimitScope, Limits, Name, NodeSortKey, Queue,
    ResourceId, ShareGroup, UsageRecord,
};

use super::Maker;

impl Maker {
    pub(crate) fn make_policy(&mut self) {
        let topics = self.topics;
        let mut line: Vec<Name> =
            ["ncpus", "mem", "host", "vnode", "ngpus", "color"].map(Name::from).to_vec();
        if self.dice.percent(30) {
            line.push("fast".into());
        }
        self.snap.policy.resources = Some(line);
        if topics.unset {
            self.snap.policy.resource_unset_infinite = vec!["ngpus".into()];
        }
        self.snap.policy.by_queue = ByPeriod::both(self.dice.percent(60));
        self.snap.policy.round_robin = ByPeriod::both(self.dice.percent(6));
        self.snap.policy.preemptive_sched = ByPeriod::both(topics.preempt);
        self.snap.policy.strict_ordering = ByPeriod::both(topics.calendar || self.dice.percent(30));
        self.snap.server.backfill_depth =
            Some(if topics.calendar { self.dice.range(1, 6) as u32 } else { self.dice.range(0, 2) as u32 });
        if topics.sort {
            let keys =
                ["ncpus HIGH unused", "mem LOW assigned", "ncpus LOW", "mem HIGH", "ngpus HIGH unused"];
            let key = NodeSortKey::parse(self.dice.of(&keys)).unwrap();
            self.snap.policy.node_sort_key = ByPeriod::both(vec![key]);
        }
        if self.dice.percent(25) {
            let key = JobSortKey::parse(self.dice.of(&["job_priority HIGH", "walltime LOW", "ncpus HIGH"]))
                .unwrap();
            self.snap.policy.job_sort_key = ByPeriod::both(vec![key]);
        }
        self.make_queues();
        self.make_preemption();
        self.make_shares();
        if topics.sets {
            self.snap.server.node_group_enable = true;
            self.snap.server.node_group_key = if self.dice.percent(60) {
                vec!["switch".into()]
            } else {
                vec!["switch".into(), "router".into()]
            };
            self.snap.scheduler.do_not_span_psets = self.dice.percent(40);
            self.snap.scheduler.only_explicit_psets = self.dice.percent(30);
        }
    }

    fn make_queues(&mut self) {
        let mut names = vec!["workq", "q2"];
        if self.topics.preempt {
            names.push("express");
        }
        for name in names {
            let mut queue = Queue::named(name);
            queue.priority = if name == "express" { 150 } else { self.dice.range(0, 120) };
            if self.topics.sets && self.dice.percent(25) {
                queue.node_group_key = vec!["router".into()];
            }
            if self.topics.calendar && self.dice.percent(25) {
                queue.backfill_depth = Some(self.dice.range(0, 3) as u32);
            }
            queue.limits = self.limits(40);
            self.snap.queues.push(queue);
        }
        self.snap.server.limits = self.limits(80);
    }

    fn limits(&mut self, chance: i64) -> Limits {
        let mut limits = Limits::default();
        for soft in [true, false] {
            let wanted = if soft { self.topics.soft } else { self.topics.hard };
            for scope in [LimitScope::User, LimitScope::Group, LimitScope::Project, LimitScope::Overall] {
                for resource in [None, Some(ResourceId::ncpus())] {
                    if wanted && self.dice.percent(chance / 3) {
                        limits.entries.push(self.limit(scope, resource, soft));
                    }
                }
            }
        }
        limits
    }

    fn limit(&mut self, scope: LimitScope, resource: Option<ResourceId>, soft: bool) -> LimitEntry {
        let most = if resource.is_some() { 40 } else { 6 };
        let times = if scope == LimitScope::Overall { 3 } else { 1 };
        let own = scope == LimitScope::User && self.dice.percent(30);
        let entity: Option<Name> = own.then(|| "user1".into());
        let amount = Amount((self.dice.range(if resource.is_some() { 4 } else { 1 }, most) * times) as f64);
        LimitEntry { scope, entity, resource, amount, soft }
    }

    fn make_preemption(&mut self) {
        let scheduler = &mut self.snap.scheduler;
        scheduler.preempt_order =
            self.dice.of(&["SCR", "S", "R", "C", "D", "CR", "SCR 80 CR 50 D", "S 30 R"]).into();
        scheduler.preempt_prio = self
            .dice
            .of(&[
                "express_queue, normal_jobs",
                "express_queue, normal_jobs, server_softlimits, queue_softlimits",
                "express_queue, normal_jobs, queue_softlimits+server_softlimits, queue_softlimits, server_softlimits",
                "normal_jobs, server_softlimits, queue_softlimits",
                "express_queue, normal_jobs, fairshare",
            ])
            .into();
        scheduler.enforce_resumption = self.dice.percent(30);
        if self.dice.percent(30) {
            scheduler.preempt_sort = "preempt_priority".into();
        }
    }

    fn make_shares(&mut self) {
        if self.topics.formula {
            let formulas = [
                "ncpus*10 + job_priority",
                "queue_priority + job_priority*2 - walltime/3600",
                "eligible_time/60 + ncpus*10",
            ];
            self.snap.scheduler.job_sort_formula = Some(self.dice.of(&formulas).to_owned());
        }
        if !self.topics.shares {
            return;
        }
        self.snap.policy.fair_share = ByPeriod::both(true);
        self.snap.policy.fairshare.unknown_shares = 10.0;
        self.snap.policy.fairshare.usage_res = self.dice.of(&["cput", "ncpus*walltime", "walltime"]).into();
        for number in 1..=5 {
            let shares = self.dice.range(10, 80) as f64;
            let name: Name = format!("user{number}").into();
            self.snap.share_groups.push(ShareGroup {
                name: name.clone(),
                number,
                parent: "root".into(),
                shares,
            });
            let usage = self.dice.of(&[1.0, 100.0, 2000.0, 40_000.0]);
            let decayed = Some(Epoch(super::NOW - 3600));
            self.snap.usage.push(UsageRecord { name, usage, decayed });
        }
    }
}
