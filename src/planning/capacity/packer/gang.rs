//! The gang rule, an extension of the original: chunks of one job begin together.

use qscope_engine::cluster::number_of;
use rustc_hash::FxHashMap;

use super::*;

/// Maximum number of moments, besides the beginning, at which a gang is tried on existing nodes. More would
/// find room for a few more gangs and make the search longer for every gang.
const MAX_MOMENTS: usize = 16;

/// Chunks of one job that must begin together; an extension of the original, which packs each chunk on its
/// own.
#[derive(Clone, PartialEq, Debug)]
pub struct Gang {
    /// Each distinct chunk with its count.
    pub chunks: Vec<(CapacityShape, u32)>,
    /// Whether no two chunks may share a node.
    pub scatter: bool,
}

/// A node in a plan that is not carried out yet.
type GangSeat = (TypeIx, usize);

/// Where the search for a seat starts: a chunk of the same shape as the last one starts where that one found
/// its seat, since every node before it refused the shape.
#[derive(Default)]
struct GangSearch {
    last: Option<ShapeKey>,
    start_position: (usize, usize),
}

impl GangSearch {
    fn start(&mut self, chunk: &CapacityShape) -> (usize, usize) {
        if self.last.replace(chunk.key()) != Some(chunk.key()) {
            self.start_position = (0, 0);
        }
        self.start_position
    }
}

impl<N: PackingNumber> Packer<N> {
    /// Adds a gang: all chunks on existing nodes, from the earliest common moment by the target time;
    /// otherwise at once, on new nodes where there is no room. Returns one place for each chunk, in order.
    ///
    /// # Errors
    /// A wall time needs too many slices.
    pub fn add_gang(&mut self, gang: &Gang) -> Result<Vec<PackerPlacement<N>>, PackError> {
        let mut kinds = Vec::new();
        for (chunk, _) in &gang.chunks {
            let fitting: Vec<TypeIx> = self.pools.ids().filter(|kind| self.type_fits(*kind, chunk)).collect();
            let Some(first) = fitting.first() else { return Ok(vec![PackerPlacement::Unfit]) };
            self.check_length(*first, chunk.wall_time)?;
            kinds.push(fitting);
        }
        kinds.iter().flatten().for_each(|kind| self.update_stale_window(*kind));
        for moment in self.moments(&kinds) {
            if let Some(seats) = self.seats_at(gang, &kinds, moment) {
                return Ok(self.place_chunks(gang, &seats, moment));
            }
        }
        Ok(self.open_for(gang, &kinds))
    }

    /// Returns the beginning and the earliest slice boundaries by the target time on nodes of these types.
    fn moments(&self, kinds: &[Vec<TypeIx>]) -> Vec<N> {
        let mut distinct: Vec<TypeIx> = kinds.iter().flatten().copied().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let mut found: Vec<N> = vec![N::default()];
        for head in distinct.iter().flat_map(|kind| &self.pools[*kind].first_slices) {
            let mut start = N::default();
            for slice in self.timeline.of(*head) {
                start = start.plus(slice.length);
                let last = found.last().copied().unwrap_or_default();
                if start > self.target || (found.len() > MAX_MOMENTS && start >= last) {
                    break;
                }
                insert_sorted(&mut found, start);
            }
        }
        found
    }

    /// Finds seats for every chunk on existing nodes, from exactly this moment on, without changing anything.
    fn seats_at(&self, gang: &Gang, kinds: &[Vec<TypeIx>], moment: N) -> Option<Vec<GangSeat>> {
        let mut taken: FxHashMap<GangSeat, PackingAmounts<N>> = FxHashMap::default();
        let mut seats = Vec::new();
        let mut search = GangSearch::default();
        for ((chunk, count), kinds) in gang.chunks.iter().zip(kinds) {
            let mut from = search.start(chunk);
            for _ in 0..*count {
                let (at, seat) = self.seat_at(gang.scatter, chunk, kinds, moment, from, &taken)?;
                let need = self.need(seat.0, chunk);
                taken.entry(seat).and_modify(|all| *all = all.with(&need)).or_insert(need);
                seats.push(seat);
                from = at;
            }
            search.start_position = from;
        }
        Some(seats)
    }

