//! The gang rule, an extension of the original: chunks of one job begin together.

use rustc_hash::FxHashMap;

use super::*;

/// Moments at which a gang is tried on nodes that exist, besides the beginning. More would find room for
/// a few gangs more and cost every gang the search.
const MOST_MOMENTS: usize = 16;

/// Chunks of one job that must begin together; beyond the original, which packs each by itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Gang {
    /// Each distinct chunk with how many of it.
    pub chunks: Vec<(Shape, u32)>,
    /// Whether no two of them may share a node.
    pub scatter: bool,
}

/// A node within a plan that is not carried out yet.
type Seat = (TypeIx, usize);

impl<N: Measure> Packer<N> {
    /// Adds a gang: all chunks on nodes that exist, from the earliest common moment by the target time;
    /// otherwise at once, on new nodes where there is no room. One place for each chunk, in order.
    ///
    /// # Errors
    /// A wall time that needs more slices than can be kept.
    pub fn add_gang(&mut self, gang: &Gang) -> Result<Vec<Placed<N>>, PackError> {
        let mut kinds = Vec::new();
        for (chunk, _) in &gang.chunks {
            let Some(kind) = self.first_fitting(chunk, None) else { return Ok(vec![Placed::Unfit]) };
            self.check_length(kind, chunk.wall_time)?;
            kinds.push(kind);
        }
        for moment in self.moments(&kinds) {
            if let Some(seats) = self.seats_at(gang, &kinds, moment) {
                return Ok(self.sit(gang, &seats, moment));
            }
        }
        Ok(self.open_for(gang, &kinds))
    }

    /// The beginning, and the first borders of slices by the target time on nodes of these types.
    fn moments(&self, kinds: &[TypeIx]) -> Vec<N> {
        let mut found: Vec<N> = vec![N::default()];
        for (ix, kind) in kinds.iter().enumerate() {
            if kinds.iter().take(ix).any(|before| before == kind) {
                continue;
            }
            for head in &self.kinds[*kind].heads {
                let mut start = N::default();
                for slice in self.timeline.of(*head) {
                    start = start.plus(slice.length);
                    let last = found.last().copied().unwrap_or_default();
                    if start > self.target || (found.len() > MOST_MOMENTS && start >= last) {
                        break;
                    }
                    insert_sorted(&mut found, start);
                }
            }
        }
        found
    }

    /// Seats for every chunk on nodes that exist, from exactly this moment on; nothing is changed.
    fn seats_at(&self, gang: &Gang, kinds: &[TypeIx], moment: N) -> Option<Vec<Seat>> {
        let mut taken: FxHashMap<Seat, Room<N>> = FxHashMap::default();
        let mut seats = Vec::new();
        for ((chunk, count), kind) in gang.chunks.iter().zip(kinds) {
            let need = self.need(*kind, chunk);
            let wall = N::of(chunk.wall_time);
            let pool = &self.kinds[*kind];
            let mut from = 0;
            for _ in 0..*count {
                loop {
                    let node = pool.windows.first(from, &need, wall)?;
                    let head = pool.heads.get(node)?;
                    let seat = (*kind, node);
                    let before = taken.get(&seat).copied();
                    let all = before.map_or(need, |before| before.with(&need));
                    let free_for_us = !(gang.scatter && before.is_some());
                    if free_for_us && self.timeline.has_room_at(*head, moment, wall, &all) {
                        taken.insert(seat, all);
                        seats.push(seat);
                        from = node;
                        break;
                    }
                    from = node + 1;
                }
            }
        }
        Some(seats)
    }

    /// Carries a plan out.
    fn sit(&mut self, gang: &Gang, seats: &[Seat], begin: N) -> Vec<Placed<N>> {
        let chunks =
            gang.chunks.iter().flat_map(|(chunk, count)| std::iter::repeat_n(chunk, *count as usize));
        chunks.zip(seats).map(|(chunk, (kind, node))| self.take(*kind, *node, chunk, begin)).collect()
    }

    /// Begins at once, on new nodes where those that exist have no room.
    fn open_for(&mut self, gang: &Gang, kinds: &[TypeIx]) -> Vec<Placed<N>> {
        let mut used: FxHashMap<Seat, ()> = FxHashMap::default();
        let mut placed = Vec::new();
        for ((chunk, count), kind) in gang.chunks.iter().zip(kinds) {
            let need = self.need(*kind, chunk);
            let wall = N::of(chunk.wall_time);
            let mut from = 0;
            for _ in 0..*count {
                let seat =
                    self.free_seat(*kind, from, wall, &need, |seat| gang.scatter && used.contains_key(&seat));
                from = seat.unwrap_or(self.kinds[*kind].heads.len());
                used.insert((*kind, from), ());
                placed.push(match seat {
                    Some(node) => self.take(*kind, node, chunk, N::default()),
                    None => {
                        let node = self.open_node(*kind, wall, &need);
                        Placed::On { kind: *kind, node, begin: N::default() }
                    }
                });
            }
        }
        placed
    }

    /// The first node from `from` on with room from the beginning on.
    fn free_seat(
        &self,
        kind: TypeIx,
        mut from: usize,
        wall: N,
        need: &Room<N>,
        barred: impl Fn(Seat) -> bool,
    ) -> Option<usize> {
        let pool = &self.kinds[kind];
        loop {
            let node = pool.windows.first(from, need, wall)?;
            let head = pool.heads.get(node)?;
            if !barred((kind, node)) && self.timeline.has_room_at(*head, N::default(), wall, need) {
                return Some(node);
            }
            from = node + 1;
        }
    }

    fn take(&mut self, kind: TypeIx, node: usize, chunk: &Shape, begin: N) -> Placed<N> {
        let need = self.need(kind, chunk);
        if let Some(head) = self.kinds[kind].heads.get(node).copied() {
            self.timeline.take_at(head, begin, N::of(chunk.wall_time), &need);
            let pool = &mut self.kinds[kind];
            let window = self.timeline.window(head, self.target, pool.windows.durations());
            pool.windows.set(node, &window);
            pool.resume = None;
        }
        Placed::On { kind, node: u32::try_from(node).unwrap_or(u32::MAX), begin }
    }
}

/// Keeps the smallest moments, each once, in ascending order.
fn insert_sorted<N: Measure>(moments: &mut Vec<N>, moment: N) {
    let at = moments.partition_point(|have| *have < moment);
    if moments.get(at).is_none_or(|have| *have != moment) {
        moments.insert(at, moment);
        moments.truncate(MOST_MOMENTS + 1);
    }
}
