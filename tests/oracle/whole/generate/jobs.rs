//! Generates running and waiting jobs.

use qscope_engine::cluster::{
    Amount, ArrayAttributes, Epoch, ExecVnode, Job, JobState, NodeId, NodeState, Place, ResourceId,
    ResourceList, Seconds, Select, Substate, Value,
};

use super::{Maker, NOW};

impl Maker {
    /// Returns a job with the attributes that every job has.
    fn job(&mut self, id: &str, select: &str, place: &str, walltime: Option<i64>) -> Job {
        let select = Select::parse(select).ok();
        let mut requested: ResourceList =
            select.as_ref().map(|select| select.sums(&self.snap.catalogue)).unwrap_or_default();
        if let Some(seconds) = walltime {
            requested.set(ResourceId::walltime(), Value::Amount(Amount(seconds as f64)));
        }
        let at = self.snap.jobs.len() as i64;
        Job {
            name: format!("{id}.svr").into(),
            sequence: at as u64 + 1,
            user: format!("user{}", self.dice.range(1, 5)).into(),
            group: self.dice.of(&["users", "g2"]).into(),
            project: self.dice.of(&["_pbs_project_default", "pa"]).into(),
            queue: "workq".into(),
            priority: self.dice.of(&[0, 0, 0, 10, -5]),
            select,
            place: Place::parse(place).ok(),
            requested: requested.into(),
            queue_rank: Some((NOW + at) * 1_000_000),
            rerunable: self.dice.percent(80),
            checkpointable: self.dice.percent(80),
            eligible_time: Seconds(self.dice.of(&[0, 60, 3600, 20_000])),
            ..Job::default()
        }
    }

    fn walltime(&mut self) -> i64 {
        self.dice.of(&[600, 1800, 3600, 3600, 7200, 7200, 14_400, 28_800])
    }

    pub(crate) fn make_running(&mut self) {
        let most = self.snap.nodes.len() as i64;
        for number in 0..self.dice.range(most / 3, most) {
            let free: Vec<NodeId> = self.idle();
            if free.is_empty() {
                return;
            }
            let node = self.dice.of(&free);
            let cpus = self.ncpus(node);
            let part = if self.dice.percent(45) { cpus } else { self.dice.range(1, cpus) };
            let excl = self.dice.percent(30);
            let walltime = self.walltime();
            let mut job = self.job(
                &format!("{}", number + 1),
                &format!("1:ncpus={part}"),
                if excl { "scatter:excl" } else { "free" },
                Some(walltime),
            );
            if self.topics.soft_walltime && self.dice.percent(40) {
                job.requested.set(ResourceId::soft_walltime(), Value::Amount(Amount((walltime / 2) as f64)));
            }
            let ago = self.dice.range(1, 58) * 60;
            job.queue = self.dice.of(&["workq", "workq", "q2"]).into();
            (job.state, job.started) = (JobState::Running, Some(Epoch(self.snap.now.0 - ago)));
            job.used.set(ResourceId::walltime(), Value::Amount(Amount(ago as f64)));
            let name = self.snap.nodes[node].name.clone();
            job.exec_vnode = ExecVnode::parse(&format!("({name}:ncpus={part})")).ok();
            let row = &mut self.snap.nodes[node];
            row.jobs.push(job.name.clone());
            row.assigned.set(ResourceId::ncpus(), Value::Amount(Amount(part as f64)));
            let alone = excl || row.sharing == qscope_engine::cluster::Sharing::DefaultExcl;
            if alone {
                row.states = row.states.with(NodeState::JobExclusive);
            }
            if part == cpus {
                row.states = row.states.with(NodeState::JobBusy);
            }
            self.snap.jobs.push(job);
        }
    }

