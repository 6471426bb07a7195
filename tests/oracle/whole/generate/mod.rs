//! Random clusters in which rare features meet: one snapshot for each seed.

pub mod dice;
mod jobs;
mod nodes;
mod policy;
mod rarer;
mod timed;

use qscope_engine::cluster::{
    Epoch, ResourceDef, ResourceFlags, ResourceId, ResourceType, Seconds, Snapshot,
};

use dice::Dice;
pub use rarer::rarer_cluster;
pub use timed::timed_cluster;

/// The current time of all generated clusters, Friday 2025-11-21 04:40 UTC.
pub(crate) const NOW: i64 = 1_763_700_000;

/// The rare features that a cluster has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Topics {
    pub(crate) soft: bool,
    pub(crate) hard: bool,
    pub(crate) preempt: bool,
    pub(crate) calendar: bool,
    pub(crate) reservations: bool,
    pub(crate) multi_vnode: bool,
    pub(crate) arrays: bool,
    pub(crate) shrink: bool,
    pub(crate) shares: bool,
    pub(crate) formula: bool,
    pub(crate) sort: bool,
    pub(crate) sets: bool,
    pub(crate) unset: bool,
    pub(crate) soft_walltime: bool,
    pub(crate) states: bool,
    pub(crate) queue_nodes: bool,
}

/// A cluster under construction.
pub(crate) struct Maker {
    pub(crate) dice: Dice,
    pub(crate) topics: Topics,
    pub(crate) snap: Snapshot,
    pub(crate) ngpus: ResourceId,
    pub(crate) fast: ResourceId,
    pub(crate) color: ResourceId,
    pub(crate) keys: Vec<ResourceId>,
}

/// Returns the cluster of a seed.
pub fn cluster(seed: u64) -> Snapshot {
    let mut dice = Dice::new(seed);
    let topics = topics(&mut dice);
    let mut snap = Snapshot::empty(&format!("deep {seed}"), Epoch(NOW + dice.of(&[0, 0, 17, 1234])));
    let mut add = |name: &str, kind, letters: &str| {
        let flags = ResourceFlags::from_letters(letters);
        snap.catalogue.insert(ResourceDef { name: name.into(), kind, flags, built_in: false, guessed: false })
    };
    let (ngpus, fast, color) = (
        add("ngpus", ResourceType::Long, "nh"),
        add("fast", ResourceType::Boolean, "h"),
        add("color", ResourceType::Text, "h"),
    );
    let keys = vec![add("switch", ResourceType::TextArray, "h"), add("router", ResourceType::Text, "h")];
    snap.scheduler.fuzzy.0 = Seconds(dice.of(&[1, 60, 60, 60, 300, 600, 3600]));
    let mut maker = Maker { dice, topics, snap, ngpus, fast, color, keys };
    maker.make_policy();
    maker.make_nodes();
    maker.make_reservations();
    maker.make_running();
    maker.make_waiting();
    maker.snap
}

/// Chooses four to nine of the features.
fn topics(dice: &mut Dice) -> Topics {
    let mut some = |chance| dice.percent(chance);
    Topics {
        soft: some(35),
        hard: some(25),
        preempt: some(50),
        calendar: some(55),
        reservations: some(40),
        multi_vnode: some(30),
        arrays: some(35),
        shrink: some(25),
        shares: some(25),
        formula: some(20),
        sort: some(25),
        sets: some(50),
        unset: some(25),
        soft_walltime: some(20),
        states: some(20),
        queue_nodes: some(20),
    }
}
