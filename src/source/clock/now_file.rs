//! The file `now`, which states the moment of a folder.

use crate::whole_number::whole_number;
use qscope_engine::cluster::Epoch;

/// Where "now" was taken from, of files that a simulation wrote.
pub const SIMULATION: &str = "a simulation";

/// What a file `now` states: one epoch second, and where that is from; a simulation adds its word.
pub(crate) fn now_in(file: &[u8]) -> Option<(Epoch, String)> {
    let text = std::str::from_utf8(file).ok()?.trim();
    let (second, source) = match text.strip_suffix("simulated") {
        Some(second) => (second, SIMULATION),
        None => (text, "file now"),
    };
    Some((Epoch(whole_number(second)?), source.to_owned()))
}
