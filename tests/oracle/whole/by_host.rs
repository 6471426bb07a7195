//! The node path host by host (rules 4.4 B, 4.5): for hosts with several vnodes, and for packs of several
//! chunks.

use qscope_engine::cluster::{Arrangement, Name, PlaceSharing, ResourceId};

use super::compare::{NOW, fits};
use super::node_path::{ListId, Search, Taken, of};
use super::reason::{Code, No};
use super::sets::{Owner, Set};
use super::world::{Allocation, Part, Spec, Want, Who, exclusive, whole_host};

/// What was placed so far.
#[derive(Clone)]
struct Placed {
    wanted: Vec<usize>,
    /// The spec of each chunk, in the order of allocation.
    parts: Vec<(usize, Vec<Part>)>,
    taken: Taken,
    /// Whether chunks are split under vscatter too: in a set that is on one host (rule M21).
    breaks_scattered: bool,
}

impl Placed {
    fn has(&self, node: usize) -> bool {
        self.parts.iter().flat_map(|(_, parts)| parts).any(|(have, _)| *have == node)
    }
}

impl Search<'_> {
    /// Tries the hosts in the order of the list. The list of a set makes new sums of each host; the list of
    /// the complex uses the kept ones.
    pub(super) fn by_host(&mut self, list: &[usize], id: ListId) -> Option<Allocation> {
        let said = match self.on_hosts(list, id) {
            Ok(allocation) => return Some(allocation),
            Err(said) => said,
        };
        self.last = if id == ListId::Own { said.clone() } else { self.said_anew(list, id, &said) };
        if let Some(said) = said {
            self.note(said);
        }
        None
    }

    /// Vnodes that refused a single packed chunk in an earlier set leave no reason in this one (rule M5).
    fn said_anew(&mut self, list: &[usize], id: ListId, said: &Option<No>) -> Option<No> {
        if self.ask.arrangement != Arrangement::Pack || self.ask.chunks() != 1 {
            return said.clone();
        }
        let all = self.eligible.clone();
        list.iter().for_each(|node| self.eligible[*node] &= !self.visited[*node]);
        let said = self.on_hosts(list, id).err().flatten();
        self.eligible = all;
        list.iter().for_each(|node| self.visited[*node] = true);
        said
    }

    /// Searches host by host; returns the first reason if there is no room.
    fn on_hosts(&mut self, list: &[usize], id: ListId) -> Result<Allocation, Option<No>> {
        let ask = self.ask;
        let mut said = None;
        let mut placed = Placed {
            wanted: ask.specs.iter().map(|spec| spec.count).collect(),
            parts: Vec::new(),
            taken: Taken::new(),
            breaks_scattered: false,
        };
        let mut scattered = Vec::new();
        let hosts = self.hosts(list, id);
        placed.breaks_scattered = matches!(id, ListId::Set(_)) && hosts.len() == 1;
        for (members, sums) in hosts {
            self.hear_left_over(&members, &sums, &mut said);
            let before = placed.parts.len();
            self.on_host(&sums, &members, &mut placed, &mut scattered, &mut said);
            if placed.parts.len() != before && !self.goes_back() {
                self.rest_of_host(&self.world.nodes[members[0]].host.clone(), before, &mut placed);
            }
            if placed.wanted.iter().all(|count| *count == 0) {
                self.keep_sorted(list, id, &placed.taken);
                if self.ask.arrangement == Arrangement::Pack {
                    let mut on = placed.parts.iter().rev().flat_map(|(_, parts)| parts.iter().rev());
                    let given = on.find(|(_, amounts)| !amounts.is_empty());
                    self.last_host = given.map(|(node, _)| self.world.nodes[*node].host.clone());
                }
                self.in_order = Some(placed.parts.iter().map(|(_, parts)| parts.clone()).collect());
                placed.parts.sort_by_key(|(spec, _)| *spec);
                return Ok(placed.parts.into_iter().map(|(_, parts)| parts).collect());
            }
        }
        // A vnode that took the one chunk it may take stays unavailable in the next list (rule M6).
        scattered.into_iter().for_each(|node| self.eligible[node] = false);
        Err(said)
    }

    /// Keeps the list sorted by what freely placed chunks take (rule M37).
    fn keep_sorted(&mut self, list: &[usize], id: ListId, taken: &Taken) {
        let ask = self.ask;
        let sorts = ask.arrangement == Arrangement::Free && ask.chunks() > 1 && self.sorts();
        if sorts && self.world.given.multi_vnode && matches!(id, ListId::Set(_)) {
            let mut list = list.to_vec();
            self.world.sort_nodes_with(&mut list, |node, id| of(taken.get(&node), id));
            self.sorted.retain(|(have, _)| *have != id);
            self.sorted.push((id, list));
        }
    }

    /// Takes the reason left over by the last set's totals if the first host gives none of its own.
    fn hear_left_over(&mut self, members: &[usize], sums: &Set, said: &mut Option<No>) {
        let Some(no) = self.left_over.take() else { return };
        let silent = match self.ask.arrangement {
            Arrangement::Pack => !members.iter().any(|node| self.eligible[*node]),
            _ => sums.free_nodes < 1,
        };
        if silent {
            let never = no.code == Code::NoTotalNodes;
            says(said, Some(No { never, ..no.erased() }));
        }
    }

    /// Returns whether a job goes back to its nodes: it then gets those and no others (case `d3196`).
    fn goes_back(&self) -> bool {
        matches!(self.who, Who::Job(job) if self.world.jobs[job].back.is_some() && self.on_server())
    }

    /// Returns whether a job goes back to its nodes or names some: it then has its own list, with its own
    /// hosts.
    fn has_own_list(&self) -> bool {
        let Who::Job(job) = self.who else { return false };
        self.world.jobs[job].back.is_some() || !self.world.jobs[job].node_set.is_empty()
    }

    /// Returns the hosts of a list with their sums.
    fn hosts(&self, list: &[usize], id: ListId) -> Vec<(Vec<usize>, Set)> {
        let world = self.world;
        let mut hosts: Vec<Name> = Vec::new();
        for &node in list {
            if !hosts.contains(&world.nodes[node].host) {
                hosts.push(world.nodes[node].host.clone());
            }
        }
        // If no queue has nodes, the hosts of the complex and their vnodes stay as they were sorted (rule
        // M17).
        let is_complex = id == ListId::Own && !self.has_own_list();
        let is_whole = is_complex && world.unbound.len() == world.all.len();
        let is_sorted = is_whole && world.given.sorts_per_job && world.given.multi_vnode;
        if is_sorted && list.iter().all(|node| world.unbound.contains(node)) {
            let place =
                |host: &Name| world.pools.hosts.iter().position(|set| world.sets[*set].name == **host);
            hosts.sort_by_key(|host| place(host).unwrap_or(usize::MAX));
        }
        let sums = |host: &Name| {
            let mut members: Vec<usize> =
                list.iter().copied().filter(|node| world.nodes[*node].host == *host).collect();
            let kept = world.pools.hosts.iter().map(|set| &world.sets[*set]).find(|set| set.name == **host);
            let is_unbound = members.iter().all(|node| world.unbound.contains(node));
            if let Some(kept) = kept.filter(|_| is_sorted && is_unbound) {
                members = kept.members.iter().copied().filter(|node| members.contains(node)).collect();
            }
            let set = match kept.filter(|_| is_complex && is_unbound) {
                Some(set) => set.clone(),
                None => Set::new(world, host.to_string(), Owner::Host, members.clone()),
            };
            (members, set)
        };
        hosts.iter().map(sums).collect()
    }

    fn on_host(
        &self,
        sums: &Set,
        members: &[usize],
        placed: &mut Placed,
        scattered: &mut Vec<usize>,
        said: &mut Option<No>,
    ) {
        let mut open: Vec<usize> = members.iter().copied().filter(|node| self.eligible[*node]).collect();
        let before = placed.clone();
        let ask = self.ask;
        for (at, spec) in ask.specs.iter().enumerate() {
            let mut marked = Vec::new();
            // The host is checked for every part, even for one that has all its chunks.
            if ask.arrangement != Arrangement::Pack && !self.host_holds(sums, spec, said) {
                continue;
            }
            if placed.wanted[at] == 0 {
                continue;
            }
            let usable = |node: &usize| self.world.nodes[*node].licensed && self.world.nodes[*node].is_free();
            let spreads = matches!(ask.arrangement, Arrangement::Free | Arrangement::Vscatter);
            if spreads && !members.iter().any(usable) {
                return;
            }
            while placed.wanted[at] > 0 {
                let left: Vec<usize> =
                    open.iter().copied().filter(|n| !marked.contains(n) && !scattered.contains(n)).collect();
                let Some(given) = self.one_chunk(spec, (members, &left), placed, &mut marked, said) else {
                    break;
                };
                // What is broken counts twice in a pack whose vnodes are sorted, but for its last piece (rule M42).
                let twice = ask.arrangement == Arrangement::Pack && self.sorts();
                for (piece, (node, amounts)) in given.iter().enumerate() {
                    let times = if twice && piece + 1 < given.len() { 2.0 } else { 1.0 };
                    if ask.arrangement == Arrangement::Vscatter {
                        scattered.push(*node);
                        continue;
                    }
                    let mine = placed.taken.entry(*node).or_default();
                    amounts.iter().for_each(|(id, amount)| *mine.entry(*id).or_default() += times * amount);
                }
                placed.wanted[at] -= 1;
                placed.parts.push((at, given));
                // Vnodes of a pack are sorted after every chunk (rule M36).
                if ask.arrangement == Arrangement::Pack && self.sorts() {
                    self.world.sort_nodes_with(&mut open, |node, id| of(placed.taken.get(&node), id));
                }
                if ask.arrangement == Arrangement::Scatter {
                    return;
                }
            }
            if ask.arrangement == Arrangement::Pack && placed.wanted[at] > 0 {
                *placed = before;
                return;
            }
        }
    }

    /// Checks a host for one chunk: a free node, and sums; the reason has no numbers (rule 4.4 B).
    fn host_holds(&self, sums: &Set, spec: &Spec, said: &mut Option<No>) -> bool {
        if sums.free_nodes < 1 {
            return false;
        }
        match sums.lacks_of_chunk(self.world, spec, NOW).into_iter().next() {
            None => true,
            Some(no) => {
                says(said, Some(no.erased()));
                false
            }
        }
    }

    /// Places one chunk on a vnode that holds it whole; if there is none, on several together, but not under
    /// vscatter.
    fn one_chunk(
        &self,
        spec: &Spec,
        (members, left): (&[usize], &[usize]),
        placed: &Placed,
        marked: &mut Vec<usize>,
        said: &mut Option<No>,
    ) -> Option<Vec<Part>> {
        let taken = &placed.taken;
        let lacks = |node: usize| self.examine(node, spec, taken).err();
        let breakable = self.ask.arrangement != Arrangement::Vscatter || placed.breaks_scattered;
        // Planned starts do not count here: only what a vnode has free now, whether eligible or not (rule
        // M38).
        let holds = |node: &usize| lacks(*node).is_none_or(|no| no.code == Code::Conflict);
        if breakable && !members.iter().any(holds) {
            return self.broken(spec, left, taken, said);
        }
        let mut last = None;
        for &node in left {
            last = lacks(node);
            if last.is_none() {
                return Some(vec![self.part(node, spec)]);
            }
            marked.push(node);
        }
        says(said, last);
        None
    }

    /// Takes from each vnode as many whole units as it has; resources in reverse order (rules 11.9, M13 and
    /// M14).
    fn broken(&self, spec: &Spec, left: &[usize], taken: &Taken, said: &mut Option<No>) -> Option<Vec<Part>> {
        let mut wanted: Vec<(ResourceId, f64)> = super::node_path::amounts(spec);
        wanted.retain(|(_, amount)| *amount > 0.0);
        let (mut given, mut last): (Vec<Part>, _) = (Vec::new(), None);
        // For amounts that vnodes share, includes what the chunk itself has taken of them (rule M33).
        let mut so_far = taken.clone();
        for &at in left {
            if self.ask.arrangement == Arrangement::Scatter
                && exclusive(self.world.nodes[at].sharing, self.ask.sharedness)
            {
                says(said, self.too_small(at, spec));
            }
            if let Err(no) = self.conditions(at, spec) {
                last = Some(no);
                continue;
            }
            let mut share: Vec<(ResourceId, f64)> = Vec::new();
            for (id, rest) in &wanted {
                // An unset resource that counts as infinite is neither given nor missing (rule M19).
                let unset = self.world.have(at, *id).is_none();
                if unset && self.world.given.infinite.contains(id) {
                    continue;
                }
                let give = self.left(at, *id, &so_far).unwrap_or(0.0).min(*rest).floor();
                if give > 0.0 {
                    share.push((*id, give));
                } else {
                    last = Some(No::insufficient(*id, self.world.snap().catalogue.name(*id)));
                }
            }
            if share.is_empty() {
                continue;
            }
            let asks =
                Spec { count: 1, wants: share.iter().map(|(id, n)| (*id, Want::Amount(*n))).collect() };
            if let Err(conflict) = self.examine(at, &asks, taken) {
                // For jobs that request the whole vnode, the reason is a shortage (rule M39).
                let excl = matches!(self.ask.sharedness, PlaceSharing::Excl | PlaceSharing::Exclhost);
                let short = share.last().filter(|_| excl);
                let short = short.map(|(id, _)| No::insufficient(*id, self.world.snap().catalogue.name(*id)));
                last = Some(short.unwrap_or(conflict));
                continue;
            }
            for (id, amount) in &share {
                *so_far.entry(at).or_default().entry(*id).or_default() += amount;
                wanted.iter_mut().filter(|(have, _)| have == id).for_each(|(_, rest)| *rest -= amount);
            }
            wanted.retain(|(_, rest)| *rest > 0.0);
            share.reverse();
            given.push((at, share));
            if wanted.is_empty() {
                return Some(given);
            }
        }
        says(said, last);
        None
    }

    /// Tests the non-consumable requests on one vnode.
    fn conditions(&self, at: usize, spec: &Spec) -> Result<(), No> {
        let conditions = spec.wants.iter().filter(|(_, want)| !matches!(want, Want::Amount(_)));
        for want in conditions {
            fits(&self.world.given, want, self.world.there(at, want.0, 0.0), NOW).map_err(No::erased)?;
        }
        Ok(())
    }

    /// Adds the rest of an exclhost job's host to the last part that got anything here.
    fn rest_of_host(&self, host: &Name, before: usize, placed: &mut Placed) {
        let nodes = &self.world.nodes;
        let mut members: Vec<usize> = (0..nodes.len())
            .filter(|node| nodes[*node].host == *host && nodes[*node].copy_of.is_none() == self.on_server())
            .collect();
        let kept = self.world.pools.hosts.iter().map(|set| &self.world.sets[*set]);
        if let Some(kept) = kept.filter(|_| self.world.given.sorts_per_job).find(|set| set.name == **host) {
            let place = |node: &usize| kept.members.iter().position(|other| other == node);
            members.sort_by_key(|node| place(node).unwrap_or(usize::MAX));
        }
        let place = self.ask.sharedness;
        let whole = |node: &usize| place == PlaceSharing::Exclhost || whole_host(nodes[*node].sharing, place);
        if !members.iter().filter(|node| placed.has(**node)).any(whole) {
            return;
        }
        let rest: Vec<usize> = members.into_iter().filter(|node| !placed.has(*node)).collect();
        let last = placed.parts[before..].iter().map(|(spec, _)| *spec).max().unwrap_or(0);
        placed.parts.extend(rest.into_iter().map(|node| (last, vec![(node, Vec::new())])));
    }

    fn on_server(&self) -> bool {
        !matches!(self.who, super::world::Who::Job(job) if self.world.jobs[job].reservation.is_some())
    }
}

/// Keeps a reason if it is the first.
fn says(said: &mut Option<No>, reason: Option<No>) {
    if said.is_none() {
        *said = reason;
    }
}
