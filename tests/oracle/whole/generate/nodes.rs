//! Generates vnodes, and reservations on them.

use qscope_engine::cluster::{
    Amount, Epoch, ExecVnode, License, Name, Node, NodeId, NodeState, NodeStates, Place, Queue, Reservation,
    ReservationState, ResourceId, Select, Sharing, Value,
};

use super::{Maker, NOW};

const GB: f64 = 1024.0 * 1024.0;

impl Maker {
    pub(crate) fn make_nodes(&mut self) {
        let count = self.dice.range(8, 32);
        let several = if self.topics.multi_vnode { self.dice.range(2, 3) } else { 1 };
        let kinds = [self.dice.of(&[2, 4, 8]), self.dice.of(&[8, 12, 16, 24])];
        let sharing = self.dice.of(&[
            Sharing::DefaultShared,
            Sharing::DefaultShared,
            Sharing::DefaultShared,
            Sharing::DefaultExcl,
        ]);
        for at in 0..count {
            let host = format!("h{:02}", at / several);
            let name = if several > 1 { format!("{host}[{}]", at % several) } else { format!("n{at:02}") };
            let host: Name = if several > 1 { host.into() } else { name.as_str().into() };
            let mut node = Node {
                name: name.as_str().into(),
                license: License::Locked,
                resv_enable: true,
                sharing,
                ..Node::default()
            };
            let available = &mut node.available;
            let text = |text: &str| Value::Texts(Box::new([text.into()]));
            available.set(ResourceId::host(), text(&host));
            available.set(ResourceId::vnode(), text(&name));
            available.set(ResourceId::ncpus(), Value::Amount(Amount(self.dice.of(&kinds) as f64)));
            available.set(ResourceId::mem(), Value::Amount(Amount(self.dice.of(&[8.0, 16.0, 64.0]) * GB)));
            if self.dice.percent(60) {
                available.set(self.ngpus, Value::Amount(Amount(self.dice.range(0, 4) as f64)));
            }
            if self.dice.percent(60) {
                available.set(self.fast, Value::Bool(self.dice.percent(50)));
            }
            if self.dice.percent(60) {
                available.set(self.color, text(self.dice.of(&["red", "blue"])));
            }
            for (key, width) in [(self.keys[0], 4), (self.keys[1], 8)] {
                if self.topics.sets && self.dice.percent(90) {
                    available.set(key, text(&format!("s{}", at / width)));
                }
            }
            if self.topics.states && self.dice.percent(10) {
                let state = self.dice.of(&[
                    NodeState::Offline,
                    NodeState::Down,
                    NodeState::Busy,
                    NodeState::Maintenance,
                ]);
                node.states = NodeStates::FREE.with(state);
            }
            if self.topics.queue_nodes && self.dice.percent(30) {
                node.queue = Some("q2".into());
            }
            self.snap.nodes.push(node);
        }
    }

    /// Returns the vnodes that are idle and bound to no queue.
    pub(crate) fn idle(&self) -> Vec<NodeId> {
        let idle = |node: &Node| {
            node.states.is_free()
                && node.jobs.is_empty()
                && node.reservations.is_empty()
                && node.queue.is_none()
        };
        self.snap.nodes.enumerate().filter(|(_, node)| idle(node)).map(|(id, _)| id).collect()
    }

    pub(crate) fn ncpus(&self, node: NodeId) -> i64 {
        self.snap.nodes[node].available.amount(ResourceId::ncpus()).map_or(0, |amount| amount.0 as i64)
    }

    /// Makes perhaps one running reservation, and some that start later.
    pub(crate) fn make_reservations(&mut self) {
        if !self.topics.reservations {
            return;
        }
        for number in 0..self.dice.range(1, 4) {
            let idle = self.idle();
            if idle.len() < 3 {
                return;
            }
            let on: Vec<NodeId> = (0..self.dice.range(1, 2)).map(|_| self.dice.of(&idle)).collect();
            let runs = number == 0 && self.dice.percent(60);
            self.make_reservation(number, &on[..1], runs);
        }
    }

    fn make_reservation(&mut self, number: i64, on: &[NodeId], runs: bool) {
        let name = format!("R{}.svr", 70 + number);
        let queue: Name = format!("R{}", 70 + number).into();
        let excl = self.dice.percent(50);
        let parts: Vec<String> = on
            .iter()
            .map(|node| format!("({}:ncpus={})", self.snap.nodes[*node].name, self.ncpus(*node)))
            .collect();
        let start = if runs { NOW - 600 } else { NOW + self.dice.of(&[1800, 3600, 7200, 14_400]) };
        let length = self.dice.of(&[1800, 3600, 7200]);
        for &node in on {
            let cpus = self.ncpus(node) as f64;
            let row = &mut self.snap.nodes[node];
            row.reservations.push(name.as_str().into());
            if runs {
                row.assigned.set(ResourceId::ncpus(), Value::Amount(Amount(cpus)));
                if excl {
                    row.states = row.states.with(NodeState::ResvExclusive);
                }
            }
        }
        self.snap.queues.push(Queue { started: runs, ..Queue::named(&queue) });
        self.snap.reservations.push(Reservation {
            name: name.as_str().into(),
            state: if runs { ReservationState::Running } else { ReservationState::Confirmed },
            substate: if runs { ReservationState::Running } else { ReservationState::Confirmed },
            start: Some(Epoch(start)),
            end: Some(Epoch(start + length)),
            queue: Some(queue),
            select: Select::parse(&format!("1:ncpus={}", self.ncpus(on[0]))).ok(),
            place: Place::parse(if excl { "scatter:excl" } else { "scatter" }).ok(),
            nodes: ExecVnode::parse(&parts.join("+")).ok(),
            ..Reservation::default()
        });
    }
}
