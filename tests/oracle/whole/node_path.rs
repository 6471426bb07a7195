//! The node path: eligibility, then chunk by chunk over a list (rules 4.1, 4.2, 4.4 A, 4.5, 4.7).

use std::collections::BTreeMap;

use qscope_engine::cluster::{Arrangement, ProvisionPolicy, ResourceId, SmpDist};

use super::compare::{IN_ALL, NOW, There, fits};
use super::reason::{Code, No};
use super::world::{Allocation, Amounts, Ask, Part, Spec, Want, Who, World, exclusive, whole_host};

/// The list of nodes that is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListId {
    /// The job's own: that of its reservation, its old nodes, its queue, or the nodes of no queue.
    Own,
    Set(usize),
}

/// Amounts that the chunks placed so far take from each node.
pub(super) type Taken = BTreeMap<usize, Amounts>;

/// One evaluation, over one list or several.
pub(crate) struct Search<'a> {
    pub(super) world: &'a World,
    pub(super) who: Who,
    pub(super) ask: &'a Ask,
    /// When the job would end, by its soft and by its hard length.
    pub(super) ends: (i64, i64),
    pub(super) eligible: Vec<bool>,
    /// The reason of the node examined last, if it refused.
    pub(super) last: Option<No>,
    /// The first reason found.
    pub(super) first: Option<No>,
    /// The reason given by the last set's totals, when the search over all nodes begins.
    pub(super) left_over: Option<No>,
    /// Nodes that refused the current chunk, or equal one whose totals refused it.
    pub(super) visited: Vec<bool>,
    /// Lists that were sorted in place during the search.
    pub(crate) sorted: Vec<(ListId, Vec<usize>)>,
    /// The host of a pack job's last placement.
    pub(crate) last_host: Option<qscope_engine::cluster::Name>,
    /// The last placement, in the order in which its chunks were found.
    pub(crate) in_order: Option<Allocation>,
}

impl<'a> Search<'a> {
    /// Applies rule 4.2, once per evaluation, to the whole list.
    pub(crate) fn new(
        world: &'a World,
        who: Who,
        ask: &'a Ask,
        ends: (i64, i64),
        list: &[usize],
        qrun: bool,
    ) -> Self {
        let mut search = Self {
            world,
            who,
            ask,
            ends,
            eligible: vec![false; world.nodes.len()],
            last: None,
            first: None,
            left_over: None,
            visited: vec![false; world.nodes.len()],
            sorted: Vec::new(),
            last_host: None,
            in_order: None,
        };
        let mut taken_hosts = Vec::new();
        for &at in list {
            let node = &world.nodes[at];
            match search.refusal(at, qrun) {
                None => search.eligible[at] = true,
                Some(no) => {
                    if no.code == Code::InUse
                        && world.given.multi_vnode
                        && whole_host(node.sharing, ask.sharedness)
                    {
                        taken_hosts.push(node.host.clone());
                    }
                    // A node that is not free leaves no reason: no answer of the real scheduler names its
                    // state.
                    if no.code != Code::NodeState {
                        search.note(no);
                    }
                }
            }
        }
        for (at, node) in world.nodes.iter().enumerate() {
            search.eligible[at] &= !taken_hosts.contains(&node.host);
        }
        search
    }

    /// Applies the tests of rule 4.2 in order.
    pub(super) fn refusal(&self, at: usize, qrun: bool) -> Option<No> {
        let node = &self.world.nodes[at];
        if !node.is_free() || !node.licensed {
            return Some(No::new(Code::NodeState, ""));
        }
        let in_use = !node.jobs.is_empty() || node.reservations > 0;
        if exclusive(node.sharing, self.ask.sharedness) && in_use && !self.in_maintenance() {
            return Some(No::in_use());
        }
        match self.who {
            Who::Resv(_) if !node.resv_enable => {
                Some(No::new(Code::NoResvNode, "Node not eligible for advance reservation"))
            }
            Who::Job(job) => {
                let limit = if qrun { None } else { self.node_limit(at, job) };
                limit.or_else(|| (node.no_multinode && self.is_known_to_span(job)).then(No::multinode))
            }
            Who::Resv(_) => None,
        }
    }

