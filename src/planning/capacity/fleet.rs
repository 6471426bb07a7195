//! Applying an estimate: ignore and unignore, launch, drain and terminate.

use std::collections::BTreeMap;

use qscope_engine::cluster::Name;

use super::estimate::Fidelity;

/// How lately a node reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// Never: it may still be booting.
    Never,
    /// Longer ago than ten minutes.
    Stale,
    /// Within the last ten minutes.
    Recently,
}

/// One node that the provider has launched.
#[derive(Clone, PartialEq, Debug)]
pub struct FleetNode {
    /// Its address.
    pub ip: Name,
    /// The name of its type.
    pub kind: Name,
    /// Whether it can be taken away.
    pub preemptible: bool,
    /// Workers running on it, as last reported.
    pub workers: u32,
    /// The part of the billing hour that is left, from 0 to 1.
    pub billing_left: f64,
    /// When it was last reported.
    pub seen: Seen,
    /// Whether the batch system states that it is in use.
    pub in_use: bool,
}

impl FleetNode {
    /// Workers as the scaler counts them: a report that is too old counts only if the node is in use, a
    /// node that never reported has none.
    pub fn counted_workers(&self) -> u32 {
        match self.seen {
            Seen::Recently => self.workers,
            Seen::Stale if self.in_use => self.workers,
            Seen::Stale | Seen::Never => 0,
        }
    }
}

/// What was asked of the batch system or the provider, in order.
#[derive(Clone, PartialEq, Debug)]
pub enum Call {
    /// Send no more jobs there.
    Ignore(Name),
    /// Send jobs there again.
    Unignore(Name),
    /// Launch nodes: how many were asked for and how many came.
    Add {
        /// The type.
        kind: Name,
        /// Whether preemptible ones.
        preemptible: bool,
        /// How many were asked for.
        asked: u64,
        /// How many came.
        got: u64,
    },
    Terminate(Vec<Name>),
}

/// How many of one type are wanted.
#[derive(Clone, PartialEq, Debug)]
pub struct TargetCount {
    /// The type.
    pub kind: Name,
    /// Whether preemptible ones.
    pub preemptible: bool,
    /// How many.
    pub want: i64,
}

/// All nodes that run, those that get no more jobs, and those that are never removed.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    /// In the order in which the provider lists them.
    pub nodes: Vec<FleetNode>,
    /// Addresses of nodes that get no more jobs: they drain.
    pub ignored: Vec<Name>,
    /// Addresses of nodes that were there before the scaler.
    pub fixed: Vec<Name>,
    /// By type name, preemptible nodes that were wanted and are not there.
    pub deficits: BTreeMap<Name, i64>,
    /// How many were launched so far; new ones are named from it.
    pub launched: u64,
    /// Whether booting nodes are distinguished from idle ones when nodes are removed (defect 13.10).
    pub fidelity: Fidelity,
}

/// What an update did.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Update {
    /// Every call in order.
    pub calls: Vec<Call>,
    /// How many of each type there are now, as the scaler counts.
    pub returned: Vec<i64>,
}

/// The most nodes that one target may launch: more is a mistake, and each is a record here.
const MAX_AT_ONCE: u64 = 1_000_000;

impl Fleet {
    /// Brings each type to what is wanted, then terminates what has drained.
    /// `cap` is the most nodes that one call gives.
    pub fn update(&mut self, targets: &[TargetCount], cap: Option<u64>) -> Update {
        let mut done = Update::default();
        for target in targets {
            let result = self.set_count(target, cap, false, &mut done.calls);
            if target.preemptible {
                self.deficits.insert(target.kind.clone(), (target.want - result).max(0));
            } else {
                self.deficits.entry(target.kind.clone()).or_insert(0);
            }
            done.returned.push(result);
        }
        self.sweep_drained(&mut done.calls);
        done
    }

    /// Takes every type down to nothing, busy or not, except the nodes that were there before.
    pub fn shut_down(&mut self, targets: &[TargetCount]) -> Vec<Call> {
        let mut calls = Vec::new();
        for target in targets {
            self.set_count(&TargetCount { want: 0, ..target.clone() }, None, true, &mut calls);
        }
        calls
    }

    fn set_count(
        &mut self,
        target: &TargetCount,
        cap: Option<u64>,
        forced: bool,
        calls: &mut Vec<Call>,
    ) -> i64 {
        let of_type = |node: &&FleetNode| node.kind == target.kind && node.preemptible == target.preemptible;
        let current = count(self.nodes.iter().filter(of_type));
        let drained: Vec<Name> = (self.nodes.iter().filter(of_type))
            .map(|node| node.ip.clone())
            .filter(|ip| self.ignored.contains(ip))
            .collect();
        let delta =
            if forced { target.want - current } else { target.want - (current - count(drained.iter())) };
        if delta > 0 {
            return self.grow(target, delta, current, drained, cap, calls);
        }
        if delta < 0 {
            return current - self.shrink(target, delta.unsigned_abs(), forced, calls);
        }
        target.want
    }

