//! The last generations of a session, for going back and for comparisons.
//!
//! Of all but the newest, only what was read is held: records are mostly shared with the next generation, while a
//! cycle shares nothing. A cycle is run again when it is shown, and so is the comparison of each job with the live
//! scheduler's comment. The marks for changes of the newest generation are computed by the thread that read it, while
//! both cycles are still held.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::Generation;
use super::worker::IDLE;
use qscope_system::background::lower_priority;

/// Maximum number of generations kept.
pub const MAX_GENERATIONS: usize = 20;
/// Maximum memory of the generations kept, in bytes; the newest one is kept in any case.
pub const MAX_BYTES: usize = 512 << 20;

/// The last generations, the oldest first, limited by number and by memory.
#[derive(Debug)]
pub struct History {
    generations: VecDeque<KeptGeneration>,
    /// Number of generations that are no longer kept.
    dropped: u64,
    max_bytes: usize,
}

/// A generation, with its memory.
#[derive(Debug)]
struct KeptGeneration {
    generation: Arc<Generation>,
    /// Memory of its records that are not in the previous generation, in bytes; not counted for the first one.
    records: usize,
    /// Memory of its cycle while it is held, in bytes.
    cycle: usize,
}

impl Default for History {
    fn default() -> Self {
        Self::with_max_bytes(MAX_BYTES)
    }
}

impl History {
    /// Creates an empty history that keeps at most `max_bytes` bytes, and always the newest generation.
    pub fn with_max_bytes(max_bytes: usize) -> Self {
        Self { generations: VecDeque::new(), dropped: 0, max_bytes }
    }

    /// Adds a generation in the order of numbers, unless its number is already present.
    pub fn add(&mut self, generation: Arc<Generation>) {
        if self.numbered(generation.number).is_some() {
            return;
        }
        let number = generation.number;
        let place = self.generations.partition_point(|kept| kept.generation.number < number);
        let cycle = generation.weight_of_cycle();
        self.generations.insert(place, KeptGeneration { generation, records: 0, cycle });
        self.weigh(place);
        self.weigh(place + 1);
        self.give_up_cycles(number);
        while self.generations.len() > MAX_GENERATIONS
            || (self.bytes() > self.max_bytes && self.generations.len() > 1)
        {
            self.drop_furthest(number);
        }
    }

    /// Drops the cycles of all but the newest and the one with this number, which is on the screen or was added last.
    pub fn give_up_cycles(&mut self, number: u64) {
        let place = self.generations.partition_point(|kept| kept.generation.number < number);
        let newest = self.generations.len().saturating_sub(1);
        let mut given_up = Vec::new();
        for (nth, kept) in self.generations.iter_mut().enumerate() {
            if kept.generation.run.is_held() && nth != place && nth != newest {
                let without = Arc::new(kept.generation.without_cycle());
                given_up.push(std::mem::replace(&mut kept.generation, without));
            }
        }
        drop_aside(given_up);
    }

    /// Estimates the memory of a generation next to the previous one.
    fn weigh(&mut self, place: usize) {
        let pair =
            place.checked_sub(1).map(|before| (self.generations.get(before), self.generations.get(place)));
        let Some((Some(before), Some(kept))) = pair else { return };
        let records = kept.generation.records_beside(&before.generation);
        if let Some(kept) = self.generations.get_mut(place) {
            kept.records = records;
        }
    }

    /// Drops the end that is further from the generation that was added; a live session adds the newest.
    fn drop_furthest(&mut self, number: u64) {
        let apart =
            |end: Option<&KeptGeneration>| end.map_or(0, |kept| kept.generation.number.abs_diff(number));
        let gone = if apart(self.generations.front()) >= apart(self.generations.back()) {
            self.generations.pop_front()
        } else {
            self.generations.pop_back()
        };
        drop_aside(gone.map(|kept| kept.generation).into_iter().collect());
        self.dropped += 1;
    }

    /// Returns the estimated memory of the generations in bytes: the newest one, the records of others that differ
    /// from the previous one, and the cycles that are held.
    pub fn bytes(&self) -> usize {
        let newest = self.generations.back().map_or(0, |kept| kept.generation.weight_of_all_records());
        let records: usize = self.generations.iter().skip(1).map(|kept| kept.records).sum();
        let held = self.generations.iter().filter(|kept| kept.generation.run.is_held());
        let held = held.map(|kept| kept.cycle + kept.generation.weight_of_end_at_server());
        newest + records + held.sum::<usize>()
    }

