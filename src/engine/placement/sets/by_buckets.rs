//! The bucket path, set by set and over all nodes (rule 3.9).

use crate::cluster::ResourceId;
use crate::universe::{
    Allocation, Bit, Bucket, ChunkCountCache, PlacementSet, Quirk, Reason, Rejection, Slot, State,
};

use super::{MAX_LINES, PlacementSearch, ProposedPlacement, placed};
use crate::placement::screen::SetPrefilter;
use crate::placement::{BucketAttempt, ProbeEvent, SetAttempts, place_in_buckets};

impl PlacementSearch<'_> {
    /// Places the job by buckets, set by set and then over all nodes if allowed.
    pub(super) fn by_buckets(
        &mut self,
        state: &State,
        counts: &mut ChunkCountCache,
    ) -> Result<ProposedPlacement, Rejection> {
        let Some(list) = self.list.take() else { return self.in_complex(state, None) };
        // In a copy of the universe, buckets of lasting sets still belong to the queues of the original, which are
        // not queues of the copy. So no job of a queue with nodes matches any of them (measured).
        if state.is_of_calendar() && list.is_lasting() && self.queue.is_some() {
            return self.spanning(state);
        }
        self.tries = SetAttempts::from_order(list.order());
        let mut screen = SetPrefilter::new(state, &list, self.request, self.queue, counts);
        let mut could_run: Option<Rejection> = None;
        let mut place = 0;
        // The screen does not count nodes that would have to be provisioned.
        let names_aoe = self.request.has_requirement(&state.plan.shapes, ResourceId::aoe());
        loop {
            let text = self.probe.is_on() && list.numbers.len() <= MAX_LINES;
            let open = if text || names_aoe { place } else { screen.next(place) };
            self.tries.pass(open - place, false);
            let set = list.numbers.get(open).and_then(|number| list.set(state, *number));
            if screen.could_run {
                could_run.get_or_insert_with(|| Reason::NoNodeResources.not_now());
            }
            let Some(set) = set else { break };
            place = open + 1;
            self.tried(set);
            self.examined.buckets += u64::from(set.bucket_count());
            match self.in_set_buckets(state, set) {
                Ok(allocation) => {
                    self.examined.buckets += screen.buckets;
                    return Ok(placed(allocation, Some(set)));
                }
                Err(rejection) if !rejection.is_permanent => {
                    could_run.get_or_insert(rejection);
                }
                Err(_) => {}
            }
        }
        self.examined.buckets += screen.buckets;
        match could_run {
            Some(_) if state.plan.has(Quirk::SpanWhenFull) => {
                self.probe.record(|| ProbeEvent::FellThrough);
                self.in_complex(state, Some(Quirk::SpanWhenFull))
            }
            Some(rejection) => Err(rejection),
            None => self.spanning(state),
        }
    }

    /// Spans sets, after none of them could ever hold the job.
    fn spanning(&mut self, state: &State) -> Result<ProposedPlacement, Rejection> {
        if state.plan.snap.scheduler.do_not_span_psets {
            return Err(Reason::CantSpan.never());
        }
        self.probe.record(|| ProbeEvent::Spanning);
        self.in_complex(state, None)
    }

    fn in_set_buckets(&mut self, state: &State, set: &PlacementSet) -> Result<Allocation, Rejection> {
        let shape = set.shape.clone();
        let node_of = move |slot: Slot| shape.member(slot);
        self.try_buckets(state, set.buckets(&state.plan), &node_of)
    }

    fn in_complex(&mut self, state: &State, quirk: Option<Quirk>) -> Result<ProposedPlacement, Rejection> {
        self.examined.buckets += state.buckets.len() as u64;
        let allocation = self.try_buckets(state, state.buckets.as_slice(), &|bit: Bit| bit)?;
        Ok(ProposedPlacement { by_quirk: quirk, ..placed(allocation, None) })
    }

    fn try_buckets<I: crate::cluster::Id>(
        &mut self,
        state: &State,
        buckets: &[Bucket<I>],
        node_of: &dyn Fn(I) -> Bit,
    ) -> Result<Allocation, Rejection> {
        let attempt = BucketAttempt {
            state,
            request: self.request,
            queue: self.queue,
            buckets,
            node_of,
            end: self.end,
        };
        place_in_buckets(&attempt, self.probe)
    }
}