    /// Takes draining nodes back first, then launches.
    fn grow(
        &mut self,
        target: &TargetCount,
        delta: i64,
        current: i64,
        drained: Vec<Name>,
        cap: Option<u64>,
        calls: &mut Vec<Call>,
    ) -> i64 {
        let mut left = delta.unsigned_abs();
        for ip in drained {
            if left == 0 {
                break;
            }
            self.unignore(&ip, calls);
            left -= 1;
        }
        if left == 0 {
            return target.want;
        }
        let got = cap.unwrap_or(left).min(left).min(MAX_AT_ONCE);
        calls.push(Call::Add {
            kind: target.kind.clone(),
            preemptible: target.preemptible,
            asked: left,
            got,
        });
        for _ in 0..got {
            self.launched += 1;
            self.nodes.push(FleetNode {
                ip: format!("a{}", self.launched).into(),
                kind: target.kind.clone(),
                preemptible: target.preemptible,
                workers: 0,
                billing_left: 1.0,
                seen: Seen::Never,
                in_use: false,
            });
        }
        current + i64::try_from(got).unwrap_or(i64::MAX)
    }

    /// The nodes of a type that would go next, in order: idle before busy, then those whose billing hour
    /// ends soonest. Only nodes that were there before the scaler are safe.
    pub fn victims(&self, kind: &str, preemptible: bool) -> Vec<&FleetNode> {
        let mut all: Vec<&FleetNode> = (self.nodes.iter())
            .filter(|node| &*node.kind == kind && node.preemptible == preemptible)
            .filter(|node| !self.fixed.contains(&node.ip))
            .collect();
        let booting = |node: &FleetNode| self.fidelity == Fidelity::Corrected && node.seen == Seen::Never;
        all.sort_by(|a, b| {
            (a.counted_workers().cmp(&b.counted_workers()))
                .then(booting(a).cmp(&booting(b)))
                .then(a.billing_left.total_cmp(&b.billing_left))
        });
        all
    }

    /// Ignores so many nodes and terminates the idle ones of them; how many were terminated.
    fn shrink(&mut self, target: &TargetCount, how_many: u64, forced: bool, calls: &mut Vec<Call>) -> i64 {
        let how_many = usize::try_from(how_many).unwrap_or(usize::MAX);
        let chosen: Vec<(Name, bool)> = (self.victims(&target.kind, target.preemptible).into_iter())
            .take(how_many)
            .map(|node| (node.ip.clone(), node.counted_workers() == 0))
            .collect();
        for (ip, _) in &chosen {
            calls.push(Call::Ignore(ip.clone()));
            if !self.ignored.contains(ip) {
                self.ignored.push(ip.clone());
            }
        }
        let now: Vec<Name> =
            chosen.into_iter().filter(|(_, idle)| forced || *idle).map(|(ip, _)| ip).collect();
        self.terminate(now, calls)
    }

    fn terminate(&mut self, ips: Vec<Name>, calls: &mut Vec<Call>) -> i64 {
        for ip in &ips {
            self.unignore(ip, calls);
        }
        self.nodes.retain(|node| !ips.contains(&node.ip));
        let terminated = count(ips.iter());
        calls.push(Call::Terminate(ips));
        terminated
    }

    fn unignore(&mut self, ip: &Name, calls: &mut Vec<Call>) {
        self.ignored.retain(|have| have != ip);
        calls.push(Call::Unignore(ip.clone()));
    }

    /// Forgets ignored addresses that are gone, then terminates every ignored node that is idle.
    fn sweep_drained(&mut self, calls: &mut Vec<Call>) {
        let gone: Vec<Name> = (self.ignored.iter())
            .filter(|ip| !self.nodes.iter().any(|node| node.ip == **ip))
            .cloned()
            .collect();
        for ip in gone {
            self.unignore(&ip, calls);
        }
        let idle: Vec<Name> = (self.nodes.iter())
            .filter(|node| node.counted_workers() == 0 && self.ignored.contains(&node.ip))
            .map(|node| node.ip.clone())
            .collect();
        self.terminate(idle, calls);
    }
}

fn count(of: impl Iterator) -> i64 {
    i64::try_from(of.count()).unwrap_or(i64::MAX)
}