    /// Returns whether a job has several chunks that must be on several nodes, or go back to several (rule
    /// 4.2.7).
    fn is_known_to_span(&self, job: usize) -> bool {
        let is_apart = match self.ask.arrangement {
            Arrangement::Scatter => true,
            Arrangement::Vscatter => !self.world.given.multi_vnode,
            Arrangement::Free | Arrangement::Pack => false,
        };
        self.ask.chunks() > 1 && (is_apart || self.world.jobs[job].back.is_some())
    }

    fn in_maintenance(&self) -> bool {
        let Who::Job(job) = self.who else { return false };
        let resv = self.world.jobs[job].reservation;
        resv.is_some_and(|resv| self.world.resvs[resv].name.starts_with('M'))
    }

    fn node_limit(&self, at: usize, job: usize) -> Option<No> {
        let (node, jobs) = (&self.world.nodes[at], &self.world.jobs);
        let reached = |limit: Option<u32>, count: usize| limit.is_some_and(|limit| count >= limit as usize);
        let of = |same: &dyn Fn(usize) -> bool| node.jobs.iter().filter(|other| same(**other)).count();
        let user = of(&|other| jobs[other].user == jobs[job].user);
        let group = of(&|other| jobs[other].group == jobs[job].group);
        let text = if reached(node.max_running, node.jobs.len()) {
            "Node has reached job run limit"
        } else if reached(node.max_user_run, user) {
            "Node has reached user run limit"
        } else if reached(node.max_group_run, group) {
            "Node has reached group run limit"
        } else {
            return None;
        };
        Some(No::new(Code::NodeLimit, text))
    }

    /// Keeps a reason if it is the first.
    pub(super) fn note(&mut self, no: No) {
        self.first.get_or_insert(no);
    }

    /// Notes the refusal by a whole set.
    pub(crate) fn refuse(&mut self, no: No) {
        self.note(no.clone());
        self.last = Some(no);
    }

    /// Returns the reported reason (rules 4.5, 5.4).
    pub(crate) fn reason(&self) -> No {
        self.last.clone().or_else(|| self.first.clone()).unwrap_or_else(No::no_nodes)
    }

    /// Returns whether the search goes host by host (rule 4.4).
    pub(super) fn goes_by_host(&self) -> bool {
        let packs = self.ask.arrangement == Arrangement::Pack && self.ask.chunks() > 1;
        self.world.given.multi_vnode || packs
    }

    fn list(&self, id: ListId, own: &[usize]) -> Vec<usize> {
        if let Some((_, list)) = self.sorted.iter().find(|(have, _)| *have == id) {
            return list.clone();
        }
        match id {
            ListId::Own => own.to_vec(),
            ListId::Set(set) => self.world.sets[set].members.clone(),
        }
    }

    /// Places on a list; if the result has several nodes, tries again without those that refuse multi-node
    /// jobs.
    pub(crate) fn on(&mut self, id: ListId, own: &[usize]) -> Option<Allocation> {
        let found = self.on_once(id, own)?;
        // A placement found host by host is final.
        if self.goes_by_host() {
            return Some(found);
        }
        let nodes = super::world::by_node(&found);
        if nodes.len() > 1 && nodes.iter().any(|(node, _)| self.world.nodes[*node].no_multinode) {
            for at in 0..self.world.nodes.len() {
                self.eligible[at] &= !self.world.nodes[at].no_multinode;
            }
            return self.on_once(id, own);
        }
        Some(found)
    }

    fn on_once(&mut self, id: ListId, own: &[usize]) -> Option<Allocation> {
        let list = self.first_order(self.list(id, own));
        if self.goes_by_host() {
            return self.by_host(&list, id);
        }
        self.on_list(id, list)
    }

    /// Places the specs in order, every chunk from the start of the list; marks last as long as the spec.
    fn on_list(&mut self, id: ListId, mut list: Vec<usize>) -> Option<Allocation> {
        self.last = None;
        let ask = self.ask;
        let mut taken = Taken::new();
        let mut scattered = vec![false; self.world.nodes.len()];
        let mut allocation = Allocation::new();
        for spec in &ask.specs {
            // For a single chunk the marks outlast the list (rule M5).
            if ask.chunks() > 1 {
                self.visited = vec![false; self.world.nodes.len()];
            }
            for _ in 0..spec.count {
                if !allocation.is_empty() && self.sorts() {
                    list = self.sort_again(id, list, &taken);
                }
                let node = self.chunk(&list, spec, &scattered, &taken)?;
                for (id, amount) in amounts(spec) {
                    *taken.entry(node).or_default().entry(id).or_default() += amount;
                }
                scattered[node] = ask.is_scattered();
                allocation.push(vec![(node, amounts(spec))]);
            }
        }
        if ask.arrangement == Arrangement::Pack {
            self.last_host = allocation.first().map(|chunk| self.world.nodes[chunk[0].0].host.clone());
        }
        Some(allocation)
    }

