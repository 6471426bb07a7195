//! Inputs that are damaged at random, through every reader, every small language, and the whole chain from bytes to a screen.
//!
//! A few of each run with the other tests, as properties that shrink. `tests/fuzz/run MINUTES` runs all for so long, each
//! target in a process of its own, and prints executions, the slowest input, the largest memory, and what failed.

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

    /// No reader and no language panics, whatever was done to an input.
    #[test]
    fn damaged_inputs_are_read(target in 0..TARGETS.len(), nth in any::<prop::sample::Index>(), edits in edits()) {
        let target = &TARGETS[target];
        let seeds = corpus().of(target.seeds);
        let seed = seeds[nth.index(seeds.len())];
        (target.run)(&edited(seed, &edits, corpus()));
    }
}

/// Every target has something to begin with, and reads it.
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

/// The same edits of the same seed are the same input: what failed once can be run again.
#[test]
fn edits_can_be_replayed() {
    let edits: Vec<Edit> = (0..64).map(|at| (at, u32::from(at) * 7919, u32::from(at) * 104_729)).collect();
    let seed = b"Job Id: 1.svr\n    Priority = 5\n";
    let once = edited(seed, &edits, corpus());
    assert_eq!(once, edited(seed, &edits, corpus()));
    assert_ne!(once, seed);
    assert!(once.len() <= mutate::LONGEST);
}

/// Whatever failed in a campaign stays: files of `tests/fuzz/found`, named TARGET-NUMBER.
#[test]
fn what_was_found_is_mended() {
    for (name, bytes) in corpus::found() {
        let target = name.rsplit_once('-').map_or(&*name, |(target, _)| target);
        let known = TARGETS.iter().find(|known| known.name == target);
        (known.unwrap_or_else(|| panic!("{name}: no such target")).run)(&bytes);
    }
}
