//! The use of a node as a word and a sign.

use crate::theme::{Role, Theme};
use qscope_engine::universe::{Bit, NodeUse, State};

/// The ranks in the order of the table.
pub(super) const RANKS: [u8; 4] = [3, 2, 1, 0];

/// Nodes that need an operator's attention rank first.
pub(super) fn rank(state: NodeUse) -> u8 {
    match state {
        NodeUse::Out => 3,
        NodeUse::Part => 2,
        NodeUse::Full => 1,
        NodeUse::Free => 0,
    }
}

/// The sign before the word. In ASCII it is none of the digits that the map uses for shares: beside words and counts a
/// digit would be read as a number of nodes.
pub(super) fn sign(state: NodeUse, theme: &Theme) -> &'static str {
    match state {
        NodeUse::Out => "!",
        NodeUse::Part => theme.by_set("▅", "="),
        NodeUse::Full => theme.by_set("·", "."),
        NodeUse::Free => theme.by_set("█", "*"),
    }
}

/// The role of its sign.
pub(in crate::views) fn role_of(state: NodeUse) -> Role {
    match state {
        NodeUse::Out => Role::NodeDown,
        NodeUse::Part | NodeUse::Free => Role::NodeFree,
        NodeUse::Full => Role::NodeBusy,
    }
}

/// The role of the word beside the sign: the colours of signs are too weak for text on some backgrounds.
pub(super) fn words_of(state: NodeUse) -> Role {
    match state {
        NodeUse::Out => Role::NodeDown,
        NodeUse::Part | NodeUse::Free => Role::Text,
        NodeUse::Full => Role::TextDim,
    }
}

/// The word for its use; for a node out of service its PBS state.
pub(in crate::views) fn word_of(state: &State, node_use: NodeUse, bit: Bit) -> String {
    match node_use {
        NodeUse::Full if state.is_cpuless(bit) => "no cpus".to_owned(),
        NodeUse::Free | NodeUse::Part | NodeUse::Full => node_use.word().to_owned(),
        NodeUse::Out if state.is_kept(bit) => "kept".to_owned(),
        NodeUse::Out => state.occupancy.states[bit].to_string(),
    }
}

/// The word for a node's use as in table and map, and its PBS state if that differs.
pub(in crate::views) fn use_and_state(state: &State, bit: Bit) -> (String, Option<String>) {
    let found = state.node_use(bit);
    let word = match found {
        NodeUse::Full if state.is_cpuless(bit) => format!("full, {}", word_of(state, found, bit)),
        _ => word_of(state, found, bit),
    };
    let of_pbs = state.occupancy.states[bit].to_string();
    let differs = of_pbs != word;
    (word, differs.then_some(of_pbs))
}

/// Both in one text: `full (PBS: job-exclusive)`.
pub(crate) fn use_words(state: &State, bit: Bit) -> String {
    match use_and_state(state, bit) {
        (word, Some(of_pbs)) => format!("{word} (PBS: {of_pbs})"),
        (word, None) => word,
    }
}