    /// Returns whether lists are sorted between chunks: with a sort key on usage, unless provisioning is to
    /// be avoided.
    pub(super) fn sorts(&self) -> bool {
        self.world.given.sorts_per_job && self.world.snap().policy.provision != ProvisionPolicy::Avoid
    }

    /// Sorts a list between chunks: a copy for free and pack; the list itself, permanently, for scatter and
    /// vscatter.
    fn sort_again(&mut self, id: ListId, mut list: Vec<usize>, taken: &Taken) -> Vec<usize> {
        if self.ask.is_scattered() {
            self.world.sort_nodes(&mut list);
            self.sorted.retain(|(have, _)| *have != id);
            self.sorted.push((id, list.clone()));
        } else {
            let mine = |node: usize, resource: ResourceId| of(taken.get(&node), resource);
            self.world.sort_nodes_with(&mut list, mine);
        }
        list
    }

    /// Starts round robin after the host used last (rules 4.3, 11.7).
    fn first_order(&self, mut list: Vec<usize>) -> Vec<usize> {
        let world = self.world;
        let robin = *world.snap().policy.smp_cluster_dist.get(world.period) == SmpDist::RoundRobin;
        let lone_pack = self.ask.arrangement == Arrangement::Pack && self.ask.chunks() == 1;
        if !robin || !lone_pack || world.given.sorts_per_job {
            return list;
        }
        let last = world.last_host.clone().or_else(|| Some(world.nodes[*list.first()?].host.clone()));
        list.sort_by(|a, b| world.nodes[*a].host.cmp(&world.nodes[*b].host));
        let last = last.filter(|last| list.iter().any(|node| world.nodes[*node].host == *last));
        let behind = last.and_then(|last| list.iter().position(|node| world.nodes[*node].host > last));
        list.rotate_left(behind.unwrap_or(0));
        list
    }

    fn chunk(&mut self, list: &[usize], spec: &Spec, scattered: &[bool], taken: &Taken) -> Option<usize> {
        for &at in list {
            if self.visited[at] || scattered[at] || !self.eligible[at] {
                continue;
            }
            match self.examine(at, spec, taken) {
                Ok(()) => {
                    self.last = None;
                    self.left_over = None;
                    return Some(at);
                }
                Err(no) => {
                    self.visited[at] = true;
                    self.left_over = None;
                    // For a node too small even when empty, the reason is what its totals lack.
                    let too_small = self.too_small(at, spec);
                    if too_small.is_some() {
                        let alike: Vec<usize> =
                            list.iter().copied().filter(|other| self.alike(at, *other)).collect();
                        alike.into_iter().for_each(|other| self.visited[other] = true);
                    }
                    self.last = Some(too_small.unwrap_or(no));
                }
            }
        }
        if let Some(last) = self.last.clone() {
            self.note(last);
        }
        None
    }

    /// Returns what a node's totals lack for a chunk; names are not part of a signature. Copies in a
    /// reservation are not checked this way (measured).
    pub(super) fn too_small(&self, at: usize, spec: &Spec) -> Option<No> {
        let given = &self.world.given;
        if matches!(self.who, Who::Job(job) if self.world.jobs[job].reservation.is_some()) {
            return None;
        }
        let unnamed = |(id, _): &&(ResourceId, Want)| *id != ResourceId::host() && *id != ResourceId::vnode();
        let wants = spec.wants.iter().filter(unnamed);
        wants
            .filter_map(|want| fits(given, want, self.world.there(at, want.0, 0.0), IN_ALL).err())
            .next()
            .map(No::erased)
    }

    /// Tests licence, conditions, amounts, then what is planned on the node (rule 4.5).
    pub(super) fn examine(&self, at: usize, spec: &Spec, taken: &Taken) -> Result<(), No> {
        let given = &self.world.given;
        if !self.world.nodes[at].licensed {
            return Err(No::new(Code::License, "Node has no PBS license"));
        }
        for want in &spec.wants {
            let there = self.world.there(at, want.0, self.taken_there(at, want.0, taken));
            fits(given, want, there, NOW).map_err(No::erased)?;
        }
        self.until_end(at, spec, taken)
    }