    pub(crate) fn make_waiting(&mut self) {
        let shapes: Vec<(String, String)> =
            (0..self.dice.range(4, 12)).map(|_| (self.select(), self.place())).collect();
        let queues: Vec<_> = self.snap.queues.iter().map(|queue| queue.name.clone()).collect();
        for number in 0..self.dice.range(10, 30) {
            let (select, place) = self.dice.of(&shapes);
            let walltime = if self.dice.percent(90) { Some(self.walltime()) } else { None };
            let array = self.topics.arrays && self.dice.percent(20);
            let id = format!("{}{}", 100 + number, if array { "[]" } else { "" });
            let mut job = self.job(&id, &select, &place, walltime);
            job.queue = self.dice.of(&queues);
            if job.queue.starts_with('R') {
                job.reservation = Some(format!("{}.svr", job.queue).into());
            }
            if array {
                let last = self.dice.range(1, 4) as u32;
                let most = if self.dice.percent(40) { Some(self.dice.range(1, 2) as u32) } else { None };
                let info = ArrayAttributes {
                    is_parent: true,
                    remaining: (0..=last).collect(),
                    max_run_subjobs: most,
                    ..ArrayAttributes::default()
                };
                job.array = Some(Box::new(info));
            } else if self.topics.shrink && self.dice.percent(30) {
                self.make_shrinkable(&mut job);
            } else if self.topics.states && self.dice.percent(10) {
                self.suspend(&mut job);
            }
            job.topjob_ineligible = self.dice.percent(5);
            self.snap.jobs.push(job);
        }
    }

    fn make_shrinkable(&mut self, job: &mut Job) {
        let min = self.dice.of(&[600, 1800, 3600]);
        job.requested.unset(ResourceId::walltime());
        job.requested.set(ResourceId::min_walltime(), Value::Amount(Amount(min as f64)));
        let max = min + self.dice.of(&[600, 3600, 14_400]);
        job.requested.set(ResourceId::max_walltime(), Value::Amount(Amount(max as f64)));
    }

    /// Makes the job one that the scheduler suspended on one vnode.
    fn suspend(&mut self, job: &mut Job) {
        let nodes: Vec<NodeId> = self.snap.nodes.ids().collect();
        let node = self.dice.of(&nodes);
        let cpus = self.dice.range(1, self.ncpus(node));
        let walltime = job.requested.amount(ResourceId::walltime()).map(|amount| amount.0 as i64);
        let id = job.short_name().to_owned();
        *job = self.job(&id, &format!("1:ncpus={cpus}"), "free", walltime);
        job.queue = self.snap.nodes[node].queue.clone().unwrap_or_else(|| "workq".into());
        (job.state, job.substate) = (JobState::Suspended, Substate::SCHED_SUSPENDED);
        job.exec_vnode = ExecVnode::parse(&format!("({}:ncpus={cpus})", self.snap.nodes[node].name)).ok();
    }

    fn select(&mut self) -> String {
        let parts: Vec<String> = (0..self.dice.of(&[1, 1, 1, 2, 2, 3])).map(|_| self.chunk()).collect();
        parts.join("+")
    }

    fn chunk(&mut self) -> String {
        let mut text = format!(
            "{}:ncpus={}",
            self.dice.of(&[1, 1, 1, 2, 2, 3, 4]),
            self.dice.of(&[1, 1, 2, 2, 4, 8, 12, 20])
        );
        for (chance, resource, values) in [
            (30, "mem", ["1gb", "2gb", "12gb"]),
            (25, "ngpus", ["1", "2", "3"]),
            (20, "color", ["red", "blue", "red"]),
            (20, "fast", ["True", "False", "True"]),
        ] {
            if self.dice.percent(chance) {
                text.push_str(&format!(":{resource}={}", self.dice.of(&values)));
            }
        }
        text
    }

    fn place(&mut self) -> String {
        let words = [
            "free:excl",
            "scatter:excl",
            "scatter:excl",
            "vscatter:excl",
            "excl",
            "free",
            "free",
            "scatter",
            "pack",
            "free:shared",
            "vscatter",
            "free:exclhost",
        ];
        let mut place = self.dice.of(&words).to_owned();
        if self.topics.sets && self.dice.percent(20) {
            place.push_str(self.dice.of(&[":group=switch", ":group=router"]));
        }
        place
    }
}
