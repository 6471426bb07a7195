//! Whether the buckets of a set have room for a job, found without looking at any node: hundreds of sets
//! are tried for every job, and few change from one job to the next.

use crate::cluster::{Id, QueueId};
use crate::universe::{Bucket, JobRequest, Quirk, Room, RoomRow, Rooms, SetIx, Spec, State};

use super::chunk_map::{is_spread, times};

/// What the buckets of a set can do for a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Screened {
    /// They may hold it now.
    Open,
    /// Too few of their nodes are open.
    NotNow,
    /// They are too few in all.
    Never,
}

/// One job's look at many sets.
pub(super) struct Screen<'a> {
    state: &'a State,
    request: &'a JobRequest,
    queue: Option<QueueId>,
    rooms: &'a mut Rooms,
    /// What is remembered for each part of the select; none where room depends on the job.
    rows: Vec<Option<RoomRow>>,
}

impl<'a> Screen<'a> {
    /// A look for a job whose queue has these nodes of its own, if any.
    pub(super) fn new(
        state: &'a State,
        request: &'a JobRequest,
        queue: Option<QueueId>,
        rooms: &'a mut Rooms,
    ) -> Self {
        let spread = is_spread(request);
        let fixed = spread || state.plan.has(Quirk::UnlimitedChunk);
        let row = |spec: &Spec| fixed.then(|| rooms.row((spec.shape, spread, queue), state.sets.len()));
        Self { state, request, queue, rows: request.specs.iter().map(row).collect(), rooms }
    }

    /// Looks at the buckets of a set; those of the state's sets are remembered.
    pub(super) fn look<I: Id>(&mut self, set: Option<SetIx>, buckets: &[Bucket<I>]) -> Screened {
        let (state, queue, spread) = (self.state, self.queue, is_spread(self.request));
        let mut screened = Screened::Open;
        for (spec, row) in self.request.specs.iter().zip(&self.rows) {
            let look = || room(state, queue, spread, spec, buckets);
            let room = match (row, set) {
                (Some(row), Some(set)) => self.rooms.room(row, set, look),
                _ => look(),
            };
            if room.all == 0 || room.all < u64::from(spec.count) {
                return Screened::Never;
            }
            if room.open < u64::from(spec.count) {
                screened = Screened::NotNow;
            }
        }
        screened
    }
}

/// Chunks of one part that these buckets hold.
fn room<I: Id>(
    state: &State,
    queue: Option<QueueId>,
    spread: bool,
    spec: &Spec,
    buckets: &[Bucket<I>],
) -> Room {
    let plan = &state.plan;
    let mut room = Room::default();
    for bucket in buckets.iter().filter(|bucket| bucket.queue == queue) {
        if let Some(times) = times(plan, spread, spec, plan.fit(spec.shape, bucket.sig)) {
            room.all += u64::from(bucket.total) * u64::from(times);
            room.open += bucket.open() as u64 * u64::from(times);
        }
    }
    room
}