    /// Returns what the chunks of this placement take of a node's resource. For an amount that several nodes
    /// share, the search by host counts all that they take; the other search counts what is taken on the node
    /// that has the amount, and nothing for scattered chunks.
    pub(super) fn taken_there(&self, at: usize, id: ResourceId, taken: &Taken) -> f64 {
        let keeper = |node: usize| self.world.have(node, id).map_or(node, |(keeper, _)| keeper);
        if self.goes_by_host() {
            let there = taken.iter().filter(|(node, _)| keeper(**node) == keeper(at));
            return there.map(|(_, amounts)| of(Some(amounts), id)).sum();
        }
        if self.ask.is_scattered() { 0.0 } else { of(taken.get(&keeper(at)), id) }
    }

    /// Tests what starts on the node before the job's end (rule 4.6).
    fn until_end(&self, at: usize, spec: &Spec, taken: &Taken) -> Result<(), No> {
        let (world, sharing) = (self.world, self.world.nodes[at].sharing);
        if let Who::Job(job) = self.who
            && world.jobs[job].reservation.is_some()
        {
            return Ok(());
        }
        let Some(end) = self.world.busy_before(self.ends) else { return Ok(()) };
        let mut more = Amounts::default();
        for event in world.coming(end).filter(|event| event.who != Some(self.who)) {
            let Some(who) = event.who else { continue };
            let Some((_, amounts)) = event.nodes.iter().find(|(node, _)| *node == at) else { continue };
            if matches!(who, Who::Job(job) if world.jobs[job].reservation.is_some()) {
                continue;
            }
            let starts = event.what == super::world::What::Start;
            let sign = if starts { 1.0 } else { -1.0 };
            for (id, amount) in amounts {
                *more.entry(*id).or_default() += sign * amount;
            }
            let alone = [self.ask.sharedness, world.sharedness(who)].map(|place| exclusive(sharing, place));
            let short = || {
                let lacks = |want: &(ResourceId, Want)| {
                    let used = self.taken_there(at, want.0, taken) + of(Some(&more), want.0);
                    fits(&world.given, want, world.there(at, want.0, used), NOW).is_err()
                };
                spec.wants.iter().any(lacks)
            };
            if alone.contains(&true) || (starts && short()) {
                return Err(No::conflict());
            }
        }
        Ok(())
    }

    /// Returns whether two nodes have the same signature: checked resources except host and vnode, and
    /// booleans (rule 3.2); an unset boolean differs from False (case `r00006`).
    fn alike(&self, a: usize, b: usize) -> bool {
        let given = &self.world.given;
        let value = |node: usize, id: ResourceId| self.world.have(node, id).map(|(_, have)| have.clone());
        let named = |id: &ResourceId| *id == ResourceId::host() || *id == ResourceId::vnode();
        let mut ids = given.checked.union(&given.booleans).filter(|id| !named(id));
        ids.all(|id| value(a, *id) == value(b, *id))
    }

    /// Returns the consumables of a chunk as one vnode's part.
    pub(super) fn part(&self, node: usize, spec: &Spec) -> Part {
        (node, amounts(spec))
    }

    /// Returns what a node has left of a resource after what this placement has taken.
    pub(super) fn left(&self, node: usize, id: ResourceId, taken: &Taken) -> Option<f64> {
        match self.world.there(node, id, self.taken_there(node, id, taken)) {
            There::Amount(left, _) => Some(left.max(0.0)),
            _ => None,
        }
    }
}

/// Returns the consumables of a chunk.
pub(super) fn amounts(spec: &Spec) -> Vec<(ResourceId, f64)> {
    let amount = |(id, want): &(ResourceId, Want)| match want {
        Want::Amount(amount) => Some((*id, *amount)),
        _ => None,
    };
    spec.wants.iter().filter_map(amount).collect()
}

/// Returns an amount from a row that may be missing.
pub(super) fn of(amounts: Option<&Amounts>, id: ResourceId) -> f64 {
    amounts.and_then(|amounts| amounts.get(&id)).copied().unwrap_or(0.0)
}
