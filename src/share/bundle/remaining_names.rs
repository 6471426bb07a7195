//! Searches files for replaced names that still occur in them, as a word or as a part of one.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::dump::DumpFile;
use crate::redacted::{NameReplacements, NameRole};
use qscope_engine::cluster::{Name, NodeState, ReservationState, Snapshot};
use qscope_source::attributes::{described, option_settings};

/// The result of the search.
#[derive(Debug, Default)]
pub(super) struct RemainingNames {
    /// Names that remain, each with the first file that holds it.
    pub(super) remain: Vec<(NameRole, Name, &'static str)>,
    /// Replaced names that are also words of the batch system.
    pub(super) batch_words: Vec<String>,
}

/// Words that the clients print for any cluster, in addition to the names of attributes.
const WORDS: &str = "True False Execution Route free excl exclhost pack scatter vscatter shared group select place \
    schedselect nodes Jobs Queue Server Sched Resource Resv ID prime non_prime true false written by qscope type flag \
    long size float boolean string string_array weekday sunday monday tuesday wednesday thursday friday saturday YEAR \
    holiday day all none root unknown zone Queued Running Exiting Expired Held Waiting Transit Begun HIGH LOW total \
    assigned unused left out timestamp pbs_server pbs_version mem ncpus job";

pub(super) fn find(files: &[DumpFile], names: &NameReplacements, again: &Snapshot) -> RemainingNames {
    let known = vocabulary(again);
    let mut present: FxHashMap<&[u8], &'static str> = FxHashMap::default();
    for (file, bytes) in files {
        for word in words(bytes) {
            present.entry(word).or_insert(file);
        }
    }
    let mut found = RemainingNames::default();
    for (role, name) in names.replaced() {
        // Numbers and single letters identify nothing.
        if name.len() < 2 || name.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let Some(file) =
            present.get(name.as_bytes()).copied().or_else(|| find_substring(name, files, &present))
        else {
            continue;
        };
        if known.contains(&**name) {
            found.batch_words.push(name.to_string());
        } else {
            found.remain.push((role, name.clone(), file));
        }
    }
    found
}

/// Returns every word of a file, cut in three ways: letters and digits; also with `_` and `-`, which join them within
/// names; also with points and brackets.
fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let cuts: [fn(u8) -> bool; 3] = [
        |byte| byte.is_ascii_alphanumeric() || byte >= 0x80,
        |byte| byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'-'),
        |byte| {
            byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'-' | b'.' | b'[' | b']')
        },
    ];
    cuts.into_iter()
        .flat_map(move |is_within| bytes.split(move |byte| !is_within(*byte)).filter(|word| word.len() > 1))
}

/// Searches for a name as a substring, if it holds characters that are not part of words.
fn find_substring(
    name: &str,
    files: &[DumpFile],
    present: &FxHashMap<&[u8], &'static str>,
) -> Option<&'static str> {
    let is_word = |byte: u8| {
        byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'-' | b'.' | b'[' | b']')
    };
    if name.bytes().all(is_word) {
        return None;
    }
    // The whole can only occur if each of its parts does.
    let parts = words(name.as_bytes()).all(|part| present.contains_key(part));
    if !parts {
        return None;
    }
    let holds = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(name);
    files.iter().find(|(_, bytes)| holds(bytes)).map(|(file, _)| *file)
}

/// Returns the batch system's own words.
fn vocabulary(snap: &Snapshot) -> FxHashSet<String> {
    let mut known: FxHashSet<String> = WORDS.split_whitespace().map(str::to_owned).collect();
    let mut add = |text: &str| {
        known.extend(
            text.split(|c: char| !c.is_alphanumeric()).chain(std::iter::once(text)).map(str::to_owned),
        );
    };
    for (object, rows) in described() {
        add(object);
        rows.iter().for_each(|row| add(row.name));
    }
    snap.catalogue.iter().for_each(|(_, def)| add(&def.name));
    NodeState::ALL.iter().for_each(|state| add(state.word()));
    for (name, value) in option_settings(&snap.policy) {
        add(&name);
        value.iter().for_each(|value| value.split_whitespace().for_each(&mut add));
    }
    for formula in [&snap.server.job_sort_formula, &snap.scheduler.job_sort_formula].into_iter().flatten() {
        formula.split(|c: char| !c.is_alphanumeric() && c != '_').for_each(&mut add);
    }
    for text in [&snap.scheduler.preempt_prio, &snap.scheduler.preempt_order, &snap.scheduler.preempt_sort] {
        text.split([',', ' ']).for_each(&mut add);
    }
    for sharing in
        ["default_shared", "default_excl", "default_exclhost", "ignore_excl", "force_excl", "force_exclhost"]
    {
        add(sharing);
    }
    known.extend(ReservationState::ALL.iter().map(|(_, name, _)| (*name).to_owned()));
    known
}