    /// Finds the first seat from `from` (type, node) on, given what the plan has taken so far.
    fn seat_at(
        &self,
        scatter: bool,
        chunk: &CapacityShape,
        kinds: &[TypeIx],
        moment: N,
        from: (usize, usize),
        taken: &FxHashMap<GangSeat, PackingAmounts<N>>,
    ) -> Option<((usize, usize), GangSeat)> {
        let wall = N::of(chunk.wall_time);
        for (ix, kind) in kinds.iter().enumerate().skip(from.0) {
            let need = self.need(*kind, chunk);
            let pool = &self.pools[*kind];
            let mut next = if ix == from.0 { from.1 } else { 0 };
            while let Some(node) = pool.windows.first(next, &need, wall) {
                let seat = (*kind, node);
                let before = taken.get(&seat);
                let all = before.map_or(need, |before| before.with(&need));
                let free = !(scatter && before.is_some());
                let head = pool.first_slices.get(node)?;
                if free && self.timeline.has_room_at(*head, moment, wall, &all) {
                    return Some(((ix, node), seat));
                }
                next = node + 1;
            }
        }
        None
    }

    /// Places the chunks on their seats.
    fn place_chunks(&mut self, gang: &Gang, seats: &[GangSeat], begin: N) -> Vec<PackerPlacement<N>> {
        let chunks =
            gang.chunks.iter().flat_map(|(chunk, count)| std::iter::repeat_n(chunk, *count as usize));
        chunks.zip(seats).map(|(chunk, (kind, node))| self.take(*kind, *node, chunk, begin)).collect()
    }

    /// Places the gang at once, on new nodes where existing ones have no room.
    fn open_for(&mut self, gang: &Gang, kinds: &[Vec<TypeIx>]) -> Vec<PackerPlacement<N>> {
        // What the gang has placed on a node is already subtracted there; with scatter, the node may not be
        // used again.
        let mut barred: FxHashMap<GangSeat, PackingAmounts<N>> = FxHashMap::default();
        let mut placed = Vec::new();
        let mut search = GangSearch::default();
        for ((chunk, count), kinds) in gang.chunks.iter().zip(kinds) {
            let mut from = search.start(chunk);
            for _ in 0..*count {
                kinds.iter().for_each(|kind| self.update_stale_window(*kind));
                let seat = self.seat_at(gang.scatter, chunk, kinds, N::default(), from, &barred);
                let one = match seat {
                    Some((at, (kind, node))) => {
                        from = at;
                        self.take(kind, node, chunk, N::default())
                    }
                    None => {
                        let Some(kind) = self.kind_to_open(chunk).or(kinds.first().copied()) else { break };
                        let need = self.need(kind, chunk);
                        let node = self.open_node(kind, N::of(chunk.wall_time), &need);
                        let at = kinds.iter().position(|have| *have == kind).unwrap_or(0);
                        from = from.max((at, node as usize));
                        PackerPlacement::On { kind, node, begin: N::default() }
                    }
                };
                if let (true, PackerPlacement::On { kind, node, .. }) = (gang.scatter, one) {
                    barred.insert((kind, node as usize), PackingAmounts::default());
                }
                placed.push(one);
            }
            search.start_position = from;
        }
        placed
    }

    fn take(&mut self, type_ix: TypeIx, node: usize, chunk: &CapacityShape, begin: N) -> PackerPlacement<N> {
        let need = self.need(type_ix, chunk);
        if let Some(head) = self.pools[type_ix].first_slices.get(node).copied() {
            self.timeline.subtract_from(head, begin, N::of(chunk.wall_time), &need);
            self.update_stale_window(type_ix);
            self.pools[type_ix].stale = Some(node);
            self.pools[type_ix].resume = None;
        }
        PackerPlacement::On { kind: type_ix, node: number_of(node), begin }
    }
}

/// Inserts a moment in ascending order, each once, and keeps only the earliest ones.
fn insert_sorted<N: PackingNumber>(moments: &mut Vec<N>, moment: N) {
    let at = moments.partition_point(|have| *have < moment);
    if moments.get(at).is_none_or(|have| *have != moment) {
        moments.insert(at, moment);
        moments.truncate(MAX_MOMENTS + 1);
    }
}
