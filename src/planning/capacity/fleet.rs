//! Applies an estimate: ignores and unignores, launches, drains and terminates nodes.

use std::collections::BTreeMap;

use qscope_engine::cluster::Name;

use super::estimate::Fidelity;

/// How recently a node reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportAge {
    /// Never: it may still be booting.
    Never,
    /// More than ten minutes ago.
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
    /// Whether the provider may take it away.
    pub preemptible: bool,
    /// Workers running on it, as last reported.
    pub workers: u32,
    /// Share of the billing hour that is left, from 0 to 1.
    pub billing_left: f64,
    /// How recently it reported.
    pub seen: ReportAge,
    /// Whether the batch system reports it as in use.
    pub in_use: bool,
}

impl FleetNode {
    /// Returns the workers as the scaler counts them: a stale report counts only if the node is in use; a
    /// node that never reported has none.
    pub fn counted_workers(&self) -> u32 {
        match self.seen {
            ReportAge::Recently => self.workers,
            ReportAge::Stale if self.in_use => self.workers,
            ReportAge::Stale | ReportAge::Never => 0,
        }
    }
}

/// A request to the batch system or to the provider.
#[derive(Clone, PartialEq, Debug)]
pub enum FleetCall {
    /// Send no more jobs to this node.
    Ignore(Name),
    /// Send jobs to this node again.
    Unignore(Name),
    /// Launch nodes.
    Add {
        /// The type.
        kind: Name,
        /// Whether the nodes are preemptible.
        preemptible: bool,
        /// Number of nodes requested.
        asked: u64,
        /// Number of nodes obtained.
        got: u64,
    },
    Terminate(Vec<Name>),
}

/// The number of nodes wanted of one type.
#[derive(Clone, PartialEq, Debug)]
pub struct TargetCount {
    /// The type.
    pub kind: Name,
    pub preemptible: bool,
    /// Number of nodes wanted.
    pub want: i64,
}

/// All launched nodes, those that accept no more jobs, and those that are never removed.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    /// In the order in which the provider lists them.
    pub nodes: Vec<FleetNode>,
    /// Addresses of draining nodes, which get no more jobs.
    pub ignored: Vec<Name>,
    /// Addresses of nodes that existed before the scaler and are never removed.
    pub fixed: Vec<Name>,
    /// By type name, preemptible nodes that were wanted and could not be obtained.
    pub deficits: BTreeMap<Name, i64>,
    /// Number of nodes launched so far, from which new ones are named.
    pub launched: u64,
    /// Whether booting nodes are distinguished from idle ones when nodes are removed (defect 13.10).
    pub fidelity: Fidelity,
}

/// The result of an update.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FleetUpdateOutcome {
    /// Every call in order.
    pub calls: Vec<FleetCall>,
    /// Number of nodes of each target's type now, as the scaler counts.
    pub returned: Vec<i64>,
}

/// Maximum number of nodes that one target may launch: each is a record in memory, and a larger count is a
/// mistake.
const MAX_AT_ONCE: u64 = 1_000_000;

impl Fleet {
    /// Brings each type to its wanted count, then terminates the drained nodes.
    /// `cap` is the maximum number of nodes that one call obtains.
    pub fn update(&mut self, targets: &[TargetCount], cap: Option<u64>) -> FleetUpdateOutcome {
        let mut done = FleetUpdateOutcome::default();
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

    /// Terminates the nodes of every type, busy or not, except those that existed before the scaler.
    pub fn shut_down(&mut self, targets: &[TargetCount]) -> Vec<FleetCall> {
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
        calls: &mut Vec<FleetCall>,
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

    /// Unignores draining nodes first, then launches new ones.
    fn grow(
        &mut self,
        target: &TargetCount,
        delta: i64,
        current: i64,
        drained: Vec<Name>,
        cap: Option<u64>,
        calls: &mut Vec<FleetCall>,
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
        calls.push(FleetCall::Add {
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
                seen: ReportAge::Never,
                in_use: false,
            });
        }
        current + i64::try_from(got).unwrap_or(i64::MAX)
    }

    /// Returns the nodes of a type in the order of their removal: idle before busy, then those whose billing
    /// hour ends soonest. Nodes that existed before the scaler are left out.
    pub fn victims(&self, kind: &str, preemptible: bool) -> Vec<&FleetNode> {
        let mut all: Vec<&FleetNode> = (self.nodes.iter())
            .filter(|node| &*node.kind == kind && node.preemptible == preemptible)
            .filter(|node| !self.fixed.contains(&node.ip))
            .collect();
        let booting =
            |node: &FleetNode| self.fidelity == Fidelity::Corrected && node.seen == ReportAge::Never;
        all.sort_by(|a, b| {
            (a.counted_workers().cmp(&b.counted_workers()))
                .then(booting(a).cmp(&booting(b)))
                .then(a.billing_left.total_cmp(&b.billing_left))
        });
        all
    }

    /// Ignores `how_many` nodes and terminates the idle ones of them; returns how many were terminated.
    fn shrink(
        &mut self,
        target: &TargetCount,
        how_many: u64,
        forced: bool,
        calls: &mut Vec<FleetCall>,
    ) -> i64 {
        let how_many = usize::try_from(how_many).unwrap_or(usize::MAX);
        let chosen: Vec<(Name, bool)> = (self.victims(&target.kind, target.preemptible).into_iter())
            .take(how_many)
            .map(|node| (node.ip.clone(), node.counted_workers() == 0))
            .collect();
        for (ip, _) in &chosen {
            calls.push(FleetCall::Ignore(ip.clone()));
            if !self.ignored.contains(ip) {
                self.ignored.push(ip.clone());
            }
        }
        let now: Vec<Name> =
            chosen.into_iter().filter(|(_, idle)| forced || *idle).map(|(ip, _)| ip).collect();
        self.terminate(now, calls)
    }

    fn terminate(&mut self, ips: Vec<Name>, calls: &mut Vec<FleetCall>) -> i64 {
        for ip in &ips {
            self.unignore(ip, calls);
        }
        self.nodes.retain(|node| !ips.contains(&node.ip));
        let terminated = count(ips.iter());
        calls.push(FleetCall::Terminate(ips));
        terminated
    }

    fn unignore(&mut self, ip: &Name, calls: &mut Vec<FleetCall>) {
        self.ignored.retain(|have| have != ip);
        calls.push(FleetCall::Unignore(ip.clone()));
    }

    /// Unignores addresses that no longer exist, then terminates every ignored node that is idle.
    fn sweep_drained(&mut self, calls: &mut Vec<FleetCall>) {
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
