//! Inputs that are damaged at random, through every reader, every small language, and the whole chain from bytes to a
//! screen.
//!
//! A few of each run with the other tests, as properties that shrink. `tests/fuzz/run MINUTES` runs all targets for
//! that time, each in its own process, and prints the executions, the slowest input, the largest memory, and the
//! failures.

mod campaign;
pub(crate) mod chain;
mod corpus;
mod mutate;
mod targets;

use proptest::prelude::*;

use super::random::config;
use corpus::corpus;
use mutate::{Edit, edited};
use targets::TARGETS;

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    prop::collection::vec(any::<Edit>(), 1..8)
}

proptest! {
    #![proptest_config(config(600))]

    /// No reader and no language panics, however an input was edited.
    #[test]
    fn damaged_inputs_are_read(target in 0..TARGETS.len(), nth in any::<prop::sample::Index>(), edits in edits()) {
        let target = &TARGETS[target];
        let seeds = corpus().of(target.seeds);
        let seed = seeds[nth.index(seeds.len())];
        (target.run)(&edited(seed, &edits, corpus()));
    }
}

/// Every target has seeds, and reads them.
#[test]
fn every_target_reads_its_seeds() {
    for target in TARGETS {
        let seeds = corpus().of(target.seeds);
        assert!(!seeds.is_empty(), "{}: no seeds", target.name);
        for seed in seeds.iter().take(3) {
            (target.run)(seed);
        }
    }
}

/// The same edits of the same seed give the same input: a failure can be reproduced.
#[test]
fn edits_can_be_replayed() {
    let edits: Vec<Edit> = (0..64).map(|at| (at, u32::from(at) * 7919, u32::from(at) * 104_729)).collect();
    let seed = b"Job Id: 1.svr\n    Priority = 5\n";
    let once = edited(seed, &edits, corpus());
    assert_eq!(once, edited(seed, &edits, corpus()));
    assert_ne!(once, seed);
    assert!(once.len() <= mutate::LONGEST);
}

/// Every failure of a campaign is kept in a file of `tests/fuzz/found`, named TARGET-NUMBER.
#[test]
fn what_was_found_is_mended() {
    for (name, bytes) in corpus::found() {
        let target = name.rsplit_once('-').map_or(&*name, |(target, _)| target);
        let known = TARGETS.iter().find(|known| known.name == target);
        (known.unwrap_or_else(|| panic!("{name}: no such target")).run)(&bytes);
    }
}