    /// Returns the number of generations kept.
    pub fn len(&self) -> usize {
        self.generations.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.generations.is_empty()
    }

    /// Returns the number of older generations that were dropped.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Whether generations were dropped because of their memory rather than their number.
    pub fn is_bound_by_bytes(&self) -> bool {
        self.dropped > 0 && self.generations.len() < MAX_GENERATIONS
    }

    pub fn newest(&self) -> Option<&Arc<Generation>> {
        self.generations.back().map(|kept| &kept.generation)
    }

    /// Returns all generations kept, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Generation>> {
        self.generations.iter().map(|kept| &kept.generation)
    }

    /// Returns the generation with this number, if it is kept.
    pub fn numbered(&self, number: u64) -> Option<&Arc<Generation>> {
        self.iter().find(|generation| generation.number == number)
    }

    /// Returns the last generation before this number.
    pub fn before(&self, number: u64) -> Option<&Arc<Generation>> {
        self.iter().rev().find(|generation| generation.number < number)
    }

    /// Returns the last generation before this number with consistent dumps; else the one before it.
    pub fn last_consistent_before(&self, number: u64) -> Option<&Arc<Generation>> {
        let before = || self.iter().rev().filter(|generation| generation.number < number);
        before().find(|generation| generation.late_dump.is_none()).or_else(|| before().next())
    }

    /// Returns the first generation after this number.
    pub fn after(&self, number: u64) -> Option<&Arc<Generation>> {
        self.iter().find(|generation| generation.number > number)
    }
}

/// Time that a thread stays alive after dropping something: longer than [`IDLE`] of the thread that made it. When a
/// thread ends, the allocator looks for memory that has been free for a while, and returns it.
const LINGERS: Duration = IDLE.saturating_add(Duration::from_millis(200));

/// Drops generations, or parts of them, on a separate thread, or here if none can be started: a cycle has too many
/// parts to drop it on the thread of a screen.
pub fn drop_aside<T: Send + 'static>(given_up: Vec<T>) {
    if !given_up.is_empty() {
        let thread = thread::Builder::new().name("given up".to_owned());
        drop(thread.spawn(move || {
            lower_priority();
            drop(given_up);
            thread::sleep(LINGERS);
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::Agreement;
    use crate::{Opening, OpeningOrigin, load_generation};

    fn generation(number: u64) -> Arc<Generation> {
        let opening = Opening::of(OpeningOrigin::BuiltIn);
        let mut one = load_generation(&opening, 1).unwrap();
        one.number = number;
        Arc::new(one)
    }

    fn numbers(history: &History) -> Vec<u64> {
        history.iter().map(|generation| generation.number).collect()
    }

    #[test]
    fn the_last_twenty_are_kept_and_each_once() {
        let (mut history, one) = (History::default(), generation(1));
        for number in 1..=25 {
            let next = Arc::new(Generation { number, ..(*one).clone() });
            history.add(next.clone());
            history.add(next);
        }
        assert_eq!((history.len(), history.dropped()), (20, 5));
        assert!(!history.is_bound_by_bytes());
        assert_eq!((numbers(&history)[0], numbers(&history)[19]), (6, 25));
        assert_eq!(history.before(10).map(|one| one.number), Some(9));
        assert_eq!((history.before(6).is_none(), history.after(25).is_none()), (true, true));
        assert_eq!(history.after(3).map(|one| one.number), Some(6));
        let half = Generation { number: 26, late_dump: Some("apart".to_owned()), ..(*one).clone() };
        history.add(Arc::new(half));
        assert_eq!(history.last_consistent_before(27).map(|one| one.number), Some(25));
    }

    #[test]
    fn moments_of_a_recording_stand_in_the_order_of_time() {
        let (mut history, one) = (History::default(), generation(1));
        let mut add = |number| history.add(Arc::new(Generation { number, ..(*one).clone() }));
        [50, 40, 60, 40].into_iter().for_each(&mut add);
        (1..=18).for_each(&mut add);
        // Far from the last one added: the other end is dropped.
        assert_eq!(numbers(&history), (1..=18).chain([40, 50]).collect::<Vec<_>>());
        assert_eq!(history.before(50).map(|one| one.number), Some(40));
    }

    #[test]
    fn weight_bounds_too_but_the_newest_stays() {
        let one = generation(1);
        let mut history = History::with_max_bytes(one.weight() * 2);
        (1..=4).for_each(|number| history.add(generation(number)));
        assert_eq!(numbers(&history), [3, 4]);
        assert!(history.is_bound_by_bytes());
        let mut tiny = History::with_max_bytes(1);
        (1..=2).for_each(|number| tiny.add(Arc::new(Generation { number, ..(*one).clone() })));
        assert_eq!((numbers(&tiny), tiny.dropped()), (vec![2], 1));
    }

    #[test]
    fn cycles_are_held_of_the_newest_and_of_what_is_looked_at() {
        let (mut history, one) = (History::default(), generation(1));
        (1..=9).for_each(|number| history.add(Arc::new(Generation { number, ..(*one).clone() })));
        let held = |history: &History| -> Vec<u64> {
            let held = history.iter().filter(|one| one.run.is_held());
            held.map(|generation| generation.number).collect()
        };
        assert_eq!(held(&history), [9]);
        let older = history.numbered(4).unwrap().clone();
        assert_eq!(format!("{:?}", older.run.steps), format!("{:?}", one.run.steps));
        assert_eq!(format!("{:?}", older.run.end.journal()), format!("{:?}", one.run.end.journal()));
        history.give_up_cycles(4);
        assert_eq!(held(&history), [4, 9]);
        history.add(Arc::new(Generation { number: 10, ..(*one).clone() }));
        assert_eq!(held(&history), [10]);
        assert!(older.run.is_held(), "that of a screen stays");
    }

    #[test]
    fn how_each_job_compares_goes_with_the_cycle_and_is_the_same_again() {
        let (mut history, mut one) = (History::default(), (*generation(1)).clone());
        one.agreement = Some(Arc::new(Agreement::new(&one.run, &one.sched_log, 0)));
        let given_up = |history: &History| {
            let older = history.numbered(1).and_then(|older| older.agreement.clone());
            older.is_some_and(|older| !older.holds_jobs())
        };
        history.add(Arc::new(one.clone()));
        assert!(!given_up(&history));
        history.add(Arc::new(Generation { number: 2, ..one.clone() }));
        assert!(given_up(&history));
        let (older, first) = (history.numbered(1).unwrap(), one.agreement.as_ref().unwrap());
        let again = older.agreement.as_ref().unwrap();
        assert_eq!((again.recorded(), again.summary()), (first.recorded(), first.summary()));
        assert!(!first.jobs(&one.run).is_empty());
        assert_eq!(again.jobs(&older.run), first.jobs(&one.run));
    }

    #[test]
    fn records_that_did_not_change_weigh_once() {
        let one = generation(1);
        let mut history = History::default();
        (1..=3).for_each(|number| history.add(Arc::new(Generation { number, ..(*one).clone() })));
        let shared = history.bytes();
        assert!(one.weight() < shared && shared < one.weight() * 3, "{shared} of {}", one.weight());
        assert_eq!(shared, one.weight() + 2 * one.records_beside(&one));
        let mut read_anew = History::default();
        (1..=3).for_each(|number| read_anew.add(generation(number)));
        assert_eq!(read_anew.bytes(), 3 * one.weight() - 2 * one.weight_of_cycle());
    }

    #[test]
    fn the_end_as_the_server_has_it_weighs_once_it_is_made() {
        let sample = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/sets-36");
        let opening = Opening::of(OpeningOrigin::Folder(sample));
        let one = Arc::new(load_generation(&opening, 1).unwrap());
        assert!(!one.run.refused().is_empty(), "a start is refused in it");
        let mut history = History::default();
        history.add(one.clone());
        let before = history.bytes();
        let _ = one.run.end_at_server();
        assert!(history.bytes() > before + one.snapshot.nodes.len() * 100, "{} of {before}", history.bytes());
        assert_eq!(history.bytes(), one.weight());
    }
}
